"""The summary of a batch as one HTML file: what was read, why the rest was not, by model, and the cases to look at first."""

from __future__ import annotations

import base64
import heapq
import io
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import jinja2

from rag.reasons import OTHER, localize_reason, reason_name
from serve.batch.rows import Outcome
from serve.batch.run import Progress
from serve.batch.sources import Skipped
from serve.batch.summary_words import WORDS, Language
from serve.overlay import draw_overlay
from serve.show import value_text
from vision.photos import PhotoError, display_name, load_photo

WORST = 24
MOST_REASONS, MOST_MODELS, MOST_NAMED = 40, 200, 50
THUMBNAIL_PX = 280
_UNREAD, _UNSTATED = 2.0, 0.5


class Heading(NamedTuple):
    """What stands at the top of a summary."""

    progress: Progress
    skipped: Sequence[Skipped]
    repeated: int
    other_files: int
    seconds: float | None = None


@dataclass(slots=True)
class ModelCount:
    """The instruments of a model, and how many of them were read."""

    instruments: int = 0
    read: int = 0


@dataclass(slots=True)
class Tally:
    """What a summary counts in one pass over the outcomes.

    `reasons` counts by the kind of reason, `examples` has the first one of each; `worst` holds (doubt, -number, outcome).
    """

    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    models: dict[str, ModelCount] = field(default_factory=dict)
    errors: list[tuple[str, str]] = field(default_factory=list)
    worst: list[tuple[float, int, Outcome]] = field(default_factory=list)

    def count_reason(self, text: str | None) -> None:
        """Count a reason; those that differ in numbers alone are one."""
        kind = reason_name(text)
        key = kind if kind != OTHER else (text or "?")
        self.reasons[key] += 1
        self.examples.setdefault(key, text or "?")


class Shown(NamedTuple):
    """A case to look at: its photo's name, what was said of it, and the picture as a data address where it can be drawn."""

    name: str
    lines: tuple[str, ...]
    picture: str | None


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """Count outcomes. A photo that was copied from another one counts as itself; pictures show it once."""
    found = Tally()
    for number, outcome in enumerate(outcomes):
        reading = outcome.reading
        if outcome.status == "error":
            reason = outcome.problem if reading is None else reading.reason
            found.count_reason(reason)
            if len(found.errors) < MOST_NAMED:
                found.errors.append((outcome.name, reason or "?"))
        if reading is None:
            continue
        if reading.status == "abstained" and not reading.instruments:
            found.count_reason(reading.reason)
        for one in reading.instruments:
            count = found.models.setdefault(one.instrument_model or "", ModelCount())
            count.instruments += 1
            count.read += one.status == "read"
            if one.status == "abstained":
                found.count_reason(one.reason)
        if outcome.duplicate_of is None and reading.status != "error":
            heapq.heappush(found.worst, (doubt(outcome), -number, outcome))  # The surest goes first, of equals the later.
            if len(found.worst) > WORST:
                heapq.heappop(found.worst)
    return found


def doubt(outcome: Outcome) -> float:
    """How much a photo wants to be looked at: 2 for one of which nothing was read, else 1 less its lowest confidence."""
    reading = outcome.reading
    if reading is None or not reading.instruments:
        return _UNREAD
    return max(_UNREAD if one.status == "abstained" else 1.0 - (one.value_confidence or _UNSTATED) for one in reading.instruments)


def render_summary(heading: Heading, found: Tally, language: Language) -> str:
    """The page."""
    words = {name: pair[language == "zh"] for name, pair in WORDS.items()}
    worst = sorted(found.worst, key=lambda one: (-one[0], -one[1]))
    reasons = [(localize_reason(found.examples[key], language), count) for key, count in found.reasons.most_common(MOST_REASONS)]
    models = sorted(found.models.items(), key=lambda item: (-item[1].instruments, item[0]))
    page = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = (resources.files("serve") / "batch" / "summary.html").read_text(encoding="utf-8")
    return page.from_string(template).render(
        t=words,
        lang="zh-Hans" if language == "zh" else "en",
        now=heading.progress,
        seconds=heading.seconds,
        repeated=heading.repeated,
        other_files=heading.other_files,
        skipped=[(display_name(one.path), one.reason) for one in heading.skipped[:MOST_NAMED]],
        reasons=reasons,
        models=[(name or words["no_model"], count) for name, count in models[:MOST_MODELS]],
        errors=[(name, localize_reason(reason, language)) for name, reason in found.errors],
        worst=[_shown(outcome, language) for _, _, outcome in worst],
    )


def _shown(outcome: Outcome, language: Language) -> Shown:
    reading = outcome.reading
    assert reading is not None
    lines = [
        f"{one.kind}: {value_text(one)}" + (f" ({one.value_confidence:.2f})" if one.value_confidence else "")
        if one.status == "read"
        else f"{one.kind}: {localize_reason(one.reason, language)}"
        for one in reading.instruments
    ]
    return Shown(outcome.name, tuple(lines) or (localize_reason(reading.reason, language),), _thumbnail(outcome))


def _thumbnail(outcome: Outcome) -> str | None:
    """The photo with what was read drawn on it; none where it is no longer the photo that was read."""
    try:
        photo = load_photo(Path(outcome.path), name=outcome.name)
    except PhotoError:
        return None
    if outcome.reading is None or photo.sha256 != outcome.sha256:
        return None
    picture = draw_overlay(photo, outcome.reading)
    picture.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=82)
    return f"data:image/jpeg;base64,{base64.b64encode(data.getvalue()).decode()}"


def write_summary(path: Path, page: str) -> None:
    """Write the page, replacing an earlier one as a whole. Raises OSError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(page, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
