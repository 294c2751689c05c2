"""Accuracy by model as text: Markdown for the terminal, CSV for tables, one row a number with its interval and n."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from eval.by_model import MIXED_FIELDS, AccuracyCard, ModelAccuracy
from eval.readings import Slice
from eval.score import Share
from eval.tables import number, percent, table

ACCURACY_HEADER = ("group", "condition", "low", "high", "field", "measure", "value", "interval_low", "interval_high", "n")
MIXUP_HEADER = ("group", "field", "truth", "read_as", "count")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def accuracy_markdown(card: AccuracyCard) -> str:
    """A row a model, then what is mixed up most."""
    header = [card.group, "n", "located", "value right", "abstained", "made up", "error/span mean ± stderr", "P95"]
    header += ["scale right", "unit right"]
    rows = [[_plain(model.name), *_cells(model)] for model in card.models]
    head = f"{card.pictures} pictures of {_plain(card.dataset)}, {card.failed} could not be opened"
    mixed = [
        f"- {_plain(model.name)}: {one.field} {_plain(one.truth)} read as {_plain(one.given)}, {one.count} x"
        for model in card.models
        for one in model.confused(3)
    ]
    parts = [head, table(header, rows)]
    return "\n\n".join([*parts, "Mixed up most:\n" + "\n".join(mixed)] if mixed else parts) + "\n"


def _cells(model: ModelAccuracy) -> list[str]:
    value = model.overall.value
    error = f"{number(value.span_error.value)} ± {number(value.span_error.stderr, 2)} (n={value.span_error.n})"
    counts = [str(model.overall.instruments), percent(model.overall.located), percent(value.right, interval=True)]
    counts += [percent(value.abstained), percent(value.made_up), error, number(value.span_error_p95)]
    return counts + [percent(model.read_right(field)) for field in MIXED_FIELDS]


def accuracy_csv(card: AccuracyCard) -> str:
    """Every number of the card: value and field scores of each model, whole and by condition."""
    return _csv(ACCURACY_HEADER, (row for model in card.models for row in _model_rows(model)))


def mixups_csv(card: AccuracyCard) -> str:
    """Every count of the confusions."""
    rows = ((model.name, one.field, one.truth, one.given, one.count) for model in card.models for one in model.mixups)
    return _csv(MIXUP_HEADER, rows)


def _model_rows(model: ModelAccuracy) -> Iterator[tuple[object, ...]]:
    yield from _slice_rows((model.name, "all", "", ""), model.overall)
    for one in model.conditions:
        yield from _slice_rows((model.name, one.condition, one.low, one.high), one.slice)


def _slice_rows(place: tuple[object, ...], slice_: Slice) -> Iterator[tuple[object, ...]]:
    value = slice_.value
    shares: list[tuple[str, str, Share]] = [("", "located", slice_.located)]
    shares += [("value", name, getattr(value, name)) for name in _VALUE_SHARES]
    for field in slice_.fields:
        shares += [(field.field, name, getattr(field, name)) for name in ("right", "abstained", "made_up")]
    for name, measure, share in shares:
        yield (*place, name, measure, *map(_cell, (share.value, share.low, share.high)), share.n)
    error = value.span_error
    yield (*place, "value", "span_error_mean", _cell(error.value), "", "", error.n)
    yield (*place, "value", "span_error_stderr", _cell(error.stderr), "", "", error.n)
    yield (*place, "value", "span_error_p95", _cell(value.span_error_p95), "", "", error.n)
    for field in slice_.fields:
        yield (*place, field.field, "error_median", _cell(field.error_median), "", "", field.right.n)


_VALUE_SHARES = ("right", "right_any_unit", "abstained", "made_up", "answered_right", "interval_holds")


def _cell(value: float) -> str:
    """A number with all its digits; nothing where it is NaN."""
    return "" if value != value else f"{value:.6g}"


def _csv(header: Sequence[str], rows: Iterator[tuple[object, ...]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return out.getvalue()


def _safe(cell: object) -> object:
    """A name that a spreadsheet would run as a formula gets a quote in front (OWASP: CSV injection)."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and not _is_number(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _plain(text: str) -> str:
    """A name of a dataset or model that cannot break the table it stands in."""
    return " ".join(text.replace("|", "/").split())
