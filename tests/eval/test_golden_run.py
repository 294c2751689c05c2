"""The evaluator of anchors: each link that can fail is named, nothing passes by default, pages show what happened."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from eval.fci import StatementScores, score_answer
from eval.golden import GoldenAnchor
from eval.golden_days import compare_runs, read_report
from eval.golden_page import debug_page, find_marks, page_html, write_page
from eval.golden_run import (
    AnchorReport,
    AnchorRow,
    ChainAnswer,
    Checked,
    Sentence,
    anchor_report,
    check_anchors,
    judge_anchor,
    sentence_support,
)
from eval.retrieval import Passage
from eval.score import EvalError, not_scorable, supported, unsupported
from tests.rag.builders import make_chunk

ANCHOR = GoldenAnchor(
    id="X01",
    module="pressure",
    question="What is the range of the T-1?",
    language="en",
    document="t-1-en",
    section="2",
    fragment=r"range is 0 to \d+ bar",
    expect=r"0 to 25 bar",
    since=date(2026, 1, 1),
)
RIGHT = Passage(text="The measuring range is 0 to 25 bar.", document="t-1-en", section="2")
OTHER = Passage(text="Clean the glass.", document="t-1-en", section="9")
SAYS = Sentence(text="The range is 0 to 25 bar.", documents=("t-1-en",))


def answer(*passages: Passage, says: Sentence = SAYS) -> ChainAnswer:
    return ChainAnswer(sentences=(says,), passages=passages, queries=("range T-1",))


class Scripted:
    """A chain that answers as told; an error is raised."""

    version = "v1"
    as_of = date(2026, 5, 1)

    def __init__(self, *answers: ChainAnswer | Exception, known: bool = True) -> None:
        self.answers = iter(answers)
        self.known = known

    def knows(self, document: str) -> bool:
        return self.known

    def answer(self, anchor: GoldenAnchor) -> ChainAnswer:
        given = next(self.answers)
        if isinstance(given, Exception):
            raise given
        return given


def check(chain: Scripted) -> Checked:
    (one,) = check_anchors([ANCHOR], chain)
    return one


@pytest.mark.parametrize(
    ("given", "failed"),
    [
        (answer(RIGHT), None),
        (answer(OTHER, RIGHT), None),
        (answer(OTHER), "retrieval"),
        (answer(), "retrieval"),
        (answer(RIGHT.model_copy(update={"document": "other-en"})), "retrieval"),
        (answer(RIGHT.model_copy(update={"section": "3"})), "retrieval"),
        (answer(RIGHT, says=SAYS.model_copy(update={"text": "The range is 0 to 30 bar."})), "answer"),
        (answer(RIGHT, says=SAYS.model_copy(update={"text": ""})), "answer"),
        (answer(RIGHT, says=SAYS.model_copy(update={"documents": ("forum-en",)})), "citation"),
        (answer(RIGHT, says=SAYS.model_copy(update={"documents": ()})), "citation"),
    ],
)
def test_the_first_link_that_fails_is_named(given: ChainAnswer, failed: str | None) -> None:
    row = check(Scripted(given)).row
    assert row.failed == failed
    assert row.status == ("fail" if failed else "pass")
    assert row.score.reason.startswith(failed or "t-1-en")


def test_the_fragment_may_stand_far_down_in_a_reports_evidence() -> None:
    assert judge_anchor(ANCHOR, answer(*[OTHER] * 20, RIGHT)).score.state == "supported"


def test_an_anchor_that_breaks_the_chain_fails_and_spares_the_others() -> None:
    chain = Scripted(RuntimeError("index damaged"), answer(RIGHT))
    first, second = check_anchors([ANCHOR, ANCHOR.model_copy(update={"id": "X02"})], chain)
    assert first.row.status == "fail"
    assert "index damaged" in first.row.score.reason
    assert first.answer is None
    assert second.row.status == "pass"


def test_before_its_document_an_anchor_is_not_scorable_and_a_run_of_such_fails() -> None:
    one = check(Scripted(known=False))
    assert one.row.status == "not scorable"
    assert "2026-05-01" in one.row.score.reason
    report = anchor_report([one.row], Scripted())
    assert (report.passed.n, report.not_scorable) == (0, 1)
    assert report.failed


def checked_statement(text: str) -> StatementScores:
    (first, *_) = score_answer(text, ["The measuring range is 0 to 25 bar."]).statements
    return first


def test_support_is_told_apart_from_passing() -> None:
    true, false = (
        checked_statement(text) for text in ("The measuring range is 0 to 25 bar.", "The measuring range is 0 to 30 bar.")
    )
    assert sentence_support(SAYS.model_copy(update={"check": true})).state == "supported"
    wrong = SAYS.model_copy(update={"check": false})
    assert sentence_support(wrong).state == "unsupported"
    judged = judge_anchor(ANCHOR, answer(RIGHT, says=wrong))
    assert (judged.score.state, judged.support.state) == ("supported", "unsupported")
    assert sentence_support(SAYS).state == "not_scorable"
    nothing = StatementScores(text="Hm.", citations=(), verdicts=())
    assert sentence_support(SAYS.model_copy(update={"check": nothing})).state == "not_scorable"


def row(id: str, state: str) -> AnchorRow:
    score = {"pass": supported("x"), "fail": unsupported("x"), "nan": not_scorable("x")}[state]
    return AnchorRow(id=id, module="m", score=score, failed=None, support=not_scorable("x"), latency_ms=1)


def run(**states: str) -> AnchorReport:
    return anchor_report([row(id, state) for id, state in states.items()], Scripted())


@pytest.mark.parametrize(
    ("before", "now", "colour"),
    [
        ({"A": "pass"}, {"A": "pass"}, "green"),
        ({"A": "fail", "B": "pass"}, {"A": "pass", "B": "pass"}, "green"),
        ({"A": "fail", "B": "pass"}, {"A": "fail", "B": "pass"}, "green"),
        ({"A": "pass", "B": "pass"}, {"A": "pass", "B": "fail"}, "red"),
        ({"A": "pass"}, {"A": "pass", "B": "fail"}, "red"),
        ({"A": "pass", "B": "pass"}, {"A": "pass", "B": "nan"}, "yellow"),
        ({"A": "pass", "B": "pass"}, {"A": "pass"}, "yellow"),
        ({"A": "pass"}, {"A": "nan"}, "red"),
        ({"A": "fail", "B": "pass"}, {"A": "fail"}, "red"),
    ],
)
def test_colours_of_a_day(before: dict[str, str], now: dict[str, str], colour: str) -> None:
    assert compare_runs(run(**before), run(**now)).colour == colour


def test_a_small_drop_without_a_new_failure_is_yellow() -> None:
    failing = {"A": "fail"} | {f"P{n}": "pass" for n in range(60)}
    fewer = {name: state for name, state in failing.items() if name not in ("P1", "P2")}
    change = compare_runs(run(**failing), run(**fewer))
    assert 0 < change.drop < 0.05
    assert (change.colour, change.gone) == ("yellow", ("P1", "P2"))


def test_changes_name_their_anchors() -> None:
    change = compare_runs(run(A="pass", B="fail", C="pass"), run(A="fail", B="pass"))
    assert (change.new_failures, change.repaired, change.gone) == (("A",), ("B",), ("C",))


def test_a_report_survives_the_disk(tmp_path: Path) -> None:
    report = run(A="pass", B="fail", C="nan")
    path = tmp_path / "report.json"
    path.write_text(report.model_dump_json(), encoding="utf-8")
    assert read_report(path).model_dump_json() == report.model_dump_json()
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(EvalError, match="not the report"):
        read_report(path)
    with pytest.raises(EvalError, match="cannot be read"):
        read_report(tmp_path / "none.json")


def test_marks_do_not_overlap_and_point_at_the_words() -> None:
    text = "The measuring range is 0 to 25 bar. Not 0 to 25 bar abs."
    marks = find_marks(text, ANCHOR.fragment, ANCHOR.expect)
    assert [(text[start:end], kind) for start, end, kind in marks] == [
        ("range is 0 to 25 bar", "fragment"),
        ("0 to 25 bar", "expected"),
    ]
    assert find_marks(text, "x*", "y") == ()


def test_the_page_of_a_failed_anchor_shows_every_link(tmp_path: Path) -> None:
    failing = check(Scripted(answer(OTHER, says=SAYS.model_copy(update={"text": "<b>no</b> range"}))))
    source = make_chunk("c", text=RIGHT.text, document="t-1-en", section="2")
    page = debug_page(failing, [source], "v1")
    assert page.status == "fail"
    assert page.passages[0].marks == ()
    assert [kind for *_, kind in page.source[0].marks] == ["fragment"]
    assert page.queries == ("range T-1",)
    name = write_page(page, tmp_path / "pages")
    html = (tmp_path / "pages" / name).read_text(encoding="utf-8")
    assert "<b>no</b>" not in html
    assert "&lt;b&gt;no&lt;/b&gt; range" in html
    assert "<mark class='fragment'>range is 0 to 25 bar</mark>" in html
    assert "no wanted fragment among 1 passages" in html
    data = json.loads((tmp_path / "pages" / "debug_X01.json").read_text(encoding="utf-8"))
    assert (data["id"], data["document"], data["source"][0]["passage"]["text"]) == ("X01", "t-1-en", RIGHT.text)


def test_a_page_without_an_answer_and_a_folder_that_is_a_file(tmp_path: Path) -> None:
    page = debug_page(check(Scripted(RuntimeError("broke"))), [], "v1")
    assert "nothing was asked" in page_html(page)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(EvalError, match="cannot be written"):
        write_page(page, tmp_path / "file")
