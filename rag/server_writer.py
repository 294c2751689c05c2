"""A writer behind any OpenAI-compatible server: one request a report, bounded in time and size.

Whatever goes wrong becomes a WriterError with a reason, never anything else: the report then keeps its templates.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from knowledge.articles import Language
from rag.errors import WriterError
from rag.prompt import Task, parse_sentences, report_messages
from rag.writer import Draft

MAX_ANSWER_BYTES = 1_000_000


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to a host that nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class OpenAIWriter:
    """Rewrites with `POST {base_url}/chat/completions`, temperature 0.

    `base_url` ends before `/chat/completions`, e.g. `http://localhost:8000/v1`. `timeout_s` bounds the whole call.
    Raises WriterError at once where the address is not http(s) or the model has no name.
    """

    base_url: str
    model: str
    api_key: str | None = None
    timeout_s: float = 30.0
    max_tokens: int = 2000
    languages: tuple[Language, ...] = ("en", "zh")

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise WriterError(f"server address {self.base_url!r} is not an http(s) URL such as http://localhost:8000/v1")
        if not self.model:
            raise WriterError("the server's model has no name; give the name that the server lists under /models")

    def __repr__(self) -> str:
        return f"OpenAIWriter(base_url={self.base_url!r}, model={self.model!r})"

    @property
    def name(self) -> str:
        """`openai:` and the server's model."""
        return f"openai:{self.model}"

    def write(self, task: Task) -> Draft:
        """One sentence a fact. Raises WriterError where the server does not answer in time or not in the protocol."""
        if not task.sentences:
            return Draft(texts=())
        started = time.monotonic()
        messages = report_messages(task)
        body = {"model": self.model, "messages": [m.dump() for m in messages], "temperature": 0, "max_tokens": self.max_tokens}
        answer = self._post(json.dumps(body).encode("utf-8"))
        sent = "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)
        texts = parse_sentences(_content(answer), len(task.sentences))
        return Draft(texts=texts, sent=(sent,), seconds=time.monotonic() - started)

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(url, data=body, headers=headers, method="POST")  # noqa: S310 - scheme checked above
        deadline = time.monotonic() + self.timeout_s
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=self.timeout_s) as response:
                return _read(response, deadline)
        except WriterError:
            raise
        except urllib.error.HTTPError as error:
            with error:
                raise WriterError(f"the language server answered {error.code} {error.reason}") from error
        except TimeoutError as error:
            raise WriterError(f"the language server did not answer within {self.timeout_s:g} s") from error
        except (urllib.error.URLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise WriterError(f"the language server did not answer within {self.timeout_s:g} s") from error
            raise WriterError(f"the language server cannot be reached: {reason}") from error
        except Exception as error:  # http.client raises its own tree for broken answers
            raise WriterError(f"the language server broke the protocol: {type(error).__name__}") from error


def _read(response: Any, deadline: float) -> bytes:
    """The body, in time and size: a server that drips a byte a second would pass a timeout between bytes."""
    parts: list[bytes] = []
    size = 0
    while True:
        part: bytes = response.read1(65536)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise WriterError(f"the language server's answer is larger than {MAX_ANSWER_BYTES} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError


def _content(answer: bytes) -> str:
    try:
        text = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise WriterError(f"the language server's answer is not a chat completion: {answer[:80]!r}") from error
    if not isinstance(text, str):
        raise WriterError("the language server's answer holds no text")
    return text
