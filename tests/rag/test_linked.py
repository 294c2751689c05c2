"""Linked knowledge: references are followed a few steps, no place twice, and said in the manual's own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from knowledge.articles import Chunk
from knowledge.facts import LampFact
from knowledge.search import KnowledgeBase
from rag.linked import MAX_LINKS, follow_links
from rag.pipeline import Pipeline
from tests.rag.builders import make_chunk, make_photo, make_reading

RED = LampFact(chunk="c", text="Red; Shut down as in section 5.2.", color="red", meaning="Fault")


class Manual:
    """Sections by number, each one chunk with its references; counts what is asked."""

    def __init__(self, **refers_to: tuple[str, ...]) -> None:
        self.chunks = [
            make_chunk(
                f"c{number}",
                f"Read on. See section {', '.join(targets)} first." if targets else "The end.",
                section=number.replace("_", "."),
                section_title=f"Part {number}",
                refers_to=targets,
            )
            for number, targets in ((key[1:], value) for key, value in refers_to.items())
        ]
        self.asked: list[str] = []

    def __call__(self, document: str, numbers: Sequence[str]) -> list[Chunk]:
        self.asked += numbers
        return [chunk for chunk in self.chunks if chunk.section in numbers]


def sections(links: Sequence[Any]) -> list[tuple[str, int]]:
    return [(link.section, link.depth) for link in links]


def test_a_row_leads_to_its_procedure_and_that_one_on() -> None:
    manual = Manual(s5_2=("5.3",), s5_3=())
    links = follow_links([RED], "t-1-en", manual)
    assert sections(links) == [("5.2", 1), ("5.3", 2)]
    assert links[0].origin is RED
    assert links[0].wording is None
    assert links[1].wording == "See section 5.3 first."
    assert links[1].title == "Part 5_3"


def test_a_circle_ends() -> None:
    manual = Manual(s5_2=("5.3", "5.2"), s5_3=("5.2",))
    assert sections(follow_links([RED], "t-1-en", manual, depth=50)) == [("5.2", 1), ("5.3", 2)]
    assert sorted(manual.asked) == ["5.2", "5.3"]


def test_depth_and_number_are_bounded() -> None:
    chain = Manual(s5_2=("5.3",), s5_3=("5.4",), s5_4=("5.5",), s5_5=())
    assert sections(follow_links([RED], "t-1-en", chain)) == [("5.2", 1), ("5.3", 2)]
    assert len(follow_links([RED], "t-1-en", chain, depth=3)) == 3
    assert follow_links([RED], "t-1-en", chain, depth=0) == ()
    wide = Manual(s5_2=tuple(f"6.{n}" for n in range(1, 9)), **{f"s6_{n}": () for n in range(1, 9)})
    assert len(follow_links([RED], "t-1-en", wide)) == MAX_LINKS


def test_what_is_in_use_anyway_is_not_followed() -> None:
    manual = Manual(s5_2=("5.3",), s5_3=())
    assert follow_links([RED], "t-1-en", manual, known=["5.2"]) == ()
    assert sections(follow_links([RED, manual.chunks[0]], "t-1-en", manual, known=["5.2"])) == [("5.3", 1)]


def test_a_section_that_does_not_exist_is_passed_over() -> None:
    assert follow_links([RED], "t-1-en", Manual(s1=())) == ()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Do not start the unit again before the checks of section 5.3 are done."),
        ("zh", "在完成第 5.3 节的检查之前不得重新启动。"),
    ],
)
def test_the_procedures_own_condition_is_quoted(pipeline: Pipeline, language: Any, words: str) -> None:
    found = pipeline.inspect(make_photo(make_reading(warning_light_color="red", pointer_angle=310.0)), language)
    assert found.report is not None
    (statement,) = [one for one in found.report.statements if words in one.text]
    assert statement.supported
    assert {one.split(":")[1] for one in statement.citations} == {"5.2", "5.3"}


@pytest.mark.parametrize(("language", "section", "title"), [("en", "section 2.3", ", Supply"), ("zh", "第 2.3 节", "“供电”")])
def test_a_row_that_is_no_emergency_is_followed_too(pipeline: Pipeline, language: Any, section: str, title: str) -> None:
    found = pipeline.inspect(make_photo(make_reading("lamp", "DG-30", warning_light_color="off")), language)
    assert found.report is not None
    (statement,) = [one for one in found.report.statements if title in one.text]
    assert section in statement.text
    assert statement.supported
    assert "linked_section_2.3" in {query.name for query in found.queries}


def test_a_band_leads_to_a_procedure_that_leads_on(pipeline: Pipeline) -> None:
    """The alarm of the filter gauge sends to 5.1, and 5.1 on to the shutdown of 5.2."""
    reading = make_reading(model="DP-40", pointer_angle=270.0)
    found = pipeline.inspect(make_photo(reading), "en")
    value = found.reading.instruments[0].value
    assert value is not None
    assert value > 25
    assert found.report is not None
    said = [one.text for one in found.report.statements]
    assert any("section 5.1, Changing over the duplex filter" in text for text in said)
    assert any("the bypass is stuck and section 5.2 applies" in text for text in said)


def test_the_base_gives_sections_of_one_document(corpus_kb: KnowledgeBase) -> None:
    found = corpus_kb.sections("xyz-2000-en", ("5.2", "5.3"))
    assert {chunk.section for chunk in found} == {"5.2", "5.3"}
    assert {chunk.document for chunk in found} == {"xyz-2000-en"}
    assert corpus_kb.sections("xyz-2000-en", ("99",)) == ()
    assert corpus_kb.sections("no-such", ("5.2",)) == ()
