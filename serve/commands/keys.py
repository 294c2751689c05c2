"""API keys from the command line: made, listed, ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from serve.settings import load_settings
from serve.store.keys import SCOPES, Key
from serve.store.store import Store
from serve.store.tenants import Limits


def create_key(
    name: str,
    *,
    tenant: str,
    scopes: Sequence[str],
    days: float | None,
    photos_per_day: int | None,
    max_mib: float | None,
    as_json: bool,
) -> str:
    """Make a key; its secret is in the answer and nowhere else. Raises RefusedError for a name that is none."""
    with closing(Store.open(load_settings())) as store:
        made = store.keys.create(name, scopes, tenant, days)
        if photos_per_day is not None or max_mib is not None:
            store.tenants.limit(tenant, Limits(photos_per_day, max_mib))
    if as_json:
        return json.dumps({**_row(made.key), "secret": made.secret}, ensure_ascii=False)
    return f"{made.secret}\n{_line(made.key)}\nIt is shown this once. From now on the server asks every request for a key."


def list_keys(*, as_json: bool) -> str:
    """All keys, the newest first."""
    with closing(Store.open(load_settings())) as store:
        keys = store.keys.list()
    if as_json:
        return "\n".join(json.dumps(_row(key), ensure_ascii=False) for key in keys)
    return "\n".join(_line(key) for key in keys) or "No keys: the server listens to this machine alone and asks for none."


def revoke_key(id: str, *, as_json: bool) -> str:
    """End a key. Raises NotFoundError."""
    with closing(Store.open(load_settings())) as store:
        key = store.keys.revoke(id)
    return json.dumps(_row(key), ensure_ascii=False) if as_json else _line(key)


def split_scopes(text: str) -> tuple[str, ...]:
    """The scopes of a list such as `read,inspect`; `all` stands for all of them."""
    if text.strip() == "all":
        return SCOPES
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _row(key: Key) -> dict[str, Any]:
    moments = {name: _moment(getattr(key, name)) for name in ("created", "expires", "revoked", "last_used")}
    return {**key.model_dump(mode="json"), **moments}


def _line(key: Key) -> str:
    state = "revoked" if key.revoked is not None else f"until {_moment(key.expires)}" if key.expires is not None else "holds"
    used = f"last used {_moment(key.last_used)}" if key.last_used is not None else "never used"
    return f"{key.id}  {key.tenant}  {key.name}  {','.join(key.scopes)}  {state}, {used}"


def _moment(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
