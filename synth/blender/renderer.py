"""Renders scenes with Blender: plans go to a worker process, pictures come back."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import tempfile
import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.blender.assemble import plan_scene
from synth.blender.plan import Plan, write_plan
from synth.blender.room import find_blender
from synth.errors import BlenderError
from synth.flat.background import PhotoBackgrounds
from synth.flat.finish import finish
from synth.flat.pen import Pen
from synth.scene import GaugeScene

WORKER = Path(__file__).with_name("worker.py")
START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 5.0
STDERR_LINES = 6


class BlenderRenderer:
    """A worker of Blender's, as a context manager; `render` gives the same picture for the same scene.

    `home` holds the environment (`synth.blender.room`); `samples` are rays a pixel, `threads` the worker's. The worker
    is replaced every `recycle_after` pictures. One that dies or takes longer than `timeout_s` for a picture is started
    again once; the second time `render` raises BlenderError with the scene's seed and the worker's last words.
    """

    def __init__(
        self, home: Path, samples: int = 4, threads: int = 1, recycle_after: int = 500, timeout_s: float = 300.0
    ) -> None:
        if samples < 1 or threads < 1 or recycle_after < 1:
            raise ValueError(f"samples, threads and recycle_after are at least 1, got {samples}, {threads}, {recycle_after}")
        self._command = [str(find_blender(home)), "-s", "-E", str(WORKER), str(threads)]
        self._samples, self._recycle_after, self._timeout_s = samples, recycle_after, timeout_s
        self._worker: _Worker | None = None

    def __enter__(self) -> BlenderRenderer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the worker; the next picture starts another."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

    @property
    def worker_pid(self) -> int | None:
        """Process id of the running worker."""
        return None if self._worker is None else self._worker.pid

    def render(self, scene: GaugeScene, backgrounds: PhotoBackgrounds | None = None) -> NDArray[np.uint8]:
        """The picture of a scene: (height, width, 3) uint8 RGB; `backgrounds` as for the flat renderer.

        Raises BlenderError for an instrument that has no solid and where the worker failed twice.
        """
        picture = self.render_plan(plan_scene(scene, self._samples, backgrounds))
        pen = Pen(scene.width, scene.height)
        pen.pixels[..., :3] = picture
        return finish(pen, scene)

    def render_plan(self, plan: Plan) -> NDArray[np.uint8]:
        """The picture of a plan as the renderer gives it: (height, width, 3) uint8 RGB, without lens and sensor."""
        if self._worker is not None and self._worker.jobs >= self._recycle_after:
            self.close()
        for attempt in (1, 2):
            if self._worker is None:
                self._worker = _Worker(self._command)
            try:
                return self._worker.render(plan, self._timeout_s)
            except _WorkerLostError as lost:
                self.close()
                if attempt == 2:
                    raise BlenderError(f"Blender failed twice on the scene with seed {plan.seed}: {lost}") from lost
        raise AssertionError("unreachable")


class _WorkerLostError(Exception):
    """The worker died, hung, or could not start."""


class _Worker:
    """One process with a folder for what goes to and fro."""

    def __init__(self, command: list[str]) -> None:
        self.jobs = 0
        self._folder = tempfile.TemporaryDirectory(prefix="gauge-blender-")
        self._process: subprocess.Popen[str] = subprocess.Popen(  # noqa: S603  our own program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._folder.name,
        )
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._said: deque[str] = deque(maxlen=STDERR_LINES)
        self._threads = [
            threading.Thread(target=_pump, args=(self._process.stdout, self._answers.put), daemon=True),
            threading.Thread(target=_pump, args=(self._process.stderr, self._hear), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._ready = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def _hear(self, line: str | None) -> None:
        if line is not None and line.strip():
            self._said.append(line.strip())

    def render(self, plan: Plan, timeout_s: float) -> NDArray[np.uint8]:
        if not self._ready:
            self._answer(START_TIMEOUT_S)
            self._ready = True
        self.jobs += 1
        archive, out = Path(self._folder.name, "plan.npz"), Path(self._folder.name, "picture.bmp")
        out.unlink(missing_ok=True)
        write_plan(plan, archive)
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"plan": str(archive), "out": str(out)}) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._lost(f"the worker is gone ({error})") from error
        answer = self._answer(timeout_s)
        if "error" in answer:
            raise self._lost(" / ".join(str(answer["error"]).strip().splitlines()[-3:]))
        picture = cv2.imread(str(out), cv2.IMREAD_COLOR) if out.exists() else None
        if picture is None or picture.shape[:2] != (plan.height, plan.width):
            raise self._lost(f"no picture of {plan.width} x {plan.height} in {out.name}")
        rgb: NDArray[np.uint8] = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        return rgb

    def _answer(self, timeout_s: float) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=timeout_s)
        except queue.Empty:
            raise self._lost(f"no answer within {timeout_s:g} s") from None
        if line is None:
            code = self._process.wait()
            self._threads[1].join(timeout=5)
            raise self._lost(f"the worker ended with code {code}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _lost(self, reason: str) -> _WorkerLostError:
        said = " / ".join(self._said)
        return _WorkerLostError(f"{reason}; its last words: {said or 'none'}")

    def stop(self) -> None:
        """End the process: kindly by closing its input, else by force."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it may be gone already
            self._process.stdin.close()
        try:
            self._process.wait(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join(timeout=5)
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        self._folder.cleanup()


def _pump(pipe: IO[str], put: Any) -> None:
    """Hand on each line of a pipe, and None at its end."""
    for line in pipe:
        put(line)
    put(None)
