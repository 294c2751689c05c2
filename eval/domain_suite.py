"""The domain suite: sentences of the manuals as they are, said otherwise, and corrupted, each with passages to hold it against.

Built by rule from the corpus and a seed, bit-identical for the same corpus. What judges sentences was mended on sentences of
one half of the models (`eval.bench_report_lies.half_of`). Of the other half counts were seen while mending, never sentences.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from eval.bench_report_lies import HALVES, Half, TrueSentence, changed_sentences, half_of, manual_sentences
from eval.changes import Kind
from eval.lies import KINDS
from eval.noise import corrupt_text
from eval.rewordings import REWORDINGS
from eval.score import EvalError
from knowledge.articles import Chunk, Language
from vision.fields import Contract

SEEDS: Mapping[Half, int] = {"mended on": 11, "held out": 1_000_011}
LANGUAGES: tuple[Language, ...] = ("en", "zh")
LEAST_NOISE = 0.01
"""So small a share of the numbers of a sentence that one goes."""


class SuiteOptions(Contract):
    """`domain_suite.toml`: sentences of either sort, passages each is held against, kinds of corruption by family."""

    faithful: int
    corrupted: int
    passages: int
    families: dict[str, tuple[str, ...]]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of corruption in order. Raises EvalError for a name that no kind has."""
        known = {kind.name: kind for kind in (*KINDS, NUMBER_DROPPED)}
        names = [name for family in self.families.values() for name in family]
        unknown = sorted(set(names) - known.keys())
        if unknown:
            raise EvalError(f"domain_suite.toml names kinds of corruption that do not exist: {', '.join(unknown)}")
        return tuple(known[name] for name in names)

    def family_of(self, kind: str) -> str | None:
        """The family of a kind of corruption; None for a way of saying the same."""
        return next((family for family, kinds in self.families.items() if kind in kinds), None)


class SuiteItem(Contract):
    """A sentence with its passages. `kind`: how it was changed; `original`: what the manual says; `owner`: whose it is."""

    text: str
    original: str
    passages: tuple[str, ...]
    faithful: bool
    kind: str
    language: Language
    half: Half
    owner: str


def _drop_number(rng: np.random.Generator, text: str, language: Language) -> str | None:
    noisy = corrupt_text(rng, text, "numbers_dropped", LEAST_NOISE, language)
    return noisy.text if noisy.log else None


NUMBER_DROPPED = Kind("number_dropped", _drop_number)


@lru_cache(maxsize=1)
def load_options() -> SuiteOptions:
    """The shipped options."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return SuiteOptions.model_validate({**table["size"], "families": table["families"]})


def build_suite(chunks: Sequence[Chunk], options: SuiteOptions | None = None) -> tuple[SuiteItem, ...]:
    """The suite over the manuals in force, a quarter of each sort from each half and language, kinds dealt in turn.

    Smaller than asked for where the corpus has too few sentences that can be changed so.
    """
    chosen = options or load_options()
    homes = _homes(chunks)
    sentences = [sentence for sentence, _ in homes.values()]
    items: list[SuiteItem] = []
    for half in HALVES:
        rng = np.random.default_rng(SEEDS[half])
        mine = [one for one in sentences if half_of(one.owner) == half]
        for faithful, kinds in ((True, REWORDINGS), (False, chosen.kinds)):
            quota = (chosen.faithful if faithful else chosen.corrupted) // (len(HALVES) * len(LANGUAGES))
            for kind, changed, one in _deal(rng, kinds, mine, quota):
                items.append(
                    SuiteItem(
                        text=changed,
                        original=one.text,
                        passages=_passages(rng, homes[one.text][1], chunks, chosen.passages),
                        faithful=faithful,
                        kind=kind.name,
                        language=one.language,
                        half=half,
                        owner=one.owner,
                    )
                )
    return tuple(items)


def digest(items: Iterable[SuiteItem]) -> str:
    """Eight hex digits over every byte of the suite."""
    return hashlib.sha256("\n".join(item.model_dump_json() for item in items).encode()).hexdigest()[:8]


def _homes(chunks: Sequence[Chunk]) -> dict[str, tuple[TrueSentence, Chunk]]:
    """Each sentence of the manuals with the first chunk in which it stands."""
    homes: dict[str, tuple[TrueSentence, Chunk]] = {}
    for chunk in chunks:
        for sentence in manual_sentences([chunk]):
            homes.setdefault(sentence.text, (sentence, chunk))
    return homes


def _deal(
    rng: np.random.Generator, kinds: Sequence[Kind], sentences: Sequence[TrueSentence], quota: int
) -> Iterator[tuple[Kind, str, TrueSentence]]:
    """Up to `quota` changed sentences a language, one of each kind in turn for as long as it has any."""
    waiting: dict[str, dict[Language, list[tuple[str, TrueSentence]]]] = {}
    for kind in kinds:
        by_language: dict[Language, list[tuple[str, TrueSentence]]] = defaultdict(list)
        for changed, one in changed_sentences(rng, kind, sentences, quota):
            by_language[one.language].append((changed, one))
        waiting[kind.name] = by_language
    for language in LANGUAGES:
        given = 0
        while given < quota and any(waiting[kind.name][language] for kind in kinds):
            for kind in kinds:
                if given < quota and waiting[kind.name][language]:
                    yield kind, *waiting[kind.name][language].pop(0)
                    given += 1


def _passages(rng: np.random.Generator, home: Chunk, chunks: Sequence[Chunk], count: int) -> tuple[str, ...]:
    """The passage of a sentence among others of its document, in their order there."""
    others = [chunk for chunk in chunks if chunk.document == home.document and chunk.id != home.id]
    drawn = [others[int(index)].id for index in rng.permutation(len(others))[: count - 1]]
    kept = {home.id, *drawn}
    return tuple(chunk.text for chunk in chunks if chunk.id in kept)
