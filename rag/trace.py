"""One request from reading to report: its id in every log line, time of each stage, and what went in and came out."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from knowledge.articles import Language
from rag.errors import TraceError
from rag.evidence import Role
from vision.fields import Contract

LOGGER = logging.getLogger("gauge.rag")
NO_REQUEST = "-"
_REQUEST: ContextVar[str] = ContextVar("gauge_request", default=NO_REQUEST)
_SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,80}")


class SentPiece(Contract):
    """A chunk as it was put before the writer: its place, its tag, the question it answers, the text sent."""

    instrument: int
    query: str
    chunk: str
    role: Role
    score: float
    text: str
    tokens: int


class Replacement(Contract):
    """A sentence that a writer wrote and the check refused, with the reasons; the template stands in its place."""

    written: str | None
    kept: str
    problems: tuple[str, ...]


class Stage(Contract):
    """One arrow of the chain: its name, and what went in and came out as plain JSON data."""

    name: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    outputs: dict[str, Any] = Field(default_factory=dict)


class Trace(Contract):
    """What happened to one request.

    `prompts` are the texts as sent, chat markers included. `commit` and `embedder` name the program and the text embedder
    that made it, empty where nobody said. `as_of` is the day as of which the manuals were asked and
    `made_at` the moment of the report: with the stages' inputs they are all that a replay needs.
    """

    request_id: str
    language: Language
    writer: str
    knowledge_version: str
    made_at: str = ""
    as_of: str = ""
    commit: str = ""
    embedder: str = ""
    pieces: tuple[SentPiece, ...] = ()
    prompts: tuple[str, ...] = ()
    rewritten: int = 0
    replaced: tuple[Replacement, ...] = ()
    notes: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    timing_ms: dict[str, float] = Field(default_factory=dict)


def new_request_id() -> str:
    """A fresh id, unique across processes."""
    return uuid.uuid4().hex


def check_request_id(text: str) -> str:
    """The id itself. Raises TraceError where it is none: 1 to 80 letters, digits, dots, dashes and underlines."""
    if not _SAFE_ID.fullmatch(text):
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise TraceError(f"{shown!r} is no request id; one is 1 to 80 letters, digits, '.', '-' and '_'")
    return text


def now() -> str:
    """The present moment in UTC, to the second, in ISO 8601."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()


@contextmanager
def request_context(request_id: str) -> Iterator[None]:
    """Everything logged inside, by whatever logger, belongs to this request (see `RequestFilter`).

    A thread started inside must run in a copy of the context: `contextvars.copy_context().run(work)`.
    """
    token = _REQUEST.set(request_id)
    try:
        yield
    finally:
        _REQUEST.reset(token)


class RequestFilter(logging.Filter):
    """Gives every record of a handler `request_id` and `request`, which is ` [id]` or nothing, for its format."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true: a record is marked, never dropped."""
        request_id = _REQUEST.get()
        record.__dict__["request_id"] = request_id
        record.__dict__["request"] = f" [{request_id}]" if request_id != NO_REQUEST else ""
        return True


class Stopwatch:
    """Milliseconds of each stage, summed where a stage runs more than once."""

    def __init__(self) -> None:
        self.timing_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, within: str | None = None) -> Iterator[None]:
        """Time what runs inside under `name`; what is part of an open stage `within` is taken off that one."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000.0
            self._add(name, spent)
            if within is not None:
                self._add(within, -spent)

    def _add(self, name: str, spent_ms: float) -> None:
        self.timing_ms[name] = round(self.timing_ms.get(name, 0.0) + spent_ms, 3)
