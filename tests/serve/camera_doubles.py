"""Events of cameras as tests need them."""

from __future__ import annotations

import time
from typing import Any

from serve.cameras.events import CameraEvent
from serve.cameras.registry import Camera
from serve.store.ids import new_id


def good(value: float = 4.2, camera: str = "p1", **keys: Any) -> CameraEvent:
    """A reading that counts, of now."""
    ends = {"raw": value, "raw_low": value - 0.1, "raw_high": value + 0.1, "low": value - 0.1, "high": value + 0.1}
    whole = {"id": new_id(), "camera": camera, "at": time.time(), "status": "good", "value": value, "unit": "bar", "frames": 1}
    return CameraEvent.model_validate({**whole, **ends, **keys})


def bad(status: str = "not_read", camera: str = "p1", **keys: Any) -> CameraEvent:
    """A picture that gave no value, or none that counts, of now."""
    whole = {"id": new_id(), "camera": camera, "at": time.time(), "status": status, "reason": "no value was read"}
    return CameraEvent.model_validate({**whole, **keys})


def camera(name: str = "p1", **keys: Any) -> Camera:
    """A camera over HTTP."""
    return Camera.model_validate({"name": name, "source": "http://u:s3cret@camera/p.jpg?key=k3y", "every_s": 10, **keys})
