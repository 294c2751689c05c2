"""The failure library: what is kept comes back, twice is once, and nothing hostile gets in or breaks it."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.failures import (
    AXES,
    COMPLAINTS,
    FILE,
    FORMAT,
    MAX_REPORT_BYTES,
    FailureError,
    FailureLibrary,
    FailureReport,
    RootCause,
    parse_report,
)


def body(**changes: Any) -> dict[str, Any]:
    return {"format": FORMAT, "request_id": "r-1", "complaint": "cut_off", **changes}


def report(**changes: Any) -> FailureReport:
    return parse_report(json.dumps(body(**changes)))


def test_a_report_comes_back_as_it_went_in(tmp_path: Path) -> None:
    library = FailureLibrary(tmp_path / "home")
    given_report = report(question="压力是多少？", expected=["4 MPa", "shut down"], note="<b>'\";--", watermark={"commit": "abc"})
    kept = library.add(given_report)
    assert kept.id == 1
    assert kept.report == given_report
    assert FailureLibrary(tmp_path / "home").case(1) == kept


def test_the_same_report_twice_is_one_case(tmp_path: Path) -> None:
    library = FailureLibrary(tmp_path)
    first, again, other = library.add(report()), library.add(report()), library.add(report(note="other"))
    assert first == again
    assert other.id != first.id
    assert [case.id for case in library.cases()] == [other.id, first.id]


def test_a_report_sent_again_keeps_the_labels(tmp_path: Path) -> None:
    library = FailureLibrary(tmp_path)
    library.add(report())
    library.label(1, {"bad_cut": "yes"})
    assert library.add(report()).report.causes.found == ("bad_cut",)


def test_labels_are_set_axis_by_axis(tmp_path: Path) -> None:
    library = FailureLibrary(tmp_path)
    library.add(report(causes={"wrong_metric": "no"}))
    library.label(1, {"bad_cut": "yes", "context_pollution": "yes"})
    labelled = library.label(1, {"context_pollution": "no"})
    assert labelled == library.case(1)
    assert labelled.report.causes == RootCause(bad_cut="yes", context_pollution="no", wrong_metric="no")
    assert labelled.report.causes.found == ("bad_cut",)


def test_cases_by_axis_and_complaint(tmp_path: Path) -> None:
    library = FailureLibrary(tmp_path)
    for complaint in COMPLAINTS:
        library.add(report(complaint=complaint))
    for number, axis in enumerate(AXES, 1):
        library.label(number, {axis: "yes"})
    for number, (axis, complaint) in enumerate(zip(AXES, COMPLAINTS, strict=True), 1):
        assert [case.id for case in library.cases(axis=axis)] == [number]
        assert [case.id for case in library.cases(complaint=complaint)] == [number]
    assert library.cases(axis=AXES[0], complaint=COMPLAINTS[1]) == ()


def test_what_is_not_there(tmp_path: Path) -> None:
    library = FailureLibrary(tmp_path)
    assert library.cases() == ()
    with pytest.raises(FailureError, match="no case 7"):
        library.case(7)
    with pytest.raises(FailureError, match="no case 7"):
        library.label(7, {"bad_cut": "yes"})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "other"}, "format"),
        ({"request_id": "../../etc"}, "request_id"),
        ({"request_id": "r-1\n"}, "request_id"),
        ({"request_id": ""}, "request_id"),
        ({"complaint": "angry"}, "complaint"),
        ({"expected": ["x"] * 21}, "expected"),
        ({"expected": ["x" * 501]}, "expected.0"),
        ({"note": "x" * 20_001}, "note"),
        ({"causes": {"bad_cut": "maybe"}}, "causes.bad_cut"),
        ({"causes": {"other": "yes"}}, "causes.other"),
        ({"watermark": {str(n): "x" for n in range(21)}}, "watermark"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_what_is_no_report_is_said_in_a_line(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(FailureError, match=f"not a failure report: {said}") as caught:
        report(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 5000, b"\xff\xfe"])
def test_texts_that_are_no_json(text: str | bytes) -> None:
    with pytest.raises(FailureError, match="not a failure report"):
        parse_report(text)


def test_a_report_has_an_upper_size() -> None:
    with pytest.raises(FailureError, match="at most"):
        parse_report("x" * (MAX_REPORT_BYTES + 1))


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300), st.lists(st.text(max_size=80), max_size=5))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, note: str, expected: list[str]) -> None:
    library = FailureLibrary(tmp_path_factory.mktemp("any"))
    whole = report(note=note, expected=expected)
    assert library.add(whole).report == whole
    assert library.cases()[0].report.note == note


def test_two_reviewers_at_once(tmp_path: Path) -> None:
    FailureLibrary(tmp_path).add(report())
    threads = [threading.Thread(target=FailureLibrary(tmp_path).label, args=(1, {axis: "yes"})) for axis in AXES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert FailureLibrary(tmp_path).case(1).report.causes.found == AXES


def test_a_file_that_is_no_library(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be taken for one" * 40)
    for use in (lambda one: one.cases(), lambda one: one.add(report()), lambda one: one.case(1)):
        with pytest.raises(FailureError, match="cannot be used"):
            use(FailureLibrary(tmp_path))


def test_a_library_of_another_version(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(FailureError, match="another version"):
        FailureLibrary(tmp_path).cases()


def test_a_damaged_case_is_named(tmp_path: Path) -> None:
    FailureLibrary(tmp_path).add(report())
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("UPDATE failures SET report = '{\"x\": 1}'")
    with pytest.raises(FailureError, match="case 1 of the failure library is damaged"):
        FailureLibrary(tmp_path).cases()


def test_a_home_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FailureError, match="cannot be used"):
        FailureLibrary(tmp_path / "file").cases()


def test_a_full_library_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.failures.MAX_CASES", 1)
    FailureLibrary(tmp_path).add(report())
    with pytest.raises(FailureError, match="takes no more"):
        FailureLibrary(tmp_path).add(report(note="other"))
