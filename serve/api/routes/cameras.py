"""`/cameras`: what is watched and what it shows; `/cameras/{name}`: a camera's readings, held back ones with the reason."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import StreamingResponse

from serve.api.auth import Caller, Reading
from serve.api.parts import parts_of
from serve.api.problems import problem_docs
from serve.cameras.csv_files import HEADING, csv_lines
from serve.cameras.events import CameraEvent
from serve.cameras.kept import KeptEvents
from serve.cameras.states import AboutCamera, CameraState, CameraStates
from vision.fields import Contract

router = APIRouter(tags=["cameras"], responses=problem_docs(401, 403, 422, 429, 503))

MOST_READINGS = 500
MOST_SEQ = 2**31 - 1

Name = Annotated[str, Path(max_length=60, description="A camera's name in its file.", examples=["boiler"])]


class CameraNow(CameraState):
    """A camera now. `watched`: some process takes its pictures; without that, what it showed last is old."""

    watched: bool


class CameraReading(CameraEvent):
    """An event with its number, counted by camera from 1."""

    seq: int


class CameraPage(Contract):
    """A camera and its readings, the newest first; `next` is the `before` of the next page, None on the last one."""

    camera: CameraNow
    readings: tuple[CameraReading, ...]
    next: int | None


_READING = CameraReading(
    id="3vVcM2", camera="boiler", at=1.8e9, status="held", raw=9.1, raw_low=9.0, raw_high=9.2, confidence=0.93, unit="bar",
    reason="from 4.2 bar to 9.1 bar in 10 s is more than 1 bar a minute; it counts if 2 more agree", alarms={"high": False},
    seq=81_204,
)  # fmt: skip
_CAMERA = CameraNow(
    camera="boiler",
    seq=81_204,
    about=AboutCamera(
        label="Boiler 2",
        address="http://10.0.0.7/snapshot.jpg",
        model="XYZ-2000",
        kind="dial",
        unit="bar",
        every_s=10.0,
        cron=None,
        alarms=("high",),
    ),
    watched_until=1.8e9 + 150,
    newest=CameraEvent.model_validate(_READING.model_dump(exclude={"seq"})),
    good_at=1.8e9 - 10,
    is_up=True,
    since=1.8e9 - 86_400,
    next_at=1.8e9 + 10,
    events={"good": 81_000, "held": 3, "not_read": 200, "no_picture": 1},
    watched=True,
)


def _example(value: Any) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {"application/json": {"example": value}}}}


@router.get("/cameras", responses=_example([_CAMERA.model_dump(mode="json")]))
def list_cameras(request: Request, who: Reading) -> tuple[CameraNow, ...]:
    """All cameras, whichever process watches them: the server (`GAUGE_CAMERAS`) or `gauge watch` beside it."""
    return tuple(camera_now(state) for state in _states(request, who).list())


@router.get(
    "/cameras/{name}",
    responses={
        **_example(CameraPage(camera=_CAMERA, readings=(_READING,), next=None).model_dump(mode="json")),
        **problem_docs(404),
    },
)
def get_camera(
    request: Request,
    who: Reading,
    name: Name,
    before: Annotated[int | None, Query(ge=1, le=MOST_SEQ, description="Number of the last reading of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_READINGS)] = 50,
) -> CameraPage:
    """A camera and its newest readings."""
    state = _states(request, who).get(name)
    found = _events(request, who).page(name, before=before, limit=limit)
    return CameraPage(
        camera=camera_now(state),
        readings=tuple(CameraReading(**dict(one.event), seq=one.seq) for one in found),
        next=found[-1].seq if len(found) == limit else None,
    )


@router.get(
    "/cameras/{name}/readings.csv",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/csv": {}}}, **problem_docs(404)},
)
def get_readings(request: Request, who: Reading, name: Name) -> StreamingResponse:
    """All readings of a camera that are kept, the oldest first."""
    camera = _states(request, who).get(name).camera
    headers = {"Content-Disposition": f'attachment; filename="{camera}.csv"'}
    return StreamingResponse(_lines(_events(request, who), camera), media_type="text/csv; charset=utf-8", headers=headers)


def camera_now(state: CameraState) -> CameraNow:
    """A state with whether somebody watches it at this moment."""
    return CameraNow(**dict(state), watched=state.is_watched(time.time()))


def _lines(kept: KeptEvents, camera: str) -> Iterator[bytes]:
    yield HEADING
    last = 0
    while events := kept.after(camera, last):
        yield csv_lines(events)
        last = events[-1].seq


def _states(request: Request, who: Caller) -> CameraStates:
    return CameraStates(parts_of(request).store.database, who.tenant)


def _events(request: Request, who: Caller) -> KeptEvents:
    return KeptEvents(parts_of(request).store.database, who.tenant)
