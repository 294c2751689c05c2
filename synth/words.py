"""Words and numbers as faces, plates and labels print them; brand-like names are invented."""

from __future__ import annotations

import numpy as np

CLASSES = ("CL 1.6", "CL 1.0", "CL. 2.5", "KL 1.6", "KL 1.0", "1.6", "2.5", "CL 0.6", "GRADE A", "ACC 1%")
NORMS = (
    "EN 837-1",
    "EN 837-1",
    "EN837",
    "ASME B40.1",
    "JIS B7505",
    "GB/T 1226",
    "DIN 16063",
    "EN 13190",
    "IEC 51",
    "IP65",
    "IP 54",
)
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
    ),
    "electric": ("AC", "DC", "~", "AMPERES", "VOLTS", "MADE BY", "CLASS 2.5", "60 Hz"),
    "other": ("FLOW", "SPEED", "LEVEL", "TACHOMETER", "HUMIDITY", "COMFORT", "VOLUME OF GAS"),
}
SMALL = (
    "Made in Germany",
    "MADE IN USA",
    "MADE IN JAPAN",
    "AISI 316",
    "316 SS",
    "Use no oil",
    "LIQUID FILLED",
    "Ø 63",
    "NW 100",
    "TYPE 232",
    "SERIES 50",
    "PAT. PEND.",
    "CALIBRATED",
)
LABELS = (
    "WARNING",
    "CAUTION",
    "DANGER",
    "HOT SURFACE",
    "MAIN VALVE",
    "PUMP 2",
    "TANK A",
    "P-101",
    "TI 204",
    "INLET",
    "OUTLET",
    "ZONE 3",
    "DO NOT TOUCH",
    "230 V",
    "24 VDC",
    "LITRES",
    "No. 7",
)
LAMP_LABELS = ("POWER", "ALARM", "FAULT", "RUN", "READY", "WARN", "STOP", "PUMP ON", "H1", "L2", "OVERLOAD")
MODES = (
    ("OFF", "ON"),
    ("MAN", "OFF", "AUTO"),
    ("OFF", "LOW", "MED", "HIGH"),
    ("0", "1", "2"),
    ("I", "II", "III", "IV", "V"),
    ("OFF", "A", "B", "C"),
    ("HAND", "0", "AUTO"),
)
_HEADS = (
    "Nor",
    "Vel",
    "Tru",
    "Mek",
    "Ast",
    "Qual",
    "Dura",
    "Pro",
    "Win",
    "Cen",
    "Hak",
    "Kon",
    "Ferg",
    "Rad",
    "Tek",
    "Uni",
    "Omni",
    "Bar",
    "Ther",
    "Val",
    "Zen",
    "Mor",
)
_TAILS = (
    "tex",
    "dyne",
    "flow",
    "therm",
    "gauge",
    "tron",
    "ico",
    "mark",
    "line",
    "sen",
    "met",
    "ler",
    "co",
    "ka",
    "vo",
    "tec",
    "star",
    "ix",
)


def brand(rng: np.random.Generator) -> str:
    """An invented maker's name."""
    word = _HEADS[int(rng.integers(len(_HEADS)))] + _TAILS[int(rng.integers(len(_TAILS)))]
    return word.upper() if rng.random() < 0.6 else word


def serial(rng: np.random.Generator) -> str:
    """A serial, type or tag number; it never stands for a scale value."""
    number = int(rng.integers(1000, 10**7))
    head = ("No. ", "S/N ", "Ser. ", "", "TAG ", "")[int(rng.integers(6))]
    middle = "".join(chr(65 + int(c)) for c in rng.integers(0, 26, int(rng.integers(0, 3))))
    return f"{head}{middle}{'-' if middle else ''}{number}"


def small_line(rng: np.random.Generator, topic: str) -> str:
    """A line of small print as faces carry it."""
    pick = rng.random()
    pool: tuple[str, ...]
    if pick < 0.2:
        return serial(rng)
    if pick < 0.4:
        return brand(rng)
    if pick < 0.55:
        pool = CLASSES
    elif pick < 0.7:
        pool = NORMS
    elif pick < 0.85:
        pool = TOPICS[topic]
    else:
        pool = SMALL
    return pool[int(rng.integers(len(pool)))]
