"""What cannot be scored, and why: the one gate that all probes of answers and contexts go through.

Whatever stops here is "not scorable" with a reason; it is neither a pass nor a failure, and it never ends a run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval.abstention import is_abstention
from eval.claims import sentence_spans

MAX_ANSWER_CHARS = 50_000
"""A longer answer is a dump, not an answer; parsing it would hold up all others."""
MAX_CONTEXT_CHARS = 2_000_000
MAX_PASSAGE_CHARS = 10_000
"""A longer passage is a document that nobody cut; one of them would hold up all others."""
MIXED_SHARE = 0.3
"""From this share of sentences in the smaller language on, a text has no language that it could be judged in."""
_SAYS_SOMETHING = 4
"""Words or Chinese characters that a sentence of a language has at least."""
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’)）\]】」』*_`]*(?=\s|$|[\u3400-\u9fff\[])|[。！？]|\n\s*\S")
_WORD = re.compile(r"[A-Za-z]{2,}")
_CJK = re.compile(r"[\u3400-\u9fff]")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def answer_fault(answer: str) -> str | None:
    """Why an answer cannot be scored, or None where it can: empty, too long, without a sentence end, mixed, a refusal."""
    text = answer.strip()
    if not _LETTER_OR_DIGIT.search(text):
        return "the answer is empty"
    if len(text) > MAX_ANSWER_CHARS:
        return f"the answer has {len(text)} characters, more than {MAX_ANSWER_CHARS}"
    if not _SENTENCE_END.search(text):
        return "the answer has no sentence end: it is cut off, or no sentence"
    sentences = [span.text for span in sentence_spans(text)]
    if sentences and all(is_abstention(sentence) for sentence in sentences):
        return "the answer is a refusal: it claims nothing"
    return _mixture(sentences)


def context_fault(contexts: Sequence[str]) -> str | None:
    """Why there is nothing to hold an answer or a question against, or None where there is."""
    if not any(_LETTER_OR_DIGIT.search(text) for text in contexts):
        return "the context is empty: nothing was retrieved"
    length = sum(map(len, contexts))
    if length > MAX_CONTEXT_CHARS:
        return f"the context has {length} characters, more than {MAX_CONTEXT_CHARS}"
    return None


def length_fault(passages: Sequence[str]) -> str | None:
    """Why passages cannot be taken apart, or None where they can: one of them is a whole document."""
    long = next(((place, len(text)) for place, text in enumerate(passages, 1) if len(text) > MAX_PASSAGE_CHARS), None)
    return f"passage {long[0]} has {long[1]} characters, more than {MAX_PASSAGE_CHARS}: it is not cut" if long else None


def question_fault(question: str) -> str | None:
    """Why a question cannot be scored, or None where it can."""
    if not _LETTER_OR_DIGIT.search(question):
        return "the question is empty"
    if len(question) > MAX_ANSWER_CHARS:
        return f"the question has {len(question)} characters, more than {MAX_ANSWER_CHARS}"
    return None


def _mixture(sentences: Sequence[str]) -> str | None:
    """Names, units and codes in Latin letters make no Chinese sentence English; whole sentences of both do."""
    chinese = sum(len(_CJK.findall(sentence)) >= _SAYS_SOMETHING for sentence in sentences)
    english = sum(len(_CJK.findall(sentence)) < _SAYS_SOMETHING <= len(_WORD.findall(sentence)) for sentence in sentences)
    if chinese + english and min(chinese, english) / (chinese + english) >= MIXED_SHARE:
        return f"the answer mixes languages: {english} English and {chinese} Chinese sentences"
    return None
