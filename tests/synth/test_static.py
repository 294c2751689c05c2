"""No global randomness and no clocks in the room: the same seed must give the same picture everywhere.

Read off the source by its syntax tree; what a name is bound to by an import is followed, so that an alias does not hide.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).resolve().parents[2] / "synth"
ALLOWED_NUMPY = frozenset({"default_rng", "Generator", "SeedSequence", "BitGenerator", "PCG64"})
BANNED_MODULES = frozenset({"random", "uuid", "secrets"})
CLOCKS = frozenset({"time.time", "time.time_ns", "time.perf_counter", "time.monotonic", "time.process_time", "time.localtime"})
BANNED_CALLS = CLOCKS | {
    "os.urandom",
    "os.getrandom",
    "datetime.now",
    "datetime.datetime.today",
    "datetime.utcnow",
    "datetime.today",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.date.today",
    "date.today",
}
CLOCK_FILES = frozenset({"bench.py", "factory.py", "progress.py"})
"""Files that may look at a clock for a progress bar, a lease or a measurement, and draw nothing."""


def _imports(tree: ast.AST) -> dict[str, str]:
    """Local name -> dotted name it was imported as."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])


def faults(source: str, name: str) -> list[str]:
    """What a file uses that would make pictures differ from run to run."""
    tree = ast.parse(source)
    names = _imports(tree)
    found = []
    for local, dotted in names.items():
        if dotted.split(".")[0] in BANNED_MODULES:
            found.append(f"{name}: imports {dotted} as {local}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            dotted = (
                _dotted(node, names).replace("np.", "numpy.", 1)
                if _dotted(node, names).startswith("np.")
                else _dotted(node, names)
            )
            if dotted.startswith("numpy.random.") and dotted.split(".")[2] not in ALLOWED_NUMPY:
                found.append(f"{name}:{node.lineno}: {dotted} is global")
        if isinstance(node, ast.Call):
            called = _dotted(node.func, names)
            if called == "hash":
                found.append(f"{name}:{node.lineno}: hash() differs between processes")
            if called in ("numpy.random.default_rng", "np.random.default_rng") and not node.args and not node.keywords:
                found.append(f"{name}:{node.lineno}: default_rng() without a seed")
            if called in BANNED_CALLS and not (called in CLOCKS and name in CLOCK_FILES):
                found.append(f"{name}:{node.lineno}: {called}() reads a clock or the system's randomness")
    return found


def _sources() -> list[Path]:
    return sorted(p for p in ROOM.rglob("*.py"))


@pytest.mark.parametrize("path", _sources(), ids=lambda p: str(p.relative_to(ROOM)))
def test_no_global_randomness_and_no_clock(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8"), path.name) == []


@pytest.mark.parametrize(
    "line",
    [
        "import random\nrandom.random()",
        "from random import choice",
        "import uuid",
        "import numpy as np\nnp.random.seed(1)",
        "import numpy as np\nx = np.random.rand(3)",
        "from numpy import random as r\nr.normal()",
        "import numpy as np\nnp.random.default_rng()",
        "import time\ntime.time()",
        "import time as clock\nclock.perf_counter()",
        "from time import time\ntime()",
        "from datetime import datetime\ndatetime.now()",
        "import datetime\ndatetime.datetime.now()",
        "import os\nos.urandom(4)",
        "hash('a')",
    ],
)
def test_the_ban_finds(line: str) -> None:
    assert faults(line, "drawing.py")


@pytest.mark.parametrize(
    "line",
    ["import numpy as np\nnp.random.default_rng(3)", "import numpy as np\nx: np.random.Generator", "rng.random()", "time = 3"],
)
def test_the_ban_leaves_alone(line: str) -> None:
    assert faults(line, "drawing.py") == []
