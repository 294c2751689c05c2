"""Arguments and options that several commands share. Light: the command line loads this for `--help`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

WriterChoice = Literal["template", "llm", "openai"]
LanguageChoice = Literal["en", "zh"]
RendererChoice = Literal["flat", "blender"]

Photos = Annotated[
    list[str], typer.Argument(metavar="PHOTO", help="Photos: JPEG, PNG, WebP, TIFF, BMP or GIF.", show_default=False)
]
Model = Annotated[
    str | None, typer.Option("--model", metavar="ID", help="Model of the instrument, e.g. XYZ-2000.", show_default=False)
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="NAME|DIR", help="Weights to read with instead of the shipped ones.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Language = Annotated[
    LanguageChoice | None, typer.Option("--lang", help="Language of the report.  [default: en]", show_default=False)
]
Writer = Annotated[
    WriterChoice | None,
    typer.Option("--writer", help="Who words the report.  [default: template]", show_default=False),
]
ReportFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "--report",
        metavar="DIR",
        help="Folder for each photo's report (Markdown, HTML, PDF, JSON) and overlay.",
        show_default=False,
    ),
]
Formats = Annotated[
    str | None,
    typer.Option("--format", metavar="LIST", help="Formats below --out, e.g. html,pdf.  [default: all]", show_default=False),
]
SynthFolder = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Dataset folder to write; one that is half done is continued.", show_default=False),
]
Renderer = Annotated[
    RendererChoice, typer.Option("--renderer", help="flat: milliseconds a picture; blender: photo-real, about a second.")
]
Backgrounds = Annotated[
    Path | None,
    typer.Option(
        "--backgrounds", metavar="DIR", help="Folder of your site's photos to stand behind instruments.", show_default=False
    ),
]
Sheet = Annotated[
    Path | None,
    typer.Option("--sheet", metavar="FILE", help="Contact sheet with the truth drawn on top (JPEG, PNG).", show_default=False),
]
RunFolder = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for checkpoints, metrics and the weights.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Replace a value of the recipe; repeatable.", show_default=False),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Score the first pictures alone.", show_default=False)]
Workers = Annotated[int, typer.Option("--workers", min=1, max=256, help="Processes that draw pictures.")]
Place = Annotated[
    str | None,
    typer.Option(
        "--place", metavar="NAME", help="Where the photos are from: values are held against earlier ones.", show_default=False
    ),
]
TimeTravel = Annotated[
    str | None,
    typer.Option(
        "--time-travel", metavar="ISO8601", help="Ask as of a moment: what was in force then answers.", show_default=False
    ),
]
