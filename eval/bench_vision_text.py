"""The vision bench as Markdown: every accuracy with its abstentions beside it, shares with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eval.bench_vision import VisionBench
from eval.bench_vision_curves import ErrorBin, Honesty
from eval.bench_vision_scores import DrawnScores, PhotoScores, Spread
from eval.bench_vision_speed import ReadingSpeed
from eval.sweeps import Sweeps
from eval.tables import number, percent, table


def bench_markdown(bench: VisionBench) -> str:
    """All tables of a run."""
    weights = bench.weights
    parts = ["# Vision bench", f"Weights: {weights.name} {weights.version}" if weights else "Weights: none were used"]
    parts += [part for scores in bench.drawn for part in _drawn(scores)]
    parts += [part for scores in bench.photos for part in _photos(scores)]
    if bench.speed is not None:
        parts += ["## Seconds of the processor, warm, one core", _speed(bench.speed)]
    if bench.sweeps is not None:
        parts += _sweeps(bench.sweeps)
    return "\n\n".join(parts) + "\n"


def _drawn(scores: DrawnScores) -> list[str]:
    rows = [
        ["needle error, field: median / P95", _spread(scores.needle_field_deg)],
        ["needle error, points: median / P95", _spread(scores.needle_points_deg)],
        ["value within 1 % of span", percent(scores.within_span, interval=True)],
        ["the same, of the dials that gave a value", percent(scores.within_span_answered, interval=True)],
        [
            "error / span: mean / P95; abstained",
            f"{_parts(scores.span_error_mean)} / {_parts(scores.span_error_p95)}; {percent(scores.dials_abstained)}",
        ],
        ["scale ends both exact", percent(scores.scale_ends, interval=True)],
        ["unit exact", percent(scores.units, interval=True)],
        ["unit stated where none is printed", percent(scores.units_made_up)],
        ["values of nothing that shows one; of them with confidence >= 0.9", f"{percent(scores.made_up)}; {scores.made_up_sure}"],
        ["sure and wrong where nobody could read", percent(scores.unreadable_sure)],
    ]
    kinds = [
        [
            kind.kind,
            str(kind.instruments),
            percent(kind.located),
            percent(kind.value_right, interval=True),
            percent(kind.value_answered_right),
            percent(kind.value_abstained),
            percent(kind.exact, interval=True),
            percent(kind.exact_answered),
            percent(kind.exact_abstained),
        ]
        for kind in scores.kinds
    ]
    header = ["kind", "readable", "located", "value and unit right", "of those given", "no value"]
    header += ["colour, position or digits exact", "of those given", "not given"]
    return [
        f"## {scores.name}: {scores.pictures} drawn pictures, {scores.failed} could not be opened",
        table(["measure (readable instruments)", "result"], rows),
        table(header, kinds),
        *_honesty(scores.honesty),
        *_errors("tilt of the face (degrees), dials", scores.by_tilt),
        *_errors("size (pixels)", scores.by_size),
        *_errors("legibility", scores.by_legibility),
    ]


def _photos(scores: PhotoScores) -> list[str]:
    card = scores.card
    header = ["photos", "n", "value and unit right", "of those not abstained", "abstained", "number right, unit aside"]
    header += ["error / span mean", "P95", "stated interval holds"]
    rows = [
        [
            group.name,
            str(group.right.n),
            percent(group.right, interval=True),
            percent(group.answered_right, interval=True),
            percent(group.abstained),
            percent(group.right_any_unit),
            _parts(group.span_error.value),
            _parts(group.span_error_p95),
            percent(group.interval_holds),
        ]
        for group in card.groups
    ]
    measures = [
        ["needle within 5 degrees, field (moving dials)", percent(scores.needle_within, interval=True)],
        ["needle within 5 degrees, points", percent(scores.points_within, interval=True)],
        ["values made up on panels, clocks: with confidence >= 0.9", str(scores.sure_made_up)],
        [
            f"the same at any confidence, on {card.panel_photos} panels",
            f"{card.panel_made_up} of {card.panel_values} values",
        ],
        ["values on photos out of scope", str(card.out_of_scope_values)],
        ["values off the only instrument of a photo", str(card.stray_values)],
    ]
    return [
        f"## {scores.name}: {card.photos} labelled photos, {card.failed} could not be opened",
        table(header, rows),
        table(["measure", "result"], measures),
        *_honesty(scores.honesty),
        *_errors("size (pixels)", scores.by_size),
    ]


def _honesty(honesty: Honesty) -> list[str]:
    rows = [
        ["expected calibration error", number(honesty.calibration_error), number(honesty.strict_calibration_error)],
        ["true ones surer than wrong ones (AUROC)", number(honesty.auroc), number(honesty.strict_auroc)],
        [
            "confidence >= 0.9 and wrong",
            percent(honesty.sure_wrong, interval=True),
            percent(honesty.strict_sure_wrong, interval=True),
        ],
        [
            "coverage at 99 % right",
            f"{percent(honesty.coverage_at_99, interval=True)} from confidence {number(honesty.threshold_at_99)}",
            percent(honesty.strict_coverage_at_99, interval=True),
        ],
        ["area under risk over coverage", number(honesty.risk_area), ""],
    ]
    bins = [
        [f"{one.low:.1f} - {one.high:.1f}", str(one.n), number(one.confidence), percent(one.right, interval=True)]
        for one in honesty.reliability
    ]
    head = f"Confidence of values: {honesty.answers} given for {honesty.instruments} instruments that show one, "
    head += f"{honesty.without_unit} of them without the unit that is printed. Counted as what the reading says (without a "
    head += "unit: the number as printed), and strictly (in the accepted interval, and the unit must be stated)."
    header = ["measure", "what the reading says", "strictly"]
    return [head, table(header, rows), table(["confidence", "values", "mean confidence", "true"], bins)]


def _errors(name: str, bins: Sequence[ErrorBin]) -> list[str]:
    if not bins:
        return []
    rows = [
        [
            f"{one.low:g} - {one.high:g}",
            str(one.n),
            percent(one.abstained),
            percent(one.right, interval=True),
            _parts(one.span_error_mean),
            _parts(one.span_error_p95),
        ]
        for one in bins
    ]
    return [table([name, "n", "abstained", "right", "error / span mean", "P95"], rows)]


def _speed(speed: ReadingSpeed) -> str:
    named = [("Donut alone, one crop", speed.donut_crop), ("crop with the witnesses", speed.witnessed_crop)]
    named += [("photo of one dial", speed.photo), ("photo of four dials", speed.photo_of_four)]
    rows = [[name, number(s.median_s), number(s.p95_s), str(s.n), number(s.instruments)] for name, s in named]
    return table(["what", "median", "P95", "n", "instruments found (median)"], rows)


def _sweeps(sweeps: Sweeps) -> list[str]:
    parts = [f"## Sweeps on drawn dials ({sweeps.seconds:.0f} s)"]
    for sweep in sweeps.sweeps:
        rows = [
            [
                f"{step.setting:g}",
                f"{step.dials} ({step.readable})",
                percent(step.abstained),
                percent(step.within_span, interval=True),
                f"{_parts(step.span_error.value)} ± {_parts(step.span_error.stderr)}",
                _parts(step.span_error_p95),
                percent(step.sure_wrong),
            ]
            for step in sweep.steps
        ]
        header = [f"{sweep.name}, {sweep.renderer}", "dials (readable)", "abstained", "within 1 % of span", "error / span mean"]
        parts.append(table([*header, "P95", "confidence >= 0.9 and off by more than 2 %"], rows))
    rows = [
        [
            p.renderer,
            str(p.pairs),
            percent(p.read_twice),
            percent(p.agree, interval=True),
            percent(p.agree_of_read, interval=True),
        ]
        for p in sweeps.pairs
    ]
    header = ["same needle, other light and place", "pairs", "read twice", "agree within 1 % of span", "of those read twice"]
    return [*parts, table(header, rows)]


def _spread(spread: Spread) -> str:
    return f"{number(spread.median)} / {number(spread.p95)} degrees (n={spread.n})"


def _parts(value: float) -> str:
    """A part of the span in percent."""
    return "-" if math.isnan(value) else f"{100 * value:.2f} %"
