"""The root causes as a page that stands for itself, and both files of a report."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

from serve.monitor.diagnosis import Diagnosis, RootCauses

_STYLE = "body{font:15px/1.5 sans-serif;margin:2rem;max-width:70rem}td,th{padding:.3rem .8rem;text-align:left;vertical-align:top}"


def write_causes(folder: Path, causes: RootCauses) -> Path:
    """Write `root_causes_<moment>.json` and `.html`; the page's path. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"root_causes_{datetime.fromtimestamp(causes.made_at, UTC):%Y%m%dT%H%M%SZ}"
    (folder / f"{stem}.json").write_text(causes.model_dump_json(), encoding="utf-8", errors="replace")
    page = folder / f"{stem}.html"
    page.write_text(causes_page(causes), encoding="utf-8", errors="replace")
    return page


def causes_page(causes: RootCauses) -> str:
    """The page: causes with what to do, means of the signals, and every case."""
    when = f"{datetime.fromtimestamp(causes.made_at, UTC):%Y-%m-%d %H:%M} UTC"
    counted = "".join(
        f"<tr><td>{escape(name)}</td><td>{count}</td><td>{escape(causes.remedies.get(name, ''))}</td></tr>"
        for name, count in causes.causes.items()
    )
    means = "".join(
        f"<tr><td>{escape(name)}</td><td>{one.value:.2f}</td><td>{one.n}</td></tr>" for name, one in causes.signals.items()
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Root causes</title><style>{_STYLE}</style>'
        f"<h1>Root causes, {when}</h1><p>{escape(causes.why)}</p><p>{causes.n} cases.</p>"
        f"<table><tr><th>Cause</th><th>Cases</th><th>What to do</th></tr>{counted}</table>"
        f"<h2>Signals</h2><table><tr><th>Signal</th><th>Mean</th><th>n</th></tr>{means}</table>"
        f"<h2>Cases</h2><table><tr><th>Report</th><th>Writer</th><th>Borne out</th><th>Layer</th><th>Why</th></tr>"
        f"{''.join(_row(one) for one in causes.cases)}</table></html>"
    )


def _row(one: Diagnosis) -> str:
    cells = (one.report, one.writer, f"{one.faithful.state}: {one.faithful.reason}", f"{one.layer}: {one.cause}", one.reason)
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
