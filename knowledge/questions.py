"""Cleaning of questions: polite openings and chatty endings are noise to every route.

Only words that carry no content are taken away, and never all of a question.
"""

from __future__ import annotations

import re
import unicodedata

_OPENING = re.compile(
    r"^(?:hi|hello|hey|dear all|excuse me|sorry|please|could you(?: please)?(?: tell me)?|can you(?: please)?(?: tell me)?|"
    r"tell me|i(?:'d| would) like to know|do you know|您好|你好|请问一下|请问|麻烦问一下|麻烦|帮我查一下|帮我看看|"
    r"我想知道|想问一下)"
    r"(?:[\s,.!:，。！：、]+|(?<=[\u3400-\u9fff]))",
    re.IGNORECASE,
)
_MARKS = " ,.!?;:，。！？；：、~～…"
_ENDING = re.compile(
    r"(?:(?<![A-Za-z])(?:please|thanks|thank you(?: very much)?|many thanks)|(?<=[,.!?;，。！？] )(?:asap|urgent)|"
    r"谢谢(?:您|你|了|啦)?|多谢|拜托了?|(?<=[，。！？,.!?])急|好吗|可以吗|呢|啊|呀|哦|吧)$",
    re.IGNORECASE,
)
MAX_CHARS = 2000
"""A question is cut here: what comes later no route would see, and work must not grow with what strangers send."""


def clean_question(text: str) -> str:
    """The question without openings, endings and control characters; the text itself where nothing else would be left."""
    plain = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text[:MAX_CHARS])
    plain = " ".join(plain.split())
    cleaned = plain
    while True:
        shorter = _trim(cleaned)
        if not shorter or shorter == cleaned:
            return cleaned
        cleaned = shorter


def _trim(text: str) -> str:
    return _ENDING.sub("", _OPENING.sub("", text, count=1).rstrip(_MARKS)).rstrip(_MARKS)
