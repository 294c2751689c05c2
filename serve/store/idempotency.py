"""The same request twice is one piece of work: who sends an Idempotency-Key again is given what came of it the first time."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence

from sqlalchemy import Connection, select

from serve.store.database import Database
from serve.store.errors import RefusedError, StoreError
from serve.store.ids import owner_is_gone, this_owner
from serve.store.tables import idempotency

KEPT_S = 2 * 86400.0
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class InProgressError(StoreError):
    """The first request with this key is still being worked on."""


class DoneError(StoreError):
    """Somebody else finished this request first; `made` are the ids of what came of it."""

    def __init__(self, made: tuple[str, ...]) -> None:
        super().__init__("the request was finished by another worker")
        self.made = made


class Idempotency:
    """The keys of requests, each with the ids of what was made."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._abandoned: set[tuple[str, str]] = set()

    def begin(self, tenant: str, key: str, fingerprint: str, lease_s: float) -> tuple[str, ...] | None:
        """Take a key for this process, None; or what was made under it before.

        `fingerprint` stands for all that the request asks. Raises RefusedError for a key that is none or was used for
        another request, InProgressError where another one works on it. A process that died gives its key free.
        """
        if not _KEY.fullmatch(key):
            raise RefusedError("an Idempotency-Key has 1 to 200 visible ASCII characters, e.g. a UUID")
        now, table = time.time(), idempotency.c
        row = {
            "tenant": tenant, "key": key, "fingerprint": fingerprint, "created": now, "owner": this_owner(),
            "leased_until": now + lease_s, "outcome": None,
        }  # fmt: skip
        mine = (table.tenant == tenant) & (table.key == key)
        with self._database.note() as db:
            db.execute(idempotency.delete().where(mine, table.created < now - KEPT_S))
            fresh = self._database.insert(idempotency).values(row).on_conflict_do_nothing().returning(idempotency.c.key)
            if db.execute(fresh).first() is not None:
                return None
            found = db.execute(select(idempotency).where(mine).with_for_update()).mappings().one()
            if found["fingerprint"] != fingerprint:
                raise RefusedError("this Idempotency-Key was used for another request; take a new one")
            if found["outcome"] is not None:
                return tuple(json.loads(found["outcome"]))
            left = (tenant, key) in self._abandoned and found["owner"] == row["owner"]
            if found["leased_until"] > now and not left and not owner_is_gone(found["owner"]):
                raise InProgressError("the first request with this Idempotency-Key is still being worked on")
            db.execute(idempotency.update().where(mine).values(owner=row["owner"], leased_until=row["leased_until"]))
        self._abandoned.discard((tenant, key))
        return None

    def finish(self, tenant: str, key: str, made: Sequence[str], db: Connection) -> None:
        """Write down what was made, inside the transaction that keeps it.

        Raises DoneError where another one was faster: what was made here must not be kept then.
        """
        mine = (idempotency.c.tenant == tenant) & (idempotency.c.key == key)
        change = idempotency.update().where(mine, idempotency.c.outcome.is_(None)).values(outcome=json.dumps(list(made)))
        if db.execute(change).rowcount != 1:
            found = db.execute(select(idempotency.c.outcome).where(mine)).scalar_one_or_none()
            raise DoneError(tuple(json.loads(found)) if found is not None else ())

    def give_up(self, tenant: str, key: str) -> None:
        """Free a key under which nothing was made; where the database takes no writes now, for this process at least."""
        mine = (idempotency.c.tenant == tenant) & (idempotency.c.key == key) & idempotency.c.outcome.is_(None)
        try:
            with self._database.write() as db:
                db.execute(idempotency.delete().where(mine))
        except StoreError:
            self._abandoned.add((tenant, key))
            raise

    def sweep(self) -> None:
        """Forget keys that are older than two days."""
        with self._database.write() as db:
            db.execute(idempotency.delete().where(idempotency.c.created < time.time() - KEPT_S))
