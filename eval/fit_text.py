"""What a fit of confidences found, as lines for a terminal and as entries of the weights' card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from eval.class_fit import ClassReport
from eval.support_fit import SupportReport
from vision.donut import CARD_FILE, load_card


def describe(report: SupportReport, classes: Sequence[ClassReport] = ()) -> str:
    """The report as lines for a terminal."""
    lines = [
        f"{report.values} values stated, {report.unread} true values not stated; all figures cross-validated",
        f"all sources: AUROC {report.auroc:.3f}, calibration error {report.calibration_error:.3f}",
    ]
    for one in report.sources:
        lines.append(
            f"{one.source}: n {one.examples}, right {one.right:.3f}, AUROC {one.auroc:.3f}, Brier {one.brier:.3f}, "
            f"calibration error {one.calibration_error:.3f}; intervals x {one.widening:.2f} hold {one.interval_holds:.3f} "
            f"({one.interval_holds_on_scale:.3f} on the right scale)"
        )
    for kind in classes:
        lines.append(
            f"{kind.name}: n {kind.shown}, right {kind.right.value:.3f}; stated {kind.stated.value:.3f}, "
            f"of these right {kind.stated_right.value:.3f}"
        )
    lines += [f"{p.level:.0%} right: coverage {p.coverage:.3f} from probability {p.threshold:.3f} on" for p in report.risk]
    lines += [f"from {p.threshold:.2f} on: coverage {p.coverage:.3f}, right {p.right:.3f}" for p in report.at_threshold]
    return "\n".join(lines)


def note_on_card(folder: Path, report: SupportReport, classes: Sequence[ClassReport], data: Sequence[str]) -> None:
    """Write the reports to the weights' card."""
    confidence = json.loads(report.model_dump_json())
    confidence["classes"] = [json.loads(one.model_dump_json()) for one in classes]
    card = load_card(folder) | {"confidence": confidence, "calibrated_on": list(data)}
    (folder / CARD_FILE).write_text(json.dumps(card, indent=1, ensure_ascii=False), encoding="utf-8")
