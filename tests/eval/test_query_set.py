"""The query set: large enough, well-formed, each anchor at exactly the place meant, and golden values that the formulas give."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval.query_set import (
    ANSWER_ANCHORS,
    QUERY_FOLDER,
    Answer,
    FormulaCase,
    QueryCase,
    SeenInstrument,
    answer_anchor,
    as_reading,
    build_template_cases,
    load_formula_cases,
    load_query_set,
    read_development_queries,
    read_lines,
    read_people_queries,
    shipped_query_set,
)
from eval.score import EvalError
from knowledge.articles import Article, Chunk, read_corpus
from knowledge.audit import audit
from knowledge.chunks import build_chunks
from knowledge.facts import ModelFacts
from knowledge.structured import build_facts
from rag.formula import calibrate
from vision.fields import GaugeFields

CORPUS = Path(__file__).parents[2] / "knowledge" / "corpus"
QUERIES = shipped_query_set()
DEVELOPMENT = read_development_queries()
FORMULAS = load_formula_cases()
LEAST = {
    "template": 120,
    "english": 60,
    "typo": 20,
    "ocr_error": 20,
    "chinese": 60,
    "negative": 20,
    "conditional": 20,
    "numeric": 20,
    "multi_hop": 40,
    "other_model_trap": 30,
    "unit": 20,
    "unanswerable": 20,
}


@pytest.fixture(scope="module")
def articles() -> dict[str, Article]:
    """The shipped corpus by document id."""
    return {article.id: article for article in read_corpus(CORPUS)}


@pytest.fixture(scope="module")
def chunks(articles: dict[str, Article]) -> dict[str, tuple[Chunk, ...]]:
    """The chunks of each shipped document."""
    return {name: build_chunks(article) for name, article in articles.items()}


@pytest.fixture(scope="module")
def facts(articles: dict[str, Article], chunks: dict[str, tuple[Chunk, ...]]) -> dict[tuple[str, str], ModelFacts]:
    """Facts of each model by language, from its valid manual."""
    manuals = [article for article in articles.values() if article.status == "valid" and article.kind is not None]
    found = [fact for article in manuals for fact in build_facts(article, chunks[article.id])]
    return {(fact.model, fact.language): fact for fact in found}


def places(case: QueryCase) -> Iterator[Answer]:
    yield from case.answers
    yield from case.via


def test_the_set_is_large_and_every_slice_filled() -> None:
    counts: Counter[str] = Counter(case.slice for case in QUERIES)
    assert {name: counts[name] for name in LEAST if counts[name] < LEAST[name]} == {}
    assert set(counts) == set(LEAST)
    assert len(QUERIES) >= 400
    assert len(read_people_queries()) >= 280
    assert sum(case.language == "zh" and case.slice != "template" for case in QUERIES) >= 60


def test_texts_and_ids_are_not_repeated() -> None:
    both = (*QUERIES, *DEVELOPMENT)
    assert len({case.id for case in both}) == len(both)
    asked = Counter((case.text.casefold(), case.model) for case in both)
    assert [text for text, count in asked.items() if count > 1] == []


def test_every_anchor_is_at_exactly_one_place_of_the_document_meant(chunks: dict[str, tuple[Chunk, ...]]) -> None:
    wrong = [
        (case.id, place.document, place.section, place.anchor, found)
        for case in (*QUERIES, *DEVELOPMENT)
        for place in places(case)
        if (found := sum(place.holds(chunk) for chunk in chunks.get(place.document, ()))) != 1
    ]
    assert wrong == []


def test_no_other_valid_document_about_the_same_answers(
    articles: dict[str, Article], chunks: dict[str, tuple[Chunk, ...]]
) -> None:
    """Within one language and one set of models the answer stands in the documents named and in no other."""
    wrong: list[tuple[str, str]] = []
    for case in (*QUERIES, *DEVELOPMENT):
        named = {answer.document for answer in case.answers}
        for answer in case.answers:
            meant = articles[answer.document]
            for other in articles.values():
                same = other.language == meant.language and other.models == meant.models and other.status == "valid"
                elsewhere = answer.model_copy(update={"document": other.id})
                if same and other.id not in named and any(elsewhere.holds(chunk) for chunk in chunks[other.id]):
                    wrong.append((case.id, other.id))
    assert wrong == []


def test_answers_are_valid_documents_in_the_language_of_the_question(articles: dict[str, Article]) -> None:
    for case in (*QUERIES, *DEVELOPMENT):
        for place in places(case):
            assert articles[place.document].status == "valid", case.id
            assert articles[place.document].language == case.language, case.id
            assert case.model is None or case.model in articles[place.document].models, case.id


def test_no_query_copies_a_sentence_of_the_corpus(articles: dict[str, Article]) -> None:
    text = re.sub(r"\s+", "", " ".join(article.body for article in articles.values())).casefold()
    people = (*read_people_queries(), *DEVELOPMENT)
    copied = [c.id for c in people if len(c.text) > 12 and re.sub(r"\s+", "", c.text).casefold() in text]
    assert copied == []


def test_traps_name_the_model_in_the_text_alone() -> None:
    for case in QUERIES:
        if case.slice == "other_model_trap":
            assert case.model is None
            assert case.answers[0].document.rsplit("-", 1)[0].upper() in case.text.upper(), case.id


def test_what_is_not_stated_is_not_in_the_corpus(articles: dict[str, Article]) -> None:
    """Questions after a lamp or a model that does not exist stay unanswerable when the corpus grows."""
    models = {model for article in articles.values() for model in article.models}
    assert not {"XYZ-3000", "QM-77", "HB-81"} & models
    for name in ("pn-25-en", "ps-600-en", "kw-60-en", "hb-80-zh"):
        assert "| Lamp" not in articles[name].body
        assert "指示灯颜色" not in articles[name].body
    assert "E9" not in articles["td-4-en"].body


def test_template_queries_come_from_every_manual_in_force(articles: dict[str, Article]) -> None:
    manuals = {article.id for article in articles.values() if article.kind is not None and article.status == "valid"}
    assert {case.authority for case in QUERIES if case.slice == "template"} == manuals


def test_the_shipped_corpus_passes_its_audit_and_stays_small(
    articles: dict[str, Article], chunks: dict[str, tuple[Chunk, ...]]
) -> None:
    assert audit(tuple(articles.values())) == ()
    assert sum(map(len, chunks.values())) < 900
    manuals = [article for article in articles.values() if article.kind is not None and article.status == "valid"]
    english = {model for article in manuals if article.language == "en" for model in article.models}
    chinese = {model for article in manuals if article.language == "zh" for model in article.models}
    assert len(english | chinese) >= 20
    assert len(english & chinese) >= 8
    assert len(chinese - english) >= 3
    old = {model for article in articles.values() if article.status != "valid" for model in article.models}
    assert len(old) >= 5
    assert {article.authority for article in articles.values()} >= {"specification", "procedure", "notice", "forum"}


def test_old_and_draft_editions_contradict_the_valid_one(
    articles: dict[str, Article], chunks: dict[str, tuple[Chunk, ...]], facts: dict[tuple[str, str], ModelFacts]
) -> None:
    for article in articles.values():
        if article.status == "valid":
            continue
        for other in build_facts(article, chunks[article.id]):
            valid = facts[other.model, other.language]
            assert valid.formula is not None, article.id
            assert other.formula is not None, article.id
            formulas = [(fact.formula.expression, fact.formula.points) for fact in (valid, other) if fact.formula]
            assert formulas[0] != formulas[1], article.id
            assert valid.accuracy is not None, article.id
            assert other.accuracy is not None, article.id
            assert valid.accuracy.percent_of_span != other.accuracy.percent_of_span, article.id


# --- golden values ---


def test_every_model_with_a_formula_has_three_golden_values(facts: dict[tuple[str, str], ModelFacts]) -> None:
    counts = Counter(case.model for case in FORMULAS if case.value is not None)
    assert {model: counts[model] for (model, _), fact in facts.items() if fact.formula and counts[model] < 3} == {}


@pytest.mark.parametrize("case", FORMULAS, ids=[case.id for case in FORMULAS])
def test_the_formula_gives_the_value_worked_by_hand(case: FormulaCase, facts: dict[tuple[str, str], ModelFacts]) -> None:
    for language in ("en", "zh"):
        known = facts.get((case.model, language))
        if known is None:
            continue
        found = calibrate(as_reading(case.model, case.fields), known).reading
        if case.value is None:
            assert found.value is None
            assert found.reason
            continue
        assert found.value == pytest.approx(case.value, abs=case.abs_tol)
        assert (found.unit, found.value_source) == (case.unit, "calibration_formula")


# --- the model and its loader ---


def make_case(**changes: object) -> dict[str, object]:
    answer = {"document": "a-1-en", "section": "2.1", "anchor": "range"}
    plain = {"id": "q", "slice": "english", "language": "en", "text": "How far?", "answers": [answer], "authority": "a-1-en"}
    return {**plain, **changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answers": []}, "no answers exactly where it is unanswerable"),
        ({"slice": "unanswerable"}, "no answers exactly where it is unanswerable"),
        ({"slice": "multi_hop"}, "via"),
        ({"via": [{"document": "a-1-en", "anchor": "x"}]}, "via"),
        ({"authority": "b-2-en"}, "authority"),
        ({"authority": None}, "authority"),
        ({"slice": "unanswerable", "answers": [], "authority": None}, "note"),
        ({"answers": [{"document": "a-1-en", "anchor": "("}]}, "no regular expression"),
        ({"slice": "guess"}, "slice"),
        ({"unknown": 1}, "unknown"),
        ({"text": ""}, "text"),
    ],
)
def test_a_bad_query_is_refused_with_its_line(changes: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "knowledge.jsonl"
    path.write_text("\n" + json.dumps(make_case(**changes)) + "\n", encoding="utf-8")
    with pytest.raises(EvalError, match=r"knowledge\.jsonl:2.*") as caught:
        read_lines(path, QueryCase)
    assert said in str(caught.value)


def test_a_double_id_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match=r"readings\.jsonl: cannot be read"):
        load_query_set(tmp_path)
    (tmp_path / "readings.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "knowledge.jsonl").write_text(f"{json.dumps(make_case())}\n{json.dumps(make_case())}\n", encoding="utf-8")
    with pytest.raises(EvalError, match="'q' is used twice"):
        load_query_set(tmp_path)


def test_a_case_survives_its_own_json() -> None:
    for case in (*QUERIES, *FORMULAS):
        assert type(case).model_validate_json(case.model_dump_json()) == case


def test_files_of_the_folder_hold_nothing_else() -> None:
    names = {"knowledge.jsonl", "readings.jsonl", "formulas.jsonl", "development.jsonl"}
    assert {path.name for path in QUERY_FOLDER.iterdir()} == names


def test_rank_is_that_of_the_first_answer(chunks: dict[str, tuple[Chunk, ...]]) -> None:
    case = next(case for case in QUERIES if case.slice == "unit" and case.answers[0].document == "pn-25-en")
    own = chunks["pn-25-en"]
    place = next(n for n, chunk in enumerate(own, 1) if chunk.section == "3.1")
    assert case.rank(own) == place
    assert case.rank([own[place - 1], *own]) == 1
    assert case.rank(chunks["ps-600-en"]) is None
    assert case.rank([]) is None


def test_a_multi_hop_query_is_complete_with_all_its_hops(chunks: dict[str, tuple[Chunk, ...]]) -> None:
    case = next(case for case in QUERIES if case.slice == "multi_hop" and case.authority == "pn-25-en")
    own = chunks["pn-25-en"]
    answer = next(chunk for chunk in own if case.answered_by(chunk))
    way = next(chunk for chunk in own if case.via[0].holds(chunk))
    other = next(chunk for chunk in own if chunk not in (answer, way))
    assert [m([way, other, answer]) for m in (case.rank, case.rank_on_the_way, case.complete_at)] == [3, 1, 3]
    assert [m([other, answer, way]) for m in (case.rank, case.rank_on_the_way, case.complete_at)] == [2, 2, 3]
    assert [m([way, other]) for m in (case.rank, case.rank_on_the_way, case.complete_at)] == [None, 1, None]
    assert [m([answer]) for m in (case.rank, case.rank_on_the_way, case.complete_at)] == [1, 1, None]
    plain = next(case for case in QUERIES if case.slice == "unit" and case.answers[0].document == "pn-25-en")
    assert plain.rank(own) == plain.rank_on_the_way(own) == plain.complete_at(own)


def test_an_answer_may_leave_the_section_open(chunks: dict[str, tuple[Chunk, ...]]) -> None:
    answer = Answer(document="pn-25-en", anchor="copper alloy")
    assert sum(answer.holds(chunk) for chunk in chunks["pn-25-en"]) == 1
    assert not any(answer.model_copy(update={"section": "1.1"}).holds(chunk) for chunk in chunks["pn-25-en"])


def seen(language: str = "en", not_stated: tuple[str, ...] = (), **fields: object) -> SeenInstrument:
    data = {"id": "s", "model": "A-1", "document": f"a-1-{language}", "language": language, "not_stated": not_stated}
    return SeenInstrument.model_validate({**data, "fields": {"kind": "dial", **fields}})


def test_template_queries_name_the_model_and_are_raised_once() -> None:
    cases = build_template_cases([seen(unit="bar", warning_light_color="red"), seen(unit="bar")])
    assert [case.query_name for case in cases] == [
        "unit_declaration",
        "warning_light_color_meaning_red",
        "emergency_shutdown_procedure",
    ]
    assert all("A-1" in case.text and case.slice == "template" and case.model == "A-1" for case in cases)


def test_a_template_query_without_an_answer_is_unanswerable() -> None:
    (case,) = build_template_cases([seen(unit="bar", not_stated=("unit_declaration",))])
    assert (case.slice, case.answers, case.authority) == ("unanswerable", (), None)
    assert "A-1" in case.note


def test_anchors_of_values_are_written_in_the_language_of_the_manual() -> None:
    assert answer_anchor("warning_light_color_meaning_off", seen("zh")) == r"(?m)^\| 熄灭 \|"
    assert answer_anchor("mode_dial_meaning_3", seen()) == r"(?m)^\| 3 \|"
    assert re.search(answer_anchor("warning_light_color_meaning_red", seen()), "| a |\n| Red | b |")
    with pytest.raises(EvalError, match="no anchor for the query 'price_of_1'"):
        answer_anchor("price_of_1", seen())
    assert set(ANSWER_ANCHORS["en"]) == set(ANSWER_ANCHORS["zh"])


def test_a_formula_case_needs_value_and_unit_together() -> None:
    fields = GaugeFields(kind="dial", pointer_angle=1.0)
    with pytest.raises(ValueError, match="value and unit go together"):
        FormulaCase(id="x", model="A-1", fields=fields, value=1.0, unit=None, worked="1")
    assert FormulaCase(id="x", model="A-1", fields=fields, value=None, unit=None, worked="off").value is None
