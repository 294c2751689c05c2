"""Chinese sentences into claims, by rules on clauses: no word list, pairs of characters as terms."""

from __future__ import annotations

import re

from eval.claims import Claim, Span, quantities_between

_CLAUSE = re.compile(r"[^，,；;]+")
_END = "。！？!?；;，,：: "
_PREDICATE = re.compile(
    r"等于|达到|处于|位于|表示|说明|显示|应当|必须|不得|禁止|禁用|可以|不能|需要|包括|取自|来自|规定|要求|具有|属于"
    r"|应|须|为|是|有|指|含|按|由|会|达|需"
)
_CONDITION_HEAD = re.compile(r"^(?:如果|假如|若|当|一旦|除非|只有|只要|倘若|如(?!下|图|表|上))")
_CONDITION_TAIL = re.compile(r"(?:时|的话|情况下|期间|之前|之后|以前|以后)$")
# Words that hold a negating character and negate nothing, and limits ("no more than"), which are bounds.
_NO_NEGATION = re.compile(
    r"不仅|不但|不同|不断|不过|不久|不少|不锈钢|不足|不超过|不高于|不低于|不大于|不小于|不少于|不得超过|不确定度|无论|无线|非常|未来|除非|禁忌症|不全|不良|不适|不明|不稳|不一"
)
_NEGATION = re.compile(r"并非|不|未|无|没|勿|莫|禁|忌|避免|非")
_BARE_NEGATIONS = frozenset("不未无没勿莫非")
_FUNCTION = re.compile(
    r"以及|或者|并且|而且|但是|因此|所以|由于|对于|关于|根据|按照|其中|可以|应当|必须|需要|如果|的|了|在|是|为|和|与|及|或|等|被|把|将|对|从|到|至"
    r"|以|之|其|该|这|那|也|都|就|而|且|并|但|则|时|若|当|应|须|会|能|要|于|由|按|请|得|却|还|又|仍|已|上|处"
)
# Words of talking about readings and manuals: they say nothing that evidence could bear out.
_GENERIC = re.compile(
    r"说明书|照片中|手册|资料|文档|文件|数值|读数|示值|仪表|照片|规定|声明|要求|显示|表示|处于|位于|取自|来自|计算|得出|得到|型号|范围|区间|表盘|角度约定"
)
_PREFIX = re.compile(r"^(?:按照?|根据|依据|对于|关于|由于|因此|所以|但|然而)")
_CJK_RUN = re.compile(r"[\u3400-\u9fff]+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9-]+")


def chinese_claims(sentence: str) -> tuple[Claim, ...]:
    """Claims of one Chinese sentence, offsets within it: a clause each, a condition carried to the clauses behind it."""
    claims: list[Claim] = []
    condition: Span | None = None
    pending: int | None = None
    clauses = [Span(match.group(0), *match.span()) for match in _CLAUSE.finditer(sentence)]
    for position, clause in enumerate(clauses):
        start = clause.start if pending is None else pending
        last = position == len(clauses) - 1
        if not last and _is_condition(clause.text.strip(_END)):
            condition, pending = Span(sentence[start : clause.end].strip(_END), start, clause.end), None
            continue
        if not last and not _says(sentence, clause):
            pending = start
            continue
        claim = _claim(sentence, start, clause.end, condition, claims)
        pending = None
        if claim is not None:
            claims.append(claim)
    return tuple(claims)


def chinese_terms(text: str) -> frozenset[str]:
    """Pairs of neighbouring characters between function words, single characters where one stands alone, Latin words."""
    terms = {word.lower() for word in _LATIN.findall(text)}
    for run in _CJK_RUN.findall(_FUNCTION.sub(" ", _GENERIC.sub(" ", text))):
        terms |= {run} if len(run) == 1 else {run[i : i + 2] for i in range(len(run) - 1)}
    # A bare negation is counted by itself; as a term it would have to stand in the evidence too.
    return frozenset(terms) - _BARE_NEGATIONS


def negation_count(text: str) -> int:
    """Negations in a Chinese text; words that merely hold such a character do not count."""
    return len(_NEGATION.findall(_NO_NEGATION.sub(" ", text)))


def _says(sentence: str, clause: Span) -> bool:
    """Whether a clause claims something by itself; "according to the manual" belongs to what follows."""
    if quantities_between(sentence, clause.start, clause.end):
        return True
    text = clause.text.strip(_END)
    return bool(_PREDICATE.search(text) and chinese_terms(text) and not _PREFIX.search(text))


def _is_condition(text: str) -> bool:
    return bool(_CONDITION_HEAD.search(text) or _CONDITION_TAIL.search(text))


def _claim(sentence: str, start: int, end: int, condition: Span | None, before: list[Claim]) -> Claim | None:
    raw = sentence[start:end]
    text = raw.strip(_END)
    start += len(raw) - len(raw.lstrip(_END))
    end = start + len(text)
    quantities = quantities_between(sentence, start, end)
    words = text
    for one in reversed(quantities):
        words = words[: one.start - start] + " " + words[one.end - start :]
    bound = () if condition is None else quantities_between(sentence, condition.start, condition.end)
    subject, predicate, rest = _parts(text)
    terms = chinese_terms(words)
    if subject is None and before:
        # "读数为 5 MPa，区间为 4 至 6 MPa": a clause without a subject goes on about the one before.
        subject = before[-1].subject
        terms |= before[-1].subject_terms
    if not terms and not quantities:
        return None
    return Claim(
        text=text,
        start=start,
        end=end,
        language="zh",
        subject=subject,
        predicate=predicate,
        object=rest,
        quantities=(*bound, *quantities),
        negated=negation_count(text) % 2 == 1,
        condition=None if condition is None else condition.text,
        terms=terms,
        subject_terms=chinese_terms(subject) if subject else frozenset(),
        condition_terms=frozenset() if condition is None else chinese_terms(condition.text),
    )


def _parts(text: str) -> tuple[str | None, str | None, str | None]:
    """Subject, predicate and object around the first predicate word; the whole as object where there is none."""
    match = _PREDICATE.search(text)
    if match is None:
        return None, None, text
    return text[: match.start()].strip(_END) or None, match.group(0), text[match.end() :].strip(_END) or None
