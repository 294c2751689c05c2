"""What the terminal sees: lines, progress, and errors of one line. No heavy imports."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ParamSpec, TypeVar

import typer

P = ParamSpec("P")
T = TypeVar("T")

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
ROOMS = ("vision", "synth", "knowledge", "rag", "eval", "serve")


def print_line(text: str) -> None:
    """`text` and a line end on stdout at once, past a progress bar; characters that stdout cannot show are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = _as_ascii_json(text) or text.encode(encoding, "backslashreplace").decode(encoding)
    tqdm = sys.modules.get("tqdm")
    if tqdm is not None:
        tqdm.tqdm.write(text, file=sys.stdout)
    else:
        sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_error(text: str) -> None:
    """One line on stderr, as errors are printed, past a progress bar."""
    line = f"gauge: {' '.join(text.split())}\n"
    tqdm = sys.modules.get("tqdm")
    if tqdm is not None:
        tqdm.tqdm.write(line, file=sys.stderr, end="")
    else:
        sys.stderr.write(line)


def _as_ascii_json(text: str) -> str | None:
    try:
        return json.dumps(json.loads(text))
    except ValueError:
        return None


def show_progress(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """The items behind a progress bar on stderr where there is more than one."""
    if total < 2:
        yield from items
        return
    from tqdm import tqdm

    yield from tqdm(items, total=total, desc=label, unit="photo", file=sys.stderr)


def plain_errors(command: Callable[P, None]) -> Callable[P, None]:
    """A command whose errors are one line on stderr and exit code 1, never a traceback.

    `GAUGE_TRACEBACK=1` shows the traceback for a bug report.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except KeyboardInterrupt as stop:
            sys.stderr.write(f"\ngauge: {str(stop) or 'interrupted'}\n")
            raise typer.Exit(code=EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            # The reader of our output has gone (`gauge read ... | head -1`): keep Python from flushing into it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(code=EXIT_FAILED) from None
        except Exception as error:
            _report(error)
            raise typer.Exit(code=EXIT_FAILED) from None

    return run


def _report(error: Exception) -> None:
    print_error(error_line(error))
    if _traceback_wanted():
        import traceback

        traceback.print_exception(error)


def error_line(error: Exception) -> str:
    """What went wrong in one line. The project's own errors and the system's speak for themselves."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    elif type(error).__module__.split(".")[0] in ROOMS:
        text = str(error)
    elif type(error).__name__ == "ValidationError":
        text = _validation_line(error)
    else:
        text = f"unexpected {type(error).__name__}: {error} (GAUGE_TRACEBACK=1 shows where)"
    return " ".join(text.split())


def _validation_line(error: Any) -> str:
    """Pydantic's error in one line; a setting is named as the environment variable that it came from."""
    parts = []
    for one in error.errors():
        name = ".".join(str(part) for part in one["loc"]) or error.title
        name = f"GAUGE_{name.upper()}" if error.title == "Settings" else name
        parts.append(f"{name} is {one['input']!r}: {one['msg']}")
    return "; ".join(parts)


def _traceback_wanted() -> bool:
    try:
        from serve.settings import load_settings

        return load_settings().traceback
    except Exception:  # The settings themselves may be what is wrong.
        return False
