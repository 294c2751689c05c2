"""Score cards as Markdown for people; every share stands beside its abstentions and made-up values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eval.photos import PhotoCard, PhotoGroup
from eval.readings import Scorecard, Slice
from eval.score import Share


def percent(share: Share, interval: bool = False) -> str:
    """A share as text: `45 % (9/20)`, with its interval on demand, or `-` where nothing was scorable."""
    if share.n == 0:
        return "-"
    text = f"{100 * share.value:.1f} %"
    if interval:
        text += f" [{100 * share.low:.0f}, {100 * share.high:.0f}]"
    return f"{text} ({share.hits}/{share.n})"


def number(value: float, digits: int = 3) -> str:
    """A number as text, `-` where it is NaN."""
    return "-" if math.isnan(value) else f"{value:.{digits}g}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def scorecard_markdown(card: Scorecard) -> str:
    """The score card of a dataset: values by group, then fields of all instruments and per model."""
    groups = (card.overall, card.main, *card.kinds, *card.models)
    head = f"{card.pictures} pictures, {card.failed} could not be opened; "
    head += f"values made up on pictures without instruments: {percent(card.made_up_on_empty)}"
    parts = [head, _value_table(groups), _field_table(card.overall)]
    if len(card.models) > 1:
        parts += [_field_table(model) for model in card.models]
    return "\n\n".join(parts) + "\n"


def photos_markdown(card: PhotoCard) -> str:
    """The score card of labelled photos: the headline first, then groups and sources."""
    head = f"{card.photos} photos, {card.failed} could not be opened. "
    head += f"Moving dials right: {percent(card.headline.right, interval=True)}, "
    head += f"abstained {percent(card.headline.abstained)}."
    panels = f"Panels without a value to read: {card.panel_photos} photos, {card.panel_values} values given, "
    panels += f"{card.panel_made_up} of them made up. Values off the only instrument of a photo: {card.stray_values}; "
    panels += f"values on photos out of scope: {card.out_of_scope_values}."
    parts = [head, _photo_table("group", card.groups), panels, _photo_table("source (moving dials)", card.sources)]
    return "\n\n".join(parts) + "\n"


def _photo_table(title: str, groups: Sequence[PhotoGroup]) -> str:
    header = [title, "value right", "number right, unit aside", "abstained", "right of answered", "error/span mean", "P95"]
    header += ["needle median deg", "by points", "located", "calibration error", "interval holds"]
    rows = [
        [
            group.name,
            percent(group.right, interval=True),
            percent(group.right_any_unit),
            percent(group.abstained),
            percent(group.answered_right),
            number(group.span_error.value),
            number(group.span_error_p95),
            f"{number(group.needle_median_deg)} (n={group.needle_n})",
            f"{number(group.points_median_deg)} (n={group.points_n})",
            percent(group.located),
            number(group.calibration_error),
            percent(group.interval_holds),
        ]
        for group in groups
    ]
    return table(header, rows)


def _value_table(groups: Sequence[Slice]) -> str:
    header = ["instruments", "n", "located", "value right", "number right, unit aside", "abstained", "made-up values"]
    header += ["error/span mean", "P95", "calibration error", "interval holds"]
    rows = [
        [
            group.name,
            str(group.instruments),
            percent(group.located),
            percent(group.value.right, interval=True),
            percent(group.value.right_any_unit),
            percent(group.value.abstained),
            percent(group.value.made_up),
            number(group.value.span_error.value),
            number(group.value.span_error_p95),
            number(group.value.calibration_error),
            percent(group.value.interval_holds),
        ]
        for group in groups
    ]
    return table(header, rows)


def _field_table(group: Slice) -> str:
    header = [f"field ({group.name})", "right", "abstained", "made up", "median error", "P95"]
    rows = [
        [
            score.field,
            percent(score.right),
            percent(score.abstained),
            percent(score.made_up),
            number(score.error_median),
            number(score.error_p95),
        ]
        for score in group.fields
    ]
    return table(header, rows)
