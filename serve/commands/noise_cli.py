"""`gauge eval noise` and `gauge eval faults`. Only light modules load here."""

from __future__ import annotations

from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json

Questions = Annotated[
    int | None,
    typer.Option("--questions", min=1, metavar="N", help="Shipped questions to draw the cases from.", show_default=False),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="What is drawn follows from it.")]


@plain_errors
def noise(
    questions: Questions = None,
    photos: Annotated[
        int | None,
        typer.Option("--photos", min=1, metavar="N", help="Put noise into N drawn photos instead.", show_default=False),
    ] = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Put noise into questions, passages, answers and anchors: failures per kind, level and module of the manuals."""
    from serve.commands.noising import run_noise, run_photo_noise

    if photos is not None:
        print_line(run_photo_noise(count=photos, seed=seed, as_json=as_json))
        return
    print_line(run_noise(questions=questions, seed=seed, as_json=as_json))


@plain_errors
def faults(
    questions: Questions = None,
    per_fault: Annotated[
        int | None,
        typer.Option("--per-fault", min=1, metavar="N", help="Cases of each fault.", show_default=False),
    ] = None,
    attention: Annotated[
        bool, typer.Option("--attention", help="Also measure AC, by the packaged language model: some seconds a case.")
    ] = False,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Plant faults in a chain that works, and see how often attribution names the right layer."""
    from serve.commands.noising import run_faults

    print_line(run_faults(questions=questions, per_fault=per_fault, seed=seed, as_json=as_json, attention=attention))
