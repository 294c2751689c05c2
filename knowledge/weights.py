"""Ranking weights that people decided on, document by document: applied to every search, kept in history, reversible.

A document counts with the weight of its authority class until somebody decides otherwise; the health audit only proposes.
Decisions are lines of `knowledge/weights.jsonl` in the home, appended and never changed: the last one of a document holds.
A weight of 0 moves a document into the history: it then answers only where archived documents are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from knowledge.articles import KnowledgeError
from knowledge.manifest import knowledge_root
from vision.fields import Contract

Weight = Annotated[float, Field(ge=0.0, le=1.0)]


class WeightError(KnowledgeError):
    """A decision that cannot be kept, read or taken back; the message names it."""


class Decision(Contract):
    """One decision. `weight` and `before` are None where the authority class decides."""

    at: datetime
    document: str
    weight: Weight | None
    before: Weight | None
    reason: str = ""


class WeightBook:
    """The decisions of one home."""

    def __init__(self, home: Path) -> None:
        self.path = knowledge_root(home) / "weights.jsonl"

    def decisions(self) -> tuple[Decision, ...]:
        """All decisions, the oldest first. Raises WeightError naming a line that is none."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return ()
        except (OSError, UnicodeDecodeError) as error:
            raise WeightError(f"{self.path} cannot be read: {error}") from error
        found: list[Decision] = []
        for number, line in enumerate(lines, 1):
            try:
                found.append(Decision.model_validate_json(line))
            except ValidationError as error:
                raise WeightError(f"{self.path}:{number}: not a decision: {error.errors()[0]['msg']}; mend the line") from error
        return tuple(found)

    def weights(self) -> dict[str, float]:
        """Decided weight of each document that has one."""
        last = {decision.document: decision.weight for decision in self.decisions()}
        return {document: weight for document, weight in last.items() if weight is not None}

    def decide(self, document: str, weight: float | None, reason: str = "") -> Decision:
        """Give a document a weight in [0, 1] from now on, or its authority's again (None)."""
        return self._append(document, weight, reason)

    def undo(self, document: str) -> Decision:
        """Give a document the weight from before its last decision. Raises WeightError where there is none."""
        own = [decision for decision in self.decisions() if decision.document == document]
        if not own:
            raise WeightError(f"nothing was decided about {document!r}: there is nothing to take back")
        return self._append(document, own[-1].before, f"taken back: {own[-1].reason}".rstrip(": "))

    def _append(self, document: str, weight: float | None, reason: str) -> Decision:
        try:
            decision = Decision(
                at=datetime.now(UTC), document=document, weight=weight, before=self.weights().get(document), reason=reason
            )
        except ValidationError as error:
            raise WeightError(f"a weight must be from 0 to 1, got {weight!r}") from error
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(decision.model_dump_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WeightError(f"{self.path} cannot be written: {error}") from error
        return decision


def in_history(weights: Mapping[str, float]) -> frozenset[str]:
    """Documents that were moved into the history."""
    return frozenset(document for document, weight in weights.items() if weight == 0)
