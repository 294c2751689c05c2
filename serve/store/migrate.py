"""Bringing a database to the tables of this program: alembic's steps, forward only, all of them or none."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from serve.store.database import Database
from serve.store.errors import StoreError

logger = logging.getLogger("gauge.store")

MIGRATIONS = Path(__file__).parents[1] / "migrations"
_LOCK = 0x6741756745  # "gAugE": whoever migrates a PostgreSQL database holds this.


def migrate(database: Database, revision: str = "head") -> str:
    """Run the steps that are missing; the revision that the database is at afterwards.

    Two that start at the same time wait for each other. Raises StoreError where the database was written by a newer
    program, or where a step fails: nothing of it is kept then.
    """
    with database.read() as db:
        current = _revision(db)
    if current is not None and current not in revisions():
        raise StoreError(
            f"{database.label} is at step {current[:40]!r}, which this program does not know: it was written by a newer "
            "version. Install that version, or restore a backup made with this one"
        )
    if current == revisions()[-1] or (current == revision):
        return current
    with database.write() as db:
        if not database.is_sqlite:
            db.execute(text("SET LOCAL lock_timeout = '60s'"))
            db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        return migrate_connection(database, db, revision)


def migrate_connection(database: Database, db: Connection, revision: str) -> str:
    """Run the steps up to one inside an open transaction; the revision afterwards."""
    before = _revision(db)
    config = _config()
    config.attributes["connection"] = db
    command.upgrade(config, revision)
    after = _revision(db) or ""
    if before != after:
        logger.info("%s: from step %s to %s", database.label, before or "none", after)
    return after


@lru_cache(maxsize=1)
def revisions() -> tuple[str, ...]:
    """All steps, the oldest first."""
    return tuple(step.revision for step in reversed(list(ScriptDirectory.from_config(_config()).walk_revisions())))


def _revision(db: Connection) -> str | None:
    return MigrationContext.configure(db).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
