"""What README and NOTICE say is there: commands, options, settings, files, licences."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from serve.cli import app
from serve.settings import Settings
from vision.photos import PhotoLimits

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTICE = (ROOT / "NOTICE").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BLOCKS = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
LINES = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
GROUPS = {"bench", "eval", "kb", "keys", "monitor"}


def gauge_calls() -> list[list[str]]:
    """Arguments of every `gauge` call in README's shell blocks."""
    calls = []
    for line in LINES:
        words = shlex.split(line, comments=True)
        for index, word in enumerate(words):
            if word.rsplit("/", 1)[-1] == "gauge":
                calls.append(words[index + 1 :])
    return calls


def command_of(args: list[str]) -> list[str]:
    return args[: 2 if args[0] in GROUPS else 1]


@pytest.mark.parametrize("args", gauge_calls(), ids=" ".join)
def test_documented_calls_are_accepted(args: list[str]) -> None:
    """Every command and option of a documented call stands in that command's help."""
    result = CliRunner().invoke(app, [*command_of(args), "--help"])
    assert result.exit_code == 0, result.output
    for option in [arg for arg in args if arg.startswith("-")]:
        assert option in result.stdout


def test_every_command_is_documented() -> None:
    names = [
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback and not command.hidden
    ]
    assert len(names) >= 6
    for name in names:
        assert f"`gauge {name}" in README
    assert {tuple(command_of(args)) for args in gauge_calls()} >= {(name,) for name in names}


def test_the_two_commands_are_one_line_each() -> None:
    set_up, tests = BLOCKS[0], BLOCKS[1]
    assert set_up.count("\n") == tests.count("\n") == 1
    assert set_up.startswith("bash .ci/setup && .venv/bin/gauge inspect synth/examples/xyz2000_panel.jpg")
    assert tests.split()[:2] == ["bash", ".ci/test"]
    assert "bash .ci/test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "bash .ci/setup" in (ROOT / ".ci" / "test").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\b(?:synth|vision|knowledge|\.ci)/[\w./-]*\w", README))))
def test_documented_files_exist(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"GAUGE_\w+", README))))
def test_documented_settings_exist(name: str) -> None:
    set_up = (ROOT / ".ci" / "setup").read_text(encoding="utf-8")
    assert name.removeprefix("GAUGE_").lower() in Settings.model_fields or name in set_up


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_is_documented(field: str) -> None:
    assert f"GAUGE_{field.upper()}" in README


def test_documented_limits_are_the_real_ones() -> None:
    limits = PhotoLimits()
    assert f"{limits.max_bytes / 2**20:.0f} MiB and {limits.max_pixels / 1e6:.0f} megapixels" in README


def test_recipes_in_calls_exist() -> None:
    for args in gauge_calls():
        room = {"synth": "synth", "train": "vision"}.get(args[0])
        if room:
            assert (ROOT / room / "recipes" / f"{args[1]}.toml").is_file()


@pytest.mark.parametrize("room", ["vision", "synth", "knowledge", "rag", "eval", "serve"])
def test_every_room_is_in_the_table(room: str) -> None:
    assert f"| `{room}/` |" in README


def packaged() -> list[str]:
    """Packages that carry models or fonts: the pinned ones, and those installed by hash."""
    pinned = [re.split(r"[=<>; ]", one)[0] for one in PROJECT["project"]["dependencies"] if "==" in one]
    by_hash = re.findall(r"^([\w-]+)==", (ROOT / ".ci" / "no-deps.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return [name for name in [*pinned, *by_hash] if name != "albumentations"]


@pytest.mark.parametrize("package", packaged())
def test_notice_names_every_packaged_model_and_font(package: str) -> None:
    assert package in NOTICE


def test_notice_names_every_font_of_the_artwork() -> None:
    from synth.fonts import PACKAGES

    for _, package in PACKAGES.values():
        assert package in NOTICE


def test_packages_without_dependencies_are_pinned_by_hash() -> None:
    lines = (ROOT / ".ci" / "no-deps.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    assert all(re.fullmatch(r"[\w-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line) for line in pins)


def test_scripts_stop_at_the_first_fault() -> None:
    for name in ("setup", "test", "run"):
        assert "set -euo pipefail" in (ROOT / ".ci" / name).read_text(encoding="utf-8")
