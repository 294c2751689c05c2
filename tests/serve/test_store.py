"""The store on both databases: what was kept is given back, to its tenant alone, and counted right."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from pydantic import SecretStr

from rag.pipeline import Run
from serve.settings import Settings
from serve.store import ids
from serve.store.database import Database, parse_url
from serve.store.errors import NotFoundError, QuotaError, RefusedError, StoreError
from serve.store.feedback import Correction
from serve.store.idempotency import DoneError, InProgressError
from serve.store.ids import new_id, owner_is_gone, this_owner
from serve.store.reports import StoredReport, make_report
from serve.store.store import Store
from serve.store.tables import idempotency, photos, reports
from serve.store.tenants import LOCAL, Limits, tenant_home
from tests.serve.doubles import abstained_dial, make_dial, picture_bytes
from tests.serve.runs import make_run, report_options


def keep(store: Store, tenant: str = "a", run: Run | None = None, **options: object) -> StoredReport:
    report = make_report(tenant, run or make_run(), **report_options(**options))
    store.keep_reports([report])
    return report


def test_a_report_comes_back_as_it_was_kept(store: Store) -> None:
    report = keep(store, place="pump 1")
    assert store.reports.get("a", report.id) == report
    assert (report.value, report.low, report.high, report.unit) == (50.0, 48.5, 51.5, "MPa")
    assert (report.kind, report.model, report.place) == ("dial", "XYZ-2000", "pump 1")


def test_hostile_texts_are_data(store: Store) -> None:
    evil = "x'); DROP TABLE reports; --\u202e压力 😀" + "y" * 5000
    report = keep(store, place=evil)
    assert store.reports.get("a", report.id).place == evil
    assert [one.id for one in store.reports.list("a", place=evil)] == [report.id]
    assert store.reports.list("a", place="%") == ()


def test_no_tenant_sees_anothers(store: Store) -> None:
    report = keep(store, "a", place="pump")
    sha256 = store.photos.keep("a", b"\x89PNGx")
    job = store.jobs.add("a", "batch", {})
    store.feedback.add("a", Correction(report=report.id))
    with pytest.raises(NotFoundError):
        store.reports.get("b", report.id)
    with pytest.raises(NotFoundError):
        store.reports.list("b", before=report.id)
    with pytest.raises(NotFoundError):
        store.photos.find("b", sha256)
    with pytest.raises(NotFoundError):
        store.jobs.get("b", job.id)
    with pytest.raises(NotFoundError):
        store.jobs.cancel("b", job.id)
    with pytest.raises(NotFoundError):
        store.feedback.add("b", Correction(report=report.id))
    assert store.jobs.get("a", job.id).state == "queued"
    assert store.feedback.of_report("b", report.id) == ()
    assert store.reports.list("b") == store.reports.places("b") == store.reports.history("b", "pump") == ()
    assert store.reports.by_model("b") == store.jobs.list("b") == ()


def test_pages_hold_every_report_once_newest_first(store: Store) -> None:
    made = [keep(store, place="p" if n % 2 else None) for n in range(7)]
    seen: list[str] = []
    while page := store.reports.list("a", limit=3, before=seen[-1] if seen else None):
        seen += [one.id for one in page]
    assert sorted(seen) == sorted(one.id for one in made)
    moments = [store.reports.get("a", one).created for one in seen]
    assert moments == sorted(moments, reverse=True)
    assert {one.id for one in store.reports.list("a", place="p")} == {one.id for one in made[1::2]}


def test_reports_of_the_same_moment_are_not_lost_between_pages(store: Store) -> None:
    made = [make_report("a", make_run(), **report_options()).model_copy(update={"created": 1000.0}) for _ in range(5)]
    store.keep_reports(made)
    first = store.reports.list("a", limit=2)
    rest = store.reports.list("a", limit=9, before=first[-1].id)
    assert {one.id for one in (*first, *rest)} == {one.id for one in made}
    assert len(first) + len(rest) == 5


def test_a_place_has_its_history_with_what_was_not_read(store: Store) -> None:
    keep(store, place="p")
    keep(store, place="p", run=make_run(abstained_dial(10, 10)))
    newest = keep(store, place="p", run=make_run(make_dial(10, 10), abstained_dial(10, 10)))
    keep(store, place="q")
    history = store.reports.history("a", "p")
    assert [(one.value, one.reason) for one in history] == [
        (50.0, None), (None, "the needle is hidden"), (50.0, None), (None, "the needle is hidden"),
    ]  # fmt: skip
    assert [one.created for one in history] == sorted(one.created for one in history)
    assert store.reports.history("a", "p", limit=1)[0].report == newest.id
    lines = {line.place: line for line in store.reports.places("a")}
    assert {place: line.reports for place, line in lines.items()} == {"p": 3, "q": 1}
    assert lines["p"].newest.id == newest.id


def test_models_are_counted_with_what_was_not_read(store: Store) -> None:
    keep(store)
    keep(
        store, run=make_run(make_dial(9, 9, "XYZ-2000"), abstained_dial(9, 9).model_copy(update={"instrument_model": "XYZ-2000"}))
    )
    assert store.reports.by_model("a") == (("XYZ-2000", 3, 1),)


def test_reports_are_kept_all_or_none(store: Store) -> None:
    good = make_report("a", make_run(), **report_options())
    with pytest.raises(Exception, match=r"UNIQUE|duplicate"):
        store.keep_reports([good, good])
    assert store.reports.list("a") == ()


def test_old_reports_go_with_what_hangs_on_them(store: Store) -> None:
    old, new = keep(store, place="p"), keep(store, place="p")
    store.feedback.add("a", Correction(report=old.id))
    with store.database.write() as db:
        db.execute(reports.update().where(reports.c.id == old.id).values(created=time.time() - 400 * 86400))
    assert store.sweep().reports == 1
    assert [one.id for one in store.reports.list("a")] == [new.id]
    assert [one.report for one in store.reports.history("a", "p")] == [new.id]
    assert store.feedback.of_report("a", old.id) == ()


def test_a_photo_is_one_file_a_content(store: Store) -> None:
    data = picture_bytes()
    assert store.photos.keep("a", data) == store.photos.keep("a", data) == hashlib.sha256(data).hexdigest()
    stored = store.photos.find("a", hashlib.sha256(data).hexdigest())
    assert (stored.path.read_bytes(), stored.media_type, stored.path.suffix) == (data, "image/png", ".png")
    assert [path for path in store.photos.folder.rglob("*") if path.is_file()] == [stored.path]
    assert store.photos.used_mib("a") == pytest.approx(len(data) / 2**20)


def test_photos_go_by_age_and_left_over_files_too(store: Store) -> None:
    old, new = store.photos.keep("a", b"\xff\xd8\xffold"), store.photos.keep("a", b"\xff\xd8\xffnew")
    left = store.photos.folder / "a" / ".half.part"
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    with store.database.write() as db:
        db.execute(photos.update().where(photos.c.sha256 == old).values(kept=time.time() - 31 * 86400))
    assert store.sweep().photos == 1
    with pytest.raises(NotFoundError):
        store.photos.find("a", old)
    assert store.photos.find("a", new).path.is_file()
    assert not left.exists()


def test_a_photo_whose_file_went_is_not_there(store: Store) -> None:
    sha256 = store.photos.keep("a", b"BM1")
    store.photos.find("a", sha256).path.unlink()
    with pytest.raises(NotFoundError, match="not kept"):
        store.photos.find("a", sha256)


def test_a_photo_that_the_disk_refuses_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("serve.store.photos.os.fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        store.photos.keep("a", b"BM1")
    assert [path for path in store.photos.folder.rglob("*") if path.is_file()] == []
    assert store.photos.used_mib("a") == 0


def test_quotas_hold_for_tenants_with_keys(store: Store) -> None:
    store.tenants.limit("a", Limits(photos_per_day=3))
    store.spend_photos("a", 2, 0.1)
    with pytest.raises(QuotaError) as caught:
        store.spend_photos("a", 2, 0.1)
    assert 0 < (caught.value.retry_after_s or 0) <= 86400
    store.spend_photos("a", 1, 0.1)
    store.tenants.limit("b", Limits(max_mib=1.0))
    with pytest.raises(QuotaError, match="1 MiB") as disk:
        store.spend_photos("b", 1, 1.5)
    assert disk.value.retry_after_s is None
    assert store.usage.spent("b", "photos") == 0
    store.spend_photos(LOCAL, 10**6, 10**6)


def test_two_at_once_cannot_pass_a_quota_together(store: Store) -> None:
    def spend(_: int) -> bool:
        try:
            store.usage.spend("a", "photos", 1, most=10)
        except QuotaError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(spend, range(20))) == 10
    assert store.usage.spent("a", "photos") == 10
    store.usage.give_back("a", "photos", 4)
    assert store.usage.spent("a", "photos") == 6


def test_the_same_request_is_one_piece_of_work(store: Store) -> None:
    assert store.idempotency.begin("a", "k", "f", 60) is None
    with pytest.raises(InProgressError):
        store.idempotency.begin("a", "k", "f", 60)
    report = make_report("a", make_run(), **report_options())
    store.keep_reports([report], key="k")
    assert store.idempotency.begin("a", "k", "f", 60) == (report.id,)
    with pytest.raises(RefusedError, match="another request"):
        store.idempotency.begin("a", "k", "other", 60)
    assert store.idempotency.begin("b", "k", "other", 60) is None


def test_who_comes_late_keeps_nothing(store: Store) -> None:
    store.idempotency.begin("a", "k", "f", lease_s=-1)
    assert store.idempotency.begin("a", "k", "f", 60) is None  # The lease of the first has run out.
    first, second = (make_report("a", make_run(), **report_options()) for _ in range(2))
    store.keep_reports([first], key="k")
    with pytest.raises(DoneError) as caught:
        store.keep_reports([second], key="k")
    assert caught.value.made == (first.id,)
    assert [one.id for one in store.reports.list("a")] == [first.id]


def test_a_dead_process_holds_no_request(store: Store) -> None:
    store.idempotency.begin("a", "k", "f", 3600)
    dead = this_owner().rsplit(":", 2)[0] + ":999999999:1.00"
    with store.database.write() as db:
        db.execute(idempotency.update().values(owner=dead))
    assert store.idempotency.begin("a", "k", "f", 60) is None
    store.idempotency.give_up("a", "k")
    assert store.idempotency.begin("a", "k", "other", 60) is None


@pytest.mark.parametrize("key", ["", "two words", "x" * 201, "\u202e", "a\nb"])
def test_what_is_no_idempotency_key(store: Store, key: str) -> None:
    with pytest.raises(RefusedError):
        store.idempotency.begin("a", key, "f", 60)


def test_a_correction_stands_beside_its_report(store: Store) -> None:
    report = keep(store)
    kept = store.feedback.add("a", Correction(report=report.id, instrument=1, value=47.5, unit="bar", note="压力"), 7)
    assert store.feedback.of_report("a", report.id) == (kept,)
    assert (kept.value, kept.unit, kept.failure_case, kept.note) == (47.5, "bar", 7, "压力")


def test_the_store_says_whether_it_can_keep(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.check()
    monkeypatch.setattr("serve.store.store.MIN_FREE_MIB", 1e12)
    with pytest.raises(StoreError, match="full"):
        store.check()


def test_a_lock_that_another_process_holds_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serve.store.database.BUSY_S", 0.05)
    store, other = (Store.open(Settings(home=tmp_path)) for _ in range(2))
    with other.database.write(), pytest.raises(StoreError, match=r"gauge\.sqlite.*locked"):
        store.check()
    store.check()
    store.close()
    other.close()


@pytest.mark.parametrize(
    "address", ["mysql://u:secret@h/d", "nonsense secret", "postgresql+psycopg://u:secret@[::1", "sqlite://"]
)
def test_an_address_that_is_none_is_told_without_its_password(address: str) -> None:
    with pytest.raises(StoreError, match="GAUGE_DATABASE") as caught:
        parse_url(address)
    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    pytest.importorskip("psycopg")
    database = Database("postgresql://user:secret@127.0.0.1:1/gauge")
    with pytest.raises(StoreError, match="gauge") as caught:
        database.check()
    assert "secret" not in str(caught.value)
    database.close()
    assert Settings(database=SecretStr("postgres://u:p@h/d")).postgres_url == "postgres://u:p@h/d"


def test_ids_are_unguessable_and_owners_are_told_apart() -> None:
    ids = {new_id() for _ in range(500)}
    assert len(ids) == 500
    assert all(len(id) == 24 and id[0].isalnum() for id in ids)
    assert not owner_is_gone(this_owner())
    host, pid, started = this_owner().split(":")
    assert owner_is_gone(f"{host}:{pid}:1{started}")
    assert owner_is_gone(f"{host}:{pid}:{started}0"), "another boot"
    assert not owner_is_gone("elsewhere:1:2.00")
    assert not owner_is_gone("nonsense")


def test_a_step_of_the_clock_makes_no_process_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        owner = ids._owner(child.pid)
        monkeypatch.setattr(psutil.Process, "create_time", lambda _: time.time() - 86400.0)
        assert not owner_is_gone(owner)
        child.kill()
        until = time.monotonic() + 20
        while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < until:
            time.sleep(0.01)
        assert owner_is_gone(owner), "killed, and its parent did not take note"


def test_tenants_names_become_no_path(tmp_path: Path) -> None:
    assert tenant_home(tmp_path, LOCAL) == tmp_path
    for bad in ("", "..", "a/b", "A", "-a", "x" * 64, "a b", "a\n"):
        with pytest.raises(RefusedError):
            tenant_home(tmp_path, bad)
