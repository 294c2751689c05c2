"""What went over each arrow of the chain, as plain data: the stages of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from rag.compose import Composed
from rag.consult import Consulted
from rag.diagnosis import Diagnosis
from rag.history import Past
from rag.plan import Planned
from rag.report import Document
from rag.tokens import estimate_tokens
from rag.trace import SentPiece, Stage
from vision.fields import PhotoReading

PAST: TypeAdapter[Past | None] = TypeAdapter(Past | None)
STAGES = ("reading", "queries", "retrieval", "value", "diagnosis", "evidence", "plan", "writing", "checking", "report")
"""The arrows in order. `reading` is what a replay starts from; timings are left out, they are never the same twice."""


def sent_pieces(consulted: Sequence[Consulted]) -> tuple[SentPiece, ...]:
    """All evidence as it was put before the writer."""
    return tuple(
        SentPiece(
            instrument=number,
            query=piece.query,
            chunk=piece.chunk.id,
            role=piece.role,
            score=piece.score,
            text=piece.sent,
            tokens=estimate_tokens(piece.sent),
        )
        for number, one in enumerate(consulted, 1)
        for piece in one.pieces
    )


def record_stages(
    reading: PhotoReading,
    options: dict[str, Any],
    past: Sequence[Past | None],
    consulted: Sequence[Consulted],
    planned: Sequence[Planned],
    composed: Composed,
    document: Document | None,
    markdown: str | None,
) -> tuple[Stage, ...]:
    """The stages of one request; those behind a photo that could not be opened have no outputs."""
    queries = [query.model_dump(mode="json") for one in consulted for query in one.queries]
    hits = {str(number): _hits(one) for number, one in enumerate(consulted, 1) if one.hits}
    pieces = [piece.model_dump(mode="json") for piece in sent_pieces(consulted)]
    facts = [one.text for one in planned]
    inputs: dict[str, dict[str, Any]] = {
        "reading": {
            "photo": reading.photo,
            "sha256": reading.sha256,
            "options": options,
            "past": [PAST.dump_python(one, mode="json") for one in past],
        },
        "retrieval": {"queries": [query["text"] for query in queries]},
        "writing": {"facts": facts, "prompts": list(composed.sent), "languages": list(composed.languages)},
        "checking": {"facts": facts},
    }
    outputs: dict[str, dict[str, Any]] = {
        "reading": reading.model_copy(update={"timing_ms": {}}).model_dump(mode="json"),
        "queries": {"queries": queries},
        "retrieval": {"hits": hits},
        "value": {"instruments": [one.calibration.reading.model_dump(mode="json") for one in consulted]},
        "diagnosis": {
            "findings": [[_finding(finding) for finding in one.findings] for one in consulted],
            "states": [one.assessment.model_dump(mode="json") for one in consulted],
        },
        "evidence": {"pieces": pieces},
        "plan": {"sentences": [_sentence(one) for one in planned]},
        "writing": {"calls": [call._asdict() for call in composed.calls], "notes": list(composed.notes)},
        "checking": {
            "refused": [asdict(one) for one in composed.refused],
            "replaced": [one.model_dump(mode="json") for one in composed.replaced],
            "supported": [one.supported for one in composed.statements],
        },
        "report": {"document": document.model_dump(mode="json") if document is not None else None, "markdown": markdown},
    }
    return tuple(Stage(name=name, inputs=inputs.get(name, {}), outputs=outputs[name]) for name in STAGES)


def _hits(one: Consulted) -> dict[str, list[dict[str, Any]]]:
    return {
        query: [hit.model_dump(mode="json", exclude={"chunk"}) | {"chunk": hit.chunk.id} for hit in found]
        for query, found in one.hits.items()
    }


def _finding(finding: Diagnosis) -> dict[str, Any]:
    return {"name": finding.name, "slots": dict(finding.slots), "chunks": [fact.chunk for fact in finding.facts]}


def _sentence(planned: Planned) -> dict[str, Any]:
    return {"name": planned.name, "text": planned.text, "citations": list(planned.citations), "rewrite": planned.rewrite}
