"""What else is printed on a face: unit, multiplier, names, small print, words along arcs, marks and stickers.

The unit comes first, so that it finds room where the truth says it is printed. Every line takes measured room
(`synth.face_room`): no print lies on numerals, ticks or other print. Needles may cover print, as in real life.
"""

from __future__ import annotations

import math

from synth import words, words_chinese, words_titles
from synth.draw import HUES, Rng, between, chance, gray, luma, near, pick
from synth.face_room import FaceRoom, text_extent
from synth.fonts import BOLD, MONO, SANS, font_for
from synth.print_chinese import chinese_lines
from synth.print_lines import FaceLines, put_lines
from synth.sample_marks import place_block, sample_logo, sample_mark, sample_signs, sample_sticker
from synth.spec import Color, DialSpec, Frame, Print

TOPIC = {
    "pressure": "pressure",
    "thermometer": "temperature",
    "transformer": "temperature",
    "panel": "electric",
    "quadrant": "electric",
    "edge": "electric",
}
TOPIC_OF_UNIT = {
    **dict.fromkeys(("MPa", "bar", "psi", "kPa", "kgf/cm2", "mbar", "inHg", "mmHg", "Pa", "mmH2O", "inH2O"), "pressure"),
    **dict.fromkeys(("°C", "°F"), "temperature"),
    **dict.fromkeys(("V", "A", "mA", "kV", "kA", "mV", "Hz", "kW"), "electric"),
}
"""What a face of a family without a topic of its own is about."""
CHINESE_SHARE = {"pressure": 0.2, "thermometer": 0.14, "panel": 0.16, "quadrant": 0.16, "edge": 0.1, "transformer": 0.1}


def text_width(text: str, size: float, condensed: float = 1.0) -> float:
    """About the width of a text in face units, whatever the font; `face_room.text_extent` measures."""
    return 0.56 * size * condensed * len(text)


def safe_font(text: str, font: str) -> str:
    """A font that has every sign of the text: the font itself, or a fallback."""
    return font_for(text, font)


def sample_prints(rng: Rng, spec: DialSpec, style: str) -> tuple[Print, ...]:
    """All lines of a face."""
    topic = TOPIC.get(style) or TOPIC_OF_UNIT.get(spec.scale.unit or "", "other")
    chinese = chance(rng, CHINESE_SHARE.get(style, 0.04))
    narrow = spec.scale.sweep_deg < 200
    face = FaceLines(spec, style, topic, FaceRoom(spec), spec.art.color, spec.art.font, narrow, chinese)
    prints = _units(rng, face)
    if style == "transformer" and chance(rng, 0.75):
        prints += _big_title(rng, face)
    prints += _arc_words(rng, face)
    prints += chinese_lines(rng, face) if chinese else _latin_lines(rng, face)
    if style in ("panel", "quadrant", "edge") and chance(rng, 0.55):
        prints += sample_signs(rng, face.room, face.ink)
    if chance(rng, 0.16):
        prints += sample_mark(rng, face.room, face.ink)
    prints += _rim(rng, face)
    for _ in range(int(rng.integers(1, 4)) if chance(rng, 0.28 if style == "transformer" else 0.05) else 0):
        prints += sample_sticker(rng, face.room)
    return tuple(prints)


def _units(rng: Rng, face: FaceLines) -> list[Print]:
    """The scale's unit with its multiplier, in one line or two, and a further scale's unit near it."""
    spec, scale, art = face.spec, face.spec.scale, face.spec.art
    size = art.numeral_size * between(rng, 0.6, 1.15) * (1.2 if face.style in ("panel", "quadrant", "transformer") else 1.0)
    if face.style in ("panel", "quadrant") and chance(rng, 0.3):
        size *= between(rng, 1.2, 1.7)
    factor = None if scale.multiplier is None else f"x{scale.multiplier:g}"
    unit = scale.unit_text
    if unit is not None and scale.unit is not None and face.chinese:
        unit = (words_chinese.unit_text(rng, scale.unit) or unit) if chance(rng, 0.45) else unit
    wish = _unit_wish(rng, face)
    color = near(rng, HUES[pick(rng, ("red", "blue"))], 10) if chance(rng, 0.07) else face.ink
    found: list[Print] = []
    if unit is None:
        if factor is not None:
            found += put_lines(rng, face, factor, size * 0.8, wish, face.font, color, must=True)
    elif factor is None or chance(rng, 0.6):
        text = unit if factor is None else f"{factor} {unit}"
        frame: Frame = pick(rng, ("line", "circle", "oval")) if chance(rng, 0.04) else "none"
        found += put_lines(rng, face, text, size, wish, face.font, color, frame=frame, declares=scale.unit, must=True)
    else:
        found += put_lines(rng, face, factor, size * 0.8, wish, face.font, color, must=True)
        found += put_lines(rng, face, unit, size, wish, face.font, color, declares=scale.unit, must=True)
    if scale.unit == "bar" and unit is not None and factor is None and chance(rng, 0.12):
        note = pick(rng, ("x100 kPa", "1 bar = 100 kPa", "x 0.1 MPa", "100 kPa"))
        found += put_lines(rng, face, note, size * between(rng, 0.4, 0.55), wish, face.font, color)
    for further, look in spec.further_scales:
        if further.unit_text is not None:
            big = look.numeral_size * between(rng, 0.9, 1.3)
            found += put_lines(
                rng, face, further.unit_text, big, wish, face.font, look.color, declares=further.unit, second=True, must=True
            )
    return found


def _unit_wish(rng: Rng, face: FaceLines) -> str:
    if face.style in ("panel", "quadrant", "edge") or face.narrow:
        return pick(rng, ("above", "above", "above", "top left", "corner", "side"))
    return pick(rng, ("below", "below", "below", "below", "above", "above", "bottom", "side", "end"))


def _big_title(rng: Rng, face: FaceLines) -> list[Print]:
    """The large name on instruments of transformers, above or below the pivot."""
    text = words_titles.title(rng, face.topic, face.spec.scale.unit)
    font = pick(rng, BOLD)
    wish = pick(rng, ("above", "below", "bottom"))
    return put_lines(rng, face, text, between(rng, 7, 13), wish, font, face.ink, tracking=between(rng, 0.0, 0.18), least=4.0)


def _latin_lines(rng: Rng, face: FaceLines) -> list[Print]:
    """Name, maker, norm, class, serial and small print."""
    ink, room = face.ink, face.room
    found: list[Print] = []
    if face.style != "transformer" and chance(rng, 0.42):
        title = words_titles.title(rng, face.topic, face.spec.scale.unit)
        wish = pick(rng, ("above", "above", "below", "top"))
        found += put_lines(
            rng,
            face,
            title,
            between(rng, 5.5, 10),
            wish,
            pick(rng, (*SANS, *BOLD)),
            ink,
            tracking=0.06 if chance(rng, 0.2) else 0,
        )
    if chance(rng, 0.62):
        logo = sample_logo(rng, ink, face.spec.face_color)
        found += place_block(rng, room, logo, pick(rng, ("bottom", "bottom", "below", "below", "above")), 3.2)
    if chance(rng, 0.4):
        wish, size = pick(rng, ("end", "end", "start", "corner", "above", "below")), between(rng, 4.0, 7.0)
        frame: Frame = "circle" if chance(rng, 0.15) else "none"
        found += put_lines(rng, face, pick(rng, words.CLASSES), size, wish, face.font, ink, frame=frame)
    if chance(rng, 0.32):
        found += put_lines(
            rng,
            face,
            pick(rng, words.NORMS),
            between(rng, 3.0, 5.0),
            pick(rng, ("above", "start", "below")),
            pick(rng, SANS),
            ink,
        )
    for _ in range(int(rng.integers(0, 4))):
        wish = pick(rng, ("below", "bottom", "above", "start", "end", "any"))
        color = near(rng, HUES[pick(rng, ("red", "green", "blue"))], 14) if chance(rng, 0.08) else ink
        found += put_lines(
            rng, face, words.small_line(rng, face.topic), between(rng, 3.4, 6.2), wish, pick(rng, (*SANS, *MONO)), color
        )
    return found


def _curved_line(
    face: FaceLines, text: str, radius: float, middle: float, size: float, font: str, color: Color, about_pivot: bool
) -> list[Print]:
    center = (face.room.x, face.room.y) if about_pivot else (0.0, 0.0)
    width = 1.04 * sum(text_extent(c, size, font_for(c, font)) for c in text)
    if not face.room.place_arc(center, radius, middle, width, size):
        return []
    return [Print(text, *center, size, font, color, middle % 360, curve=radius)]


def _arc_words(rng: Rng, face: FaceLines) -> list[Print]:
    """Words in the coloured arcs of the scale, and the words with arrows over switch hands."""
    spec, scale = face.spec, face.spec.scale
    found: list[Print] = []
    wide = [z for z in spec.zones if z.outer - z.inner >= 4.0]
    kinds = words_titles.COMFORT.get(
        {"% RH": "humidity"}.get(scale.unit or "", "temperature" if face.topic == "temperature" else "pressure")
    )
    rows = [row for row in kinds or () if len(row) >= len(wide)]
    if wide and rows and not spec.prints and face.style not in ("panel", "edge") and chance(rng, 0.5):
        row, font = pick(rng, rows), pick(rng, BOLD)
        for zone, word in zip(sorted(wide, key=lambda z: z.start), row, strict=False):
            radius = 0.5 * (zone.inner + zone.outer)
            room = math.radians(scale.sweep_deg * (zone.end - zone.start)) * radius
            size = min(0.78 * (zone.outer - zone.inner), 0.82 * room / text_extent(word, 1.04, font))
            if size >= 2.6:
                color = gray(rng, 235, 255) if luma(zone.color) < 150 else gray(rng, 10, 40)
                middle = scale.angle_at(0.5 * (zone.start + zone.end))
                found.append(Print(word, *spec.pivot, size, font, color, middle, curve=radius))
    if face.style == "transformer" and scale.sweep_deg < 190 and chance(rng, 0.6):
        size = between(rng, 4.5, 7.0)
        radius, middle = spec.art.radius + 1.2 * size, scale.angle_at(0.5)
        text = pick(rng, ("← SWITCH SETTING →", "SWITCH SETTING", "← ALARM SETTING →", "CONTACT"))
        found += _curved_line(face, text, radius, middle, size, pick(rng, BOLD), face.ink, True)
    return found


def _rim(rng: Rng, face: FaceLines) -> list[Print]:
    """Text along the rim of round faces, in the gap of the scale or all around the lower half."""
    spec = face.spec
    if spec.case.shape != "round" or not chance(rng, 0.5 if face.style == "transformer" else 0.14):
        return []
    if chance(rng, 0.4):
        text = f"{words.brand(rng).upper()} {pick(rng, words.PLACES)}"
    elif chance(rng, 0.5):
        text = f"{pick(rng, words_titles.TOPICS[face.topic])} {words.serial(rng)}".replace("\n", " ")
    else:
        text = f"{words.brand(rng)} {pick(rng, words.SMALL)}"
    gap = 360 - spec.scale.sweep_deg
    middle = spec.scale.start_deg - (gap / 2 if spec.scale.clockwise else -gap / 2)
    font, size = pick(rng, (*SANS, *BOLD)), between(rng, 3.2, 7)
    for _ in range(3):
        radius = 100 - spec.case.bezel - spec.case.ring - 1.2 * size
        found = _curved_line(face, text, radius, middle, size, font, face.ink, False)
        if found or size < 2.8:
            return found
        size *= 0.72
    return []
