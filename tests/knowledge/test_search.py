"""Search on the shipped corpus: the right chunk first, in both languages, and never from the wrong manual."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from knowledge.articles import AUTHORITY_WEIGHTS, Hit
from knowledge.facts import ModelFacts
from knowledge.search import KnowledgeBase, SearchError, SearchOptions

from .conftest import HashEmbedder, article_text

LANGUAGES = ("en", "zh")
GAUGE, THERMOMETER, VOLTMETER, DISPLAY, LAMP, SELECTOR = "XYZ-2000", "BT-160", "VM-48", "DG-30", "SP-3", "RS-5"

# Name of the meta-knowledge query, its text in both languages, the fact that answers it.
NAMED = [
    (
        "gauge_calibration_formula",
        "calibration formula of {model}: reading from the pointer angle",
        "{model} 的刻度换算公式：由指针角度计算读数",
        lambda f: f.formula,
    ),
    (
        "unit_declaration",
        "unit declaration of {model}: in which unit its reading is stated",
        "{model} 的单位声明：读数采用的单位",
        lambda f: f.unit,
    ),
    (
        "warning_light_color_meaning_red",
        "meaning of the red warning light of {model}",
        "{model} 警示灯红色的含义",
        lambda f: f.lamp("red"),
    ),
    (
        "mode_dial_meaning_3",
        "meaning of mode selector position 3 of {model}",
        "{model} 模式旋钮位置 3 的含义",
        lambda f: f.mode(3),
    ),
    (
        "emergency_shutdown_procedure",
        "emergency shutdown procedure of {model}",
        "{model} 的紧急停机流程",
        lambda f: f.emergency,
    ),
]
STATED = {
    "gauge_calibration_formula": {GAUGE, THERMOMETER, VOLTMETER},
    "unit_declaration": {GAUGE, THERMOMETER, VOLTMETER, DISPLAY},
    "warning_light_color_meaning_red": {GAUGE, DISPLAY, LAMP},
    "mode_dial_meaning_3": {GAUGE, SELECTOR},
    "emergency_shutdown_procedure": {GAUGE, THERMOMETER, VOLTMETER, DISPLAY, LAMP, SELECTOR},
}

FREE = [
    (GAUGE, "en", "how often must the gauge be calibrated", "6.1"),
    (GAUGE, "en", "who may switch to position 5", "4.3"),
    (GAUGE, "en", "the pointer trembles", "5.1"),
    (GAUGE, "en", "when may the unit be started again after a shutdown", "5.3"),
    (GAUGE, "en", "at what pressure is the alarm", "3.5"),
    (GAUGE, "en", "how large is the permitted error", "2.2"),
    (GAUGE, "zh", "多久校准一次", "6.1"),
    (GAUGE, "zh", "报警值是多少", "3.5"),
    (GAUGE, "zh", "黄灯是什么意思", "4.1"),
    (GAUGE, "zh", "停机之后什么时候可以重新启动", "5.3"),
    (THERMOMETER, "en", "dew inside the glass", "5.1"),
    (THERMOMETER, "en", "how long until the pointer shows a sudden change", "2.3"),
    (THERMOMETER, "zh", "振动时怎么读数", "4.2"),
    (VOLTMETER, "en", "is the reading right behind a phase-controlled drive", "4.2"),
    (VOLTMETER, "zh", "指针不在零位怎么办", "6.2"),
    (DISPLAY, "en", "what does error code Er2 mean", "4.2"),
    (DISPLAY, "en", "the digits are blinking", "3.4"),
    (DISPLAY, "en", "what the display of DG-30 shows", "3.2"),
    (DISPLAY, "zh", "故障代码 Er1", "4.2"),
    (DISPLAY, "zh", "DG-30 显示屏显示的内容", "3.2"),
    (LAMP, "en", "two colours are lit, what is wrong", "5.1"),
    (LAMP, "zh", "闪烁和常亮有什么区别", "4.2"),
    (SELECTOR, "en", "the line stands between two numbers", "3.1"),
    (SELECTOR, "zh", "第 5 档谁可以使用", "4.3"),
]


def facts_of(kb: KnowledgeBase, model: str, language: str) -> ModelFacts:
    facts = kb.facts(model, language)
    assert facts is not None
    return facts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "english", "chinese", "fact"), NAMED, ids=[row[0] for row in NAMED])
def test_named_queries_find_the_stating_chunk_first(
    kb: KnowledgeBase, name: str, english: str, chinese: str, fact: Callable[[ModelFacts], object], language: str
) -> None:
    for model in STATED[name]:
        stated = fact(facts_of(kb, model, language))
        text = (english if language == "en" else chinese).format(model=model)
        for query in (name, text):
            hits = kb.search(query, model=model, language=language)
            assert hits[0].chunk.id == stated.chunk, (query, model)  # type: ignore[attr-defined]
            assert hits[0].structured == 1.0
        assert hits[0].score > 0.4


def rank(kb: KnowledgeBase, model: str, language: str, query: str, section: str) -> int:
    """Place of the section among the hits, from 1."""
    places = [(hit.chunk.section, hit.chunk.language, hit.chunk.models) for hit in kb.search(query, model=model, k=20)]
    return places.index((section, language, (model,))) + 1


@pytest.mark.parametrize(("model", "language", "query", "section"), FREE)
def test_free_questions_find_their_section_among_the_first_three(
    kb: KnowledgeBase, model: str, language: str, query: str, section: str
) -> None:
    assert rank(kb, model, language, query, section) <= 3


def test_free_questions_mostly_find_their_section_first(kb: KnowledgeBase) -> None:
    ranks = [rank(kb, *row) for row in FREE]
    assert sum(place == 1 for place in ranks) / len(ranks) >= 0.85
    assert sum(1 / place for place in ranks) / len(ranks) >= 0.9


FIRST_MODELS = {"BT-160", "DG-30", "RS-5", "SP-3", "VM-48", "XYZ-2000"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_manual_does_not_state_is_not_found_by_type(kb: KnowledgeBase, language: str) -> None:
    asked = {row[0]: row[1 if language == "en" else 2] for row in NAMED}
    types = {"gauge_calibration_formula": "formula", "warning_light_color_meaning_red": "lamp", "mode_dial_meaning_3": "mode"}
    for name, semantic_type in types.items():
        for model in FIRST_MODELS - STATED[name]:
            assert kb.search(asked[name].format(model=model), model=model, language=language, semantic_type=semantic_type) == []


def test_semantic_type_is_required_where_given(kb: KnowledgeBase) -> None:
    hits = kb.search("emergency shutdown", model=GAUGE, semantic_type="procedure")
    assert hits
    assert {hit.chunk.semantic_type for hit in hits} == {"procedure"}


QUERIES = (
    [row[1].format(model="ABC-9") for row in NAMED] + [row[2].format(model="ABC-9") for row in NAMED] + [row[2] for row in FREE]
)


@pytest.mark.parametrize("query", QUERIES)
def test_an_unknown_model_gets_general_articles_only(kb: KnowledgeBase, query: str) -> None:
    assert all(hit.chunk.models == () for hit in kb.search(query, model="ABC-9", k=50))


@pytest.mark.parametrize("query", QUERIES)
def test_hits_are_in_force_ordered_and_of_the_model(kb: KnowledgeBase, query: str) -> None:
    hits = kb.search(query, model=GAUGE, k=50)
    if "ABC-9" in query:
        assert all(not hit.chunk.models for hit in hits)
    else:
        assert hits
    for hit in hits:
        assert hit.chunk.status == "valid"
        assert hit.chunk.effective_date <= date.today()
        assert not hit.chunk.models or GAUGE in hit.chunk.models
        assert 0.0 <= hit.score <= 1.0
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.chunk.id for hit in hits}) == len(hits)


def test_the_archived_and_the_draft_formula_are_never_found(kb: KnowledgeBase) -> None:
    for query in (
        "pressure = (pointer angle - 45) * 100 / 270",
        "pressure = (pointer angle - 30) / 2",
        "test mode",
        "0 to 150 MPa",
    ):
        for model in (GAUGE, None):
            documents = {hit.chunk.document for hit in kb.search(query, model=model, k=50)}
            assert not documents & {"xyz-2000-r1-en", "xyz-2000-draft-en"}
    assert not {c.document for c in kb.chunks()} & {"xyz-2000-r1-en", "xyz-2000-draft-en"}


def test_translations_of_one_passage_appear_once(kb: KnowledgeBase) -> None:
    for query in ("red warning light", "警示灯红色"):
        hits = kb.search(query, model=GAUGE, k=50)
        passages = [(h.chunk.document.rsplit("-", 1)[0], h.chunk.section, h.chunk.semantic_type) for h in hits]
        lamp = [p for p in passages if p[1] == "4.1" and p[2] == "lamp"]
        assert len(lamp) == 1


def test_the_language_asked_for_wins_over_the_script(kb: KnowledgeBase) -> None:
    assert kb.search("warning light red", model=GAUGE, language="zh")[0].chunk.language == "zh"
    assert kb.search("警示灯红色", model=GAUGE, language="en")[0].chunk.language == "en"
    assert kb.search("警示灯红色", model=GAUGE)[0].chunk.language == "zh"


def test_a_query_that_names_a_model_is_limited_to_it(kb: KnowledgeBase) -> None:
    hits = kb.search("calibration formula of the VM-48", k=20)
    assert hits[0].chunk.document == "vm-48-en"
    assert all("VM-48" in hit.chunk.models or not hit.chunk.models for hit in hits)
    both = kb.search("XYZ-2000 or BT-160: emergency shutdown", k=20)
    assert {"XYZ-2000", "BT-160"} <= {model for hit in both for model in hit.chunk.models}


@pytest.mark.parametrize(
    "query", ["weather tomorrow in Paris", "stock prices", "今天天气", "", "   ", "!?", "\x00", '"; DROP TABLE chunks; --']
)
def test_strange_questions_give_few_weak_hits_and_no_error(kb: KnowledgeBase, query: str) -> None:
    assert all(hit.score < 0.35 for hit in kb.search(query, model=GAUGE))


def test_the_authority_scales_the_score(kb: KnowledgeBase) -> None:
    notice: Hit = next(h for h in kb.search("daily pressure round route", model=GAUGE, k=9) if h.chunk.authority == "notice")
    routes = 0.4 * (notice.dense or 0) + 0.3 * (notice.lexical or 0) + 0.3 * (notice.structured or 0)
    general = 1.0 if notice.chunk.models else kb.options.general
    assert notice.score == pytest.approx(routes * AUTHORITY_WEIGHTS["notice"] * general)


def test_bad_arguments_are_named(kb: KnowledgeBase) -> None:
    with pytest.raises(SearchError, match="got 0"):
        kb.search("x", k=0)
    with pytest.raises(SearchError, match=r"'poem'.*formula"):
        kb.search("x", semantic_type="poem")
    with pytest.raises(SearchError, match=r"'fr'.*en, zh"):
        kb.search("x", language="fr")
    with pytest.raises(SearchError, match="'nope'"):
        kb.chunk("nope")


def test_models_and_spellings(kb: KnowledgeBase) -> None:
    assert set(kb.models()) >= FIRST_MODELS
    assert list(kb.models()) == sorted(kb.models())
    assert kb.canonical_model("xyz2000") == kb.canonical_model("XYZ 2000") == "XYZ-2000"
    assert kb.canonical_model("XYZ-200") is None
    assert kb.canonical_model("") is None
    hit = kb.search("emergency shutdown", model="xyz 2000")[0]
    assert hit.chunk == kb.chunk(hit.chunk.id)


def test_threads_share_one_knowledge_base(kb: KnowledgeBase) -> None:
    expected = [hit.chunk.id for hit in kb.search("emergency shutdown procedure", model=GAUGE)]
    results: list[list[str]] = []

    def ask() -> None:
        results.extend([hit.chunk.id for hit in kb.search("emergency shutdown procedure", model=GAUGE)] for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 20


def test_a_document_is_hidden_before_its_date(make_corpus: Callable[..., Path], tmp_path: Path, embedder: HashEmbedder) -> None:
    corpus = make_corpus(
        old=article_text("# T\n\n## 1 A\n\nThe valve is blue.\n", id="old-en", date="2020-01-01"),
        new=article_text("# T\n\n## 1 A\n\nThe valve is green and shut.\n", id="new-en", date="2024-01-01"),
    )
    for day, documents in (("2019-01-01", set()), ("2021-01-01", {"old-en"}), ("2025-01-01", {"new-en"})):
        kb = KnowledgeBase.open(tmp_path / "home", corpus, embedder=embedder, as_of=date.fromisoformat(day))
        assert {hit.chunk.document for hit in kb.search("valve", k=9)} == documents
        assert kb.models() == (("T-1",) if documents else ())
        kb.close()


def test_near_duplicates_are_kept_once_and_authority_decides(
    make_corpus: Callable[..., Path], tmp_path: Path, embedder: HashEmbedder
) -> None:
    body = "# T\n\n## 1 A\n\nThe relief valve opens at five bar in summer and in winter.\n"
    forum = article_text(body, id="a-forum-en").replace("authority: specification", "authority: forum")
    corpus = make_corpus(a=forum, b=article_text(body, id="b-manual-en"))
    kb = KnowledgeBase.open(tmp_path / "home", corpus, embedder=embedder)
    (hit,) = kb.search("relief valve opens", model="T-1", k=9)
    assert hit.chunk.document == "b-manual-en"
    kb.close()


def test_route_weights_sum_to_one_in_the_ratio_four_three_three() -> None:
    options = SearchOptions()
    assert (options.dense, options.lexical, options.structured) == (0.4, 0.3, 0.3)
