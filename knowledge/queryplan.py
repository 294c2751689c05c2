"""From a question to what the routes are asked: cleaned, mended, taken apart.

Words go to the dense and the lexical route; entities (models, colours, positions, values, codes) become filters and
lookups of the structured one. A limit that is only implied ("is 95 MPa too much?") is made explicit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from knowledge.articles import Language
from knowledge.intents import Intent, detect_intent
from knowledge.lexical import model_key, terms
from knowledge.questions import clean_question
from knowledge.spelling import Correction, Speller, ocr_key
from knowledge.synonyms import CHINESE, shipped_graph
from vision.units import find_unit

_MODEL_WORD = re.compile(r"[A-Za-z0-9]+(?:[-./_][A-Za-z0-9]+)*")
_LIKE_MODEL = re.compile(r"(?=[A-Z0-9]*[A-Z][A-Z0-9]*-)[A-Z0-9]{1,5}-\d{1,5}[A-Z]?", re.IGNORECASE)
_STANDARDS = re.compile(r"(?:iso|iec|en|din|gb|jb|ip|pt|v|no|rev)-", re.IGNORECASE)
_NUMBER_AND_UNIT = re.compile(r"(?<![A-Za-z0-9.-])(-?\d+(?:\.\d+)?)\s*([°℃℉%A-Za-zΩµ兆千毫]{1,3}[A-Za-z0-9/²³帕伏安赫瓦]{0,7})")


_BARE_NUMBER = re.compile(
    r"(?:\b(?:shows?|reads?|reading|stands at|says|over|above|below|at)|读到|读数为?|显示|指示|超过|高于|低于|达到|是)"
    r"\s*(-?\d+(?:\.\d+)?)(?![\d.]*[A-Za-z°℃%])"
)


_HANGING = re.compile(r"\b(?:(?:of|on|in|at|by|for|with) )?(?:the|an?)(?= ?(?:[?.,;:!]|$))|^的\s*", re.IGNORECASE)
"""An article in front of a name that was taken out."""
_CLAUSE = re.compile(r"[:;,：；，](?=\D)|。")
_MEANING = re.compile(r"\bmean|\bstand for|含义|意思|意味|代表|表示什么", re.IGNORECASE)
_INTERROGATIVE = re.compile(
    r"\b(?:which|what|how|who|when|where|at which|to which)\b|什么|怎么|怎样|如何|多少|谁|哪|几|何时|步骤|顺序", re.IGNORECASE
)


class Quantity(NamedTuple):
    """A number that a question names, with its unit; None where it says none and the instrument's own must be meant."""

    value: float
    unit: str | None


class QueryPlan(NamedTuple):
    """A question taken apart. `text` is what is embedded, `bare` the same without the models it names, `terms` what is
    looked up, the rest filters and lookups.

    `models` are known models that the question names, `strangers` words that look like a model and are none. `two_step` says
    that one clause states what is seen (a colour, a code, a value) and a later one asks what follows from it.
    """

    asked: str
    text: str
    bare: str
    language: Language
    corrections: tuple[Correction, ...]
    models: tuple[str, ...]
    strangers: tuple[str, ...]
    intent: Intent
    concepts: tuple[str, ...]
    terms: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    two_step: bool = False


class ModelNames:
    """Known models by their spellings: case, spaces and hyphens forgiven, and OCR's confusions where one model is meant."""

    def __init__(self, models: Iterable[str]) -> None:
        self.models = tuple(sorted(models))
        self._by_key = {model_key(model): model for model in self.models}
        by_ocr: dict[str, set[str]] = {}
        for key, model in self._by_key.items():
            by_ocr.setdefault(ocr_key(key), set()).add(model)
        self._by_ocr = {key: next(iter(found)) for key, found in by_ocr.items() if len(found) == 1}

    def known(self, spelling: str, *, misread: bool = False) -> str | None:
        """The model that a spelling stands for, or None; `misread` forgives 0 for O and the like."""
        key = model_key(spelling)
        found = self._by_key.get(key)
        return found if found is not None or not misread else self._by_ocr.get(ocr_key(key))

    def find(self, text: str) -> dict[str, str]:
        """Known models named in a text: model -> the words that name it; two words ("XYZ 2000") may name one."""
        tokens = list(_MODEL_WORD.finditer(text))
        found: dict[str, str] = {}
        used: set[int] = set()
        for width in (2, 1):
            for n in range(len(tokens) - width + 1):
                if used & set(range(n, n + width)):
                    continue
                words = text[tokens[n].start() : tokens[n + width - 1].end()]
                if not re.search(r"\d|[OoIlSB]$", words) or (width == 2 and not re.fullmatch(r"\S+[\s-]+\S+", words)):
                    continue
                model = self.known(words, misread=True)
                if model is not None:
                    found.setdefault(model, words)
                    used |= set(range(n, n + width))
        return found


def plan_query(query: str, names: ModelNames, speller: Speller, known_words: Iterable[str] = ()) -> QueryPlan:
    """The plan of a question; `text` is empty where nothing is asked. `known_words` are no strangers (parts, codes)."""
    cleaned = clean_question(query)
    if not re.search(r"\w", cleaned):
        cleaned = ""
    named = names.find(cleaned)
    spared = frozenset(token for words in named.values() for token in (words, *words.split()))
    strangers = tuple(
        word
        for word in dict.fromkeys(match.group(0) for match in _MODEL_WORD.finditer(cleaned))
        if word not in spared
        and _LIKE_MODEL.fullmatch(word)
        and not _STANDARDS.match(word)
        and word.casefold() not in known_words
    )
    text, corrections = speller.mend(cleaned, spared | frozenset(strangers))
    for model, words in named.items():
        text = text.replace(words, model)
    lowered = text.casefold().replace("_", " ")
    model_terms = {term for model in named for term in terms(model)} | {term for word in named.values() for term in terms(word)}
    return QueryPlan(
        asked=query,
        text=text,
        bare=without_models(text, named),
        language="zh" if CHINESE.search(text) else "en",
        corrections=corrections,
        models=tuple(named),
        strangers=strangers,
        intent=detect_intent(text),
        concepts=shipped_graph().concepts_of(lowered),
        terms=tuple(term for term in dict.fromkeys(terms(text)) if term not in model_terms),
        quantities=find_quantities(text),
        two_step=asks_in_two_steps(text),
    )


def without_models(text: str, models: Iterable[str]) -> str:
    """A question without the names of models and the articles left hanging; the question itself where nothing else is left."""
    bare = text
    for model in models:
        bare = bare.replace(model, " ")
    bare = " ".join(_HANGING.sub("", " ".join(bare.split())).split())
    return bare if re.search(r"\w", bare) else text


def asks_in_two_steps(text: str) -> bool:
    """Whether a question states what is seen and then, in another clause, asks for something else than its meaning."""
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    if len(clauses) < 2 or _MEANING.search(text):
        return False
    seen, asked = clauses[0], " ".join(clauses[1:])
    intent = detect_intent(seen)
    states = intent.color is not None or bool(intent.codes) or intent.level is not None or bool(find_quantities(seen))
    return states and bool(_INTERROGATIVE.search(asked))


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Numbers with a known unit in a text, and those without one that are said to be shown."""
    found: list[Quantity] = []
    taken: set[int] = set()
    for match in _NUMBER_AND_UNIT.finditer(text):
        for length in range(len(match.group(2)), 0, -1):
            unit = find_unit(match.group(2)[:length])
            if unit is not None:
                found.append(Quantity(float(match.group(1)), unit))
                taken.add(match.start(1))
                break
    bare = (match for match in _BARE_NUMBER.finditer(text) if match.start(1) not in taken)
    return (*found, *(Quantity(float(match.group(1)), None) for match in bare))
