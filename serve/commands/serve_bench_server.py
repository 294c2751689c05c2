"""A real server process for the bench: started on a free port, asked, watched, ended as an operator would end it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
import psutil

from serve.settings import child_environment

MIB = 2**20
START_S, STOP_S, ASK_EVERY_S = 900.0, 60.0, 0.5
LOG_NAME = "server.log"
TAIL = 2000


class ServerError(RuntimeError):
    """The server did not start, or did not live; the end of its log stands in the message."""


class ServerProcess:
    """A running `gauge serve`: its address, its memory and its processor time (both with its children)."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, log: Path) -> None:
        self.process = process
        self.url = url
        self.log = log
        self._psutil = psutil.Process(process.pid)
        self._client = httpx.Client(timeout=5.0, trust_env=False, verify=False)  # noqa: S501 - this machine, no TLS

    def rss_mib(self) -> float:
        """Resident memory in MiB."""
        return sum(one.memory_info().rss for one in self._all()) / MIB

    def processor_s(self) -> float:
        """Seconds of the processor spent so far."""
        return sum(times.user + times.system for times in (one.cpu_times() for one in self._all()))

    def log_tail(self) -> str:
        """The end of what the server wrote."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-TAIL:] if self.log.is_file() else ""

    def is_ready(self) -> bool:
        """Whether it says that it can inspect photos."""
        try:
            return self._client.get(f"{self.url}/ready").status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def wait_until_ready(self, limit_s: float = START_S) -> float:
        """Seconds until it was ready. Raises ServerError where it ended or took longer than `limit_s`."""
        started = time.perf_counter()
        while not self.is_ready():
            if self.process.poll() is not None:
                raise ServerError(f"the server ended with code {self.process.returncode}:\n{self.log_tail()}")
            if time.perf_counter() - started > limit_s:
                raise ServerError(f"the server was not ready after {limit_s:.0f} s:\n{self.log_tail()}")
            time.sleep(ASK_EVERY_S)
        return time.perf_counter() - started

    def stop(self, limit_s: float = STOP_S) -> int:
        """End it by SIGTERM and give its exit code; one that does not end in time is killed (-9)."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return self.kill()

    def kill(self) -> int:
        """End it at once, as a lack of memory or of power would."""
        self.process.kill()
        return self.process.wait(STOP_S)

    def _all(self) -> list[psutil.Process]:
        try:
            return [self._psutil, *self._psutil.children(recursive=True)]
        except psutil.NoSuchProcess as error:
            raise ServerError(f"the server is gone:\n{self.log_tail()}") from error


def start_server(
    home: Path,
    *,
    environment: Mapping[str, str] | None = None,
    command: tuple[str, ...] = ("-m", "serve.cli", "serve"),
    port: int | None = None,
) -> ServerProcess:
    """Start `gauge serve` with `home`; it is not waited for. `environment` joins this process's own."""
    port = port if port is not None else free_port()
    home.mkdir(parents=True, exist_ok=True)
    log = home.parent / f"{home.name}-{LOG_NAME}"
    words = [sys.executable, *command, "--host", "127.0.0.1", "--port", str(port)]
    settings = child_environment({"PYTHONUNBUFFERED": "1", "GAUGE_HOME": str(home.resolve()), **(environment or {})})
    with log.open("ab") as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=settings)  # noqa: S603
    return ServerProcess(process, f"http://127.0.0.1:{port}", log)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
