"""Any pipeline behind HTTP as a probe's subject: a question goes out, answer and retrieved chunks come back.

`POST URL {"query": ..., "question": ...}` -> `{"answer": ..., "retrieved_chunks": [...]}`. A system that is slow, refuses,
redirects or answers without end costs one row its score, never the run.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from eval.foreign_rows import Row, parse_answer
from eval.foreign_scores import ForeignRow, score_row, unscored
from eval.scorable import question_fault
from eval.score import EvalError


@dataclass(frozen=True)
class EndpointOptions:
    """Bounds of one question: all of it within `timeout_s`, the answer within `max_answer_bytes`."""

    timeout_s: float = 60.0
    max_answer_bytes: int = 8 * 2**20


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could lead to a file or to a host that nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Endpoint:
    """One system that answers questions. Raises EvalError at once where the address is no http(s) URL."""

    url: str
    options: EndpointOptions = field(default_factory=EndpointOptions)

    def __post_init__(self) -> None:
        try:
            parts = urllib.parse.urlsplit(self.url)
            valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            valid = False
        if not valid or not self.url.isascii() or any(char.isspace() for char in self.url):
            raise EvalError(f"{self.url[:200]!r} is no http(s) URL such as http://localhost:9000/answer")

    def ask(self, question: str) -> tuple[str, tuple[str, ...]]:
        """Answer and retrieved chunks. Raises EvalError, in one line, where the system gave none in time and form."""
        future: Future[bytes] = Future()

        def work() -> None:
            try:
                future.set_result(self._exchange(question))
            except BaseException as error:  # handed to the waiting thread
                future.set_exception(error)

        # A thread, because a server that drips a byte a second never trips the socket's own timeout.
        threading.Thread(target=work, name="endpoint", daemon=True).start()
        try:
            raw = future.result(timeout=self.options.timeout_s)
        except TimeoutError:
            raise EvalError(f"the endpoint did not answer within {self.options.timeout_s:g} s") from None
        try:
            return parse_answer(json.loads(raw))
        except (ValueError, RecursionError) as error:
            if isinstance(error, EvalError):
                raise
            raise EvalError("the endpoint's answer is not JSON") from None

    def _exchange(self, question: str) -> bytes:
        body = json.dumps({"query": question, "question": question}).encode("utf-8")
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        request = urllib.request.Request(self.url, data=body, headers=headers, method="POST")  # noqa: S310 - scheme checked above
        deadline = time.monotonic() + self.options.timeout_s
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=self.options.timeout_s) as response:
                return self._read(response, deadline)
        except urllib.error.HTTPError as error:
            with error:
                note = ": redirects are not followed, name the final address" if 300 <= error.code < 400 else ""
            raise EvalError(f"the endpoint answered {error.code}{note}") from None
        except TimeoutError:
            raise EvalError(f"the endpoint did not answer within {self.options.timeout_s:g} s") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or type(error).__name__
            raise EvalError(f"the endpoint cannot be reached: {' '.join(str(reason).split())[:160]}") from None

    def _read(self, response: Any, deadline: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := response.read1(65536):
            size += len(part)
            if size > self.options.max_answer_bytes:
                raise EvalError(f"the endpoint's answer is larger than {self.options.max_answer_bytes} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
            parts.append(part)
        return b"".join(parts)


def score_endpoint(endpoint: Endpoint, rows: Iterable[Row]) -> Iterator[ForeignRow]:
    """Ask the endpoint the question of each row and score what it says; answers and contexts of the rows are not used."""
    for row in rows:
        if row.case is None:
            yield unscored(row.line, row.fault or "there is nothing in it")
            continue
        fault = question_fault(row.case.question)
        if fault is not None:
            yield unscored(row.line, fault, row.case.question)
            continue
        started = time.perf_counter()
        try:
            answer, contexts = endpoint.ask(row.case.question)
        except EvalError as error:
            yield unscored(row.line, str(error), row.case.question)
            continue
        latency_ms = (time.perf_counter() - started) * 1000.0
        case = row.case.model_copy(update={"answer": answer, "contexts": contexts})
        yield score_row(Row(row.line, case, None)).model_copy(update={"latency_ms": latency_ms})
