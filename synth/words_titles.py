"""What faces call their instruments, by topic and by what they measure, and words in coloured arcs."""

from __future__ import annotations

import numpy as np

TOPICS = {
    "pressure": (
        "PRESSURE",
        "PRESSURE GAUGE",
        "VACUUM",
        "COMPOUND GAUGE",
        "OIL",
        "AIR",
        "AMMONIA",
        "WATER",
        "OXYGEN",
        "FUEL PRESS",
        "HYDRAULIC",
        "DIFFERENTIAL PRESSURE",
        "ABSOLUTE PRESSURE",
        "AIR BRAKE",
        "STEAM",
        "SPRINKLER",
        "AIR/WATER",
        "SF6 GAS DENSITY",
        "Manometer",
        "Manomètre",
        "Druck",
        "TIRE GAUGE",
        "BOOST",
        "SUCTION",
        "DISCHARGE",
        "TRANSMISSION AND\nOIL PRESSURE GAUGE",
        "FUEL\nPRESSURE",
        "PRESSURE GAUGE\nFOR FIRE PROTECTION\nSERVICE",
        "MAIN\nRESERVOIR",
    ),
    "temperature": (
        "TEMPERATURE",
        "LIQUID TEMPERATURE",
        "WINDING TEMPERATURE",
        "TEMP",
        "BIMETAL",
        "OIL TEMP",
        "WATER TEMP",
        "THERMOMETER",
        "BIMETAL THERMOMETER",
        "THERMO-HYGROMETER",
        "Thermometer",
        "LIQUID\nTEMPERATURE",
        "WINDING\nTEMPERATURE",
        "TOP OIL",
        "HOT SPOT",
        "EXHAUST GAS",
        "OVEN",
        "Temperatura",
    ),
    "electric": (
        *("AC", "DC", "MADE BY", "CLASS 2.5", "60 Hz", "50 Hz", "C.T. 200/5", "CT 100/5A", "F.S. = 5 A", "SHUNT 60 mV"),
        *("RECTIFIER TYPE", "GENERATOR", "BUS 1", "FEEDER 3", "TRANSFORMER 2", "L1", "R PHASE"),
    ),
    "other": ("Dial", "TEST", "ENGINE 1", "PUMP 3", "STATION A", "MAIN", "NO. 2", "AUX"),
}
UNIT_TITLES = {
    "A": ("AMPERES", "A.C. AMPERES", "D.C. AMPERES", "AMMETER"),
    "mA": ("MILLIAMPERES", "D.C. MILLIAMPERES"),
    "kA": ("KILOAMPERES", "AMMETER"),
    "V": ("VOLTS", "A.C. VOLTS", "D.C. VOLTS", "VOLTMETER"),
    "mV": ("MILLIVOLTS",),
    "kV": ("KILOVOLTS", "KILOVOLTMETER"),
    "Hz": ("FREQUENCY", "CYCLES"),
    "kW": ("KILOWATTS", "POWER"),
    "%": ("LEVEL", "VALVE POSITION", "OPENING", "LOAD"),
    "% RH": ("HUMIDITY", "HYGROMETER", "RELATIVE HUMIDITY"),
    "r/min": ("TACHOMETER", "SPEED", "ENGINE SPEED"),
    "km/h": ("SPEED", "SPEEDOMETER"),
    "mph": ("SPEED", "SPEEDOMETER"),
    "kn": ("AIRSPEED", "KNOTS"),
    "L/min": ("FLOW", "FLOW RATE"),
    "m3/h": ("FLOW", "FLOW RATE"),
    "gpm": ("FLOW", "WATER FLOW"),
    "cc": ("VOLUME OF GAS", "GAS ACCUMULATION\nINDICATOR"),
}
"""Names of instruments by what they measure, where the unit says it; other units leave it to the topic."""

COMFORT = {
    "temperature": (
        ("COLD", "COMFORT", "HOT"),
        ("COOL", "NORMAL", "WARM"),
        ("MIN", "OK", "MAX"),
        ("FREEZE", "COLD", "COMFORT", "HOT"),
    ),
    "humidity": (("DRY", "COMFORT", "WET"), ("TOO DRY", "IDEAL", "TOO WET"), ("DRY", "NORMAL", "HUMID")),
    "pressure": (("LOW", "NORMAL", "HIGH"), ("RECHARGE", "FULL", "OVERCHARGED"), ("ALARM", "NORMAL", "OVERPRESSURE")),
    "weather": (("STORMY", "RAIN", "CHANGE", "FAIR", "VERY DRY"),),
}
"""Words in the coloured arcs of a scale, in the direction of rising values."""


def title(rng: np.random.Generator, topic: str, unit: str | None) -> str:
    """What the face calls its instrument: never the name of another quantity than its unit's."""
    pool = UNIT_TITLES.get(unit or "") or TOPICS[topic]
    return pool[int(rng.integers(len(pool)))]
