"""A batch from its photos to its table: what was read before is kept, the rest is read, and every photo ends as its rows."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from serve.batch.errors import BatchError
from serve.batch.journal import Entry, Journal
from serve.batch.rows import Outcome, Row, rows_of
from serve.batch.sources import Found, Photo
from serve.batch.stage import Done, Engine, Task
from serve.batch.tables import write_table
from vision.photos import PhotoLimits

PARTIAL_S = 20.0
"""Seconds between two writings of what there is, and at least ten times what a writing took."""
_BLOCK_BYTES = 2**20


class Progress(NamedTuple):
    """How far a batch is: photos in all, done, of these done by an earlier run, and what came of the done ones."""

    total: int = 0
    done: int = 0
    earlier: int = 0
    instruments: int = 0
    read: int = 0
    abstained: int = 0
    errors: int = 0
    duplicates: int = 0


Watch = Callable[[Progress], None]


class Batch:
    """The photos of one batch, their journal, and what could not even be begun.

    `out` is the table that is written at most every `pause_s` seconds and at the end, None for none.
    """

    def __init__(self, found: Found, journal: Journal, out: Path | None = None, pause_s: float = PARTIAL_S) -> None:
        self.photos: Sequence[Photo] = found.photos
        self.journal = journal
        self.out = out
        self.progress = Progress(total=len(found.photos))
        self._problems: dict[int, str] = {}
        self._hashes: dict[int, str | None] = {}
        self._reading: dict[str, int] = {}
        self._twins: dict[str, list[int]] = {}
        self._ready: deque[int] = deque()
        self._written = time.monotonic()
        self._least_pause_s = self._pause_s = pause_s

    def run(self, engine: Engine, watch: Watch = lambda progress: None) -> Progress:
        """Read what is not read yet. `watch` hears of every photo and may raise to stop; nothing that was read is lost then.

        Raises BatchError where the engine or the weights do not serve, OSError where journal or table cannot be written.
        """
        for number, photo in enumerate(self.photos):
            entry = self.journal.find(photo.identity) if photo.identity is not None else None
            if photo.identity is None:
                self._fail(number, photo.problem or "it cannot be read")
            elif entry is not None and entry.reading.status != "error":
                self._count(entry, earlier=True)
            else:
                self._ready.append(number)
                if entry is not None:  # What failed is tried again: a disk may be back, a fault of the reader mended.
                    self.journal.forget(photo.identity)
        watch(self.progress)
        while self._ready:  # Twins of a photo that changed before it was read come back into the queue.
            for done in engine.read(self._tasks(watch), len(self._ready)):
                self._take(done)
                watch(self.progress)
                self._write_partial()
        if self.out is not None:
            write_table(self.out, self.rows())
        return self.progress

    def _take(self, done: Done) -> None:
        reading = done.reading
        if reading is None or (reading.status == "error" and reading.sha256 is None):  # No bytes: nothing is known of them.
            problem = done.problem if reading is None else reading.reason
            self._fail(done.number, problem or "it was not read")
        else:
            self.journal.check_weights(reading)
            self._keep(done.number, Entry(reading.sha256, None, reading))
        self._settle(done.number, reading.sha256 if reading is not None else None)

    def _tasks(self, watch: Watch) -> Iterator[Task]:
        """What is to be read, in order; a photo with the bytes of another one waits for it or takes what it gave."""
        while self._ready:
            number = self._ready.popleft()
            photo = self.photos[number]
            digest = self._hashes[number] = hash_file(photo.path)
            if digest is not None:
                known = self.journal.same_bytes(digest)
                if known is not None:
                    self._keep(number, _twin(photo, known))
                    watch(self.progress)
                    continue
                if digest in self._reading:
                    self._twins.setdefault(digest, []).append(number)
                    continue
                self._reading[digest] = number
            yield Task(number, photo.path, photo.name)

    def _settle(self, number: int, sha256: str | None) -> None:
        """What waited for a photo takes its reading; where other bytes were read than were hashed, it is read itself."""
        digest = self._hashes.pop(number, None)
        if digest is None:
            return
        self._reading.pop(digest, None)
        for twin in self._twins.pop(digest, ()):
            known = self.journal.same_bytes(digest) if sha256 == digest else None
            if known is None:
                self._ready.append(twin)
            else:
                self._keep(twin, _twin(self.photos[twin], known))

    def _keep(self, number: int, entry: Entry) -> None:
        identity = self.photos[number].identity
        assert identity is not None
        self.journal.keep(identity, entry)
        self._count(entry)

    def _fail(self, number: int, problem: str) -> None:
        """Kept for this run alone: the next one tries again."""
        self._problems[number] = problem
        now = self.progress
        self.progress = now._replace(done=now.done + 1, errors=now.errors + 1)

    def _count(self, entry: Entry, earlier: bool = False) -> None:
        now, status = self.progress, entry.reading.status
        self.progress = now._replace(
            done=now.done + 1,
            earlier=now.earlier + earlier,
            instruments=now.instruments + len(entry.reading.instruments),
            read=now.read + (status == "read"),
            abstained=now.abstained + (status == "abstained"),
            errors=now.errors + (status == "error"),
            duplicates=now.duplicates + (entry.duplicate_of is not None),
        )

    def _write_partial(self) -> None:
        if self.out is None or time.monotonic() - self._written < self._pause_s:
            return
        began = time.monotonic()
        write_table(self.out, self.rows())
        self._written = time.monotonic()
        self._pause_s = max(self._least_pause_s, 10 * (self._written - began))

    def outcomes(self) -> Iterator[Outcome]:
        """What came of the photos that are done, in the batch's order."""
        for number, photo in enumerate(self.photos):
            problem = self._problems.get(number)
            if problem is not None:
                yield Outcome(photo.name, photo.path, None, None, None, problem)
                continue
            entry = self.journal.find(photo.identity) if photo.identity is not None else None
            if entry is not None:
                yield Outcome(photo.name, photo.path, entry.sha256, entry.duplicate_of, entry.reading)

    def rows(self) -> Iterator[Row]:
        """The rows of the photos that are done, in the batch's order."""
        for outcome in self.outcomes():
            yield from rows_of(outcome)


def _twin(photo: Photo, known: Entry) -> Entry:
    """The entry of a photo whose bytes were read under another name."""
    return Entry(known.sha256, known.reading.photo, known.reading.model_copy(update={"photo": photo.name}))


def hash_file(path: str) -> str | None:
    """SHA-256 of a file's bytes; None where it cannot be read or no photo may be as large: its reading says why."""
    try:
        with open(path, "rb", opener=_open_now) as file:
            digest, left = hashlib.sha256(), PhotoLimits().max_bytes
            while block := file.read(_BLOCK_BYTES):
                left -= len(block)
                if left < 0:
                    return None
                digest.update(block)
            return digest.hexdigest()
    except (OSError, ValueError):
        return None


def _open_now(path: str, flags: int) -> int:
    """Opened only where it is still a regular file: a named pipe in its place would hold the batch up for ever."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BatchError("not a regular file")
    return descriptor
