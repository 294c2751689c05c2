"""Words and numbers as faces, plates and labels print them; brand-like names are invented."""

from __future__ import annotations

import numpy as np

from synth.words_titles import COMFORT, TOPICS, UNIT_TITLES

CLASSES = (
    *("CL 1.6", "CL 1.0", "CL. 2.5", "Cl. 1.6", "KL 1.6", "KL 1.0", "Kl. 1,0", "KL. 2.5", "1.6", "2.5", "1.0", "1.5"),
    *("CL 0.6", "CL 0.25", "GRADE A", "GRADE 2A", "ACC 1%", "±1.6%", "±2%", "CLASS 1.5", "Class 1.6", "ASME B"),
)
NORMS = (
    *("EN 837-1", "EN 837-1", "EN 837-1", "EN837", "EN 837-3", "EN 13190", "ASME B40.1", "ASME B40.100", "JIS B7505"),
    *("GB/T 1226", "DIN 16063", "DIN 43700", "ISO 5171", "ISO 2503", "IEC 51", "IEC 60051-1", "BS 1780", "NF E15-025"),
    *("IP65", "IP 54", "IP 67", "NEMA 4X", "UL 404", "AS 1349", "GOST 2405"),
)
SMALL = (
    "Made in Italy",
    "Made in Taiwan",
    "MADE IN CHINA",
    "Made in France",
    "MADE IN ENGLAND",
    "Tmax 60°C",
    "-20/+60 °C",
    "S/S 316L",
    "BRASS",
    "Monel",
    "Glycerine",
    "DRY",
    "KEEP UPRIGHT",
    "TO RESET REMOVE PLUG",
    "MAX. WORKING 75%",
    "SAFETY PATTERN",
    "FOR FIRE SERVICE",
    "NO. OF TURNS 2",
    "R22",
    "R134a R404A",
    "NH3",
    "OIL FREE",
    "G 1/2 B",
    "1/4 NPT",
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


MOTTOS = (
    "Fire & Fabrication, Inc.",
    "RACE GAUGE",
    "INDUSTRIES",
    "EQUIPMENT",
    "INSTRUMENTS",
    "CONTROLS",
    "Since 1921",
    "GmbH",
    "CO., LTD.",
)
PLACES = ("MADE IN U.S.A.", "MADE IN GERMANY", "CORP. N.Y. U.S.A.", "LTD. ENGLAND", "INSTRUMENT CO.", "CANADA", "S.p.A. ITALIA")
WATERMARKS = ("sample", "stock", "preview", "photobank", "picstock", "proof", "COPY")
_INITIALS = ("AB", "KM", "TR", "HS", "JD", "MW", "PL")


def brand(rng: np.random.Generator) -> str:
    """An invented maker's name."""
    word = _HEADS[int(rng.integers(len(_HEADS)))] + _TAILS[int(rng.integers(len(_TAILS)))]
    return word.upper() if rng.random() < 0.6 else word


def initials(rng: np.random.Generator) -> str:
    """One to three letters as a monogram."""
    return "".join(chr(65 + int(c)) for c in rng.integers(0, 26, int(rng.integers(1, 4))))


def date_text(rng: np.random.Generator) -> str:
    """A date as people and stamps write it."""
    day, month, year = int(rng.integers(1, 29)), int(rng.integers(1, 13)), int(rng.integers(1994, 2027))
    return (
        f"{day:02d}.{month:02d}.{year}",
        f"{month}-{day}-{year % 100:02d}",
        f"{year}-{month:02d}-{day:02d}",
        f"{month:02d}/{year % 100:02d}",
        f"{day}/{month}/{year}",
    )[int(rng.integers(5))]


def sticker_lines(rng: np.random.Generator) -> tuple[tuple[str, bool], ...]:
    """Lines of a calibration sticker; True where a hand wrote the line."""
    name = _INITIALS[int(rng.integers(len(_INITIALS)))]
    kinds: tuple[tuple[tuple[str, bool], ...], ...] = (
        (("CALIBRATED", False), (f"BY {name} {date_text(rng)}", True)),
        (("CALIBRATION", False), (f"DATE {date_text(rng)}", False), (f"DUE {date_text(rng)}", True)),
        (("Removing this", False), ("seal voids", False), ("warranty", False)),
        ((serial(rng), False),),
        (("INSPECTED", False), (date_text(rng), True)),
        ((f"{brand(rng)} QC", False), ("PASS", False)),
        (("检定合格", False), (date_text(rng), True)),
        ((f"ID {int(rng.integers(100, 99999))}", True),),
    )
    return kinds[int(rng.integers(len(kinds)))]


def all_texts() -> tuple[str, ...]:
    """Every word and part that this file prints: some font must have all of their signs."""
    groups = (
        CLASSES,
        NORMS,
        *TOPICS.values(),
        *UNIT_TITLES.values(),
        SMALL,
        LABELS,
        LAMP_LABELS,
        *MODES,
        MOTTOS,
        PLACES,
        WATERMARKS,
        _HEADS,
        _TAILS,
    )
    words = [word for group in groups for word in group]
    arcs = [word for rows in COMFORT.values() for row in rows for word in row]
    return (*words, *arcs, "0123456789 No. S/N Ser. TAG /-.:")


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
