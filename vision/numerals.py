"""Printed text on an instrument: packaged OCR run for short numbers, with a place for every character.

The models (PP-OCRv4 detection and recognition, Apache-2.0) lie inside the wheel of `rapidocr-onnxruntime`;
nothing is downloaded. The package's own pipeline turns every tall box by a quarter, which loses a lone
"1" or "0", and gives no place to a number inside a longer text ("100 150"); so detection and the
recognition network are taken from it, and cropping, orientation and decoding are done here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.fields import Point
from vision.ocr_graph import with_fewer_steps
from vision.text_strips import Floats, Pixels, Strip, TextPatch, cut_box, cut_patch, ink_color

DETECTION_SIDE_PX = 736
"""Long side at which text is looked for: numerals of a dial filling the crop are then 20 to 50 px high."""
FINE_SIDE_PX = 1024
"""Long side of a second look, where the first did not suffice."""
MAX_ENLARGEMENT = 4.0
STRIP_HEIGHT_PX = 48
STRIP_WIDTHS_PX = (96, 192, 320, 640)
MIN_CONFIDENCE = 0.4
LENGTH_BONUS = 0.2
MAX_TEXTS = 80


class NumeralError(ValueError):
    """An image or a geometry that text cannot be read from."""


class PrintedText(NamedTuple):
    """One piece of printed text; pixels are those of the image that was passed.

    `angle_deg` is the direction of reading, clockwise from the x axis to the right; `character_centers`
    has one point for every character of `text`; `color` is the mean ink in RGB.
    """

    text: str
    center: Point
    height_px: float
    width_px: float
    angle_deg: float
    confidence: float
    color: tuple[float, float, float]
    character_centers: tuple[Point, ...]


class Look(NamedTuple):
    """All text that was read, and the boxes in which something stands that was not."""

    texts: tuple[PrintedText, ...]
    unread: tuple[TextPatch, ...] = ()


class _Decoded(NamedTuple):
    text: str
    confidence: float
    positions: tuple[float, ...]  # of every character along the strip, 0 to 1


class NumeralReader:
    """Reads printed text from crops. The networks are loaded on first use, one thread each."""

    def __init__(self, detection_side_px: int = DETECTION_SIDE_PX) -> None:
        self.detection_side_px = detection_side_px

    def read(self, crop: Pixels, *, turn_deg: float = 0.0) -> tuple[PrintedText, ...]:
        """All printed text of `crop`, as `look` finds it."""
        return self.look(crop, turn_deg=turn_deg).texts

    def look(self, crop: Pixels, *, turn_deg: float = 0.0, known: Sequence[PrintedText] = ()) -> Look:
        """All printed text of `crop` (uint8 RGB, H x W x 3), best first found, and unread boxes, in the crop's own pixels.

        `turn_deg` turns the picture clockwise before looking, for dials photographed sideways; the
        places that come back are still the crop's own. What stands where `known` texts do is not read again, nor told.
        Raises NumeralError where it is not such an image.
        """
        if crop.ndim != 3 or crop.shape[2] != 3 or crop.dtype != np.uint8 or min(crop.shape[:2]) < 8:
            raise NumeralError(f"expected a uint8 RGB crop of at least 8 x 8 px, got {crop.dtype} {crop.shape}")
        picture, back = _prepare(crop, self.detection_side_px, turn_deg)
        networks = _networks()
        corners = [box for box in networks.find_boxes(picture) if not _is_known(box, back, known)][:MAX_TEXTS]
        if not corners:
            return Look(())
        strips: list[Strip] = []
        owners: list[int] = []
        for index, box in enumerate(corners):
            for strip in cut_box(picture, box):
                strips.append(strip)
                owners.append(index)
        decoded = networks.recognise([strip.pixels for strip in strips])
        best: dict[int, int] = {}
        for number, owner in enumerate(owners):
            if owner not in best or _worth(decoded[number]) > _worth(decoded[best[owner]]):
                best[owner] = number
        found = [_placed(strips[n], decoded[n], back) for n in best.values()]
        sure = [bool(decoded[n].text) and decoded[n].confidence >= MIN_CONFIDENCE for n in best.values()]
        unread = [
            TextPatch(text.center, text.width_px, text.height_px, text.angle_deg)
            for text, known in zip(found, sure, strict=True)
            if not known
        ]
        return Look(tuple(text for text, known in zip(found, sure, strict=True) if known), tuple(unread))

    def read_patches(self, crop: Pixels, patches: Sequence[TextPatch]) -> tuple[PrintedText | None, ...]:
        """What stands in each patch, without looking for text first; None where nothing is recognised."""
        strips = [cut_patch(crop, patch) for patch in patches]
        unmoved = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        decoded = _networks().recognise([strip.pixels for strip in strips]) if strips else []
        return tuple(
            _placed(strip, what, unmoved) if what.text and what.confidence >= MIN_CONFIDENCE else None
            for strip, what in zip(strips, decoded, strict=True)
        )


class _Networks:
    """The two networks of the package, single-threaded, with decoding of our own."""

    def __init__(self) -> None:
        from rapidocr_onnxruntime import RapidOCR

        engine = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)
        self._detector: Any = engine.text_det
        self._recogniser: Any = engine.text_rec.session
        for loaded in (self._detector.infer, self._recogniser):
            loaded.session = _shortened(loaded.session)
        self._characters: list[str] = list(engine.text_rec.postprocess_op.character)
        # The picture already has its size: the detector must not enlarge it again.
        self._detector.limit_type, self._detector.limit_side_len = "min", 32

    def find_boxes(self, picture: Pixels) -> list[Floats]:
        """Corners (4, 2) of text boxes, clockwise from the top left, from top to bottom."""
        boxes, _ = self._detector(np.ascontiguousarray(picture[..., ::-1]))
        if boxes is None or len(boxes) == 0:
            return []
        return sorted((np.asarray(box, float) for box in boxes), key=lambda box: (box[0][1], box[0][0]))

    def recognise(self, strips: Sequence[Pixels]) -> list[_Decoded]:
        """Text of level strips; strips of like width share a batch, so that short numbers are cheap."""
        import cv2

        sized: list[tuple[int, int, Pixels]] = []
        for index, strip in enumerate(strips):
            width = math.ceil(STRIP_HEIGHT_PX * strip.shape[1] / strip.shape[0])
            width = int(min(max(width, 12), STRIP_WIDTHS_PX[-1]))
            sized.append((index, width, np.asarray(cv2.resize(strip, (width, STRIP_HEIGHT_PX)), np.uint8)))
        result: list[_Decoded] = [_Decoded("", 0.0, ())] * len(strips)
        for lower, padded in zip((0, *STRIP_WIDTHS_PX[:-1]), STRIP_WIDTHS_PX, strict=True):
            group = [item for item in sized if lower < item[1] <= padded]
            for start in range(0, len(group), 8):
                part = group[start : start + 8]
                batch = np.zeros((len(part), 3, STRIP_HEIGHT_PX, padded), np.float32)
                for row, (_, width, pixels) in enumerate(part):
                    batch[row, :, :, :width] = pixels[..., ::-1].transpose(2, 0, 1) / 127.5 - 1.0
                for (index, width, _), scores in zip(part, self._recogniser(batch)[0], strict=True):
                    result[index] = self._decode(scores, padded / width)
        return result

    def _decode(self, scores: NDArray[np.float32], stretch: float) -> _Decoded:
        """Greedy CTC: repeated symbols collapse, blanks vanish, each character keeps its place."""
        best = scores.argmax(axis=1)  # (T,)
        steps = len(best)
        text, positions, confidences = [], [], []
        start = 0
        while start < steps:
            end = start
            while end + 1 < steps and best[end + 1] == best[start]:
                end += 1
            if best[start] != 0:
                text.append(self._characters[best[start]])
                positions.append(min(1.0, ((start + end) / 2.0 + 0.5) / steps * stretch))
                confidences.append(float(scores[start : end + 1, best[start]].max()))
            start = end + 1
        return _Decoded("".join(text), float(np.mean(confidences)) if confidences else 0.0, tuple(positions))


def _shortened(session: Any) -> Any:
    """The network of one of the package's sessions with fewer steps, in a session with the same options."""
    from onnxruntime import InferenceSession

    model = with_fewer_steps(Path(session._model_path).read_bytes())
    return InferenceSession(model, session.get_session_options(), providers=session.get_providers())


def _worth(decoded: _Decoded) -> float:
    """Of two ways to read a tall box: a single sure letter of a turned number is worth less than the whole number."""
    return decoded.confidence * (1.0 + LENGTH_BONUS * (len(decoded.text) - 1))


@lru_cache(maxsize=1)
def _networks() -> _Networks:
    return _Networks()


def _prepare(crop: Pixels, side_px: int, turn_deg: float) -> tuple[Pixels, Floats]:
    """The picture to look at, and the 2 x 3 matrix from its pixels back to the crop's."""
    import cv2

    height, width = crop.shape[:2]
    scale = min(side_px / max(height, width), MAX_ENLARGEMENT)
    turn = math.radians(turn_deg)
    cos, sin = math.cos(turn), math.sin(turn)
    new_width = max(32, round(scale * (abs(width * cos) + abs(height * sin)) / 32) * 32)
    new_height = max(32, round(scale * (abs(width * sin) + abs(height * cos)) / 32) * 32)
    rotation = scale * np.array([[cos, -sin], [sin, cos]])
    shift = np.array([new_width / 2, new_height / 2]) - rotation @ np.array([width / 2, height / 2])
    forward = np.column_stack([rotation, shift])
    if scale < 0.5:  # bilinear sampling would alias: shrink by areas first
        small = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        shrunk = forward.copy()
        shrunk[:, :2] /= scale
        picture = cv2.warpAffine(small, shrunk, (new_width, new_height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    else:
        picture = cv2.warpAffine(crop, forward, (new_width, new_height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(picture, np.uint8), np.asarray(cv2.invertAffineTransform(forward), float)


def _placed(strip: Strip, decoded: _Decoded, back: Floats) -> PrintedText:
    """The decoded strip in the crop's pixels."""
    turn = back[:, :2]
    scale = float(np.sqrt(abs(np.linalg.det(turn))))
    along, down = turn @ strip.along, turn @ strip.down
    origin = turn @ strip.origin + back[:, 2]
    middle = origin + 0.5 * (along + down)
    places = tuple(_point(origin + position * along + 0.5 * down) for position in decoded.positions)
    return PrintedText(
        text=decoded.text,
        center=_point(middle),
        height_px=float(np.hypot(*strip.down)) * scale,
        width_px=float(np.hypot(*strip.along)) * scale,
        angle_deg=math.degrees(math.atan2(along[1], along[0])),
        confidence=decoded.confidence,
        color=ink_color(strip.pixels),
        character_centers=places,
    )


def _is_known(box: Floats, back: Floats, known: Sequence[PrintedText]) -> bool:
    """Whether the middle of a box lies in the core of a text that is known already."""
    middle = _point(back[:, :2] @ box.mean(axis=0) + back[:, 2])
    return any(math.dist(middle, text.center) < 0.5 * text.height_px for text in known)


def _point(values: Floats) -> Point:
    return float(values[0]), float(values[1])
