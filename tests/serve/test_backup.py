"""Backups on both databases: everything comes back, a damaged one changes nothing, and a kill leaves the old or the new."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from serve.backup import home as backup_home
from serve.backup.archive import MANIFEST
from serve.backup.home import back_up, restore
from serve.cameras.kept import KeptEvents
from serve.cameras.states import CameraStates
from serve.settings import Settings
from serve.store.database import parse_url
from serve.store.errors import RefusedError, StoreError
from serve.store.feedback import Correction
from serve.store.home_lock import UNFINISHED, hold_home
from serve.store.reports import StoredReport, make_report
from serve.store.store import Store
from tests.serve.camera_doubles import good
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes
from tests.serve.runs import make_run, report_options


@pytest.fixture
def settings(database: SecretStr | None, tmp_path: Path) -> Settings:
    """A home with one of everything in it, on each database."""
    settings = Settings(home=tmp_path / "home", database=database)
    fill(settings, "first")
    return settings


def fill(settings: Settings, name: str) -> StoredReport:
    store = Store.open(settings)
    sha256 = store.photos.keep("plant", picture_bytes(size=(100 + len(name), 80)))
    report = make_report("plant", make_run(sha256=sha256), **report_options(place=name))
    store.keep_reports([report])
    store.feedback.add("plant", Correction(report=report.id, note=name))
    store.keys.create(name, ["read"], "plant")
    store.jobs.add("plant", "batch", {"name": name})
    KeptEvents(store.database, "plant").add(good(camera=name), publish=True)
    store.close()
    home = settings.home
    for path in (home / "history.sqlite", home / "tenants" / "plant" / "traces.sqlite"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS t (name TEXT)")
            db.execute("INSERT INTO t VALUES (?)", (name,))
    for path in (home / "adapters" / "m" / "card.json", home / "corpus" / "documents" / "压力.md"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return report


def state(settings: Settings) -> dict[str, object]:
    """What a home says of itself."""
    store = Store.open(settings)
    try:
        reports = store.reports.list("plant")
        return {
            "reports": [(one.id, one.place) for one in reports],
            "photos": [store.photos.find("plant", one.photo_sha256 or "").path.read_bytes() for one in reports],
            "notes": [one.note for report in reports for one in store.feedback.of_report("plant", report.id)],
            "keys": [one.name for one in store.keys.list()],
            "jobs": [one.payload for one in store.jobs.list("plant")],
            "cameras": CameraStates(store.database, "plant").list(),
            "outbox": KeptEvents(store.database, "plant").unpublished(["first", "second"]),
            "history": rows(settings.home / "history.sqlite"),
            "traces": rows(settings.home / "tenants" / "plant" / "traces.sqlite"),
            "manual": (settings.home / "corpus" / "documents" / "压力.md").read_text(encoding="utf-8"),
        }
    finally:
        store.close()


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [name for (name,) in db.execute("SELECT name FROM t")]


def leftovers(tmp_path: Path) -> list[str]:
    return [
        one.name
        for one in tmp_path.iterdir()
        if ".restoring-" in one.name or one.name.endswith(".part") or "gauge-backup-" in one.name
    ]


def test_everything_comes_back(settings: Settings, tmp_path: Path) -> None:
    before = state(settings)
    kept = back_up(settings, tmp_path / "b.tar")
    assert kept.size_bytes == (tmp_path / "b.tar").stat().st_size
    fill(settings, "second")
    assert state(settings) != before
    manifest = restore(settings, tmp_path / "b.tar", replace=True)
    assert state(settings) == before
    assert manifest.members == kept.manifest.members
    assert leftovers(tmp_path) == []


def test_into_an_empty_home(settings: Settings, tmp_path: Path) -> None:
    before = state(settings)
    back_up(settings, tmp_path / "b.tar")
    fresh = Settings(home=tmp_path / "fresh")  # Out of either database into SQLite.
    restore(fresh, tmp_path / "b.tar")
    assert state(fresh) == before


def test_a_home_with_something_in_it_is_not_touched_unasked(settings: Settings, tmp_path: Path) -> None:
    back_up(settings, tmp_path / "b.tar")
    before = state(settings)
    with pytest.raises(RefusedError, match="--replace"):
        restore(settings, tmp_path / "b.tar")
    assert state(settings) == before


def test_a_running_server_keeps_its_home(settings: Settings, tmp_path: Path) -> None:
    back_up(settings, tmp_path / "b.tar")
    with hold_home(settings.home), pytest.raises(RefusedError, match="stop it first"):
        restore(settings, tmp_path / "b.tar", replace=True)
    with (
        hold_home(settings.home, alone=True),
        pytest.raises(RefusedError, match="restore is under way"),
        hold_home(settings.home),
    ):
        pass


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "cut off":
        path.write_bytes(data[: len(data) // 2])
    elif how == "a bit":
        at = data.index(b"IHDR")
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "text":
        path.write_bytes(b"no backup" * 500)
    else:
        rewrite(path, how)


def rewrite(path: Path, how: str) -> None:
    """The same archive with one member more, less, or of another kind."""
    members = []
    with tarfile.open(path) as tar:
        members = [(one, (file.read() if (file := tar.extractfile(one)) else b"")) for one in tar]
    with tarfile.open(path, "w") as tar:
        for info, data in members:
            if how == "missing" and info.name.endswith(".png"):
                continue
            if how == "newer" and info.name == MANIFEST:
                data = json.dumps({**json.loads(data), "revision": "9999"}).encode()
                info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
            if info.name != MANIFEST and how in ("outside", "absolute", "link", "twice"):
                tar.addfile(*strange(info, how))
                how = "done"
        if how == "behind":
            tar.addfile(tarfile.TarInfo("home/more"), io.BytesIO())


def strange(info: tarfile.TarInfo, how: str) -> tuple[tarfile.TarInfo, io.BytesIO]:
    more = tarfile.TarInfo({"outside": "home/../../evil", "absolute": "/tmp/evil", "link": "home/link"}.get(how, info.name))
    if how == "link":
        more.type, more.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return more, io.BytesIO()


@pytest.mark.parametrize(
    "how",
    ["cut off", "a bit", "empty", "text", "missing", "outside", "absolute", "link", "twice", "behind", "newer"],
)
def test_what_is_no_whole_backup_changes_nothing(tmp_path: Path, how: str) -> None:
    settings = Settings(home=tmp_path / "home")
    fill(settings, "first")
    back_up(settings, tmp_path / "b.tar")
    before = state(settings)
    damage(tmp_path / "b.tar", how)
    with pytest.raises(RefusedError) as caught:
        restore(settings, tmp_path / "b.tar", replace=True)
    assert str(tmp_path / "b.tar") in str(caught.value)
    assert state(settings) == before
    assert leftovers(tmp_path) == []
    assert not Path("/tmp/evil").exists()
    assert not (tmp_path.parent / "evil").exists()


def test_a_backup_that_cannot_be_written_leaves_nothing(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("serve.backup.archive.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        back_up(settings, tmp_path / "b.tar")
    assert not (tmp_path / "b.tar").exists()
    assert leftovers(tmp_path) == []


def test_what_can_be_made_again_is_left_out(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    fill(settings, "first")
    for name in ("models/big.bin", "photos/plant/.x.part", ".hidden", "datasets/d/1.jpg"):
        path = settings.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    (settings.home / "link").symlink_to("/etc/passwd")
    names = {one.name for one in back_up(settings, tmp_path / "b.tar").manifest.members}
    assert "tables/reports.jsonl" in names
    assert "home/history.sqlite" in names
    assert not {
        name for name in names if "big" in name or "part" in name or "hidden" in name or "dataset" in name or "link" in name
    }
    assert not {name for name in names if name.startswith("home/gauge.sqlite")}


def test_a_mounted_home_is_filled_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=tmp_path / "home")
    fill(settings, "first")
    back_up(settings, tmp_path / "b.tar")
    before = state(settings)
    fill(settings, "second")
    monkeypatch.setattr(backup_home, "_renamed_at_once", lambda *_: False)
    restore(settings, tmp_path / "b.tar", replace=True)
    assert state(settings) == before
    assert not (settings.home / UNFINISHED).exists()


def test_a_restore_that_broke_off_between_home_and_tables_says_so(
    postgres_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = postgres_settings
    fill(settings, "first")
    before = state(settings)
    back_up(settings, tmp_path / "b.tar")

    def die(*_: object) -> None:
        raise StoreError("the server went away")

    with monkeypatch.context() as broken:
        broken.setattr(backup_home, "load_tables", die)
        with pytest.raises(StoreError):
            restore(settings, tmp_path / "b.tar", replace=True)
    with pytest.raises(RefusedError, match="--replace"):
        Store.open(settings)
    restore(settings, tmp_path / "b.tar", replace=True)
    assert state(settings) == before


@pytest.fixture
def postgres_settings(postgres: str, tmp_path: Path) -> Settings:
    """A home whose tables lie in PostgreSQL."""
    return Settings(home=tmp_path / "home", database=SecretStr(parse_url(postgres).render_as_string(hide_password=False)))


KILLED = """
import os, sys
from pathlib import Path
import serve.backup.home as home
from serve.settings import Settings
step, count = sys.argv[3], [0]
def dying(name, real):
    def run(*args, **kwargs):
        if step == name + ":before":
            os.kill(os.getpid(), 9)
        out = real(*args, **kwargs)
        if step == name + ":after":
            os.kill(os.getpid(), 9)
        return out
    return run
for name in ("unpack", "load_tables", "_exchange"):
    setattr(home, name, dying(name, getattr(home, name)))
home.restore(Settings(home=Path(sys.argv[1])), Path(sys.argv[2]), replace=True)
"""


@pytest.mark.parametrize("step", ["unpack:after", "load_tables:after", "_exchange:before", "_exchange:after"])
def test_a_kill_leaves_the_old_state_or_the_new_one(tmp_path: Path, step: str) -> None:
    settings = Settings(home=tmp_path / "home")
    fill(settings, "first")
    old = state(settings)
    back_up(settings, tmp_path / "b.tar")
    fill(settings, "second")
    new = state(settings)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", KILLED, str(settings.home), str(tmp_path / "b.tar"), step]
    done = subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert state(settings) == (old if step == "_exchange:after" else new)
    restore(settings, tmp_path / "b.tar", replace=True)
    assert state(settings) == old
    assert leftovers(tmp_path) == []


def test_from_the_command_line(gauge: Gauge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=tmp_path / "home")
    monkeypatch.setenv("GAUGE_HOME", str(settings.home))
    assert "nothing to back up" in gauge("backup", tmp_path / "b.tar").err
    fill(settings, "first")
    before = state(settings)
    assert gauge("backup", tmp_path / "b.tar", "--json").objects()[0]["files"] > 5
    fill(settings, "second")
    refused = gauge("restore", tmp_path / "b.tar")
    assert (refused.code, refused.out) == (1, "")
    assert "--replace" in refused.err
    assert "every one checked" in gauge("restore", tmp_path / "b.tar", "--replace").out
    assert state(settings) == before
    assert gauge("restore", tmp_path / "gone.tar", "--replace").code == 1
