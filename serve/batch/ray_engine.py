"""The same stage on the workers of a Ray cluster: each actor loads the reader once; Ray replaces actors that die.

Every machine needs this program and the photos under the same paths; readings come back to the one journal block by block. A
block whose actor died is read again by another one, a photo that ends actor after actor is given up.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from serve.batch.attempts import Attempts
from serve.batch.errors import BatchError
from serve.batch.pool import BATCH_INSTRUMENTS, MAX_DEATHS, given_up
from serve.batch.stage import Done, Stage, Task
from vision.fields import PhotoReading

PASSED_ON = ("GAUGE_HOME", "GAUGE_WEIGHTS", "GAUGE_LANGUAGE", "GAUGE_EMBEDDER", "GAUGE_DEVICE", "PYTHONPATH")
"""Of the caller's environment, what decides a reading; secrets stay here. A machine's own database is its own setting."""
MAX_ERROR = 300
START_TRIES = 3


class RayEngine:
    """Reads on `workers` actors, by default one a core of the cluster. `address` joins a cluster, None starts one here.

    Raises BatchError where Ray is not installed or the cluster cannot be joined.
    """

    def __init__(self, stage: Stage, workers: int | None, address: str | None) -> None:
        try:
            import ray
        except ImportError as error:
            raise BatchError("--engine ray needs Ray: install the extra, pip install 'gaugerag[ray]'") from error
        self._ray: Any = ray
        self._stage = stage
        self._workers = workers
        self._address = address
        self._own = False

    def __enter__(self) -> RayEngine:
        from serve.settings import preset_variables, variables_set

        ray = self._ray
        if ray.is_initialized():
            return self
        # The caller's own python runs the workers; without the switch, Ray would look whether `uv` started it.
        preset_variables({"RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"})
        passed = variables_set(PASSED_ON)
        if "GAUGE_HOME" in passed:
            passed["GAUGE_HOME"] = str(Path(passed["GAUGE_HOME"]).resolve())
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "runtime_env": {"env_vars": passed}}
        if self._address is None:
            options |= {"address": "local", "include_dashboard": False, "num_cpus": self._workers}
        else:
            options["address"] = self._address
        for tries_left in reversed(range(START_TRIES)):
            try:
                ray.init(**options)
                break
            except Exception as error:  # On a busy machine its own servers come too late for it.
                ray.shutdown()
                if tries_left:
                    continue
                where = f"the cluster {self._address} cannot be joined" if self._address else "Ray cannot be started"
                raise BatchError(f"{where} ({_short(error)})") from error
        self._own = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._ray.shutdown()

    def read(self, tasks: Iterator[Task], count: int) -> Iterator[Done]:
        """What came of the tasks, as they end. Raises BatchError where the cluster gives up."""
        items = [task._asdict() for task in tasks]
        if not items:
            return
        data: Any = self._ray.data
        context = data.DataContext.get_current()
        context.enable_progress_bars = False
        context.execution_options.preserve_order = False
        workers = min(self._workers or max(1, int(self._ray.cluster_resources().get("CPU", 1))), len(items))
        blocks = max(1, -(-len(items) // min(BATCH_INSTRUMENTS, max(1, len(items) // (2 * workers)))))
        attempts = self._ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Attempts).remote()
        stage = data.from_items(items, override_num_blocks=blocks).map_batches(
            ReadPhotos,
            fn_constructor_kwargs={"stage": self._stage.model_dump_json(), "attempts": attempts},
            batch_size=None,
            compute=data.ActorPoolStrategy(size=workers),
            num_cpus=1,
        )
        try:
            for row in stage.iter_rows():
                number, reading = int(row["number"]), row["reading"]
                yield Done(number, PhotoReading.model_validate_json(reading)) if reading else given_up(number)
        except self._ray.exceptions.RayError as error:
            raise BatchError(
                f"the Ray cluster gave up ({_short(error)}); what was read is kept, the same command goes on"
            ) from error


class ReadPhotos:
    """The actor: a reader loaded once, asked for a block of photos at a time. `attempts` is the cluster's `Attempts`."""

    def __init__(self, stage: str, attempts: Any) -> None:
        import ray

        self._ray: Any = ray
        self._attempts = attempts
        self._name = uuid4().hex
        self._read = Stage.model_validate_json(stage).open()

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The readings of a block as JSON, in its order; nothing for a photo that is given up."""
        tasks = [Task(int(n), str(path), str(name)) for n, path, name in zip(*(batch[key] for key in Task._fields), strict=True)]
        numbers = [task.number for task in tasks]
        deaths = self._ray.get(self._attempts.deaths.remote(self._name, numbers))
        readings = list(self._readings(tasks, deaths))
        self._attempts.begin.remote(self._name, None)
        return {"number": numbers, "reading": readings}

    def _readings(self, tasks: list[Task], deaths: list[int]) -> Iterator[str]:
        if not any(deaths):
            read = self._read(tasks)
            for task in tasks:
                yield self._next(task, read)
            return
        for task, ended in zip(tasks, deaths, strict=True):  # Alone, as those are that were with a dead worker of the pool.
            yield self._next(task, self._read([task])) if ended < MAX_DEATHS else ""

    def _next(self, task: Task, read: Iterator[PhotoReading]) -> str:
        self._ray.get(self._attempts.begin.remote(self._name, task.number))
        return next(read).model_dump_json()


def _short(error: Exception) -> str:
    """The last line of an error: Ray's texts carry the remote traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:MAX_ERROR]
