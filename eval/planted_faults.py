"""Faults planted in a chain that works: is the right layer named?

The questions, the search and the manuals are real; the answer is the manual's own sentence, so that nothing but the planted
fault is wrong. A case is left out only where its fault cannot be planted, never for what the probes say about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from eval.attribution import Attribution, Layer, Signals, attribute
from eval.chain_signals import ChainRun, Scorers, measure, passage_sentences
from eval.changes import Kind, pick
from eval.evidence import all_terms
from eval.lies import KINDS
from eval.matching import Pair
from eval.query_set import QUERY_FOLDER, QueryCase, SeenInstrument, as_reading, read_lines
from eval.retrieval import DEPTH, Passage, Wanted, passage_of, wanted_by
from eval.score import Mean, Share, mean_of, share_of, share_true
from knowledge.articles import Chunk
from knowledge.facts import ModelFacts
from knowledge.search import KnowledgeBase
from rag.formula import calibrate
from vision.fields import Contract, GaugeFields, InstrumentReading
from vision.samples import InstrumentTruth

RETRIEVED, SENT = 5, 3
HEALTHY = "healthy"
INVENTED = ("step_invented", "cause_invented")
"""What a writer adds that was told to be helpful rather than to keep to the passages."""


class Base(NamedTuple):
    """A question that the chain answers: what was found, and the manual's sentence that is the answer."""

    case: QueryCase
    wanted: Wanted
    retrieved: tuple[Passage, ...]
    sentence: str
    scope: frozenset[str]
    model: str | None

    @property
    def sent(self) -> tuple[Passage, ...]:
        return self.retrieved[:SENT]

    def run(self, **changes: object) -> ChainRun:
        """The case as it goes when nothing is wrong, with changes."""
        healthy = ChainRun(
            self.case.text,
            self.retrieved,
            self.sent,
            self.sentence,
            self.wanted,
            self.scope,
            model=self.model,
            language=self.case.language,
        )
        return healthy._replace(**changes)  # type: ignore[arg-type]


class FaultScores(Contract):
    """Of the cases with one planted fault: those whose layer, and whose very cause, is named; and what was named instead.

    `signals`: the mean of every signal that was measured, those of the vision stage (located, fields, value) among them;
    `symptoms`: how many cases look like which row of the symptom table.
    """

    fault: str
    layer: Share
    cause: Share
    named: dict[str, int]
    signals: dict[str, Mean]
    symptoms: dict[str, int]


class PlantedScores(Contract):
    """All faults together (`layer` leaves the healthy cases out), each fault, and the healthy cases that are called so.

    `baseline`: the signals of the healthy cases.
    """

    layer: Share
    faults: tuple[FaultScores, ...]
    healthy: Share
    baseline: dict[str, Mean]


def find_bases(kb: KnowledgeBase, cases: Sequence[QueryCase]) -> list[Base]:
    """The questions whose answer is a sentence among the first passages; those answered by a table's row are left out."""
    bases: list[Base] = []
    models = {chunk.document: chunk.models for chunk in kb.chunks()}
    valid = frozenset(chunk.document for chunk in kb.chunks() if chunk.status == "valid")
    for case in cases:
        if not case.answers or case.via:
            continue
        hits = kb.search(case.text, model=case.model, language=case.language, k=RETRIEVED)
        sentence = next((said for hit in hits[:SENT] if (said := answering_sentence(case, hit.chunk))), None)
        if sentence is None:
            continue
        model = case.model or next(iter(models.get(case.answers[0].document, ())), None)
        scope = frozenset(document for document in valid if not models[document] or model in models[document])
        passages = tuple(passage_of(hit.chunk) for hit in hits)
        bases.append(Base(case, wanted_by(case), passages, sentence, scope, model))
    return bases


def answering_sentence(case: QueryCase, chunk: Chunk) -> str | None:
    """The sentence of a chunk in which the answering words stand, None where it is no answer or the words stand in a table."""
    if not case.answered_by(chunk):
        return None
    said = [s for s in passage_sentences(chunk.verbatim) if any(answer.stands_in(s) for answer in case.answers)]
    return said[0] if said else None


def plant(rng: np.random.Generator, fault: str, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    """The case with one fault in it, None where it cannot be planted there. Raises KeyError for an unknown fault."""
    return PLANTERS[fault][0](rng, base, kb)


def score_planted(
    rng: np.random.Generator, kb: KnowledgeBase, bases: Sequence[Base], per_fault: int, scorers: Scorers | None = None
) -> PlantedScores:
    """Plant each fault up to `per_fault` times, each in a case drawn anew, and see which layer is named.

    With `scorers` CRS, FCR and AC of each case join what attribution is given.
    """
    scored: dict[str, FaultScores] = {}
    for fault, (_, layer, causes) in PLANTERS.items():
        found: list[tuple[Signals, Attribution]] = []
        for index in rng.permutation(len(bases)):
            if len(found) == per_fault:
                break
            run = plant(rng, fault, bases[int(index)], kb)
            if run is not None:
                signals = measure(run, scorers)
                found.append((signals, attribute(signals)))
        scored[fault] = FaultScores(
            fault=fault,
            layer=share_true(verdict.layer == layer for _, verdict in found),
            cause=share_true(verdict.cause in causes for _, verdict in found),
            named=dict(Counter(f"{verdict.layer}: {verdict.cause}" for _, verdict in found)),
            signals=mean_signals([signals for signals, _ in found]),
            symptoms=dict(Counter(verdict.symptom for _, verdict in found if verdict.symptom is not None)),
        )
    healthy = scored.pop(HEALTHY)
    hits, n = sum(one.layer.hits for one in scored.values()), sum(one.layer.n for one in scored.values())
    return PlantedScores(layer=share_of(hits, n), faults=tuple(scored.values()), healthy=healthy.layer, baseline=healthy.signals)


def mean_signals(signals: Sequence[Signals]) -> dict[str, Mean]:
    """The mean of each signal that was measured in any case."""
    means = {name: mean_of(getattr(one, name) for one in signals) for name in Signals.model_fields}
    return {name: mean for name, mean in means.items() if mean.n}


def likeliest(question: str, passages: Sequence[Passage]) -> str | None:
    """The sentence that a writer would take who has only these passages: the one that shares most with the question."""
    wanted = all_terms(question)
    said = [sentence for passage in passages for sentence in passage_sentences(passage.text)]
    return max(said, key=lambda sentence: (len(wanted & all_terms(sentence)), -len(sentence)), default=None)


def _as_it_is(rng: np.random.Generator, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    return base.run()


def _blind(rng: np.random.Generator, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    """The retriever does not see what answers; the writer makes do with the rest."""
    hits = kb.search(base.case.text, model=base.case.model, language=base.case.language, k=DEPTH)
    left = tuple(passage_of(hit.chunk) for hit in hits if not base.case.answered_by(hit.chunk))[:RETRIEVED]
    answer = likeliest(base.case.text, left[:SENT])
    return base.run(retrieved=left, sent=left[:SENT], answer=answer) if answer else None


def _cut(rng: np.random.Generator, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    """Every passage sent ends before the answering words."""
    sent = []
    for passage in base.sent:
        ends = [match.start() for answer in base.wanted.answers for match in re.finditer(answer.anchor, passage.text)]
        sent.append(passage.model_copy(update={"text": passage.text[: min(ends)].rstrip()}) if ends else passage)
    answer = likeliest(base.case.text, sent)
    return base.run(sent=tuple(sent), answer=answer) if answer else None


def _pollute(rng: np.random.Generator, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    """The passage of another instrument stands first, and the writer takes its answer from there."""
    others = [model for model in kb.models() if model != base.model]
    other = str(pick(rng, others))
    question = base.case.text.replace(base.model, other) if base.model else base.case.text
    hits = kb.search(question, model=other, language=base.case.language, k=SENT)
    foreign = next((passage_of(hit.chunk) for hit in hits if hit.chunk.document not in base.scope), None)
    answer = likeliest(base.sentence, [foreign]) if foreign else None
    own = " ".join(passage.text for passage in base.sent)
    if foreign is None or answer is None or answer in own or any(one.stands_in(answer) for one in base.wanted.answers):
        return None
    return base.run(sent=(foreign, *base.sent), answer=answer)


def _told(rng: np.random.Generator, base: Base, kinds: Sequence[Kind]) -> ChainRun | None:
    for index in rng.permutation(len(kinds)):
        told = kinds[int(index)].change(rng, base.sentence, base.case.language)
        if told is not None and told != base.sentence:
            return base.run(answer=told)
    return None


def _loosen(rng: np.random.Generator, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    """The writer adds what it thinks it knows."""
    return _told(rng, base, [kind for kind in KINDS if kind.name in INVENTED])


def _lie(rng: np.random.Generator, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    """The writer makes the sentence false in one way."""
    return _told(rng, base, [kind for kind in KINDS if kind.name not in INVENTED])


def _misread(rng: np.random.Generator, base: Base, kb: KnowledgeBase) -> ChainRun | None:
    """One field of the photo is read wrong; all that comes behind answers the wrong question well."""
    seen = [one for one in read_lines(QUERY_FOLDER / "readings.jsonl", SeenInstrument) if one.model == base.model]
    one = pick(rng, seen)
    if one is None:
        return None
    facts = kb.facts(one.model, base.case.language)
    true, reading = (_with_value(one.model, fields, facts) for fields in (one.fields, misread(rng, one.fields)))
    truth = InstrumentTruth(
        instrument_model=one.model, box=true.box, fields=one.fields, value=true.value, value_low=true.value_low,
        value_high=true.value_high, unit=true.unit,
    )  # fmt: skip
    return base.run(pair=Pair(truth, reading, 1.0, True))


def _with_value(model: str, fields: GaugeFields, facts: ModelFacts | None) -> InstrumentReading:
    """The reading of an instrument with these fields, with its value where the manual has a formula for it."""
    reading = as_reading(model, fields)
    return reading if facts is None else calibrate(reading, facts).reading


def misread(rng: np.random.Generator, fields: GaugeFields) -> GaugeFields:
    """The fields with one of them wrong: the angle by 10 to 90 degrees, another colour, position, unit or scale end."""
    changes: dict[str, object] = {}
    if fields.pointer_angle is not None:
        changes["pointer_angle"] = (fields.pointer_angle + float(rng.uniform(10, 90)) * float(rng.choice((-1, 1)))) % 360.0
    if fields.warning_light_color is not None:
        changes["warning_light_color"] = pick(rng, [c for c in ("red", "yellow", "green") if c != fields.warning_light_color])
    if fields.mode_dial_position is not None:
        changes["mode_dial_position"] = fields.mode_dial_position % 5 + 1
    if fields.unit is not None:
        changes["unit"] = pick(rng, [unit for unit in ("bar", "kPa", "psi", "°C") if unit != fields.unit])
    if fields.scale_max is not None:
        changes["scale_max"] = fields.scale_max * 10 if fields.scale_max else 1.0
    name = pick(rng, sorted(changes))
    return fields.model_copy(update={name: changes[name]}) if name is not None else fields


_Planter = Callable[[np.random.Generator, Base, KnowledgeBase], ChainRun | None]
PLANTERS: dict[str, tuple[_Planter, Layer, tuple[str, ...]]] = {
    "retriever blinded": (_blind, "retrieval", ("answer_not_retrieved",)),
    "chunk cut": (_cut, "context", ("chunk_cut",)),
    "context polluted": (_pollute, "context", ("context_polluted",)),
    "prompt loosened": (_loosen, "generation", ("prompt_loosened",)),
    "writer lying": (_lie, "generation", ("writer_invented", "prompt_loosened", "answer_altered")),
    "field misread": (_misread, "vision", ("field_misread",)),
    HEALTHY: (_as_it_is, "none", ("none",)),
}
"""Each fault: who plants it, the layer it is in, and the causes that name it."""
