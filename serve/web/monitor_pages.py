"""The monitor as pages: three levels with their colours, the way back to the language model, alerts, and root causes."""

from __future__ import annotations

from http import HTTPStatus
from typing import Literal, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from eval.tables import number, percent
from serve.api.auth import Administering
from serve.api.parts import parts_of
from serve.api.problems import ProblemError
from serve.monitor.alerts import Alert
from serve.monitor.diagnosis import RootCauses
from serve.monitor.kept_causes import CAUSE_KINDS, CauseKind, kept_causes
from serve.monitor.overview import Overview, read_overview
from serve.store.errors import NotFoundError
from serve.store.reports import Reports
from serve.web.chart import stamp
from serve.web.monitor_rows import PILLS, age, live_rows, run_part
from serve.web.rendering import PageRoute, render, see_other, words_of
from serve.web.words import Words

router = APIRouter(route_class=PageRoute)

_ALERT_PILLS: dict[str, str] = {"alarm": "danger", "warning": "attention", "notice": "neutral"}


class AlertLine(NamedTuple):
    """An alert: when, how grave, what, and whether it was sent."""

    when: str
    pill: str
    level: str
    text: str
    sent: str


class CausesLink(NamedTuple):
    """A report on root causes that there is."""

    kind: CauseKind
    title: str
    told: str


class SignalLine(NamedTuple):
    """The mean of a score over the cases."""

    name: str
    mean: str
    n: int


@router.get("/monitor")
def monitor_page(request: Request, who: Administering) -> Response:
    """All that was measured last."""
    parts, words = parts_of(request), words_of(request)
    told = read_overview(parts.store.database, parts.store.home)
    flagged = told.live.flagged if told.live is not None else ()
    found = ((kind, kept_causes(parts.store.database, kind)) for kind in CAUSE_KINDS)
    return render(
        request,
        "monitor.html",
        "monitor",
        told=told,
        state=_state(told, parts.settings.monitor, words),
        is_held_up=not told.running and (parts.settings.monitor or told.live is not None),
        aside=_aside(told, words),
        live=live_rows(told, words),
        low_since=stamp(told.live.low_since) if told.live is not None and told.live.low_since is not None else None,
        flagged=len(flagged),
        own_flagged=[id for id in flagged if _is_own(parts.store.reports, who.tenant, id)],
        levels=[(kind, run_part(run, told.at, words)) for kind, run in (("hourly", told.hourly), ("daily", told.daily))],
        gate_pill=PILLS[told.gate_light],
        gate_colour=words(f"light_{told.gate_light}"),
        gate_when=stamp(told.gate.at) if told.gate is not None else "",
        gate_age=age(told.at - told.gate.at, words) if told.gate is not None else "",
        alerts=[_alert(one, words) for one in told.alerts],
        causes=[CausesLink(kind, words(f"causes_{kind}"), _told(one, words)) for kind, one in found if one is not None],
    )


@router.post("/monitor")
def resume(request: Request, _: Administering) -> Response:
    """Let the language model write again, and go back to the page."""
    parts_of(request).degradation.end()
    return see_other(request, "/monitor")


@router.get("/monitor/causes/{kind}")
def causes_page(request: Request, who: Administering, kind: CauseKind) -> Response:
    """Root causes of many reports. A case shows its report only to the tenant whose it is."""
    parts, words = parts_of(request), words_of(request)
    causes = kept_causes(parts.store.database, kind)
    if causes is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-causes", "no root causes of this kind are kept")
    return render(
        request,
        "monitor_causes.html",
        "monitor",
        title=words(f"causes_{kind}"),
        told=_told(causes, words),
        causes=causes,
        signals=[SignalLine(name, number(one.value), one.n) for name, one in causes.signals.items() if one.n],
        own=[one for one in causes.cases if one.tenant == who.tenant],
    )


def _state(told: Overview, is_on: bool, words: Words) -> str:
    """Whether a monitor is at work, and where not, how to switch it on."""
    if told.running:
        return words("monitor_running")
    since = "" if told.live is None else words("monitor_last", age=age(told.at - told.live.at, words))
    return f"{words('monitor_starting' if is_on else 'monitor_off')} {since}".rstrip()


def _aside(told: Overview, words: Words) -> str | None:
    """Since when and why the language model does not write."""
    aside = told.set_aside
    if aside is None:
        return None
    since = words("aside_since", since=stamp(aside.since))
    return since if aside.faithful is None else f"{since} {words('aside_why', share=percent(aside.faithful))}"


def _alert(one: Alert, words: Words) -> AlertLine:
    state: Literal["alert_sent", "alert_waits", "alert_given_up"] = "alert_waits"
    if one.next_try is None:
        state = "alert_sent" if one.sent is not None else "alert_given_up"
    first = one.text.splitlines()[0] if one.text else one.key
    return AlertLine(stamp(one.at), _ALERT_PILLS[one.level], words(f"alert_{one.level}"), first, words(state))


def _told(causes: RootCauses, words: Words) -> str:
    return words("causes_told", when=stamp(causes.made_at), count=causes.n)


def _is_own(reports: Reports, tenant: str, id: str) -> bool:
    try:
        reports.get(tenant, id)
    except NotFoundError:
        return False
    return True
