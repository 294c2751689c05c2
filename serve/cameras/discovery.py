"""What Home Assistant needs to show cameras by itself: one sensor a value, one binary sensor an alarm."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from serve.cameras.registry import Camera, Mqtt

DEVICE_CLASSES = {
    "°C": ("temperature", "°C"), "°F": ("temperature", "°F"), "bar": ("pressure", "bar"), "mbar": ("pressure", "mbar"),
    "Pa": ("pressure", "Pa"), "kPa": ("pressure", "kPa"), "psi": ("pressure", "psi"), "inHg": ("pressure", "inHg"),
    "mmHg": ("pressure", "mmHg"), "V": ("voltage", "V"), "mV": ("voltage", "mV"), "A": ("current", "A"),
    "mA": ("current", "mA"), "kW": ("power", "kW"), "Hz": ("frequency", "Hz"), "% RH": ("humidity", "%"),
    "km/h": ("speed", "km/h"), "mph": ("speed", "mph"), "kn": ("speed", "kn"), "m3/h": ("volume_flow_rate", "m³/h"),
    "L/min": ("volume_flow_rate", "L/min"),
}  # fmt: skip
"""Units of readings that Home Assistant has a device class for, and its spelling; others go without one."""


def discovery_messages(options: Mqtt, cameras: Sequence[Camera]) -> Iterator[tuple[str, str]]:
    """Topics and payloads, to be retained; none where discovery is off."""
    if not options.discovery:
        return
    for camera in cameras:
        lamp = camera.kind == "lamp" or any(rule.color for rule in camera.alarms)
        node = f"{options.prefix}_{camera.name}".replace("/", "_")
        yield f"{options.discovery}/sensor/{node}/config", _dump({**_common(options, camera, node), **_sensor(camera, lamp)})
        for rule in camera.alarms:
            alarm = {
                **_common(options, camera, f"{node}_{rule.name}"),
                "name": rule.name,
                "device_class": "problem",
                "value_template": f"{{{{ 'ON' if value_json.alarms['{rule.name}'] else 'OFF' }}}}",
            }
            yield f"{options.discovery}/binary_sensor/{node}_{rule.name}/config", _dump(alarm)


def _sensor(camera: Camera, lamp: bool) -> dict[str, object]:
    # A value that was held back or not read is `None`, which Home Assistant shows as unknown.
    shown: dict[str, object] = {"name": None, "value_template": f"{{{{ value_json.{'color' if lamp else 'value'} }}}}"}
    if lamp:
        return shown
    shown["state_class"] = "total_increasing" if camera.limits.counter else "measurement"
    if camera.unit is not None:
        known = DEVICE_CLASSES.get(camera.unit)
        shown["unit_of_measurement"] = known[1] if known else camera.unit
        if known and not camera.limits.counter:
            shown["device_class"] = known[0]
    return shown


def _common(options: Mqtt, camera: Camera, unique: str) -> dict[str, object]:
    topic = f"{options.prefix}/{camera.name}/reading"
    device: dict[str, object] = {"identifiers": [f"gauge_{camera.name}"], "name": camera.label or camera.name}
    if camera.model is not None:
        device["model"] = camera.model
    return {
        "unique_id": unique,
        "state_topic": topic,
        "json_attributes_topic": topic,
        "availability_topic": f"{options.prefix}/status",
        "device": device,
    }


def _dump(message: dict[str, object]) -> str:
    return json.dumps(message, ensure_ascii=False)
