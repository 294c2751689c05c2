"""`gauge bench`: measures the product's own parts on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, Weights

bench = typer.Typer(help="Measure the product's parts on this machine.", no_args_is_help=True, rich_markup_mode=None)


@bench.callback()
def _group() -> None:
    """Measure the product's parts on this machine."""


@bench.command()
@plain_errors
def synth(
    recipe: Annotated[str, typer.Option("--recipe", help="Recipe to draw.")] = "close",
    count: Annotated[int, typer.Option("--count", min=1, help="Pictures of the flat renderer.")] = 200,
    blender_count: Annotated[int, typer.Option("--blender-count", min=0, help="Pictures of Blender; 0 for none.")] = 20,
    as_json: Json = False,
) -> None:
    """Time a picture: milliseconds of the flat renderer by stage, CPU seconds and memory of Blender."""
    from serve.settings import load_settings
    from synth.bench import measure_synth, speed_record, speed_text

    speed = measure_synth(recipe, count, load_settings().home.resolve(), blender_count)
    print_line(json.dumps(speed_record(speed)) if as_json else speed_text(speed))


@bench.command()
@plain_errors
def vision(
    datasets: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[DATASET]...", help="Folders with metadata.jsonl or labels.csv.", show_default=False),
    ] = None,
    weights: Weights = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Read the first pictures of each folder alone.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder for JSON, tables, plots and overlays.", show_default=False),
    ] = None,
    sweeps: Annotated[bool, typer.Option("--sweeps", help="Also sweep view angle, size, blur and light on drawn dials.")] = False,
    blender: Annotated[bool, typer.Option("--blender", help="Sweep, view angle and light with pictures of Blender too.")] = False,
    dials: Annotated[int, typer.Option("--dials", min=1, help="Dials a setting of the sweeps.")] = 10,
    minutes: Annotated[float, typer.Option("--minutes", min=0.1, help="No further dial of the sweeps after these.")] = 15.0,
    speed: Annotated[int, typer.Option("--speed", min=0, help="Photos to time; 0 for none.")] = 12,
    as_json: Json = False,
) -> None:
    """Score the reader: accuracy by kind, honesty of its confidences, errors by tilt and size, seconds, sweeps."""
    from serve.commands.vision_bench import run_vision_bench

    print_line(
        run_vision_bench(
            datasets or [],
            weights=weights,
            limit=limit,
            out=out,
            as_json=as_json,
            sweeps=sweeps,
            speed_photos=speed,
            dials=dials,
            minutes=minutes,
            blender=blender,
        )
    )


@bench.command()
@plain_errors
def knowledge(
    scale: Annotated[
        int | None,
        typer.Option("--scale", min=1000, help="Also measure searches at up to this many generated chunks.", show_default=False),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option("--database", metavar="URL", help="A PostgreSQL database to keep the manuals in.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Score the knowledge base: hits by kind of question, each route off, unit errors, drafts, milliseconds, memory."""
    from serve.commands.knowledge_bench import run_knowledge_bench

    for part in run_knowledge_bench(scale=scale, as_json=as_json, database=database):
        print_line(part)


@bench.command()
@plain_errors
def report(
    readings: Annotated[int, typer.Option("--readings", min=1, help="Synthetic readings to report on.")] = 300,
    llm: Annotated[bool, typer.Option("--llm", help="Also measure the packaged language model as a writer.")] = False,
    photo: Annotated[
        Path | None,
        typer.Option("--photo", metavar="FILE", help="Also time this photo to its report.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Score the reports: what is unsupported or missing, lies caught, milliseconds; the language model on demand."""
    from serve.commands.report_bench import run_report_bench

    print_line(run_report_bench(readings=readings, llm=llm, photo=photo, as_json=as_json))


@bench.command()
@plain_errors
def probes(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder with labelled public texts; none is shipped.", show_default=False),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Lines of each labelled file.", show_default=False)] = None,
    attention: Annotated[
        bool, typer.Option("--attention", help="Also measure the alignment probe with the packaged model.")
    ] = False,
    queries: Annotated[int, typer.Option("--queries", min=0, help="Test queries to time; 0 for none.")] = 100,
    domain: Annotated[
        bool, typer.Option("--domain/--no-domain", help="Judge the suite of faithful and corrupted sentences of the manuals.")
    ] = True,
    claims: Annotated[
        int, typer.Option("--claims", min=0, help="Questions to measure the source documents' claims on; 0 for none.")
    ] = 0,
    llm_claims: Annotated[
        int, typer.Option("--llm-claims", min=0, help="Questions for claims that need the packaged language model; 0 for none.")
    ] = 0,
    as_json: Json = False,
) -> None:
    """Score the probes: FCI beside the overlap floor on labelled texts, milliseconds a query, the documents' claims in small."""
    from serve.commands.probes_bench import run_probes_bench

    print_line(
        run_probes_bench(
            data=data,
            limit=limit,
            attention=attention,
            queries=queries,
            as_json=as_json,
            domain=domain,
            claims=claims,
            llm_claims=llm_claims,
        )
    )
