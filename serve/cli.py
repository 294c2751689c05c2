"""The `gauge` command. Only light modules load here; each command imports what it needs when it runs.

Exit codes: 0 where everything was opened (an abstained reading too), 1 where something failed, 2 for wrong usage.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.adapt_cli import adapt, models
from serve.commands.backup_cli import backup, restore
from serve.commands.batch_bench_cli import batch as batch_bench
from serve.commands.batch_cli import batch
from serve.commands.bench_cli import bench
from serve.commands.console import plain_errors, print_error, print_line, show_progress
from serve.commands.failures_cli import failures
from serve.commands.foreign_cli import score_rag
from serve.commands.gate_cli import gate
from serve.commands.kb_cli import kb
from serve.commands.keys_cli import keys
from serve.commands.monitor_cli import monitor
from serve.commands.noise_cli import faults, noise
from serve.commands.options import (
    Backgrounds,
    Formats,
    Json,
    Language,
    Model,
    Overrides,
    Photos,
    Place,
    Renderer,
    ReportFolder,
    RunFolder,
    Sheet,
    SynthFolder,
    TimeTravel,
    Weights,
    Workers,
    Writer,
)
from serve.commands.probe_cli import evaluation
from serve.commands.rating_cli import score_hrs
from serve.commands.replay_cli import replay
from serve.commands.serve_bench_cli import serve as serve_bench
from serve.commands.walkthrough_cli import walkthrough
from serve.commands.watch_bench_cli import cameras as camera_bench
from serve.commands.watch_cli import watch

MOST_ON_SHEET = 60

app = typer.Typer(
    name="gauge",
    help="Photos of instruments become readings with honest uncertainty and reports backed by the instrument's manual.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(kb, name="kb")
app.command()(adapt)
app.command()(backup)
app.command()(batch)
app.command()(gate)
app.command()(models)
app.command()(replay)
app.command()(restore)
app.command()(walkthrough)
app.command()(watch)
bench.command(name="batch")(batch_bench)
bench.command(name="cameras")(camera_bench)
bench.command(name="serve")(serve_bench)
app.add_typer(bench, name="bench")
app.add_typer(failures, name="failures")
app.add_typer(keys, name="keys")
app.add_typer(monitor, name="monitor")
evaluation.command(name="rag")(score_rag)
evaluation.command(name="hrs")(score_hrs)
evaluation.command()(noise)
evaluation.command()(faults)
app.command(name="eval-rag", hidden=True)(score_rag)
app.add_typer(evaluation, name="eval")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print_line(f"gauge {version('gaugerag')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Photos of instruments become readings with honest uncertainty and reports backed by the instrument's manual."""


@app.command()
@plain_errors
def read(photos: Photos, model: Model = None, weights: Weights = None, as_json: Json = False) -> None:
    """Read the instruments in photos, in the order of the arguments."""
    from serve.service import open_service
    from serve.show import reading_text

    service = open_service(weights=weights)
    failed = False
    readings = service.read_photos([Path(photo) for photo in photos], names=photos, model=model)
    for reading in show_progress(readings, total=len(photos), label="reading"):
        print_line(reading.model_dump_json() if as_json else reading_text(reading))
        failed |= reading.status == "error"
    raise typer.Exit(code=int(failed))


@app.command()
@plain_errors
def inspect(
    photos: Photos,
    model: Model = None,
    writer: Writer = None,
    lang: Language = None,
    out: ReportFolder = None,
    formats: Formats = None,
    place: Place = None,
    weights: Weights = None,
    time_travel: TimeTravel = None,
    as_json: Json = False,
) -> None:
    """Read photos and report on them, every sentence backed by the photo or by the instrument's manual."""
    from serve.commands.outputs import FormatError, OutputFolder, parse_formats
    from serve.service import open_service
    from serve.show import inspection_text

    if formats is not None and out is None:
        raise typer.BadParameter("--format says what to write below --out DIR, and no --out was given")
    try:
        wanted = parse_formats(formats)
    except FormatError as error:
        raise typer.BadParameter(str(error), param_hint="--format") from error
    folder = OutputFolder(out) if out is not None else None
    service = open_service(weights=weights, moment=time_travel)
    failed = False
    paths = [Path(photo) for photo in photos]
    runs = service.inspect_runs(paths, names=photos, model=model, writer=writer, language=lang, place=place)
    for path, run in zip(paths, show_progress(runs, total=len(photos), label="inspecting"), strict=True):
        written = folder.write(path, run, wanted) if folder is not None else None
        where = written.folder if written is not None else None
        print_line(run.inspection.model_dump_json() if as_json else inspection_text(run.inspection, where))
        for problem in written.problems if written is not None else ():
            print_error(problem)
            failed = True
        failed |= run.inspection.reading.status == "error"
    raise typer.Exit(code=int(failed))


@app.command()
@plain_errors
def synth(
    recipe: Annotated[str | None, typer.Argument(help="Recipe: a name below synth/recipes or a TOML file.")] = None,
    out: SynthFolder = None,
    count: Annotated[int, typer.Option("--count", min=1, help="Number of pictures.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed; those from 1000000000 on are kept for evaluation.")] = 0,
    renderer: Renderer = "flat",
    workers: Workers = 1,
    backgrounds: Backgrounds = None,
    sheet: Sheet = None,
    prepare_blender: Annotated[
        bool, typer.Option("--prepare-blender", help="Set up the environment that --renderer blender draws in.")
    ] = False,
) -> None:
    """Draw instruments whose truth is known: a dataset (--out), a sheet to look at (--sheet), or both."""
    from serve.commands.workshop import check_sheet, draw_dataset, draw_sheet, ready_blender

    if not prepare_blender and (recipe is None or (out is None and sheet is None)):
        raise typer.BadParameter("give a recipe, and --out for a dataset or --sheet for a contact sheet")
    if prepare_blender:
        print_line(ready_blender())
    if recipe is None:
        return
    if sheet is not None:
        check_sheet(sheet, count if out is None else 1)
    if out is not None:
        print_line(
            draw_dataset(recipe, count=count, seed=seed, out=out, workers=workers, renderer=renderer, backgrounds=backgrounds)
        )
    if sheet is not None:
        shown = count if out is None else min(count, MOST_ON_SHEET)
        print_line(draw_sheet(recipe, count=shown, seed=seed, sheet=sheet, renderer=renderer, backgrounds=backgrounds))


@app.command()
@plain_errors
def train(
    recipe: Annotated[str, typer.Argument(help="Recipe: a name below vision/recipes or a TOML file.")],
    out: RunFolder,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the last checkpoint in --out.")] = False,
    overrides: Overrides = None,
    workers: Workers = 1,
) -> None:
    """Train a reader on the pictures that its recipe asks for; they are drawn first where they are missing."""
    from serve.commands.workshop import train_reader

    print_line(train_reader(recipe, out=out, resume=resume, overrides=overrides or [], workers=workers))


@app.command(name="train-lines")
@plain_errors
def train_lines(
    recipe: Annotated[str, typer.Argument(help="Recipe: a name below vision/recipes/lines or states, or a TOML file.")],
    out: RunFolder,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the last checkpoint in --out (states).")] = False,
    workers: Workers = 1,
) -> None:
    """Train a small reader: of print, of displays' digits, or of lamps and selectors (states); its pictures are drawn first."""
    from serve.commands.workshop import train_small_reader

    print_line(train_small_reader(recipe, out=out, resume=resume, workers=workers))


@app.command()
@plain_errors
def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = 8000,
    weights: Weights = None,
) -> None:
    """Serve the upload page and POST /inspect over HTTP."""
    from serve.api.server import run_server
    from serve.cameras.errors import RegistryError

    try:
        run_server(host=host, port=port, weights=weights)
    except RegistryError as error:
        raise typer.BadParameter(str(error), param_hint="GAUGE_CAMERAS") from error


if __name__ == "__main__":
    app()
