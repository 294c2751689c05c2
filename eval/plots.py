"""Plots of the vision bench, as PNG files: where errors lie, what confidences are worth, what makes errors grow."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.bench_vision_cases import Case
from eval.bench_vision_curves import ErrorBin, Honesty
from eval.score import Share
from eval.sweeps import Sweep, Sweeps

BLUE, ORANGE, GRAY, GREEN = "#0072b2", "#d55e00", "#888888", "#009e73"
"""Colours that stay apart for colour-blind eyes (after Okabe and Ito, 2008)."""
WORST_SHOWN = 0.2
"""Errors above this part of the span share the last column of the histogram."""


def plot_scores(
    folder: Path,
    name: str,
    cases: Sequence[Case],
    honesty: Honesty,
    by: dict[str, Sequence[ErrorBin]],
) -> list[Path]:
    """Write the plots of one dataset into `folder` and return their files; what has no data gets no plot.

    `by` are errors against a property by the property's name, e.g. "tilt (degrees)".
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = [
        _written(folder / f"{name}_errors.png", lambda axes: draw_errors(axes, cases), _has_errors(cases)),
        _written(folder / f"{name}_reliability.png", lambda axes: draw_reliability(axes, honesty), bool(honesty.reliability)),
        _written(folder / f"{name}_risk_coverage.png", lambda axes: draw_risk(axes, honesty), bool(honesty.risk_coverage)),
    ]
    for title, bins in by.items():
        stem = title.split(" ")[0]
        written.append(_written(folder / f"{name}_by_{stem}.png", _error_drawer(title, bins), bool(bins)))
    return [path for path in written if path is not None]


def plot_sweeps(folder: Path, sweeps: Sweeps) -> list[Path]:
    """Write a plot a sweep into `folder` and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    named = [(f"sweep_{sweep.name.split(' (')[0].replace(' ', '_')}_{sweep.renderer}.png", sweep) for sweep in sweeps.sweeps]
    written = [_written(folder / name, _sweep_drawer(sweep), bool(sweep.steps)) for name, sweep in named]
    return [path for path in written if path is not None]


def conditions_png(by: Mapping[str, Sequence[ErrorBin]]) -> bytes | None:
    """One picture with a panel a property, errors against it, as PNG bytes; None where there is nothing to draw."""
    drawn = {title: bins for title, bins in by.items() if any(one.right.n for one in bins)}
    if not drawn:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0 * len(drawn), 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (title, bins) in zip(figure.subplots(1, len(drawn), squeeze=False)[0], drawn.items(), strict=True):
        _error_drawer(title, bins)(axes)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=80)
    return out.getvalue()


def draw_errors(axes: Any, cases: Sequence[Case]) -> None:
    """Histogram of |error| / span of the values that were given."""
    errors = [case.span_error for case in cases if not math.isnan(case.span_error)]
    shown = [min(error, WORST_SHOWN) for error in errors]
    axes.hist(shown, bins=[step / 200 for step in range(41)], color=BLUE)
    axes.axvline(0.01, color=ORANGE, linestyle="--", label="1 % of span")
    axes.set_xlabel(f"|error| / span (the last column: {WORST_SHOWN:g} and more)")
    axes.set_ylabel("values")
    axes.set_title(f"{len(errors)} values on a scale, {sum(not case.answered for case in cases)} of {len(cases)} abstained")
    axes.legend()


def draw_reliability(axes: Any, honesty: Honesty) -> None:
    """How often right against how sure, with 95 % intervals."""
    axes.plot([0, 1], [0, 1], color=GRAY, linestyle=":", label="honest")
    _shares(axes, [one.confidence for one in honesty.reliability], [one.right for one in honesty.reliability], "right", BLUE)
    for one in honesty.reliability:
        axes.annotate(f"n={one.n}", (one.confidence, one.right.value), textcoords="offset points", xytext=(6, -10), fontsize=8)
    axes.set(xlabel="stated confidence of the value", ylabel="share right", xlim=(0, 1), ylim=(0, 1.02))
    axes.set_title(f"expected calibration error {honesty.calibration_error:.3f}, {honesty.answers} values")
    axes.legend(loc="upper left")


def draw_risk(axes: Any, honesty: Honesty) -> None:
    """Share of wrong answers against the share of instruments answered."""
    axes.step(
        [point.coverage for point in honesty.risk_coverage],
        [point.risk for point in honesty.risk_coverage],
        where="post",
        color=BLUE,
    )
    axes.axhline(0.01, color=ORANGE, linestyle="--", label="99 % right")
    axes.set(xlabel="share of the instruments answered", ylabel="share of the answers wrong", xlim=(0, 1))
    axes.set_ylim(bottom=0)
    axes.set_title(f"coverage at 99 % right: {100 * honesty.coverage_at_99.value:.0f} % of {honesty.instruments}")
    axes.legend()


def _error_drawer(title: str, bins: Sequence[ErrorBin]) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        places = list(range(len(bins)))
        _shares(axes, places, [one.right for one in bins], "right", BLUE)
        _shares(axes, places, [one.abstained for one in bins], "abstained", GRAY)
        _error_line(axes, places, [one.span_error_mean for one in bins])
        axes.set_xticks(places, [f"{one.low:g} - {one.high:g}\nn={one.n}" for one in bins])
        axes.set_xlabel(title)

    return draw


def _sweep_drawer(sweep: Sweep) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        settings = [step.setting for step in sweep.steps]
        _shares(axes, settings, [step.within_span for step in sweep.steps], "within 1 % of span", BLUE)
        _shares(axes, settings, [step.abstained for step in sweep.steps], "abstained", GRAY)
        _error_line(axes, settings, [step.span_error.value for step in sweep.steps])
        axes.set_xlabel(sweep.name)
        axes.set_title(f"{max(step.dials for step in sweep.steps)} dials a setting, {sweep.renderer}")

    return draw


def _error_line(axes: Any, places: Sequence[float], errors: Sequence[float]) -> None:
    """Mean |error| / span on an axis of its own at the right."""
    right = axes.twinx()
    right.plot(places, [100 * error for error in errors], color=ORANGE, marker="s", linestyle="--")
    right.set_ylabel("mean |error| / span in %, of the values given", color=ORANGE)
    right.set_ylim(bottom=0)


def _shares(axes: Any, places: Sequence[float], shares: Sequence[Share], label: str, color: str) -> None:
    """Shares with their 95 % intervals."""
    values = [share.value for share in shares]
    below = [share.value - share.low for share in shares]
    above = [share.high - share.value for share in shares]
    axes.errorbar(places, values, yerr=(below, above), color=color, marker="o", capsize=3, label=label)
    axes.set_ylim(0, 1.02)
    axes.legend(loc="upper left")


def _has_errors(cases: Sequence[Case]) -> bool:
    return any(not math.isnan(case.span_error) for case in cases)


def _written(path: Path, draw: Callable[[Any], None], wanted: bool) -> Path | None:
    """A figure drawn without a display and without touching the process's own plotting state."""
    if not wanted:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure.add_subplot())
    figure.savefig(path, dpi=110)
    return path
