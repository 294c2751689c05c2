"""One request from reading to report: its id in every log line, time of each stage, and what was really sent."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from pydantic import Field

from knowledge.articles import Language
from rag.evidence import Role
from vision.fields import Contract

LOGGER = logging.getLogger("gauge.rag")


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


class Trace(Contract):
    """What happened to one request. `prompts` are the texts as sent, chat markers included."""

    request_id: str
    language: Language
    writer: str
    knowledge_version: str
    pieces: tuple[SentPiece, ...] = ()
    prompts: tuple[str, ...] = ()
    rewritten: int = 0
    replaced: tuple[Replacement, ...] = ()
    notes: tuple[str, ...] = ()
    timing_ms: dict[str, float] = Field(default_factory=dict)


class _RequestLogger(logging.LoggerAdapter[logging.Logger]):
    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        request_id = (self.extra or {}).get("request_id", "-")
        kwargs["extra"] = {**(kwargs.get("extra") or {}), "request_id": request_id}
        return f"[{request_id}] {msg}", kwargs


def new_request_id() -> str:
    """A fresh id, unique across processes."""
    return uuid.uuid4().hex


def request_logger(request_id: str) -> logging.LoggerAdapter[logging.Logger]:
    """A logger whose every line carries the request's id, so that one key finds all of it."""
    return _RequestLogger(LOGGER, {"request_id": request_id})


class Stopwatch:
    """Milliseconds of each stage, summed where a stage runs more than once."""

    def __init__(self) -> None:
        self.timing_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what runs inside under `name`."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000.0
            self.timing_ms[name] = round(self.timing_ms.get(name, 0.0) + spent, 3)
