"""API keys: 256 random bits each, kept as SHA-256 alone. A slow hash protects guessable secrets; these are not."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import Select, func, or_, select

from serve.store.database import Database
from serve.store.errors import NotFoundError, RefusedError, StoreError
from serve.store.tables import keys
from serve.store.tenants import LOCAL, Tenants
from vision.fields import Contract

logger = logging.getLogger("gauge.store")

Scope = Literal["read", "inspect", "adapt", "knowledge", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""See reports; send photos and corrections; teach a model; search and add manuals; see and change how the server runs."""
PREFIX = "gauge_"
MAX_NAME = 100
_KEY_LENGTH = len(PREFIX) + 43
_USE_STEP_S = 60.0
"""The last use is written down once in so many seconds: a write a request would cost more than the request."""
_DAY_S = 86400.0


class Key(Contract):
    """What is kept of a key: never the key itself."""

    id: str
    tenant: str
    name: str
    scopes: tuple[Scope, ...]
    created: float
    expires: float | None
    revoked: float | None
    last_used: float | None

    def holds(self, moment: float) -> bool:
        """Whether it opens anything at a moment (seconds since 1970)."""
        return self.revoked is None and (self.expires is None or moment < self.expires)


class NewKey(NamedTuple):
    """A key and its secret, which is shown once and never again."""

    key: Key
    secret: str


class Keys:
    """The keys of a store."""

    def __init__(self, database: Database, tenants: Tenants) -> None:
        self._database = database
        self._tenants = tenants

    def create(self, name: str, scopes: Iterable[str], tenant: str = LOCAL, days: float | None = None) -> NewKey:
        """A new key; `days` is how long it holds. Raises RefusedError for a name or a scope that is none."""
        wanted = set(scopes)
        unknown = sorted(wanted - set(SCOPES))
        if unknown or not wanted:
            raise RefusedError(f"no scope {', '.join(unknown) or repr('')}; there are {', '.join(SCOPES)}")
        if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
            raise RefusedError(f"a key's name has 1 to {MAX_NAME} printable characters, got {name[:MAX_NAME]!r}")
        if days is not None and not 0 < days <= 36_500:
            raise RefusedError(f"a key holds for more than 0 and at most 36500 days, got {days:g}")
        secret, now = PREFIX + secrets.token_urlsafe(32), time.time()
        row: dict[str, Any] = {
            "id": secrets.token_hex(6),
            "tenant": tenant,
            "name": name.strip(),
            "scopes": " ".join(scope for scope in SCOPES if scope in wanted),
            "created": now,
            "expires": None if days is None else now + days * _DAY_S,
            "revoked": None,
            "last_used": None,
        }
        with self._database.write() as db:
            self._tenants.ensure(tenant, db)
            db.execute(keys.insert().values(**row, sha256=_digest(secret)))
        return NewKey(_key(row), secret)

    def find(self, secret: str) -> Key | None:
        """The key of a secret where it holds now; None for an unknown, a revoked or an expired one."""
        if len(secret) != _KEY_LENGTH or not secret.startswith(PREFIX) or not secret.isascii():
            return None
        now = time.time()
        # A look-up by the digest of 256 random bits tells an attacker nothing by its time.
        with self._database.read() as db:
            row = db.execute(_columns().where(keys.c.sha256 == _digest(secret))).mappings().one_or_none()
        key = _key(dict(row)) if row is not None else None
        if key is None or not key.holds(now):
            return None
        if key.last_used is None or now - key.last_used > _USE_STEP_S:
            self._note_use(key.id, now)
        return key

    def list(self) -> tuple[Key, ...]:
        """All keys, revoked ones too, the newest first."""
        with self._database.read() as db:
            rows = db.execute(_columns().order_by(keys.c.created.desc(), keys.c.id)).mappings().all()
        return tuple(_key(dict(row)) for row in rows)

    def revoke(self, id: str) -> Key:
        """End a key at once; one that is ended stays so. Raises NotFoundError."""
        with self._database.write() as db:
            db.execute(keys.update().where(keys.c.id == id, keys.c.revoked.is_(None)).values(revoked=time.time()))
            row = db.execute(_columns().where(keys.c.id == id)).mappings().one_or_none()
        if row is None:
            raise NotFoundError(f"no key {id[:40]!r}; `gauge keys list` shows those there are")
        return _key(dict(row))

    def are_asked(self) -> bool:
        """Whether requests need a key: from the first one on, and still when it is revoked."""
        with self._database.read() as db:
            return db.execute(select(keys.c.id).limit(1)).first() is not None

    def any_hold(self) -> bool:
        """Whether some key opens something now."""
        holding = select(func.count()).where(
            keys.c.revoked.is_(None), or_(keys.c.expires.is_(None), keys.c.expires > time.time())
        )
        with self._database.read() as db:
            return bool(db.execute(holding).scalar_one())

    def _note_use(self, id: str, now: float) -> None:
        try:
            with self._database.note() as db:
                db.execute(keys.update().where(keys.c.id == id).values(last_used=now))
        except StoreError as error:  # A database that takes no writes still knows who may read.
            logger.warning("the use of a key is not noted: %s", error)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _columns() -> Select[Any]:
    return select(*(column for column in keys.c if column.name != "sha256"))


def _key(row: dict[str, Any]) -> Key:
    return Key.model_validate({**row, "scopes": tuple(str(row["scopes"]).split())})
