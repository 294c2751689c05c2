"""The digit reader: a row of digits at a known place, in colour and at a larger scale than print.

Rows of a display differ from print: their point is a tenth as high as the digits, segments have gaps and ghosts, and
drums behind the point differ from those before it in colour alone. So rows have a network of their own, which spells
digits, point and sign, and spells nothing where no such row stands. It begins as the line reader, whose kind it is, and
is trained and decoded as that is.
"""

from __future__ import annotations

from pathlib import Path

import torch

from vision.line_crop import DIGITS_SHAPE
from vision.line_reader import MODEL_FILE, LineNetwork, LineReader, encode_line

SHIPPED_DIGITS = Path(__file__).parent / "weights" / "digits"
DIGITS = "0123456789.-"


class DigitNetwork(LineNetwork):
    """Crops (B, 3, 32, W), standardised -> log-probabilities (B, W / 4, 1 + digits, point and sign)."""

    def __init__(self) -> None:
        super().__init__(colors=3, characters=DIGITS)


class DigitReader(LineReader):
    """Reads rows of digits of displays and counters."""

    network_type = DigitNetwork
    characters = DIGITS
    shape = DIGITS_SHAPE
    shipped = SHIPPED_DIGITS


def digits_shipped() -> bool:
    """Whether weights of a digit reader come with the package."""
    return (SHIPPED_DIGITS / MODEL_FILE).is_file()


@torch.no_grad()
def digits_of_lines(lines: LineReader) -> DigitReader:
    """A digit reader that reads what the line reader reads: its first layer sees the mean of the colours."""
    network = DigitNetwork()
    state = {name: tensor.clone() for name, tensor in lines.network.state_dict().items()}
    first = "eyes.0.0.weight"
    state[first] = state[first].repeat(1, 3, 1, 1) / 3.0
    kept = [0, *encode_line(DIGITS)]
    for name in ("spell.weight", "spell.bias"):
        state[name] = state[name][kept]
    network.load_state_dict(state)
    return DigitReader(network)
