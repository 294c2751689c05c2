"""The card of a foreign pipeline as Markdown: what was judged beside what could not be, and why."""

from __future__ import annotations

import math

from eval.foreign_scores import ForeignCard
from eval.tables import number, percent, table


def foreign_markdown(card: ForeignCard) -> str:
    """A card for people; no mean stands without its standard error and n."""
    fci = card.fci
    error = "" if math.isnan(fci.stderr) else f" ± {fci.stderr:.3f}"
    rows = [
        ["FCI (mean ± standard error)", f"{number(fci.value)}{error}", str(fci.n), str(fci.not_scorable)],
        ["answers with every claim borne out (FAR)", percent(card.faithful, interval=True), str(card.faithful.n), ""],
        ["answers that say the ground truth", percent(card.correct, interval=True), str(card.correct.n), ""],
    ]
    parts = [
        f"{card.rows} rows: {card.scored} scored, {card.not_scorable} not scorable, in {card.seconds:.1f} s",
        table(["score", "value", "n", "not scorable"], rows),
    ]
    if card.correct.n:
        cells = [
            ["faithful", str(card.both), str(card.faithful_only)],
            ["not faithful", str(card.correct_only), str(card.neither)],
        ]
        parts.append(table(["", "correct", "not correct"], cells))
    if card.latency_ms.n:
        parts.append(f"latency: mean {card.latency_ms.value:.0f} ms over {card.latency_ms.n} answers")
    if card.reasons:
        parts.append("Not scorable, because:\n" + "\n".join(f"- {count} x {why}" for why, count in card.reasons.items()))
    return "\n\n".join(parts) + "\n"
