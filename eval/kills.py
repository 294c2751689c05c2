"""Publishing under fire: `kill -9` at random moments, and after each the question whether one complete version is served.

The vectors are prebuilt (hashed words), so that a kill meets the publishing itself and not a model at work. A forked
process publishes two corpora in turn without end; every publication is a new one, because the text carries a number.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from knowledge.embedder import Vectors
from knowledge.lexical import terms
from knowledge.manifest import PublishError, current_folder, knowledge_root
from knowledge.publish import publish
from knowledge.search import KnowledgeBase
from vision.fields import Contract

_DOCUMENTS = 6
_ARTICLE = """---
id: doc-{n}
title: T-{n} Manual
models: [T-{n}]
kind: dial
language: en
authority: specification
status: valid
version: "{serial}"
effective_date: 2024-01-01
---
# T-{n} Manual

## 1 Valve

The relief valve of T-{n} opens at {serial} bar.

## 2 Parts

The case of T-{n} has a dial, a pointer and a lamp of generation {serial}.
"""


class HashedWords:
    """Prebuilt vectors: a word's column follows from its hash alone, the same in every process."""

    name = "hashed-words"
    dimension = 64

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (N, 64)."""
        import hashlib

        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for term in terms(text) or [""]:
                vectors[row, hashlib.sha256(term.encode()).digest()[0] % self.dimension] += 1.0
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9), np.float32)


class KillReport(Contract):
    """Outcome: `torn` kills left something else than one complete version, `lost` ones fewer documents than before.

    `during` is the number of kills that found a build under way (a half-made folder was left behind); `versions` is the
    number of different publications that were being served after a kill.
    """

    kills: int
    torn: int
    lost: int
    during: int
    versions: int
    faults: tuple[str, ...] = ()


def write_corpus(folder: Path, serial: int) -> Path:
    """A corpus of `_DOCUMENTS` manuals that all carry one number, so that a mixture of two shows itself."""
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(_DOCUMENTS):
        (folder / f"doc-{n}.md").write_text(_ARTICLE.format(n=n, serial=serial), encoding="utf-8")
    return folder


def publish_forever(home: Path, work: Path, start: int) -> None:
    """Publish one new corpus after the other until killed."""
    embedder, serial = HashedWords(), start
    while True:
        # A corpus folder of its own each time: a kill while one is being written must not be published later.
        publish(home, write_corpus(work / f"corpus-{start}-{serial % 2}", serial), embedder)
        serial += 1


def serve_forks(home: Path, work: Path) -> None:
    """A process with everything imported, which forks a publisher for each number that it reads and tells its id.

    It never publishes itself, so that no thread of a library is lost in a fork.
    """
    import faiss  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            publish_forever(home, work, int(line))
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        os.waitpid(child, 0)
        sys.stdout.write("gone\n")
        sys.stdout.flush()


def measure_kills(folder: Path, kills: int, rng: np.random.Generator) -> KillReport:
    """Kill a publishing process `kills` times at moments drawn over the time that three publications take here.

    Raises RuntimeError where no publisher gets going.
    """
    home = folder / "home"
    publish(home, write_corpus(folder / "first", 0), HashedWords())
    began = time.monotonic()
    publish(home, write_corpus(folder / "first", 1), HashedWords())
    longest_s = 3 * (time.monotonic() - began)
    torn = lost = during = 0
    served: set[str] = set()
    faults: list[str] = []
    with _start_server(home, folder) as server:
        for kill in range(kills):
            _kill_once(server, (kill + 1) * 100_000, float(rng.uniform(0.0, longest_s)))
            during += any((knowledge_root(home) / "versions").glob(".building-*"))
            fault, documents = _inspect(home, served)
            torn += fault is not None
            lost += documents < _DOCUMENTS
            faults += [f"kill {kill}: {fault}"] if fault else []
            _sweep(home)
        assert server.stdin is not None
        server.stdin.close()
    return KillReport(kills=kills, torn=torn, lost=lost, during=during, versions=len(served), faults=tuple(faults[:20]))


def _start_server(home: Path, folder: Path) -> subprocess.Popen[str]:
    code = "import sys; from pathlib import Path; from eval.kills import serve_forks; "
    code += "serve_forks(Path(sys.argv[1]), Path(sys.argv[2]))"
    command = [sys.executable, "-c", code, str(home), str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])  # noqa: S603


def _kill_once(server: subprocess.Popen[str], start: int, delay_s: float) -> None:
    """Have a publisher started and kill it; raises RuntimeError where none gets going."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{start}\n")
    server.stdin.flush()
    line = server.stdout.readline().strip()
    if not line.isdigit():
        raise RuntimeError(f"the process that forks publishers said {line!r}")
    time.sleep(delay_s)
    os.kill(int(line), signal.SIGKILL)
    server.stdout.readline()


def _inspect(home: Path, served: set[str]) -> tuple[str | None, int]:
    """What is wrong with what is served, or None, and the number of documents in it."""
    try:
        folder = current_folder(home)
        base = KnowledgeBase.open_current(home, embedder=HashedWords())
    except PublishError as error:
        return str(error), 0
    try:
        served.add(folder.name)
        serials = {entry.version for entry in base.manifest.documents}
        answers = [base.search(f"relief valve of T-{n}", model=f"T-{n}", k=1) for n in range(_DOCUMENTS)]
        told = {hit.chunk.version for hits in answers for hit in hits}
        if len(serials) != 1 or not all(answers) or told != serials:
            return f"versions {sorted(serials)} are mixed, answers come from {sorted(told)}", len(base.manifest.documents)
        return None, len(base.manifest.documents)
    finally:
        base.close()


def _sweep(home: Path) -> None:
    """Half-made folders and all publications but the current one away, lest thousands pile up."""
    import shutil

    current = current_folder(home)
    for folder in (knowledge_root(home) / "versions").iterdir():
        if folder != current:
            shutil.rmtree(folder, ignore_errors=True)
