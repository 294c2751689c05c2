"""Publishing: at once or not at all, whatever happens in between."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.articles import ArticleError
from knowledge.corpora import corpus_version
from knowledge.manifest import DATABASE, MANIFEST, VECTORS, PublishError, current_folder, knowledge_root, read_manifest
from knowledge.publish import publish
from knowledge.search import KnowledgeBase

from .conftest import HashEmbedder, article_text

ROOT = Path(__file__).parents[2]
MakeCorpus = Callable[..., Path]
FIRST = "# T\n\n## 1 A\n\nThe relief valve opens at five bar.\n"
SECOND = "# T\n\n## 1 A\n\nThe relief valve opens at nine bar.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def builds(home: Path) -> list[Path]:
    return list((knowledge_root(home) / "versions").glob(".building-*"))


def ask(kb: KnowledgeBase) -> str:
    text = kb.search("relief valve", model="T-1")[0].chunk.text
    kb.close()
    return text


def test_a_publication_is_made_once(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    corpus = make_corpus(a_en=FIRST)
    folder = publish(home, corpus, embedder)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert {path.name for path in before} == {DATABASE, VECTORS, MANIFEST}
    seen = len(embedder.seen)
    assert publish(home, corpus, embedder) == folder == current_folder(home)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert len(embedder.seen) == seen
    assert builds(home) == []


def test_a_changed_corpus_is_a_new_version_and_only_new_text_is_embedded(
    home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder
) -> None:
    corpus = make_corpus(a_en=FIRST, b_en=FIRST.replace("relief", "suction"))
    first = publish(home, corpus, embedder)
    seen = len(embedder.seen)
    make_corpus(a_en=SECOND)
    second = publish(home, corpus, embedder)
    assert first != second
    assert current_folder(home) == second
    fresh = embedder.seen[seen:]
    assert fresh
    assert all("nine bar" in text for text in fresh)
    one, two = read_manifest(first), read_manifest(second)
    assert one
    assert two
    kept, changed = ({d.id: d.indexed_at for d in manifest.documents} for manifest in (one, two))
    assert kept["b-en"] == changed["b-en"]
    assert kept["a-en"] < changed["a-en"]
    assert two.published_at >= one.published_at
    assert str(two.newest_effective_date) == "2024-01-01"


def test_going_back_to_an_old_corpus_reuses_its_publication(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    first = publish(home, make_corpus(a_en=FIRST), embedder)
    publish(home, make_corpus(a_en=SECOND), embedder)
    assert publish(home, make_corpus(a_en=FIRST), embedder) == first == current_folder(home)


def test_the_version_follows_from_names_content_and_embedder(make_corpus: MakeCorpus) -> None:
    base = corpus_version(make_corpus(a_en=FIRST), HashEmbedder())
    assert base == corpus_version(make_corpus("elsewhere", a_en=FIRST), HashEmbedder())
    assert base != corpus_version(make_corpus("other", a_en=SECOND), HashEmbedder())
    assert base != corpus_version(make_corpus("elsewhere", a_en=FIRST), HashEmbedder("other"))


def test_a_bad_article_leaves_the_old_publication_usable(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    corpus = make_corpus(a_en=FIRST)
    publish(home, corpus, embedder)
    make_corpus(b_en="---\nid: b\n---\nText without the other keys.\n")
    with pytest.raises(ArticleError, match=r"b-en\.md"):
        KnowledgeBase.open(home, corpus, embedder=embedder)
    assert "five bar" in ask(KnowledgeBase.open_current(home, embedder=embedder))
    assert builds(home) == []


KILLED = """
    import os, sys
    from pathlib import Path
    from knowledge.publish import publish
    from tests.knowledge.conftest import HashEmbedder

    class Dying(HashEmbedder):
        def encode(self, texts):
            os._exit(9)

    publish(Path(sys.argv[1]), Path(sys.argv[2]), Dying())
"""
SLOW = """
    import sys, time
    from pathlib import Path
    from knowledge.publish import publish
    from tests.knowledge.conftest import HashEmbedder

    class Slow(HashEmbedder):
        def encode(self, texts):
            time.sleep(0.5)
            return super().encode(texts)

    print(publish(Path(sys.argv[1]), Path(sys.argv[2]), Slow()))
"""


def start(code: str, *arguments: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_killed_build_leaves_the_old_index_usable_and_the_next_one_succeeds(
    home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder
) -> None:
    corpus = make_corpus(a_en=FIRST)
    old = publish(home, corpus, embedder)
    make_corpus(a_en=SECOND)
    killed = start(KILLED, home, corpus)
    killed.communicate(timeout=60)
    assert killed.returncode == 9
    assert len(builds(home)) == 1
    assert current_folder(home) == old
    assert "five bar" in ask(KnowledgeBase.open_current(home, embedder=embedder))
    assert "nine bar" in ask(KnowledgeBase.open(home, corpus, embedder=embedder))
    assert len(builds(home)) == 1  # It might still be somebody's work; after an hour it is not.
    past = time.time() - 7200
    os.utime(builds(home)[0], (past, past))
    publish(home, make_corpus(a_en=FIRST + "\nMore.\n"), embedder)
    assert builds(home) == []


def test_two_processes_that_publish_at_once_agree(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    corpus = make_corpus(a_en=FIRST)
    both = [start(SLOW, home, corpus) for _ in range(2)]
    folders = [process.communicate(timeout=60)[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert folders[0] == folders[1] == str(current_folder(home))
    assert builds(home) == []
    assert "five bar" in ask(KnowledgeBase.open(home, corpus, embedder=embedder))


@pytest.mark.parametrize("name", [DATABASE, VECTORS, MANIFEST])
@pytest.mark.parametrize("damage", ["emptied", "garbled", "removed", "cut"])
def test_a_damaged_index_is_rebuilt(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder, name: str, damage: str) -> None:
    corpus = make_corpus(a_en=FIRST)
    folder = publish(home, corpus, embedder)
    path = folder / name
    content = path.read_bytes()
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(
            {"emptied": b"", "garbled": content[:-9] + b"\x00garbage\x00", "cut": content[: len(content) // 2]}[damage]
        )
    assert read_manifest(folder) is None
    with pytest.raises(PublishError, match="damaged"):
        current_folder(home)
    assert "five bar" in ask(KnowledgeBase.open(home, corpus, embedder=embedder))
    assert read_manifest(folder) is not None
    assert builds(home) == []


@pytest.mark.parametrize("pointer", ["", "nonsense", "../../etc", "\x00"])
def test_a_damaged_pointer_is_put_right(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder, pointer: str) -> None:
    corpus = make_corpus(a_en=FIRST)
    folder = publish(home, corpus, embedder)
    (knowledge_root(home) / "current").write_text(pointer, encoding="utf-8")
    with pytest.raises(PublishError):
        current_folder(home)
    assert publish(home, corpus, embedder) == folder == current_folder(home)


def test_nothing_published_and_no_corpus_are_named(home: Path, tmp_path: Path, embedder: HashEmbedder) -> None:
    with pytest.raises(PublishError, match="nothing is published"):
        KnowledgeBase.open_current(home, embedder=embedder)
    with pytest.raises(PublishError, match="nowhere is not a folder"):
        publish(home, tmp_path / "nowhere", embedder)


def test_a_home_that_cannot_be_written_is_named(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    home.write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(PublishError, match=r"home.* choose a home that can be written"):
        publish(home, make_corpus(a_en=FIRST), embedder)


def test_an_index_of_another_embedder_is_refused(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    publish(home, make_corpus(a_en=FIRST), embedder)
    with pytest.raises(PublishError, match="'hash', not 'other'"):
        KnowledgeBase.open_current(home, embedder=HashEmbedder("other"))


def test_an_open_base_outlives_the_next_publication(home: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    corpus = make_corpus(a_en=FIRST)
    old = KnowledgeBase.open(home, corpus, embedder=embedder)
    make_corpus(a_en=SECOND)
    new = KnowledgeBase.open(home, corpus, embedder=embedder)
    assert old.version != new.version
    assert "five bar" in ask(old)
    assert "nine bar" in ask(new)


def test_the_home_may_have_spaces_and_non_latin_letters(tmp_path: Path, make_corpus: MakeCorpus, embedder: HashEmbedder) -> None:
    corpus = make_corpus(a_en=article_text(FIRST, id="a-en"))
    assert "five bar" in ask(KnowledgeBase.open(tmp_path / "仪表 home?#%20", corpus, embedder=embedder))
