"""A dial before it is drawn up: what a kind of instrument fixes, the rest is sampled as on any face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from synth.sample_case import Layout
from synth.sample_zones import Arc
from synth.spec import Case, Scale


@dataclass(frozen=True, slots=True)
class Draft:
    """What is fixed: `base` is the family (needle, case, print), `scale` and where it lies.

    `numerals_at`, `sizes` and `size` say which values carry numbers and how large; `arcs` are coloured ranges and `words`
    lie over ranges of the scale, both in its values. `dark` is the share of dark faces, None for the family's own; `hands`
    the share of set hands, `further` of a second scale, `third` of a third where there is a second. `blocks` draws the
    major ticks as blocks; `rest` is the share of needles at rest.
    """

    base: str
    case: Case
    layout: Layout
    scale: Scale
    numerals_at: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()
    size: float = 1.0
    unsigned: bool = False
    plus: bool = False
    arcs: tuple[Arc, ...] = ()
    place: Literal["outside", "ticks", "inside", "broad"] = "ticks"
    words: tuple[tuple[float, float, str], ...] = ()
    dark: float | None = None
    hands: float | None = None
    further: float = 0.0
    third: float = 0.0
    side: Scale | None = None
    blocks: bool = False
    rest: float | None = None

    @property
    def fixes_print(self) -> bool:
        """Whether the numbers are not those of any face: then signs and sizes come from here."""
        return bool(self.numerals_at) or self.unsigned or self.plus or self.size != 1.0
