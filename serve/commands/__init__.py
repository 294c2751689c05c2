"""The command line: typer commands (`*_cli`) and what each of them runs, printed for people or as JSON."""
