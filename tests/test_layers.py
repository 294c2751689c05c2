"""The rooms are layered, and light modules stay light: the contracts of pyproject.toml, checked."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("vision", "synth", "knowledge", "rag", "eval", "serve")
LAYERS = (("serve",), ("eval",), ("rag", "synth"), ("knowledge",), ("vision",))
SYNTH_MAY_IMPORT = {"vision.fields", "vision.units", "vision.samples"}
KNOWLEDGE_MAY_IMPORT = {"vision.fields", "vision.units"}


def rank(room: str) -> int:
    """Height of a room: 0 is the lowest."""
    return next(len(LAYERS) - 1 - height for height, rooms in enumerate(LAYERS) if room in rooms)


def sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports_of(path: Path) -> set[str]:
    """Names of all modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_import_linter_keeps_its_contracts() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_lower_rooms_alone(room: str) -> None:
    for path in sources(room):
        others = {name.split(".")[0] for name in imports_of(path)} & set(ROOMS) - {room}
        above = [other for other in others if rank(other) >= rank(room)]
        assert not above, f"{path.relative_to(ROOT)} imports {above}"


@pytest.mark.parametrize(("room", "allowed"), [("synth", SYNTH_MAY_IMPORT), ("knowledge", KNOWLEDGE_MAY_IMPORT)])
def test_rooms_that_know_the_contract_alone(room: str, allowed: set[str]) -> None:
    for path in sources(room):
        modules = {".".join(name.split(".")[:2]) for name in imports_of(path) if name.startswith("vision.")}
        assert modules <= allowed, f"{path.relative_to(ROOT)} imports {sorted(modules - allowed)}"


def test_only_settings_read_the_environment() -> None:
    """`os.environ` and `os.getenv` stand in serve/settings.py alone: settings come from there and are handed down."""
    readers = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in sources(room)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert readers == {"serve/settings.py"}


def test_the_six_rooms_are_the_wheels_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == set(ROOMS)
    assert set(project["tool"]["importlinter"]["root_packages"]) == set(ROOMS)
    assert project["project"]["scripts"] == {"gauge": "serve.cli:app"}


def test_there_are_no_other_rooms() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == {*ROOMS, "tests"}


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_says_what_it_is_for(room: str) -> None:
    assert [path.name for path in sources(room) if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))] == []
