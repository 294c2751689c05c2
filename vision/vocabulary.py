"""The vocabulary of the gauge tokens: bins, characters, classes, field names, and the numbers they have.

The order is part of every trained model: append, never reorder.
"""

from __future__ import annotations

from typing import Final

from vision.fields import KINDS, LAMP_COLORS
from vision.units import UNIT_NAMES

ANGLE_BIN_DEG: Final = 1.0
FRACTION_BIN: Final = 0.005
FRACTION_LOW: Final = -0.5
ANGLE_BINS: Final = 360
FRACTION_BINS: Final = 401
LOCATION_BINS: Final = 257
NUMBER_CHARS: Final = "0123456789.-+e"

ANGLE_FIELDS: Final = ("pointer_angle", "start_angle", "end_angle")
NUMBER_FIELDS: Final = ("scale_min", "scale_max", "scale_multiplier")
CORE_SLOTS: Final[dict[str, tuple[str, ...]]] = {
    "dial": (
        "start_angle",
        "end_angle",
        "clockwise",
        "pointer_angle",
        "scale_fraction",
        "scale_min",
        "scale_max",
        "scale_multiplier",
        "unit",
    ),
    "digital": ("digital_readout", "unit"),
    "counter": ("digital_readout", "unit"),
    "lamp": ("warning_light_color",),
    "selector": ("mode_dial_position",),
}
SCALAR_FIELDS: Final = (
    "start_angle",
    "end_angle",
    "clockwise",
    "pointer_angle",
    "scale_fraction",
    "scale_min",
    "scale_max",
    "scale_multiplier",
    "unit",
    "warning_light_color",
    "mode_dial_position",
    "digital_readout",
)
LIST_FIELDS: Final = ("scale_points", "channels")
CHANNEL_FIELDS: Final = ("label", "color", "pointer_angle", "scale_min", "scale_max", "unit", "digital_readout")

PAD, END, READ, LOCATE, NOTHING, NONE = "<pad>", "</s>", "<s_read>", "<s_locate>", "<nothing>", "<none>"
POINT_OPEN, CHANNEL_OPEN, BOX_OPEN = "<s_scale_point>", "<s_channel>", "<s_box>"


def field_token(name: str) -> str:
    return f"<s_{name}>"


def channel_token(name: str) -> str:
    return f"<s_channel_{name}>"


VOCABULARY: Final[tuple[str, ...]] = (
    PAD,
    END,
    READ,
    LOCATE,
    NOTHING,
    NONE,
    POINT_OPEN,
    CHANNEL_OPEN,
    BOX_OPEN,
    *(field_token(name) for name in SCALAR_FIELDS),
    *(channel_token(name) for name in CHANNEL_FIELDS),
    *NUMBER_CHARS,
    *(f"kind:{kind}" for kind in KINDS),
    "clockwise:true",
    "clockwise:false",
    *(f"unit:{unit}" for unit in UNIT_NAMES),
    *(f"lamp:{color}" for color in LAMP_COLORS),
    *(f"mode:{position}" for position in range(1, 6)),
    *(f"angle:{i}" for i in range(ANGLE_BINS)),
    *(f"fraction:{i}" for i in range(FRACTION_BINS)),
    *(f"location:{i}" for i in range(LOCATION_BINS)),
    *(f"byte:{i}" for i in range(256)),
)
ID: Final[dict[str, int]] = {token: index for index, token in enumerate(VOCABULARY)}
ANGLE_0, FRACTION_0, LOCATION_0 = ID["angle:0"], ID["fraction:0"], ID["location:0"]
PAD_ID, END_ID, READ_ID, LOCATE_ID, NOTHING_ID, NONE_ID = (ID[t] for t in (PAD, END, READ, LOCATE, NOTHING, NONE))
