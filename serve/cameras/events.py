"""What one picture of a camera came to: the record that is kept, sent and written."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from vision.fields import Contract, Finite, LampColor

EventStatus = Literal["good", "held", "not_read", "no_picture"]
STATUSES: tuple[EventStatus, ...] = get_args(EventStatus)


class AlarmChange(Contract):
    """An alarm that began (`on`) or ended (`off`) with this picture."""

    name: str
    to: Literal["on", "off"]


class CameraEvent(Contract):
    """One picture, or the lack of one.

    `raw` with `raw_low` and `raw_high` is what was read from this picture, whether it counts or not; `value` with its
    interval is the smoothed value, None unless `status` is `good`. `reason` says why a reading was held back, why nothing
    was read, why no picture came, or what is noteworthy about a good one. `at` is the clock's time in seconds since 1970.
    """

    id: str
    camera: str
    at: Finite
    status: EventStatus
    reason: str | None = None
    raw: Finite | None = None
    raw_low: Finite | None = None
    raw_high: Finite | None = None
    confidence: Finite | None = None
    value: Finite | None = None
    low: Finite | None = None
    high: Finite | None = None
    unit: str | None = None
    color: LampColor | None = None
    total: Finite | None = None
    frames: int = 0
    stuck: bool = False
    alarms: dict[str, bool] = Field(default_factory=dict)
    changes: tuple[AlarmChange, ...] = ()
    source: str | None = None
    """Of a folder, the file's name."""
    photo_sha256: str | None = None
