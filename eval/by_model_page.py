"""Accuracy by model as one HTML page that needs nothing else: a table of all models, then each with its plot."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from pathlib import Path

from eval.bench_vision_curves import ErrorBin
from eval.by_model import MIXED_FIELDS, OPEN_END, AccuracyCard, ConditionSlice, ModelAccuracy
from eval.by_model_text import accuracy_csv, mixups_csv
from eval.plots import conditions_png
from eval.readings import Slice
from eval.tables import number, percent
from rag.render.page import line_html, page_head, report_style

PAGE_NAME, JSON_NAME, CSV_NAME, MIXUPS_NAME = "accuracy.html", "accuracy.json", "accuracy.csv", "confusion.csv"
_STYLE = """
body { max-width: 76rem; }
td, th { font-variant-numeric: tabular-nums; white-space: nowrap; }
figure img { max-height: none; }
.wrong td { color: var(--danger); }
"""
MOST_MIXUPS = 12
_VALUE_HEAD = ("n", "located", "value right", "abstained", "made up", "|error| / span", "P95", "interval holds")


def write_accuracy(folder: Path, card: AccuracyCard) -> list[Path]:
    """Write page, JSON and both CSV files into `folder` and return them. Raises OSError where it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        PAGE_NAME: accuracy_html(card),
        JSON_NAME: card.model_dump_json(indent=1) + "\n",
        CSV_NAME: accuracy_csv(card),
        MIXUPS_NAME: mixups_csv(card),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def accuracy_html(card: AccuracyCard) -> str:
    """The page. All names are escaped; plots stand inside the file."""
    title = f"Accuracy by {card.group}: {card.dataset}"
    opened = f"{card.pictures} pictures, {card.failed} could not be opened"
    lines = [f'<header><h1>{line_html(title)}</h1><p class="file">{line_html(opened)}</p></header>', "<main>"]
    rows = [
        [f'<a href="#m{place}">{line_html(model.name)}</a>', *map(line_html, _value_cells(model.overall)), *_mixed_cells(model)]
        for place, model in enumerate(card.models, 1)
    ]
    lines += ["<section>", *_table((card.group, *_VALUE_HEAD, "scale right", "unit right"), rows), "</section>"]
    for place, model in enumerate(card.models, 1):
        lines += _model(place, model)
    note = "Shares with 95 % Wilson intervals; errors over the values given. What is not known of a picture is left out."
    foot = ["</main>", f"<footer><p>{line_html(note)}</p></footer>", "</body>", "</html>", ""]
    return "\n".join([*page_head(title, "en", report_style() + _STYLE), *lines, *foot])


def _model(key: int, model: ModelAccuracy) -> list[str]:
    lines = ["<section>", f'<h2 id="m{key}">{line_html(model.name)}</h2>', *_plot(model)]
    if model.conditions:
        rows = [[line_html(f"{one.condition} {one.name}"), *map(line_html, _value_cells(one.slice))] for one in model.conditions]
        lines += ["<h3>Conditions</h3>", *_table(("condition", *_VALUE_HEAD), rows)]
    lines += ["<h3>Fields</h3>", *_fields(model)]
    mixups = model.confused(MOST_MIXUPS)
    if mixups:
        cells = [list(map(line_html, (one.field, one.truth, one.given, str(one.count)))) for one in mixups]
        lines += ["<h3>Mixed up</h3>", *_table(("field", "true", "read as", "times"), cells, "wrong")]
    return [*lines, "</section>"]


def _fields(model: ModelAccuracy) -> list[str]:
    """Each field over all instruments, and how often it was right under each condition."""
    named = [(f"{one.condition} {one.name}", {score.field: score for score in one.slice.fields}) for one in model.conditions]
    rows = []
    for score in model.overall.fields:
        cells = [score.field, percent(score.right, interval=True), percent(score.abstained), percent(score.made_up)]
        cells += [number(score.error_median), number(score.error_p95)]
        cells += [percent(scores[score.field].right) if score.field in scores else "-" for _, scores in named]
        rows.append(list(map(line_html, cells)))
    head = ("field", "right", "abstained", "made up", "median error", "P95", *(f"right: {name}" for name, _ in named))
    return _table(head, rows)


def _value_cells(slice_: Slice) -> list[str]:
    value = slice_.value
    stderr = "" if math.isnan(value.span_error.stderr) else f" ± {number(value.span_error.stderr, 2)}"
    return [
        str(slice_.instruments),
        percent(slice_.located),
        percent(value.right, interval=True),
        percent(value.abstained),
        percent(value.made_up),
        f"{number(value.span_error.value)}{stderr} (n={value.span_error.n})",
        number(value.span_error_p95),
        percent(value.interval_holds),
    ]


def _mixed_cells(model: ModelAccuracy) -> list[str]:
    return [line_html(percent(model.read_right(field))) for field in MIXED_FIELDS]


def _plot(model: ModelAccuracy) -> list[str]:
    by: dict[str, list[ErrorBin]] = {}
    for one in model.conditions:
        if one.slice.value.right.n:
            by.setdefault(one.condition, []).append(_bin(one))
    png = conditions_png(by)
    if png is None:
        return []
    data = base64.b64encode(png).decode("ascii")
    text = f"{model.name}: share right, share abstained and mean error by {', '.join(by)}"
    return [f'<figure><img src="data:image/png;base64,{data}" alt="{line_html(text)}"></figure>']


def _bin(one: ConditionSlice) -> ErrorBin:
    value = one.slice.value
    return ErrorBin(
        low=one.low,
        high=math.inf if one.high >= OPEN_END else one.high,
        n=value.right.n,
        abstained=value.abstained,
        right=value.right,
        span_error_mean=value.span_error.value,
        span_error_p95=value.span_error_p95,
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> list[str]:
    """A table whose cells are escaped already."""
    heads = "".join(f'<th scope="col">{line_html(name)}</th>' for name in head)
    body = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows]
    return [f'<div class="wide"><table class="{kind}"><thead><tr>{heads}</tr></thead><tbody>', *body, "</tbody></table></div>"]
