"""Runs made without a reader: a reading, and what the pipeline would say of it."""

from __future__ import annotations

from typing import Any

from rag.pipeline import Inspection, Run
from rag.report import About, Document
from rag.trace import Trace
from tests.serve.doubles import WEIGHTS, make_dial
from vision.fields import InstrumentReading, PhotoReading


def make_run(*instruments: InstrumentReading, request_id: str = "r-1", photo: str = "a.png", sha256: str = "0" * 64) -> Run:
    """A run of a photo with these instruments, a dial by default."""
    shown = instruments or (make_dial(100, 80, "XYZ-2000"),)
    read = any(one.status == "read" for one in shown)
    reading = PhotoReading(
        photo=photo,
        sha256=sha256,
        status="read" if read else "abstained",
        reason=None if read else "nothing could be read",
        instruments=shown,
        weights=WEIGHTS,
    )
    about = About(
        request_id=request_id, made_at="2026-01-31T00:00:00+00:00", photo=photo, sha256=sha256, weights=WEIGHTS,
        writer="template", knowledge_version="0",
    )  # fmt: skip
    trace = Trace(request_id=request_id, language="en", writer="template", knowledge_version="0")
    return Run(Inspection(request_id=request_id, reading=reading), trace, Document(language="en", sections=(), about=about))


def report_options(**changes: Any) -> dict[str, Any]:
    """What `make_report` needs beside a run."""
    return {"language": "en", "writer": "template", **changes}
