"""`gauge bench knowledge` from the command line, over a few queries and a light embedder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner, Result

from eval import bench_knowledge_scale
from eval.bench_knowledge_units import UnitErrors
from eval.query_set import load_query_set
from serve.cli import app
from serve.commands import knowledge_bench
from tests.serve.databases import fresh_database
from tests.serve.doubles import HashEmbedder


@pytest.fixture(autouse=True, scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    cases = [case for case in load_query_set() if case.slice in ("template", "negative")][::20]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAUGE_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setattr(knowledge_bench, "load_query_set", lambda: cases)
        patch.setattr(knowledge_bench, "load_embedder", lambda name: HashEmbedder())
        patch.setattr(
            knowledge_bench,
            "bench_units",
            lambda kb: UnitErrors(n=5, without_declarations=2, with_injection=1, with_injection_and_query=0),
        )
        patch.setattr(bench_knowledge_scale, "SIZES", ())
        patch.setattr(bench_knowledge_scale, "QUERIES", 5)
        yield


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["bench", "knowledge", *args])


@pytest.fixture(scope="module")
def here(small: None) -> Result:
    """What the bench says of manuals in this machine's files."""
    return run("--json", "--scale", "1000")


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_json_ends_with_the_one_line_that_sums_up(here: Result) -> None:
    details = objects(here)
    assert [next(iter(detail)) for detail in details] == ["queries", "units", "scale", "template"]
    summary = details[-1]
    assert set(summary) == {"template", "slices", "draft_answers", "unit_errors", "search_ms_p95"}
    assert summary["slices"].keys() == {"template", "negative"}
    assert (summary["draft_answers"], summary["unit_errors"]) == (0, 0)
    (row,) = details[2]["scale"]
    assert row["chunks"] == 1000
    assert summary["search_ms_p95"] == pytest.approx(row["search_ms_p95"], abs=0.01)
    assert row["disk_mb"] > 0
    names = [route["name"] for route in details[0]["queries"]["routes"]]
    assert {"without dense", "without lexical", "without structured", "without passages"} <= set(names)


def test_tables_for_people_name_slices_targets_and_routes() -> None:
    result = run()
    assert result.exit_code == 0, result.stderr
    for part in ("| slice |", "| template |", "| without structured |", "met: 0.95 / 0.99 / 0.95", "drafts answering: 0"):
        assert part in result.stdout or part.replace("met:", "missed:") in result.stdout
    assert "2 without declarations, 1 with injection, 0 with injection and the parallel unit query" in result.stdout


def test_a_scale_that_is_too_small_is_refused() -> None:
    result = run("--scale", "10")
    assert result.exit_code == 2
    assert "1000" in result.stderr


def test_a_database_keeps_the_manuals_and_the_generated_ones_are_gone_afterwards(postgres: str, here: Result) -> None:
    with fresh_database(postgres) as address:
        rows = [objects(run("--json", "--scale", "1000", "--database", address)), objects(here)]
        queries = [one[0]["queries"]["overall"] for one in rows]
        assert queries[0] == queries[1]
        (there,), (local,) = (one[2]["scale"] for one in rows)
        assert there["server_ms_mean"] >= 0
        assert local["server_ms_mean"] is None
        assert there["disk_mb"] > local["disk_mb"] / 2
        with psycopg.connect(address.replace("+psycopg", "")) as connection:
            schemas = [name for (name,) in connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gauge%'")]
        assert schemas == ["gauge_knowledge"]


def test_a_database_that_is_not_there_is_told_without_its_password() -> None:
    result = run("--database", "postgresql://gauge:s3cr3t@127.0.0.1:1/gauge")
    assert result.exit_code != 0
    assert "does not answer" in result.stderr
    assert "s3cr3t" not in result.stdout + result.stderr
