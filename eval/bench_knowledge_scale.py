"""A search at 1,000 to 100,000 chunks: generated manuals, real embeddings perturbed, one core, embedding left out.

Each generated manual is a shipped one under another model's name; its vectors are the shipped ones turned by noise, so
that neighbourhoods are as crowded as real ones. The tables are the product's own.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import hashlib
import math
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from eval.query_set import QueryCase
from eval.score import Number, percentile
from knowledge import passages, structured
from knowledge.articles import Chunk
from knowledge.embedder import Embedder, Vectors
from knowledge.index import DenseIndex
from knowledge.manifest import DATABASE, MANIFEST, VECTORS, Manifest, sha256_of
from knowledge.publish import write_words
from knowledge.search import KnowledgeBase
from knowledge.timeline import DocumentEntry
from vision.fields import Contract

SIZES = (1_000, 10_000, 100_000)
NOISE = 0.35
"""Length of the noise added to a unit vector before it is put back to length 1."""
QUERIES = 200
COMMIT = 2000


class ScaleRow(Contract):
    """One size: seconds to build and open, megabytes on disk and of peak memory grown by opening and asking, milliseconds.

    `search_ms_*` are of this process's processor time, which is what one free core takes; `server_ms_mean` is that of the
    PostgreSQL server for a search, NaN without one or where it is not told; `wall_ms_p95` is by the clock, with whatever
    else the machine was doing.
    """

    chunks: int
    build_s: Number
    open_s: Number
    disk_mb: Number
    memory_mb: Number
    search_ms_p50: Number
    search_ms_p95: Number
    search_ms_max: Number
    server_ms_mean: Number = math.nan
    wall_ms_p95: Number


def bench_scale(
    kb: KnowledgeBase,
    embedder: Embedder,
    cases: Sequence[QueryCase],
    largest: int,
    *,
    database: str | None = None,
    progress: bool = True,
) -> tuple[ScaleRow, ...]:
    """Rows for the sizes up to `largest`; `largest` itself is the last one. With a `database`, of publications in PostgreSQL."""
    sizes = [size for size in SIZES if size < largest] + [largest]
    picked = [cases[int(n)] for n in np.random.default_rng(10**9).permutation(len(cases))[:QUERIES]]
    rows: list[ScaleRow] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="gauge-scale-") as folder:
            if database is None:
                rows.append(_bench_folder(kb, embedder, picked, size, Path(folder), progress))
            else:
                rows.append(_bench_postgres(kb, embedder, picked, size, Path(folder), database, progress))
    return tuple(rows)


def _bench_folder(
    kb: KnowledgeBase, embedder: Embedder, cases: Sequence[QueryCase], size: int, folder: Path, progress: bool
) -> ScaleRow:
    start = time.perf_counter()
    place = build_generated(kb, embedder, size, folder, progress=progress)
    build_s = time.perf_counter() - start
    row = _measure(lambda: KnowledgeBase(place, embedder, kb.options), cases)
    disk = sum(path.stat().st_size for path in place.iterdir()) / 2**20
    return ScaleRow(chunks=size, build_s=build_s, disk_mb=disk, **row)


def _bench_postgres(
    kb: KnowledgeBase, embedder: Embedder, cases: Sequence[QueryCase], size: int, folder: Path, database: str, progress: bool
) -> ScaleRow:
    from eval.bench_knowledge_postgres import bench_archive, disk_mb, server_s, write_generated

    with bench_archive(folder, database) as archive:
        start = time.perf_counter()
        originals, version = kb.chunks(), _version(kb, size)
        vectors = perturbed(kb.vectors_of([chunk.id for chunk in originals]), size, np.random.default_rng(10**9))
        chunks = _shown(originals, size, progress=progress)
        manifest = _manifest(version, embedder, originals[0], size)
        write_generated(archive, manifest, vectors, _passage_vectors(embedder, originals, size), chunks)
        del vectors
        build_s, before = time.perf_counter() - start, server_s(archive)
        row = _measure(lambda: KnowledgeBase(archive.open(version), embedder, kb.options), cases)
        spent = 1000 * (server_s(archive) - before) / len(cases)
        return ScaleRow(chunks=size, build_s=build_s, disk_mb=disk_mb(archive), server_ms_mean=spent, **row)


def _measure(opening: Callable[[], KnowledgeBase], cases: Sequence[QueryCase]) -> dict[str, float]:
    _give_back_memory()
    before, start = _memory_mb(), time.perf_counter()
    large = opening()
    opened = time.perf_counter()
    try:
        times = [_time_search(large, case) for case in cases]
    finally:
        large.close()
    seconds, wall = zip(*times, strict=True)
    return {
        "open_s": opened - start,
        "memory_mb": _memory_mb() - before,
        "search_ms_p50": 1000 * percentile(seconds, 50),
        "search_ms_p95": 1000 * percentile(seconds, 95),
        "search_ms_max": 1000 * percentile(seconds, 100),
        "wall_ms_p95": 1000 * percentile(wall, 95),
    }


def _time_search(large: KnowledgeBase, case: QueryCase) -> tuple[float, float]:
    """Seconds of processor and of clock for one search, its question already embedded."""
    large.prepare([case.text])
    start, clock = time.process_time(), time.perf_counter()
    large.search(case.text, model=case.model, k=5)
    return time.process_time() - start, time.perf_counter() - clock


def build_generated(kb: KnowledgeBase, embedder: Embedder, size: int, folder: Path, *, progress: bool = True) -> Path:
    """A publication of `size` generated chunks in `folder`; the same on every run."""
    place = folder / _version(kb, size)
    place.mkdir(parents=True)
    originals = kb.chunks()
    vectors = kb.vectors_of([chunk.id for chunk in originals])
    DenseIndex.build(perturbed(vectors, size, np.random.default_rng(10**9))).save(place / VECTORS)
    with closing(sqlite3.connect(place / DATABASE)) as db:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        structured.create_table(db)
        passages.create_table(db)
        passages.add_passages(db, _passage_vectors(embedder, originals, size))
        write_words(db, _shown(originals, size, progress=progress))
        db.commit()
    files = {name: sha256_of(place / name) for name in (DATABASE, VECTORS)}
    manifest = _manifest(place.name, embedder, originals[0], size).model_copy(update={"files": files})
    (place / MANIFEST).write_text(manifest.model_dump_json(), encoding="utf-8")
    return place


def _version(kb: KnowledgeBase, size: int) -> str:
    return hashlib.sha256(f"{kb.version} {size}".encode()).hexdigest()[:16]


def _manifest(version: str, embedder: Embedder, chunk: Chunk, size: int) -> Manifest:
    documents = dict.fromkeys(_document(n) for n in range(size))
    return Manifest(
        version=version,
        embedder=embedder.name,
        published_at=datetime.now(UTC),
        documents=tuple(_entry(document, chunk) for document in documents),
        chunks=size,
    )


def _shown(originals: Sequence[Chunk], size: int, *, progress: bool) -> Iterable[Chunk]:
    """Generated chunks under a progress bar."""
    from tqdm import tqdm

    return tqdm(generated(originals, size), total=size, desc=f"{size} chunks", disable=not progress, leave=False)


def generated(originals: Sequence[Chunk], size: int) -> Iterator[Chunk]:
    """Chunks of made-up manuals: copy n of a shipped chunk is about model "XYZ-2000-n"; copy 0 is the chunk itself."""
    for number in range(size):
        copy, place = divmod(number, len(originals))
        chunk = originals[place]
        if copy == 0:
            yield chunk.model_copy(update={"document": _document(number)})
            continue
        models = tuple(f"{model}-{copy}" for model in chunk.models)
        title, text = chunk.title, chunk.text
        for old, new in zip(chunk.models, models, strict=True):
            title, text = title.replace(old, new), text.replace(old, new)
        update = {"id": f"{chunk.id}.{copy}", "document": _document(number), "models": models, "title": title}
        yield chunk.model_copy(update={**update, "text": text})


def _document(number: int) -> str:
    """A document for every `COMMIT` chunks: what is timed is the search, not the lineage of thousands of manuals."""
    return f"generated-{number // COMMIT}-en"


def _entry(document: str, chunk: Chunk) -> DocumentEntry:
    return DocumentEntry(
        id=document,
        version="1",
        effective_date=chunk.effective_date,
        status="valid",
        sha256="0" * 64,
        indexed_at=datetime.now(UTC),
        chunks=COMMIT,
    )


def _passage_vectors(embedder: Embedder, originals: Sequence[Chunk], size: int) -> Iterator[Vectors]:
    """Passage vectors of the generated chunks: the shipped ones, those of the copies turned by noise."""
    rng = np.random.default_rng(10**9 + 1)
    vectors = embedder.encode([text for chunk in originals for text in passages.passage_texts(chunk)])
    parts = list(passages.split_vectors(originals, vectors))
    for number in range(size):
        copy, place = divmod(number, len(originals))
        yield turned(parts[place], rng) if copy else parts[place]


def turned(vectors: Vectors, rng: np.random.Generator) -> Vectors:
    """Unit vectors (N, D) turned by noise of length `NOISE`."""
    noisy = vectors + rng.normal(size=vectors.shape).astype(np.float32) * NOISE / np.sqrt(vectors.shape[1])
    return np.asarray(noisy / np.linalg.norm(noisy, axis=1, keepdims=True), np.float32)


def perturbed(vectors: Vectors, size: int, rng: np.random.Generator) -> Vectors:
    """`size` unit vectors: the given ones over and over, the copies turned by noise."""
    fresh = np.empty((size, vectors.shape[1]), np.float32)
    for start in range(0, size, len(vectors)):
        part = vectors[: size - start]
        fresh[start : start + len(part)] = turned(part, rng) if start else part
    return fresh


def time_embedding(embedder: Embedder, chunks: Sequence[Chunk], count: int = 32) -> float:
    """Milliseconds to embed one chunk, over the first `count` in batches."""
    from knowledge.index import embedding_text

    texts = [embedding_text(chunk) for chunk in chunks[:count]]
    embedder.encode(texts[:1])
    start = time.perf_counter()
    embedder.encode(texts)
    return 1000 * (time.perf_counter() - start) / max(len(texts), 1)


def _give_back_memory() -> None:
    """Have the allocator return what building freed, lest opening seem to cost nothing."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _memory_mb() -> float:
    """Resident memory of the process now, in MiB; its peak where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 2**20
