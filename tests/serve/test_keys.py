"""Keys on both databases and from the command line: shown once, found by their secret alone, ended at once."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from serve.store.errors import NotFoundError, RefusedError
from serve.store.keys import SCOPES
from serve.store.store import Store
from serve.store.tables import keys
from serve.store.tenants import Limits
from tests.serve.conftest import Gauge


def test_a_key_is_found_by_its_secret_and_kept_as_a_digest(store: Store) -> None:
    made = store.keys.create("pump room", ["inspect", "read"], "plant-2")
    assert made.secret.startswith("gauge_")
    assert len(made.secret) == 49
    found = store.keys.find(made.secret)
    assert found is not None
    assert (found.id, found.tenant, found.scopes) == (made.key.id, "plant-2", ("read", "inspect"))
    with store.database.read() as db:
        row = db.execute(keys.select()).mappings().one()
    assert made.secret not in str(dict(row))
    assert made.secret.removeprefix("gauge_") not in str(dict(row))


@pytest.mark.parametrize("secret", ["", "gauge_", "gauge_" + "A" * 43, "x" * 49, "gauge_" + "压" * 43, "' OR 1=1 --"])
def test_what_is_no_key_opens_nothing(store: Store, secret: str) -> None:
    store.keys.create("a", ["read"])
    assert store.keys.find(secret) is None


def test_a_revoked_and_an_expired_key_open_nothing(store: Store) -> None:
    revoked, expired = store.keys.create("a", ["read"]), store.keys.create("b", ["read"], days=1)
    assert store.keys.any_hold()
    store.keys.revoke(revoked.key.id)
    with store.database.write() as db:
        db.execute(keys.update().where(keys.c.id == expired.key.id).values(expires=time.time() - 1))
    assert store.keys.find(revoked.secret) is None
    assert store.keys.find(expired.secret) is None
    assert not store.keys.any_hold()
    assert store.keys.are_asked()  # Ending the last key must not open the door to everybody.


def test_revoking_twice_keeps_the_first_moment(store: Store) -> None:
    made = store.keys.create("a", ["read"])
    first = store.keys.revoke(made.key.id).revoked
    assert store.keys.revoke(made.key.id).revoked == first
    with pytest.raises(NotFoundError, match="keys list"):
        store.keys.revoke("nothing")


def test_the_last_use_is_noted(store: Store) -> None:
    made = store.keys.create("a", ["read"])
    assert store.keys.list()[0].last_used is None
    store.keys.find(made.secret)
    noted = store.keys.list()[0].last_used
    assert noted is not None
    store.keys.find(made.secret)
    assert store.keys.list()[0].last_used == noted  # Not at every request.


@pytest.mark.parametrize(
    ("name", "scopes", "tenant", "days"),
    [
        ("a", [], "t", None),
        ("a", ["read", "root"], "t", None),
        ("", ["read"], "t", None),
        ("a\nb", ["read"], "t", None),
        ("x" * 101, ["read"], "t", None),
        ("a", ["read"], "../t", None),
        ("a", ["read"], "T", None),
        ("a", ["read"], "t", 0),
        ("a", ["read"], "t", float("nan")),
    ],
)
def test_what_makes_no_key(store: Store, name: str, scopes: list[str], tenant: str, days: float | None) -> None:
    with pytest.raises(RefusedError):
        store.keys.create(name, scopes, tenant, days)
    assert store.keys.list() == ()
    assert not store.keys.are_asked()


def test_limits_of_a_tenant_can_be_set_and_given_back(store: Store) -> None:
    assert store.tenants.limits("t") == Limits()
    store.tenants.limit("t", Limits(5, 2.5))
    assert store.tenants.limits("t") == Limits(5, 2.5)
    store.tenants.limit("t", Limits(photos_per_day=7))
    assert store.tenants.limits("t") == Limits(7, None)
    assert store.tenants.names() == ("t",)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_keys_from_the_command_line(gauge: Gauge, home: Path) -> None:
    assert "asks for none" in gauge("keys", "list").out
    made = gauge(
        "keys", "create", "camera 压力", "--tenant", "plant", "--scopes", "read,inspect", "--days", "9", "--json"
    ).objects()[0]
    assert made["secret"].startswith("gauge_")
    listed = gauge("keys", "list", "--json").objects()
    assert [(one["id"], one["name"], one["scopes"]) for one in listed] == [(made["id"], "camera 压力", ["read", "inspect"])]
    assert "secret" not in listed[0]
    assert made["secret"] not in gauge("keys", "list").out
    assert json.loads(gauge("keys", "revoke", made["id"], "--json").out)["revoked"] is not None
    assert "revoked" in gauge("keys", "list").out
    assert (home / "gauge.sqlite").is_file()


def test_a_key_for_everything_and_a_tenants_limits(gauge: Gauge, home: Path) -> None:
    answer = gauge("keys", "create", "boss", "--scopes", "all", "--photos-per-day", "10", "--max-mib", "5")
    assert answer.code == 0
    assert ",".join(SCOPES) in answer.out
    assert "once" in answer.out


@pytest.mark.parametrize(
    "args",
    [("create", "a", "--scopes", "root"), ("create", "a", "--tenant", "No"), ("revoke", "x"), ("create", "a", "--days", "-1")],
)
def test_wrong_words_are_told_in_one_line(gauge: Gauge, home: Path, args: tuple[str, ...]) -> None:
    answer = gauge("keys", *args)
    assert answer.code == 1
    assert answer.err.startswith("gauge: ")
    assert answer.err.count("\n") == 1
