"""Printed scale ranges by unit, and divisions as makers choose them.

Pressure follows the preferred ranges of EN 837-1 (1, 1.6, 2.5, 4, 6 and their tenfolds, vacuum and compound ones);
the rest are ranges found on panel meters, bimetal thermometers and flow meters.
"""

from __future__ import annotations

import math

import numpy as np

Range = tuple[float, float]

EN837_ENDS = (0.6, 1.0, 1.6, 2.5, 4.0, 6.0, 10.0, 16.0, 25.0, 40.0, 60.0, 100.0, 160.0, 250.0, 400.0, 600.0, 1000.0)


def _series(low: float, high: float, factor: float = 1.0) -> list[Range]:
    return [(0.0, round(end * factor, 6)) for end in EN837_ENDS if low <= round(end * factor, 6) <= high]


def _ranges(text: str) -> list[Range]:
    """Ranges written as `low:high`, apart by spaces."""
    pairs = (part.split(":") for part in text.split())
    return [(float(low), float(high)) for low, high in pairs]


RANGES: dict[str, list[Range]] = {
    "MPa": [
        *_series(0.06, 100, 0.1),
        *_series(0.06, 100, 0.1),
        *_ranges("0:0.2 0:0.3 0:0.5 0:2 0:30 0:120 0:3 -0.1:0 -0.1:0.15 -0.1:0.3 -0.1:0.5 -0.1:0.9 -0.1:1.5"),
    ],
    "bar": [
        *_series(0.6, 1000),
        *_series(0.6, 1000),
        *_ranges("0:3 0:4 0:8 0:12 0:7 0:11 0:14 0:30 0:300 0:200 0:350 0:80 -1:0 -1:0.6 -1:1.5 -1:3 -1:5 -1:9 -1:15 -1:4"),
    ],
    "psi": [
        *_ranges(
            "0:15 0:30 0:60 0:100 0:160 0:200 0:300 0:400 0:600 0:1000 0:1500 0:2000 0:3000 0:5000 0:6000 0:10000 "
            "0:80 0:120 0:140 0:150 0:220 0:35 0:500 0:800 0:20 0:5 -10:10 -15:15 -30:150 -100:100 -50:50"
        )
    ],
    "kPa": [
        *_series(6, 6000, 10),
        *_ranges("0:700 0:1400 0:2000 0:200 0:300 0:60 -100:0 -100:150 -100:300 -100:500 -100:900 -500:500 -40:40"),
    ],
    "kgf/cm2": [*_series(1, 600), *_ranges("0:2 0:7 0:10 0:15 0:20 0:30 0:35 0:50 0:70 0:150 0:300 0:350 0:14")],
    "inHg": [*_ranges("-30:0 0:30 26:31 28:31 0:60")],
    "mmHg": [*_ranges("0:300 0:260 730:790 700:800 0:160")],
    "mbar": [*_series(16, 1000), *_ranges("-1000:0 940:1060 960:1060 950:1070 -60:0 -100:100")],
    "Pa": [*_ranges("0:60 0:100 0:125 0:250 0:500 0:1000 0:750 -50:50 -125:125")],
    "mmH2O": [*_ranges("0:100 0:300 0:1000 0:60")],
    "inH2O": [*_ranges("0:0.5 0:1 0:2 0:5 0:10 0:30 0:60 -30:0")],
    "°C": [
        *_ranges(
            "0:60 0:80 0:100 0:120 0:120 0:150 0:160 0:160 0:180 0:200 0:250 0:300 0:350 0:400 0:500 0:600 -20:60 "
            "-20:40 -30:50 -30:70 -40:60 -40:40 20:120 50:300 40:120 -20:120 0:50 -50:50 -60:140 -10:110 30:130 "
            "-20:140 20:160 -40:160"
        )
    ],
    "°F": [
        *_ranges(
            "0:200 0:250 50:300 100:600 20:240 -20:120 50:550 0:220 20:220 30:120 100:500 200:1000 -40:120 30:240 "
            "-40:160 50:400 0:140"
        )
    ],
    "V": [*_ranges("0:5 0:10 0:15 0:20 0:30 0:50 0:100 0:150 0:250 0:300 0:450 0:500 0:600 8:16 10:16 -10:10 0:400 0:3 0:1")],
    "mV": [*_ranges("0:75 0:100 0:60 -50:50 0:500")],
    "kV": [*_ranges("0:1 0:3 0:5 0:7.5 0:10 0:12 0:15 0:25 0:40 0:120")],
    "A": [
        *_ranges(
            "0:1 0:3 0:5 0:10 0:15 0:20 0:30 0:50 0:75 0:100 0:150 0:200 0:300 0:400 0:500 0:600 -60:60 -30:30 -5:5 0:2 0:1000"
        )
    ],
    "mA": [*_ranges("0:1 0:5 0:10 4:20 0:20 0:50 0:100 0:200 0:500 -1:1 0:3 0:2")],
    "kA": [*_ranges("0:1 0:2 0:4 0:5 0:10")],
    "Hz": [*_ranges("45:55 45:65 47:53 55:65 350:450 0:60")],
    "kW": [*_ranges("0:1 0:5 0:10 0:50 0:100 0:500 0:1000 0:30")],
    "r/min": [*_ranges("0:3000 0:4000 0:5000 0:6000 0:7000 0:8000 0:9000 0:10000 0:1500 0:1800 0:3600")],
    "km/h": [*_ranges("0:120 0:140 0:160 0:180 0:200 0:220 0:240 0:260 0:280 0:60 0:320")],
    "mph": [*_ranges("0:60 0:80 0:100 0:120 0:140 0:160 0:180 0:200")],
    "kn": [*_ranges("0:40 0:60 0:160 0:200 0:30")],
    "L/min": [*_ranges("0:5 0:10 0:15 0:20 0:25 0:30 0:50 0:100 0:200")],
    "m3/h": [*_ranges("0:1 0:5 0:10 0:25 0:50 0:100 0:250")],
    "gpm": [*_ranges("0:5 0:10 0:20 0:50 0:100")],
    "%": [*_ranges("0:100 0:120 20:100 10:100 0:150")],
    "% RH": [*_ranges("0:100 10:100 20:100")],
    "ft": [*_ranges("0:100 0:200 0:250")],
    "cc": [*_ranges("0:450 0:300 0:100")],
}

UNIT_TEXTS: dict[str, tuple[str, ...]] = {
    "MPa": ("MPa", "MPa", "MPa", "Mpa", "MPA"),
    "bar": ("bar", "bar", "bar", "BAR", "Bar"),
    "psi": ("psi", "psi", "PSI", "lb/in²", "psig", "lb/in²", "PSIG"),
    "kPa": ("kPa", "kPa", "kPa", "KPa"),
    "kgf/cm2": ("kgf/cm²", "kg/cm²", "kg/cm²", "kgf/cm2", "kp/cm²"),
    "inHg": ("inHg", "in.Hg", '"Hg', "in Hg", "IN HG"),
    "mmHg": ("mmHg", "mm Hg", "mmHg"),
    "mbar": ("mbar", "mbar", "hPa"),
    "mmH2O": ("mmH₂O", "mm H2O", "mmWC"),
    "inH2O": ("in H2O", "inH₂O", "inWC"),
    "°C": ("°C", "°C", "°C", "° C"),
    "°F": ("°F", "°F", "° F"),
    "V": ("V", "V", "V", "VOLTS"),
    "A": ("A", "A", "A", "AMPS", "AMPERES"),
    "kV": ("kV", "kV", "KV"),
    "Hz": ("Hz", "Hz", "HZ"),
    "r/min": ("rpm", "RPM", "r/min", "1/min", "min-1"),
    "km/h": ("km/h", "km/h", "KM/H"),
    "mph": ("MPH", "mph"),
    "kn": ("KNOTS", "kn", "knots"),
    "L/min": ("L/min", "l/min", "LPM"),
    "m3/h": ("m³/h", "m³/h", "m3/h"),
    "gpm": ("GPM", "gpm", "gal/min"),
    "% RH": ("%RH", "% RH", "%rh"),
    "%": ("%", "%", "%"),
    "ft": ("FEET", "ft"),
    "cc": ("cm³", "cc", "ml"),
}

STEPS = (1.0, 2.0, 2.5, 3.0, 4.0, 5.0)


def unit_text(rng: np.random.Generator, unit: str) -> str:
    """A spelling of the unit as faces print it."""
    texts = UNIT_TEXTS.get(unit, (unit,))
    return texts[int(rng.integers(len(texts)))]


def major_steps(low: float, high: float, most: int = 15, fewest: int = 2) -> list[float]:
    """Steps of 1, 2, 2.5, 3, 4 or 5 times a power of ten that divide the range and hit zero where it crosses it."""
    span = high - low
    found = []
    for power in range(math.floor(math.log10(span)) - 2, math.floor(math.log10(span)) + 1):
        for step in (round(s * 10.0**power, 10) for s in STEPS):
            count = span / step
            whole = abs(count - round(count)) < 1e-6 and abs(low / step - round(low / step)) < 1e-6
            if whole and fewest <= round(count) <= most:
                found.append(step)
    common = [step for step in found if not _leads_with(step, 3.0)]
    if common or found:
        return common or found
    return major_steps(low, high, 3 * most // 2, 2) if most < 60 else [span / 4]


def _leads_with(step: float, lead: float) -> bool:
    return abs(step / 10.0 ** math.floor(math.log10(step) + 1e-9) - lead) < 1e-6


def minor_choices(step: float) -> tuple[int, ...]:
    """How many parts a major step is divided into: parts that are themselves 1, 2 or 5 times a power of ten."""
    lead = round(step / 10.0 ** math.floor(math.log10(step) + 1e-9), 6)
    return {1.0: (10, 5, 5, 2), 2.0: (10, 4, 4, 2, 5), 2.5: (5, 5), 3.0: (3, 6, 3), 4.0: (4, 8, 2), 5.0: (5, 5, 10)}.get(
        lead, (5, 4, 2)
    )
