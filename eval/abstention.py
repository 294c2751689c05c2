"""Sentences that say that something is not known: honest, and no claim that could be judged."""

from __future__ import annotations

import re

_INFORMATION = r"(?:documents?|manuals?|passages?|context|sources?|text|information|articles?|provided|given|search results?)"
_TELLS = r"(?:stat|mention|provid|contain|specif|includ|discuss|address|describ|say|said|cover|giv|have|enough|sufficient)\w*"
_ABSTENTION = re.compile(
    "|".join(
        (
            rf"\b(?:not|no|never|\w+n't|un(?:able|clear|certain))\b[^.]*\b{_TELLS}\b[^.]*\b{_INFORMATION}\b",
            rf"\b{_INFORMATION}\b[^.]*\b(?:not|no|never|\w+n't)\b[^.]*\b{_TELLS}",
            r"\b(?:unable|not able|not possible|impossible|cannot|can't|could not|couldn't) (?:to )?"
            r"(?:answer|determine|provide|say|tell|find|be determined|be read)",
            r"\b(?:was|were|is|are|could) not (?:be )?(?:read|determined|stated|consulted|decided)\b",
            r"\bno (?:value|instrument|unit|manual) was\b|\bnothing is claimed\b|\bno manual\b|\bis (?:unknown|doubtful)\b",
            r"\bi don't know\b|\bdocuments conflict\b|\bcannot be compared\b",
            r"资料未|未说明|未提及|未提供|没有(?:提及|提到|说明|提供|读出|型号)|未能读|未读出|未得出|未查阅|未知|不知道",
            r"无法(?:回答|确定|判断|判定|得知|读|使用|[^。]{0,40}比较)|资料冲突|存疑|不引用|没有相关(?:信息|资料)",
        )
    ),
    re.IGNORECASE,
)
_CASE = re.compile(r"^(?:(?:if|when|where|whenever|unless)\b[^,]{4,}, |(?:如果|若|当|一旦)[^，]{2,}，)", re.IGNORECASE)
_TREATED = re.compile(r"\b(?:treat|count|regard|consider|record)\w*\b.* as\b|视为|视作|应视|记为|按")


def is_abstention(sentence: str) -> bool:
    """Whether a sentence says that something was not read, not stated or not answerable: honest, and no claim.

    What is to be done in such a case ("If the label cannot be read, close the valve") is an instruction, and a claim.
    """
    main = _CASE.sub("", sentence)
    return _ABSTENTION.search(main) is not None and not (main != sentence and _TREATED.search(main))
