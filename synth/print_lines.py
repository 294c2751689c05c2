"""Lines of print on one face: what they share, and how a text finds its place."""

from __future__ import annotations

from typing import NamedTuple

from synth.draw import Rng, between
from synth.face_room import LINE_PITCH, FaceRoom, text_extent
from synth.fonts import font_for
from synth.spec import Color, DialSpec, Frame, Print


class FaceLines(NamedTuple):
    """What the lines of one face share."""

    spec: DialSpec
    style: str
    topic: str
    room: FaceRoom
    ink: Color
    font: str
    narrow: bool
    chinese: bool


def put_lines(
    rng: Rng,
    face: FaceLines,
    text: str,
    size: float,
    wish: str,
    font: str,
    color: Color,
    *,
    frame: Frame = "none",
    declares: str | None = None,
    second: bool = False,
    must: bool = False,
    tracking: float = 0.0,
    least: float = 2.6,
) -> list[Print]:
    """Lines of a text (parted by newlines) where they find room; looked for all over the face where they must be there."""
    lines = text.split("\n")
    font = font_for(text.replace("\n", ""), font)
    condensed = between(rng, 0.85, 1.0)
    pad = 0.8 if frame != "none" else 0.0
    widths = [text_extent(line, 1.0, font, condensed, tracking) + pad for line in lines]
    spot = face.room.place(
        rng, wish, widths, size, max(least, 0.62 * size) if must else least, 7 if must else 4, margin=0.25 * (pad > 0)
    )
    if spot is None and must:
        spot = face.room.search(widths, 0.8 * size, 3.5, 0.25 * (pad > 0))
    if spot is None:
        return []
    top = spot.y - 0.5 * LINE_PITCH * spot.size * (len(lines) - 1)
    return [
        Print(
            line,
            spot.x,
            top + index * LINE_PITCH * spot.size,
            spot.size,
            font,
            color,
            condensed=condensed,
            frame=frame,
            declares=declares,
            declares_second=second,
            tracking=tracking,
        )
        for index, line in enumerate(lines)
    ]
