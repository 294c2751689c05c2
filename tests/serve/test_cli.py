"""The command as a whole: a light start, errors of one line, and every command of the contract."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from knowledge.manifest import PublishError
from serve import library
from serve import service as service_module
from serve.cli import app
from serve.commands import workshop
from serve.service import Service
from tests.serve.bad_photos import write
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes

HEAVY = [
    "torch",
    "transformers",
    "spacy",
    "faiss",
    "cv2",
    "numpy",
    "PIL",
    "fastapi",
    "skia",
    "onnxruntime",
    "matplotlib",
]
ROOT = Path(__file__).parents[2]


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("args", [["--help"], ["inspect", "--help"], ["kb", "search", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    code = f"""
import sys
from serve.cli import app
try:
    app({args!r})
except SystemExit as stop:
    assert not stop.code
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    done = run_python(code)
    assert done.returncode == 0
    assert done.stderr == "[]\n"
    assert "Usage" in done.stdout or done.stdout.startswith("gauge ")


@pytest.mark.parametrize("module", ["vision.fields", "vision.samples", "vision.units", "knowledge.articles", "rag.queries"])
def test_light_modules_load_neither_torch_nor_spacy(module: str) -> None:
    done = run_python(f"import sys, {module}; print([n for n in ('torch', 'spacy', 'transformers', 'bpy') if n in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


def test_every_command_is_there() -> None:
    shown = CliRunner().invoke(app, ["--help"]).stdout
    for command in ("read", "inspect", "synth", "train", "train-lines", "eval", "serve", "kb"):
        assert f"  {command} " in shown
    assert all(name in CliRunner().invoke(app, ["kb", "--help"]).stdout for name in ("search", "audit"))


def test_the_first_word_of_eval_may_be_left_out(tmp_path: Path) -> None:
    short, full = (CliRunner().invoke(app, ["eval", *words, str(tmp_path / "none")]) for words in ([], ["readings"]))
    assert (short.exit_code, short.stderr) == (full.exit_code, full.stderr)
    assert short.exit_code == 1
    assert "readings" in CliRunner().invoke(app, ["eval", "--help"]).stdout
    assert CliRunner().invoke(app, ["eval", "--limit", "0", str(tmp_path)]).exit_code == 2


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"],
        ["read"],
        ["inspect", "--lang", "fr", "x"],
        ["synth", "r"],
        ["synth", "r", "--out", "o", "--count", "0"],
        ["eval"],
    ],
)
def test_wrong_usage_is_exit_code_2(args: list[str]) -> None:
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 2
    assert "Error" in result.stderr


def failing(error: Exception) -> Service:
    class Failing(Service):
        def load(self) -> None:
            raise error

        def read_photos(self, *_: object, **__: object) -> object:  # type: ignore[override]
            raise error

    return Failing.__new__(Failing)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (FileNotFoundError(2, "No such file or directory", "w.safetensors"), "gauge: w.safetensors: No such file or directory"),
        (PublishError("damaged\npublication"), "gauge: damaged publication"),
        (KeyError("needle"), "gauge: unexpected KeyError: 'needle' (GAUGE_TRACEBACK=1 shows where)"),
    ],
)
def test_errors_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, line: str) -> None:
    monkeypatch.setattr(service_module, "open_service", lambda *_, **__: failing(error))
    result = CliRunner().invoke(app, ["read", str(tmp_path / "a.png")])
    assert result.exit_code == 1
    assert result.stderr == line + "\n"
    assert result.stdout == ""


def test_a_traceback_comes_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "open_service", lambda *_, **__: failing(KeyError("needle")))
    monkeypatch.setenv("GAUGE_TRACEBACK", "1")
    result = CliRunner().invoke(app, ["read", str(tmp_path / "a.png")])
    assert result.exit_code == 1
    assert "Traceback" in result.stderr


def test_a_wrong_setting_names_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUGE_LANGUAGE", "fr")
    result = CliRunner().invoke(app, ["read", str(tmp_path / "a.png")])
    assert result.exit_code == 1
    assert result.stderr == "gauge: GAUGE_LANGUAGE is 'fr': Input should be 'en' or 'zh'\n"


def test_an_interrupt_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> Service:
        raise KeyboardInterrupt

    monkeypatch.setattr(service_module, "open_service", interrupted)
    result = CliRunner().invoke(app, ["read", str(tmp_path / "a.png")])
    assert (result.exit_code, result.stderr) == (130, "\ngauge: interrupted\n")


def test_output_fits_a_terminal_that_knows_ascii_alone(tmp_path: Path) -> None:
    """JSON stays JSON, and text for people is escaped, where stdout cannot show a character."""
    code = """
from serve.commands.console import print_line
print_line('{"photo": "表"}')
print_line("表 8")
"""
    done = run_python(code, PYTHONIOENCODING="ascii")
    lines = done.stdout.splitlines()
    assert json.loads(lines[0]) == {"photo": "表"}
    assert lines[1] == "\\u8868 8"


def test_the_reader_of_the_output_may_go_early() -> None:
    code = "from serve.commands.console import plain_errors, print_line\n"
    code += "plain_errors(lambda: [print_line('x' * 9999) for _ in range(99)])()"
    done = subprocess.run(
        ["bash", "-c", '"$0" -c "$1" | head -c 1; exit ${PIPESTATUS[0]}', sys.executable, code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "x"
    assert "Traceback" not in done.stderr or "Exit" in done.stderr
    assert "BrokenPipeError" not in done.stderr


def test_synth_draws_a_dataset(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["synth", "xyz2000", "--count", "2", "--seed", "7", "--out", str(tmp_path / "set")])
    assert result.exit_code == 0
    assert result.stdout == f"2 pictures with seeds 7 to 8 in {tmp_path / 'set'}\n"
    assert len((tmp_path / "set" / "metadata.jsonl").read_text().splitlines()) == 2


def test_synth_with_an_unknown_recipe(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["synth", "no-such-recipe", "--out", str(tmp_path / "set")])
    assert result.exit_code == 1
    assert result.stderr.startswith("gauge: ")
    assert "no-such-recipe" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_eval_scores_what_read_gives(gauge: Gauge, tmp_path: Path) -> None:
    CliRunner().invoke(app, ["synth", "xyz2000", "--count", "2", "--out", str(tmp_path / "set")])
    answer = gauge("eval", tmp_path / "set", "--json")
    assert answer.code == 0
    card = answer.objects()[0]
    assert card["pictures"] == 2
    assert card["failed"] == 0
    assert "|" in gauge("eval", tmp_path / "set", "--limit", "1").out


def test_eval_of_what_is_no_dataset(gauge: Gauge, tmp_path: Path) -> None:
    answer = gauge("eval", tmp_path)
    assert answer.code == 1
    assert answer.err == f"gauge: {tmp_path} is not a dataset folder: it has no metadata.jsonl\n"


def test_eval_of_labelled_photos(gauge: Gauge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with labels.csv goes to the evaluation of real photos."""
    asked: list[Path] = []

    class Card:
        def model_dump_json(self) -> str:
            return "{}"

    def evaluate(folder: Path, *_: object, **__: object) -> Card:
        asked.append(folder)
        return Card()

    monkeypatch.setattr("eval.photos.evaluate_photos", evaluate)
    write(tmp_path, "labels.csv", b"")
    assert gauge("eval", tmp_path, "--json").out == "{}\n"
    assert asked == [tmp_path]


def test_train_passes_the_recipe_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[object] = []
    monkeypatch.setattr(workshop, "train_reader", lambda recipe, **rest: asked.append((recipe, rest)) or "Weights in w")
    result = CliRunner().invoke(app, ["train", "small", "--out", str(tmp_path), "--resume", "--set", "steps=5", "--set", "a.b=1"])
    assert result.exit_code == 0
    assert result.stdout == "Weights in w\n"
    assert asked == [("small", {"out": tmp_path, "resume": True, "overrides": ["steps=5", "a.b=1"], "workers": 1})]


def test_train_draws_what_its_recipe_asks_for_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    recipe = write(
        tmp_path,
        "tiny.toml",
        b"""
[[data]]
recipe = "xyz2000"
count = 2
seed = 4
[[data]]
recipe = "xyz2000"
folder = "ready"
count = 1
seed = 0
[validation]
count = 8
[[stages]]
image_size = 64
steps = 1
""",
    )
    asked: list[tuple[list[Path], list[Path]]] = []

    def train(chosen: object, data: list[Path], validation: list[Path], out: Path, *, resume: bool) -> Path:
        assert chosen.seed == 9  # type: ignore[attr-defined]
        asked.append((data, validation))
        return out

    def finish(folder: Path, calibration_data: list[Path], test_data: list[Path], *, name: str) -> dict[str, object]:
        finished.append((folder, calibration_data, test_data, name))
        return {}

    finished: list[tuple[Path, list[Path], list[Path], str]] = []
    monkeypatch.setattr("vision.training.train", train)
    monkeypatch.setattr("eval.card.finish_weights", finish)
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    for _ in range(2):
        result = CliRunner().invoke(app, ["train", str(recipe), "--out", str(tmp_path / "run"), "--set", "seed=9"])
        assert result.exit_code == 0, result.stderr
    assert asked[0] == asked[1]
    (drawn, ready), (watched,) = asked[0]
    assert finished[0] == (tmp_path / "run", [watched], [watched], "tiny")
    assert ready == Path("ready")
    assert len((drawn / "metadata.jsonl").read_text().splitlines()) == 2
    names = [json.loads(line)["file_name"] for line in (watched / "metadata.jsonl").read_text().splitlines()]
    assert len(names) == 8
    assert all(int(Path(name).stem) >= workshop.VALIDATION_SEED for name in names)


def test_train_lines_draws_and_says_what_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    recipe = write(
        tmp_path,
        "tiny.toml",
        b"""
steps = 1
[[data]]
recipe = "xyz2000"
count = 2
seed = 4
[[validation]]
recipe = "xyz2000"
folder = "ready"
count = 1
seed = 1000000000
""",
    )
    asked: list[tuple[list[Path], list[Path], Path]] = []

    class Trained:
        card = {"exact_lines": {"row": {"count": 8, "exact": 0.875}}}  # noqa: RUF012

    def train(chosen: object, data: list[Path], validation: list[Path], out: Path) -> Trained:
        asked.append((data, validation, out))
        return Trained()

    monkeypatch.setattr("vision.line_training.train_lines", train)
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(app, ["train-lines", str(recipe), "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.endswith(f"Weights of a line reader in {tmp_path / 'run'}; exact: row 87.5%\n")
    ((drawn,), validation, out) = asked[0]
    assert len((drawn / "metadata.jsonl").read_text().splitlines()) == 2
    assert (validation, out) == ([Path("ready")], tmp_path / "run")


def test_train_lines_trains_a_state_reader_where_the_recipe_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = b'reader = "states"\n[[data]]\nrecipe = "xyz2000"\nfolder = "ready"\ncount = 2\nseed = 4\n'
    recipe = write(tmp_path, "tiny.toml", text)
    asked: list[tuple[list[Path], bool]] = []

    class Trained:
        card = {"right": {"color": {"count": 8, "right": 0.875}}}  # noqa: RUF012

    def train(chosen: object, data: list[Path], validation: list[Path], out: Path, *, resume: bool) -> Trained:
        asked.append((data, resume))
        return Trained()

    monkeypatch.setattr("vision.state_training.train_states", train)
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(app, ["train-lines", str(recipe), "--out", str(tmp_path / "run"), "--resume"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.endswith(f"Weights of a state reader in {tmp_path / 'run'}; right: color 87.5%\n")
    assert asked == [([Path("ready")], True)]


def test_a_training_of_lines_cannot_be_resumed_and_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["train-lines", "digits", "--out", str(tmp_path), "--resume"])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "leave --resume out" in result.stderr


def test_an_unknown_recipe_of_a_line_reader_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["train-lines", "no-such", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "no-such" in result.stderr
    assert "digits" in result.stderr


def test_kb_search(monkeypatch: pytest.MonkeyPatch, knowledge: library.KnowledgeBase) -> None:
    monkeypatch.setattr(library, "open_manuals", lambda: knowledge)
    args = ["kb", "search", "what does the red lamp mean", "--model", "XYZ-2000", "-k", "2"]
    hits = [json.loads(line) for line in CliRunner().invoke(app, [*args, "--json"]).stdout.splitlines()]
    assert len(hits) == 2
    assert hits[0]["chunk"]["document"].startswith("xyz-2000")
    text = CliRunner().invoke(app, args).stdout
    assert text.startswith("1. ")
    assert hits[0]["chunk"]["id"] in text


def test_kb_search_names_the_known_models(monkeypatch: pytest.MonkeyPatch, knowledge: library.KnowledgeBase) -> None:
    monkeypatch.setattr(library, "open_manuals", lambda: knowledge)
    text = CliRunner().invoke(app, ["kb", "search", "red lamp", "--model", "Nobody 1"]).stdout
    assert text.startswith("No manual of the model 'Nobody 1'; known models: ")
    assert "XYZ-2000" in text


def test_kb_audit_finds_the_shipped_manuals_sound() -> None:
    result = CliRunner().invoke(app, ["kb", "audit", "--json"])
    assert json.loads(result.stdout)["faults"] == []
    assert result.exit_code == 0


def test_kb_audit_fails_on_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = library.Fault(kind="torn table", document="d", section="1", line=3, detail="torn")
    monkeypatch.setattr(library, "audit", lambda _: (fault,))
    result = CliRunner().invoke(app, ["kb", "audit"])
    assert result.exit_code == 1
    assert result.stdout.startswith("d §1, line 3: torn table: torn\n")


def test_serve_loads_before_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serve.api.server.open_service", lambda *_, **__: failing(ValueError("no weights")))
    result = CliRunner().invoke(app, ["serve", "--port", "0"])
    assert result.exit_code == 1
    assert "no weights" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_photo_next_to_a_missing_one(gauge: Gauge, tmp_path: Path) -> None:
    answer = gauge("read", write(tmp_path, "a.png", picture_bytes()), tmp_path / "b.png")
    assert answer.code == 1
    assert len(answer.out.splitlines()) == 3
