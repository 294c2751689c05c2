"""What an OpenAI-compatible server answers, read as it comes: a chat completion, or server-sent events of one."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from typing import Any

from rag.errors import WriterError
from rag.templates import clean_text

EVENTS = "text/event-stream"
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")
_CUT = {"length": "was cut at the server's limit of tokens", "content_filter": "was held back by the server's filter"}


class EventReader:
    """Data of server-sent events out of bytes that come in any pieces (WHATWG HTML, 9.2)."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._pending: list[str] = []
        self._data: list[str] = []

    def feed(self, part: bytes, *, last: bool = False) -> list[str]:
        """Data of the events that are complete after `part`. Raises UnicodeDecodeError on anything but UTF-8."""
        text = self._decode(part, last)
        found: list[str] = []
        if not re.search(r"[\r\n]", text) and not last:
            self._pending.append(text)
            return found
        lines = _LINE_END.split("".join((*self._pending, text, "\n\n" if last else "")))
        self._pending = [lines.pop()]
        for line in lines:
            if not line:
                found += ["\n".join(self._data)] if self._data else []
                self._data = []
            elif line.startswith("data:"):
                self._data.append(line[5:].removeprefix(" "))
        return found


class AnswerReader:
    """Collects one answer. `finished`: the server said so, and nothing more is to be read.

    `feed` and `text` raise WriterError with one line where the answer is not a chat completion.
    """

    def __init__(self, content_type: str, hear: Callable[[str], None]) -> None:
        self._type = content_type
        self._hear = hear
        self._events = EventReader() if content_type == EVENTS else None
        self._whole: list[bytes] = []
        self._said: list[str] = []
        self._ended = False
        self.finished = False

    def feed(self, part: bytes) -> None:
        """The next bytes, in whatever pieces they come."""
        if self._events is None:
            self._whole.append(part)
            return
        self._take(self._events, part)

    def text(self) -> str:
        """The whole text, once the server has closed or finished."""
        whole = b"".join(self._whole)
        if self._events is None and whole.lstrip()[:5] == b"data:":
            # Some servers stream under another content type.
            self._events = EventReader()
            self._take(self._events, whole)
        if self._events is None:
            answer = self._completion(whole)
            self._hear(answer)
            return answer
        if not self.finished:
            self._take(self._events, b"", last=True)
        if not self._ended:
            raise WriterError("the language server's stream broke off before its end")
        return "".join(self._said)

    def _take(self, events: EventReader, part: bytes, *, last: bool = False) -> None:
        try:
            found = events.feed(part, last=last)
        except UnicodeDecodeError:
            raise WriterError("the language server's answer is not UTF-8 text") from None
        for data in found:
            if self.finished:
                return
            if data.strip() == "[DONE]":
                self._ended = self.finished = True
                return
            self._hear_event(self._parsed(data.encode()))

    def _hear_event(self, event: dict[str, Any]) -> None:
        choices = event.get("choices")
        if choices == []:  # the event that carries only the usage
            return
        choice = self._first(choices)
        delta = choice.get("delta")
        text = delta.get("content") if isinstance(delta, dict) else None
        if isinstance(text, str) and text:
            self._said.append(text)
            self._hear(text)
        self._ended = self._ended or self._checked_end(choice)

    def _completion(self, whole: bytes) -> str:
        choice = self._first(self._parsed(whole).get("choices"))
        self._checked_end(choice)
        message = choice.get("message")
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(text, str):
            raise WriterError("the language server's answer holds no text")
        return text

    def _parsed(self, data: bytes) -> dict[str, Any]:
        try:
            found = json.loads(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise WriterError("the language server's answer is not UTF-8 text") from None
        except (ValueError, RecursionError):
            raise self._foreign(data) from None
        if not isinstance(found, dict):
            raise self._foreign(data)
        error = found.get("error")
        if error:
            told = error.get("message", error) if isinstance(error, dict) else error
            raise WriterError(f"the language server reports an error: {clean_text(str(told), 120)}")
        return found

    def _first(self, choices: Any) -> dict[str, Any]:
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            return choices[0]
        raise WriterError("the language server's answer is not a chat completion: it has no choices")

    @staticmethod
    def _checked_end(choice: dict[str, Any]) -> bool:
        """Whether the answer ends here. Raises WriterError where it ends too early."""
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason in _CUT:
            raise WriterError(f"the language server's answer {_CUT[reason]}")
        return reason is not None

    def _foreign(self, data: bytes) -> WriterError:
        start = clean_text(data[:60].decode("utf-8", "replace"), 60)
        return WriterError(f"the language server's answer ({self._type}) is not a chat completion: {start!r}")
