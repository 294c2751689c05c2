"""The line reader: one small network that reads a line of print or of segments at a known place.

It spells numerals, units, rows of digits and drums of counters, and spells nothing where nothing of that kind stands:
other words, ticks, parts of a needle. Trained by connectionist temporal classification (Graves et al., 2006), so the
probability of any spelling can be asked for, which is how units are told (`vision.unit_witness`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from vision.inference import for_inference
from vision.line_crop import PRINT_SHAPE, CropShape, LineImage, LinePlace, Pixels, crop_scale, crop_width, line_crop

SHIPPED_LINES = Path(__file__).parent / "weights" / "lines"
MODEL_FILE, CARD_FILE = "model.safetensors", "card.json"
CHARACTERS = '0123456789.-+/%°"xABCDEFGHIKLMNOPRSTUVabcdefghiklmnoprstuvwzWкгсм'
"""What can be spelled. Superscripts and subscripts are spelled as their digits, a multiplication sign as x."""
BLANK = 0
STEP_PX = 4
BATCH = 64
UNLIKELY = 1e-9
"""Probability below which a text is not worth its paths: nothing that is stated depends on it."""

Floats = NDArray[np.float32]


class LineWeightsError(ValueError):
    """A folder without the weights of a line reader, or with another one's."""


class LineReading(NamedTuple):
    """What stands at a place: the text (empty where nothing is read), its probability, and each character's.

    `confidence` is the probability of exactly this text; `log_probs` (T, 1 + characters) allows to ask for another.
    """

    text: str
    confidence: float
    characters: tuple[float, ...]
    place: LinePlace
    log_probs: Floats


_PLAIN = str.maketrans({"²": "2", "³": "3", "₂": "2", "×": "x", "·": ".", "'": "", "º": "°", "％": "%", ",": "."})


def plain_line(text: str) -> str | None:
    """The text as the reader spells it, without spaces; None where it has characters that it cannot spell."""
    plain = "".join(text.replace("℃", "°C").replace("℉", "°F").split()).translate(_PLAIN)
    return plain if all(character in CHARACTERS for character in plain) else None


def encode_line(text: str, characters: str = CHARACTERS) -> list[int]:
    """Classes of a plain text, 1 for the first character."""
    return [1 + characters.index(character) for character in text]


def lines_shipped() -> bool:
    """Whether weights of a line reader come with the package."""
    return (SHIPPED_LINES / MODEL_FILE).is_file()


class _Residual(nn.Module):
    """Depthwise and pointwise convolution along the line, added to what comes in."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.depth = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width, bias=False)
        self.norm = nn.BatchNorm1d(width)
        self.point = nn.Sequential(nn.Conv1d(width, 2 * width, 1), nn.GELU(), nn.Conv1d(2 * width, width, 1))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.point(self.norm(self.depth(x)))  # type: ignore[no-any-return]


def _block(inputs: int, outputs: int, kernel: tuple[int, int] = (3, 3), stride: tuple[int, int] = (1, 1)) -> nn.Sequential:
    padding = (kernel[0] // 2, kernel[1] // 2)
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class LineNetwork(nn.Module):
    """Crops (B, colors, 32, W), standardised -> log-probabilities (B, W / 4, 1 + characters); 0.55 M parameters."""

    def __init__(self, width: int = 144, colors: int = 1, characters: str = CHARACTERS) -> None:
        super().__init__()
        self.eyes = nn.Sequential(
            _block(colors, 16),
            nn.MaxPool2d(2),  # 16 x W/2
            _block(16, 40),
            nn.MaxPool2d(2),  # 8 x W/4
            _block(40, 96),
            _block(96, 96),
            nn.MaxPool2d((2, 1)),  # 4 x W/4
        )
        self.flatten = nn.Sequential(nn.Conv1d(4 * 96, width, 3, padding=1, bias=False), nn.BatchNorm1d(width), nn.ReLU())
        self.line = nn.Sequential(_Residual(width, 5), _Residual(width, 5), _Residual(width, 7))
        self.spell = nn.Conv1d(width, 1 + len(characters), 1)

    def forward(self, crops: Tensor) -> Tensor:
        seen = self.eyes(crops)  # (B, 96, 4, W/4)
        h = self.flatten(seen.flatten(1, 2))  # (B, width, W/4)
        return self.spell(self.line(h)).float().log_softmax(1).transpose(1, 2)  # type: ignore[no-any-return]


def standardised(crops: Pixels | Sequence[Pixels]) -> Tensor:
    """Crops (B, H, W) or (B, H, W, 3) uint8 as float (B, 1 or 3, H, W), each with mean 0 and deviation 1.

    Exposure and contrast do not count.
    """
    stacked = torch.from_numpy(np.stack(list(crops))).float()
    pixels = stacked[:, None] if stacked.ndim == 3 else stacked.permute(0, 3, 1, 2)
    mean, deviation = pixels.mean((1, 2, 3), keepdim=True), pixels.std((1, 2, 3), keepdim=True)
    return (pixels - mean) / (deviation + 4.0)


def load_line_card(folder: Path) -> dict[str, Any]:
    """The card beside the weights of a folder. Raises LineWeightsError where one of the two is missing."""
    file, card_file = folder / MODEL_FILE, folder / CARD_FILE
    if not file.is_file() or not card_file.is_file():
        raise LineWeightsError(f"{folder} holds no line reader: {MODEL_FILE} and {CARD_FILE} are needed")
    card: dict[str, Any] = json.loads(card_file.read_text(encoding="utf-8"))
    return card


class LineReader:
    """Reads lines with one network that is loaded once."""

    network_type: ClassVar[type[nn.Module]] = LineNetwork
    characters: ClassVar[str] = CHARACTERS
    shape: ClassVar[CropShape] = PRINT_SHAPE
    shipped: ClassVar[Path] = SHIPPED_LINES

    def __init__(self, network: nn.Module, card: dict[str, Any] | None = None) -> None:
        self.network = network.eval()
        self.card = card or {}
        self._ready = for_inference(network)

    @classmethod
    def load(cls, folder: Path | None = None) -> Self:
        """The reader of a weights folder. Raises LineWeightsError where it holds none, or one of other characters."""
        folder = folder or cls.shipped
        card = load_line_card(folder)
        if card.get("characters") != cls.characters:
            raise LineWeightsError(f"the line reader in {folder} spells {card.get('characters')!r}, not {cls.characters!r}")
        network = cls.network_type()
        network.load_state_dict({name: tensor.float() for name, tensor in load_file(folder / MODEL_FILE).items()})
        return cls(network, card)

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write half-precision weights and their card."""
        folder.mkdir(parents=True, exist_ok=True)
        state = {name: t.half() if t.is_floating_point() else t for name, t in self.network.state_dict().items()}
        save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / MODEL_FILE)
        text = json.dumps({**card, "characters": self.characters}, indent=1, ensure_ascii=False)
        (folder / CARD_FILE).write_text(text + "\n", encoding="utf-8")

    def read_lines(self, image: Pixels | LineImage, places: Sequence[LinePlace]) -> tuple[LineReading, ...]:
        """What stands at each place of the image (uint8 RGB or grey). Raises LineError for an unusable image or place."""
        source = image if isinstance(image, LineImage) else LineImage(image, color=self.shape.color)
        result: list[LineReading | None] = [None] * len(places)
        by_width: dict[int, list[int]] = {}
        for index, place in enumerate(places):
            by_width.setdefault(crop_width(place, self.shape), []).append(index)
        for width, indices in by_width.items():
            crops = [line_crop(source, places[index], width, self.shape) for index in indices]
            for start in range(0, len(crops), BATCH):
                batch = indices[start : start + BATCH]
                scores = self.log_probs(crops[start : start + BATCH])
                for index, reading in zip(batch, read_scores(scores, [places[i] for i in batch], self.characters), strict=True):
                    result[index] = reading
        return tuple(reading for reading in result if reading is not None)

    @torch.inference_mode()
    def log_probs(self, crops: Sequence[Pixels]) -> Floats:
        """Log-probabilities (B, T, 1 + characters) of crops of one width."""
        pixels = standardised(crops).contiguous(memory_format=torch.channels_last)
        return np.asarray(self._ready(pixels).numpy(), np.float32)


def read_scores(scores: Floats, places: Sequence[LinePlace], characters: str = CHARACTERS) -> list[LineReading]:
    """The text on the best path at each place, from scores (B, T, 1 + characters); repeats collapse and blanks vanish."""
    emitted = np.exp(scores.astype(np.float64))
    spelled: list[str] = []
    sure: list[tuple[float, ...]] = []
    for best, seen in zip(scores.argmax(2), scores, strict=True):
        runs = _runs(best)
        spelled.append("".join(characters[int(best[start]) - 1] for start, _ in runs))
        sure.append(tuple(float(np.exp(seen[start:end, best[start]].max())) for start, end in runs))
    confidences = np.exp(path_log_probs(emitted, np.arange(len(scores)), spelled, characters))
    rows = zip(spelled, confidences.tolist(), sure, places, scores, strict=True)
    return [LineReading(*row) for row in rows]


def _runs(best: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Start and end of each run of one character on a best path (T,), without the blanks."""
    starts = np.flatnonzero(np.diff(best, prepend=-1))
    ends = np.append(starts[1:], len(best))
    return [(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True) if best[start] != BLANK]


def character_places(reading: LineReading, shape: CropShape = PRINT_SHAPE) -> tuple[float, ...]:
    """Where each character of the reading stands along the line, in pixels of the image from the place's centre."""
    best = reading.log_probs.argmax(1)
    width = STEP_PX * len(best)
    scale = crop_scale(reading.place, width, shape)
    return tuple(((start + end) / 2.0 * STEP_PX - width / 2.0) / scale for start, end in _runs(best))


def text_log_probs(scores: Floats, texts: Sequence[str], characters: str = CHARACTERS) -> NDArray[np.float64]:
    """Log-probability (B, S) of each text for each of the scores (B, T, 1 + characters): the sum over all paths.

    It is -inf for texts that surely have less than `UNLIKELY`: most of a lexicon, for a reading of one line.
    """
    found = np.full((len(scores), len(texts)), -np.inf)
    counts = np.zeros((len(texts), scores.shape[2]))
    for row, text in enumerate(texts):
        for label in encode_line(text, characters):
            counts[row, label] += 1.0
    emitted = np.exp(scores.astype(np.float64))
    # Steps are independent: a text is at most as likely as the product of its characters' sums over all steps.
    bounds = np.log(np.clip(emitted.sum(1), 1e-300, 1.0)) @ counts.T  # (B, S)
    rows, columns = np.nonzero(bounds >= math.log(UNLIKELY))
    if len(rows):
        found[rows, columns] = path_log_probs(emitted, rows, [texts[int(column)] for column in columns], characters)
    return found


def path_log_probs(
    emitted: NDArray[np.float64], rows: NDArray[np.int64], texts: Sequence[str], characters: str
) -> NDArray[np.float64]:
    """Log-probability (P,) of each text at its row of the emissions (B, T, 1 + characters), by the forward algorithm."""
    states = 2 * max(len(text) for text in texts) + 1
    labels = np.zeros((len(texts), states), np.int64)
    for row, text in enumerate(texts):
        labels[row, 1 : 2 * len(text) : 2] = encode_line(text, characters)
    last = np.array([2 * len(text) for text in texts])
    skip = np.zeros_like(labels, bool)
    skip[:, 2:] = (labels[:, 2:] != BLANK) & (labels[:, 2:] != labels[:, :-2])
    steps = emitted.transpose(1, 0, 2)
    with np.errstate(divide="ignore"):
        alpha = np.zeros((len(texts), states))
        alpha[:, :2] = steps[0][rows[:, None], labels[:, :2]]
        shift = np.zeros(len(texts))
        for step in steps[1:]:
            moved = alpha.copy()
            moved[:, 1:] += alpha[:, :-1]
            moved[:, 2:] += np.where(skip[:, 2:], alpha[:, :-2], 0.0)
            alpha = moved * step[rows[:, None], labels]
            total = alpha.sum(1)
            total[total == 0.0] = 1.0
            alpha /= total[:, None]
            shift += np.log(total)
        pairs = np.arange(len(texts))
        ends = alpha[pairs, last] + np.where(last > 0, alpha[pairs, np.maximum(last - 1, 0)], 0.0)
        return np.asarray(np.log(ends) + shift)
