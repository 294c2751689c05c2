"""Publishing to PostgreSQL: at once or not at all, whatever happens in between."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowledge.archive import FolderArchive, open_archive
from knowledge.articles import ArticleError
from knowledge.manifest import PublishError, knowledge_root
from knowledge.search import KnowledgeBase

from .conftest import HashEmbedder, article_text

pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")

from knowledge.postgres.archive import PostgresArchive
from knowledge.postgres.tables import Tables

ROOT = Path(__file__).parents[2]
MakeCorpus = Callable[..., Path]
FIRST = "# T\n\n## 1 A\n\nThe relief valve opens at five bar.\n"
SECOND = "# T\n\n## 1 A\n\nThe relief valve opens at nine bar.\n"
TABLES = ("versions", "chunks", "vectors", "passages", "facts")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def archive(home: Path, database: str) -> PostgresArchive:
    return PostgresArchive(home, database)


def ask(kb: KnowledgeBase) -> str:
    text = kb.search("relief valve", model="T-1")[0].chunk.text
    kb.close()
    return text


def counts(archive: PostgresArchive) -> dict[str, int]:
    def count(connection: Any) -> dict[str, int]:
        tables = archive.tables
        return {
            name: connection.execute(tables.sql("SELECT count(*) FROM {schema}." + name)).fetchone()[0]  # type: ignore[arg-type]
            for name in TABLES
        }

    return archive.server.run(count)


def test_a_publication_is_made_once(archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    corpus = make_corpus(a_en=FIRST)
    version = archive.publish(corpus, embedder)
    before, seen = counts(archive), len(embedder.seen)
    assert before == {"versions": 1, "chunks": 1, "vectors": 2, "passages": 1, "facts": 1}
    assert archive.publish(corpus, embedder) == version == archive.current()
    assert counts(archive) == before
    assert len(embedder.seen) == seen
    assert FolderArchive(archive.home).publish(corpus, embedder) == version


def test_old_versions_stay_and_only_new_text_is_embedded(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder
) -> None:
    corpus = make_corpus(a_en=FIRST, b_en=FIRST.replace("relief", "suction"))
    first = archive.publish(corpus, embedder)
    seen = len(embedder.seen)
    make_corpus(a_en=SECOND)
    second = archive.publish(corpus, embedder)
    assert archive.current() == second != first
    assert all("nine bar" in text for text in embedder.seen[seen:])
    manifests = [archive.open(version).manifest for version in (first, second)]
    kept, changed = ({d.id: d.indexed_at for d in manifest.documents} for manifest in manifests)
    assert kept["b-en"] == changed["b-en"]
    assert kept["a-en"] < changed["a-en"]
    assert "five bar" in ask(KnowledgeBase(archive.open(first), embedder))
    make_corpus(a_en=FIRST)
    assert archive.publish(corpus, embedder) == first == archive.current()
    assert counts(archive)["versions"] == 2


def test_time_travel_reads_the_document_of_then(
    home: Path, database: str, make_corpus: MakeCorpus, embedder: HashEmbedder
) -> None:
    old = article_text(FIRST, id="a-en", version="1", date="2020-01-01")
    corpus = make_corpus(a_en=old, b_en=article_text(SECOND, id="a-en", version="2", date="2023-01-01"))
    base = KnowledgeBase.open(home, corpus, embedder=embedder, database=database)
    from datetime import date

    found = [base.search("relief valve", as_of=day)[0].chunk.text for day in (date(2021, 1, 1), date(2024, 1, 1))]
    assert ["five bar" in found[0], "nine bar" in found[1]] == [True, True]
    assert base.search("relief valve", as_of=date(2019, 1, 1)) == []


def test_a_bad_article_and_a_failing_write_leave_the_old_version(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    corpus = make_corpus(a_en=FIRST)
    old = archive.publish(corpus, embedder)
    make_corpus(b_en="---\nid: b\n---\nText without the other keys.\n")
    with pytest.raises(ArticleError, match=r"b-en\.md"):
        archive.publish(corpus, embedder)
    (corpus / "b-en.md").unlink()
    make_corpus(a_en=SECOND)

    def fail(*_: Any) -> None:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Tables, "finish", fail)
        with pytest.raises(RuntimeError, match="full"):
            archive.publish(corpus, embedder)
    assert archive.current() == old
    assert counts(archive)["versions"] == 1
    assert "five bar" in ask(KnowledgeBase.open_current(archive.home, embedder=embedder, database=database))
    assert archive.publish(corpus, embedder) != old


def test_readers_see_one_version_while_another_is_written(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = make_corpus(a_en=FIRST)
    archive.publish(corpus, embedder)
    open_before = KnowledgeBase.open_current(archive.home, embedder=embedder, database=database)
    make_corpus(a_en=SECOND)
    written, go_on = threading.Event(), threading.Event()
    finish = Tables.finish

    def wait(self: Tables, connection: Any, number: int) -> None:
        finish(self, connection, number)
        self.make_current(connection, number)
        written.set()
        assert go_on.wait(60)

    monkeypatch.setattr(Tables, "finish", wait)
    with ThreadPoolExecutor(1) as pool:
        publishing = pool.submit(archive.publish, corpus, embedder)
        assert written.wait(60)
        try:
            # All of the new version is written, and not yet there.
            assert "five bar" in ask(KnowledgeBase.open_current(archive.home, embedder=embedder, database=database))
            assert open_before.search("relief valve")[0].chunk.version == "1"
        finally:
            go_on.set()
        assert publishing.result(60) == archive.current()
    assert "nine bar" in ask(KnowledgeBase.open_current(archive.home, embedder=embedder, database=database))
    assert "five bar" in ask(open_before)


def test_two_that_publish_at_once_write_it_once(
    archive: PostgresArchive, make_corpus: MakeCorpus, database: str, tmp_path: Path
) -> None:
    corpus = make_corpus(a_en=FIRST)
    together = threading.Barrier(2, timeout=60)

    class Waiting(HashEmbedder):
        def encode(self, texts: Any) -> Any:
            together.wait()
            return super().encode(texts)

    archives = [PostgresArchive(tmp_path / name, database) for name in ("one", "two")]
    with ThreadPoolExecutor(2) as pool:
        versions = list(pool.map(lambda one: one.publish(corpus, Waiting()), archives))
    assert versions[0] == versions[1] == archive.current()
    assert counts(archive) == {"versions": 1, "chunks": 1, "vectors": 2, "passages": 1, "facts": 1}
    assert "five bar" in ask(KnowledgeBase(archives[1].open(versions[1]), HashEmbedder()))


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from knowledge.archive import open_archive
    from knowledge.postgres.tables import Tables
    from tests.knowledge.conftest import HashEmbedder

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(Tables, sys.argv[4], die)
    open_archive(Path(sys.argv[1]), sys.argv[2]).publish(Path(sys.argv[3]), HashEmbedder())
"""


def run(code: str, *arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_killed_publisher_leaves_the_old_version(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder, database: str
) -> None:
    corpus = make_corpus(a_en=FIRST)
    old = archive.publish(corpus, embedder)
    before = counts(archive)
    make_corpus(a_en=SECOND)
    # The last step before the end of the transaction: everything is written by then.
    killed = run(KILLED, archive.home, database, corpus, "make_current")
    killed.communicate(timeout=120)
    assert killed.returncode == -signal.SIGKILL
    assert archive.current() == old
    assert counts(archive) == before
    assert "five bar" in ask(KnowledgeBase.open_current(archive.home, embedder=embedder, database=database))
    assert archive.publish(corpus, embedder) != old  # Its lock went with it.
    assert "nine bar" in ask(KnowledgeBase.open_current(archive.home, embedder=embedder, database=database))


FOREVER = """
    import itertools, sys
    from pathlib import Path
    from knowledge.archive import open_archive
    from eval.kills import HashedWords, write_corpus

    home, work = Path(sys.argv[1]), Path(sys.argv[3])
    archive = open_archive(home, sys.argv[2])
    print("ready", flush=True)
    for serial in itertools.count(int(sys.argv[4])):
        archive.publish(write_corpus(work, serial), HashedWords())
        print("published", flush=True)
"""


@pytest.mark.slow
def test_kills_at_any_moment_leave_one_whole_version(archive: PostgresArchive, database: str, tmp_path: Path) -> None:
    from eval.kills import HashedWords, write_corpus

    rng = np.random.default_rng(7)
    archive.publish(write_corpus(tmp_path / "first", 0), HashedWords())
    served = set()
    for kill in range(10):
        process = run(FOREVER, archive.home, database, tmp_path / f"work-{kill}", str((kill + 1) * 1000))
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        began = time.monotonic()
        assert process.stdout.readline().strip() == "published"
        time.sleep(float(rng.uniform(0.0, 2.0)) * (time.monotonic() - began))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        base = KnowledgeBase.open_current(archive.home, embedder=HashedWords(), database=database)
        versions = {entry.version for entry in base.manifest.documents}
        told = {base.search(f"relief valve of T-{n}", model=f"T-{n}", k=1)[0].chunk.version for n in range(6)}
        assert told == versions
        assert len(versions) == 1
        served.add(base.version)
        base.close()
    assert len(served) == 10


@pytest.mark.parametrize("table", ["chunks", "vectors", "passages", "facts"])
def test_a_version_with_missing_records_is_refused_and_made_again(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder, table: str
) -> None:
    corpus = make_corpus(a_en=FIRST)
    version = archive.publish(corpus, embedder)
    whole = counts(archive)
    archive.server.run(lambda connection: connection.execute(archive.tables.sql("DELETE FROM {schema}." + table)))  # type: ignore[arg-type]
    with pytest.raises(PublishError, match=f"{version}.*not whole.*publish the corpus again"):
        archive.open(version)
    assert archive.publish(corpus, embedder) == version
    assert counts(archive) == whole
    assert "five bar" in ask(KnowledgeBase(archive.open(version), embedder))


def test_a_version_that_is_removed_under_a_reader_is_an_error_and_no_answer(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder
) -> None:
    base = KnowledgeBase(archive.open(archive.publish(make_corpus(a_en=FIRST), embedder)), embedder)
    assert base.search("relief valve")
    archive.server.run(lambda connection: connection.execute(archive.tables.sql("DELETE FROM {schema}.versions")))
    with pytest.raises(PublishError, match="removed while it was read"):
        base.search("relief valve")


def test_words_are_made_from_the_database_where_a_home_lacks_or_lost_them(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder, tmp_path: Path, database: str
) -> None:
    corpus = make_corpus(a_en=FIRST)
    version = archive.publish(corpus, embedder)
    shutil.rmtree(corpus)
    elsewhere = tmp_path / "another machine"
    assert "five bar" in ask(KnowledgeBase.open_current(elsewhere, embedder=embedder, database=database))
    words = knowledge_root(elsewhere) / "words" / version / "knowledge.sqlite"
    words.write_bytes(words.read_bytes()[:99])
    assert "five bar" in ask(KnowledgeBase.open_current(elsewhere, embedder=embedder, database=database))
    blocked = tmp_path / "a file"
    blocked.write_text("where a home should be")
    with pytest.raises(PublishError, match=r"a file.* choose a home that can be written"):
        KnowledgeBase.open_current(blocked, embedder=embedder, database=database)


def test_homes_have_shelves_of_their_own(
    home: Path, database: str, make_corpus: MakeCorpus, embedder: HashEmbedder, tmp_path: Path
) -> None:
    house, tenant = open_archive(home, database), open_archive(tmp_path / "tenant", database, shelf="tenant")
    first = house.publish(make_corpus(a_en=FIRST), embedder)
    with pytest.raises(PublishError, match="nothing is published in the PostgreSQL database"):
        tenant.current()
    second = tenant.publish(make_corpus("other", a_en=SECOND), embedder)
    assert (house.current(), tenant.current()) == (first, second)
    assert house.publish(make_corpus(a_en=FIRST), embedder) == first


HOSTILE = """# T'); DROP SCHEMA gauge_knowledge CASCADE; --

## 1 A {schema} %s %(number)s

The "relief" valve \\N \\. opens\tat 5 bar \\x41 $$ {} 😀 \u202e؛ ' ''.

| Colour | Meaning | Action |
|---|---|---|
| red | '); DELETE FROM versions; -- | \\copy |
"""


def test_hostile_articles_are_data(
    home: Path, database: str, make_corpus: MakeCorpus, embedder: HashEmbedder, archive: PostgresArchive
) -> None:
    corpus = make_corpus(a_en=article_text(HOSTILE, id="a-en", models='"T\'-1"', title='"T\'); DROP TABLE x; -- %s"'))
    first = KnowledgeBase.open(home, corpus, embedder=embedder)
    second = KnowledgeBase.open(home, corpus, embedder=embedder, database=database)
    assert first.chunks() == second.chunks()
    assert first.facts("T'-1") == second.facts("T'-1") is not None
    assert first.search("relief valve") == second.search("relief valve") != []
    assert counts(archive)["versions"] == 1


def test_a_nul_character_is_refused_with_its_line(make_corpus: MakeCorpus, home: Path, database: str) -> None:
    corpus = make_corpus(a_en=FIRST + "\nAnd\0more.\n")
    with pytest.raises(ArticleError, match=r"a-en\.md: line 18 holds a NUL"):
        KnowledgeBase.open(home, corpus, embedder=HashEmbedder(), database=database)
    corpus = make_corpus(a_en=article_text(FIRST, id="a-en", title='"a\\0b"'))
    with pytest.raises(ArticleError, match="front matter holds a NUL"):
        KnowledgeBase.open(home, corpus, embedder=HashEmbedder(), database=database)


def test_nothing_published_and_strange_versions_are_named(
    archive: PostgresArchive, embedder: HashEmbedder, make_corpus: MakeCorpus
) -> None:
    with pytest.raises(PublishError, match=r"nothing is published in the PostgreSQL database.*GAUGE_DATABASE"):
        archive.current()
    archive.publish(make_corpus(a_en=FIRST), embedder)
    for version in ("", "nonsense", "../../etc", "x' OR '1'='1"):
        with pytest.raises(PublishError, match="is not whole"):
            archive.open(version)


def test_an_index_of_another_embedder_is_refused(
    archive: PostgresArchive, make_corpus: MakeCorpus, embedder: HashEmbedder, database: str
) -> None:
    archive.publish(make_corpus(a_en=FIRST), embedder)
    with pytest.raises(PublishError, match="'hash', not 'other'"):
        KnowledgeBase.open_current(archive.home, embedder=HashEmbedder("other"), database=database)
