"""A thin pen over skia: fills, strokes and text in face units on planes given by a homography."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import skia
from numpy.typing import NDArray

from synth.fonts import font_for, typeface
from synth.spec import Color, Vec

Shader = Any


@lru_cache(maxsize=4096)
def _font(name: str, size_hundredths: int, condensed_hundredths: int, slant_hundredths: int = 0) -> tuple[Any, float]:
    """A font and its cap height; sizes are rounded so that the cache stays small."""
    font = skia.Font(typeface(name), size_hundredths / 100, condensed_hundredths / 100, -slant_hundredths / 100)
    font.setSubpixel(True)
    font.setLinearMetrics(True)
    font.setHinting(skia.FontHinting.kNone)
    return font, float(font.getMetrics().fCapHeight)


@lru_cache(maxsize=256)
def _blur(sigma_hundredths: int) -> Any:
    return skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, sigma_hundredths / 100)


class Pen:
    """Draws on an RGBA picture of `height` x `width` pixels; `plane` sets where face units lie."""

    def __init__(self, width: int, height: int) -> None:
        self.pixels: NDArray[np.uint8] = np.full((height, width, 4), 255, np.uint8)
        self._surface = skia.Surface(self.pixels, colorType=skia.kRGBA_8888_ColorType)
        self.canvas = self._surface.getCanvas()

    @contextmanager
    def plane(self, homography: NDArray[np.float64]) -> Iterator[None]:
        """Draw in the units of a plane that `homography` maps to pixels."""
        self.canvas.save()
        self.canvas.concat(skia.Matrix.MakeAll(*[float(v) for v in homography.ravel()]))
        try:
            yield
        finally:
            self.canvas.restore()

    @contextmanager
    def clip_disc(self, x: float, y: float, radius_x: float, radius_y: float | None = None) -> Iterator[None]:
        path = skia.Path()
        tall = radius_x if radius_y is None else radius_y
        path.addOval(skia.Rect.MakeLTRB(x - radius_x, y - tall, x + radius_x, y + tall))
        with self._clip(path):
            yield

    @contextmanager
    def clip_box(self, x0: float, y0: float, x1: float, y1: float, corner: float = 0.0) -> Iterator[None]:
        path = skia.Path()
        path.addRoundRect(skia.Rect.MakeLTRB(x0, y0, x1, y1), corner, corner)
        with self._clip(path):
            yield

    @contextmanager
    def _clip(self, path: Any) -> Iterator[None]:
        self.canvas.save()
        self.canvas.clipPath(path, skia.ClipOp.kIntersect, True)
        try:
            yield
        finally:
            self.canvas.restore()

    def paint(self, color: Color, alpha: float = 1.0, blur: float = 0.0, shader: Shader = None, stroke: float = 0.0) -> Any:
        paint = skia.Paint(AntiAlias=True)
        paint.setColor(skia.Color(*color, int(255 * min(max(alpha, 0.0), 1.0))))
        if shader is not None:
            paint.setShader(shader)
        if blur > 0.02:
            paint.setMaskFilter(_blur(round(blur * 100)))
        if stroke > 0:
            paint.setStyle(skia.Paint.kStroke_Style)
            paint.setStrokeWidth(stroke)
        return paint

    def polygon(self, points: Sequence[Vec], color: Color, alpha: float = 1.0, blur: float = 0.0, shader: Shader = None) -> None:
        path = skia.Path()
        path.addPoly([skia.Point(x, y) for x, y in points], True)
        self.canvas.drawPath(path, self.paint(color, alpha, blur, shader))

    def polyline(self, points: Sequence[Vec], color: Color, width: float, alpha: float = 1.0, blur: float = 0.0) -> None:
        path = skia.Path()
        path.addPoly([skia.Point(x, y) for x, y in points], False)
        paint = self.paint(color, alpha, blur, None, width)
        paint.setStrokeCap(skia.Paint.kRound_Cap)
        paint.setStrokeJoin(skia.Paint.kRound_Join)
        self.canvas.drawPath(path, paint)

    def disc(
        self, x: float, y: float, radius: float, color: Color, alpha: float = 1.0, blur: float = 0.0, shader: Shader = None
    ) -> None:
        if blur > 0.02 and shader is None:  # a gradient looks the same and costs a tenth of a blurred mask
            size = radius + 1.6 * blur
            colors = [rgba(color, alpha), rgba(color, alpha * 0.5), rgba(color, 0.0)]
            shader, blur = radial(x, y, size, colors, [max(0.0, (radius - 1.6 * blur) / size), radius / size, 1.0]), 0.0
            radius = size
        self.canvas.drawCircle(x, y, radius, self.paint(color, alpha, blur, shader))

    def circle(
        self, x: float, y: float, radius: float, color: Color, width: float, alpha: float = 1.0, blur: float = 0.0
    ) -> None:
        self.canvas.drawCircle(x, y, radius, self.paint(color, alpha, blur, None, width))

    def oval(
        self, x: float, y: float, rx: float, ry: float, color: Color, alpha: float = 1.0, blur: float = 0.0, shader: Shader = None
    ) -> None:
        self.canvas.drawOval(skia.Rect.MakeLTRB(x - rx, y - ry, x + rx, y + ry), self.paint(color, alpha, blur, shader))

    def oval_ring(self, x: float, y: float, rx: float, ry: float, width: float, shader: Shader) -> None:
        """A shaded ring `width` across, about the middle line of the oval rx, ry."""
        paint = self.paint((0, 0, 0), shader=shader, stroke=width)
        self.canvas.drawOval(skia.Rect.MakeLTRB(x - rx, y - ry, x + rx, y + ry), paint)

    def box(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        color: Color,
        corner: float = 0.0,
        alpha: float = 1.0,
        blur: float = 0.0,
        shader: Shader = None,
        stroke: float = 0.0,
    ) -> None:
        if blur > 0.02 and shader is None and stroke == 0.0:
            self._soft_box(x0, y0, x1, y1, color, corner, alpha, blur)
            return
        self.canvas.drawRoundRect(
            skia.Rect.MakeLTRB(x0, y0, x1, y1), corner, corner, self.paint(color, alpha, blur, shader, stroke)
        )

    def _soft_box(
        self, x0: float, y0: float, x1: float, y1: float, color: Color, corner: float, alpha: float, blur: float
    ) -> None:
        """Nested boxes instead of a blurred mask, which takes twenty times as long on a tilted plane."""
        steps = 6 if blur < 5 else 14  # coarse steps of a wide shadow would be seen
        paint = self.paint(color, 1 - (1 - min(alpha, 0.98)) ** (1 / steps))
        for k in range(steps):
            grow = 1.5 * blur * (1 - 2 * (k + 0.5) / steps)
            if x1 - x0 + 2 * grow > 0 and y1 - y0 + 2 * grow > 0:
                rect = skia.Rect.MakeLTRB(x0 - grow, y0 - grow, x1 + grow, y1 + grow)
                round_by = max(0.0, corner + blur + grow)
                self.canvas.drawRoundRect(rect, round_by, round_by, paint)

    def segments(self, ends: Sequence[Vec], color: Color, width: float) -> None:
        """Separate line segments: points 0-1, 2-3, ..."""
        if ends:
            self.canvas.drawPoints(
                skia.Canvas.PointMode.kLines_PointMode, [skia.Point(x, y) for x, y in ends], self.paint(color, stroke=width)
            )

    def dots(self, points: Sequence[Vec], color: Color, size: float, alpha: float = 1.0) -> None:
        """Round dots `size` across, in one call."""
        paint = self.paint(color, alpha, stroke=size)
        paint.setStrokeCap(skia.Paint.kRound_Cap)
        self.canvas.drawPoints(skia.Canvas.PointMode.kPoints_PointMode, [skia.Point(x, y) for x, y in points], paint)

    def arc(self, x: float, y: float, radius: float, start_deg: float, sweep_deg: float, color: Color, width: float) -> None:
        """Part of a circle; angles clockwise from 6 o'clock."""
        rect = skia.Rect.MakeLTRB(x - radius, y - radius, x + radius, y + radius)
        self.canvas.drawArc(rect, start_deg + 90.0, sweep_deg, False, self.paint(color, stroke=width))

    def text_width(self, text: str, size: float, font_name: str, condensed: float = 1.0) -> float:
        font, _ = _font(font_for(text, font_name), max(1, round(size * 100)), round(condensed * 100))
        return float(font.measureText(text))

    def text(
        self,
        text: str,
        x: float,
        y: float,
        size: float,
        font_name: str,
        color: Color,
        angle_deg: float = 0.0,
        condensed: float = 1.0,
        alpha: float = 1.0,
        blur: float = 0.0,
        slant: float = 0.0,
    ) -> None:
        """Text centred at (x, y): by its advance across and by its capitals' height."""
        font_name = font_for(text, font_name)
        font, cap = _font(font_name, max(1, round(size * 100)), round(condensed * 100), round(slant * 100))
        width = float(font.measureText(text))
        paint = self.paint(color, alpha, blur)
        if angle_deg == 0.0:
            self.canvas.drawString(text, x - width / 2, y + cap / 2, font, paint)
            return
        self.canvas.save()
        self.canvas.translate(x, y)
        self.canvas.rotate(angle_deg)
        self.canvas.drawString(text, -width / 2, cap / 2, font, paint)
        self.canvas.restore()


def rgba(color: Color, alpha: float = 1.0) -> int:
    """A colour as skia's shaders take it."""
    return int(skia.Color(*color, int(255 * min(max(alpha, 0.0), 1.0))))


def sweep(x: float, y: float, colors: Sequence[int]) -> Shader:
    return skia.GradientShader.MakeSweep(x, y, list(colors))


def radial(x: float, y: float, radius: float, colors: Sequence[int], stops: Sequence[float] | None = None) -> Shader:
    return skia.GradientShader.MakeRadial(skia.Point(x, y), radius, list(colors), None if stops is None else list(stops))


def linear(start: Vec, end: Vec, colors: Sequence[int]) -> Shader:
    return skia.GradientShader.MakeLinear([skia.Point(*start), skia.Point(*end)], list(colors))


def lighten(color: Color, part: float) -> Color:
    """Towards white for a positive part, towards black for a negative one."""
    goal = 255 if part > 0 else 0
    red, green, blue = (int(c + (goal - c) * abs(part)) for c in color)
    return red, green, blue
