"""Minimal verifiable fact units (MVFU): subject, predicate, object, each with the one place that verifies it.

The library is a file that grows. The shipped one holds what the shipped manuals state in a machine-readable way; a home's own
file adds what its manuals state and what experts write. A fact without a source is not one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from eval.score import EvalError
from knowledge.articles import Language
from vision.fields import Contract

SHIPPED_LIBRARY = Path(__file__).parent / "facts" / "library.jsonl"

FactKind = Literal[
    "formula",
    "unit",
    "angle_frame",
    "angle_range",
    "value_range",
    "accuracy",
    "limits",
    "lamp",
    "mode",
    "codes",
    "readout",
    "emergency",
    "claim",
]
Text = Annotated[str, Field(min_length=1)]


class Mvfu(Contract):
    """One fact. `statement` is the source's own sentence or table row; `document`, `section` and `version` say where it stands.

    `key` tells facts of one kind apart (a colour, a position, a level): the same model, kind and key in two languages are one
    fact said twice. `origin`: found in the corpus by rule, or written by an expert.
    """

    id: Text
    kind: FactKind
    key: str = ""
    models: tuple[str, ...] = ()
    language: Language
    subject: Text
    predicate: Text
    object: Text
    statement: Text
    document: Text
    section: str
    version: Text
    origin: Literal["corpus", "expert"] = "corpus"

    @property
    def sentence(self) -> str:
        """The fact as one sentence."""
        joint, stop = ("", "。") if self.language == "zh" else (" ", ".")
        return joint.join((self.subject, self.predicate, self.object.rstrip(".。"))) + stop


class Growth(Contract):
    """What extending a library did, by the ids of the facts."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    kept: int


class FactLibrary:
    """Facts by id. Of two with one id the later counts: a home's own file has the last word over the shipped one."""

    def __init__(self, facts: Iterable[Mvfu] = ()) -> None:
        self.facts: Mapping[str, Mvfu] = {fact.id: fact for fact in facts}

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[Mvfu]:
        return iter(self.facts.values())

    @cached_property
    def _by_place(self) -> Mapping[tuple[str, FactKind], tuple[Mvfu, ...]]:
        found: dict[tuple[str, FactKind], list[Mvfu]] = defaultdict(list)
        for fact in self:
            for model in fact.models:
                found[model, fact.kind].append(fact)
        return {place: tuple(facts) for place, facts in found.items()}

    @cached_property
    def _named(self) -> re.Pattern[str]:
        models = sorted({model for fact in self for model in fact.models}, key=lambda one: (-len(one), one))
        return re.compile(rf"(?<![A-Za-z0-9-])(?:{'|'.join(map(re.escape, models))})(?![A-Za-z0-9-])" if models else r"(?!)")

    def model_in(self, text: str) -> str | None:
        """The one model of the library that a text names; None where it names none, or several."""
        found = set(self._named.findall(text))
        return found.pop() if len(found) == 1 else None

    def of_model(self, model: str, kind: FactKind) -> tuple[Mvfu, ...]:
        """Facts of a model and a kind, in both languages."""
        return self._by_place.get((model, kind), ())

    def said_as(self, fact: Mvfu) -> tuple[Mvfu, ...]:
        """The fact and what says the same of the same models elsewhere (another language, a copy)."""
        if not fact.models or not fact.key:
            return (fact,)
        return tuple(other for other in self.of_model(fact.models[0], fact.kind) if other.key == fact.key)

    def extended(self, facts: Iterable[Mvfu]) -> tuple[FactLibrary, Growth]:
        """A library with further facts. An expert's fact is never replaced by one of the corpus."""
        merged = dict(self.facts)
        added: list[str] = []
        changed: list[str] = []
        for fact in facts:
            known = merged.get(fact.id)
            if known == fact or (known is not None and known.origin == "expert" and fact.origin == "corpus"):
                continue
            (added if known is None else changed).append(fact.id)
            merged[fact.id] = fact
        kept = len(self) - len(changed)
        return FactLibrary(merged.values()), Growth(added=tuple(added), changed=tuple(changed), kept=kept)


def read_library(*paths: Path) -> FactLibrary:
    """Facts of one or several files, one JSON object a line. Raises EvalError naming file and line."""
    facts: list[Mvfu] = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise EvalError(f"{path}: cannot be read as UTF-8 text: {error}") from error
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                facts.append(_fact(line, f"{path}:{number}"))
    return FactLibrary(facts)


def _fact(line: str, place: str) -> Mvfu:
    try:
        return Mvfu.model_validate_json(line)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'line'}: {e['msg']}" for e in error.errors())
        raise EvalError(f"{place}: not a fact with its source: {faults}") from error


def write_library(path: Path, facts: Iterable[Mvfu]) -> None:
    """Write facts sorted by id, all at once: a reader never sees half a file. Raises EvalError where it cannot be written."""
    lines = [fact.model_dump_json(exclude_defaults=True) for fact in sorted(facts, key=lambda fact: fact.id)]
    fresh = path.with_suffix(path.suffix + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise EvalError(f"{path}: cannot be written: {error.strerror}") from error
