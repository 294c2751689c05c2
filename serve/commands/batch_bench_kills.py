"""`kill -9` at random moments: workers, the batch itself, Ray's workers. In the end every photo has its one set of rows."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil

from serve.batch.errors import BatchError
from serve.batch.rows import Row
from serve.commands.batch_bench_stage import LIGHT
from vision.fields import Contract

SEED = 7
PHOTOS = 100
START_S, LONGEST_S = 60.0, 600.0
MODULE = "serve.commands.batch_bench_kills"
RAY_ACTOR = "ray::"


class Kills(Contract):
    """What kills did: how many of whom, over how many whole batches, and photos without rows, with two sets, with others."""

    victims: dict[str, int]
    batches: int
    lost: int
    doubled: int
    changed: int


def try_kills(folder: Path, count: int, *, ray: bool, photos: int = PHOTOS, seed: int = SEED) -> Kills:
    """Kill `count` times and compare every finished batch with one that nobody disturbed. Raises BatchError where none ends."""
    rng = random.Random(seed)  # noqa: S311 - moments, no secrets
    source = _many_files(folder / "kill-photos", photos)
    expected = _rows_after(_start(source, folder / "calm.jsonl", "local"), folder / "calm.jsonl")
    victims: Counter[str] = Counter()
    lost = doubled = changed = batches = 0
    while sum(victims.values()) < count:
        batches += 1
        engine = "ray" if ray and batches % 2 == 0 else "local"
        out = folder / f"killed-{batches}.jsonl"
        process = _start(source, out, engine)
        while sum(victims.values()) < count:
            if not _is_under_way(process, rng.uniform(0.05, 1.5)):
                break
            victim = _kill_one(process, rng)
            if victim is None:
                break
            victims[victim] += 1
            if victim == "parent":
                process.wait()
                process = _start(source, out, engine)
        rows = _rows_after(process, out)
        counts = Counter(row.photo for row in rows)
        lost += sum(row.photo not in counts for row in expected)
        doubled += sum(number > 1 for number in counts.values())
        changed += sum(a != b for a, b in zip(rows, expected, strict=False))
    return Kills(victims=dict(victims), batches=batches, lost=lost, doubled=doubled, changed=changed)


def _many_files(folder: Path, count: int) -> Path:
    """Small photos, each of other bytes: here nobody looks at what they show."""
    from PIL import Image

    folder.mkdir(parents=True)
    for number in range(count):
        Image.new("RGB", (64 + number, 48), (number % 256, 80, 120)).save(folder / f"{number:05d}.png")
    return folder


def _start(source: Path, out: Path, engine: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", MODULE, str(source), str(out), engine]
    with _said(out).open("wb") as file:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file)  # noqa: S603 - our own module


def _said(out: Path) -> Path:
    """What a batch says on its standard error."""
    return out.with_suffix(".err")


def _is_under_way(process: subprocess.Popen[bytes], pause_s: float) -> bool:
    """Whether, after a pause from the moment that it has workers on, the batch still runs."""
    deadline = time.monotonic() + START_S
    while process.poll() is None and not _workers(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    try:
        process.wait(pause_s)
    except subprocess.TimeoutExpired:
        return True
    return False


def _workers(process: subprocess.Popen[bytes]) -> list[tuple[str, psutil.Process]]:
    """The processes that read for a batch; none where it has ended."""
    found = []
    try:
        for one in psutil.Process(process.pid).children(recursive=True):
            line = " ".join(one.cmdline())
            if "spawn_main" in line:
                found.append(("worker", one))
            elif line.startswith(RAY_ACTOR):
                found.append(("Ray worker", one))
    except psutil.Error:
        return []
    return found


def _kill_one(process: subprocess.Popen[bytes], rng: random.Random) -> str | None:
    """Kill the batch or one of its workers; None where it ended by itself meanwhile."""
    name, victim = rng.choice([("parent", psutil.Process(process.pid)), *_workers(process)])
    try:
        victim.kill()
    except psutil.Error:
        return None
    return name


def _rows_after(process: subprocess.Popen[bytes], out: Path) -> list[Row]:
    """The rows of a batch that is let come to its end."""
    try:
        code = process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise BatchError(f"a batch of small photos did not end within {LONGEST_S:.0f} s") from None
    if code != 0:
        last = " ".join(_said(out).read_text(encoding="utf-8", errors="replace").split())[-500:]
        raise BatchError(f"a batch of small photos ended with code {code}: {last}")
    return [Row.model_validate_json(line) for line in out.read_text(encoding="utf-8").splitlines()]


def main(source: str, out: str, engine: str) -> int:
    """The batch that is killed: the command's own, with a stage that needs no model."""
    from serve.commands.batching import BatchOrder, run_batch

    order = BatchOrder((source,), Path(out), workers=2, engine="ray" if engine == "ray" else "local", opener=LIGHT)
    return int(run_batch(order).failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
