"""Worker processes of this machine: each loads the reader once, is handed batches of photos, and is replaced where it dies.

A batch is sized by the instruments that photos were found to hold, so that each is about the same amount of work, and gets
smaller towards the end, so that no worker is left alone with a long one. Each reading is sent as it is made: of a worker that
is killed, only the photo it was reading is read again, and on a GPU those it was looking at together.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from serve.batch.errors import BatchError
from serve.batch.stage import Done, Stage, Task
from vision.fields import PhotoReading

logger = logging.getLogger("gauge.batch")

BATCH_INSTRUMENTS = 8
MAX_BATCH_PHOTOS = 16
MAX_DEATHS = 3
"""Workers that may die while they read one photo before it is given up."""
MAX_FAILED_STARTS = 5
"""Workers in a row that may die before they read anything; those that can read then go on without them, if there are any."""
STOP_S = 5.0


def given_up(number: int) -> Done:
    """What comes of a photo that workers do not survive."""
    return Done(number, None, f"reading it ended the worker process {MAX_DEATHS} times; please report this photo")


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class BatchSize:
    """How many photos make a batch: by a running mean of the instruments of a photo, and by what is left."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._instruments = 1.0

    def see(self, reading: PhotoReading) -> None:
        """Learn from a reading; a photo without instruments is work too."""
        self._instruments += 0.1 * (max(1, len(reading.instruments)) - self._instruments)

    def photos(self, left: int) -> int:
        """Photos of the next batch where about `left` are not handed out yet."""
        by_work = round(BATCH_INSTRUMENTS / self._instruments)
        by_share = left // (2 * self._workers)
        return max(1, min(by_work, by_share, MAX_BATCH_PHOTOS))


class PoolEngine:
    """`workers` processes that read with `stage`. They live as long as the context and end with this process."""

    def __init__(self, stage: Stage, workers: int) -> None:
        self._stage = stage
        self._count = max(1, workers)
        self._workers: list[_Worker] = []
        self._deaths: dict[int, int] = {}
        self._failed_starts = 0

    def __enter__(self) -> PoolEngine:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.pipe.close()  # All at once: each ends by itself after the photo that it has in its hands.
        for worker in self._workers:
            worker.stop()
        self._workers = []

    def start(self) -> None:
        """Start all workers and wait until each has its reader; `read` would start them too. Raises BatchError."""
        while len(self._workers) < self._count:
            self._workers.append(_Worker(self._stage))
        while not all(worker.is_ready for worker in self._workers):
            for _ in self._await(deque()):
                pass

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the workers."""
        return tuple(pid for worker in self._workers if (pid := worker.process.pid) is not None)

    def read(self, tasks: Iterator[Task], count: int) -> Iterator[Done]:
        """What came of the tasks, as they end. Raises BatchError where no worker can start."""
        again: deque[Task] = deque()
        size, handed, is_over = BatchSize(self._count), 0, False
        while len(self._workers) < min(self._count, count):
            self._workers.append(_Worker(self._stage))
        while True:
            for worker in self._workers:
                if not worker.is_idle:
                    continue
                batch = list(islice(_popped(again), 1))  # What was with a dead worker goes alone: the next death names it.
                if not batch and not is_over:
                    batch = list(islice(tasks, size.photos(count - handed)))
                    handed += len(batch)
                    is_over = not batch
                if batch:
                    worker.give(batch)
            if is_over and not again and not any(worker.tasks for worker in self._workers):
                return
            for done in self._await(again):
                if done.reading is not None:
                    size.see(done.reading)
                yield done

    def _await(self, again: deque[Task]) -> Iterator[Done]:
        """What the workers say next; the dead are replaced."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        for pipe in wait(list(by_pipe)):
            worker = by_pipe[pipe]  # type: ignore[index]  # `wait` gives back what it was given.
            try:
                message = worker.pipe.recv()
            except (EOFError, OSError):
                yield from self._replace(worker, again)
                continue
            if isinstance(message, str):
                raise BatchError(f"a worker cannot load the reader: {message}")
            if message is None:
                self._failed_starts = 0
                worker.is_ready = True
                continue
            worker.tasks.popleft()
            yield Done(*message)

    def _replace(self, worker: _Worker, again: deque[Task]) -> Iterator[Done]:
        worker.stop()
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= MAX_FAILED_STARTS:
                why = f"workers end before they can read (exit code {worker.process.exitcode})"
                why += f": is there memory for --workers {self._count}?"
                if not any(other.is_ready for other in self._workers):
                    raise BatchError(why)
                self._workers.remove(worker)
                logger.warning("%s %d of them go on", why, len(self._workers))
                return
        elif worker.tasks:
            task = worker.tasks.popleft()
            self._deaths[task.number] = self._deaths.get(task.number, 0) + 1
            if self._deaths[task.number] >= MAX_DEATHS:
                yield given_up(task.number)
            else:
                again.append(task)
        again.extend(worker.tasks)
        worker.tasks.clear()
        self._workers[self._workers.index(worker)] = _Worker(self._stage)


class _Worker:
    """One process and our end of its pipe; `tasks` are those it was given and has not answered."""

    def __init__(self, stage: Stage) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs, stage), daemon=True, name="gauge-batch")
        self.process.start()
        theirs.close()
        self.tasks: deque[Task] = deque()
        self.is_ready = False

    @property
    def is_idle(self) -> bool:
        return self.is_ready and not self.tasks

    def give(self, batch: list[Task]) -> None:
        self.tasks.extend(batch)
        try:
            self.pipe.send(batch)
        except OSError:
            return  # It has died: the next `wait` says so, and its tasks go to another.

    def stop(self) -> None:
        self.pipe.close()
        self.process.join(STOP_S)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(STOP_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _popped(tasks: deque[Task]) -> Iterator[Task]:
    while tasks:
        yield tasks.popleft()


def _work(pipe: Connection, stage: Stage) -> None:
    """A worker: says None when it is ready or why it cannot be, then answers task by task until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides what Ctrl-C means.
    try:
        read = stage.open()
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {' '.join(str(error).split())}")
        return
    try:
        pipe.send(None)
        while True:
            tasks: list[Task] = pipe.recv()
            for task, reading in zip(tasks, read(tasks), strict=True):
                pipe.send((task.number, reading))
    except (EOFError, OSError):
        return  # The parent has gone.
