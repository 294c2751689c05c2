"""`/monitor`: what the monitor measured last, and letting the language model write again."""

from __future__ import annotations

from fastapi import APIRouter, Request

from eval.score import share_of
from serve.api.auth import Administering
from serve.api.parts import parts_of
from serve.api.problems import problem_docs
from serve.monitor.alerts import Alert
from serve.monitor.degradation import Degraded
from serve.monitor.gate_outcome import GateOutcome
from serve.monitor.live_status import LiveStatus, live_lights
from serve.monitor.overview import Overview, compared, read_overview
from serve.monitor.periodic import Measure, Measures
from vision.fields import Contract

router = APIRouter(tags=["monitor"], responses=problem_docs(401, 403, 429, 503))

_AT = 1_800_000_000.0
_WHY = "only 80% of 40 reports are borne out, below 85% for 2.0 h"
_LIVE = LiveStatus(
    at=_AT - 3,
    reports=40,
    report_ms_p95=212.0,
    slow_ms=800.0,
    faithful=share_of(32, 40),
    uncertain=share_of(4, 44),
    uncertain_note="",
    flagged=("5f0c6d1e0b7a4d2f9c3e8a17",),
    low_since=_AT - 7200,
    anchors=118,
    anchor_failures=0,
)
_MANUALS = "5e22d0178685a8ea"
_HOURLY = Measures(
    at=_AT - 900, knowledge_version=_MANUALS, measures=(Measure(name="recall_at_5", value=0.93, n=100, holds=True),)
)
_DAILY = Measures(at=_AT - 9000, knowledge_version=_MANUALS, measures=(Measure(name="anchors", value=1.0, n=30, holds=True),))
EXAMPLE = Overview(
    at=_AT,
    running=True,
    live=_LIVE,
    lights=live_lights(_LIVE, _AT),
    hourly=compared(_HOURLY, _HOURLY),
    daily=compared(_DAILY, _DAILY),
    gate=GateOutcome(
        at=_AT - 86_400,
        passed=True,
        with_photos=True,
        worse=(),
        missing=0,
        baseline="frozen on 2027-01-02: new manuals",
        versions={"knowledge": _MANUALS, "weights": "small 5"},
    ),
    gate_light="green",
    set_aside=Degraded(since=_AT - 3, reason=_WHY, faithful=share_of(32, 40)),
    alerts=(Alert(id="a1", at=_AT - 3, key="set_aside", level="alarm", text=_WHY, next_try=_AT),),
    alerts_waiting=1,
    backlog=39,
)


class Resumed(Contract):
    """Whether language models had been set aside and write again now."""

    resumed: bool


@router.get(
    "/monitor/status",
    responses={200: {"content": {"application/json": {"example": EXAMPLE.model_dump(mode="json")}}}},
)
def monitor_status(request: Request, _: Administering) -> Overview:
    """What was measured last at each level, over all tenants and without their names; nothing is measured now. Scope `admin`."""
    store = parts_of(request).store
    return read_overview(store.database, store.home)


@router.post("/monitor/resume")
def monitor_resume(request: Request, _: Administering) -> Resumed:
    """Let language models write again after they were set aside. Scope `admin`."""
    return Resumed(resumed=parts_of(request).degradation.end())
