"""The pages' own words, English and Chinese: `words.toml`, checked when it is read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from pydantic import Field, ValidationError

from serve.settings import Language
from vision.fields import Contract

LANGUAGES: tuple[Language, ...] = ("en", "zh")
HTML_LANG: Mapping[Language, str] = {"en": "en", "zh": "zh-Hans"}
LANGUAGE_COOKIE = "gauge_language"
_SLOT = re.compile(r"\{([a-z_]+)\}")
_RANGE = re.compile(r"^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*$")
_MOST_RANGES = 20


class WordsError(ValueError):
    """`words.toml` does not hold, or a text was asked for that is not in it."""


class Word(Contract):
    """One text in both languages, with the same slots."""

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)


@lru_cache(maxsize=1)
def read_words() -> Mapping[str, Word]:
    """All texts. Raises WordsError naming the one whose slots differ between the languages."""
    return build_words((resources.files("serve") / "web" / "words.toml").read_text(encoding="utf-8"))


def build_words(text: str) -> dict[str, Word]:
    """Texts out of TOML. Raises WordsError."""
    try:
        found = {name: Word.model_validate(row) for name, row in tomllib.loads(text).items()}
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise WordsError(f"words.toml: {error}") from error
    for name, word in found.items():
        if set(_SLOT.findall(word.en)) != set(_SLOT.findall(word.zh)):
            raise WordsError(f"words.toml: [{name}] has other slots in Chinese than in English")
    return found


class Words:
    """The texts of one language: `words("save")`, `words("steps", count="3")`. Escaping is the template's matter."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, name: str, /, **slots: object) -> str:
        """A text with its slots filled. Raises WordsError where there is none or a slot is missing."""
        text = self.text(name)
        missing = sorted(set(_SLOT.findall(text)) - set(slots))
        if missing:
            raise WordsError(f"the text {name!r} needs {', '.join(missing)}")
        return _SLOT.sub(lambda match: str(slots[match.group(1)]), text)

    def text(self, name: str) -> str:
        """A text as it stands, for a script that fills its slots. Raises WordsError where there is none."""
        word = read_words().get(name)
        if word is None:
            raise WordsError(f"there is no text {name!r} in words.toml")
        return word.zh if self.language == "zh" else word.en

    def has(self, name: str) -> bool:
        """Whether there is a text of that name."""
        return name in read_words()


def choose_language(cookie: str | None, accepted: str | None, default: Language) -> Language:
    """The language of a page: the cookie's, else the browser's first choice that there is, else the default."""
    for language in LANGUAGES:
        if cookie == language:
            return language
    wishes = [match for part in (accepted or "").split(",")[:_MOST_RANGES] if (match := _RANGE.match(part)) is not None]
    ranked = sorted(wishes, key=lambda match: -float(match.group(2) or 1.0))
    for match in ranked:
        name = match.group(1).lower().split("-")[0]
        if float(match.group(2) or 1.0) > 0 and name in LANGUAGES:
            return "zh" if name == "zh" else "en"
    return default
