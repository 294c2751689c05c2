"""A request once more: the chain run again from its stored reading, every stage held against the stored one.

A language model is not asked again: its stored texts are given again, and judged again. Nothing is taken from the
stored stages but the reading, the options and those texts, so a replay that agrees has made the report anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import ValidationError

from knowledge.articles import Language
from rag.consult import Knowledge
from rag.errors import TraceError, WriterError
from rag.evidence import EvidenceOptions
from rag.needle import FormulaOptions
from rag.pipeline import Pipeline, PipelineOptions, Run
from rag.prompt import Task
from rag.record import PAST, STAGES
from rag.trace import Stage, Trace
from rag.writer import Draft, TemplateWriter, Writer
from vision.fields import PhotoReading


class Difference(NamedTuple):
    """The first stage that came out otherwise, and the first place in it: a path into its outputs, then and now."""

    stage: str
    place: str
    then: str
    now: str

    def __str__(self) -> str:
        return f"{self.stage}, {self.place}: then {self.then}, now {self.now}"


class Replay(NamedTuple):
    """The request run again; `difference` is None where every stage came out as stored."""

    run: Run
    difference: Difference | None


@dataclass
class RecordedWriter:
    """Gives the texts of stored calls again, each for the facts that it was written for."""

    name: str
    calls: Sequence[dict[str, Any]]
    languages: tuple[Language, ...]
    _next: int = field(default=0, init=False)

    def write(self, task: Task) -> Draft:
        """The texts of the next stored call. Raises WriterError where it failed, or was made for other facts."""
        call = self.calls[self._next] if self._next < len(self.calls) else None
        self._next += 1
        if call is None or tuple(call["facts"]) != task.sentences:
            raise WriterError("the stored texts were written for other facts")
        if call["failure"] is not None:
            raise WriterError(call["failure"])
        return Draft(texts=tuple(call["texts"]))


def replay(trace: Trace, knowledge: Knowledge) -> Replay:
    """Run a stored request again. `knowledge` must be the version that it asked, as of its day.

    Raises TraceError where the trace lacks what a replay starts from.
    """
    stored = {stage.name: stage for stage in trace.stages}
    missing = [name for name in STAGES if name not in stored]
    if missing:
        raise TraceError(f"the trace of {trace.request_id} lacks the stages {', '.join(missing)}: it cannot be replayed")
    try:
        reading = PhotoReading.model_validate(stored["reading"].outputs)
        past = [PAST.validate_python(one) for one in stored["reading"].inputs["past"]]
        options = _options(trace.language, stored["reading"].inputs["options"])
        writer = _writer(trace, stored["writing"])
    except (ValidationError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise TraceError(f"the trace of {trace.request_id} was written by another version of this program: {reason}") from error
    pipeline = Pipeline(knowledge, writer, options)
    run = pipeline.run(reading, trace.language, trace.request_id, made_at=trace.made_at, past=past)
    return Replay(run, find_difference(trace.stages, run.trace.stages))


def _options(language: Language, stored: dict[str, Any]) -> PipelineOptions:
    return PipelineOptions(language, FormulaOptions(**stored["formula"]), EvidenceOptions(**stored["evidence"]))


def _writer(trace: Trace, writing: Stage) -> Writer:
    if trace.writer == TemplateWriter().name:
        return TemplateWriter()
    return RecordedWriter(trace.writer, writing.outputs["calls"], tuple(writing.inputs["languages"]))


def find_difference(then: Sequence[Stage], now: Sequence[Stage]) -> Difference | None:
    """The first difference between the stages of two runs, in the chain's order; prompts are no stage's output."""
    for first, second in zip(then, now, strict=True):
        found = _compare(first.outputs, json.loads(json.dumps(second.outputs)), "")
        if found is not None:
            place, old, new = found
            return Difference(first.name, place or "outputs", _short(old), _short(new))
    return None


def _compare(then: Any, now: Any, place: str) -> tuple[str, Any, Any] | None:
    if isinstance(then, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*then, *now)):
            found = _compare(then.get(key), now.get(key), f"{place}.{key}".lstrip("."))
            if found is not None:
                return found
        return None
    if isinstance(then, list) and isinstance(now, list):
        for index, (old, new) in enumerate(zip(then, now, strict=False)):
            found = _compare(old, new, f"{place}[{index}]")
            if found is not None:
                return found
        return None if len(then) == len(now) else (f"{place} (length)", len(then), len(now))
    if isinstance(then, float) and isinstance(now, float) and math.isclose(then, now, rel_tol=1e-9, abs_tol=1e-12):
        return None  # The last bits of a sum depend on how many threads made it.
    return None if then == now and isinstance(then, bool) == isinstance(now, bool) else (place, then, now)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:117]}..."
