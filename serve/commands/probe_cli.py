"""`gauge eval`: scores of the reader and of every arrow behind it. Only light modules load here.

`gauge eval DATASET` is short for `gauge eval readings DATASET`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, Limit, TimeTravel, Weights

DEFAULT = "readings"
GroupChoice = Literal["model", "kind"]


class ReadingsFirst(TyperGroup):
    """A group whose first word may be left out: what is no sub-command is a dataset to score readings on."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, with the default sub-command put in front where none is named."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


evaluation = typer.Typer(
    cls=ReadingsFirst,
    help="Score the reader on a dataset (`gauge eval DATASET`), or one of the arrows behind it.",
    rich_markup_mode=None,
)


@evaluation.command(name=DEFAULT)
@plain_errors
def readings(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder with metadata.jsonl (or labels.csv) and pictures.")],
    weights: Weights = None,
    limit: Limit = None,
    by: Annotated[
        GroupChoice | None,
        typer.Option("--by", help="Accuracy of each model or kind by condition, and what is mixed up.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="With --by: folder for page with plots, CSV and JSON.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Score the reader on a dataset folder, per instrument model and per field."""
    from serve.commands.workshop import score_by_group, score_dataset

    if by is not None:
        print_line(score_by_group(dataset, by, weights=weights, limit=limit, out=out, as_json=as_json))
        return
    if out is not None:
        raise typer.BadParameter("--out is the folder of the pages that --by makes, and no --by was given")
    print_line(score_dataset(dataset, weights=weights, limit=limit, as_json=as_json))


@evaluation.command()
@plain_errors
def anchors(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Only these anchors, each with its debug page.", show_default=False),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The ten anchors of the quick scan alone.")] = False,
    core: Annotated[
        bool, typer.Option("--core", help="Five core anchors, each with its debug page to be read by a person.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder for report.json and debug pages.  [default: anchors below the home]",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="report.json of an earlier run to compare with.", show_default=False),
    ] = None,
    time_travel: TimeTravel = None,
    as_json: Json = False,
) -> None:
    """Put the golden anchors to the whole chain: status, milliseconds and the link that failed; exit code 1 on a failure."""
    from serve.commands.anchors import run_anchors

    text, failed = run_anchors(
        quick=quick,
        ids=tuple(ids or ()),
        out=out,
        moment=time_travel,
        against=against,
        as_json=as_json,
        core=core,
    )
    print_line(text)
    raise typer.Exit(code=int(failed))


@evaluation.command()
@plain_errors
def retrieval(
    queries: Annotated[
        Path | None,
        typer.Option("--queries", metavar="FILE", help="Test queries, one JSON object a line.", show_default=False),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="The first queries alone.", show_default=False)] = None,
    domain: Annotated[
        Literal["instruments", "medical", "law"], typer.Option("--domain", help="Weights of entities, relations, constraints.")
    ] = "instruments",
    as_json: Json = False,
) -> None:
    """Score retrieval on the test queries: hits, anchor relevance, fact coverage, context relevance, noise by rank."""
    from serve.commands.retrieval_probes import probe_retrieval

    print_line(probe_retrieval(queries=queries, limit=limit, domain=domain, as_json=as_json))


@evaluation.command()
@plain_errors
def facts(
    extend: Annotated[bool, typer.Option("--extend", help="Add what the manuals in force state.")] = False,
    experts: Annotated[
        Path | None,
        typer.Option("--add", metavar="FILE", help="Add facts that experts wrote, one JSON object a line.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show or grow the library of facts that coverage is measured by; each fact names its source."""
    from serve.commands.retrieval_probes import grow_library

    print_line(grow_library(extend=extend, experts=experts, as_json=as_json))
