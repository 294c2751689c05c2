"""Claims and facts as concepts of the domain's synonym graph, so that a Chinese claim can be held against English evidence.

Numbers, units, negations and conditions are the same in both languages; of words only those that the graph knows can be
compared. A claim of which it knows too little is not judged across languages.
"""

from __future__ import annotations

import re
from functools import lru_cache

from eval.claims import Claim, language_of, quantities_between
from eval.claims_en import stem
from eval.evidence import Fact
from knowledge.synonyms import shipped_graph

KNOWN = 0.6
"""Share of a claim's content, in characters, that the graph must know."""
LEAST = 0.3
"""The same of a fact: of what it knows less, it cannot say whether the claim stands there."""
FEWEST = 2
"""Concepts that a claim must name."""
# Concepts that carry the logic of a sentence, which negations, bounds and conditions are judged by already.
_LOGIC_TEXT = (
    "must permitted forbidden above below between before after if otherwise when where who howmuch show value read state"
)
_LOGIC = frozenset(_LOGIC_TEXT.split())
_LATIN = re.compile(r"[A-Za-z][A-Za-z-]+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_EMPTY_EN = re.compile(
    r"\b(?:the|a|an|of|in|on|at|to|from|by|for|with|as|is|are|be|been|was|were|has|have|it|its|this|that|these|those|and|or|not|"
    r"no|if|when|must|may|can|shall|should|will|do|does|which|than|then|there|according|manual|reading|value|says?|means?|stands?|"
    r"lies|declares?|shows?|states?)\b",
    re.IGNORECASE,
)
_EMPTY_ZH = re.compile(
    r"以及|或者|并且|如果|说明书|手册|根据|按照|对于|其中|可以|应当|必须|需要|不得|禁止|读数|数值|规定|声明|要求|表示|显示|处于|位于"
    r"|[的了在是为和与及或等被把将对从到至以之其该这那也都就而且并但则时若当应须会能要于由按请得不未无]"
)


def claim_as_concepts(claim: Claim) -> Claim | None:
    """The claim with concepts for terms; None where too little of it is known."""
    words = claim.text
    for one in quantities_between(claim.text, 0, len(claim.text)):
        words = words[: one.start] + " " * (one.end - one.start) + words[one.end :]
    terms = concept_terms(words)
    if len(terms) < FEWEST or known_share(claim.text) < KNOWN:
        return None
    update = {
        "language": "en",
        "terms": terms,
        "subject_terms": concept_terms(claim.subject or ""),
        "condition_terms": concept_terms(claim.condition or ""),
    }
    return claim.model_copy(update=update)


@lru_cache(maxsize=4096)
def fact_as_concepts(fact: Fact) -> Fact | None:
    """The fact and its clauses with concepts for terms; a table row's cells keep what the first one names.

    None where too little of it is known.
    """
    if known_share(fact.text) < LEAST:
        return None
    key = concept_terms(re.split(r"[;；]", fact.text, maxsplit=1)[0], evidence=True)
    clauses = []
    for clause in fact.clauses:
        own = concept_terms(clause.text, evidence=True)
        # What a clause is said of beyond its own words is a row's first cell.
        carried = (
            key
            if clause.subject is None or clause.subject not in clause.text or len(clause.subject_terms) > len(own)
            else key & own
        )
        update = {
            "terms": own,
            "subject_terms": concept_terms(clause.subject or "", evidence=True) | carried,
            "condition_terms": concept_terms(clause.condition or ""),
        }
        clauses.append(clause.model_copy(update=update))
    return fact._replace(clauses=tuple(clauses), terms=concept_terms(fact.text, evidence=True))


@lru_cache(maxsize=16384)
def concept_terms(text: str, *, evidence: bool = False) -> frozenset[str]:
    """Stems of the concepts that a text names, and the Latin words that a Chinese one quotes.

    Of `evidence` all Latin words, because it may be what is quoted.
    """
    lowered = text.casefold()
    found: set[str] = set()
    rest = lowered
    for mention in shipped_graph().find(lowered):
        rest = rest[: mention.start] + " " * (mention.end - mention.start) + rest[mention.end :]
        if mention.concept.name not in _LOGIC:
            found.add(stem(mention.concept.name))
    if evidence:
        found |= {stem(word) for word in _LATIN.findall(lowered)}
    elif language_of(text) == "zh":
        found |= {stem(word) for word in _LATIN.findall(rest) if len(word) > 2}
    return frozenset(found)


def known_share(text: str) -> float:
    """Share of a text's content that the graph knows, by characters; 1 where nothing but numbers and empty words is left."""
    lowered = text.casefold()
    numbers = quantities_between(text, 0, len(text)) if len(lowered) == len(text) else ()
    for one in numbers:
        lowered = lowered[: one.start] + " " * (one.end - one.start) + lowered[one.end :]
    empty, content = (_EMPTY_ZH, _HAN) if language_of(text) == "zh" else (_EMPTY_EN, re.compile("[a-z]"))
    known = bytearray(len(lowered))
    for mention in shipped_graph().find(lowered):
        known[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
    hidden = bytearray(len(lowered))
    for match in empty.finditer(lowered):
        hidden[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
    places = [i for i, char in enumerate(lowered) if content.match(char) and (known[i] or not hidden[i])]
    return sum(known[i] for i in places) / len(places) if places else 1.0
