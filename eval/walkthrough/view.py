"""A stored trace as what its page shows. Nothing is run again and nothing is looked up but the words of found passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from eval.fci import score_report
from eval.judge import Verdict
from eval.score import EvalError
from rag.queries import Query
from rag.report import Document, Statement
from rag.trace import Replacement, SentPiece, Stage, Trace
from vision.fields import InstrumentReading, PhotoReading

MOST_HITS = 5
_QUERIES: TypeAdapter[tuple[Query, ...]] = TypeAdapter(tuple[Query, ...])
_PIECES: TypeAdapter[tuple[SentPiece, ...]] = TypeAdapter(tuple[SentPiece, ...])
_INSTRUMENTS: TypeAdapter[tuple[InstrumentReading, ...]] = TypeAdapter(tuple[InstrumentReading, ...])


class Passage(NamedTuple):
    """A chunk of the manuals for people: which place of which document, and its words."""

    place: str
    text: str


class Route(NamedTuple):
    """One route's own score and rank of a hit."""

    name: str
    score: float | None
    rank: int | None


class Found(NamedTuple):
    """A hit of a question. `passage` is None where that version of the manuals is gone; `role` None where it was not sent."""

    chunk: str
    score: float
    routes: tuple[Route, ...]
    linked_from: str | None
    passage: Passage | None
    role: str | None


class Asked(NamedTuple):
    """One question with its best hits, and how many more there were."""

    query: Query
    found: tuple[Found, ...]
    more: int


class Said(NamedTuple):
    """A sentence of the report, whether its own check passed, and the probe's verdicts on its claims."""

    statement: Statement
    verdicts: tuple[Verdict, ...]

    @property
    def state(self) -> str:
        """`unsupported` where the check or one claim failed, `supported` where one passed, else `not_scorable`."""
        states = {verdict.score.state for verdict in self.verdicts}
        if not self.statement.supported or "unsupported" in states:
            return "unsupported"
        return "supported" if "supported" in states else "not_scorable"


@dataclass(frozen=True)
class Walkthrough:
    """All panels of one execution. `watermark` names the versions that made it; what was not stored says so."""

    request_id: str
    made_at: str
    language: str
    photo: PhotoReading
    instruments: tuple[InstrumentReading, ...]
    asked: tuple[Asked, ...]
    sent: tuple[SentPiece, ...]
    prompts: tuple[str, ...]
    said: tuple[Said, ...]
    document: Document | None
    replaced: tuple[Replacement, ...]
    notes: tuple[str, ...]
    timing_ms: dict[str, float]
    watermark: dict[str, str]


def view_trace(trace: Trace, passages: Mapping[str, Passage], embedder: str = "") -> Walkthrough:
    """The panels of a trace. `passages`: the words of chunks by id, as far as they are still there.

    `embedder`: that of the stored version of the manuals, for traces that do not say it themselves.
    Raises EvalError where the trace was written by another version of this program.
    """
    stages = {stage.name: stage for stage in trace.stages}
    try:
        photo = PhotoReading.model_validate(stages["reading"].outputs)
        queries = _QUERIES.validate_python(stages["queries"].outputs["queries"])
        pieces = _PIECES.validate_python(stages["evidence"].outputs["pieces"])
        instruments = _INSTRUMENTS.validate_python(stages["value"].outputs["instruments"])
        stored = stages["report"].outputs["document"]
        document = Document.model_validate(stored) if stored is not None else None
        asked = tuple(_asked(query, stages["retrieval"], pieces, passages) for query in queries)
        prompts = tuple(str(one) for one in stages["writing"].inputs["prompts"])
    except (ValidationError, KeyError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise EvalError(f"the trace of {trace.request_id} was written by another version of this program: {reason}") from error
    return Walkthrough(
        request_id=trace.request_id,
        made_at=trace.made_at,
        language=trace.language,
        photo=photo,
        instruments=instruments,
        asked=asked,
        sent=pieces,
        prompts=prompts,
        said=_said(document, pieces, passages, instruments),
        document=document,
        replaced=trace.replaced,
        notes=trace.notes,
        timing_ms=trace.timing_ms,
        watermark=_watermark(trace, photo, embedder),
    )


def _asked(query: Query, retrieval: Stage, pieces: tuple[SentPiece, ...], passages: Mapping[str, Passage]) -> Asked:
    hits: list[dict[str, Any]] = retrieval.outputs["hits"].get(str(query.instrument), {}).get(query.name, [])
    roles = {(piece.instrument, piece.chunk): piece.role for piece in pieces}
    found = tuple(
        Found(
            chunk=str(hit["chunk"]),
            score=float(hit["score"]),
            routes=tuple(_routes(hit)),
            linked_from=hit.get("linked_from"),
            passage=passages.get(str(hit["chunk"])),
            role=roles.get((query.instrument, str(hit["chunk"]))),
        )
        for hit in hits[:MOST_HITS]
    )
    return Asked(query, found, max(0, len(hits) - MOST_HITS))


def _routes(hit: Mapping[str, Any]) -> list[Route]:
    names = ("dense", "lexical", "structured")
    routes = [Route(name, hit.get(name), hit.get(f"{name}_rank")) for name in names if hit.get(f"{name}_rank") is not None]
    if hit.get("reranked") is not None:
        routes.append(Route("reranked", hit["reranked"], None))
    return routes


def _said(
    document: Document | None,
    pieces: tuple[SentPiece, ...],
    passages: Mapping[str, Passage],
    instruments: tuple[InstrumentReading, ...],
) -> tuple[Said, ...]:
    """The report's sentences, each judged against what it cites: the passage where its words are known, else what was sent."""
    if document is None:
        return ()
    texts = {piece.chunk: piece.text for piece in pieces} | {source.chunk: source.text for source in document.sources}
    texts = {chunk: passages[chunk].text if chunk in passages else text for chunk, text in texts.items()}
    scores = score_report(
        {
            "report": {"statements": [one.model_dump() for one in document.statements]},
            "evidence": [{"chunk": chunk, "text": text} for chunk, text in texts.items()],
            "reading": {"instruments": [one.model_dump(mode="json") for one in instruments]},
        }
    )
    return tuple(Said(one, judged.verdicts) for one, judged in zip(document.statements, scores.statements, strict=True))


def _watermark(trace: Trace, photo: PhotoReading, embedder: str) -> dict[str, str]:
    unknown = "not stored with this request"
    return {
        "commit": trace.commit or unknown,
        "weights": f"{photo.weights.name} {photo.weights.version}",
        "embedder": trace.embedder or embedder or unknown,
        "language model": trace.writer,
        "manuals": f"{trace.knowledge_version} as of {trace.as_of or 'an unknown day'}",
        "request": trace.request_id,
        "made at": trace.made_at,
    }
