"""Which documents answer at a moment: truth over time.

A document answers from its effective date on, until a newer one of its lineage takes over. Of a lineage are the
versions of one id, and manuals of the same instruments in the same language, of the same kind and authority. An
archived document answers for the moments before its successor only, which is what a search as of then has to find;
one without a successor answers never, because nobody knows until when it held. Drafts never answer unless asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime
from typing import Literal, NamedTuple

from knowledge.articles import AUTHORITY_WEIGHTS, AuthorityClass, KnowledgeError, Language, Status
from vision.fields import Contract, Kind

Moment = date | datetime
Freshness = Literal["fresh", "stale", "not yet in effect"]
ANSWERING: tuple[Status, ...] = ("valid",)


class MomentError(KnowledgeError):
    """A text that is no ISO 8601 moment."""


class DocumentEntry(Contract):
    """One document of a publication. `indexed_at` is when this very content was first indexed.

    `id` ends in `@version` where a newer version of the same id is published beside it.
    """

    id: str
    title: str = ""
    version: str
    effective_date: date
    status: Status
    language: Language = "en"
    kind: Kind | None = None
    models: tuple[str, ...] = ()
    authority: AuthorityClass = "specification"
    source: str = ""
    sha256: str
    indexed_at: datetime
    chunks: int

    @property
    def base_id(self) -> str:
        """The id without the version that tells an older one apart."""
        return self.id.split("@", 1)[0]

    def freshness(self, moment: Moment) -> Freshness:
        """`stale` where the index is older than the day from which the document holds: it may lack what then changed."""
        if self.effective_date > day_of(moment):
            return "not yet in effect"
        return "stale" if self.indexed_at.date() < self.effective_date else "fresh"


class Period(NamedTuple):
    """Days on which a document answers: `start` is the first, `end` the first on which it no longer does."""

    start: date
    end: date | None

    def holds(self, day: date) -> bool:
        """Whether the document answers on a day."""
        return self.start <= day and (self.end is None or day < self.end)


def parse_moment(text: str) -> datetime:
    """The moment of an ISO 8601 text; a day is its last second, a time without zone is UTC. Raises MomentError."""
    try:
        moment = datetime.fromisoformat(text)
        if "T" not in text and " " not in text.strip():
            moment = moment.replace(hour=23, minute=59, second=59)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        moment.astimezone(UTC)  # At both ends of the calendar not every zone's moment has one in UTC.
    except (ValueError, OverflowError) as error:
        raise MomentError(f"{text!r} is no ISO 8601 moment; write 2024-05-31 or 2024-05-31T12:00:00+00:00") from error
    return moment


def day_of(moment: Moment) -> date:
    """The day of a moment, in UTC where it has a zone."""
    if not isinstance(moment, datetime):
        return moment
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def in_force(documents: Sequence[DocumentEntry], moment: Moment, include: Collection[Status] = ANSWERING) -> frozenset[str]:
    """Ids of the documents that answer at a moment.

    `include` adds "draft" or "archived": those documents then answer whatever has replaced them, from their date on.
    """
    day = day_of(moment)
    found: set[str] = set()
    for document in documents:
        if document.status != "valid" and document.status in include:
            asked = document.effective_date <= day or document.status == "draft"
        else:
            span = period(document, documents)
            asked = span is not None and span.holds(day)
        if asked:
            found.add(document.id)
    return frozenset(found)


def period(document: DocumentEntry, documents: Sequence[DocumentEntry]) -> Period | None:
    """The days on which a document answers among others; None for a draft and for an archived one without successor."""
    if document.status == "draft":
        return None
    later = [other.effective_date for other in documents if _succeeds(other, document)]
    if document.status == "archived" and not later:
        return None
    return Period(document.effective_date, min(later, default=None))


def _succeeds(other: DocumentEntry, document: DocumentEntry) -> bool:
    """Whether `other` takes the place of `document` from its own effective date on."""
    if other.id == document.id or other.status == "draft":
        return False
    same_id = other.base_id == document.base_id
    manuals = other.kind is not None and other.kind == document.kind and bool(document.models)
    covered = manuals and set(document.models) <= set(other.models)
    same_matter = covered and (other.language, other.authority) == (document.language, document.authority)
    if not (same_id or same_matter):
        return False
    if other.effective_date != document.effective_date:
        return other.effective_date > document.effective_date
    # Of the same day: the valid one counts before the archived one; two valid ones stay rivals, which the audit lists.
    return other.status == "valid" and document.status == "archived"


def newest(documents: Sequence[DocumentEntry]) -> DocumentEntry | None:
    """The valid document with the latest effective date; the more authoritative of two of one day."""
    valid = [document for document in documents if document.status == "valid"]
    return max(valid, key=lambda d: (d.effective_date, AUTHORITY_WEIGHTS[d.authority], d.id), default=None)
