"""Bases compared: the same few steps for the small hybrid, Donut's own Swin and a plain ViT, by size, seconds and accuracy.

`python -m eval.bases OUT --data FOLDER --validation FOLDER`. No hub is needed: the last two start untrained, as `small`
does without its ImageNet stem, and the table says so. A folder or hub id of trained weights can be added by `--base`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from transformers import DonutSwinConfig, DonutSwinModel, MBartForCausalLM, VisionEncoderDecoderModel, ViTConfig, ViTModel

from eval.ablation import AblationRow, run_ablation
from vision.donut import DonutConfig, decoder_config, load
from vision.fields import Contract
from vision.generate import generate

TABLE_FILE = "bases.json"
TIMED_CROPS = 15
STRIDE = 16
LARGEST_WINDOW = 12


class BaseRow(Contract):
    """One base after the table's steps. `seconds_a_crop`: median of encoding, maps and decoding one crop, one thread."""

    parameters: int
    seconds_a_crop: float
    scores: AblationRow


class BasesTable(Contract):
    """All bases after the same steps of the same views."""

    steps: int
    image_size: int
    batch_size: int
    rows: tuple[BaseRow, ...]


def write_untrained_swin(folder: Path, image_size: int) -> None:
    """An untrained Donut encoder (Kim et al., 2022: a windowed Swin) that ends at stride 16 as `small` does, and MBart."""
    last = image_size // STRIDE
    window = max(size for size in range(1, LARGEST_WINDOW + 1) if last % size == 0)
    encoder = DonutSwinModel(
        DonutSwinConfig(
            image_size=image_size, patch_size=4, embed_dim=64, depths=[2, 2, 6], num_heads=[2, 4, 8], window_size=window
        )
    )
    _write(folder, encoder, int(encoder.config.hidden_size))


def write_untrained_vit(folder: Path, image_size: int) -> None:
    """An untrained plain transformer over 16-pixel patches, the encoder of Pix2Struct and TrOCR, and MBart."""
    encoder = ViTModel(
        ViTConfig(
            image_size=image_size,
            patch_size=16,
            hidden_size=256,
            num_hidden_layers=8,
            num_attention_heads=8,
            intermediate_size=1024,
            hidden_dropout_prob=0.0,
        ),
        add_pooling_layer=False,
    )
    _write(folder, encoder, 256)


def _write(folder: Path, encoder: Any, width: int) -> None:
    decoder = MBartForCausalLM(decoder_config(DonutConfig(hidden_size=width)))
    VisionEncoderDecoderModel(encoder=encoder, decoder=decoder).save_pretrained(folder)


def compare_bases(
    out: Path,
    data: Sequence[Path],
    validation: Sequence[Path],
    *,
    steps: int,
    image_size: int = 96,
    batch_size: int = 32,
    more: Sequence[str] = (),
    small: Mapping[str, Any] | None = None,
) -> BasesTable:
    """Train every base on dataset folders `data`, score it on `validation`; runs and `bases.json` lie below `out`.

    `more`: hub ids or folders of further Donuts. `small` changes the small hybrid's shape. Raises DonutError where
    one cannot be loaded.
    """
    swin, vit = out / "swin", out / "vit"
    for folder, write in ((swin, write_untrained_swin), (vit, write_untrained_vit)):
        torch.manual_seed(0)
        write(folder, image_size)
    variants: dict[str, dict[str, Any]] = {
        "small, ImageNet stem": {"model": dict(small or {})},
        "small, untrained stem": {"model": {**(small or {}), "pretrained_stem": False}},
        "Donut's Swin, untrained": {"model": {"base": str(swin)}},
        "plain ViT, untrained": {"model": {"base": str(vit)}},
        **{base: {"model": {"base": base}} for base in more},
    }
    rows = []
    for number, (name, changes) in enumerate(variants.items()):
        run = out / f"base_{number}"
        table = run_ablation(
            run, data, validation, steps=steps, image_size=image_size, batch_size=batch_size, variants={name: changes}
        )
        (weights,) = (path.parent for path in run.glob("*/model.safetensors"))
        parameters, seconds = _size_and_seconds(weights, image_size)
        rows.append(BaseRow(parameters=parameters, seconds_a_crop=seconds, scores=table.rows[0]))
    result = BasesTable(steps=steps, image_size=image_size, batch_size=batch_size, rows=tuple(rows))
    (out / TABLE_FILE).write_text(result.model_dump_json(indent=1), encoding="utf-8")
    return result


@torch.inference_mode()
def _size_and_seconds(weights: Path, image_size: int) -> tuple[int, float]:
    model = load(weights)
    crop = torch.zeros(1, 3, image_size, image_size)
    seconds = []
    for _ in range(TIMED_CROPS + 2):
        # The processor's own time: neighbours on a shared machine do not count.
        started = time.process_time()
        encoded = model.encode(crop)
        model.dense_maps(encoded)
        generate(model, encoded, "read")
        seconds.append(time.process_time() - started)
    return model.parameters_count, round(statistics.median(seconds[2:]), 4)


def bases_markdown(table: BasesTable) -> str:
    """The table for README and the model card."""
    lines = [
        f"After {table.steps} steps of {table.batch_size} views at {table.image_size} px, held-out pictures, one core:",
        "",
        "| base | parameters | seconds a crop | seconds of training | needle by points | classes | characters |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in table.rows:
        scores = row.scores
        shares = [f"{share:.0%}" if share is not None else "-" for share in (scores.class_accuracy, scores.character_accuracy)]
        needle = "-" if scores.points_needle_median_deg is None else f"{scores.points_needle_median_deg:.1f}°"
        size = f"{row.parameters / 1e6:.1f} M | {row.seconds_a_crop:.2f} | {scores.seconds:.0f}"
        lines.append(f"| {scores.variant} | {size} | {needle} | {' | '.join(shares)} |")
    return "\n".join(lines)


def main(
    out: Annotated[Path, typer.Argument(help="Folder for the runs and the table.")],
    data: Annotated[list[Path], typer.Option("--data", help="Dataset folder to train on.")],
    validation: Annotated[list[Path], typer.Option("--validation", help="Dataset folder to score on.")],
    steps: Annotated[int, typer.Option("--steps", min=1, help="Training steps of each base.")] = 350,
    image_size: Annotated[int, typer.Option("--image-size", min=64, help="Side of a view in pixels, a multiple of 32.")] = 96,
    base: Annotated[list[str] | None, typer.Option("--base", help="Hub id or folder of a further Donut.")] = None,
) -> None:
    """Compare the bases of the reader."""
    torch.set_num_threads(1)
    print(bases_markdown(compare_bases(out, data, validation, steps=steps, image_size=image_size, more=base or [])))


if __name__ == "__main__":
    typer.run(main)
