"""Which signals a source's model is fitted on, and in which direction each of them may speak."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CHOSEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "numerals": ("weight", "witness", "own_differs", "needle_moved", "token_scale_min"),
        "printed_scale": ("own_confidence", "point_needle_tip", "spread_needle_tip", "needle_sd", "kind", "size", "sharpness"),
        "digits": ("looks_sure", "own_sure", "looks_agree", "same_digits", "digits", "row_px", "kind", "size", "sharpness"),
    }
)
"""By source: the few signals that a model is fitted on. With 26 wrong values among 306, the sixteen signals of before rank
values little better than chance (cross-validated AUROC .52 to .63 by the folds), these five do (.68 to .74)."""
SIGNS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys(
        (
            *("size", "squareness", "contrast", "sharpness", "located", "kind", "needle_px", "needle_found"),
            *("needle_contrast", "numerals", "witness", "unit_printed", "weight", "weakest", "complete", "row_px"),
            *("point_needle_tip", "point_pivot", "point_scale_start", "point_scale_end", "own_confidence"),
            *("token_scale_min", "token_scale_max", "token_scale_fraction", "token_pointer_angle", "token_clockwise"),
            *("own_sure", "token_digits", "looks_sure", "looks_agree", "same_digits"),
            *("ends_met", "ends_at_numerals", "numerals_met", "places_met"),
        ),
        1,
    )
    | dict.fromkeys(
        (
            *("glare", "needle_glare", "needle_sd", "needle_moved", "needle_token", "rivals", "red_rival", "long_rival"),
            *("red_taken", "own_differs", "own_span", "ring", "noise", "bend", "beyond", "from_numeral", "end_interval"),
            *("spread_needle_tip", "spread_pivot", "spread_scale_start", "spread_scale_end", "other_scales", "tilted"),
            "texts_left",
        ),
        -1,
    )
)
"""Which way a signal may speak: 1 for the value, -1 against it. Signals not named here may speak either way."""
