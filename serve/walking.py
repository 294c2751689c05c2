"""A stored request as a page: the trace, the version of the manuals that it asked, and its photo where that is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from eval.walkthrough.form import check_address
from eval.walkthrough.page import walkthrough_html
from eval.walkthrough.view import Passage, view_trace
from knowledge.articles import KnowledgeError
from knowledge.search import KnowledgeBase
from knowledge.timeline import parse_moment
from rag.report import number_sources
from rag.trace import Trace
from rag.trace_store import TraceStore
from serve.library import open_version
from serve.overlay import overlay_picture
from serve.settings import Settings, load_settings


class WrittenPage(NamedTuple):
    """Where the page is, and what it lacks, in a line each."""

    path: Path
    problems: tuple[str, ...] = ()


class Page(NamedTuple):
    """The page itself, and what it lacks."""

    html: str
    problems: tuple[str, ...] = ()


def write_walkthrough(request_id: str, out: Path, *, photo: Path | None, report_to: str | None) -> WrittenPage:
    """Write the page of a stored request to `out`, a file or a folder.

    Raises TraceError where there is no such request, EvalError where the trace is of another version or `report_to` is
    no address, PhotoError or OSError where `photo` is given and cannot be read, OSError where `out` cannot be written.
    """
    if report_to is not None:
        check_address(report_to)
    settings = load_settings()
    store = TraceStore(settings.home)
    trace = store.load(request_id)
    page = make_page((settings,), trace, photo, report_to)
    path = out / file_name(request_id, store.kept(request_id).at) if out.is_dir() else out
    path.write_text(page.html, encoding="utf-8")
    return WrittenPage(path, page.problems)


def make_page(homes: Sequence[Settings], trace: Trace, photo: Path | None, report_to: str | None) -> Page:
    """The page of a trace. Its version of the manuals is looked for in one home after the other.

    `photo` is where the photo lies, by default where the trace says. Raises EvalError where the trace is of another version.
    """
    knowledge = _open_manuals(homes, trace)
    walk = view_trace(trace, _passages(trace, knowledge), knowledge.manifest.embedder if knowledge is not None else "")
    source = photo or Path(walk.photo.photo)
    shown = walk.photo.model_copy(update={"instruments": walk.instruments or walk.photo.instruments})
    picture = overlay_picture(source, shown, walk.document)
    problems = []
    if knowledge is None:
        problems.append(f"version {trace.knowledge_version} of the manuals is gone: the page has no words of what was found")
    if picture is None:
        problems.append(f"{source} is not there, or not the photo that was read: the page has no picture")
    return Page(walkthrough_html(walk, picture, report_to), tuple(problems))


def _open_manuals(homes: Sequence[Settings], trace: Trace) -> KnowledgeBase | None:
    if not trace.as_of:
        return None
    opened = (open_version(settings, trace.knowledge_version, parse_moment(trace.as_of)) for settings in homes)
    return next((one for one in opened if one is not None), None)


def _passages(trace: Trace, knowledge: KnowledgeBase | None) -> dict[str, Passage]:
    """The words of every chunk that was found or sent, as far as that version holds them."""
    if knowledge is None:
        return {}
    retrieval = next((stage.outputs for stage in trace.stages if stage.name == "retrieval"), {})
    evidence = next((stage.outputs for stage in trace.stages if stage.name == "evidence"), {})
    hits = [hit for queries in retrieval.get("hits", {}).values() for found in queries.values() for hit in found]
    ids = dict.fromkeys(str(one["chunk"]) for one in (*hits, *evidence.get("pieces", ())))
    found: dict[str, Passage] = {}
    for id in ids:
        try:
            chunk = knowledge.chunk(id)
        except KnowledgeError:
            continue
        (source,) = number_sources({id: chunk}, (id,))
        found[id] = Passage(source.place, source.text)
    return found


def file_name(request_id: str, at: float) -> str:
    """A name that belongs to one execution: the request and the moment at which it was stored, to the millisecond."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"walkthrough-{request_id}-{moment:%Y%m%dT%H%M%S}{moment.microsecond // 1000:03d}Z.html"
