"""Does a rewritten sentence say exactly what the planned one says?

Words may be exchanged for others of their meaning, numbers converted and rounded, and parts may change their places
where the grammar lets them: a condition, a source, what a copula joins. Everything else is a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowledge.sentences import split_sentences
from rag.verify.compare import says_same
from rag.verify.lexicon import stem
from rag.verify.order import order_problems
from rag.verify.sentence import Item, Sentence, parse

_KINDS = {"#": "numbers", "unit:": "units", "name:": "names", "date:": "dates", "section:": "sections", "sign:": "signs"}
_MARKS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset(("NOT", "FORBID", "WITHOUT", "EXCEPT")), "negation"),
    (frozenset(("ABOVE", "BELOW", "AT_LEAST", "AT_MOST", "EQUAL")), "comparison"),
    (frozenset(("MUST", "MAY", "SHOULD")), "must or may"),
    (frozenset(("PAST", "FUTURE")), "tense"),
    (frozenset(("HEDGE",)), "hedge"),
)


@dataclass(frozen=True)
class Verdict:
    """Whether a sentence holds, and every way in which it does not."""

    supported: bool
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Two sentences item by item: `matched[i]` is the item meant by item i said, `new` and `lost` are places without a
    partner; `scope` and `order` say what is put together otherwise among the items that match."""

    said: Sentence
    meant: Sentence
    matched: tuple[int | None, ...]
    new: tuple[int, ...]
    lost: tuple[int, ...]
    scope: tuple[str, ...]
    order: tuple[str, ...]


def compare_sentences(text: str, planned: str) -> Comparison:
    """Everything in which two sentences differ."""
    said, meant = parse(text.strip()), parse(planned.strip())
    matched = _match(said, meant)
    used = set(matched)
    return Comparison(
        said=said,
        meant=meant,
        matched=tuple(matched),
        new=tuple(i for i in range(len(said.items)) if matched[i] is None and not _implied(said, i, meant, matched)),
        lost=tuple(i for i in range(len(meant.items)) if i not in used and not _understood(meant, i, said, matched)),
        scope=tuple(_scope_problems(said, meant, matched)),
        order=tuple(order_problems(said, meant, matched)),
    )


def check_rewrite(text: str, planned: str) -> Verdict:
    """Does `text` say what `planned` says, no more and no less? Every difference is named."""
    found = compare_sentences(text, planned)
    said, meant = found.said.items, found.meant.items
    problems = [f"new {kind}: {', '.join(names)}" for kind, names in _by_kind(said[i] for i in found.new)]
    problems += [f"lost {kind}: {', '.join(names)}" for kind, names in _by_kind(meant[i] for i in found.lost)]
    problems = problems or [*found.scope, *found.order]
    if not text.strip().endswith((".", "。", "!", "！", ";", "；")):
        problems.append("does not end as a sentence")
    if len(split_sentences(text)) > len(split_sentences(planned)):
        problems.append("more than one sentence")
    return Verdict(not problems, tuple(problems))


def _match(said: Sentence, meant: Sentence) -> list[int | None]:
    """For each item said the item meant; where there are several, the one that goes on where the last one stood."""
    free = set(range(len(meant.items)))
    matched: list[int | None] = []
    last = -1
    for place, item in enumerate(said.items):
        options = [index for index in free if same_item(item, meant.items[index])]
        if not options:
            matched.append(None)
            continue
        chosen = min(
            options, key=lambda index: (index != last + 1, _unlike_next(said, place, meant, index), abs(index - last - 1))
        )
        free.discard(chosen)
        matched.append(chosen)
        last = chosen
    return matched


def _unlike_next(said: Sentence, place: int, meant: Sentence, index: int) -> bool:
    """Whether the items behind two places differ: of two `red` the one is meant that the same word follows."""
    if place + 1 >= len(said.items) or index + 1 >= len(meant.items):
        return (place + 1 >= len(said.items)) != (index + 1 >= len(meant.items))
    return not same_item(said.items[place + 1], meant.items[index + 1])


def same_item(said: Item, meant: Item) -> bool:
    """Whether one item says what another says."""
    if said.quantity is not None and meant.quantity is not None:
        return says_same(said.quantity, meant.quantity)
    return said.key == meant.key


def _by_kind(items: Iterable[Item]) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(kind_of(item), []).append(item.shown)
    return list(found.items())


def kind_of(item: Item) -> str:
    """What sort of thing an item is, for people."""
    if item.mark:
        return next((name for keys, name in _MARKS if item.key in keys), "words of limit")
    named = next((name for head, name in _KINDS.items() if item.key.startswith(head)), None)
    return named or ("words" if item.text.isascii() else "characters")


def _implied(said: Sentence, place: int, meant: Sentence, matched: Sequence[int | None]) -> bool:
    """ "You must close the valve" says no more than "Close the valve"."""
    if said.items[place].key != "MUST":
        return False
    here = said.clause_of[place]
    rest = {meant.clause_of[j] for i, j in enumerate(matched) if j is not None and said.clause_of[i] == here}
    return any(meant.clauses[clause].imperative for clause in rest)


def _understood(meant: Sentence, index: int, said: Sentence, matched: Sequence[int | None]) -> bool:
    """ "Close the valve" says no less than "The valve must be closed"."""
    if meant.items[index].key != "MUST":
        return False
    here = meant.clause_of[index]
    return any(
        j is not None and meant.clause_of[j] == here and said.clauses[said.clause_of[i]].imperative for i, j in enumerate(matched)
    )


def _scope_problems(said: Sentence, meant: Sentence, matched: Sequence[int | None]) -> list[str]:
    """Conditions must hold of the same clauses; a verb keeps its tense; who acts and where from stays."""
    problems: list[str] = []
    hosts = {(meant.clause_of[index], said.clause_of[place]) for place, index in enumerate(matched) if index is not None}
    for number, host in sorted(hosts):
        conditions, asked = said.clauses[host].conditions, meant.clauses[number].conditions
        if conditions != asked:
            problems.append(f"condition {_names(conditions)} instead of {_names(asked)}")
    for place, index in enumerate(matched):
        if index is not None:
            problems += _pair_problems(said, place, meant, index, matched)
    return problems


def _names(conditions: set[str]) -> str:
    return " ".join(sorted(conditions)).lower() or "none"


def _pair_problems(said: Sentence, place: int, meant: Sentence, index: int, matched: Sequence[int | None]) -> list[str]:
    one, other = said.items[place], meant.items[index]
    if {one.joint, other.joint} == {"and", "or"}:
        return [f"{one.joint} instead of {other.joint} before {one.text}"]
    directions = {one.lead, other.lead}
    if directions == {"from", "to"}:
        return [f"{one.lead} {one.text} instead of {other.lead}"]
    if one.lead == "by" and not other.lead and place > 0 and said.clauses[said.clause_of[place]].passive:
        verb = matched[place - 1]
        if verb is not None and verb < index and meant.clause_of[verb] == meant.clause_of[index]:
            return [f"{one.text} acts instead of being acted on"]
    ended, was = one.text.lower().endswith("ed"), other.text.lower().endswith("ed")
    if ended != was and not one.mark and one.text.isascii() and stem(one.text) == stem(other.text):
        active = one if ended else other
        clause = said.clauses[said.clause_of[place]] if ended else meant.clauses[meant.clause_of[index]]
        opens = _opens(said, place) if ended else _opens(meant, index)
        if active.lead == "subject" or not (active.helped or clause.passive or opens):
            return [f"tense of {one.text} instead of {other.text}"]
    return []


def _opens(sentence: Sentence, place: int) -> bool:
    return place == 0 or sentence.clause_of[place - 1] != sentence.clause_of[place]
