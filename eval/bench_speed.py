"""`python -m eval.bench_speed`: ways to run the encoder on one core, by seconds a view and by what they change.

The encoder is what the Donut's time goes to. Each way reads the same drawn dials, in turn, so that what else the machine
does falls on all alike; what it gives is set against single precision as trained: how far evidence points move and whether
the decoded fields stay the same. A way whose packages are not here is named with the reason. ONNX needs the packages
`onnx` and `onnxscript`, which reading does not.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from eval.bench import one_thread
from eval.score import Number, median
from eval.sweep_scenes import dial_scene
from eval.sweeps import flat_draw
from vision.crops import cut, whole_view
from vision.dense import read_points
from vision.donut import GaugeDonut, load
from vision.encoder import HybridEncoderOutput
from vision.fields import Contract
from vision.generate import generate
from vision.inference import for_inference
from vision.targets import to_pixel_values
from vision.weights_folder import weights_folder

FIRST_DIAL = 900
Encode = Callable[[Tensor], HybridEncoderOutput]


class WaySpeed(Contract):
    """One way to run the encoder: processor seconds a view, and what it changes against single precision as trained.

    `points_moved_px`: the greatest distance that an evidence point moves, in pixels of the view; `same_fields`: of how
    many views the decoded tokens are the same. `missing` says why a way could not be measured.
    """

    way: str
    median_s: Number | None = None
    points_moved_px: Number | None = None
    same_fields: int | None = None
    views: int = 0
    missing: str | None = None


class _Parts(nn.Module):
    """The encoder with its maps as a plain tuple, which can be exported."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, pixels: Tensor) -> tuple[Tensor, ...]:
        output = self.encoder(pixel_values=pixels)
        return output.last_hidden_state, output.grid, output.stride_8, output.stride_4


def measure_ways(model: GaugeDonut, views: Tensor, *, rounds: int = 3, only: Sequence[str] = ("",)) -> tuple[WaySpeed, ...]:
    """Seconds and changes of the ways over views (V, 3, S, S), one at a time, `rounds` times each.

    Ways whose name has none of the words `only` in it are left out; single precision as trained is always measured.
    """
    ready = for_inference(model)
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode(), one_thread():
        encoders: dict[str, Encode] = {}
        missing: dict[str, str] = {}
        for way, build in _builders(model, ready, views[:1], Path(folder)).items():
            if way != "torch" and not any(word in way for word in only):
                continue
            try:
                encoders[way] = build()
                encoders[way](views[:1])
            except Exception as error:  # whatever a library raises that cannot do it here
                encoders.pop(way, None)
                missing[way] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:160]}"
        spent: dict[str, list[float]] = {way: [] for way in encoders}
        order = list(encoders)
        for _ in range(rounds):
            for view in views:
                for way in order:
                    # Of this thread: a library's idle helpers may turn in their own.
                    began = time.thread_time()
                    encoders[way](view[None])
                    spent[way].append(time.thread_time() - began)
                # No way always comes behind the same other, whose leavings in the caches it would pay for.
                order = [*order[1:], order[0]] if len(spent[way]) % 2 else order[::-1]
        changes = {way: _changes(ready, encode, encoders["torch"], views) for way, encode in encoders.items()}
    measured = [
        WaySpeed(way=way, median_s=median(spent[way]), points_moved_px=moved, same_fields=same, views=len(views))
        for way, (moved, same) in changes.items()
    ]
    return (*measured, *(WaySpeed(way=way, missing=reason) for way, reason in missing.items()))


def _builders(model: GaugeDonut, ready: GaugeDonut, view: Tensor, folder: Path) -> Mapping[str, Callable[[], Encode]]:
    return {
        "torch": lambda: model.encode,
        "torch, norms folded, channels last": lambda: ready.encode,
        "torch.compile": lambda: _of_parts(torch.compile(_Parts(ready.donut.encoder))),
        "torch, int8 weights (dynamic)": lambda: _of_parts(_int8(_Parts(ready.donut.encoder))),
        "onnxruntime": lambda: _of_parts(_session(_export(model, view, folder / "encoder.onnx"))),
        "onnxruntime, int8 (dynamic)": lambda: _of_parts(_session(_quantised(model, view, folder))),
    }


def _of_parts(run: Callable[[Tensor], Any]) -> Encode:
    def encode(pixels: Tensor) -> HybridEncoderOutput:
        hidden, grid, stride_8, stride_4 = run(pixels)
        return HybridEncoderOutput(last_hidden_state=hidden, grid=grid, stride_8=stride_8, stride_4=stride_4)

    return encode


def _int8(parts: nn.Module) -> nn.Module:
    with _plain_attention():
        quantised: nn.Module = torch.ao.quantization.quantize_dynamic(parts, {nn.Linear}, dtype=torch.qint8)  # type: ignore[no-untyped-call]
    return quantised


def _export(model: GaugeDonut, view: Tensor, path: Path) -> Path:
    # A copy: tracing leaves the encoder that it ran through three times as slow.
    parts = _Parts(deepcopy(model.donut.encoder))
    with _plain_attention(), torch.inference_mode(False), torch.no_grad():
        torch.onnx.export(parts, (view.clone(),), str(path), dynamo=False, opset_version=17)
    return path


def _quantised(model: GaugeDonut, view: Tensor, folder: Path) -> Path:
    from onnxruntime.quantization import quantize_dynamic

    path = folder / "encoder_int8.onnx"
    quantize_dynamic(_export(model, view, folder / "encoder_for_int8.onnx"), path)
    return path


def _session(path: Path) -> Callable[[Tensor], Iterator[Tensor]]:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def run(pixels: Tensor) -> Iterator[Tensor]:
        return (torch.from_numpy(part) for part in session.run(None, {name: pixels.numpy()}))

    return run


@contextlib.contextmanager
def _plain_attention() -> Iterator[None]:
    """Transformer layers by their plain steps: their fused kernel can be neither exported nor quantised."""
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


def _changes(heads: GaugeDonut, encode: Encode, trained: Encode, views: Tensor) -> tuple[float, int]:
    moved, same = 0.0, 0
    for view in views:
        first, second = trained(view[None]), encode(view[None])
        places = [read_points(heads.dense_maps(one).points).xy for one in (first, second)]
        moved = max(moved, float((places[0] - places[1]).norm(dim=-1).max()) * views.shape[-1])
        same += generate(heads, first, "read")[0].ids == generate(heads, second, "read")[0].ids
    return moved, same


def drawn_views(count: int, size: int) -> Tensor:
    """Drawn dials as the read task sees them: (count, 3, size, size)."""
    draw = flat_draw()
    photos = [draw(dial_scene(FIRST_DIAL + number)) for number in range(count)]
    views = [cut(photo, whole_view(photo.shape[1], photo.shape[0], size)) for photo in photos]
    return to_pixel_values(np.stack(views))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.bench_speed", description=__doc__.splitlines()[0])
    parser.add_argument("--views", type=int, default=6, help="drawn dials to read (default 6)")
    parser.add_argument("--rounds", type=int, default=3, help="times that each is read (default 3)")
    asked = parser.parse_args()
    if asked.views < 1 or asked.rounds < 1:
        parser.error(f"--views and --rounds must be at least 1, got {asked.views} and {asked.rounds}")
    model = load(weights_folder(None))
    for row in measure_ways(model, drawn_views(asked.views, model.config.image_size), rounds=asked.rounds):
        print(row.model_dump_json(exclude_none=True))


if __name__ == "__main__":
    main()
