"""Marks on faces: makers' logos in many looks, signs of panel meters, codes, stickers, watermarks."""

from __future__ import annotations

from dataclasses import replace

from synth import words, words_chinese
from synth.draw import HUES, Rng, any_color, between, chance, gray, near, pick
from synth.face_room import LINE_PITCH, FaceRoom, text_extent
from synth.fonts import BOLD, CHINESE, HAND, MONO, ROUNDED, SANS, SERIF, font_for
from synth.spec import Color, Frame, Print

LOGO_LOOKS: tuple[Frame, ...] = (
    *("none", "none", "none", "line", "line", "badge", "oval", "oval badge", "underline", "swoosh", "rhomb"),
)
PANEL_SIGNS = ("coil", "iron", "ac", "dc", "upright", "star", "rectifier", "earth")
"""Signs in a panel meter's corner: kind of movement, current, mounting, test voltage."""
MARKS = ("ce", "warning", "monogram", "sun", "drop", "recycle", "ukca")
PALE: Color = (238, 236, 228)


def sample_logo(rng: Rng, ink: Color, plate: Color) -> tuple[Print, ...]:
    """A maker's name at the origin, for whoever finds it a place: the name first, then lines and signs below it."""
    word = words.brand(rng)
    color = (
        ink
        if chance(rng, 0.55)
        else (near(rng, HUES[pick(rng, ("blue", "red", "green", "blue"))], 14) if chance(rng, 0.8) else any_color(rng))
    )
    if chance(rng, 0.04):
        word, font = pick(rng, words_chinese.TITLES["pressure"])[:2], CHINESE[1]
    else:
        font = pick(rng, BOLD if chance(rng, 0.7) else (*SANS, *SERIF, *ROUNDED))
    if chance(rng, 0.15):
        word += pick(rng, ("®", "+", "-X", " 50"))
    frame = pick(rng, LOGO_LOOKS)
    fill = color if "badge" in frame else None
    if fill is not None:
        color = plate if abs(sum(plate) - sum(fill)) > 200 else (PALE if sum(fill) < 380 else (20, 20, 20))
    first = Print(
        word,
        0.0,
        0.0,
        between(rng, 6.0, 12.0),
        font_for(word, font),
        color,
        condensed=between(rng, 0.75, 1.1),
        frame=frame,
        slant=between(rng, 0.12, 0.32) if chance(rng, 0.28) else 0.0,
        fill=fill,
        tracking=between(rng, 0.02, 0.2) if chance(rng, 0.2) else 0.0,
    )
    parts = [first]
    if chance(rng, 0.3):
        motto = pick(rng, words.MOTTOS)
        parts.append(Print(motto, 0.0, 0.0, first.size * between(rng, 0.36, 0.6), pick(rng, SANS), ink, condensed=0.9))
    elif chance(rng, 0.15):
        parts.append(
            Print("", 0.0, 0.0, first.size * 0.9, font, fill or color, symbol="monogram", seed=int(rng.integers(1, 2**31)))
        )
    return tuple(parts)


def place_block(rng: Rng, room: FaceRoom, lines: tuple[Print, ...], wish: str, least: float) -> tuple[Print, ...]:
    """Lines one below the other where the room has a place for them, scaled together; empty where it has none."""
    first = lines[0]
    framed = 0.9 if first.frame != "none" else 0.0
    widths = []
    for line in lines:
        part = line.size / first.size
        if line.symbol:
            widths.append(1.2 * part)
        else:
            widths.append(
                part * (text_extent(line.text, 1.0, line.font, line.condensed, line.tracking) + framed * (line is first))
            )
    spot = room.place(rng, wish, widths, first.size, least, margin=0.3 if framed else 0.0)
    if spot is None:
        return ()
    scale = spot.size / first.size
    top = spot.y - 0.5 * LINE_PITCH * spot.size * (len(lines) - 1)
    return tuple(
        replace(line, x=spot.x, y=top + i * LINE_PITCH * spot.size * (1.08 if framed else 1.0), size=line.size * scale)
        for i, line in enumerate(lines)
    )


def sample_signs(rng: Rng, room: FaceRoom, ink: Color) -> tuple[Print, ...]:
    """A row of a panel meter's signs in a corner of the face or beside the pivot."""
    count = int(rng.integers(2, 5))
    names = [PANEL_SIGNS[int(i)] for i in rng.permutation(len(PANEL_SIGNS))[:count]]
    size = between(rng, 4.5, 8.0)
    spot = room.place(rng, pick(rng, ("start", "corner", "side", "bottom")), [1.35 * count], size, 3.0)
    if spot is None:
        return ()
    left = spot.x - 0.675 * spot.size * (count - 1)
    return tuple(
        Print(
            "",
            left + 1.35 * spot.size * i,
            spot.y,
            spot.size,
            SANS[0],
            ink,
            symbol=name,
            seed=int(rng.integers(1, 2**31)),
        )
        for i, name in enumerate(names)
    )


def sample_mark(rng: Rng, room: FaceRoom, ink: Color) -> tuple[Print, ...]:
    """One sign somewhere: a conformity mark, a warning triangle, a monogram, a code."""
    code = chance(rng, 0.2)
    name = pick(rng, ("matrix", "barcode")) if code else pick(rng, MARKS)
    size = between(rng, 8, 15) if code else between(rng, 4.5, 9.0)
    spot = room.place(rng, pick(rng, ("below", "start", "end", "side", "above")), [1.25], size, 4.0)
    if spot is None:
        return ()
    fill = PALE if code else (near(rng, HUES["yellow"], 8) if name == "warning" and chance(rng, 0.6) else None)
    color = (25, 25, 25) if code or fill is not None else ink
    return (Print("", spot.x, spot.y, spot.size, SANS[0], color, symbol=name, fill=fill, seed=int(rng.integers(1, 2**31))),)


def sample_sticker(rng: Rng, room: FaceRoom) -> tuple[Print, ...]:
    """A label stuck on the glass, a little askew: stamped and hand-written lines, or a code."""
    rows = words.sticker_lines(rng)
    size, turn = between(rng, 3.0, 5.5), float(rng.normal(0, 4))
    paper = near(rng, pick(rng, (PALE, PALE, (250, 250, 248), (240, 225, 120), (190, 225, 190))), 5)
    hand = pick(rng, HAND)
    fonts = [font_for(text, hand if by_hand else pick(rng, (*SANS, *MONO))) for text, by_hand in rows]
    sizes = [size * (1.25 if by_hand else 1.0) for _, by_hand in rows]
    widths = [text_extent(text, one / size, font) + 0.7 for (text, _), font, one in zip(rows, fonts, sizes, strict=True)]
    spot = room.place(rng, pick(rng, ("start", "end", "below", "any")), widths, size, 2.6, margin=0.4)
    if spot is None:
        return ()
    shrunk, size = spot.size / size, spot.size
    wide, tall = 0.5 * size * max(widths), 0.5 * size * (LINE_PITCH * len(rows) + 0.5)
    ink = gray(rng, 10, 70)
    lines = [Print("", spot.x, spot.y, 2 * tall, SANS[0], ink, turn, condensed=wide / tall, symbol="paper", fill=paper)]
    top = spot.y - 0.5 * LINE_PITCH * size * (len(rows) - 1)
    for index, ((text, by_hand), font, one) in enumerate(zip(rows, fonts, sizes, strict=True)):
        color = near(rng, pick(rng, ((30, 40, 120), (20, 20, 20))), 10) if by_hand else ink
        lines.append(Print(text, spot.x, top + index * LINE_PITCH * size, one * shrunk, font, color, turn))
    return tuple(lines)


def sample_watermark(rng: Rng, size: int) -> tuple[Print, ...]:
    """Faint words all over a photo, as picture agencies print them; lengths in pixels."""
    word, font = pick(rng, (*words.WATERMARKS, words.brand(rng).lower())), pick(rng, (*SANS, *BOLD))
    text_size, turn = size * between(rng, 0.05, 0.1), pick(rng, (0.0, 0.0, -30.0, 45.0))
    alpha, color = between(rng, 0.15, 0.45), gray(rng, 170, 255)
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    shift = between(rng, 0, 0.5)
    return tuple(
        Print(
            word,
            size * (i + 0.5 + shift * (j % 2)) / columns,
            size * (j + 0.5) / rows,
            text_size,
            font,
            color,
            turn,
            alpha=alpha,
        )
        for j in range(rows)
        for i in range(columns)
    )
