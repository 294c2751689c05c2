"""Where Blender lives: an environment of its own, because bpy wants another NumPy than the rest of the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from synth.errors import BlenderError

BPY = "bpy==4.5.15"
PYTHON = (3, 11)
FOLDER = "blender"
PREPARE = "gauge synth --prepare-blender"


def python_path(home: Path) -> Path:
    """The Python of the environment under `home`, there or not."""
    folder = home / FOLDER
    return folder / "Scripts" / "python.exe" if sys.platform == "win32" else folder / "bin" / "python"


def find_blender(home: Path) -> Path:
    """The Python that has bpy. Raises BlenderError, saying how to prepare it, where there is none."""
    python = python_path(home)
    if not python.exists():
        raise BlenderError(f"Blender is not prepared: no {python}; run `{PREPARE}` (about 400 MB to download, 1 GB on disk)")
    if not _packages(home):
        raise BlenderError(f"the environment {home / FOLDER} has no bpy; run `{PREPARE}` to complete it")
    return python


def prepare_blender(home: Path, base_python: Path | None = None) -> Path:
    """Make the environment with pip and return its Python; one that is complete is left as it is.

    `base_python` is a Python 3.11, by default the one that runs; raises BlenderError where it is another version or
    where pip fails.
    """
    python = python_path(home)
    if python.exists() and _packages(home):
        return python
    base = base_python or Path(sys.executable)
    version = _run([str(base), "-c", "import sys; print(*sys.version_info[:2])"], f"{base} does not run").split()
    if tuple(int(v) for v in version) != PYTHON:
        raise BlenderError(f"{BPY} needs Python 3.11, and {base} is Python {'.'.join(version)}: give the path of a Python 3.11")
    home.mkdir(parents=True, exist_ok=True)
    _run([str(base), "-m", "venv", str(home / FOLDER)], "the environment could not be made")
    _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", BPY], f"pip could not install {BPY}")
    return find_blender(home)


def _packages(home: Path) -> bool:
    return any((home / FOLDER).glob("lib/python*/site-packages/bpy")) or any((home / FOLDER).glob("Lib/site-packages/bpy"))


def _run(command: list[str], trouble: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own command line
    except OSError as error:
        raise BlenderError(f"{trouble}: {error}") from error
    if done.returncode:
        raise BlenderError(f"{trouble}: {' / '.join(done.stderr.strip().splitlines()[-4:])}")
    return done.stdout.strip()
