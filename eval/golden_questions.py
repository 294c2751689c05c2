"""The golden anchors' questions for any other system: what is asked of an endpoint where nobody names questions.

Their patterns belong to this product's wording, so there is no ground truth with them: whether an answer is borne out by what
the system retrieved can be judged, whether it is right cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eval.foreign_rows import ForeignCase, Row
from eval.golden import GoldenAnchor, quick_anchors


def anchor_rows(anchors: Sequence[GoldenAnchor]) -> Iterator[Row]:
    """A row an anchor, those of the quick scan first; a question that several anchors share is asked once."""
    ordered = dict.fromkeys([*quick_anchors(anchors), *anchors])
    questions = dict.fromkeys(anchor.question for anchor in ordered)
    for number, question in enumerate(questions, 1):
        yield Row(number, ForeignCase(question=question, contexts=(), answer=""), None)
