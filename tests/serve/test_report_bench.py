"""`gauge bench report`: its tables and its record, from numbers that are given."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from eval.bench_report import PhotoTimes, ReportBench, ReportRates, ReportSpeed, WriterRates
from eval.bench_report_lies import KindScore, LieScores
from eval.score import share_of
from serve.commands.knowledge_bench import plain
from serve.commands.report_bench import bench_record, bench_text


def make_rates(**changes: object) -> ReportRates:
    values: dict[str, object] = {
        "reports": 300,
        "statements": 2000,
        "refused": 0,
        "unsupported": 0,
        "fci_unsupported": 600,
        "fci_claims": 2500,
        "said": share_of(1500, 1500),
        "missing": {},
        "quantities_kept": share_of(900, 900),
        "negations_kept": share_of(80, 80),
        "unit_right": share_of(220, 220),
        "examples": (),
    }
    return ReportRates.model_validate({**values, **changes})


def make_lies(half: str, caught: int = 1999, passed: int = 980) -> LieScores:
    kinds = (KindScore(kind="unit_swapped", right=share_of(79, 80), wrong=(("5 bar.", "5 MPa."),)),)
    return LieScores(
        half=half,  # type: ignore[arg-type]
        caught=share_of(caught, 2000),
        passed=share_of(passed, 1000),
        caught_by_language={"en": share_of(1000, 1000), "zh": share_of(caught - 1000, 1000)},
        passed_by_language={"en": share_of(490, 500), "zh": share_of(passed - 490, 510)},
        lies=kinds,
        rewordings=(KindScore(kind="synonym", right=share_of(80, 80), wrong=()),),
    )


def make_bench(**changes: object) -> ReportBench:
    speed = ReportSpeed(**dict.fromkeys(ReportSpeed.model_fields, 50.0))
    values: dict[str, object] = {
        "rates": make_rates(),
        "by_language": {"en": make_rates(), "zh": make_rates(negations_kept=share_of(0, 0))},
        "speed": speed,
        "lies": (make_lies("mended on"), make_lies("held out")),
    }
    return ReportBench.model_validate({**values, **changes})


def test_targets_that_are_met_and_missed() -> None:
    text = bench_text(make_bench())
    assert "target no unsupported statement: met" in text
    assert "target caught >= 99 %: met" in text
    assert "target rejected <= 3 %: met" in text
    assert text.count("target caught") == 1  # the half that was mended on has no target
    bad = make_bench(rates=make_rates(unsupported=1, missing={"lamp": 2}), lies=(make_lies("held out", 1900, 900),))
    assert bench_text(bad).count("missed") == 4


def test_the_record_counts_the_half_that_nothing_was_mended_on() -> None:
    record = bench_record(make_bench(lies=(make_lies("mended on", 2000, 1000), make_lies("held out", 1990, 970))))
    assert record["lies_caught"] == pytest.approx(0.995)
    assert record["true_rejected"] == pytest.approx(0.03)
    assert record["facts_missing"] == 0
    assert json.loads(json.dumps(plain(record)))["unit_right"] == 1.0


def test_what_was_not_asked_for_is_not_there() -> None:
    assert "template report" not in bench_text(make_bench())
    photo = PhotoTimes(photo="a.jpg", vision_ms=900, retrieval_ms=40, writing_ms=2, process_vision_ms=800, process_report_ms=30)
    text = bench_text(make_bench(photo=photo))
    assert "a.jpg to template report" in text
    assert "target <= 1800 ms: met" in text


def test_a_writers_reports_stand_beside_the_templates() -> None:
    written = WriterRates(writer="llm:small", rates=make_rates(reports=40), replaced=share_of(3, 200), process_s_p50=7.5)
    text = bench_text(make_bench(written=written))
    assert "llm:small, 40 English reports: 0 statements unsupported" in text
    assert "replaced by the template 1.5 %" in text


def test_an_empty_bench_is_valid_json() -> None:
    empty = make_bench(rates=make_rates(said=share_of(0, 0), unit_right=share_of(0, 0)))
    assert math.isnan(empty.rates.said.value)
    assert "NaN" not in json.dumps(plain(empty.model_dump(mode="json")))


def test_the_command_says_what_it_measures() -> None:
    from serve.cli import app

    shown = CliRunner().invoke(app, ["bench", "report", "--help"])
    assert shown.exit_code == 0
    assert "lies" in shown.output
    wrong = CliRunner().invoke(app, ["bench", "report", "--readings", "0"])
    assert wrong.exit_code == 2
