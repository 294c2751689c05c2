"""Setting a language model aside: reports are the templates' until somebody lets the model write again.

The state lies in the store, so that every process of a server follows it, whoever found the fault.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from eval.score import Share
from rag.pipeline import Run
from rag.render.markdown import render_markdown
from serve.monitor.log import MonitorLog
from serve.settings import Language, WriterName
from serve.store.database import Database
from serve.store.errors import StoreError
from vision.fields import Contract

logger = logging.getLogger("gauge.monitor")

LOOK_S = 5.0
"""How old an answer about the state may be."""
NAME = DEGRADED = "degraded"
"""Name of the state, and of the score that says so in an answer."""
LOW = "faithfulness_low"
"""Name of the state that holds since when too few reports are borne out."""
_NOTES: dict[Language, str] = {
    "en": "The language model is set aside because too few of its sentences were borne out; this report is by templates.",
    "zh": "语言模型的语句有依据的比例过低，已暂停使用；本报告由模板撰写。",
}


class Degraded(Contract):
    """Since when (seconds since 1970) language models are set aside, and why. `report`: file of the root causes.

    `faithful`: the share of reports that were borne out then, for pages that say the reason in their own language.
    """

    since: float
    reason: str
    report: str = ""
    faithful: Share | None = None


class Degradation:
    """Whether language models are set aside in a store. Safe to share between threads; asking costs the database a look
    every few seconds at most."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._log = MonitorLog(database, clock)
        self._clock = clock
        self._lock = threading.Lock()
        self._looked: float | None = None
        self._state: Degraded | None = None

    def now(self) -> Degraded | None:
        """The state, None where all is as set. What was known last holds where the database does not answer."""
        now = self._clock()
        with self._lock:
            if self._looked is None or not 0 <= now - self._looked < LOOK_S:
                self._looked = now
                try:
                    self._state = self._log.get(NAME, Degraded)
                except StoreError as error:
                    logger.warning("whether the language model is set aside is not known anew: %s", error)
            return self._state

    @property
    def last(self) -> Degraded | None:
        """What was known last, without asking the database."""
        return self._state

    def begin(self, reason: str, report: str = "", faithful: Share | None = None) -> None:
        """Set language models aside. Raises StoreError."""
        self._set(Degraded(since=self._clock(), reason=reason, report=report, faithful=faithful))

    def end(self) -> bool:
        """Let them write again; False where they were not set aside. Raises StoreError.

        The time for which too few reports must be borne out begins anew: the last hour still holds the ones from before.
        """
        held = self._log.get(NAME, Degraded) is not None
        self._log.set(LOW, None)
        self._set(None)
        return held

    def writer(self, wanted: WriterName) -> WriterName:
        """Who writes for somebody who wants `wanted`."""
        return "template" if wanted != "template" and self.now() is not None else wanted

    def _set(self, state: Degraded | None) -> None:
        self._log.set(NAME, state)
        with self._lock:
            self._state, self._looked = state, self._clock()


def say_degraded(run: Run, language: Language) -> Run:
    """A run whose report says, in every form, that templates wrote it in the language model's place."""
    if run.document is None or run.inspection.report is None:
        return run
    document = run.document.model_copy(update={"notes": (*run.document.notes, _NOTES[language])})
    report = run.inspection.report.model_copy(update={"markdown": render_markdown(document)})
    scores = {**run.inspection.scores, DEGRADED: _NOTES[language]}
    return run._replace(document=document, inspection=run.inspection.model_copy(update={"report": report, "scores": scores}))
