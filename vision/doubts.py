"""The named reason of an abstention: which doubt weighs most among the signals of a value.

A probability alone helps nobody at the instrument. The signals are grouped by what a person could change or check;
the group that takes most from the log odds gives the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DOUBTS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "too_small": (
            "the instrument is small in the photo; move closer",
            ("size", "needle_px", "row_px"),
        ),
        "blurred": ("the photo is blurred or has little contrast", ("sharpness", "contrast")),
        "glare": ("glare lies over the needle", ("glare", "needle_glare")),
        "needle": (
            "the needle was not found for certain",
            (
                *("needle_found", "needle_sd", "needle_length", "needle_moved", "needle_token", "needle_contrast"),
                *("point_needle_tip", "point_pivot", "spread_needle_tip", "spread_pivot", "token_pointer_angle"),
            ),
        ),
        "hands": (
            "there are two hands, and nothing tells which one measures",
            ("rivals", "red_rival", "long_rival", "red_taken", "needle_red", "plain_hand"),
        ),
        "scales": (
            "two readings of the scale disagree",
            ("own_differs", "own_span", "other_scales", "same_digits", "looks_agree"),
        ),
        "digits": ("the digits could not be made out for certain", ("looks_sure", "own_sure", "token_digits", "digits", "rows")),
        "scale": ("too little of the scale could be read", ()),
    }
)
"""By name: the sentence, and the signals that speak for it. The last one takes all other signals."""
DIGIT_DOUBT, SCALE_DOUBT = "digits", "scale"


def why_two_hands(signals: Mapping[str, float]) -> str | None:
    """The reason not to state a value read off a red hand beside a plain one that is a needle itself; else None.

    Whatever else supports such a value, it is mostly the maximum's: numerals and marks fit either hand alike.
    """
    return DOUBTS["hands"][0] if signals.get("plain_hand", 0.0) > 0.0 else None


def name_doubt(source: str, contributions: Mapping[str, float]) -> str:
    """The doubt (a key of DOUBTS) that takes most from the log odds of a value of this source."""
    rest = DIGIT_DOUBT if source == "digits" else SCALE_DOUBT
    group = {signal: name for name, (_, signals) in DOUBTS.items() for signal in signals}
    totals: dict[str, float] = {}
    for signal, added in contributions.items():
        name = group.get(signal, rest)
        totals[name] = totals.get(name, 0.0) + min(added, 0.0)
    if not totals or min(totals.values()) >= 0.0:
        return rest
    return min(totals, key=lambda name: (totals[name], name))


def why_not_stated(source: str, contributions: Mapping[str, float], probability: float) -> str:
    """The reason of an abstention for lack of support, as a sentence with the probability."""
    sentence = DOUBTS[name_doubt(source, contributions)][0]
    return f"{sentence} (a value would be right with a probability of {probability:.0%} only)"
