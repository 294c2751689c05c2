"""Looks of faces: textures, coloured centres, mirror bands, windows on the mechanism, relief of the print."""

from __future__ import annotations

from synth.draw import Rng, any_color, between, chance, luma, near, pick
from synth.face_look import FaceLook, Texture
from synth.spec import Color, DialSpec

TEXTURES: dict[str, tuple[Texture, ...]] = {
    "pressure": ("plain", "plain", "plain", "vignette", "gradient", "paper", "brushed", "turned"),
    "thermometer": ("plain", "plain", "vignette", "gradient", "brushed", "turned", "anodised", "paper"),
    "transformer": ("plain", "plain", "plain", "vignette", "anodised", "paper"),
    "automotive": ("plain", "vignette", "gradient", "anodised", "turned", "brushed"),
}
COMMON: tuple[Texture, ...] = ("plain", "plain", "plain", "gradient", "vignette", "paper", "anodised")


def sample_face(rng: Rng, spec: DialSpec, style: str) -> FaceLook:
    """The look of a face, chosen after its scales and before its print."""
    art, face = spec.art, spec.face_color
    inner = min(abs(look.numeral_radius) - 0.7 * look.numeral_size for look in (art, *(a for _, a in spec.further_scales)))
    inner = min(inner, art.radius - art.major_length - 2)
    whole = spec.scale.sweep_deg > 200
    center, color = 0.0, face
    if whole and inner > 22 and chance(rng, 0.08):
        center, color = inner * between(rng, 0.45, 0.97), _center_color(rng, face, art.color)
    mirror = (0.0, 0.0)
    if style in ("pressure", "panel", "wild") and not spec.further_scales and luma(face) > 120 and chance(rng, 0.05):
        room = art.radius - art.major_length
        if art.numeral_radius > art.radius or art.numeral_radius + 0.6 * art.numeral_size < room - 6:
            mirror = (room - 5.0, room - 1.0)
    opening = 0.0
    if whole and style in ("pressure", "thermometer", "wild") and inner > 30 and center == 0 and chance(rng, 0.03):
        opening = min(inner - 4, between(rng, 16, 34))
    relief = between(rng, 0.25, 0.6) * (1 if chance(rng, 0.7) else -1) if chance(rng, 0.06) else 0.0
    return FaceLook(
        texture=pick(rng, TEXTURES.get(style, COMMON)),
        grain=between(rng, 0.2, 1.0),
        center_radius=center,
        center_color=color,
        mirror=mirror,
        opening=opening,
        relief=relief,
        rim_line=between(rng, 1.5, 4) if spec.case.shape == "round" and chance(rng, 0.06) else 0.0,
    )


def _center_color(rng: Rng, face: Color, ink: Color) -> Color:
    """A colour that print in the scale's ink still stands out from."""
    for _ in range(6):
        color = any_color(rng) if chance(rng, 0.4) else near(rng, face, 40)
        if abs(luma(color) - luma(ink)) > 90:
            return color
    return near(rng, face, 6)
