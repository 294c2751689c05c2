"""`gauge kb`: search, fill and check the knowledge base of manuals. Only light modules load here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, LanguageChoice, Model, TimeTravel

kb = typer.Typer(
    help="Search, fill and check the knowledge base of instrument manuals.", no_args_is_help=True, rich_markup_mode=None
)

Drafts = Annotated[bool, typer.Option("--drafts", help="Let drafts answer as well.")]
Archived = Annotated[bool, typer.Option("--archived", help="Let archived documents answer as well.")]
File = typer.Argument(metavar="FILE|DIR", help="Markdown, PDF, DOCX or CSV; folders are searched.", show_default=False)
Models = typer.Option("--model", metavar="ID", help="Model the document is about; repeatable.", show_default=False)
QueryLanguage = Annotated[
    LanguageChoice | None, typer.Option("--lang", help="Language of the question and of what answers it.", show_default=False)
]
DocumentLanguage = Annotated[LanguageChoice | None, typer.Option("--lang", help="Language of the document.", show_default=False)]
KIND = typer.Option("--kind", help="dial, digital, counter, lamp, selector.", show_default=False)


@kb.command()
@plain_errors
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    model: Model = None,
    lang: QueryLanguage = None,
    count: Annotated[int, typer.Option("--count", "-k", min=1, max=100, help="Number of passages.")] = 5,
    time_travel: TimeTravel = None,
    drafts: Drafts = False,
    archived: Archived = False,
    as_json: Json = False,
) -> None:
    """Search the manuals."""
    from serve.library import search_manuals

    asked: list[Literal["draft", "archived"]] = []
    asked += ["draft"] if drafts else []
    asked += ["archived"] if archived else []
    found = search_manuals(
        query, model=model, language=lang, count=count, as_json=as_json, moment=time_travel, include=tuple(asked)
    )
    print_line(found)


@kb.command()
@plain_errors
def add(
    files: Annotated[list[Path], File],
    model: Annotated[list[str] | None, Models] = None,
    lang: DocumentLanguage = None,
    kind: Annotated[str | None, KIND] = None,
    authority: Annotated[
        str | None, typer.Option("--authority", help="specification, procedure, notice, forum.", show_default=False)
    ] = None,
    status: Annotated[str | None, typer.Option("--status", help="valid, draft, archived.", show_default=False)] = None,
    version: Annotated[str | None, typer.Option("--version", help="Version of the document.", show_default=False)] = None,
    effective_date: Annotated[
        str | None, typer.Option("--effective-date", metavar="DAY", help="Day from which it holds.", show_default=False)
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Title of the document.", show_default=False)] = None,
    id: Annotated[str | None, typer.Option("--id", help="Id of the document (one file only).", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """Take documents into the knowledge base and publish it. Exit code 1 where one was refused.

    PDF, DOCX and CSV take their metadata from a side-car beside them (manual.pdf.toml or .yaml) or from the options.
    """
    from serve.commands.kb_intake import add_documents

    given: dict[str, Any] = {
        "models": model,
        "language": lang,
        "kind": kind,
        "authority": authority,
        "status": status,
        "version": version,
        "effective_date": effective_date,
        "title": title,
        "id": id,
    }
    if id is not None and (len(files) > 1 or files[0].is_dir()):
        raise typer.BadParameter("--id names one document; give one file")
    text, whole = add_documents(files, {key: value for key, value in given.items() if value}, as_json=as_json)
    print_line(text)
    raise typer.Exit(code=0 if whole else 1)


@kb.command(name="list")
@plain_errors
def list_documents(time_travel: TimeTravel = None, as_json: Json = False) -> None:
    """List all documents: version, authority, from when to when each answers, and how old its index is."""
    from serve.commands.kb_intake import document_list

    print_line(document_list(moment=time_travel, as_json=as_json))


@kb.command()
@plain_errors
def audit(
    what: Annotated[
        Literal["all", "chunks", "health"],
        typer.Argument(help="all: every fault; chunks: are they whole; health: how documents fare in use."),
    ] = "all",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for the health report and its plots.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Check the manuals: exit code 1 where one of them has a fault."""
    from serve.commands.kb_health import audit_chunks, audit_health
    from serve.library import audit_manuals

    if what == "health" or out is not None:
        print_line(audit_health(out, as_json=as_json))
    if what == "health":
        return
    text, sound = audit_chunks(as_json=as_json) if what == "chunks" else audit_manuals(as_json=as_json)
    print_line(text)
    raise typer.Exit(code=0 if sound else 1)


@kb.command()
@plain_errors
def conflicts(model: Model = None, time_travel: TimeTravel = None, as_json: Json = False) -> None:
    """List where documents about one instrument differ, with both sources and what decides."""
    from serve.commands.kb_health import list_conflicts

    print_line(list_conflicts(model, moment=time_travel, as_json=as_json))


@kb.command()
@plain_errors
def feedback(
    document: Annotated[str, typer.Argument(help="Id of a document or of one of its chunks.")],
    verdict: Annotated[Literal["good", "bad"], typer.Argument(help="Whether it helped.")],
    note: Annotated[str, typer.Option("--note", help="Why.")] = "",
) -> None:
    """Say whether a document helped; the health audit counts it."""
    from serve.commands.kb_health import keep_feedback

    print_line(keep_feedback(document, good=verdict == "good", note=note))


@kb.command()
@plain_errors
def weigh(
    document: Annotated[str | None, typer.Argument(help="Id of a document.", show_default=False)] = None,
    weight: Annotated[
        float | None, typer.Argument(min=0.0, max=1.0, help="Its ranking weight; 0 moves it to the history.", show_default=False)
    ] = None,
    proposed: Annotated[bool, typer.Option("--proposed", help="Take what the health audit proposes.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the document's last decision back.")] = False,
    note: Annotated[str, typer.Option("--note", help="Why.")] = "",
    as_json: Json = False,
) -> None:
    """Decide how much a document counts; without arguments, list what was decided so far.

    DOCUMENT WEIGHT decides, DOCUMENT --proposed follows the audit for one document and --proposed alone for all.
    """
    from serve.commands.kb_weights import decide, list_decisions

    if sum((weight is not None, proposed, undo)) > 1:
        raise typer.BadParameter("give a weight, --proposed or --undo, one of them")
    if document is None and (weight is not None or undo):
        raise typer.BadParameter("name the document")
    if document is None and not proposed:
        print_line(list_decisions(as_json=as_json))
    elif document is not None and weight is None and not proposed and not undo:
        raise typer.BadParameter("give a weight, --proposed or --undo")
    else:
        print_line(decide(document, weight, undo=undo, note=note, as_json=as_json))


@kb.command(name="tune-embedder")
@plain_errors
def tune_embedder(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="New folder for the tuned embedder.", show_default=False)],
    method: Annotated[Literal["lora", "full"], typer.Option("--method", help="What of the last layers learns.")] = "lora",
    layers: Annotated[int, typer.Option("--layers", min=1, max=6, help="Last layers that learn.")] = 2,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Rounds over the pairs.")] = 3,
    domain: Annotated[
        float, typer.Option("--domain", min=0.05, max=1.0, help="Share of tuned weights; the rest stays general.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the order and of the start.")] = 0,
    as_json: Json = False,
) -> None:
    """Tune the embedder on synonyms, manuals and logged questions; saved where held-out pairs are found better."""
    from knowledge.tuning_training import TuneOptions
    from serve.commands.kb_tuning import tune

    options = TuneOptions(method=method, layers=layers, epochs=epochs, domain=domain, seed=seed)
    print_line(tune(out, options=options, as_json=as_json))
