"""Lines of print on a Chinese face."""

from __future__ import annotations

from synth import words, words_chinese
from synth.draw import Rng, between, chance, near, pick
from synth.face_room import LINE_PITCH
from synth.fonts import BOLD, CHINESE, HAND, font_for
from synth.print_lines import FaceLines, put_lines
from synth.spec import Frame, Print


def chinese_lines(rng: Rng, face: FaceLines) -> list[Print]:
    """Title above the pivot; below it licence mark, class in a circle, maker and a serial number by hand."""
    ink, bold = face.ink, CHINESE[1] if chance(rng, 0.35) else CHINESE[0]
    found: list[Print] = []
    if chance(rng, 0.85):
        title = words_chinese.title(rng, face.topic, face.spec.scale.unit)
        if len(title) > 7 and chance(rng, 0.7):
            title = f"{title[: len(title) // 2 + 1]}\n{title[len(title) // 2 + 1 :]}"
        wish = pick(rng, ("above", "above", "above", "below"))
        found += put_lines(rng, face, title, between(rng, 7, 13), wish, bold, ink, tracking=between(rng, 0, 0.3))
    if chance(rng, 0.5):
        mark = pick(rng, ("MC", "CMC", "CPA"))
        frame: Frame = pick(rng, ("oval", "circle", "rhomb"))
        found += put_lines(rng, face, mark, between(rng, 4.2, 7.0), "below", pick(rng, BOLD), ink, frame=frame)
    if chance(rng, 0.55):
        level = pick(rng, ("1.6", "1.5", "2.5", "0.4", "1.0"))
        found += put_lines(
            rng, face, level, between(rng, 4.2, 7.0), pick(rng, ("below", "side", "end")), face.font, ink, frame="circle"
        )
    if chance(rng, 0.5):
        found += put_lines(rng, face, words_chinese.licence(rng), between(rng, 3.6, 5.6), "below", bold, ink)
    if chance(rng, 0.75):
        found += put_lines(rng, face, words_chinese.maker(rng), between(rng, 4.8, 8.0), pick(rng, ("bottom", "below")), bold, ink)
    if chance(rng, 0.4):
        number, hand = f"{int(rng.integers(10**3, 10**7))}", chance(rng, 0.6)
        if hand:
            found += put_lines(rng, face, number, between(rng, 4.5, 7), "bottom", pick(rng, HAND), near(rng, (30, 30, 70), 12))
        else:
            found += put_lines(rng, face, words_chinese.serial(rng), between(rng, 3.2, 5), "bottom", bold, ink)
    for _ in range(int(rng.integers(0, 3))):
        text = words_chinese.small_line(rng, face.topic) if chance(rng, 0.7) else words.small_line(rng, face.topic)
        found += put_lines(rng, face, text, between(rng, 3.4, 6), pick(rng, ("below", "above", "start", "end")), bold, ink)
    if chance(rng, 0.1):
        found += _vertical(rng, face, bold)
    return found


def _vertical(rng: Rng, face: FaceLines, font: str) -> list[Print]:
    """A title written downwards beside the pivot."""
    text, size = words_chinese.title(rng, face.topic, face.spec.scale.unit)[:6], between(rng, 5, 9)
    tall = LINE_PITCH * size * len(text)
    for _ in range(6):
        x, y = face.room.x + between(rng, -60, 60), face.room.y + between(rng, -30, 30)
        box = (x - 0.55 * size, y - 0.5 * tall, x + 0.55 * size, y + 0.5 * tall)
        if face.room.free(box):
            face.room.take(box)
            return [Print(text, x, y, size, font_for(text, font), face.ink, vertical=True)]
    return []
