"""The synonym graph: one word, one concept, and Chinese put across."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.synonyms import CHINESE, MAX_NODES, Concept, SynonymError, SynonymGraph, read_graph, shipped_graph, trie_pattern


def test_the_shipped_graph_is_small_and_bilingual() -> None:
    graph = shipped_graph()
    assert 200 < len(graph) < MAX_NODES
    assert sum(bool(concept.zh) for concept in graph.concepts) > 0.95 * len(graph)
    assert all(not CHINESE.search(word) for concept in graph.concepts for word in concept.en)
    assert all(CHINESE.search(word) for concept in graph.concepts for word in concept.zh)


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("oil temperature", ("oiltemperature",)),
        ("油温", ("oiltemperature",)),
        ("The needles tremble", ("pointer", "tremble")),
        ("warning-light", ("lamp",)),
        ("警示灯", ("lamp",)),
        ("alarm", ("alarm",)),
        ("报警", ("alarm",)),
        ("recalibrated", ("calibration",)),
        ("a delight", ()),
        ("emergency stop", ("emergencyshutdown",)),
        ("急停", ("emergencyshutdown",)),
    ],
)
def test_words_of_one_meaning_name_one_concept(text: str, concepts: tuple[str, ...]) -> None:
    assert shipped_graph().concepts_of(text) == concepts


def test_every_word_finds_its_own_concept() -> None:
    graph = shipped_graph()
    for concept in graph.concepts:
        for word in (*concept.en, *concept.zh):
            assert graph.concepts_of(word) == (concept.name,), word


def test_a_gloss_keeps_models_numbers_and_order() -> None:
    gloss = shipped_graph().gloss("XYZ-2000 油温报警，超过 97 °C 怎么办？")
    assert not CHINESE.search(gloss)
    assert re.search(r"XYZ-2000 oil temperature alarm.* above 97 °C", gloss)
    assert shipped_graph().gloss("The lamp is red.") == "The lamp is red."
    assert shipped_graph().gloss("鹦鹉") == "鹦鹉"


def test_chinese_words_are_written_as_their_norm() -> None:
    assert shipped_graph().normalise("报警灯与信号灯") == "指示灯与指示灯"
    assert [part.name for part in shipped_graph().parts_of("校准周期")] == ["calibration", "period"]
    assert shipped_graph().parts_of("指针") == ()


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    graph = shipped_graph()
    last = 0
    for mention in graph.find(text):
        assert last <= mention.start < mention.end <= len(text)
        last = mention.end
    graph.gloss(text)
    graph.normalise(text)


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=12), st.text("abc", max_size=8))
def test_the_trie_matches_the_longest_word(words: list[str], text: str) -> None:
    match = re.match(trie_pattern(words), text)
    longest = max((word for word in words if text.startswith(word)), key=len, default=None)
    assert (match.group(0) if match else None) == longest


def test_bad_tables_are_refused() -> None:
    with pytest.raises(SynonymError, match=r"'Lamp' stands under 'a' and 'b'"):
        SynonymGraph([Concept("a", ("lamp",), ()), Concept("b", ("Lamp",), ())])
    with pytest.raises(SynonymError, match="fewer than 1000"):
        SynonymGraph([Concept(f"c{n}", (f"word{n}",), ()) for n in range(MAX_NODES)])
    with pytest.raises(SynonymError, match="'x' must be"):
        read_graph({"g": {"x": [["lamp"]]}})
    with pytest.raises(SynonymError, match="'x' must be"):
        read_graph({"g": {"x": [[], ["灯"]]}})
    with pytest.raises(SynonymError, match="named twice: x"):
        read_graph({"g": {"x": [["lamp"], []]}, "h": {"x": [["light"], []]}})
    assert list(SynonymGraph([]).find("lamp")) == []
