"""What the gate measures: one row a case, over the real search, template reports, golden anchors and drawn photos."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Literal, NamedTuple, Protocol

import numpy as np
from pydantic import model_validator

from eval.bench_report_cases import LANGUAGES, draw_instrument, photo_of
from eval.fieldscores import FIELD_RULES, judge_field
from eval.golden import load_anchors
from eval.golden_run import ProductChain, check_anchors
from eval.matching import Pair, match_instruments
from eval.query_set import QueryCase, shipped_query_set
from eval.rates import exact_retrieval, report_faithful
from eval.score import NAN, Number, Score
from eval.sweeps import to_png
from eval.valuescores import judge_value
from knowledge.search import KnowledgeBase
from rag.pipeline import Pipeline, asked_day
from vision.fields import Contract, PhotoReading
from vision.samples import PhotoTruth

Probe = Literal["ERR", "FAR", "anchors", "fields", "honesty"]
PHOTO_PROBES: tuple[Probe, ...] = ("fields", "honesty")
ROUNDS = 2
REPORT_SEED = 10**9 + 700
PICTURES = 12
PICTURE_SEED = 1_720_000_000
"""A range of the evaluation's own that no training and no other measurement draws from."""
RECIPES = ("xyz2000", "close")


class GateRow(Contract):
    """One case: its id, the slice it counts in, and 1 (right), 0 (wrong) or NaN (not scorable), with the reason."""

    id: str
    slice: str
    value: Number
    reason: str = ""

    @model_validator(mode="after")
    def _right_or_wrong(self) -> GateRow:
        if self.value == self.value and self.value not in (0.0, 1.0):
            raise ValueError(f"{self.id}: a case is right (1), wrong (0) or not scorable (null), got {self.value}")
        return self


class Reading(Protocol):
    """What the gate needs of a reader of photos."""

    def read_photos(self, sources: Sequence[bytes], *, names: Sequence[str]) -> Iterable[PhotoReading]:
        """One reading a photo, in order."""
        ...


def retrieval_rows(kb: KnowledgeBase, cases: Sequence[QueryCase] | None = None) -> Iterator[GateRow]:
    """ERR: every question (the shipped ones by default), sliced by its kind."""
    asked = shipped_query_set() if cases is None else cases
    kb.prepare([case.text for case in asked])
    for case in asked:
        yield _row(case.id, case.slice, exact_retrieval(kb, case))


def report_rows(kb: KnowledgeBase, rounds: int = ROUNDS, models: Sequence[str] | None = None) -> Iterator[GateRow]:
    """FAR: reports on drawn readings, `rounds` for each model (all by default) and language, sliced by model.

    What is drawn of one model does not depend on the others, so a new manual moves no old case.
    """
    pipeline = Pipeline(kb)
    for model in models if models is not None else kb.models():
        rng = np.random.default_rng([REPORT_SEED, zlib.crc32(model.encode())])
        for number, language in product(range(rounds), LANGUAGES):
            facts = kb.facts(model, language)
            if facts is not None:
                name = f"{model}-{language}-{number}"
                inspection = pipeline.inspect(photo_of(draw_instrument(rng, facts), name=f"{name}.jpg"), language)
                yield _row(name, model, report_faithful(inspection, kb, facts))


def anchor_rows(kb: KnowledgeBase) -> Iterator[GateRow]:
    """All golden anchors, sliced by module."""
    for checked in check_anchors(load_anchors(), ProductChain(kb, asked_day(kb))):
        yield _row(checked.row.id, checked.row.module, checked.row.score)


class _Drawn(NamedTuple):
    """A drawn photo as a file, with its truth."""

    name: str
    data: bytes
    truth: PhotoTruth


def photo_rows(reader: Reading, count: int = PICTURES) -> Iterator[tuple[Probe, GateRow]]:
    """Field accuracy and honesty: `count` pictures of each recipe, each known field of each instrument, sliced by model.

    `fields`: a field that was not read, or whose instrument was not found, is not right. `honesty`: a field that was not read
    is no lie; one that was read wrong is, and so is a value on an instrument that is not there.
    """
    for drawn in (one for recipe in RECIPES for one in _draw(recipe, count)):
        (reading,) = reader.read_photos([drawn.data], names=[drawn.name])
        pairs = match_instruments(drawn.truth.instruments, reading.instruments)
        for place, pair in enumerate(pairs, 1):
            yield from pair_rows(f"{drawn.name}#{place}", pair)
        made_up = sum(pair.truth is None and pair.reading is not None and pair.reading.value is not None for pair in pairs)
        reason = f"{made_up} values on instruments that are not there" if made_up else ""
        yield "honesty", GateRow(id=f"{drawn.name}.made_up", slice="made up", value=float(not made_up), reason=reason)


def pair_rows(name: str, pair: Pair) -> Iterator[tuple[Probe, GateRow]]:
    """The rows of one instrument; none for a reading without a true instrument and for what nobody could read."""
    truth, reading = pair.truth, pair.reading
    if truth is None or not truth.readable:
        return
    model = truth.instrument_model or f"any {truth.fields.kind}"
    judged: list[tuple[str, bool | None, str]] = []
    for field, rule in FIELD_RULES.items():
        true = getattr(truth.fields, field)
        given = getattr(reading.fields, field) if reading is not None else None
        if true is not None:
            judged.append((field, None if given is None else judge_field(rule, true, given).right, f"{given}, not {true}"))
    if truth.value is not None:
        answer = judge_value(truth, reading) if reading is not None else None
        given = None if reading is None or reading.value is None else f"{reading.value:g} {reading.unit or ''}".strip()
        judged.append(
            ("value", None if answer is None else answer.right, f"{given}, not {truth.value:g} {truth.unit or ''}".strip())
        )
    for field, right, reason in judged:
        values: tuple[tuple[Probe, bool], ...] = (("fields", right is True), ("honesty", right is not False))
        for probe, good in values:
            yield probe, GateRow(id=f"{name}.{field}", slice=model, value=float(good), reason="" if good else reason)


def _draw(recipe: str, count: int) -> Iterator[_Drawn]:
    from synth.stream import scene_stream

    for one in islice(scene_stream(recipe, PICTURE_SEED), count):
        yield _Drawn(f"{recipe}-{one.seed}", to_png(one.picture), one.truth)


def _row(id: str, slice: str, score: Score) -> GateRow:
    value = NAN if score.state == "not_scorable" else float(score.state == "supported")
    return GateRow(id=id, slice=slice, value=value, reason="" if value == 1 else score.reason)
