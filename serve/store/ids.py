"""Ids that nobody can guess, and whose process holds a lease."""

from __future__ import annotations

import os
import secrets
import socket
from functools import lru_cache

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
    return f"{socket.gethostname()}:{pid}:{psutil.Process(pid).create_time():.2f}"


def owner_is_gone(owner: str) -> bool:
    """Whether a process of this host is known to have ended; of another host's nothing is known, so False."""
    host, _, rest = owner.partition(":")
    pid, _, started = rest.partition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        return f"{psutil.Process(int(pid)).create_time():.2f}" != started
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
