"""Golden anchors: questions whose answer is known, one file a module of the corpus in `eval/anchors/`.

An anchor is unique, stable and verifiable by pattern. `fragment` is what the manual says, `expect` what the answer must say;
`document` has the last word. With `fields` the answer is the report on an instrument seen so; without, it is the passages found.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator

from eval.query_set import Answer
from eval.retrieval import Wanted
from eval.score import EvalError
from knowledge.articles import Language
from vision.fields import Contract, GaugeFields

ANCHOR_FOLDER = Path(__file__).parent / "anchors"
QUICK = 10
CORE = 5
"""Anchors of the hand-crank test, which a person reads after a big change."""
STABLE_DAYS = 90
"""An anchor rests on a document that has been in force for this long when the anchor is written."""


class GoldenAnchor(Contract):
    """One anchor. `section` and `fragment` name the place in `document`; `quick` marks those of the quick scan.

    `since` is the day on which it was checked by hand.
    """

    id: Annotated[str, Field(pattern=r"^[A-Z]{1,2}\d{2,3}$")]
    module: str
    question: Annotated[str, Field(min_length=5)]
    language: Language
    model: str | None = None
    fields: GaugeFields | None = None
    document: Annotated[str, Field(min_length=1)]
    section: str
    fragment: Annotated[str, Field(min_length=1)]
    expect: Annotated[str, Field(min_length=1)]
    quick: bool = False
    since: date

    @field_validator("fragment", "expect")
    @classmethod
    def _is_a_pattern(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is no regular expression: {error}") from error
        return value

    @property
    def wanted(self) -> Wanted:
        """What retrieval has to bring: the fragment, at its place."""
        answer = Answer(document=self.document, section=self.section, anchor=self.fragment)
        return Wanted((answer,), self.document)

    def answered_by(self, text: str) -> bool:
        """Whether a sentence or passage says what is expected."""
        return re.search(self.expect, text) is not None


def load_anchors(folder: Path = ANCHOR_FOLDER) -> tuple[GoldenAnchor, ...]:
    """All anchors, by module and id. Raises EvalError on a bad file, and on two anchors with one id or one question."""
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise EvalError(f"{folder} holds no anchors: put TOML files with [[anchor]] tables there")
    anchors = [anchor for path in paths for anchor in read_anchors(path)]
    for what, names in (("id", [a.id for a in anchors]), ("question", [f"{a.question} {a.fields}" for a in anchors])):
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise EvalError(f"{folder}: the {what} {twice[0]!r} is used twice")
    return tuple(anchors)


def read_anchors(path: Path) -> tuple[GoldenAnchor, ...]:
    """The anchors of one module's file. Raises EvalError naming the file and the anchor."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise EvalError(f"{path}: cannot be read as TOML: {error}") from error
    unknown = set(data) - {"since", "anchor"}
    rows = data.get("anchor", [])
    if unknown or not isinstance(rows, list) or not rows:
        raise EvalError(f"{path}: expected `since` and [[anchor]] tables, got {', '.join(sorted(data)) or 'nothing'}")
    anchors: list[GoldenAnchor] = []
    for number, row in enumerate(rows, 1):
        head = {"module": path.stem, "since": data.get("since"), "expect": row.get("fragment")}
        try:
            anchors.append(GoldenAnchor.model_validate({**head, **row}))
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            raise EvalError(f"{path}: anchor {row.get('id', number)}: {faults}") from error
    return tuple(anchors)


def quick_anchors(anchors: Sequence[GoldenAnchor]) -> tuple[GoldenAnchor, ...]:
    """The anchors of the quick scan, `QUICK` of them; the first of each module fill up where fewer are marked."""
    marked = [anchor for anchor in anchors if anchor.quick]
    first = {anchor.module: anchor for anchor in reversed(anchors) if not anchor.quick}
    filled = [*marked, *first.values(), *(anchor for anchor in anchors if not anchor.quick)]
    return tuple(dict.fromkeys(filled))[:QUICK]


def core_anchors(anchors: Sequence[GoldenAnchor]) -> tuple[GoldenAnchor, ...]:
    """The anchors of the hand-crank test: `CORE` of the quick scan's, of as many modules as there are."""
    quick = quick_anchors(anchors)
    first = {anchor.module: anchor for anchor in reversed(quick)}
    of_each = [anchor for anchor in quick if first[anchor.module] is anchor]
    return tuple(dict.fromkeys([*of_each, *quick]))[:CORE]
