"""The stage that every engine runs: photos in, readings out, with a reader that is loaded once a process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol

from vision.fields import Contract, PhotoReading

THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Task(NamedTuple):
    """A photo to read: its number in the batch, the file, and the name in its reading."""

    number: int
    path: str
    name: str


class Done(NamedTuple):
    """The reading of a photo by its number; none where its reading ended the process, and `problem` says so."""

    number: int
    reading: PhotoReading | None
    problem: str | None = None


Read = Callable[[Sequence[Task]], Iterator[PhotoReading]]
"""The readings of some photos in their order, each as it is made; what they share in work is the reader's matter."""


class Engine(Protocol):
    """Reads tasks, in any order, each exactly once; a context manager that holds its processes."""

    def read(self, tasks: Iterator[Task], count: int) -> Iterator[Done]:
        """What came of the tasks, as they end. `count` is about how many there are. Raises BatchError."""
        ...


Engines = Callable[["Stage", int], AbstractContextManager[Engine]]


class Stage(Contract):
    """How a process comes to its reader: `opener` is `module:function`, called with the stage itself."""

    opener: str = "serve.batch.stage:open_reader"
    weights: str | None = None
    model: str | None = None

    def open(self) -> Read:
        """The reader, loaded. Raises what the opener raises."""
        from serve.settings import preset_variables

        # Each process has one core; libraries that start a thread a core would fight.
        preset_variables(dict.fromkeys(THREAD_SETTINGS, "1"))
        module, _, function = self.opener.partition(":")
        read: Read = getattr(import_module(module), function)(self)
        return read


def open_reader(stage: Stage) -> Read:
    """The product's reader as `gauge read` uses it, on a GPU where there is one and no device was asked for."""
    import torch

    from serve.service import open_service
    from serve.settings import load_settings

    settings = load_settings()
    if "device" not in settings.model_fields_set and torch.cuda.is_available():
        settings = settings.model_copy(update={"device": "cuda"})
    service = open_service(settings, weights=stage.weights)
    service.load()

    def read(tasks: Sequence[Task]) -> Iterator[PhotoReading]:
        return service.read_photos([Path(task.path) for task in tasks], names=[task.name for task in tasks], model=stage.model)

    return read


def one_by_one(read_one: Callable[[Task], PhotoReading]) -> Read:
    """A stage's reading from that of a single photo."""
    return lambda tasks: map(read_one, tasks)


class HereEngine:
    """Reads in this very thread: for a server that has its reader loaded already."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def __enter__(self) -> HereEngine:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def read(self, tasks: Iterable[Task], count: int) -> Iterator[Done]:
        """One task after the other: the server's reader is wanted by others between two photos."""
        for task in tasks:
            (reading,) = self._read([task])
            yield Done(task.number, reading)
