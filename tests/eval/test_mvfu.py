"""The library of facts: every fact has a source that states it; the file grows, an expert's word stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eval.coverage import cover
from eval.mvfu import SHIPPED_LIBRARY, FactLibrary, Mvfu, read_library, write_library
from eval.mvfu_corpus import corpus_facts, facts_by_kind
from eval.retrieval import passage_of
from eval.score import EvalError
from knowledge.search import KnowledgeBase

FACT = Mvfu(
    id="t-1-en:unit",
    kind="unit",
    key="unit",
    models=("T-1",),
    language="en",
    subject="the unit of pressure",
    predicate="is",
    object="MPa",
    statement="The unit of pressure is MPa.",
    document="t-1-en",
    section="3.1",
    version="1",
)


@pytest.fixture(scope="module")
def shipped() -> FactLibrary:
    return read_library(SHIPPED_LIBRARY)


def test_the_shipped_library_is_what_the_shipped_corpus_states(shipped: FactLibrary, kb: KnowledgeBase) -> None:
    found = corpus_facts(kb)
    _, growth = shipped.extended(found)
    assert (growth.added, growth.changed, growth.kept) == ((), (), len(found))
    assert len(shipped) == len(found) >= 500


def test_every_fact_stands_in_the_place_that_it_names(shipped: FactLibrary, kb: KnowledgeBase) -> None:
    for fact in shipped:
        chunks = kb.sections(fact.document, [fact.section])
        assert chunks, fact.id
        assert {chunk.version for chunk in chunks} == {fact.version}
        covered = cover([fact], [passage_of(chunk) for chunk in chunks], shipped)
        assert covered.score.value == 1, f"{fact.id}: {covered.score.reason}"
        assert covered.facts[0].score.reason.startswith("the statement itself"), fact.id


def test_facts_spread_over_kinds_and_languages(shipped: FactLibrary) -> None:
    kinds = facts_by_kind(shipped)
    assert len(kinds) == 13
    assert min(kinds.values()) >= 5
    assert {fact.language for fact in shipped} == {"en", "zh"}
    assert all(fact.subject and fact.predicate and fact.object and fact.document for fact in shipped)


def test_a_fact_said_in_two_languages_is_one(shipped: FactLibrary) -> None:
    fact = shipped.facts["xyz-2000-en:lamp:red"]
    assert {one.id for one in shipped.said_as(fact)} == {"xyz-2000-en:lamp:red", "xyz-2000-zh:lamp:red"}
    claim = next(one for one in shipped if one.kind == "claim")
    assert shipped.said_as(claim) == (claim,)


def test_meaning_and_action_of_a_lamp_are_two_facts(shipped: FactLibrary) -> None:
    meaning, action = shipped.facts["xyz-2000-en:lamp:red"], shipped.facts["xyz-2000-en:lamp:red-action"]
    assert "sensor fault" in meaning.object
    assert "section 5.2" in action.object
    assert meaning.sentence == "the red lamp means Over-pressure or sensor fault."


def test_sentences_of_facts_read_in_both_languages(shipped: FactLibrary) -> None:
    assert shipped.facts["xyz-2000-en:limits:warning:80..100"].sentence == "the warning range is above 80 to 100 MPa."
    assert shipped.facts["xyz-2000-zh:unit"].sentence == "压力的单位为MPa。"
    assert shipped.facts["cv-1-en:limits:alarm:..-80"].sentence == "the alarm range is below -80 kPa."


def test_a_library_grows_and_tells_what_changed() -> None:
    changed = FACT.model_copy(update={"object": "bar"})
    new = FACT.model_copy(update={"id": "t-1-en:accuracy"})
    library, growth = FactLibrary([FACT]).extended([changed, new, new])
    assert (growth.added, growth.changed, growth.kept) == ((new.id,), (FACT.id,), 0)
    assert library.facts[FACT.id].object == "bar"
    assert len(library) == 2


def test_the_corpus_never_replaces_what_an_expert_wrote() -> None:
    expert = FACT.model_copy(update={"origin": "expert", "object": "MPa (gauge)"})
    library, growth = FactLibrary([expert]).extended([FACT])
    assert library.facts[FACT.id] == expert
    assert (growth.changed, growth.kept) == ((), 1)
    newer = expert.model_copy(update={"object": "MPa"})
    assert library.extended([newer])[1].changed == (FACT.id,)


def test_a_library_survives_the_disk_and_a_later_file_has_the_last_word(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "new" / "b.jsonl"
    write_library(first, [FACT, FACT.model_copy(update={"id": "a"})])
    write_library(second, [FACT.model_copy(update={"object": "bar"})])
    assert [fact.id for fact in read_library(first)] == ["a", FACT.id]
    assert read_library(first).facts[FACT.id] == FACT
    assert read_library(first, second).facts[FACT.id].object == "bar"
    assert not list(tmp_path.rglob("*.new"))
    before = first.read_bytes()
    write_library(first, read_library(first))
    assert first.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "b.jsonl:2: not a fact"),
        ("[]", "b.jsonl:2: not a fact"),
        (FACT.model_dump_json().replace('"document":"t-1-en",', ""), "document"),
        (FACT.model_copy(update={"document": ""}).model_dump_json(), "document"),
        (FACT.model_copy(update={"statement": ""}).model_dump_json(), "statement"),
    ],
)
def test_a_fact_without_a_source_is_refused_with_its_line(tmp_path: Path, line: str, word: str) -> None:
    path = tmp_path / "b.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(EvalError, match=re.escape(word)):
        read_library(path)


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match="cannot be read"):
        read_library(tmp_path / "none.jsonl")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(EvalError, match="cannot be written"):
        write_library(tmp_path / "file" / "x.jsonl", [FACT])
    assert len(read_library(tmp_path / "file")) == 0
