"""Several instruments on one panel: the XYZ-2000's own, and rows of lamps or dials."""

from __future__ import annotations

from dataclasses import replace

from synth import models, words
from synth.devices import LampSpec, SelectorSpec
from synth.draw import HUES, Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, SANS
from synth.recipe import Recipe
from synth.sample_board import board_ink, for_panel, sample_control_panel, sample_lamp_column, sample_stack
from synth.sample_dial import sample_dial
from synth.sample_look import sample_pose
from synth.sample_other import sample_lamp, sample_selector
from synth.sample_scale import sample_fraction
from synth.scene import Panel, Placed, Pose
from synth.spec import Color, DialSpec, Print


def sample_panel(rng: Rng, recipe: Recipe) -> tuple[tuple[Placed, ...], Panel]:
    """A panel of the XYZ-2000 in a random state: gauge first, then lamp and selector."""
    fraction = sample_fraction(rng, models.SCALES[models.XYZ_2000], recipe.dial.at_rest)
    dial = models.model_dial(rng, models.XYZ_2000, fraction)
    lamp = replace(_row_lamp(rng), square=False, style="dome", model=models.XYZ_2000)
    size = recipe.size
    pose = sample_pose(rng, recipe.pose, (size / 2, size / 2), 0.5 * size * between(rng, *recipe.fill))
    return build_panel(rng, dial, lamp, sample_selector(rng, models.XYZ_2000), pose)


def build_panel(rng: Rng, dial: DialSpec, lamp: LampSpec, selector: SelectorSpec, pose: Pose) -> tuple[tuple[Placed, ...], Panel]:
    """Place gauge, lamp and selector of the XYZ-2000 on a panel of the given pose, with its nameplate."""
    side = 1.0 if chance(rng, 0.75) else -1.0
    color = gray(rng, 60, 215)
    plate = (-40.0 - 18 * side, 66.0, 40.0 - 18 * side, 86.0)
    title = Print(models.XYZ_2000, (plate[0] + plate[2]) / 2, 76.0, 13.0, pick(rng, BOLD), gray(rng, 5, 40))
    ink, font = board_ink(rng, color), pick(rng, SANS)
    prints = (title, Print("WARNING", 68.0 * side, -66.0, 6.5, font, ink), Print("MODE", 68.0 * side, 66.0, 6.5, font, ink))
    placed = (
        Placed(dial, replace(pose, offset=(-28.0 * side, -12.0), scale=0.62)),
        Placed(lamp, replace(pose, offset=(68.0 * side, -44.0), scale=0.15)),
        Placed(replace(selector, prints=()), replace(pose, offset=(68.0 * side, 32.0), scale=0.27)),
    )
    return placed, Panel(pose, 100.0, 92.0, color, plate, gray(rng, 190, 245), prints)


def sample_group(rng: Rng, recipe: Recipe) -> tuple[tuple[Placed, ...], Panel]:
    """Several instruments on one board: a row, a whole control panel, a lamp column or a stack light."""
    makers = (sample_row, sample_row, sample_control_panel, sample_control_panel, sample_lamp_column, sample_stack)
    return pick(rng, makers)(rng, recipe)


def sample_row(rng: Rng, recipe: Recipe) -> tuple[tuple[Placed, ...], Panel]:
    """Two to four lamps or dials in a row or a column on one panel, with labels."""
    lamps = chance(rng, 0.6)
    count = int(rng.integers(2, 5)) if lamps else int(rng.integers(2, 4))
    upright = lamps and chance(rng, 0.5)
    size = recipe.size
    pose = sample_pose(
        rng, recipe.pose, (size * between(rng, 0.42, 0.58), size * between(rng, 0.42, 0.58)), 0.5 * size * between(rng, 0.5, 0.95)
    )
    board = not lamps and chance(rng, 0.4)
    color = gray(rng, 6, 26) if board else (gray(rng, 20, 230) if chance(rng, 0.8) else any_color(rng))
    ink, font = board_ink(rng, color), pick(rng, SANS)
    pitch = 180.0 / count
    scale = min(between(rng, 0.08, 0.22) if lamps else between(rng, 0.3, 0.42), 0.45 * pitch / 100)
    placed, prints = [], []
    for index in range(count):
        along = -90 + pitch * (index + 0.5)
        x, y = (between(rng, -30, -28), along) if upright else (along, 0.0)
        spec = _row_lamp(rng) if lamps else for_panel(sample_dial(rng, recipe))
        if board and isinstance(spec, DialSpec):
            spec = _on_board(rng, spec, color)
        placed.append(Placed(spec, replace(pose, offset=(x, y), scale=scale)))
        label = pick(rng, words.LAMP_LABELS)
        spot = (35.0, y) if upright else (x, -100 * scale - 9)
        prints.append(Print(label, *spot, min(8.0, pitch / (0.7 * len(label))), font, ink))
    half = (62.0, 100.0) if upright else (100.0, 100 * scale + 34)
    plate = (-30.0, half[1] - 14, 30.0, half[1] - 5)
    prints.append(Print(words.brand(rng), 0.0, half[1] - 9.5, 6.0, pick(rng, BOLD), gray(rng, 5, 50)))
    return tuple(placed), Panel(pose, *half, color, plate, gray(rng, 180, 245), tuple(prints))


def _row_lamp(rng: Rng) -> LampSpec:
    """A lamp without print of its own; a stack light's storey never stands alone in a row."""
    lamp = replace(sample_lamp(rng), prints=())
    return replace(lamp, style="dome", square=False) if lamp.style == "stack" else lamp


def _on_board(rng: Rng, spec: DialSpec, color: Color) -> DialSpec:
    """A dashboard's dial: no rim, a face as dark as the board, print that glows."""
    ink = near(rng, pick(rng, ((245, 245, 245), (245, 245, 245), (110, 170, 255), (255, 140, 60), (120, 255, 160))), 8)
    hand = near(rng, HUES[pick(rng, ("red", "white", "orange"))], 10)
    rim = between(rng, 1, 4)
    case = replace(spec.case, shape="round", aspect=1.0, bezel=rim, bezel_style="none", bezel_color=color, ring=0.0)
    case = replace(case, depth=0.0, recess=0.0, flange=0.0, stem="none")
    return replace(
        spec,
        case=case,
        face_color=near(rng, color, 3),
        art=replace(spec.art, color=ink),
        needle=replace(spec.needle, color=hand, hub_color=gray(rng, 8, 60), cap=0.0),
        prints=tuple(replace(line, color=ink) for line in spec.prints if line.frame != "sticker"),
        skirt=None,
        cover=0.0,
    )
