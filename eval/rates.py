"""ERR and FAR: the share of questions whose exact answer is among the passages, and of answers whose every claim is borne out.

Both are made of one score a case, so that slices, intervals and the reasons of single cases come from the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from eval.abstention import is_abstention
from eval.bench_report import chunk_text
from eval.bench_report_judge import ungrounded
from eval.query_set import QueryCase
from eval.retrieval import Searching, ask
from eval.score import Score, Share, not_scorable, share_of, supported, unsupported
from knowledge.facts import ModelFacts
from knowledge.search import KnowledgeBase
from rag.pipeline import Inspection

FAR_ALARM = 0.95
"""Below this FAR is an alarm."""


def exact_retrieval(knowledge: Searching, case: QueryCase) -> Score:
    """One question's part of ERR: whether one of the first five passages holds the exact answer.

    Not scorable where the manuals do not answer it.
    """
    return ask(knowledge, case).hit_at_5


def report_faithful(inspection: Inspection, kb: KnowledgeBase, facts: ModelFacts | None) -> Score:
    """One report's part of FAR: whether what each sentence cites, the reading, or arithmetic on both bears it out.

    Words are held against the citations by the product's own check, numbers and names by a judge of its own. A sentence that
    says that something is not known makes no claim; a report of such sentences alone is not scorable.
    """
    if inspection.report is None:
        return not_scorable("there is no report")
    claims = [one for one in inspection.report.statements if not is_abstention(one.text)]
    if not claims:
        return not_scorable("the report claims nothing: it only says what is not known")
    chunks = {piece.chunk: chunk_text(kb.chunk(piece.chunk)) for piece in inspection.evidence}
    for one in claims:
        if not one.supported:
            return unsupported(f"the check does not support {one.text!r}")
        loose = ungrounded(one, chunks, inspection.reading.instruments, facts)
        if loose:
            return unsupported(f"{', '.join(loose)} is not borne out in {one.text!r}")
    return supported(f"{len(claims)} sentences borne out")


def rate(scores: Iterable[Score]) -> Share:
    """Supported of the scorable, with its interval: ERR over `exact_retrieval`, FAR over `report_faithful`."""
    judged = [score for score in scores if score.state != "not_scorable"]
    return share_of(sum(score.state == "supported" for score in judged), len(judged))
