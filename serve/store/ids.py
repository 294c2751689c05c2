"""Ids that nobody can guess, and whose process holds a lease."""

from __future__ import annotations

import os
import secrets
import socket
from functools import lru_cache
from pathlib import Path

import psutil

_ID_BYTES = 18
"""144 bits: who has a report's address was given it."""


def new_id() -> str:
    """A fresh id of 24 characters that are safe in an address; the first is a letter or a digit, for command lines."""
    while True:
        id = secrets.token_urlsafe(_ID_BYTES)
        if id[0].isalnum():
            return id


def this_owner() -> str:
    """Name of this process among all that share a database: host, process id and when it started."""
    return _owner(os.getpid())


@lru_cache(maxsize=4)
def _owner(pid: int) -> str:
    return f"{socket.gethostname()}:{pid}:{_started(pid)}"


def owner_is_gone(owner: str) -> bool:
    """Whether a process of this host is known to have ended; of another host's nothing is known, so False."""
    host, _, rest = owner.partition(":")
    pid, _, started = rest.partition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        return _started(int(pid)) != started
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False


def _started(pid: int) -> str:
    """When a process started, told so that a clock set right meanwhile changes nothing: by the kernel's ticks since a boot.

    psutil's own moment is that of the clock, and a step of the clock would make every process another one.
    Raises psutil.Error.
    """
    process = psutil.Process(pid)
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # Not Linux, or it ended just now.
        return f"{process.create_time():.2f}"
    fields = stat.rpartition(b")")[2].split()  # proc(5): from field 3 on; the name in field 2 may hold blanks and brackets.
    if fields[0] in (b"Z", b"X"):
        raise psutil.NoSuchProcess(pid, msg="it has ended and nobody took note yet")
    return f"{fields[19].decode()}@{boot[:8]}"
