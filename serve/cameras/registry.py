"""The file of cameras: what is watched, how often, what its instrument can do, and when people are told.

Strict: an unknown key, a schedule that never fires and a rule that can never be met are errors that name the place.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator

from serve.cameras.address import public_address, source_scheme
from serve.cameras.errors import RegistryError
from serve.cameras.schedule import Schedule, cron_problem
from serve.store.errors import RefusedError
from serve.store.tenants import LOCAL, check_tenant
from vision.fields import Contract, Finite, Kind, LampColor, ValueUnit

Seconds = Annotated[float, Field(gt=0, le=31 * 86400, allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

SHORTEST_S = {"rtsp": 2.0, "rtsps": 2.0, "http": 0.5, "https": 0.5}
"""How often a source may be asked: a stream is opened anew for each picture, and waits for a whole one."""


class Limits(Contract):
    """What the instrument can do, in the unit of its readings; what is None is not asked.

    `low` and `high` are the ends of what can be; `most_per_min` how far a value moves in a minute at the most. A reading
    that moved further waits until `confirm` in a row agree. A `counter` never runs backwards, and starts again at 0 where
    it would reach `rolls_over_at`. A needle that moved less than `stuck_within` for `stuck_after_s` may be stuck.
    A reading less sure than `min_confidence` is held back.
    """

    low: Finite | None = None
    high: Finite | None = None
    most_per_min: Positive | None = None
    confirm: Annotated[int, Field(ge=2, le=20)] = 3
    counter: bool = False
    rolls_over_at: Positive | None = None
    stuck_after_s: Seconds | None = None
    stuck_within: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.5

    @model_validator(mode="after")
    def _fits_together(self) -> Limits:
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(f"low {self.low:g} is not below high {self.high:g}")
        if self.rolls_over_at is not None and not self.counter:
            raise ValueError("rolls_over_at is given and counter is not true")
        if (self.stuck_after_s is None) != (self.stuck_within is None):
            raise ValueError("stuck_after_s and stuck_within go together")
        return self


class Smoothing(Contract):
    """The value stated is the median of the last `frames` good readings that are not older than `seconds`."""

    frames: Annotated[int, Field(ge=1, le=99)] = 5
    seconds: Seconds = 600.0


class AlarmRule(Contract):
    """One reason to tell people: exactly one of `above`, `below`, `color`, `not_read_for_s` and `stuck`.

    It must hold for `for_s` before the alarm begins; the alarm ends when the value is back by `hysteresis`.
    """

    name: Name
    above: Finite | None = None
    below: Finite | None = None
    color: LampColor | None = None
    not_read_for_s: Seconds | None = None
    stuck: Literal[True] | None = None
    for_s: Annotated[float, Field(ge=0, le=86400)] = 0.0
    hysteresis: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _asks_one_thing(self) -> AlarmRule:
        asked = [name for name in ("above", "below", "color", "not_read_for_s", "stuck") if getattr(self, name) is not None]
        if len(asked) != 1:
            given = ", ".join(asked) or "none"
            raise ValueError(f"alarm {self.name!r} needs exactly one of above, below, color, not_read_for_s, stuck; got {given}")
        if self.hysteresis and asked[0] not in ("above", "below"):
            raise ValueError(f"alarm {self.name!r}: hysteresis belongs to above or below")
        return self


class Camera(Contract):
    """One camera and the instrument in its picture.

    `source` is a folder, `http(s)://` (a picture or MJPEG) or `rtsp(s)://`; name and password stand in the address or, the
    password, in `password_file`. `region` is the part of the picture that is read: left, top, right, bottom in pixels.
    `every_s` or `cron` says when (a folder needs neither). A picture that did not change at all for `frozen_after_s` is
    taken for frozen; 0 asks nothing.
    """

    name: Name
    label: Annotated[str, Field(max_length=80)] = ""
    source: SecretStr
    password_file: Path | None = None
    model: str | None = None
    kind: Kind | None = None
    unit: ValueUnit | None = None
    region: tuple[int, int, int, int] | None = None
    every_s: Annotated[float, Field(ge=0.5, le=86400)] | None = None
    cron: str | None = None
    timeout_s: Annotated[float, Field(ge=0.5, le=120)] = 10.0
    frozen_after_s: Annotated[float, Field(ge=0, le=86400)] = 60.0
    limits: Limits = Limits()
    smoothing: Smoothing = Smoothing()
    alarms: tuple[AlarmRule, ...] = Field((), alias="alarm")

    @property
    def address(self) -> str:
        """The source for messages: without name and password."""
        return public_address(self.source.get_secret_value())

    @property
    def is_folder(self) -> bool:
        """Whether pictures come as files."""
        return source_scheme(self.source.get_secret_value()) == "folder"

    def schedule(self) -> Schedule | None:
        """When pictures are taken; None for a folder, whose files come when they come."""
        return None if self.is_folder else Schedule(every_s=self.every_s, cron=self.cron)

    @field_validator("source")
    @classmethod
    def _is_known(cls, source: SecretStr) -> SecretStr:
        source_scheme(source.get_secret_value())
        return source

    @field_validator("region")
    @classmethod
    def _has_an_inside(cls, region: tuple[int, int, int, int] | None) -> tuple[int, int, int, int] | None:
        if region is not None and not (0 <= region[0] < region[2] and 0 <= region[1] < region[3]):
            raise ValueError(f"region {list(region)} is not left < right and top < bottom, in pixels from 0")
        return region

    @model_validator(mode="after")
    def _is_whole(self) -> Camera:
        scheme = source_scheme(self.source.get_secret_value())
        if scheme == "folder":
            if self.every_s is not None or self.cron is not None:
                raise ValueError("a folder is read as files come; every_s and cron belong to http and rtsp")
        else:
            if (self.every_s is None) == (self.cron is None):
                raise ValueError("give every_s or cron, one of them")
            if self.every_s is not None and self.every_s < SHORTEST_S[scheme]:
                raise ValueError(f"every_s {self.every_s:g} is too often for {scheme}: {SHORTEST_S[scheme]:g} s at least")
            if self.cron is not None and (problem := cron_problem(self.cron)) is not None:
                raise ValueError(problem)
        names = [rule.name for rule in self.alarms]
        if len(set(names)) != len(names):
            raise ValueError(f"two alarms have the same name: {', '.join(names)}")
        if any(rule.stuck for rule in self.alarms) and self.limits.stuck_after_s is None:
            raise ValueError("an alarm for a stuck needle needs limits.stuck_after_s and limits.stuck_within")
        return self


class Mqtt(Contract):
    """The broker that readings are sent to. `discovery` is the prefix under which Home Assistant looks, empty for none."""

    host: Annotated[str, Field(min_length=1, max_length=253)]
    port: Annotated[int, Field(ge=1, le=65535)] = 1883
    tls: bool = False
    user: str | None = None
    password_file: Path | None = None
    prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$")] = "gauge"
    discovery: Annotated[str, Field(pattern=r"^([A-Za-z0-9_-]+)?$")] = "homeassistant"


class Registry(Contract):
    """All that is watched, and whose it is: `tenant` is who sees the readings and whose manuals and adapters read them."""

    tenant: Annotated[str, Field(max_length=63)] = LOCAL
    cameras: tuple[Camera, ...] = Field(alias="camera", min_length=1, max_length=200)
    mqtt: Mqtt | None = None

    @field_validator("tenant")
    @classmethod
    def _is_a_name(cls, tenant: str) -> str:
        try:
            return check_tenant(tenant)
        except RefusedError as error:
            raise ValueError(str(error)) from error

    @model_validator(mode="after")
    def _has_each_name_once(self) -> Registry:
        names = [camera.name for camera in self.cameras]
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise ValueError(f"two cameras have the name {double!r}")
        return self


def load_registry(path: Path) -> Registry:
    """The cameras of a TOML file. Raises RegistryError that names the file, the key and what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RegistryError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RegistryError(f"{path}: it is no text in UTF-8") from error
    try:
        return Registry.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"{path}: it is no TOML: {error}") from error
    except ValidationError as error:
        raise RegistryError(f"{path}: {'; '.join(_problem(one) for one in error.errors(include_url=False))}") from None


def read_password(file: Path | None) -> str | None:
    """The first line of a file with a password. Raises RegistryError."""
    if file is None:
        return None
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RegistryError(
            f"the password file {file} cannot be read: {getattr(error, 'strerror', None) or 'no text'}"
        ) from error
    if not lines or not lines[0]:
        raise RegistryError(f"the password file {file} is empty")
    return lines[0]


def _problem(error: Any) -> str:
    """One problem in a line; of a source it shows nothing, because a password may stand in it."""
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in error["loc"])
    message = error["msg"].removeprefix("Value error, ")
    value = error["input"]
    if error["type"] == "extra_forbidden":
        return f"{where}: there is no such key"
    shown = (
        ""
        if isinstance(value, dict | list | tuple) or "source" in error["loc"] or error["type"] == "missing"
        else f" is {value!r}"
    )
    return f"{where}{shown}: {message}" if where else message
