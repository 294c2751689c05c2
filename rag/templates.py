"""Strict templates: `{slot}` is filled exactly once with plain text; a missing slot raises.

Slot values come from photos and manuals and are not trusted: they are cleaned to one line of printable text and
never scanned for slots again, so a name such as `{value}` printed on a plate stays that text.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Annotated, Any

from pydantic import Field, ValidationError

from knowledge.articles import Language
from rag.errors import TemplateError
from vision.fields import Contract

MAX_SLOT = 400
_SLOT = re.compile(r"\{([a-z_]+)\}")
_CHAT_TOKEN = re.compile(r"<\|[^|<>]{0,40}\|>|</?s>|\[/?INST\]", re.IGNORECASE)

Text = Annotated[str, Field(min_length=1)]


def clean_text(text: str, limit: int = MAX_SLOT) -> str:
    """`text` as one line without control characters, invisible characters or chat markers, at most `limit` long."""
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text)
    visible = _CHAT_TOKEN.sub(" ", visible)
    line = re.sub(r"\s+", " ", visible).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


class Template(Contract):
    """One text in both languages, with the same slots."""

    en: Text
    zh: Text

    def slots(self) -> frozenset[str]:
        """Names of the slots of the English text; loading checks that the Chinese one has the same."""
        return frozenset(_SLOT.findall(self.en))

    def fill(self, language: Language, slots: Mapping[str, str]) -> str:
        """The text with its slots filled. Raises TemplateError naming the slots that are missing or empty."""
        text = self.zh if language == "zh" else self.en
        missing = sorted(name for name in set(_SLOT.findall(text)) if not slots.get(name, "").strip())
        if missing:
            raise TemplateError(f"template {text!r} needs {', '.join(missing)}; given: {', '.join(sorted(slots)) or 'nothing'}")
        return _SLOT.sub(lambda match: clean_text(slots[match.group(1)]), text)

    def fixed_words(self, language: Language) -> str:
        """The template's own words, without its slots."""
        return _SLOT.sub(" ", self.zh if language == "zh" else self.en)


def read_table(name: str) -> dict[str, Any]:
    """A TOML table shipped in this room. Raises TemplateError where it is missing or not TOML."""
    try:
        return tomllib.loads((resources.files("rag") / name).read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise TemplateError(f"template table {name} cannot be read: {error}") from error


def check_template(name: str, template: Template) -> None:
    """Raises TemplateError where the languages' slots differ or a brace is left that is no slot."""
    for text in (template.en, template.zh):
        if re.search(r"[{}]", _SLOT.sub("", text)):
            raise TemplateError(f"template {name!r}: {text!r} has a brace that is no {{slot}} of small letters")
    if template.slots() != frozenset(_SLOT.findall(template.zh)):
        raise TemplateError(f"template {name!r}: English and Chinese text have different slots")


@lru_cache(maxsize=8)
def read_templates(table_name: str) -> Mapping[str, Template]:
    """The templates of a TOML table shipped in this room, by name. Raises TemplateError naming a bad entry."""
    table: dict[str, Template] = {}
    for name, entry in read_table(table_name).items():
        try:
            table[name] = Template.model_validate(entry)
        except ValidationError as error:
            raise TemplateError(f"{table_name}: {name!r} is not a template with `en` and `zh`: {error}") from error
        check_template(name, table[name])
    return table


def sentences() -> Mapping[str, Template]:
    """The report's sentences by name. Raises TemplateError naming a bad entry."""
    return read_templates("sentences.toml")


def sentence(name: str, language: Language, /, **slots: str) -> str:
    """One sentence of the report. Raises TemplateError where the name is unknown or a slot is missing."""
    template = sentences().get(name)
    if template is None:
        raise TemplateError(f"there is no sentence {name!r}; known: {', '.join(sentences())}")
    return template.fill(language, slots)


def clean_reason(text: str | None, language: Language) -> str:
    """A reason from elsewhere as part of a sentence; where it holds nothing visible, that none was given."""
    return clean_text(text or "").rstrip(".。 ") or sentence("no_reason", language)
