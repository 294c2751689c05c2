"""Which state of the program runs: the commit of its source folder, or the version of its package."""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@lru_cache(maxsize=1)
def code_version(root: Path = ROOT) -> str:
    """The commit, `-dirty` behind it where files differ; in an installed package its version, never nothing."""
    git = shutil.which("git")
    if git is not None and (root / ".git").exists():
        command = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603 - fixed words
            return done.stdout.strip()
        except (OSError, subprocess.SubprocessError):
            pass
    try:
        return f"gaugerag {version('gaugerag')}"
    except PackageNotFoundError:
        return "gaugerag, version unknown"
