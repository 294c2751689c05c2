"""The failure library: what people reported about answers, and on which of five axes the cause lies.

One SQLite file in the home. A report is what the form of a walkthrough page writes; a case is a report that was kept,
with its number. The same report twice is one case.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import Field, ValidationError

from eval.score import EvalError
from rag.sqlite_layout import lay_out
from vision.fields import Contract

FILE = "failures.sqlite"
FORMAT = "gaugerag-failure-1"
MAX_REPORT_BYTES = 256 * 1024
MAX_CASES = 100_000
"""A form that anybody can send must not fill a disk."""
_LAYOUT = 1
_WAIT_S = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS failures (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, digest TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL, complaint TEXT NOT NULL,
    report TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS failures_by_request ON failures (request_id);
"""

Complaint = Literal["misread", "off_focus", "cut_off", "unsupported", "evasive"]
"""The form's one choice: photo read wrongly; wrong passages found; what matters was cut off on the way to the writer;
a sentence that is not true or not backed; the report evades what the manual says."""
COMPLAINTS: tuple[Complaint, ...] = get_args(Complaint)
Label = Literal["yes", "no", "unknown"]
Axis = Literal["retrieval_off_focus", "bad_cut", "context_pollution", "prompt_evasion", "wrong_metric"]
AXES: tuple[Axis, ...] = get_args(Axis)

_ShortText = Annotated[str, Field(max_length=500)]
_LongText = Annotated[str, Field(max_length=20_000)]


class FailureError(EvalError):
    """A report that is none, a case that is not there, or a library that cannot be opened."""


class RootCause(Contract):
    """Five axes, each judged by itself, for a case may have more than one cause: passages at the wrong level of intent
    found; a chunk cut where its meaning hangs together; too much beside the point sent along; a prompt that lets the
    writer evade or invent; a measure that calls a good answer bad."""

    retrieval_off_focus: Label = "unknown"
    bad_cut: Label = "unknown"
    context_pollution: Label = "unknown"
    prompt_evasion: Label = "unknown"
    wrong_metric: Label = "unknown"

    @property
    def found(self) -> tuple[Axis, ...]:
        """The axes that were labelled as a cause."""
        return tuple(axis for axis in AXES if getattr(self, axis) == "yes")


class FailureReport(Contract):
    """What the form of a walkthrough writes. `expected`: the points that the right answer would hold.

    `watermark`: the versions under which the answer was made.
    """

    format: Literal["gaugerag-failure-1"]
    request_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,80}$")]
    complaint: Complaint
    question: _LongText = ""
    expected: Annotated[tuple[_ShortText, ...], Field(max_length=20)] = ()
    note: _LongText = ""
    causes: RootCause = RootCause()
    watermark: Annotated[dict[_ShortText, _ShortText], Field(max_length=20, default_factory=dict)]


class FailureCase(NamedTuple):
    """A report that was kept: its number, when (seconds since 1970), and what it says."""

    id: int
    at: float
    report: FailureReport


def parse_report(text: str | bytes) -> FailureReport:
    """The report in a JSON text. Raises FailureError, in one line, where it is none or too large."""
    if len(text) > MAX_REPORT_BYTES:
        raise FailureError(f"a failure report has at most {MAX_REPORT_BYTES} bytes, this one {len(text)}")
    try:
        return FailureReport.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the text"
        raise FailureError(f"not a failure report: {where}: {first['msg']}") from None


class FailureLibrary:
    """The cases of one home. Safe to use from several threads and processes at once.

    Every method raises FailureError where the file cannot be read or written.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / FILE

    def add(self, report: FailureReport) -> FailureCase:
        """Keep a report; one that is already there keeps its number and its labels."""
        text = report.model_dump_json()
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        with self._open() as db, db:
            if db.execute("SELECT COUNT(*) FROM failures").fetchone()[0] >= MAX_CASES:
                raise FailureError(f"{self.path} holds {MAX_CASES} cases and takes no more; move it away to start anew")
            db.execute(
                "INSERT OR IGNORE INTO failures (at, digest, request_id, complaint, report) VALUES (?, ?, ?, ?, ?)",
                (time.time(), digest, report.request_id, report.complaint, text),
            )
            row = db.execute("SELECT id, at, report FROM failures WHERE digest = ?", (digest,)).fetchone()
            return _case(row)

    def case(self, number: int) -> FailureCase:
        """One case by its number. Raises FailureError where there is none."""
        with self._open() as db:
            row = db.execute("SELECT id, at, report FROM failures WHERE id = ?", (number,)).fetchone()
            if row is None:
                raise FailureError(f"no case {number} in {self.path}; `gauge failures list` shows those there are")
            return _case(row)

    def cases(self, *, axis: Axis | None = None, complaint: Complaint | None = None) -> tuple[FailureCase, ...]:
        """All cases, the newest first; with `axis` those that it was labelled a cause of."""
        with self._open() as db:
            rows = db.execute("SELECT id, at, report FROM failures ORDER BY id DESC").fetchall()
            found = [_case(row) for row in rows]
        wanted = (one for one in found if axis is None or axis in one.report.causes.found)
        return tuple(one for one in wanted if complaint is None or one.report.complaint == complaint)

    def label(self, number: int, causes: Mapping[Axis, Label]) -> FailureCase:
        """Set axes of a case's root cause; those not named stay. Raises FailureError where there is no such case."""
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")  # Two reviewers at once must not undo each other's axes.
            row = db.execute("SELECT id, at, report FROM failures WHERE id = ?", (number,)).fetchone()
            if row is None:
                raise FailureError(f"no case {number} in {self.path}; `gauge failures list` shows those there are")
            case = _case(row)
            marked = RootCause.model_validate({**case.report.causes.model_dump(), **causes})
            report = case.report.model_copy(update={"causes": marked})
            db.execute("UPDATE failures SET report = ? WHERE id = ?", (report.model_dump_json(), number))
            return case._replace(report=report)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_WAIT_S)) as db:
                lay_out(db, _SCHEMA, _LAYOUT, wal=False)
                yield db
        except (sqlite3.Error, OSError) as error:
            raise FailureError(f"the failure library {self.path} cannot be used: {error}") from error


def _case(row: tuple[int, float, str]) -> FailureCase:
    number, at, text = row
    try:
        return FailureCase(number, at, FailureReport.model_validate(json.loads(text)))
    except ValueError as error:
        raise FailureError(f"case {number} of the failure library is damaged: {' '.join(str(error).split())[:160]}") from error
