"""Control panels, lamp columns and stack lights: many instruments on one board, with what stands between them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from synth import words, words_chinese
from synth.devices import Decor, DigitalSpec, InstrumentSpec, LampSpec, LampStyle
from synth.draw import Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, CHINESE, SANS
from synth.recipe import Recipe
from synth.sample_dial import sample_dial
from synth.sample_digital import sample_digital
from synth.sample_look import sample_pose
from synth.sample_other import LENSES, lamp_label, sample_lamp, sample_selector
from synth.scene import Panel, Placed, Pose
from synth.spec import Color, DialSpec, Print

Board = tuple[tuple[Placed, ...], Panel]
Mounted = TypeVar("Mounted", DialSpec, DigitalSpec)
PAINTS: tuple[Color, ...] = ((205, 205, 195), (178, 184, 186), (120, 130, 125), (150, 165, 150), (60, 66, 72), (225, 225, 222))
ENGLISH = ("MAIN PUMP", "BUS V", "GEN 1", "FEEDER 3", "TANK LEVEL", "COOLING", "LINE A", "INLET", "OUTLET", "FAN 2")
CHINESE_NAMES = ("主泵", "母线电压", "一号机", "进线", "出线", "水位", "冷却", "风机", "二号泵", "电流")


def board_ink(rng: Rng, ground: Color) -> Color:
    return gray(rng, 5, 30) if sum(ground) > 380 else gray(rng, 225, 250)


def for_panel(spec: Mounted) -> Mounted:
    """Panel instruments are mounted from behind: no stem, no flange."""
    return replace(spec, case=replace(spec.case, stem="none", flange=0.0, depth=min(spec.case.depth, 12.0)))


def board_pose(rng: Rng, recipe: Recipe, low: float, high: float) -> Pose:
    size = recipe.size
    center = (size * between(rng, 0.44, 0.56), size * between(rng, 0.44, 0.56))
    return sample_pose(rng, recipe.pose, center, 0.5 * size * between(rng, low, high), 0.7)


def _plate(rng: Rng, text: str, x: float, y: float, room: float, font: str, dark: bool) -> Print:
    """A small nameplate: letters on a light strip, or bare letters."""
    size = min(5.0, room / (0.75 * len(text) if font not in CHINESE else 1.1 * len(text)))
    sticker = chance(rng, 0.6)
    ink = gray(rng, 5, 40) if sticker or not dark else gray(rng, 225, 250)
    return Print(text, x, y, size, font, ink, frame="sticker" if sticker else "none")


def sample_control_panel(rng: Rng, recipe: Recipe) -> Board:
    """Rows of meters, lamps, selectors and buttons, each with its nameplate; ducts and seams between the rows."""
    pose = board_pose(rng, recipe, 0.8, 1.0)
    paint = near(rng, pick(rng, PAINTS), 10) if chance(rng, 0.85) else any_color(rng)
    chinese, dark = chance(rng, 0.35), sum(paint) < 380
    font = pick(rng, CHINESE) if chinese else pick(rng, SANS)
    names = CHINESE_NAMES if chinese else ENGLISH
    kinds = ["meter", "lamp", "selector"]
    if chance(rng, 0.4):
        kinds = pick(rng, (["lamp", "meter", "selector"], ["meter", "lamp"], ["meter", "selector"], ["meter", "meter", "lamp"]))
    tall = 30.0 * len(kinds) + between(rng, 6, 12)
    placed: list[Placed] = []
    prints: list[Print] = []
    decor: list[Decor] = []
    pitch_y = 2 * (tall - 10) / len(kinds)
    y = -tall + 6 + pitch_y / 2
    for row, kind in enumerate(kinds):
        count = {"meter": int(rng.integers(1, 4)), "lamp": int(rng.integers(2, 6)), "selector": int(rng.integers(1, 4))}[kind]
        pitch = 184.0 / count
        most = {"meter": 0.4, "lamp": 0.1, "selector": 0.24}[kind]
        scale = min(most * between(rng, 0.75, 1.0), 0.42 * pitch / 100, 0.34 * pitch_y / 100)
        digital = kind == "meter" and chance(rng, 0.25)
        for index in range(count):
            x = -92 + pitch * (index + 0.5)
            spec: InstrumentSpec
            if kind == "meter":
                spec = for_panel(sample_digital(rng)) if digital else for_panel(sample_dial(rng, recipe))
            elif kind == "lamp":
                spec = replace(sample_lamp(rng), prints=())
                if spec.style == "stack":
                    spec = replace(spec, style="dome", square=False)
            elif chance(rng, 0.3):
                color = pick(rng, ((200, 30, 30), (40, 140, 60), (25, 25, 28), (230, 190, 40), (40, 80, 170), (235, 235, 230)))
                decor.append(Decor("push", x, y, 100 * scale * between(rng, 0.6, 0.9), color, seed=int(rng.integers(2**31))))
                prints.append(_plate(rng, pick(rng, names), x, y - 100 * scale - 5, pitch * 0.8, font, dark))
                continue
            else:
                spec = replace(sample_selector(rng), prints=())
            placed.append(Placed(spec, replace(pose, offset=(x, y), scale=scale)))
            text = lamp_label(rng, chinese) if kind == "lamp" else pick(rng, names)
            prints.append(_plate(rng, text, x, y - 100 * scale - 5.5, pitch * 0.8, font, dark))
        if row + 1 < len(kinds) and chance(rng, 0.35):
            seam = chance(rng, 0.6)
            at = y + pitch_y / 2
            decor.append(
                Decor("line", 0.0, at, 96.0, paint, 0.5)
                if seam
                else Decor("duct", 0.0, at, 96.0, gray(rng, 130, 210), 3.5, int(rng.integers(2**31)))
            )
        y += pitch_y
    title = words_chinese.maker(rng) if chinese else words.brand(rng)
    plate = (-34.0, tall - 8, 34.0, tall - 1.5)
    prints.append(
        Print(title, 0.0, tall - 4.8, min(4.5, 60 / len(title)), font if chinese else pick(rng, BOLD), gray(rng, 5, 50))
    )
    return _at_least_one(rng, placed, pose), Panel(
        pose, 100.0, tall, paint, plate, gray(rng, 180, 245), tuple(prints), tuple(decor)
    )


def _at_least_one(rng: Rng, placed: list[Placed], pose: Pose) -> tuple[Placed, ...]:
    if placed:
        return tuple(placed)
    return (
        Placed(replace(sample_lamp(rng), prints=(), style="dome", square=False), replace(pose, offset=(0.0, 0.0), scale=0.1)),
    )


def sample_lamp_column(rng: Rng, recipe: Recipe) -> Board:
    """A relay's front: a dark screen, and a column of small lamps with framed legends beside it."""
    pose = board_pose(rng, recipe, 0.7, 1.0)
    paint = near(rng, pick(rng, PAINTS), 8) if chance(rng, 0.6) else gray(rng, 10, 50)
    chinese = chance(rng, 0.5)
    font = pick(rng, CHINESE) if chinese else pick(rng, SANS)
    count = int(rng.integers(3, 9))
    pitch, right = between(rng, 15, 20), chance(rng, 0.8)
    tall = pitch * count / 2 + between(rng, 6, 16)
    x = between(rng, 34, 52) * (1 if right else -1)
    style: LampStyle = pick(rng, ("led", "led", "dome", "flat"))
    base = replace(
        sample_lamp(rng), prints=(), legend=None, square=style == "flat" and chance(rng, 0.5), style=style, faceted=False
    )
    placed, prints = [], []
    scale = pitch / 100 * between(rng, 0.2, 0.36)
    framed, ink = chance(rng, 0.65), board_ink(rng, paint)
    for index in range(count):
        y = -pitch * (count - 1) / 2 + pitch * index
        placed.append(Placed(_lamp_like(rng, base), replace(pose, offset=(x, y), scale=scale)))
        text = lamp_label(rng, chinese)
        size = min(pitch * 0.36, 26 / (len(text) * (1.05 if chinese else 0.68)))
        frame = "sticker" if framed and sum(paint) < 380 else ("line" if framed else "none")
        color = gray(rng, 5, 40) if frame == "sticker" else ink
        prints.append(Print(text, x + 100 * scale + 18, y, size, font, color, frame=frame))  # type: ignore[arg-type]
    left = -92.0 if right else x + 44
    edge = x - 100 * scale - 8 if right else 92.0
    seed = int(rng.integers(2**31))
    decor: tuple[Decor, ...] = ()
    if edge - left > 25 and chance(rng, 0.8):
        shade = near(rng, pick(rng, ((30, 44, 22), (24, 26, 30), (40, 60, 120), (120, 130, 110))), 6)
        frame_color = gray(rng, 10, 60)
        wide, middle = (edge - left) / 2, (edge + left) / 2
        high = min(tall - 10, wide * between(rng, 0.5, 0.9))
        decor = (
            Decor("slab", middle, 0.0, wide, frame_color, high, seed),
            Decor("slab", middle, 0.0, wide * 0.84, shade, high * 0.78, seed),
        )
    plate = (-92.0, tall - 7.0, -60.0, tall - 1.5)
    return tuple(placed), Panel(pose, 100.0, tall, paint, plate, gray(rng, 120, 245), tuple(prints), decor)


def _lamp_like(rng: Rng, base: LampSpec) -> LampSpec:
    """A lamp of the same make in a colour and a state of its own."""
    lens = pick(rng, ("red", "yellow", "green", "green"))
    state = lens if chance(rng, 0.4) else "off"
    return replace(base, state=state, lens_color=near(rng, pick(rng, LENSES[lens]), 8))  # type: ignore[index, arg-type]


def sample_stack(rng: Rng, recipe: Recipe) -> Board:
    """A stack light on its pole: two or three storeys, red above yellow above green."""
    pose = board_pose(rng, recipe, 0.5, 1.0)
    lenses = pick(
        rng, (("red", "yellow", "green"), ("red", "yellow", "green"), ("red", "green"), ("yellow", "green"), ("red", "yellow"))
    )
    base = replace(sample_lamp(rng), prints=(), legend=None, square=True, style="stack", faceted=False, clear=False)
    half = between(rng, 13, 19)
    metal = gray(rng, 20, 60) if chance(rng, 0.5) else gray(rng, 130, 200)
    placed = []
    height = 2.06 * half
    for index, lens in enumerate(lenses):
        state = lens if chance(rng, 0.45) else "off"
        spec = replace(base, state=state, lens_color=near(rng, pick(rng, LENSES[lens]), 8), ring_color=metal)  # type: ignore[index, arg-type]
        placed.append(Placed(spec, replace(pose, offset=(0.0, -60 + height * index), scale=half / 100)))
    low = -60 + height * (len(lenses) - 0.5)
    decor = (
        Decor("pole", 0.0, (low + 95) / 2, half * between(rng, 0.25, 0.4), gray(rng, 120, 210), (95 - low) / 2),
        Decor("slab", 0.0, -60 - half - 4, half * 0.9, metal, 4.5),
        Decor("slab", 0.0, low + 3, half * 0.9, metal, 5.0),
    )
    return tuple(placed), Panel(pose, half, 100.0, metal, (0, 0, 0, 0), metal, (), decor, "bare")
