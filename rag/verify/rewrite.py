"""Does a rewritten sentence say exactly what the planned one says?

Words may be exchanged for others of their meaning, numbers converted and rounded, and parts may change their places
where the grammar lets them: a condition, a source, what a copula joins. Everything else is a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.sentences import split_sentences
from rag.verify.compare import says_same
from rag.verify.lexicon import stem
from rag.verify.sentence import Item, Sentence, parse

MAX_CUTS = 6
"""At how many places a sentence may be cut and put together again."""

MAX_TURNED = 3
"""The same where verb and noun change places, as between active and passive."""

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
        order=tuple(_order_problems(said, meant, matched)),
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


def _order_problems(said: Sentence, meant: Sentence, matched: Sequence[int | None]) -> list[str]:
    """What changed its place must be a part that the grammar lets move."""
    places = [place for place, index in enumerate(matched) if index is not None]
    order = [index for index in matched if index is not None]
    if order == sorted(order):
        return []
    if not _cuts_allowed(said, meant, places, order):
        return ["words joined in another way"]
    return _clause_order(meant, order) or _attachment_problems(said, meant, matched)


def _cuts_allowed(said: Sentence, meant: Sentence, places: Sequence[int], order: Sequence[int]) -> bool:
    """Whether what was taken apart lets itself be taken apart there."""
    kept = sorted(order)
    rank = {index: number for number, index in enumerate(kept)}
    first = rank[order[0]]
    if first and not _may_cut(meant, order[0], kept[first - 1]):
        opens = said.clauses[said.clause_of[places[0]]].passive and _may_turn(meant, order[0], kept[first - 1])
        if not opens:
            return False
    cuts = turned = 0
    for number in range(1, len(order)):
        before, here = rank[order[number - 1]], rank[order[number]]
        if here == before + 1:
            continue
        cuts += 1
        place = places[number]
        clauses = meant.clause_of[order[number - 1]], meant.clause_of[order[number]]
        passive = said.clauses[said.clause_of[place]].passive or meant.clauses[clauses[1]].passive
        set_off = said.edges[place] == "clause" and any(meant.clauses[one].moves for one in clauses) and clauses[0] != clauses[1]
        for cut in (before + 1, here):
            if not 0 < cut < len(kept) or _may_cut(meant, kept[cut], kept[cut - 1], set_off=set_off):
                continue
            # "The pump is stopped by hand" for "Stop the pump by hand": verb and noun change places.
            if not passive or not _may_turn(meant, kept[cut], kept[cut - 1]):
                return False
            turned += 1
        # A piece from another clause must be set off in the rewritten sentence too.
        together = said.clause_of[place] == said.clause_of[places[number - 1]]
        hangs = any(meant.clauses[one].moves for one in clauses)
        if clauses[0] != clauses[1] and together and (said.edges[place] in ("none", "join") or not hangs):
            return False
    return cuts <= (MAX_TURNED if turned else MAX_CUTS)


def _may_cut(meant: Sentence, index: int, before: int, *, set_off: bool = False) -> bool:
    """Whether the sentence may be cut in front of an item. `set_off`: an inserted clause stands there, between commas."""
    edges = set(meant.edges[before + 1 : index + 1])
    if "clause" in edges:
        return True
    if "join" in edges:
        return False
    return "weak" in edges or set_off


def _may_turn(meant: Sentence, index: int, before: int) -> bool:
    return "join" not in meant.edges[before + 1 : index + 1] and not meant.items[before].mark


def _clause_order(meant: Sentence, order: Sequence[int]) -> list[str]:
    """Steps keep their order; what hangs on another clause may stand before or behind it, the sides of a colon too."""
    seen: list[int] = []
    for index in order:
        clause = meant.clause_of[index]
        if not seen or seen[-1] != clause:
            seen.append(clause)
    if any(count > 2 for count in Counter(seen).values()):
        return ["words joined in another way"]
    main = [clause for clause in dict.fromkeys(seen) if not meant.clauses[clause].moves]
    for earlier, later in pairwise(main):
        if later < earlier and not _may_swap(meant, later, earlier):
            return ["steps in another order"]
    return []


def _may_swap(meant: Sentence, first: int, second: int) -> bool:
    between = range(first + 1, second + 1)
    if any(meant.clauses[number].opened_by in (":", "：") for number in between):
        return True
    return not any(meant.clauses[number].imperative for number in (first, second))


def _attachment_problems(said: Sentence, meant: Sentence, matched: Sequence[int | None]) -> list[str]:
    """A condition that moved still belongs to the clause that it belonged to."""
    hosts: dict[int, Counter[int]] = {}
    guests: dict[int, Counter[int]] = {}
    for place, index in enumerate(matched):
        if index is not None:
            hosts.setdefault(meant.clause_of[index], Counter())[said.clause_of[place]] += 1
            guests.setdefault(said.clause_of[place], Counter())[meant.clause_of[index]] += 1
    for number, clause in enumerate(meant.clauses):
        if not clause.conditions or number not in hosts:
            continue
        target, host = attached_to(meant, number), attached_to(said, hosts[number].most_common(1)[0][0])
        if target is not None and host is not None and host in guests and target not in guests[host]:
            return ["a condition of another clause"]
    return []


def attached_to(sentence: Sentence, number: int) -> int | None:
    """The clause that a condition belongs to: the next one, or the one before where it follows without a pause or is last."""
    clauses = sentence.clauses
    after = next((other for other in range(number + 1, len(clauses)) if not clauses[other].conditions), None)
    before = next((other for other in range(number - 1, -1, -1) if not clauses[other].conditions), None)
    return before if before is not None and (after is None or not clauses[number].opened_by) else after
