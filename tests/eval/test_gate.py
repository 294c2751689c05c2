"""The gate: shut where a slice got worse, with the reason; open where nothing did; never open for want of a measurement."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.gate import Baseline, Measured, Verdict, compare, read_baseline, renew, write_baseline
from eval.gate_rows import GateRow, Probe, pair_rows, photo_rows, report_rows, retrieval_rows
from eval.matching import Pair
from eval.query_set import as_reading, shipped_query_set
from eval.score import EvalError
from knowledge.search import KnowledgeBase
from tests.serve.doubles import DoubleReader
from vision.fields import GaugeFields
from vision.samples import InstrumentTruth

DAY = date(2026, 3, 1)


def rows(probe: str, right: int, wrong: int = 0, slice: str = "a", unscorable: int = 0) -> tuple[GateRow, ...]:
    values = [1.0] * right + [0.0] * wrong + [math.nan] * unscorable
    return tuple(
        GateRow(id=f"{probe}-{slice}-{number}", slice=slice, value=value, reason="" if value == 1 else f"lost {number}")
        for number, value in enumerate(values)
    )


def measured(**probes: tuple[GateRow, ...]) -> Measured:
    return Measured.model_validate({"probes": probes, "versions": {"knowledge": "v1"}})


def frozen(**probes: tuple[GateRow, ...]) -> Baseline:
    return renew(measured(**probes), "first", DAY, None)


def changed(before: tuple[GateRow, ...], count: int, value: float = 0.0, start: int = 0) -> tuple[GateRow, ...]:
    return tuple(
        row.model_copy(update={"value": value, "reason": "no fragment"}) if start <= number < start + count else row
        for number, row in enumerate(before)
    )


def state(verdict: Verdict, slice: str = "all") -> str:
    return next(one.state for one in verdict.slices if one.slice == slice)


def test_the_same_run_passes() -> None:
    base = rows("q", 40, 10)
    verdict = compare(frozen(ERR=base), measured(ERR=base))
    assert verdict.passed
    assert {one.state for one in verdict.slices} == {"same"}
    assert not verdict.worse
    assert verdict.slices[0].before.n == 50
    assert verdict.slices[0].before.stderr > 0


def test_a_perfect_slice_has_no_band() -> None:
    base = rows("q", 200)
    verdict = compare(frozen(ERR=base), measured(ERR=changed(base, 1)))
    assert not verdict.passed
    (whole, slice) = verdict.worse
    assert (whole.slice, slice.slice) == ("all", "a")
    assert "retrieval" in slice.why
    assert "q-a-0: no fragment" in slice.why
    assert slice.remedy
    assert slice.lost == ("q-a-0",)


def test_a_drop_within_the_band_is_told_and_passes() -> None:
    base = rows("q", 60, 40)
    verdict = compare(frozen(ERR=base), measured(ERR=changed(base, 2)))
    assert verdict.passed
    assert state(verdict) == "lower"
    assert verdict.slices[0].low < 0
    assert verdict.slices[0].high == 0
    assert 0.05 < verdict.slices[0].band < 0.15


def test_a_drop_that_is_no_chance_shuts_the_gate_inside_the_band() -> None:
    base = rows("q", 60, 40)
    verdict = compare(frozen(ERR=base), measured(ERR=changed(base, 8)))
    assert verdict.slices[0].before.value - verdict.slices[0].now.value < verdict.slices[0].band
    assert verdict.slices[0].high < 0
    assert not verdict.passed


def test_one_bad_slice_does_not_hide_behind_a_good_mean() -> None:
    good, bad = rows("q", 300, 30, slice="good"), rows("q", 10, 2, slice="bad")
    now = (*changed(good, 12, value=1.0, start=300), *changed(bad, 6))
    verdict = compare(frozen(ERR=(*good, *bad)), measured(ERR=now))
    assert state(verdict) == "better"
    assert state(verdict, "good") == "better"
    assert [one.slice for one in verdict.worse] == ["bad"]
    assert not verdict.passed


def test_more_right_is_better() -> None:
    base = rows("q", 30, 20)
    verdict = compare(frozen(FAR=base), measured(FAR=changed(base, 5, value=1.0, start=30)))
    assert verdict.passed
    assert state(verdict) == "better"


def test_one_anchor_is_enough() -> None:
    base = rows("A", 70, 1)
    assert compare(frozen(anchors=base), measured(anchors=base)).passed
    verdict = compare(frozen(anchors=base), measured(anchors=changed(base, 1)))
    assert not verdict.passed
    assert "gauge eval anchors A-a-0" in verdict.worse[0].remedy


def test_a_new_anchor_that_fails_does_not_wait_for_a_baseline() -> None:
    base = rows("A", 5)
    new = GateRow(id="B1", slice="new", value=0.0, reason="retrieval: nothing")
    verdict = compare(frozen(anchors=base), measured(anchors=(*base, new)))
    assert not verdict.passed
    assert verdict.fresh == 1
    assert [one.slice for one in verdict.worse] == ["all", "new"]
    fresh = GateRow(id="B1", slice="new", value=1.0)
    assert compare(frozen(anchors=base), measured(anchors=(*base, fresh))).passed


def test_photos_have_a_band_of_one_case() -> None:
    base = rows("p", 30)
    assert compare(frozen(fields=base), measured(fields=changed(base, 1))).passed
    verdict = compare(frozen(fields=base), measured(fields=changed(base, 2)))
    assert not verdict.passed
    assert "vision" in verdict.worse[0].why
    assert "gauge adapt" in verdict.worse[0].remedy


def test_what_was_not_measured_is_no_pass() -> None:
    base = rows("q", 10)
    gone = compare(frozen(ERR=base), measured(ERR=base[:-1]))
    assert not gone.passed
    assert gone.missing == ("ERR q-a-9",)
    silent = compare(frozen(ERR=base), measured(ERR=changed(base, 1, value=math.nan)))
    assert not silent.passed
    assert silent.missing == ("ERR q-a-0",)
    assert not compare(frozen(ERR=base), measured()).passed
    assert not compare(frozen(ERR=base), measured(FAR=rows("r", 3))).passed
    assert not compare(frozen(ERR=base), measured(ERR=())).passed


def test_what_was_never_scorable_may_stay_so() -> None:
    base = rows("q", 10, unscorable=3)
    verdict = compare(frozen(ERR=base), measured(ERR=base))
    assert verdict.passed
    assert verdict.slices[0].now.n == 10


def test_a_probe_that_is_left_out_is_not_compared() -> None:
    base = frozen(ERR=rows("q", 10), fields=rows("p", 10))
    assert compare(base, measured(ERR=rows("q", 10))).passed


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40))
def test_laws_of_the_gate(values: list[tuple[float, float]]) -> None:
    old = tuple(GateRow(id=str(number), slice="a", value=was) for number, (was, _) in enumerate(values))
    new = tuple(GateRow(id=str(number), slice="a", value=now) for number, (_, now) in enumerate(values))
    whole = compare(frozen(ERR=old), measured(ERR=new)).slices[0]
    assert whole.low <= whole.now.value - whole.before.value <= whole.high
    assert compare(frozen(ERR=new), measured(ERR=new)).passed
    if all(now >= was for was, now in values):
        assert whole.state in ("same", "better")
    if whole.state == "worse":
        assert whole.lost


def test_a_baseline_survives_its_file(tmp_path: Path) -> None:
    base = frozen(ERR=rows("q", 3, 1, unscorable=1), anchors=rows("A", 2))
    path = tmp_path / "baseline.json"
    write_baseline(base, path)
    assert read_baseline(path).model_dump_json() == base.model_dump_json()
    assert len(path.read_text(encoding="utf-8").splitlines()) > 7


def test_a_new_baseline_keeps_the_reasons_and_what_was_not_measured() -> None:
    first = frozen(ERR=rows("q", 3), fields=rows("p", 4))
    second = renew(measured(ERR=rows("q", 5)), "more questions", date(2026, 3, 2), first)
    assert second.reasons == ("2026-03-02: more questions", "2026-03-01: first")
    assert len(second.measured.probes["ERR"]) == 5
    assert second.measured.probes["fields"] == rows("p", 4)
    with pytest.raises(EvalError, match="reason"):
        renew(measured(ERR=rows("q", 5)), "  ", DAY, first)
    with pytest.raises(EvalError, match="twice"):
        renew(measured(ERR=rows("q", 1) * 2), "again", DAY, first)


@pytest.mark.parametrize(
    ("content", "said"), [(None, "--update"), ("", "not a baseline"), ("{}", "made_on"), ('{"made_on": 3', "not a baseline")]
)
def test_a_baseline_that_is_none_is_said_in_a_line(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "baseline.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(EvalError, match=said) as caught:
        read_baseline(path)
    assert "baseline.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_row_is_right_wrong_or_nothing() -> None:
    with pytest.raises(ValueError, match=r"0\.5"):
        GateRow(id="x", slice="a", value=0.5)


def test_rows_of_one_instrument() -> None:
    fields = GaugeFields(kind="dial", pointer_angle=100, unit="bar")
    reading = as_reading("AB-1", fields.model_copy(update={"unit": "psi"}))
    truth = InstrumentTruth(
        instrument_model="AB-1", box=reading.box, fields=fields, value=3, value_low=2.9, value_high=3.1, unit="bar"
    )
    found = {(probe, row.id): row for probe, row in pair_rows("p#1", Pair(truth, reading, 1.0, True))}
    assert {id: row.value for (probe, id), row in found.items() if probe == "fields"} == {
        "p#1.kind": 1, "p#1.pointer_angle": 1, "p#1.unit": 0, "p#1.value": 0,
    }  # fmt: skip
    # No value was given, which is no lie; a wrong unit is one.
    assert {id: row.value for (probe, id), row in found.items() if probe == "honesty"} == {
        "p#1.kind": 1, "p#1.pointer_angle": 1, "p#1.unit": 0, "p#1.value": 1,
    }  # fmt: skip
    assert found["fields", "p#1.unit"].reason == "psi, not bar"
    assert {row.slice for row in found.values()} == {"AB-1"}
    lost = list(pair_rows("p#1", Pair(truth.model_copy(update={"instrument_model": None}), None, 0.0, True)))
    assert all(row.value == (probe == "honesty") and row.slice == "any dial" for probe, row in lost)
    assert not list(pair_rows("p#1", Pair(None, reading, 0.0, True)))
    assert not list(pair_rows("p#1", Pair(truth.model_copy(update={"readable": False}), reading, 1.0, True)))


def test_rows_of_drawn_photos_are_the_same_every_time() -> None:
    first = list(photo_rows(DoubleReader(), count=2))
    assert first == list(photo_rows(DoubleReader(), count=2))
    assert {"XYZ-2000", "made up"} < {row.slice for _, row in first}
    for probe in ("fields", "honesty"):
        ids = [row.id for of, row in first if of == probe]
        assert len(set(ids)) == len(ids)
    pictures = [row for _, row in first if row.slice == "made up"]
    assert len(pictures) == 4


def test_a_blinded_retriever_shuts_the_gate(kb: KnowledgeBase) -> None:
    cases = shipped_query_set()[::14]
    good = tuple(retrieval_rows(kb, cases))
    before = kb.options
    try:
        kb.options = kb.with_options(lexical=0.0, structured=0.0, passages=0.0)
        blind = tuple(retrieval_rows(kb, cases))
    finally:
        kb.options = before
    probe: Probe = "ERR"
    base = renew(Measured(probes={probe: good}, versions={}), "good", DAY, None)
    assert compare(base, Measured(probes={probe: tuple(retrieval_rows(kb, cases))}, versions={})).passed
    verdict = compare(base, Measured(probes={probe: blind}, versions={}))
    assert not verdict.passed
    assert "gauge kb search" in verdict.worse[0].remedy


def test_reports_of_a_model_do_not_depend_on_the_others(kb: KnowledgeBase) -> None:
    few = kb.models()[::12]
    found = list(report_rows(kb, rounds=1, models=few))
    assert {row.slice for row in found} == set(few)
    assert {row.id.rsplit("-", 2)[1] for row in found} == {"en", "zh"}
    assert sum(row.value == 0 for row in found) == 0
    last = [row.model_dump_json() for row in report_rows(kb, rounds=1, models=few[-1:])]
    assert last == [row.model_dump_json() for row in found if row.slice == few[-1]]
