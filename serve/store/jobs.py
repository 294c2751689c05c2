"""The queue of jobs: each is done by one worker at a time, and by another one where the first dies.

A claim is one atomic update on both databases. A worker holds a job by a lease that it renews; what it writes counts only
while it still holds it. Counting attempts ends a job that kills its workers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import Connection, and_, case, func, or_, select
from sqlalchemy.sql import ColumnElement

from serve.store.database import Database
from serve.store.errors import NotFoundError, RefusedError
from serve.store.ids import new_id, owner_is_gone, this_owner
from serve.store.tables import jobs
from vision.fields import Contract

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
STATES: tuple[JobState, ...] = get_args(JobState)
MAX_ATTEMPTS = 5
LEASE_S = 60.0
MOST_LISTED = 200


class Job(Contract):
    """A job. `payload` is what was asked, `progress` what is done so far, `result` what came of it: plain JSON data.

    `created`, `updated` and `leased_until` are seconds since 1970; `reason` says why a job failed.
    """

    id: str
    tenant: str
    kind: str
    state: JobState
    payload: dict[str, Any]
    progress: dict[str, Any]
    result: dict[str, Any] | None
    reason: str | None
    attempts: int
    cancel_asked: bool
    created: float
    updated: float
    owner: str | None
    leased_until: float | None


class QueueLength(NamedTuple):
    """How many jobs of a kind are in a state, over all tenants."""

    kind: str
    state: JobState
    length: int


class Jobs:
    """The jobs of a store. Safe to use from several threads, processes and machines at once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, tenant: str, kind: str, payload: Mapping[str, Any]) -> Job:
        """Put a job into the queue."""
        (job,) = self.add_many(tenant, kind, [payload])
        return job

    def add_many(self, tenant: str, kind: str, payloads: Sequence[Mapping[str, Any]]) -> tuple[Job, ...]:
        """Put jobs into the queue, all or none, to be claimed in this order."""
        now = time.time()
        made = [
            Job(
                id=new_id(), tenant=tenant, kind=kind, state="queued", payload=dict(payload), progress={}, result=None,
                reason=None, attempts=0, cancel_asked=False, created=now + n * 1e-6, updated=now, owner=None, leased_until=None,
            )
            for n, payload in enumerate(payloads)
        ]  # fmt: skip
        if made:
            with self._database.write() as db:
                db.execute(jobs.insert(), [_row(job) for job in made])
        return tuple(made)

    def claim(self, kinds: Sequence[str], lease_s: float = LEASE_S, owner: str | None = None) -> Job | None:
        """The oldest job of these kinds that waits, or whose worker let its lease run out; None where there is none.

        No two callers ever get the same job. One that was tried `MAX_ATTEMPTS` times is given up with a reason. `owner`
        names the caller among others of its process; by default the process is one.
        """
        now, name = time.time(), owner or this_owner()
        waiting = jobs.c.state == "queued"
        left = and_(jobs.c.state == "running", jobs.c.leased_until < now)
        with self._database.read() as db:  # Who looks every second must not hold up those who write.
            if db.execute(select(jobs.c.id).where(or_(waiting, left), jobs.c.kind.in_(kinds)).limit(1)).first() is None:
                return None
        with self._database.note() as db:
            for condition in (waiting, left):
                while (id := _oldest(db, condition, kinds)) is not None:
                    job = _taken(db, id, name, now, lease_s)
                    if job.state == "running":
                        return job
        return None

    def renew(self, job: Job, progress: Mapping[str, Any] | None = None, lease_s: float = LEASE_S) -> bool:
        """Hold a job on, and say how far it is; False where it was cancelled or another worker has it: stop then."""
        now = time.time()
        values: dict[str, Any] = {"leased_until": now + lease_s, "updated": now}
        if progress is not None:
            values["progress"] = _dump(progress)
        change = jobs.update().where(_held(job)).values(values).returning(jobs.c.cancel_asked)
        with self._database.note() as db:
            return db.execute(change).scalar_one_or_none() is False

    def finish(self, job: Job, result: Mapping[str, Any]) -> bool:
        """End a job with its result; False where another worker has it by now, and nothing is written."""
        return self._end(job, {"state": "done", "result": _dump(result)})

    def fail(self, job: Job, reason: str) -> bool:
        """End a job that cannot be done, with the reason."""
        return self._end(job, {"state": "failed", "reason": reason[:2000]})

    def end_cancelled(self, job: Job, result: Mapping[str, Any] | None = None) -> bool:
        """End a job whose cancelling was asked for, with what was done by then."""
        return self._end(job, {"state": "cancelled", "result": None if result is None else _dump(result)})

    def release(self, job: Job) -> bool:
        """Give a job back to the queue, as at shutdown; the attempt does not count."""
        return self._end(job, {"state": "queued", "attempts": jobs.c.attempts - 1})

    def recover(self) -> int:
        """Give jobs back to the queue whose process of this host has ended; how many. Run at start: no lease need run out."""
        running = select(jobs.c.owner).where(jobs.c.state == "running", jobs.c.owner.is_not(None)).distinct()
        with self._database.read() as db:
            gone = [owner for owner in db.execute(running).scalars() if owner_is_gone(owner)]
        if not gone:
            return 0
        theirs = (jobs.c.state == "running") & jobs.c.owner.in_(gone)
        values = {"state": "queued", "owner": None, "leased_until": None, "updated": time.time()}
        with self._database.write() as db:
            return int(db.execute(jobs.update().where(theirs).values(values)).rowcount)

    def cancel(self, tenant: str, id: str) -> Job:
        """Cancel a job: one that waits at once, one that runs when its worker next renews. Raises NotFoundError."""
        waits = jobs.c.state == "queued"
        change = (
            jobs.update()
            .where(jobs.c.tenant == tenant, jobs.c.id == id, jobs.c.state.in_(("queued", "running")))
            .values(state=case((waits, "cancelled"), else_=jobs.c.state), cancel_asked=True, updated=time.time())
        )
        with self._database.write() as db:
            db.execute(change)
        return self.get(tenant, id)

    def get(self, tenant: str, id: str) -> Job:
        """A tenant's job. Raises NotFoundError."""
        with self._database.read() as db:
            row = db.execute(select(jobs).where(jobs.c.tenant == tenant, jobs.c.id == id)).mappings().one_or_none()
        if row is None:
            raise NotFoundError(f"no job {id[:60]!r}")
        return _job(row)

    def list(
        self, tenant: str, *, kind: str | None = None, state: str | None = None, before: str | None = None, limit: int = 50
    ) -> tuple[Job, ...]:
        """A tenant's jobs, the newest first; `before` is the id of the last one of the page before. Raises NotFoundError."""
        if state is not None and state not in STATES:
            raise RefusedError(f"no state {state[:40]!r}; there are {', '.join(STATES)}")
        wanted: list[ColumnElement[bool]] = [jobs.c.tenant == tenant]
        wanted += [jobs.c.kind == kind] if kind is not None else []
        wanted += [jobs.c.state == state] if state is not None else []
        if before is not None:
            edge = self.get(tenant, before)
            wanted.append(or_(jobs.c.created < edge.created, and_(jobs.c.created == edge.created, jobs.c.id < edge.id)))
        query = select(jobs).where(*wanted).order_by(jobs.c.created.desc(), jobs.c.id.desc())
        with self._database.read() as db:
            return tuple(_job(row) for row in db.execute(query.limit(max(1, min(limit, MOST_LISTED)))).mappings())

    def lengths(self) -> tuple[QueueLength, ...]:
        """How many jobs are in each state, by kind, over all tenants."""
        query = select(jobs.c.kind, jobs.c.state, func.count()).group_by(jobs.c.kind, jobs.c.state)
        with self._database.read() as db:
            return tuple(QueueLength(*row) for row in db.execute(query.order_by(jobs.c.kind, jobs.c.state)))

    def sweep(self, older_than_s: float) -> int:
        """Remove jobs that ended longer ago; how many."""
        ended = jobs.c.state.in_(("done", "failed", "cancelled"))
        with self._database.write() as db:
            return int(db.execute(jobs.delete().where(ended, jobs.c.updated < time.time() - older_than_s)).rowcount)

    def _end(self, job: Job, values: Mapping[str, Any]) -> bool:
        ended = {"owner": None, "leased_until": None, "updated": time.time(), **values}
        with self._database.write() as db:
            return db.execute(jobs.update().where(_held(job)).values(ended)).rowcount == 1


def _oldest(db: Connection, condition: ColumnElement[bool], kinds: Sequence[str]) -> str | None:
    """The job to take next. Asked for each kind alone: so the index gives the first one without sorting a long queue."""
    found = []
    for kind in kinds:
        first = select(jobs.c.created, jobs.c.id).where(condition, jobs.c.kind == kind).order_by(jobs.c.created, jobs.c.id)
        row = db.execute(first.limit(1).with_for_update(skip_locked=True)).first()
        found += [(float(row.created), str(row.id))] if row is not None else []
    return min(found)[1] if found else None


def _taken(db: Connection, id: str, owner: str, now: float, lease_s: float) -> Job:
    """A job after it was taken: running, or ended where it was cancelled or tried too often."""
    spent = jobs.c.attempts >= MAX_ATTEMPTS
    change = jobs.update().where(jobs.c.id == id)
    change = change.values(
        state=case((jobs.c.cancel_asked, "cancelled"), (spent, "failed"), else_="running"),
        reason=case((spent, f"given up after {MAX_ATTEMPTS} attempts that did not end"), else_=None),
        attempts=case((or_(spent, jobs.c.cancel_asked), jobs.c.attempts), else_=jobs.c.attempts + 1),
        owner=owner,
        leased_until=now + lease_s,
        updated=now,
    )
    return _job(db.execute(change.returning(*jobs.c)).mappings().one())


def _held(job: Job) -> ColumnElement[bool]:
    """Still the same attempt of the same worker: what comes late from one that was given up must not count."""
    same = and_(jobs.c.id == job.id, jobs.c.state == "running", jobs.c.owner == job.owner, jobs.c.attempts == job.attempts)
    return and_(same)


def _dump(data: Mapping[str, Any]) -> str:
    return json.dumps(dict(data), ensure_ascii=True, separators=(",", ":"))


def _row(job: Job) -> dict[str, Any]:
    return {**job.model_dump(), "payload": _dump(job.payload), "progress": _dump(job.progress), "result": None}


def _job(row: Mapping[Any, Any]) -> Job:
    result = json.loads(row["result"]) if row["result"] is not None else None
    parts = {"payload": json.loads(row["payload"]), "progress": json.loads(row["progress"]), "result": result}
    return Job.model_validate({**row, **parts})
