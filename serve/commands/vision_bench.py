"""`gauge bench vision`: the reader is opened, the folders are scored, and tables, JSON, plots and overlays are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from serve.commands.bench_pictures import OverlayFolder, write_worst

if TYPE_CHECKING:
    from eval.bench_vision import VisionBench

JSON_NAME, TABLES_NAME, PLOTS_NAME, OVERLAYS_NAME = "bench.json", "bench.md", "plots", "overlays"


def run_vision_bench(
    datasets: list[Path],
    *,
    weights: str | None,
    limit: int | None,
    out: Path | None,
    as_json: bool,
    sweeps: bool,
    speed_photos: int,
    dials: int,
    minutes: float,
    blender: bool = False,
) -> str:
    """The bench's tables, or its record as JSON. With `out`: `bench.json`, `bench.md`, `plots/`, `overlays/`, worst photos.

    `blender` has view angles and pairs swept with pictures of Blender as well. Raises EvalError where a folder is no
    dataset, BlenderError where Blender is not ready.
    """
    from eval.bench_vision import BenchOptions, bench_vision
    from eval.bench_vision_text import bench_markdown
    from serve.service import open_service
    from serve.settings import load_settings

    overlays = None if out is None else OverlayFolder(out / OVERLAYS_NAME)
    options = BenchOptions(
        limit=limit,
        speed_photos=speed_photos,
        sweeps=sweeps or blender,
        sweep_dials=dials,
        sweep_pairs=2 * dials,
        sweep_budget_s=60.0 * minutes,
        blender_home=load_settings().home.resolve() if blender else None,
    )
    see = None if overlays is None else overlays.see
    bench = bench_vision(datasets, open_service(weights=weights), options, see=see)
    text, record = bench_markdown(bench), bench.model_dump_json()
    if out is not None and overlays is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / JSON_NAME).write_text(record + "\n", encoding="utf-8")
        (out / TABLES_NAME).write_text(text, encoding="utf-8")
        _draw(datasets, bench, out, overlays)
        text += f"\nJSON, tables, plots and overlays in {out}\n"
    return record if as_json else text


def _draw(datasets: list[Path], bench: VisionBench, out: Path, overlays: OverlayFolder) -> None:
    """Plots of each dataset and of the sweeps, and a sheet of each dataset's worst photos."""
    from eval.plots import plot_scores, plot_sweeps

    drawn = {scores.name: scores for scores in bench.drawn}
    labelled = {scores.name: scores for scores in bench.photos}
    for folder in datasets:
        name = folder.resolve().name
        if name in drawn:
            truths = drawn[name]
            by = {"tilt (degrees)": truths.by_tilt, "size (pixels)": truths.by_size, "legibility": truths.by_legibility}
            plot_scores(out / PLOTS_NAME, name, truths.cases, truths.honesty, dict(by))
            write_worst(out / f"worst_{name}.jpg", folder, truths.cases, overlays)
        elif name in labelled:
            photos = labelled[name]
            plot_scores(out / PLOTS_NAME, name, photos.cases, photos.honesty, {"size (pixels)": photos.by_size})
            write_worst(out / f"worst_{name}.jpg", folder, photos.cases, overlays)
    if bench.sweeps is not None:
        plot_sweeps(out / PLOTS_NAME, bench.sweeps)
