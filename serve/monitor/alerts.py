"""Alerts: said once, kept in the database until somebody took them, and tried again ever more slowly.

The outbox is a table, so a restart loses none. One that was taken and whose answer got lost is sent again with the same
id: a receiver that minds keeps the ids.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import func, or_, select, update

from serve.store.database import Database
from serve.store.ids import new_id
from serve.store.tables import alerts
from vision.fields import Contract

logger = logging.getLogger("gauge.monitor")

Level = Literal["notice", "warning", "alarm"]
Send = Callable[["Alert"], str | None]
"""Hands an alert on; None where it was taken, else why not."""

_LOG_LEVELS: dict[str, int] = {"notice": logging.INFO, "warning": logging.WARNING, "alarm": logging.ERROR}
MAX_TEXT = 8000


@dataclass(frozen=True)
class AlertOptions:
    """`repeat_s`: what is said again under one key within this time is not sent again. The wait after a failure doubles from
    `first_wait_s` to `most_wait_s`; after `tries` failures an alert is given up. `lease_s`: how long one process may take."""

    repeat_s: float = 3600.0
    first_wait_s: float = 5.0
    most_wait_s: float = 900.0
    tries: int = 100
    lease_s: float = 60.0


class Alert(Contract):
    """One alert. Moments in seconds since 1970. `next_try` is None once it was sent or given up (`reason` says why not sent)."""

    id: str
    at: float
    key: str
    level: Level
    text: str
    attempts: int = 0
    next_try: float | None = None
    sent: float | None = None
    reason: str | None = None


class Alerts:
    """The alerts of a store. Every method raises StoreError where the database cannot be used."""

    def __init__(
        self, database: Database, options: AlertOptions = AlertOptions(), clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self.options = options
        self._clock = clock

    def say(self, key: str, level: Level, text: str) -> Alert | None:
        """Keep an alert to be sent, and log it; None where the same `key` was said a short while ago."""
        now = self._clock()
        # PostgreSQL keeps neither NUL nor half a surrogate pair.
        text = text[:MAX_TEXT].replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
        alert = Alert(id=new_id(), at=now, key=key[:80], level=level, text=text, next_try=now)
        with self._database.write() as db:
            # A moment in the future was written before the clock was set back, and must not silence anything.
            said = select(alerts.c.id).where(
                alerts.c.key == alert.key, alerts.c.at > now - self.options.repeat_s, alerts.c.at <= now
            )
            if db.execute(said).first() is not None:
                return None
            db.execute(alerts.insert().values(**alert.model_dump()))
        logger.log(_LOG_LEVELS[level], "%s: %s", alert.key, alert.text.splitlines()[0] if alert.text else "")
        return alert

    def deliver(self, send: Send, most: int = 20) -> int:
        """Send what waits and is due, the oldest first; how many were taken. A failure costs only its own alert a wait."""
        taken = 0
        for _ in range(most):
            alert = self._claim()
            if alert is None:
                break
            reason = send(alert)
            self._note(alert, reason)
            taken += reason is None
        return taken

    def newest(self, count: int = 20) -> tuple[Alert, ...]:
        """The newest alerts first."""
        with self._database.read() as db:
            rows = db.execute(select(alerts).order_by(alerts.c.at.desc(), alerts.c.id).limit(count)).mappings().all()
        return tuple(Alert.model_validate(dict(row)) for row in rows)

    def waiting(self) -> int:
        """How many wait to be sent."""
        with self._database.read() as db:
            return int(db.execute(select(func.count()).where(alerts.c.next_try.is_not(None))).scalar_one())

    def _claim(self) -> Alert | None:
        """The oldest alert that is due, held for a while against other processes."""
        now = self._clock()
        longest = max(self.options.most_wait_s, self.options.lease_s)
        # What waits longer than anything may was put off by a clock that has been set back since.
        is_due = or_(alerts.c.next_try <= now, alerts.c.next_try > now + longest)
        due = select(alerts.c.id).where(is_due).order_by(alerts.c.at, alerts.c.id).limit(1)
        with self._database.write() as db:
            id = db.execute(due).scalar_one_or_none()
            if id is None:
                return None
            taken = (
                update(alerts)
                .where(alerts.c.id == id, is_due)
                .values(next_try=now + self.options.lease_s, attempts=alerts.c.attempts + 1)
                .returning(*alerts.c)
            )
            row = db.execute(taken).mappings().one_or_none()
        return Alert.model_validate(dict(row)) if row is not None else None

    def _note(self, alert: Alert, reason: str | None) -> None:
        now = self._clock()
        if reason is None:
            values: dict[str, object] = {"sent": now, "next_try": None, "reason": None}
        elif alert.attempts >= self.options.tries:
            values = {"next_try": None, "reason": f"given up after {alert.attempts} tries: {reason}"[:500]}
            logger.error("an alert was given up after %d tries: %s: %s", alert.attempts, alert.key, reason)
        else:
            wait = min(self.options.first_wait_s * 2 ** min(alert.attempts - 1, 30), self.options.most_wait_s)
            values = {"next_try": now + wait, "reason": reason[:500]}
        with self._database.write() as db:
            db.execute(update(alerts).where(alerts.c.id == alert.id).values(**values))


def never_sent(alert: Alert) -> str | None:
    """Where no webhook is set, the log line is all: an alert counts as taken."""
    return None
