"""Is a sentence supported by the texts that it cites?

Numbers must stand in a source with their unit or converted, names, units and content words too; a comparison, a negation
and a condition must stand beside what they are said of. What a template says by itself needs no source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from knowledge.sentences import split_sentences
from rag.verify.compare import supported_by
from rag.verify.rewrite import Verdict, kind_of
from rag.verify.sentence import Item, Sentence, parse

NEAR = 0.6
"""Share of a source sentence's words that a sentence repeats before it can be said to have dropped its negation."""

_NEGATIONS = frozenset(("NOT", "FORBID", "WITHOUT", "EXCEPT", "ONLY"))


def check_support(text: str, sources: Iterable[str], fixed: str = "") -> Verdict:
    """Whether `text` is supported by the cited `sources`. `fixed`: the template's own words, which need no source."""
    material = [source for source in sources if source.strip()]
    if not material:
        return Verdict(False, ("no source is cited",))
    said = parse(text)
    parts = [parse(part) for source in material for line in source.splitlines() for part in _parts(line)]
    known = [item for part in parts for item in part.items] + list(parse(fixed).items)
    keys = {item.key for item in known}
    quantities = [item.quantity for item in known if item.quantity is not None]
    problems: list[str] = []
    for item in said.items:
        found = supported_by(item.quantity, quantities) if item.quantity is not None else item.key in keys
        if not found:
            problems.append(f"{kind_of(item)} without source: {item.shown}")
    problems += _negation_problems(said, parts, parse(fixed))
    return Verdict(not problems, tuple(dict.fromkeys(problems)))


def _negation_problems(said: Sentence, parts: Sequence[Sentence], fixed: Sentence) -> list[str]:
    """A negation that no source holds, or one that the nearest source sentence has and the sentence lost."""
    own = {item.key for item in fixed.items}
    negations = [item.key for item in said.items if item.key in _NEGATIONS]
    stated = {item.key for part in parts for item in part.items}
    added = sorted(key for key in negations if key not in own and key not in stated)
    if added:
        return [f"negation without source: {', '.join(added).lower()}"]
    # Counted: a word that the template says too may be said a second time by the source.
    wanted = set(Counter(item.key for item in said.items if _content(item)) - Counter(item.key for item in fixed.items))
    best = max(parts, key=lambda part: _f1(wanted, _contents(part)), default=None)
    if best is None or not wanted:
        return []
    shared = _contents(best)
    lost = sorted({item.key for item in best.items if item.key in _NEGATIONS})
    if shared and len(wanted & shared) / len(shared) >= NEAR and lost and not negations:
        return [f"dropped negation: {', '.join(lost).lower()}"]
    return []


def _content(item: Item) -> bool:
    return not item.mark and item.quantity is None


def _contents(part: Sentence) -> set[str]:
    return {item.key for item in part.items if _content(item)}


def _parts(line: str) -> tuple[str, ...]:
    return tuple(cell for cell in line.split("|") if cell.strip()) if line.lstrip().startswith("|") else split_sentences(line)


def _f1(wanted: set[str], stated: set[str]) -> float:
    return 2 * len(wanted & stated) / (len(wanted) + len(stated)) if wanted and stated else 0.0
