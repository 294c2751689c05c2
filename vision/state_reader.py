"""The state reader: a lamp's colour and a selector's position, seen closely; a second witness beside the Donut.

The Donut spells these classes from a view in which a selector's marks are hardly a pixel wide. This small network sees
a lamp or a selector alone, a few times a little shifted and turned, and its probabilities are averaged over the looks.
It also says whether what it sees is a lamp, a selector or neither.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from vision.crops import Pixels, View, cut
from vision.fields import Box, Point
from vision.inference import for_inference
from vision.state_network import STATE_MARGIN, STATE_PX, StateNetwork, to_network

SHIPPED_STATES = Path(__file__).parent / "weights" / "states"
MODEL_FILE, CARD_FILE = "model.safetensors", "card.json"
BATCH = 32

Floats = NDArray[np.float64]


class StateWeightsError(ValueError):
    """A folder without the weights of a state reader, or with another one's."""


class StateLook(NamedTuple):
    """One look at a box: its middle moved by `shift` (shares of the longer side), its size multiplied, turned."""

    shift: Point
    size: float
    roll_deg: float


STATE_LOOKS = (StateLook((0.0, 0.0), 1.0, 0.0), StateLook((0.03, -0.02), 1.08, -5.0), StateLook((-0.03, 0.02), 0.94, 5.0))


class StateSeen(NamedTuple):
    """Mean probabilities of a box: kinds (3,) as STATE_KINDS, colours (4,) as LAMP_COLORS, positions (5,)."""

    kinds: Floats
    colors: Floats
    positions: Floats


def states_shipped() -> bool:
    """Whether weights of a state reader come with the package."""
    return (SHIPPED_STATES / MODEL_FILE).is_file()


def state_view(box: Box, look: StateLook = STATE_LOOKS[0]) -> View:
    """What the reader sees of a box."""
    side = max(box[2] - box[0], box[3] - box[1], 1.0)
    center = ((box[0] + box[2]) / 2.0 + look.shift[0] * side, (box[1] + box[3]) / 2.0 + look.shift[1] * side)
    return View(center, side * look.size * (1.0 + 2.0 * STATE_MARGIN), STATE_PX, look.roll_deg)


class StateReader:
    """Reads states with one network that is loaded once."""

    side_of_box = 1.0 + 2.0 * STATE_MARGIN

    def __init__(
        self, network: StateNetwork, card: dict[str, Any] | None = None, looks: Sequence[StateLook] = STATE_LOOKS
    ) -> None:
        self.network = network.eval()
        self.card = card or {}
        self._ready = for_inference(network)
        self.looks = tuple(looks)

    @classmethod
    def load(cls, folder: Path | None = None) -> StateReader:
        """The reader of a weights folder. Raises StateWeightsError where it holds none that fit."""
        folder = folder or SHIPPED_STATES
        network = StateNetwork()
        try:
            card: dict[str, Any] = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
            state = {name: tensor.float() for name, tensor in load_file(folder / MODEL_FILE).items()}
            network.load_state_dict(state)
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise StateWeightsError(
                f"{folder} holds no state reader that can be used ({error}): "
                f"{MODEL_FILE} and {CARD_FILE} of one training are needed"
            ) from error
        return cls(network, card)

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write half-precision weights and their card."""
        folder.mkdir(parents=True, exist_ok=True)
        state = {name: t.half() if t.is_floating_point() else t for name, t in self.network.state_dict().items()}
        save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / MODEL_FILE)
        (folder / CARD_FILE).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @torch.inference_mode()
    def read_states(self, image: Pixels, boxes: Sequence[Box]) -> tuple[StateSeen, ...]:
        """What is seen in each box of an RGB image, all boxes and looks in one batch (of BATCH crops at the most)."""
        if not boxes:
            return ()
        crops = np.stack([cut(image, state_view(box, look)) for box in boxes for look in self.looks])
        heads: list[list[Floats]] = [[], [], []]
        for start in range(0, len(crops), BATCH):
            output = self._ready(to_network(torch.from_numpy(crops[start : start + BATCH])))
            for found, logits in zip(heads, (output.kind, output.color, output.position), strict=True):
                found.append(np.asarray(logits.double().softmax(1).numpy()))
        means = [np.concatenate(found).reshape(len(boxes), len(self.looks), -1).mean(1) for found in heads]
        return tuple(StateSeen(*seen) for seen in zip(*means, strict=True))
