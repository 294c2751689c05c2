"""Questions, contexts and answers of other pipelines, one JSON object a line, under the names that RAGAS-like tools write.

A file is read line by line, never whole: a line that is no such object is a fault with its reason, and the next line
is read as if nothing had happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from eval.score import EvalError
from vision.fields import Contract

MAX_LINE_BYTES = 16 * 2**20
"""A longer line is no row of an evaluation set; it is skipped without being held in memory."""
MAX_CONTEXTS = 1000

_QUESTION = ("question", "user_input", "query", "input")
_CONTEXTS = ("contexts", "retrieved_contexts", "retrieved_chunks", "retrieval_context", "context")
_ANSWER = ("answer", "response", "actual_output", "output")
_TRUTH = ("ground_truth", "reference", "expected_output", "ground_truths", "expected")
_TEXT_OF_CHUNK = ("text", "content", "page_content", "chunk", "document")


class ForeignCase(Contract):
    """One answered question of a pipeline; `ground_truth` is None where the tool wrote none."""

    question: str
    contexts: tuple[str, ...]
    answer: str
    ground_truth: str | None = None


class Row(NamedTuple):
    """A line of a file: its number from 1, and the case, or the fault for which there is none."""

    line: int
    case: ForeignCase | None
    fault: str | None


def read_rows(path: Path, *, answered: bool = True) -> Iterator[Row]:
    """The rows of a JSONL file in order; blank lines are none. With `answered` False a question alone will do.

    Raises EvalError where the file cannot be opened or is a folder.
    """
    try:
        lines = path.open("rb")
    except OSError as error:
        raise EvalError(f"{path} cannot be read: {error.strerror}") from error
    with lines:
        for number, raw in _lines(lines):
            if raw is None:
                yield Row(number, None, f"the line is longer than {MAX_LINE_BYTES} bytes")
            elif raw.strip():
                yield _row(number, raw, answered)


def _lines(lines: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines; None for one beyond the limit, of which the rest is read past."""
    number = 0
    while raw := lines.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) <= MAX_LINE_BYTES:
            yield number, raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = lines.readline(MAX_LINE_BYTES)
        yield number, None


def _row(number: int, raw: bytes, answered: bool) -> Row:
    try:
        data = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        return Row(number, None, "the line is not UTF-8")
    except (ValueError, RecursionError) as error:
        return Row(number, None, f"the line is not JSON: {error}")
    try:
        return Row(number, parse_case(data, answered=answered), None)
    except EvalError as error:
        return Row(number, None, str(error))


def parse_case(data: Any, *, answered: bool = True) -> ForeignCase:
    """A case from a decoded JSON object, whichever of the known names its keys have.

    Raises EvalError naming what is missing or of the wrong type. Empty texts pass: whether they can be scored is
    for `eval.scorable` to say.
    """
    if not isinstance(data, Mapping):
        raise EvalError(f"a row is a JSON object, not {_kind(data)}")
    question = _text(data, _QUESTION)
    if question is None:
        raise EvalError(f"the row has no question ({', '.join(_QUESTION)})")
    answer, contexts = _text(data, _ANSWER), _contexts(data)
    if answered and answer is None:
        raise EvalError(f"the row has no answer ({', '.join(_ANSWER)})")
    if answered and contexts is None:
        raise EvalError(f"the row has no contexts ({', '.join(_CONTEXTS)})")
    return ForeignCase(question=question, contexts=contexts or (), answer=answer or "", ground_truth=_text(data, _TRUTH))


def parse_answer(data: Any) -> tuple[str, tuple[str, ...]]:
    """Answer and contexts of what an endpoint returned. Raises EvalError where one of them is missing."""
    if not isinstance(data, Mapping):
        raise EvalError(f"the endpoint answered {_kind(data)}, not an object with answer and retrieved_chunks")
    answer, contexts = _text(data, _ANSWER), _contexts(data)
    if answer is None or contexts is None:
        missing = "answer" if answer is None else "retrieved_chunks"
        raise EvalError(f"the endpoint's answer has no {missing}; it has {', '.join(sorted(map(str, data))[:8]) or 'no keys'}")
    return answer, contexts


def _text(data: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The text under the first of the names that is there; a list of texts (RAGAS' `ground_truths`) gives its first."""
    for name in names:
        if data.get(name) is not None:
            value = data[name]
            if isinstance(value, list) and value and name == "ground_truths":
                value = value[0]
            if not isinstance(value, str):
                raise EvalError(f"{name} is {_kind(value)}, not a text")
            return _whole(value)
    return None


def _contexts(data: Mapping[str, Any]) -> tuple[str, ...] | None:
    for name in _CONTEXTS:
        value = data.get(name)
        if value is None:
            continue
        if isinstance(value, str):
            return (_whole(value),)
        if not isinstance(value, list):
            raise EvalError(f"{name} is {_kind(value)}, not a list of texts")
        if len(value) > MAX_CONTEXTS:
            raise EvalError(f"{name} holds {len(value)} texts, more than {MAX_CONTEXTS}")
        return tuple(_chunk_text(one, name) for one in value)
    return None


def _chunk_text(one: Any, name: str) -> str:
    """A context as it comes: a text, or an object that holds one."""
    if isinstance(one, Mapping):
        one = next((one[key] for key in _TEXT_OF_CHUNK if isinstance(one.get(key), str)), one)
    if not isinstance(one, str):
        raise EvalError(f"{name} holds {_kind(one)}, not a text or an object with one ({', '.join(_TEXT_OF_CHUNK)})")
    return _whole(one)


def _whole(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON may hold and nothing else can write."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
