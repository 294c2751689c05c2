"""What `gauge batch` runs: sources, journal, engine, progress on the terminal, table and summary."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from serve.batch.journal import Journal
from serve.batch.pool import PoolEngine, available_cores
from serve.batch.run import Batch, Progress
from serve.batch.sources import Found, find_photos
from serve.batch.stage import Engine, Stage
from serve.batch.summary import Heading, render_summary, tally, write_summary
from serve.batch.summary_words import Language
from serve.batch.tables import check_output, write_table
from serve.settings import load_settings
from vision.photos import display_name

MOST_PROBLEMS = 20
"""Photos and folders named on the terminal; the table and the summary have them all."""


class BatchOrder(NamedTuple):
    """A batch as it was asked for. `opener` is the stage's; None for the product's reader."""

    sources: tuple[str, ...]
    out: Path
    model: str | None = None
    weights: str | None = None
    workers: int | None = None
    engine: Literal["local", "ray"] = "local"
    address: str | None = None
    fresh: bool = False
    language: Language | None = None
    opener: str | None = None


class Finished(NamedTuple):
    """What to say at the end: problems in a line each, the rest as a text. `failed` where something was not opened or read."""

    text: str
    problems: tuple[str, ...]
    failed: bool
    progress: Progress


def run_batch(order: BatchOrder) -> Finished:
    """Read the photos of an order and write table and summary.

    Raises BatchError where it cannot be begun or continued. KeyboardInterrupt passes after what was read is written.
    """
    check_output(order.out)
    found = find_photos(order.sources)
    stage = Stage(weights=order.weights, model=order.model)
    if order.opener is not None:
        stage = stage.model_copy(update={"opener": order.opener})
    asked = {"model": order.model, "weights": order.weights}
    began = time.monotonic()
    with Journal(journal_path(order.out), asked, fresh=order.fresh) as journal:
        batch = Batch(found, journal, order.out)
        try:
            with _Bar(batch.progress) as bar, _engine(order, stage) as engine:
                batch.run(engine, bar.show)
        except KeyboardInterrupt:
            write_table(order.out, batch.rows())
            now = batch.progress
            raise KeyboardInterrupt(f"{now.done} of {now.total} photos are in {order.out}; the same command goes on") from None
        seconds = time.monotonic() - began
        counted = tally(batch.outcomes())
        heading = Heading(batch.progress, found.skipped, found.repeated, found.other_files, seconds)
        page = render_summary(heading, counted, order.language or load_settings().language)
        write_summary(summary_path(order.out), page)
    problems = [f"{name}: {reason}" for name, reason in counted.errors]
    problems += [f"{display_name(one.path)}: {one.reason}" for one in found.skipped]
    failed = batch.progress.errors > 0 or any(one.lost for one in found.skipped)
    return Finished(
        _text(order.out, found, batch.progress, seconds), _shortened(problems, batch.progress), failed, batch.progress
    )


def journal_path(out: Path) -> Path:
    """The journal of a table."""
    return out.with_name(out.name + ".journal")


def summary_path(out: Path) -> Path:
    """The summary of a table."""
    return out.with_suffix(".html")


def _engine(order: BatchOrder, stage: Stage) -> AbstractContextManager[Engine]:
    workers = order.workers or available_cores()
    if order.engine == "ray":
        from serve.batch.ray_engine import RayEngine

        return RayEngine(stage, order.workers, order.address)
    return PoolEngine(stage, workers)


def _shortened(problems: list[str], progress: Progress) -> tuple[str, ...]:
    more = len(problems) - MOST_PROBLEMS
    return tuple(problems) if more <= 0 else (*problems[:MOST_PROBLEMS], f"and {max(more, progress.errors - MOST_PROBLEMS)} more")


def _text(out: Path, found: Found, now: Progress, seconds: float) -> str:
    counts = [f"{now.read} read", f"{now.abstained} not read", f"{now.errors} failed"]
    aside = [
        f"{count} {what}"
        for count, what in (
            (now.duplicates, "with the bytes of another one"),
            (now.earlier, "read by an earlier run"),
            (found.repeated, "named more than once"),
            (found.other_files, "other files left aside"),
        )
        if count
    ]
    fresh = now.done - now.earlier
    rate = f", {fresh / seconds:.2f} photos/s" if fresh and seconds > 0 else ""
    lines = [f"{now.total} photos: {', '.join(counts)}; {now.instruments} instruments{rate}"]
    lines += [f"Of these or beside them: {', '.join(aside)}"] if aside else []
    return "\n".join([*lines, f"Table in {out}, summary in {summary_path(out)}"])


class _Bar:
    """The bar on stderr: photos, rate, remaining time; instruments and what was not read beside it."""

    def __init__(self, progress: Progress) -> None:
        from tqdm import tqdm

        self._bar = tqdm(total=progress.total, desc="reading", unit="photo", dynamic_ncols=True)
        self._begun = False

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._bar.close()

    def show(self, now: Progress) -> None:
        """Draw what is done; what an earlier run did is no part of the rate."""
        if not self._begun:
            self._begun = True
            self._bar.initial = self._bar.n = now.done
        self._bar.set_postfix_str(f"{now.instruments} instruments, {now.abstained} not read, {now.errors} failed", refresh=False)
        self._bar.update(now.done - self._bar.n)
