"""The tables as lines of JSON, read in one transaction and written in one: the same for SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, MetaData, Table, insert, inspect, select, text

from serve.store.database import Database
from serve.store.errors import RefusedError
from serve.store.migrate import migrate_connection
from serve.store.tables import metadata

BATCH = 500
REVISION_TABLE = "alembic_version"


def dump_tables(database: Database, folder: Path) -> str:
    """Write each table of the store to `folder`/NAME.jsonl, all as of one moment; the step that the database is at."""
    with database.read() as db:
        if not database.is_sqlite:
            db.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        revision = str(db.execute(text(f"SELECT version_num FROM {REVISION_TABLE}")).scalar_one())  # noqa: S608 - a constant
        for table in own_tables(db):
            with (folder / f"{table.name}.jsonl").open("w", encoding="utf-8") as file:
                for row in db.execution_options(yield_per=BATCH).execute(select(table)).mappings():
                    file.write(json.dumps(dict(row), separators=(",", ":")) + "\n")
    return revision


def load_tables(database: Database, folder: Path, revision: str) -> None:
    """Replace all that the store's tables hold by what was dumped at a step, and bring them to the newest.

    One transaction: until it ends, everybody sees what was there before. Raises RefusedError where a row does not fit.
    """
    with database.write() as db:
        _drop_all(db)
        migrate_connection(database, db, revision)
        for table in own_tables(db):
            path = folder / f"{table.name}.jsonl"
            if path.is_file():
                with path.open(encoding="utf-8") as file:
                    _load(db, table, file)
        migrate_connection(database, db, "head")


def own_tables(db: Connection) -> list[Table]:
    """The tables that the migrations made, those that others refer to first. Other tables in the same schema are not ours."""
    names = set(inspect(db).get_table_names()) & set(metadata.tables)
    found = MetaData()
    found.reflect(db, only=sorted(names))
    return [table for table in found.sorted_tables if table.name in names]


def _drop_all(db: Connection) -> None:
    for table in reversed(own_tables(db)):
        table.drop(db)
    db.execute(text(f"DROP TABLE IF EXISTS {REVISION_TABLE}"))


def _load(db: Connection, table: Table, lines: IO[str]) -> None:
    for rows in _batches(lines, table):
        db.execute(insert(table), rows)


def _batches(lines: IO[str], table: Table) -> Iterator[list[dict[str, object]]]:
    names, batch = {column.name for column in table.columns}, []
    for line in lines:
        row = json.loads(line)
        if not isinstance(row, dict) or not set(row) <= names:
            raise RefusedError(f"a row of the table {table.name} does not fit: the backup is damaged")
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
