"""Jobs in the background of the server: claimed from the store, held by a lease, given back when the server ends."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from rag.trace import request_context
from serve.background import Background
from serve.store.errors import StoreError
from serve.store.jobs import LEASE_S, Job
from serve.store.store import Store

logger = logging.getLogger("gauge.jobs")

POLL_S = 1.0
SWEEP_S = 3600.0


class JobStopped(Exception):
    """Raised inside a handler that must stop: the job was cancelled or lost, or the server ends. Let it through."""


class JobFailed(Exception):
    """Raised by a handler for a job that cannot be done; the message is for the one who asked for it."""


class Control:
    """What a handler holds of its job while it runs."""

    def __init__(self, store: Store, job: Job, stopping: threading.Event) -> None:
        self.job = job
        self._store = store
        self._stopping = stopping
        self._held = True
        self._renewed = time.monotonic()

    @property
    def is_stopping(self) -> bool:
        """Whether the handler should stop: the server ends, or the job was cancelled or lost."""
        return self._stopping.is_set() or not self._held

    @property
    def is_held(self) -> bool:
        """Whether the job is still this worker's to write to."""
        return self._held

    def report(self, progress: Mapping[str, Any]) -> None:
        """Say how far the job is, and hold it on. Raises JobStopped where the handler must stop."""
        self._renew(progress)
        self.check()

    def check(self) -> None:
        """Raises JobStopped where the handler must stop; renews the lease when it is time to."""
        if time.monotonic() - self._renewed > LEASE_S / 3:
            self._renew(None)
        if self.is_stopping:
            raise JobStopped

    def _renew(self, progress: Mapping[str, Any] | None) -> None:
        self._held = self._held and self._store.jobs.renew(self.job, progress)
        self._renewed = time.monotonic()


Handler = Callable[[Job, Control], Mapping[str, Any]]
"""Does a job in a thread, calling `control.report` or `control.check` now and then; its result is kept."""


class Runner:
    """One thread that does jobs, one after the other, and sweeps the store once an hour."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._handlers: dict[str, Handler] = {}
        self._background = Background("gauge-jobs", self._run)
        self._stopping = self._background.stopping
        self._waking = threading.Event()
        self._swept: float | None = None

    def register(self, kind: str, handler: Handler) -> None:
        """Do jobs of a kind with `handler`; before `start` or after it."""
        self._handlers[kind] = handler

    def start(self) -> None:
        """Give back what a dead process of this machine held, and begin."""
        self._store.jobs.recover()
        self._background.start()

    def wake(self) -> None:
        """A job was added: look now."""
        self._waking.set()

    def stop(self, wait_s: float = 30.0) -> None:
        """Let the handler stop at its next check; the job goes back to the queue. Blocks."""
        self._stopping.set()  # Before it is woken: else it would fall asleep again.
        self._waking.set()
        self._background.stop(wait_s)

    def run_one(self) -> bool:
        """Do the oldest job that waits; False where there is none. Raises StoreError."""
        job = self._store.jobs.claim(list(self._handlers)) if self._handlers else None
        if job is None:
            return False
        with request_context(job.id):
            self._do(job)
        return True

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if self.run_one():
                    continue
                self._sweep()
            except StoreError as error:
                logger.warning("jobs wait: %s", error)
            except Exception:
                logger.exception("the worker of jobs stumbled and goes on")
            self._waking.wait(POLL_S)
            self._waking.clear()

    def _sweep(self) -> None:
        if self._swept is None or time.monotonic() - self._swept > SWEEP_S:
            self._swept = time.monotonic()
            self._store.sweep()
            self._store.jobs.recover()

    def _do(self, job: Job) -> None:
        control = Control(self._store, job, self._stopping)
        jobs = self._store.jobs
        try:
            result = self._handlers[job.kind](job, control)
        except JobStopped:
            if control.is_held and self._stopping.is_set():
                jobs.release(job)
            else:
                jobs.end_cancelled(job)  # Nothing happens where another worker has it by now.
        except JobFailed as error:
            jobs.fail(job, str(error))
        except StoreError:
            jobs.release(job)
            raise
        except Exception as error:
            logger.exception("job %s (%s) failed", job.id, job.kind)
            jobs.fail(job, f"the job failed ({type(error).__name__}); the server's log knows why under the job's id")
        else:
            jobs.finish(job, result)
