"""`gauge eval noise` and `gauge eval faults`: how much noise the chain bears, and whether a planted fault's layer is named."""

from __future__ import annotations

import numpy as np

from eval.attribution import Signals
from eval.chain_signals import Scorers
from eval.mvfu import SHIPPED_LIBRARY, read_library
from eval.perturbation import perturb, perturbation_markdown
from eval.photo_perturbation import perturb_photos, photo_noise_markdown
from eval.planted_faults import Base, PlantedScores, find_bases, score_planted
from eval.query_set import shipped_query_set
from eval.tables import number, percent, table
from knowledge.search import KnowledgeBase
from serve import service as services
from serve.commands.probes_bench import attention_probe
from serve.library import open_manuals
from serve.settings import load_settings

NOISE_QUESTIONS = 90
FAULT_QUESTIONS = 706
PER_FAULT = 84


def run_noise(*, questions: int | None, seed: int, as_json: bool) -> str:
    """The perturbation report over `questions` shipped questions, drawn by `seed`: tables for people or one JSON object."""
    kb = open_manuals()
    try:
        report = perturb(seed, kb, _bases(kb, questions or NOISE_QUESTIONS, seed))
    finally:
        kb.close()
    return report.model_dump_json() if as_json else perturbation_markdown(report)


def run_photo_noise(*, count: int, seed: int, as_json: bool) -> str:
    """Values of `count` drawn pictures under every kind of photo noise: a table for people or a JSON object a line."""
    rows = perturb_photos(seed, services.open_service(), count)
    return "\n".join(row.model_dump_json() for row in rows) if as_json else photo_noise_markdown(rows)


def run_faults(*, questions: int | None, per_fault: int | None, seed: int, as_json: bool, attention: bool = False) -> str:
    """Each fault planted `per_fault` times over `questions` shipped questions: tables for people or one JSON object.

    With `attention` AC is measured too, by the packaged language model: some seconds a case.
    """
    kb = open_manuals()
    scorers = Scorers(read_library(SHIPPED_LIBRARY), attention_probe(load_settings()) if attention else None)
    try:
        bases = _bases(kb, questions or FAULT_QUESTIONS, seed)
        scores = score_planted(np.random.default_rng(seed), kb, bases, per_fault or PER_FAULT, scorers)
    finally:
        kb.close()
    return scores.model_dump_json() if as_json else faults_text(scores)


def faults_text(scores: PlantedScores) -> str:
    """A row a fault, and the sum in a line."""
    header = ["fault", "layer named right", "cause named right", "named"]
    rows = [
        [one.fault, percent(one.layer, interval=True), percent(one.cause), ", ".join(f"{n} {c}" for n, c in one.named.items())]
        for one in scores.faults
    ]
    measured = [name for name in Signals.model_fields if any(name in one.signals for one in scores.faults)]
    means = [
        [name, *(number(signals[signal].value, 2) if signal in signals else "-" for signal in measured)]
        for name, signals in (*((one.fault, one.signals) for one in scores.faults), ("none", scores.baseline))
    ]
    looks = [f"{one.fault}: {count} x {symptom}" for one in scores.faults for symptom, count in one.symptoms.items()]
    total = f"Right layer {percent(scores.layer, interval=True)}; chains without a fault called so {percent(scores.healthy)}."
    symptoms = f"Rows of the symptom table: {'; '.join(looks) or 'none fits'}."
    return "\n\n".join((table(header, rows), total, table(["mean signal of", *measured], means), symptoms))


def _bases(kb: KnowledgeBase, questions: int, seed: int) -> list[Base]:
    cases = shipped_query_set()
    drawn = np.random.default_rng(seed).permutation(len(cases))[:questions]
    return find_bases(kb, [cases[index] for index in sorted(drawn)])
