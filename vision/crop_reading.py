"""What the Donut says of the crops of a photo: fields, evidence points by several looks, places of print, votes on classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import torch

from vision.adapter import Adapter
from vision.class_value import CLASS_FIELD, ClassVotes, class_votes
from vision.crops import Pixels, View, cut, read_view
from vision.dense import DenseOutput, read_points
from vision.donut import GaugeDonut
from vision.encoder import HybridEncoderOutput
from vision.fields import EvidencePoints, GaugeFields
from vision.generate import Chosen, field_choices, generate
from vision.generate import Sequence as Decoded
from vision.locate import FoundBox
from vision.looks import Look, Places, agree
from vision.print_places import PrintPlaces, print_places
from vision.state_reader import StateReader
from vision.targets import to_pixel_values
from vision.tokens import TokenError, decode


@dataclass(frozen=True)
class CropReading:
    """A found instrument on its way: box in image pixels, its view, what the Donut said of it."""

    box: FoundBox
    view: View
    fields: GaugeFields | None
    problem: str | None
    chosen: dict[str, list[Chosen]]
    points: EvidencePoints
    point_confidence: dict[str, float]
    point_spread: dict[str, float]
    printed: PrintPlaces
    votes: ClassVotes | None = None

    @property
    def side_px(self) -> float:
        """The longer side of its box."""
        x0, y0, x1, y1 = self.box.box
        return max(x1 - x0, y1 - y0)

    @property
    def is_lamp(self) -> bool:
        """Whether the Donut calls it a lamp."""
        return self.fields is not None and self.fields.kind == "lamp"


@torch.inference_mode()
def read_crops(
    model: GaugeDonut,
    images: Sequence[Pixels],
    boxes: Sequence[FoundBox],
    adapters: Sequence[Adapter | None],
    looks: Sequence[Look],
    device: str,
    states: StateReader | None = None,
) -> list[CropReading]:
    """Read boxes in one batch, each also by further `looks`; for each box its image, and an adapter or none.

    `states`, where it is there, looks at lamps and selectors too.
    """
    views = [read_view(found.box, model.config.image_size) for found in boxes]
    encoded = [_encode(model, images, views, adapters, device)]
    dense = model.dense_maps(encoded[0])
    places = [_places(dense, views)]
    for look in looks:
        turned = [look.of(view) for view in views]
        encoded.append(_encode(model, images, turned, adapters, device))
        places.append(_places(model.dense_maps(encoded[-1]), turned))
    sequences = generate(model, encoded[0], "read")
    printed = print_places(dense, views)
    crops: list[CropReading] = []
    for row, (found, view, sequence) in enumerate(zip(boxes, views, sequences, strict=True)):
        fields, problem = _decode(sequence)
        seen = agree([place[row] for place in places])
        is_class = fields is not None and fields.kind in CLASS_FIELD
        votes = class_votes(model, encoded, row, fields.kind) if fields is not None and is_class else None
        crops.append(CropReading(found, view, fields, problem, field_choices(sequence), *seen, printed[row], votes))
    return crops if states is None else _with_states(states, images, crops)


def _with_states(states: StateReader, images: Sequence[Pixels], crops: Sequence[CropReading]) -> list[CropReading]:
    """The crops with what the state reader sees of the lamps and selectors among them, those of an image in one batch."""
    asked = [(image, crop.box.box) for image, crop in zip(images, crops, strict=True) if crop.votes is not None]
    of_images = [list(rows) for _, rows in groupby(asked, key=lambda row: id(row[0]))]
    seen = iter([one for rows in of_images for one in states.read_states(rows[0][0], [box for _, box in rows])])
    return [
        replace(crop, votes=crop.votes.with_seen(crop.fields.kind, next(seen)))
        if crop.votes is not None and crop.fields is not None
        else crop
        for crop in crops
    ]


def _encode(
    model: GaugeDonut, images: Sequence[Pixels], views: Sequence[View], adapters: Sequence[Adapter | None], device: str
) -> HybridEncoderOutput:
    pixels = to_pixel_values(np.stack([cut(image, view) for image, view in zip(images, views, strict=True)])).to(device)
    return model.encode(pixels, adapters)


def _places(dense: DenseOutput, views: Sequence[View]) -> list[Places]:
    """Where each view's evidence points lie in the image."""
    estimate = read_points(dense.points)
    rows = zip(views, estimate.xy.tolist(), estimate.mass.tolist(), strict=True)
    return [Places(tuple(view.to_photo((x, y)) for x, y in xy), tuple(mass)) for view, xy, mass in rows]


def _decode(sequence: Decoded) -> tuple[GaugeFields | None, str | None]:
    """The fields of a decoded sequence, or the reason why they cannot be spelled."""
    try:
        fields = decode(sequence.ids)
    except TokenError as error:
        return None, f"the model's answer could not be understood ({error})"
    if fields is None:
        return None, None
    # Bins read out by expectation are finer than the bin itself.
    exact: dict[str, float] = {}
    for name, choices in field_choices(sequence).items():
        place = choices[0].place if choices else None
        if place is not None and getattr(fields, name, None) is not None:
            exact[name] = place
    return fields.model_copy(update=exact), None
