"""Addresses of cameras: which kind of source, and how to speak of one without its password."""

from __future__ import annotations

from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from serve.cameras.errors import RegistryError

Scheme = Literal["folder", "http", "https", "rtsp", "rtsps"]
_SCHEMES: tuple[Scheme, ...] = ("http", "https", "rtsp", "rtsps")


def source_scheme(source: str) -> Scheme:
    """The kind of a source. Raises RegistryError, which shows nothing of an address: a password may stand in it."""
    if "://" not in source:
        if not source.strip():
            raise RegistryError("source is empty; write a folder, http(s):// or rtsp(s)://")
        return "folder"
    parts = _split(source)
    for scheme in _SCHEMES:
        if parts.scheme == scheme:
            return scheme
    raise RegistryError(f"source begins with {parts.scheme[:20]}://; write a folder, http(s):// or rtsp(s)://")


def public_address(source: str) -> str:
    """The address without name, password and query, any of which may be a secret."""
    if "://" not in source:
        return source
    parts = _split(source)
    return urlunsplit((parts.scheme, _host(parts), parts.path, "", ""))


def split_credentials(source: str) -> tuple[str, str | None, str | None]:
    """Address without credentials (its query stays), name and password."""
    parts = _split(source)
    bare = urlunsplit((parts.scheme, _host(parts), parts.path, parts.query, ""))
    name = unquote(parts.username) if parts.username else None
    return bare, name, unquote(parts.password) if parts.password else None


def _split(source: str) -> SplitResult:
    try:
        parts = urlsplit(source)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise RegistryError("source is no address: write SCHEME://HOST:PORT/PATH") from None
    if not host:
        raise RegistryError("source names no host: write SCHEME://HOST:PORT/PATH")
    return parts


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port is None else f"{host}:{parts.port}"
