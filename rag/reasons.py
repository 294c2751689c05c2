"""The reader's reasons in the language of the report: its English texts against the patterns of `reasons.toml`.

A reason that no pattern fits is shown as it is: a text in the wrong language says more than none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from knowledge.articles import Language
from rag.templates import Template, clean_reason, clean_text, read_templates

_SLOT = re.compile(r"\\{([a-z_]+)\\}")
_NESTED = "reason"
"""The slot that holds a reason itself."""
OTHER = "other"
_MAX_VALUE = 160
_MAX_PARTS = 12
"""Reasons joined into one text: a photo of more instruments is told in its own sections."""


def localize_reason(text: str | None, language: Language) -> str:
    """A reason of the reader as part of a sentence in `language`, never empty."""
    cleaned = clean_reason(text, language)
    return cleaned if language == "en" else _translated(cleaned, language)


def reason_name(text: str | None) -> str:
    """The name in `reasons.toml` of a reason of the reader, the first of several: one word to count by; `other` for none.

    A reason that wraps another one has the name of what it wraps.
    """
    cleaned = clean_reason(text, "en")
    parts = cleaned.split("; ", _MAX_PARTS)
    for count in range(len(parts), 0, -1):
        for pattern, template in _patterns().items():
            found = pattern.fullmatch("; ".join(parts[:count]))
            if found is not None:
                inner = found.groupdict().get(_NESTED)
                name = reason_name(inner) if inner else OTHER
                return name if name != OTHER else _names()[template.en]
    return OTHER


def _translated(text: str, language: Language) -> str:
    """Each of the reasons that stand joined in a text, the longest that is known first."""
    parts = text.split("; ", _MAX_PARTS)
    said: list[str] = []
    while parts:
        for count in range(len(parts), 0, -1):
            known = _known("; ".join(parts[:count]), language)
            if known is not None or count == 1:
                said.append(known or parts[0])
                del parts[:count]
                break
    return "；".join(said)


def _known(text: str, language: Language) -> str | None:
    """One reason in `language`, None where no pattern fits it."""
    for pattern, template in _patterns().items():
        found = pattern.fullmatch(text)
        if found is not None:
            slots = {name: clean_text(value) for name, value in found.groupdict().items()}
            if _NESTED in slots:
                slots[_NESTED] = _translated(slots[_NESTED], language)
            return template.fill(language, slots).rstrip("。")
    return None


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    return {row.en: name for name, row in read_templates("reasons.toml").items()}


@lru_cache(maxsize=1)
def _patterns() -> Mapping[re.Pattern[str], Template]:
    """The patterns of all reasons; those with fewer slots say more and come first."""
    rows = sorted(read_templates("reasons.toml").values(), key=lambda row: (len(row.slots()), -len(row.en)))
    return {re.compile(_SLOT.sub(_group, re.escape(row.en)), re.DOTALL): row for row in rows}


def _group(slot: re.Match[str]) -> str:
    name = slot.group(1)
    return f"(?P<{name}>.+)" if name == _NESTED else f"(?P<{name}>.{{1,{_MAX_VALUE}}}?)"
