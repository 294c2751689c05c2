"""`kill -9` in the middle of work: what was acknowledged is there after the restart, once, and what was not can be sent again.

A real server process costs seconds to start and is for `slow`; a forked child that dies at a chosen step does not.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import httpx
import pytest

from serve.api import inspecting
from serve.api.auth import LOCAL_CALLER
from serve.api.inspecting import Order, Upload, Wishes, make_reports
from serve.api.metrics import Metrics
from serve.api.parts import Parts
from serve.commands.serve_bench_server import ServerProcess, start_server
from serve.monitor.degradation import Degradation
from serve.settings import Settings
from serve.store.idempotency import Idempotency
from serve.store.photos import Photos
from serve.store.reports import Reports
from serve.store.store import Store
from serve.store.usage import Usage
from tests.serve.doubles import picture_bytes
from tests.serve.runs import make_run

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
"""Of the client's sockets that a kill tears."""

COMMAND = ("-m", "tests.serve.double_server")
CLIENTS = 4
ENDED = (0, -signal.SIGTERM)
"""Ended as told: uvicorn hands the signal on when it is done."""


@pytest.fixture(scope="module")
def manuals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manuals that all these servers share, so that none publishes them anew."""
    return tmp_path_factory.mktemp("manuals")


class Home(NamedTuple):
    """A home, and how a server is started on it."""

    folder: Path
    manuals: Path

    def start(self, read_s: float = 0.0, **settings: str) -> ServerProcess:
        environment = {
            "GAUGE_TEST_READ_S": str(read_s),
            "GAUGE_TEST_MANUALS": str(self.manuals),
            "GAUGE_RATE_LIMIT": "1000000/minute",
            **settings,
        }
        server = start_server(self.folder, environment=environment, command=COMMAND)
        server.wait_until_ready()
        return server


@pytest.fixture
def home(tmp_path: Path, manuals: Path) -> Iterator[Home]:
    yield Home(tmp_path / "home", manuals)
    for log in tmp_path.glob("*.log"):
        assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


def photo(number: int) -> bytes:
    """A picture that is like no other."""
    return picture_bytes(size=(90 + number % 50, 60 + number // 50))


def send(client: httpx.Client, url: str, number: int) -> str | None:
    """The id of the kept report, None where the request was not acknowledged."""
    try:
        answer = client.post(
            f"{url}/inspect",
            files={"file": (f"{number}.png", photo(number))},
            data={"place": "P-1"},
            headers={"Idempotency-Key": f"photo-{number}"},
        )
    except httpx.HTTPError:
        return None
    if answer.status_code == 200:
        return str(answer.json()["id"])
    assert answer.status_code in (409, 503), answer.text
    return None


def send_until_killed(server: ServerProcess, after: int, count: int) -> dict[int, str]:
    """What was acknowledged until the server was killed, some time after `after` answers."""
    acknowledged: dict[int, str] = {}
    enough = threading.Event()

    def work(numbers: range) -> None:
        with httpx.Client(timeout=60, trust_env=False) as client:
            for number in numbers:
                made = send(client, server.url, number)
                if made is None:
                    return
                acknowledged[number] = made
                if len(acknowledged) >= after:
                    enough.set()

    with ThreadPoolExecutor(CLIENTS) as pool:
        done = [pool.submit(work, range(start, count, CLIENTS)) for start in range(CLIENTS)]
        assert enough.wait(120)
        server.kill()
        for one in done:
            one.result(60)
    return acknowledged


def check_books(home: Path) -> None:
    for name in ("gauge.sqlite", "traces.sqlite", "history.sqlite"):
        with closing(sqlite3.connect(home / name)) as book:
            assert book.execute("PRAGMA integrity_check").fetchone() == ("ok",), name
    assert list((home / "photos").rglob("*.part")) == [] or all(
        time.time() - path.stat().st_mtime < 3600 for path in (home / "photos").rglob("*.part")
    )


def check_all_once(server: ServerProcess, acknowledged: dict[int, str], count: int) -> None:
    """Every acknowledged report is there with its photo; sent again, each request has one report, the acknowledged one."""
    with httpx.Client(timeout=60, trust_env=False) as client:
        for number, made in acknowledged.items():
            assert client.get(f"{server.url}/reports/{made}").json()["inspection"]["reading"]["photo"] == f"{number}.png"
            assert client.get(f"{server.url}/reports/{made}/photo").content == photo(number)
        finished = {number: send(client, server.url, number) for number in range(count)}
        assert None not in finished.values(), "a key of a killed server is free"
        assert {number: finished[number] for number in acknowledged} == acknowledged
        shown, before = [], None
        while True:
            page = client.get(f"{server.url}/reports", params={"limit": 20, **({"before": before} if before else {})}).json()[
                "reports"
            ]
            if not page:
                break
            shown += [line["id"] for line in page]
            before = shown[-1]
        assert sorted(shown) == sorted(str(made) for made in finished.values()), "none lost, none twice"


def check_after(home: Home, acknowledged: dict[int, str], count: int) -> None:
    """A server that is started on a killed one's home has everything, once, and leaves whole books."""
    again = home.start()
    try:
        check_all_once(again, acknowledged, count)
    finally:
        assert again.stop() in ENDED
    check_books(home.folder)


@pytest.mark.slow
def test_a_kill_under_load_loses_nothing_and_doubles_nothing(home: Home) -> None:
    count = 40
    server = home.start(read_s=0.02)
    acknowledged = send_until_killed(server, after=6, count=count)
    assert 6 <= len(acknowledged) < count
    check_after(home, acknowledged, count)


@pytest.mark.slow
def test_ten_kills_in_a_row(home: Home) -> None:
    count, acknowledged = 200, {}
    for turn in range(10):
        server = home.start(read_s=0.01)
        fresh = send_until_killed(server, after=4 + turn, count=count)
        assert all(acknowledged.get(number, made) == made for number, made in fresh.items()), "one request, one report"
        acknowledged.update(fresh)
    check_after(home, acknowledged, count)


@pytest.mark.slow
def test_told_to_end_it_finishes_what_it_took_and_refuses_what_is_new(home: Home) -> None:
    server = home.start(read_s=1.5)
    with ThreadPoolExecutor(2) as pool, httpx.Client(timeout=60, trust_env=False) as client:
        taken = pool.submit(send, client, server.url, 1)
        time.sleep(0.6)
        os.kill(server.process.pid, signal.SIGTERM)
        time.sleep(0.2)
        with httpx.Client(timeout=10, trust_env=False) as late:
            assert late.get(f"{server.url}/ready").status_code == 503
            refused = late.post(f"{server.url}/inspect", files={"file": ("a.png", photo(2))})
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        made = taken.result(60)
    assert server.process.wait(60) in ENDED
    assert made is not None, "what was taken is finished"
    with closing(sqlite3.connect(home.folder / "gauge.sqlite")) as book:
        assert book.execute("SELECT id FROM reports").fetchall() == [(made,)]


STEPS = (
    (Idempotency, "begin"),
    (Usage, "spend"),
    (Photos, "keep"),
    (Reports, "add"),
    (Idempotency, "finish"),
    (Store, "keep_reports"),
)


def order_of(data: bytes) -> Order:
    return Order(LOCAL_CALLER, "r-1", (Upload("a.png", data),), Wishes(place="P-1"), key="only-once")


def work(store: Store, data: bytes) -> str:
    """What a request does between the upload and its answer, with a reading that is known."""
    degradation = Degradation(store.database)
    parts = SimpleNamespace(settings=store.settings, store=store, metrics=Metrics(), degradation=degradation)
    (report,) = make_reports(cast(Parts, parts), order_of(data))
    return report.id


def die_at(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, moment: str) -> None:
    """This process is killed as soon as it comes to a step, or when that is done."""
    real = getattr(owner, name)

    def last(*args: Any, **options: Any) -> Any:
        if moment == "after":
            real(*args, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(owner, name, last)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(("owner", "name"), STEPS, ids=[f"{owner.__name__}.{name}" for owner, name in STEPS])
def test_killed_at_any_step_a_request_is_done_once_when_it_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type, name: str, moment: str
) -> None:
    settings, data = Settings(home=tmp_path / "home"), picture_bytes()
    run = make_run(sha256=hashlib.sha256(data).hexdigest())
    monkeypatch.setattr(inspecting, "_runs", lambda *_: [run])
    Store.open(settings).close()
    child = os.fork()
    if child == 0:  # Never back into pytest, whatever happens.
        try:
            die_at(monkeypatch, owner, name, moment)
            work(Store(settings), data)
        finally:
            os._exit(77)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, "it came to the step"
    store = Store.open(settings)
    try:
        before = [line.id for line in store.reports.list("local", limit=10)]
        assert bool(before) == (name == "keep_reports" and moment == "after"), "kept whole at the last step, and not before"
        made = work(store, data)
        assert work(store, data) == made
        assert [line.id for line in store.reports.list("local", limit=10)] == [made]
        assert before in ([], [made]), "what was kept is the answer"
        assert store.photos.find("local", run.inspection.reading.sha256 or "").path.read_bytes() == data
    finally:
        store.close()
