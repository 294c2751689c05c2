"""`gauge bench serve`: what it says follows from the answers, and the clients really ask."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from serve.api.app import create_app
from serve.commands.serve_bench import Load, load_of, load_server, memory_of, slope_of
from serve.commands.serve_bench_load import Answered, LoadPhoto
from serve.commands.serve_bench_monitor import WATCH, MonitorCost, measure_monitor, monitor_text
from serve.commands.serve_bench_overhead import Spent, overhead_of
from serve.commands.serve_bench_photos import mixed_photos
from serve.commands.serve_bench_server import ServerError, ServerProcess, start_server
from serve.commands.serve_bench_text import JSON_NAME, LATENCY_NAME, MEMORY_NAME, ServeBench, serve_text, write_bench
from serve.service import Service
from tests.serve.doubles import picture_bytes
from tests.serve.live import serving
from vision.photos import PhotoError, load_photo


def answer(number: int, took_s: float = 0.5, status: int = 200, expected: bool = True) -> Answered:
    return Answered(number=number, kind="dial", sent_s=0.1 * number, took_s=took_s, status=status, expected=expected)


def test_a_quick_refusal_is_no_fast_answer() -> None:
    answers = [answer(0, 1.0), answer(1, 2.0), answer(2, 0.01, 503, False)]
    load = load_of(answers, clients=2, processor_s=3.0)
    assert load.failed == 1
    assert load.statuses == {200: 2, 503: 1}
    assert load.p50_s == pytest.approx(1.5)
    assert load.per_second == pytest.approx(2 / 2.1), "two good ones until the last answer came"
    assert load.processor_s == pytest.approx(1.0)


def test_nothing_answered_is_no_number() -> None:
    load = load_of([answer(0, 1.0, 0, False)], clients=1, processor_s=0.0)
    assert math.isnan(load.per_second)
    assert math.isnan(load.p50_s)
    assert json.loads(load.model_dump_json())["per_second"] is None


@pytest.mark.parametrize("leak_mib", [0.0, 0.05])
def test_a_leak_is_seen_and_noise_is_none(leak_mib: float) -> None:
    rng = np.random.default_rng(4)
    samples = [(number, 500 + leak_mib * number + float(rng.normal(0, 2))) for number in range(1000)]
    slope, low, high = slope_of(samples)
    assert low <= 1000 * leak_mib <= high
    assert (low > 20) == (leak_mib > 0)
    assert high - low < 10
    assert slope == pytest.approx(1000 * leak_mib, abs=3)


def test_what_fills_at_first_is_no_leak_and_few_requests_give_no_slope() -> None:
    samples = [(number, 500 + min(number, 100) * 1.0) for number in range(1000)]
    assert slope_of(samples)[2] < 1e-6
    assert all(math.isnan(value) for value in slope_of(samples[:50]))


def test_overhead_is_of_each_photo_and_by_both_watches() -> None:
    reader = [Spent(1.0, 1.0), Spent(2.0, 2.0), Spent(10.0, 1.0)]
    http = [Spent(1.1, 1.05), Spent(2.2, 2.1), Spent(11.0, 1.05)]
    overhead = overhead_of({"reader": reader, "inspection": reader, "http": http})
    assert overhead.service_clock == pytest.approx(0.1)
    assert overhead.door_processor == pytest.approx(0.05)
    assert overhead.photos == 3
    assert overhead.http.clock_s == pytest.approx(2.2)


def make_bench(high: float = 5.0, processor: float = 0.08) -> ServeBench:
    samples = tuple((number, 500.0) for number in range(4))
    memory = memory_of([answer(0)], samples).model_copy(update={"slope": 1.0, "slope_low": -3.0, "slope_high": high})
    spent = [Spent(1.0, 1.0)]
    more = [Spent(1.2, 1.0 + processor)]
    loads = tuple(load_of([answer(0), answer(1)], clients=count, processor_s=1.0) for count in (1, 4))
    overhead = overhead_of({"reader": spent, "inspection": spent, "http": more})
    return ServeBench(start_s=7.0, threads="1 of 2 cores", loads=loads, overhead=overhead, memory=memory)


def test_tables_say_whether_the_goals_are_met() -> None:
    text = serve_text(make_bench())
    assert text.count(": met") == 2
    assert "+20.0 % and +8.0 %" in text
    assert serve_text(make_bench(high=25.0, processor=0.2)).count(": missed") == 2
    assert "too few requests" in serve_text(ServeBench(start_s=1.0, threads="1", memory=memory_of([answer(0)], [(0, 1.0)])))


def test_what_failed_stands_beside_how() -> None:
    load = load_of([answer(0), answer(1, 9.0, 503, False), answer(2, 9.0, 0, False)], clients=16, processor_s=1.0)
    assert "2 of 1 x no answer, 1 x 200, 1 x 503" in serve_text(ServeBench(start_s=1.0, threads="1", loads=(load,)))


def test_the_folder_has_tables_numbers_and_plots(tmp_path: Path) -> None:
    write_bench(make_bench(), tmp_path)
    again = ServeBench.model_validate_json((tmp_path / JSON_NAME).read_text())
    assert again == make_bench()
    for name in (LATENCY_NAME, MEMORY_NAME):
        assert load_photo(tmp_path / name).width > 400


def test_the_mix_holds_good_and_bad_photos(tmp_path: Path) -> None:
    photos = mixed_photos(tmp_path, rounds=1)
    assert len(photos) == 10
    for photo in photos:
        try:
            load_photo(Path(photo.path))
            opened = True
        except PhotoError:
            opened = False
        assert opened == (photo.expected == (200,)), photo.kind


def test_clients_of_their_own_process_ask_a_real_server(service: Service, tmp_path: Path) -> None:
    good, bad = tmp_path / "a.png", tmp_path / "b.txt"
    good.write_bytes(picture_bytes())
    bad.write_bytes(b"none")
    photos = [
        LoadPhoto(path=str(good), kind="dial", expected=(200,)),
        LoadPhoto(path=str(bad), kind="text", expected=(415,)),
        LoadPhoto(path=str(bad), kind="wrong", expected=(200,)),
    ]
    seen: list[int] = []
    with serving(create_app(service.settings, service)) as url:
        server = ServerProcess.__new__(ServerProcess)
        server.url = url
        answers = load_server(server, photos, clients=3, requests=9, label="test", seen=lambda one: seen.append(one.number))
    assert sorted(seen) == list(range(9))
    assert {one.kind: one.expected for one in answers} == {"dial": True, "text": True, "wrong": False}
    load = load_of(answers, 3, 1.0)
    assert isinstance(load, Load)
    assert (load.requests, load.failed, load.statuses) == (9, 3, {200: 3, 415: 6})


def test_the_cost_of_the_monitor_is_told_a_request_and_a_minute() -> None:
    cost = MonitorCost(requests=50, off_s=0.02, on_s=0.0215, idle_off_s=0.1, idle_on_s=0.45, measures_s=12.4)
    text = serve_text(ServeBench(start_s=1.0, threads="1", monitor=cost))
    assert "over 50 requests" in text
    assert "20.0 ms of the processor a request without, 21.5 with it" in text
    assert "0.10 s and 0.45 s" in text
    assert "once: 12 s" in text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_the_monitor_costs_little_beside_a_request(tmp_path: Path) -> None:
    """Two server processes around the double, whose requests cost next to nothing: the monitor's share is at its largest."""
    photo = tmp_path / "a.png"
    photo.write_bytes(picture_bytes())
    photos = [LoadPhoto(path=str(photo), kind="dial", expected=(200,))]
    roomy = {"GAUGE_RATE_LIMIT": "1000000/minute"}
    command = ("-m", "tests.serve.double_server")
    off = start_server(tmp_path / "off", environment=roomy, command=command)
    on = start_server(tmp_path / "on", environment={**roomy, **WATCH}, command=command)
    try:
        for server in (off, on):
            server.wait_until_ready()
            load_server(server, photos, clients=1, requests=4, label="warm-up")
        cost = measure_monitor(off, on, photos, 200)
    finally:
        on.stop()
        off.stop()
    print(f"\n{monitor_text(cost)}")
    assert cost.on_s - cost.off_s < 0.1
    assert cost.idle_on_s - cost.idle_off_s < 10


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    server = start_server(tmp_path / "home", command=("-c", "raise SystemExit('no weights here')"))
    with pytest.raises(ServerError, match="no weights here"):
        server.wait_until_ready(limit_s=60)


def test_the_command_says_what_it_measures() -> None:
    from serve.cli import app

    shown = CliRunner().invoke(app, ["bench", "serve", "--help"])
    assert shown.exit_code == 0
    assert "memory" in shown.output
    assert CliRunner().invoke(app, ["bench", "serve", "--clients", "0"]).exit_code == 2
