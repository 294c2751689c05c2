"""The check of sentences against a lying writer, and against a true one that says the same otherwise.

True sentences are those that a writer is asked for in reports over all models, and statements of the manuals. The check
was mended on the models of one half; what counts is the other half: other models, another seed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from eval.bench_report_cases import ReportCase
from eval.changes import Kind
from eval.lies import KINDS
from eval.rewordings import REWORDINGS
from eval.score import Share, share_true
from knowledge.articles import Chunk, Language
from knowledge.sentences import split_sentences
from rag.pipeline import Pipeline
from rag.prompt import Task
from rag.verify import check_rewrite
from rag.writer import Draft
from vision.fields import Contract

Half = Literal["mended on", "held out"]
HALVES: tuple[Half, ...] = ("mended on", "held out")
SEEDS: dict[Half, int] = {"mended on": 7, "held out": 1_000_003}
PER_KIND = 60
"""Sentences a kind and language, where there are so many."""

_MARKUP = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+")
SHORTEST = 9


class TrueSentence(NamedTuple):
    """A sentence that its manual or its photo bears out, and whose it is."""

    text: str
    language: Language
    owner: str


class KindScore(Contract):
    """One way of changing sentences: the share that the check judged rightly, and examples of the others."""

    kind: str
    right: Share
    wrong: tuple[tuple[str, str], ...]


class LieScores(Contract):
    """One half: lies that were caught and true rewordings that passed, by kind and by language."""

    half: Half
    caught: Share
    passed: Share
    caught_by_language: dict[str, Share]
    passed_by_language: dict[str, Share]
    lies: tuple[KindScore, ...]
    rewordings: tuple[KindScore, ...]


@dataclass
class _Listener:
    """A writer that changes nothing and keeps what it was asked for."""

    name: str = "listener"
    languages: tuple[Language, ...] = ("en", "zh")
    heard: list[str] = field(default_factory=list)

    def write(self, task: Task) -> Draft:
        """The sentences themselves."""
        self.heard += task.sentences
        return Draft(texts=tuple(task.sentences))


def half_of(owner: str) -> Half:
    """The half that a model or document belongs to: by its name alone."""
    return "mended on" if hashlib.sha256(owner.encode()).digest()[0] % 2 == 0 else "held out"


def report_sentences(pipeline: Pipeline, cases: Iterable[ReportCase]) -> list[TrueSentence]:
    """What a writer is asked to put into words in the reports of these cases, each sentence once."""
    found: dict[str, TrueSentence] = {}
    for case in cases:
        listener = _Listener()
        Pipeline(pipeline.knowledge, listener, pipeline.options).inspect(case.reading, case.language)
        for text in listener.heard:
            found.setdefault(text, TrueSentence(text, case.language, case.model))
    return list(found.values())


def manual_sentences(chunks: Iterable[Chunk]) -> list[TrueSentence]:
    """Statements of manuals in force: sentences of their prose and lists, without tables, headings and formulas."""
    found: dict[str, TrueSentence] = {}
    for chunk in chunks:
        if chunk.status != "valid":
            continue
        owner = chunk.models[0] if chunk.models else chunk.document
        for line in chunk.verbatim.splitlines():
            if line.lstrip().startswith(("|", "#")) or "`" in line:
                continue
            for text in split_sentences(_MARKUP.sub("", line)):
                if len(text) >= SHORTEST and text.endswith((".", "。")):
                    found.setdefault(text, TrueSentence(text, chunk.language, owner))
    return list(found.values())


def score_lies(sentences: Sequence[TrueSentence], half: Half, per_kind: int = PER_KIND) -> LieScores:
    """The check over all kinds of lie and of rewording, on the sentences of one half."""
    mine = [one for one in sentences if half_of(one.owner) == half]
    rng = np.random.default_rng(SEEDS[half])
    lies, lie_hits = _score_kinds(rng, KINDS, mine, per_kind, false=True)
    rewordings, true_hits = _score_kinds(rng, REWORDINGS, mine, per_kind, false=False)
    return LieScores(
        half=half,
        caught=share_true([hit for _, hit in lie_hits]),
        passed=share_true([hit for _, hit in true_hits]),
        caught_by_language=_by_language(lie_hits),
        passed_by_language=_by_language(true_hits),
        lies=tuple(lies),
        rewordings=tuple(rewordings),
    )


def _score_kinds(
    rng: np.random.Generator, kinds: Sequence[Kind], sentences: Sequence[TrueSentence], per_kind: int, *, false: bool
) -> tuple[list[KindScore], list[tuple[Language, bool]]]:
    scores: list[KindScore] = []
    everything: list[tuple[Language, bool]] = []
    for kind in kinds:
        hits: list[tuple[Language, bool]] = []
        wrong: list[tuple[str, str]] = []
        for changed, one in changed_sentences(rng, kind, sentences, per_kind):
            right = check_rewrite(changed, one.text).supported != false
            hits.append((one.language, right))
            if not right:
                wrong.append((changed, one.text))
        scores.append(KindScore(kind=kind.name, right=share_true([hit for _, hit in hits]), wrong=tuple(wrong[:5])))
        everything += hits
    return scores, everything


def changed_sentences(
    rng: np.random.Generator, kind: Kind, sentences: Sequence[TrueSentence], per_kind: int
) -> list[tuple[str, TrueSentence]]:
    """Up to `per_kind` changed sentences a language, drawn at random from those that the kind can change."""
    found: dict[tuple[str, str], TrueSentence] = {}
    counts = {"en": 0, "zh": 0}
    for index in rng.permutation(len(sentences)):
        one = sentences[int(index)]
        if counts[one.language] >= per_kind:
            continue
        changed = kind.change(rng, one.text, one.language)
        if changed is None or not changed.strip() or (changed == one.text) != (kind.name == "same"):
            continue
        if (changed, one.text) not in found:
            counts[one.language] += 1
            found[changed, one.text] = one
    return [(changed, one) for (changed, _), one in found.items()]


def _by_language(hits: Sequence[tuple[Language, bool]]) -> dict[str, Share]:
    return {language: share_true([hit for one, hit in hits if one == language]) for language in ("en", "zh")}
