"""The golden anchors themselves: unique, stable, verifiable, and passed by the shipped corpus with the template writer."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from eval.golden import CORE, QUICK, STABLE_DAYS, GoldenAnchor, core_anchors, load_anchors, quick_anchors, read_anchors
from eval.golden_run import Checked, ProductChain, anchor_report, check_anchors
from eval.score import EvalError
from knowledge.articles import Article, read_corpus
from knowledge.corpora import SHIPPED_CORPUS
from knowledge.search import KnowledgeBase
from rag.pipeline import asked_day

ANCHORS = load_anchors()
IDS = [anchor.id for anchor in ANCHORS]


@pytest.fixture(scope="module")
def chain(kb: KnowledgeBase) -> ProductChain:
    """The product's chain over the shipped corpus."""
    return ProductChain(kb, asked_day(kb))


@pytest.fixture(scope="module")
def checked(chain: ProductChain) -> dict[str, Checked]:
    return {one.row.id: one for one in check_anchors(ANCHORS, chain)}


@pytest.fixture(scope="module")
def documents() -> dict[str, Article]:
    return {article.id: article for article in read_corpus(SHIPPED_CORPUS)}


def section_text(article: Article, number: str) -> str:
    return next(section.text for section in article.sections if section.number == number)


@pytest.mark.parametrize("anchor", ANCHORS, ids=IDS)
def test_every_anchor_passes(anchor: GoldenAnchor, checked: dict[str, Checked]) -> None:
    row = checked[anchor.id].row
    assert row.status == "pass", row.score.reason
    assert row.failed is None
    assert row.latency_ms > 0


@pytest.mark.parametrize("anchor", ANCHORS, ids=IDS)
def test_every_anchor_rests_on_one_place_of_a_stable_document(anchor: GoldenAnchor, documents: dict[str, Article]) -> None:
    article = documents[anchor.document]
    assert article.status == "valid"
    assert article.authority != "forum"
    assert article.language == anchor.language
    assert anchor.model is None or anchor.model in article.models
    assert article.effective_date <= anchor.since - timedelta(days=STABLE_DAYS)
    places = [section.number for section in article.sections if re.search(anchor.fragment, section.text)]
    assert places == [anchor.section]
    assert len(re.findall(anchor.fragment, section_text(article, anchor.section))) == 1


@pytest.mark.parametrize("anchor", ANCHORS, ids=IDS)
def test_every_anchor_is_answered_in_one_sentence(anchor: GoldenAnchor, checked: dict[str, Checked]) -> None:
    answer = checked[anchor.id].answer
    assert answer is not None
    assert sum(anchor.answered_by(sentence.text) for sentence in answer.sentences) == 1


def test_anchors_spread_over_modules_kinds_languages_and_documents(documents: dict[str, Article]) -> None:
    assert len(ANCHORS) >= 60
    modules = Counter(anchor.module for anchor in ANCHORS)
    assert 5 <= len(modules) <= 7
    assert min(modules.values()) >= 5
    kinds = Counter(anchor.fields.kind for anchor in ANCHORS if anchor.fields)
    assert set(kinds) == {"dial", "digital", "counter", "lamp", "selector"}
    languages = Counter(anchor.language for anchor in ANCHORS)
    assert min(languages["en"], languages["zh"]) >= 20
    in_force = {id for id, article in documents.items() if article.status == "valid" and article.authority != "forum"}
    assert {anchor.document for anchor in ANCHORS} == in_force


def test_ids_and_what_is_asked_are_unique() -> None:
    assert len(set(IDS)) == len(IDS)
    assert len({(anchor.model, anchor.language, str(anchor.fields), anchor.expect) for anchor in ANCHORS}) == len(ANCHORS)


def test_the_quick_scan_has_ten_of_all_modules() -> None:
    quick = quick_anchors(ANCHORS)
    assert len(quick) == QUICK
    assert {anchor.module for anchor in quick} == {anchor.module for anchor in ANCHORS}
    assert quick_anchors(quick[:3]) == quick[:3]


def test_the_core_is_of_five_modules_of_the_quick_scan() -> None:
    core = core_anchors(ANCHORS)
    assert len(core) == len({anchor.module for anchor in core}) == CORE
    assert set(core) <= set(quick_anchors(ANCHORS))
    assert core_anchors(ANCHORS[:2]) == ANCHORS[:2]


def test_a_rerun_gives_the_same_but_for_the_time(chain: ProductChain, checked: dict[str, Checked]) -> None:
    again = list(check_anchors(quick_anchors(ANCHORS), chain))
    for one in again:
        first = checked[one.row.id]
        assert one.answer == first.answer
        assert one.row.model_copy(update={"latency_ms": first.row.latency_ms}) == first.row


def test_the_report_counts_what_its_rows_say(chain: ProductChain, checked: dict[str, Checked]) -> None:
    report = anchor_report([one.row for one in checked.values()], chain)
    assert (report.passed.hits, report.passed.n) == (len(ANCHORS), len(ANCHORS))
    assert not report.failed
    assert report.support.n + report.support.not_scorable == len(ANCHORS)
    assert report.latency_ms.n == len(ANCHORS)
    assert sum(share.n for share in report.modules.values()) == len(ANCHORS)


GOOD = """since = 2026-01-01
[[anchor]]
id = "X01"
question = "What is the range?"
language = "en"
document = "d-en"
section = "1"
fragment = 'range is \\d+'
"""


def test_a_file_of_anchors(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(GOOD, encoding="utf-8")
    (anchor,) = load_anchors(tmp_path)
    assert (anchor.module, anchor.expect) == ("m", anchor.fragment)
    assert anchor.answered_by("The range is 25 bar.")
    assert not anchor.answered_by("The range is wide.")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "got nothing"),
        ("a = [", "TOML"),
        ("anchor = 3", "expected"),
        (GOOD + "colour = 1\n", "X01: colour"),
        (GOOD.replace("range is", "range (is"), "X01: fragment"),
        (GOOD.replace('language = "en"', 'language = "fr"'), "X01: language"),
        (GOOD.replace('"X01"', '"x"'), "anchor x: id"),
        (GOOD.replace('id = "X01"\n', ""), "anchor 1: id"),
        (GOOD.replace("since = 2026-01-01\n", ""), "X01: since"),
        (GOOD + GOOD.partition("\n")[2], "id 'X01' is used twice"),
        (GOOD + GOOD.partition("\n")[2].replace("X01", "X02"), "question"),
    ],
)
def test_a_bad_file_is_named_with_its_fault(tmp_path: Path, text: str, word: str) -> None:
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    with pytest.raises(EvalError, match=re.escape(word)):
        load_anchors(tmp_path)


def test_a_folder_without_anchors_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match="holds no anchors"):
        load_anchors(tmp_path)
    with pytest.raises(EvalError, match="cannot be read"):
        read_anchors(tmp_path / "none.toml")
