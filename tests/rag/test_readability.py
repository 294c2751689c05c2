"""Readable and faithful are two conditions; neither makes up for the other, and neither can be had by gaming."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.articles import Language
from rag.pipeline import Pipeline
from rag.readability import ReadabilityOptions, count_syllables, flesch_ease, judge_report, score_readability
from rag.report import Document, Headline, Part, PartName, Section, Statement
from tests.rag.builders import make_document, make_photo, make_reading

GOOD = (
    "The value lies in the normal range of the manual, 0 to 80 MPa.",
    "The reading is 43 MPa, between 41.6 and 44.4 MPa.",
    "The pointer stands at 137.5° clockwise from 6 o'clock.",
)
HEADLINE = Headline(value="43 MPa", interval="41.6 to 44.4 MPa", status="normal", tone="good")


def report(
    *texts: str,
    supported: bool = True,
    headline: Headline | None = HEADLINE,
    language: Language = "en",
    names: tuple[PartName, ...] = ("meaning",),
) -> Document:
    said = tuple(Statement(text=text, citations=("photo#1",), supported=supported) for text in texts)
    placed = tuple(Part(name=name, statements=said) for name in names)
    return make_document(Section(number=1, title="Instrument 1", headline=headline, parts=placed), language=language)


def test_a_plain_report_passes() -> None:
    verdict = judge_report(report(*GOOD))
    assert verdict.passed, verdict.reasons
    assert verdict.faithful
    assert verdict.supported_share == 1.0
    assert 0.5 <= verdict.readability.score <= 1.0


def test_readable_but_unfaithful_fails() -> None:
    verdict = judge_report(report(*GOOD, supported=False))
    assert verdict.readability.readable
    assert not verdict.faithful
    assert not verdict.passed
    assert "not supported: " in verdict.reasons[0]


def test_a_stricter_judge_can_fail_what_the_report_believes_of_itself() -> None:
    verdict = judge_report(report(*GOOD), unfaithful=["43 MPa is not in the photo"])
    assert not verdict.passed
    assert verdict.reasons == ("43 MPa is not in the photo",)


LONG = f"The value that the instrument in the photo shows is {'and it is so, as the manual says, ' * 9}normal."
UNREADABLE: dict[str, Document] = {
    "one endless sentence": report(LONG),
    "all facts joined into one": report(", and ".join(text.rstrip(".") for text in GOOD * 3) + "."),
    "the same again and again": report(GOOD[0], GOOD[0], GOOD[1]),
    "the same in other order": report(GOOD[1], "Between 41.6 and 44.4 MPa, the reading is 43 MPa."),
    "names of fields": report("The warning_light_color is red."),
    "slots that were not filled": report("The reading is {value} {unit}."),
    "a value that is none": report("The reading is nan MPa."),
    "letters of formulas": report("The angle θ lies between α and β."),
    "numbers only": report("1 2 3 4 5 6 7 8 9 10 11 12 13.", "4 5 6 7 8 9."),
    "no headline": report(*GOOD, headline=None),
    "a headline without a state": report(*GOOD, headline=HEADLINE.model_copy(update={"status": " "})),
    "an interval without its value": report(*GOOD, headline=HEADLINE.model_copy(update={"value": None})),
    "the cause before the answer": report(*GOOD, names=("reading", "meaning")),
    "nothing at all": make_document(),
    "a headline and nothing more": make_document(Section(number=1, title="Instrument 1", headline=HEADLINE)),
    "far too much": report(*(f"Valve number {n} of line {chr(65 + n % 26)}{n} is open." for n in range(60))),
    "long words": report("Instrumentation characterisation necessitates organisational responsibility considerations."),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_faithful_but_unreadable_fails(name: str) -> None:
    verdict = judge_report(UNREADABLE[name])
    assert verdict.faithful
    assert not verdict.readability.readable, verdict.readability
    assert not verdict.passed
    assert verdict.reasons


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("该数值处于说明书规定的正常范围。", True),
        ("读数为 43 MPa，区间为 41.6 至 44.4 MPa。", True),
        ("该仪表的数值" + "按照说明书的规定处于正常的范围之内" * 6 + "。", False),
        ("warning_light_color 为红色。", False),
    ],
)
def test_chinese_is_measured_in_characters(text: str, readable: bool) -> None:
    found = score_readability(report(text, language="zh"))
    assert found.ease is None
    assert found.readable is readable, found


@pytest.mark.parametrize(
    ("word", "syllables"),
    [
        ("gauge", 1),
        ("pressure", 2),
        ("the", 1),
        ("table", 2),
        ("reading", 2),
        ("manual", 2),
        ("stopped", 1),
        ("started", 2),
        ("", 1),
    ],
)
def test_syllables(word: str, syllables: int) -> None:
    assert count_syllables(word) == syllables


def test_reading_ease_is_fleschs_formula() -> None:
    # Six words of one syllable in one sentence: 206.835 - 1.015 * 6 - 84.6 * 1.
    assert flesch_ease(["The cat sat on the mat."]) == pytest.approx(206.835 - 6.09 - 84.6)
    assert flesch_ease(["。"]) is None
    assert flesch_ease([]) is None
    easy, hard = flesch_ease(["The light is red."]), flesch_ease(["Instrumentation necessitates considerable responsibility."])
    assert easy is not None
    assert hard is not None
    assert easy > 80 > 0 > hard


@given(st.lists(st.text(max_size=80), max_size=6), st.sampled_from(["en", "zh"]))
def test_any_text_has_a_score(texts: list[str], language: Language) -> None:
    found = score_readability(report(*texts, language=language))
    assert 0.0 <= found.score <= 1.0
    assert found.readable == (not found.problems)


def test_more_of_the_same_never_raises_the_score() -> None:
    once = score_readability(report(*GOOD))
    thrice = score_readability(report(*GOOD, *GOOD, *GOOD))
    assert thrice.score <= once.score
    assert thrice.repeated == 6


def test_bounds_are_options() -> None:
    strict = ReadabilityOptions(longest_words=5)
    assert not score_readability(report(*GOOD), strict).readable


@pytest.mark.parametrize("language", ["en", "zh"])
def test_template_reports_can_be_read(pipeline: Pipeline, language: Language) -> None:
    photos = [
        make_photo(make_reading(pointer_angle=angle, warning_light_color=color, mode_dial_position=3))
        for angle, color in ((137.2, "red"), (300.0, "green"), (230.0, "yellow"))
    ]
    dark = make_reading(status="abstained", reason="the glass is dirty")
    photos += [make_photo(reason="no instrument was found"), make_photo(dark)]
    for photo in photos:
        document = pipeline.run(photo, language).document
        assert document is not None
        verdict = judge_report(document)
        assert verdict.passed, verdict.reasons
