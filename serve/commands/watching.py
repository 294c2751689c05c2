"""`gauge watch` at work: the file is checked first, then reader, store and cameras are opened, and events become lines."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from types import FrameType

from serve.cameras.events import CameraEvent
from serve.cameras.registry import Camera, load_registry
from serve.cameras.station import Outputs, Station, check_sources
from serve.commands.console import print_line
from serve.show import number_text
from serve.store.home_lock import hold_home
from serve.store.store import Store
from serve.store.tenants import LOCAL


def check_cameras(file: Path) -> str:
    """What a file of cameras says, a line a camera. Raises RegistryError."""
    registry = load_registry(file)
    check_sources(registry)
    lines = [] if registry.tenant == LOCAL else [f"readings belong to the tenant {registry.tenant}"]
    lines += [_camera_line(camera) for camera in registry.cameras]
    if registry.mqtt is not None:
        lines.append(f"broker {registry.mqtt.host}:{registry.mqtt.port}, topics {registry.mqtt.prefix}/CAMERA/reading")
    return "\n".join(lines)


def watch_cameras(
    file: Path, *, once: bool, csv: Path | None, metrics_port: int | None, weights: str | None, as_json: bool
) -> None:
    """Watch until the process is told to stop (SIGTERM, SIGINT), or once. Raises CameraError, StoreError, weights' errors."""
    from serve.cameras.reading import read_with
    from serve.service import open_service

    registry = load_registry(file)
    check_sources(registry)
    service = open_service(weights=weights)
    printing = threading.Lock()

    def tell(event: CameraEvent) -> None:
        with printing:
            print_line(event.model_dump_json() if as_json else event_line(event))

    with hold_home(service.settings.home), closing(Store.open(service.settings)) as store:
        _ = service.reader  # Weights that are missing are told before the first picture.
        station = Station(registry, store, read_with(service, registry.tenant), Outputs(csv, metrics_port), tell)
        if once:
            station.once()
            return
        with _stopping() as stop:
            station.run(stop)


def event_line(event: CameraEvent) -> str:
    """An event for people: when, which camera, what it showed or why not, and the alarms that changed."""
    moment = datetime.fromtimestamp(event.at).astimezone().isoformat(sep=" ", timespec="seconds")
    parts = [f"{moment}  {event.camera}: {_shown(event)}"]
    parts += [f"ALARM {change.name} {change.to.upper()}" for change in event.changes]
    return "; ".join(parts)


def _shown(event: CameraEvent) -> str:
    reason = f" ({event.reason})" if event.reason and event.status == "good" else ""
    if event.color is not None:
        return event.color + reason
    unit = f" {event.unit}" if event.unit else ""
    if event.status == "good" and event.value is not None and event.low is not None and event.high is not None:
        value, low, high = (number_text(one, event.low, event.high) for one in (event.value, event.low, event.high))
        return f"{value}{unit}, between {low} and {high}{reason}"
    if event.status == "held" and event.raw is not None:
        return f"held back {number_text(event.raw, event.raw_low, event.raw_high)}{unit}, because {event.reason}"
    return f"{'no picture' if event.status == 'no_picture' else 'not read'}, because {event.reason}"


def _camera_line(camera: Camera) -> str:
    when = "as files come" if camera.is_folder else f"cron {camera.cron}" if camera.cron else f"every {camera.every_s:g} s"
    alarms = ", ".join(rule.name for rule in camera.alarms) or "none"
    return f"{camera.name}: {camera.address}, {when}, model {camera.model or 'not given'}, alarms: {alarms}"


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set while the block runs."""
    stop = threading.Event()

    def on_signal(_: int, __: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
