"""`gauge bench probes`: what it prints, as tables and JSON, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval.bench_probes import ProbeBench, ProbeTimes, Times
from eval.bench_text import TextBench
from eval.probe_scores import FLOOR, Measured, ProbeScore
from eval.reproductions.claims import Claim, point
from serve.cli import app
from serve.commands.probes_bench import probes_text
from tests.eval.test_bench_probes import write_sets


def probe(name: str, value: float, low: float) -> ProbeScore:
    figure = Measured(value=value, low=low, high=1.0)
    return ProbeScore(
        probe=name,
        auroc=figure,
        tuned=figure,
        held_out=figure,
        gain=figure,
        threshold=0.5,
        f1=figure,
        balanced_accuracy=figure,
        not_scorable=3,
    )


def times(p99: float, rate: float) -> Times:
    return Times(process_ms_p50=1, process_ms_p99=p99, wall_ms_p50=1, wall_ms_p99=2, queries_per_s=rate)


def bench(low: float, p99: float, *, identical: bool = True) -> ProbeBench:
    one = TextBench(data="set", n=10, unfaithful=4, probes=(probe(FLOOR, 0.7, 0.6), probe("worst support", 0.9, low)))
    measured = times(p99, 1000 / p99)
    return ProbeBench(
        sets=(one,), carried=(), times=ProbeTimes(queries=5, cold=measured, warm=measured, again=measured, identical=identical)
    )


def test_targets_are_judged_by_lower_bounds() -> None:
    text = probes_text(bench(0.8, 10))
    assert "| worst support | 0.9 [0.8, 1] |" in text
    assert text.count(": met") == 4
    assert "target 5 points above: missed" in probes_text(bench(0.74, 10))
    assert "target lower bound above the floor: missed" in probes_text(bench(0.69, 10))
    slow = probes_text(bench(0.8, 200, identical=False))
    assert "target P99 <= 187 ms: missed" in slow
    assert "target >= 70 queries/s: missed" in slow
    assert "NOT the same on rerun" in slow


def test_json_holds_every_figure(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["bench", "probes", "--data", str(write_sets(tmp_path)), "--queries", "0", "--no-domain", "--limit", "4", "--json"]
    )
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert [one["n"] for one in record["sets"]] == [8, 8]
    assert record["times"] is None
    assert len(record["carried"]) == 6


@pytest.mark.parametrize("arguments", [["--limit", "0"], ["--queries", "-1"]])
def test_wrong_options_are_usage(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["bench", "probes", *arguments]).exit_code == 2


def test_a_folder_without_data_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "probes", "--data", str(tmp_path), "--queries", "0", "--no-domain"])
    assert result.exit_code == 1
    assert "holds none of the labelled sets" in result.stderr
    assert "Traceback" not in result.output
    assert "Nothing was asked for" in CliRunner().invoke(app, ["bench", "probes", "--queries", "0", "--no-domain"]).stdout


def test_claims_are_printed_and_in_the_json(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim(
        row="B10", claim="ERR up lifts FAR", source="78 -> 94", subject="quotes", points=(point("ERR 85%", "FAR", [True]),),
        effect_of="with less without", effect=Measured(value=0, low=0, high=0), verdict="does not hold", said="It cannot.",
    )  # fmt: skip
    asked: list[tuple[int, int]] = []

    def reproduce(settings: object, count: int, llm_count: int) -> tuple[Claim, ...]:
        asked.append((count, llm_count))
        return (claim,)

    monkeypatch.setattr("serve.commands.probes_bench.reproduce_claims", reproduce)
    told = CliRunner().invoke(app, ["bench", "probes", "--queries", "0", "--no-domain", "--claims", "9", "--llm-claims", "4"])
    assert told.exit_code == 0, told.output
    assert all(part in told.stdout for part in ("B10", "does not hold", "78 -> 94", "It cannot."))
    record = json.loads(
        CliRunner().invoke(app, ["bench", "probes", "--queries", "0", "--no-domain", "--claims", "9", "--json"]).stdout
    )
    assert [Claim.model_validate(one) for one in record["claims"]] == [claim]
    assert asked == [(9, 4), (9, 0)]
    assert "Nothing was asked" in CliRunner().invoke(app, ["bench", "probes", "--queries", "0", "--no-domain"]).stdout
    assert len(asked) == 2
