"""Claims about cutting: the same manuals in coherent chunks and in fixed windows, asked the same questions.

Both are embedded by the same model under the same headings and ranked by cosine alone, so that nothing but the cut differs.
A place counts where the answering words stand in one passage of the right document; it is whole where what they say stands
there with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from eval.query_set import QueryCase
from eval.reproductions.claims import Claim, Paired, judge_effect, paired_effect, point
from eval.score import EvalError
from knowledge.articles import Article, Chunk
from knowledge.audit import FaultKind, audit
from knowledge.chunks import TARGET_CHARS, TARGET_CHARS_CHINESE, build_chunks
from knowledge.embedder import Embedder, Vectors
from knowledge.index import embedding_text
from knowledge.sentences import CONDITION, coupled_sentences, parse_table, split_blocks

NEAR = 5
COHERENT, SHORT = "coherent chunks", "windows as long as chunks"
TORN: tuple[FaultKind, ...] = ("split conditional", "cut sentence", "torn table", "torn list")


class Cut(NamedTuple):
    """The passages of one way of cutting and their unit vectors (N, D)."""

    chunks: tuple[Chunk, ...]
    vectors: Vectors


def fixed_windows(article: Article, size: int | None = None) -> tuple[Chunk, ...]:
    """An article in windows of `size` characters (the length that coherent chunks aim at where None), cut where a window is
    full, white space or not. A window belongs to the section in which it begins.
    """
    size = size or (TARGET_CHARS_CHINESE if article.language == "zh" else TARGET_CHARS)
    like = build_chunks(article)
    text = "\n\n".join(f"{section.title}\n{section.text}" for section in article.sections)
    starts, at = [], 0
    for section in article.sections:
        starts.append(at)
        at += len(section.title) + 1 + len(section.text) + 2
    windows = []
    for start in range(0, len(text), size):
        body = text[start : start + size].strip()
        if not body or not like:
            continue
        section = article.sections[int(np.searchsorted(starts, start, side="right")) - 1]
        changes = {
            "id": f"{article.id}:window:{start}", "section": section.number, "section_title": section.title, "text": body,
            "injected": "", "semantic_type": "prose", "line": section.text_line, "paragraph": 1, "refers_to": (),
            "continues_from": (),
        }  # fmt: skip
        windows.append(like[0].model_copy(update=changes))
    return tuple(windows)


def short_windows(article: Article) -> tuple[Chunk, ...]:
    """An article in windows as long as its coherent chunks are on average: as many passages bring as much text."""
    lengths = [len(chunk.text) for chunk in build_chunks(article)]
    return fixed_windows(article, max(1, round(fmean(lengths)))) if lengths else ()


def embed(chunks: Sequence[Chunk], embedder: Embedder) -> Cut:
    """Chunks with their vectors, each under its document's title and its heading as in the product."""
    return Cut(tuple(chunks), embedder.encode([embedding_text(chunk) for chunk in chunks]))


def whole_answer(case: QueryCase, articles: Sequence[Article]) -> tuple[str, ...]:
    """What must stand in one passage for the answer to be understood: the coupled sentences, or the table's header and row,
    in which the answering words stand. Empty where no document holds them."""
    for answer in case.answers:
        for article in articles:
            if article.id != answer.document:
                continue
            for section in article.sections:
                if answer.section not in ("", section.number):
                    continue
                for block in split_blocks(section.text):
                    if answer.stands_in(block.text) and (parts := _parts(block.text, block.kind, answer.stands_in)):
                        return parts
    return ()


def _parts(text: str, kind: str, holds: Callable[[str], bool]) -> tuple[str, ...]:
    if kind == "table" and parse_table(text) is not None:
        header, _, *rows = text.splitlines()
        row = next((row for row in rows if holds(row)), None)
        return (header, row) if row is not None else ()
    sentence = next((one for one in coupled_sentences(text) if holds(one)), None)
    return (sentence,) if sentence is not None else ()


class Asked(NamedTuple):
    """One question: whether the answering words stand in one of the first passages, and whether they stand there whole."""

    found: bool
    whole: bool


def ask(cut: Cut, case: QueryCase, question: Vectors, wanted: Sequence[str], depth: int = NEAR) -> Asked:
    """The nearest passages of a cut, of the asked model's documents and general ones where the question has a model."""
    allowed = [not case.model or not chunk.models or case.model in chunk.models for chunk in cut.chunks]
    scores = np.where(allowed, cut.vectors @ question, -np.inf)
    documents = {answer.document for answer in case.answers}
    first = [cut.chunks[int(place)] for place in np.argsort(-scores, kind="stable")[:depth]]
    hits = [one for one in first if one.document in documents and any(a.stands_in(one.text) for a in case.answers)]
    return Asked(bool(hits), any(_holds_all(one.text, wanted) for one in hits))


def _holds_all(text: str, wanted: Sequence[str]) -> bool:
    squeezed = "".join(text.split())
    return bool(wanted) and all("".join(one.split()) in squeezed for one in wanted)


def coherent_chunks(
    articles: Sequence[Article], cases: Sequence[QueryCase], embedder: Embedder, known: Cut | None = None
) -> Claim:
    """D5 and D17. `known`: the coherent chunks with their vectors, where they are at hand. Raises EvalError where no question
    has an answer in the articles."""
    asked = [(case, wanted) for case in cases if case.answers and not case.via and (wanted := whole_answer(case, articles))]
    if not asked:
        raise EvalError("no question has an answer in these documents")
    chunks = known or embed([chunk for one in articles for chunk in build_chunks(one)], embedder)
    long = embed([chunk for one in articles for chunk in fixed_windows(one)], embedder)
    short = embed([chunk for one in articles for chunk in short_windows(one)], embedder)
    questions = embedder.encode([case.text for case, _ in asked])
    ways = {COHERENT: chunks, SHORT: short, "windows of the length aimed at": long}
    rows = {
        name: [ask(cut, case, vector, wanted) for (case, wanted), vector in zip(asked, questions, strict=True)]
        for name, cut in ways.items()
    }
    points = []
    for name, cut in ways.items():
        points.append(point(name, f"whole answer among the first {NEAR}", [one.whole for one in rows[name]]))
        points.append(point(name, f"answering words among the first {NEAR}", [one.found for one in rows[name]]))
        points.append(point(name, "conditions torn", torn_conditions(articles, cut.chunks)))
    effect = paired_effect(Paired([one.whole for one in rows[SHORT]], [one.whole for one in rows[COHERENT]]))
    words = paired_effect(Paired([one.found for one in rows[SHORT]], [one.found for one in rows[COHERENT]]))
    torn = [fault for fault in audit(articles, short_windows) if fault.kind in TORN]
    sound = [fault for fault in audit(articles) if fault.kind in TORN]
    sizes = f"{len(chunks.chunks)} chunks, {len(short.chunks)} windows as long as they, {len(long.chunks)} longer ones"
    return Claim(
        row="D5, D17",
        claim="coherent chunks bring the whole answer where fixed windows do not",
        source="44 -> 92 % and 51 -> 89 %; 73 % of conditionals split",
        subject=f"{len(asked)} questions, {sizes}, cosine of {embedder.name}",
        points=tuple(points),
        effect_of="whole answers among chunks less among windows as long",
        effect=effect,
        verdict=judge_effect(effect, len(asked)),
        said=(
            f"The answering words alone: {100 * words.value:+.0f} points [{100 * words.low:.0f}, {100 * words.high:.0f}]. "
            f"The chunk audit finds {len(torn)} torn blocks in windows as long as chunks and {len(sound)} in chunks. "
            "Longer windows tear less, and their first passages bring more text than as many chunks."
        ),
    )


def torn_conditions(articles: Sequence[Article], chunks: Sequence[Chunk]) -> list[bool]:
    """For every condition of the documents with its consequence: whether no single passage holds all of it."""
    texts: dict[str, list[str]] = {}
    for chunk in chunks:
        texts.setdefault(chunk.document, []).append("".join(chunk.text.split()))
    torn: list[bool] = []
    for article in articles:
        for section in article.sections:
            blocks = [block.text for block in split_blocks(section.text) if block.kind == "paragraph"]
            for whole in (one for text in blocks for one in coupled_sentences(text) if CONDITION.search(one)):
                torn.append(not any("".join(whole.split()) in text for text in texts.get(article.id, ())))
    return torn
