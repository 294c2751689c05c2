"""A writer behind any OpenAI-compatible server: one request a report, its context fitted to the model's window.

Whatever goes wrong becomes a WriterError with a reason, never anything else: the report then keeps its templates.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from knowledge.articles import Language
from rag.chat_client import ChatClient, ServerOptions
from rag.context import ContextCache, CountMessages, estimate_messages, fit_context, template_counter
from rag.errors import WriterError
from rag.prompt import SentenceFeed, Task, parse_sentences, report_messages
from rag.writer import Draft


@dataclass(frozen=True)
class OpenAIWriter:
    """Rewrites with `POST {base_url}/chat/completions`, temperature 0.

    `base_url` ends before `/chat/completions`, e.g. `http://localhost:8000/v1`. `window_tokens` is the model's whole
    window, `max_tokens` of it kept for the answer; the context is fitted into the rest, counted with the chat template of
    `tokenizer` (hub id or folder), or without one estimated on the safe side.
    Raises WriterError at once where the address or the key cannot be one or the model has no name.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    options: ServerOptions = field(default_factory=ServerOptions)
    max_tokens: int = 2000
    window_tokens: int = 8192
    tokenizer: str | None = None
    languages: tuple[Language, ...] = ("en", "zh")
    _cache: ContextCache = field(default_factory=ContextCache, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._client()
        if not self.model:
            raise WriterError("the server's model has no name; set GAUGE_LLM_MODEL to one that the server lists under /models")
        if self.window_tokens <= self.max_tokens:
            raise WriterError(f"a window of {self.window_tokens} tokens leaves no room beside an answer of {self.max_tokens}")

    @property
    def name(self) -> str:
        """`openai:` and the server's model."""
        return f"openai:{self.model}"

    def write(self, task: Task) -> Draft:
        """One sentence a fact. Raises WriterError where the server does not answer in time or not in the protocol."""
        if not task.sentences:
            return Draft(texts=())
        started = time.monotonic()
        fitted = fit_context(task, self.window_tokens - self.max_tokens, self._count(), self._cache, self.name)
        messages = report_messages(fitted)
        body = {"model": self.model, "messages": [m.dump() for m in messages], "temperature": 0, "max_tokens": self.max_tokens}
        hear = SentenceFeed(task.on_text).hear if task.on_text is not None else None
        answer = self._client().complete(body, hear)
        sent = "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)
        try:
            texts = parse_sentences(answer, len(task.sentences))
        except WriterError as error:
            raise WriterError(f"the language server did not do as asked: {error}") from None
        return Draft(texts=texts, sent=(sent,), seconds=time.monotonic() - started)

    def _client(self) -> ChatClient:
        return ChatClient(self.base_url, self.api_key, self.options)

    def _count(self) -> CountMessages:
        return template_counter(self.tokenizer) if self.tokenizer is not None else estimate_messages
