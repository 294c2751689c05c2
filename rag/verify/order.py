"""May what a rewritten sentence puts in another place stand there?

A sentence may be cut where the grammar lets its parts move: around a clause, before a condition or a source, between
what a copula joins. Steps keep their order, and a condition stays with the clause that it belonged to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rag.verify.sentence import Sentence

MAX_CUTS = 6
"""At how many places a sentence may be cut and put together again."""
MAX_TURNED = 3
"""The same where verb and noun change places, as between active and passive."""


def order_problems(said: Sentence, meant: Sentence, matched: Sequence[int | None]) -> list[str]:
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
