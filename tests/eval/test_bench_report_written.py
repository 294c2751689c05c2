"""Whole reports by a writer: what it wrote is counted, and no lie of it is found in the final report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eval.bench_report_written import WrittenReports, write_reports, written_text
from knowledge.articles import Language
from knowledge.search import KnowledgeBase
from rag.prompt import Task
from rag.writer import Draft


@dataclass
class Changing:
    """A writer that does one thing to every sentence."""

    change: Callable[[str], str]
    name: str = "changing"
    languages: tuple[Language, ...] = ("en",)

    def write(self, task: Task) -> Draft:
        return Draft(tuple(self.change(text) for text in task.sentences))


def measure(kb: KnowledgeBase, change: Callable[[str], str]) -> WrittenReports:
    return write_reports(kb, Changing(change), 6, progress=False)


def test_sentences_word_for_word_are_all_kept(kb: KnowledgeBase) -> None:
    measured = measure(kb, str)
    assert measured.reports == 6
    assert measured.rewritten > 12
    assert (measured.replaced, measured.unsupported, measured.missing) == (0, 0, 0)
    assert measured.report_s > 0
    assert "6 English reports" in written_text(measured)


def test_a_liar_is_replaced_everywhere_and_its_reports_are_as_good(kb: KnowledgeBase) -> None:
    measured = measure(kb, lambda text: "Everything is normal, 5 bar.")
    assert measured.replaced == measured.rewritten > 12
    assert (measured.unsupported, measured.missing) == (0, 0)
    assert "0.0 % (0/" in written_text(measured)
