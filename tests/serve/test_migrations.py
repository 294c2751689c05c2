"""Migrations on both databases: every older step with data in it comes up to the newest, and nothing newer is touched."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from pydantic import SecretStr
from sqlalchemy import Boolean, Double, Integer, MetaData, Table, insert, select, text

from serve.settings import Settings
from serve.store.database import Database
from serve.store.errors import StoreError
from serve.store.migrate import migrate, revisions
from serve.store.store import Store
from serve.store.tables import metadata


@pytest.fixture
def empty(database: SecretStr | None, tmp_path: Path) -> Database:
    """A database in which nothing is yet."""
    return Database(Settings(home=tmp_path / "home", database=database).database_url)


def test_the_steps_make_exactly_the_tables(empty: Database) -> None:
    assert migrate(empty) == revisions()[-1]
    with empty.read() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    assert migrate(empty) == revisions()[-1]
    empty.close()


@pytest.mark.parametrize("revision", revisions())
def test_every_older_step_comes_up_with_its_data(empty: Database, revision: str) -> None:
    migrate(empty, revision)
    kept = _fill(empty)
    assert migrate(empty) == revisions()[-1]
    with empty.read() as db:
        for name, row in kept.items():
            table = Table(name, MetaData(), autoload_with=db)
            found = dict(db.execute(select(table)).mappings().one())
            assert {column: found[column] for column in row if column in found} == row
    empty.close()


def test_a_store_of_a_newer_program_is_left_alone(empty: Database) -> None:
    migrate(empty)
    with empty.write() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="newer"):
        migrate(empty)
    with empty.read() as db:
        assert db.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "9999"
    empty.close()


def test_a_step_that_fails_leaves_what_was_there(empty: Database) -> None:
    if len(revisions()) < 2:
        pytest.skip("there is one step only")
    migrate(empty, revisions()[0])
    with empty.write() as db:  # In the way of what the second step makes.
        db.execute(text("CREATE TABLE jobs (mine INTEGER)"))
    with pytest.raises(StoreError):
        migrate(empty)
    with empty.write() as db:
        db.execute(text("DROP TABLE jobs"))
    assert migrate(empty) == revisions()[-1]
    empty.close()


def test_several_that_start_at_once_migrate_once(database: SecretStr | None, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", database=database)
    with ThreadPoolExecutor(3) as pool:
        stores = list(pool.map(lambda _: Store.open(settings), range(3)))
    for store in stores:
        assert store.reports.list("a") == ()
        store.close()


def _fill(database: Database) -> dict[str, dict[str, Any]]:
    """One row in every table that is there, those first that others refer to; what was put in."""
    kept: dict[str, dict[str, Any]] = {}
    with database.write() as db:
        found = MetaData()
        found.reflect(db, only=lambda name, _: name != "alembic_version")
        for table in found.sorted_tables:
            row = {column.name: _value(column, kept) for column in table.columns}
            db.execute(insert(table), row)
            kept[table.name] = row
    return kept


def _value(column: Any, kept: dict[str, dict[str, Any]]) -> Any:
    for key in column.foreign_keys:
        table, name = key.target_fullname.split(".")
        return kept[table][name]
    if isinstance(column.type, Boolean):
        return False
    if isinstance(column.type, Integer):
        return 3
    if isinstance(column.type, Double):
        return 2.5
    return "{}"[: getattr(column.type, "length", None) or 2]
