"""Cases and bezels: what surrounds a face, with its shadow, side wall, mounting plate and stem."""

from __future__ import annotations

import math

import numpy as np

from synth.flat.pen import Pen, lighten, linear, radial, rgba, sweep
from synth.scene import Light, Pose, Wear
from synth.spec import Case, Color


def _shape(pen: Pen, case: Case, half: float, color: Color, alpha: float = 1.0, blur: float = 0.0, shader: object = None) -> None:
    tall = half * case.aspect
    if case.shape == "round":
        pen.oval(0, 0, half, tall, color, alpha, blur, shader)
    else:
        pen.box(-half, -tall, half, tall, color, case.corner, alpha, blur, shader)


def draw_shadow(pen: Pen, case: Case, pose: Pose, light: Light) -> None:
    """The soft shadow that the whole instrument throws on what is behind it."""
    turn = math.radians(light.shadow_deg)
    reach = 6 + 0.25 * case.depth
    soft = 3 + 14 * light.softness
    with pen.plane(pose.homography(-case.depth)):
        pen.canvas.translate(-math.sin(turn) * reach, math.cos(turn) * reach)
        if case.shape == "round":  # a gradient costs a tenth of a blurred mask
            size = 102.0 + soft
            dark = [rgba((0, 0, 0), 0.75 * light.shadow), rgba((0, 0, 0), 0.28 * light.shadow), rgba((0, 0, 0), 0.0)]
            pen.canvas.scale(1.0, case.aspect)
            shade = radial(0, 0, size, dark, [1 - 2 * soft / size, 1 - 0.7 * soft / size, 1.0])
            wide = min(size, soft + reach + 0.4 * case.depth + 25.0)  # the case hides what is farther in
            pen.oval_ring(0, 0, size - wide / 2, size - wide / 2, wide, shade)
        else:
            steps = 5
            inner = 102.0 * case.aspect - reach - 0.4 * case.depth - soft - 20.0  # the case hides what is farther in
            for k in range(steps):
                out = soft * (1 - 2 * k / (steps - 1))
                half, tall = 102.0 + out, 102.0 * case.aspect + out
                wide = min(tall - 1.0, tall - inner)
                x, y, corner = half - wide / 2, tall - wide / 2, max(0.0, case.corner + soft - wide / 2)
                pen.box(-x, -y, x, y, (0, 0, 0), corner, 0.16 * light.shadow, stroke=wide)


def draw_stem(pen: Pen, case: Case, pose: Pose, rng: np.random.Generator) -> None:
    """The pipe that carries the instrument; drawn before all faces, so that it never hides one."""
    if case.stem != "none":
        with pen.plane(pose.homography(-0.5 * case.depth)):
            _stem(pen, case, rng)


def _stem(pen: Pen, case: Case, rng: np.random.Generator) -> None:
    turn = {"bottom": 0.0, "left": 90.0, "top": 180.0}[case.stem]
    color, length, width = case.stem_color, rng.uniform(30, 120), rng.uniform(9, 20)
    pen.canvas.save()
    pen.canvas.rotate(turn)
    shine = [rgba(lighten(color, f)) for f in (-0.6, 0.1, 0.55, -0.1, -0.65)]
    pen.box(-width, 80, width, 100 + length, color, 1, shader=linear((-width, 0), (width, 0), shine))
    nut = width * rng.uniform(1.2, 1.8)
    top = 100 + length * rng.uniform(0.05, 0.4)
    pen.box(-nut, top, nut, top + rng.uniform(12, 26), color, 2, shader=linear((-nut, 0), (nut, 0), shine))
    for y in np.arange(top + 30, 100 + length, 3.2).tolist():
        pen.box(-width, y, width, y + 1.1, lighten(color, -0.5), alpha=0.55)
    pen.canvas.restore()


def _metal(color: Color, rng: np.random.Generator, gain: float = 1.0) -> list[int]:
    """Colours around a rim: the two bright lobes of turned metal, and smooth waves as reflections of a room."""
    turns = np.linspace(0, 2 * np.pi, 25)[:-1]
    waves = sum(rng.normal(0, 0.16) * np.cos(k * turns + rng.uniform(0, 6.28)) for k in (1, 2, 3, 5))
    lobes = np.abs(np.cos(turns - rng.uniform(0, 6.28))) ** float(rng.choice([2, 4, 9]))
    lobes = float(rng.uniform(0.2, 1.0)) * (lobes - 0.4)
    levels = np.clip((np.asarray(waves) + lobes) * gain, -0.75, 0.9)
    colors = [rgba(lighten(color, float(level))) for level in levels]
    return [*colors, colors[0]]


def draw_case(pen: Pen, case: Case, pose: Pose, light: Light, rng: np.random.Generator) -> None:
    """Everything of the case up to the bezel's front; the face comes after it."""
    draw_shadow(pen, case, pose, light)
    if pose.tilt_deg > 4 and case.depth > 0:
        reach_px = (case.depth + case.recess) / 100 * pose.radius_px * math.sin(math.radians(pose.tilt_deg))
        steps = int(min(max(reach_px / 3.5, 3), 12))
        for index in range(steps):
            height = -case.depth + (case.depth + case.recess) * index / steps
            with pen.plane(pose.homography(height)):
                _shape(pen, case, 97.0, lighten(case.side_color, -0.45 + 0.3 * index / steps))
    if case.flange > 100:
        with pen.plane(pose.homography(0.0)):
            _flange(pen, case)
    with pen.plane(pose.homography(case.recess)):
        _bezel(pen, case, rng)


def _flange(pen: Pen, case: Case) -> None:
    half, hole = case.flange, 3.6
    shine = linear((-half, -half), (half, half), [rgba(lighten(case.flange_color, f)) for f in (0.25, 0.0, -0.25)])
    if case.flange_square:
        pen.box(-half, -half, half, half, case.flange_color, 5, shader=shine)
        spots = [(0.88 * half * sx, 0.88 * half * sy) for sx in (-1, 1) for sy in (-1, 1)]
    else:
        pen.disc(0, 0, half, case.flange_color, shader=shine)
        ring = (100 + half) / 2
        spots = [(ring * math.sin(t), -ring * math.cos(t)) for t in (0.0, 2.094, 4.189)]
    for x, y in spots:
        pen.disc(x, y, hole, (15, 15, 15), 0.85)
        pen.circle(x, y, hole, lighten(case.flange_color, 0.4), 0.8, 0.6)


def _rim(pen: Pen, case: Case, shader: object) -> None:
    """The front of the bezel alone: a gradient over the whole disc would cost five times as much."""
    wide = min(case.bezel + 1.0, 50.0)
    half, tall = 100.0 - wide / 2, 100.0 * case.aspect - wide / 2
    if case.shape == "round":
        pen.oval_ring(0, 0, half, tall, wide, shader)
    else:
        pen.box(-half, -tall, half, tall, (0, 0, 0), max(0.0, case.corner - wide / 2), shader=shader, stroke=wide)


def _bezel(pen: Pen, case: Case, rng: np.random.Generator) -> None:
    color = case.bezel_color
    _shape(pen, case, 100.0, lighten(color, -0.35) if case.bezel_style != "none" else color)  # seen at a slant: its inner wall
    if case.bezel_style == "none":
        pass
    elif case.bezel_style == "metal":
        _rim(pen, case, sweep(0, 0, _metal(color, rng)))
        _lips(pen, case, color, rng)
        if case.shape == "round":
            for _ in range(int(rng.integers(0, 3))):
                ring, width = 100 - case.bezel * float(rng.uniform(0.12, 0.88)), case.bezel * float(rng.uniform(0.06, 0.35))
                pen.circle(
                    0, 0, ring, lighten(color, float(rng.choice([-0.85, -0.6, 0.5, 0.9]))), width, float(rng.uniform(0.25, 0.8))
                )
    else:
        shade = linear(
            (-70, -90),
            (70, 90),
            [rgba(lighten(color, f)) for f in (float(rng.uniform(0.05, 0.35)), 0.0, float(rng.uniform(-0.4, -0.05)))],
        )
        _rim(pen, case, shade)
        if rng.random() < 0.55:
            _gloss(pen, case, rng)
    if case.bezel_style == "stepped":
        _shape(pen, case, 100 - case.bezel * 0.45, lighten(color, float(rng.uniform(-0.7, 0.3))))
    if case.bezel > 2.5:
        rim = 100 - case.bezel + 0.9
        if case.shape == "round" and case.aspect == 1.0:
            pen.circle(0, 0, rim, (0, 0, 0), 1.8, 0.5)
            pen.circle(0, 0, 99.3, lighten(color, -0.6), 1.2, 0.7)


def _across(case: Case, part: float, width: float) -> tuple[float, float, float]:
    """Half axes and width of a line along the bezel; `part` 0 at its outer edge and 1 at its inner one."""
    at = 100.0 - case.bezel * part
    return at, at - 100.0 * (1.0 - case.aspect), case.bezel * width


def _lips(pen: Pen, case: Case, color: Color, rng: np.random.Generator) -> None:
    """The rounded edges of a metal rim: one side of each catches the light, the other lies in shade."""
    turn = float(rng.normal(-2.3, 0.6))
    x, y = 100 * math.cos(turn), 100 * math.sin(turn)
    bright, dark = float(rng.uniform(0.6, 0.95)), float(rng.uniform(-0.8, -0.4))
    for part, width, near_end, far_end in ((0.07, 0.14, bright, dark), (0.88, 0.24, dark, bright)):
        half, tall, wide = _across(case, part, width)
        shader = linear((x, y), (-x, -y), [rgba(lighten(color, f)) for f in (near_end, 0.15, far_end)])
        if case.shape == "round":
            pen.oval_ring(0, 0, half, tall, max(wide, 0.7), shader)
        else:
            pen.box(-half, -tall, half, tall, color, max(0.0, case.corner - wide), shader=shader, stroke=max(wide, 0.7))


def _gloss(pen: Pen, case: Case, rng: np.random.Generator) -> None:
    """A lamp mirrored in a painted rim: a white line that fades on both sides."""
    turn, level = float(rng.normal(-2.0, 0.9)), float(rng.uniform(0.25, 0.8))
    x, y = 100 * math.cos(turn), 100 * math.sin(turn)
    half, tall, wide = _across(case, float(rng.uniform(0.2, 0.6)), float(rng.uniform(0.08, 0.3)))
    white = (255, 255, 255)
    shader = linear((x, y), (-x, -y), [rgba(white, level), rgba(white, 0.0), rgba(white, 0.0), rgba(white, 0.3 * level)])
    if case.shape == "round":
        pen.oval_ring(0, 0, half, tall, max(wide, 0.5), shader)
    else:
        pen.box(-half, -tall, half, tall, white, max(0.0, case.corner - 1), shader=shader, stroke=max(wide, 0.5))


def face_half(case: Case) -> float:
    """Half width of the opening that shows the face."""
    return 100.0 - case.bezel - case.ring


def shade_face(pen: Pen, case: Case, light: Light, rng: np.random.Generator) -> None:
    """Uneven light on the face and the bezel's shadow along its inner edge (drawn over the print)."""
    half = face_half(case)
    turn = rng.uniform(0, 2 * math.pi)
    start, end = (half * math.cos(turn), half * math.sin(turn)), (-half * math.cos(turn), -half * math.sin(turn))
    dark = light.shade * rng.uniform(0.2, 1.0)
    shader = linear(start, end, [rgba((0, 0, 0), dark * 0.55), rgba((128, 128, 128), 0.0), rgba((255, 255, 255), dark * 0.2)])
    if dark > 0.1:
        pen.box(-half, -half * case.aspect, half, half * case.aspect, (0, 0, 0), shader=shader)
    if case.recess > 1:
        shadow = math.radians(light.shadow_deg)
        shift = (-math.sin(shadow) * case.recess * 0.5, math.cos(shadow) * case.recess * 0.5)
        if case.shape == "round":
            edge = radial(
                shift[0],
                shift[1],
                half * 1.02,
                [rgba((0, 0, 0), 0.0), rgba((0, 0, 0), 0.0), rgba((0, 0, 0), light.shadow)],
                [0.0, 0.84 + 0.08 * (1 - light.softness), 1.0],
            )
            wide = half - max(0.0, 0.83 * half - math.hypot(*shift))  # nothing is dark farther in
            pen.oval_ring(0, 0, half - wide / 2, half - wide / 2, wide, edge)
        else:
            tall = half * case.aspect
            pen.box(
                -half + shift[0] - 6,
                -tall + shift[1] - 6,
                half + shift[0] + 6,
                tall + shift[1] + 6,
                (0, 0, 0),
                stroke=13,
                alpha=light.shadow * 0.8,
                blur=3.5,
            )


RUST = ((112, 62, 34), (134, 80, 40), (84, 48, 30))


def wear_case(pen: Pen, case: Case, pose: Pose, wear: Wear, rng: np.random.Generator) -> None:
    """Rust and paint along the bezel and oil running down from it; the face stays free."""
    middle, width = 100.0 - case.bezel / 2, max(case.bezel, 2.0)
    with pen.plane(pose.homography(case.recess)):
        for _ in range(int(40 * wear.rust)):
            x, y = _on_bezel(case, middle + width * float(rng.normal(0, 0.2)), rng)
            size = min(width * 0.5, float(rng.exponential(1.6)) + 0.4)
            pen.oval(x, y, size, size * float(rng.uniform(0.5, 1.3)), RUST[int(rng.integers(3))], float(rng.uniform(0.3, 0.85)))
        color = (int(rng.integers(20, 250)), int(rng.integers(20, 250)), int(rng.integers(20, 250)))
        for _ in range(wear.paint):
            x, y = _on_bezel(case, middle, rng)
            pen.disc(x, y, min(width * 0.5, float(rng.uniform(0.8, 4.5))), color, 0.95)
    if wear.oil > 0:
        with pen.plane(pose.homography(0.0)):
            low = 100.0 * case.aspect
            for _ in range(int(1 + 4 * wear.oil)):
                x, long = float(rng.normal(0, 30)), float(rng.uniform(8, 50))
                pen.polyline(
                    [(x, low - 3), (x + float(rng.normal(0, 3)), low + long)], (30, 22, 12), float(rng.uniform(1.5, 6)), 0.6
                )


def _on_bezel(case: Case, radius: float, rng: np.random.Generator) -> tuple[float, float]:
    turn = float(rng.uniform(0, 2 * math.pi))
    x, y = math.cos(turn), math.sin(turn)
    if case.shape != "round":
        longest = max(abs(x), abs(y))
        x, y = x / longest, y / longest
    return radius * x, y * (case.aspect * 100.0 - (100.0 - radius))
