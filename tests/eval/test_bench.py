"""Benchmarks: times of a reader we know, start-up, and probes on labelled texts of our own."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from eval.bench import bench_read, bench_start, find_photos, import_commands, one_thread
from eval.bench_text import SetName, bench_text, keyword_support, overlap_floor, read_labelled
from eval.fci import score_answer
from eval.probe_scores import Measured
from eval.score import EvalError
from tests.eval.builders import ScriptedReader, as_json, make_photo


class SlowReader(ScriptedReader):
    """Takes long over the first photo, as a reader does that loads its model then."""

    def read_photos(self, paths: Any) -> Any:
        for path in paths:
            time.sleep(0.001 if self.asked else 0.2)
            self.asked.append(path)
            yield make_photo(str(path)).model_copy(update={"timing_ms": {"read": 7.0}})


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    for name in ("b.jpg", "a.png", "deep/c.JPG", "note.txt"):
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_the_first_photo_stands_apart(photos: Path) -> None:
    bench = bench_read(photos, SlowReader(), progress=False)
    assert bench.photos == 2
    assert bench.first_s > 0.15 > bench.median_s > 0
    assert bench.stage_ms == {"read": 7.0}
    assert as_json(bench)["failed"] == 0
    assert bench_read(photos, SlowReader(), limit=1, progress=False).photos == 1


def test_pictures_are_found_in_order_and_nothing_else(photos: Path, tmp_path: Path) -> None:
    assert [path.name for path in find_photos(photos)] == ["a.png", "b.jpg", "c.JPG"]
    with pytest.raises(EvalError, match="holds no pictures"):
        find_photos(photos / "nowhere")
    with pytest.raises(EvalError, match="at least 1"):
        bench_read(photos, SlowReader(), limit=0, progress=False)


def test_a_reader_that_loses_photos_is_found_out(photos: Path) -> None:
    class Forgetful(ScriptedReader):
        def read_photos(self, paths: Any) -> Any:
            return iter(())

    with pytest.raises(EvalError, match="0 readings for one photo"):
        bench_read(photos, Forgetful(), progress=False)


def test_threads_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        threads = 6

        def setNumThreads(self, count: int) -> None:
            self.threads = count

        def getNumThreads(self) -> int:
            return self.threads

    library = Library()
    monkeypatch.setitem(sys.modules, "cv2", library)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with one_thread():
        assert library.threads == 1
    assert library.threads == 6


def test_start_up_is_measured_and_failures_are_told() -> None:
    bench = bench_start({"python": import_commands()["python"]}, runs=2)["python"]
    assert 0 < bench.median_s < 30
    assert bench.runs == 2
    with pytest.raises(EvalError, match="bad ended with 3"):
        bench_start({"bad": [sys.executable, "-c", "raise SystemExit(3)"]}, runs=1)
    with pytest.raises(EvalError, match="runs must be"):
        bench_start({}, runs=0)


PASSAGE = "passage 1:The pump runs at 4 MPa. passage 2:The valve is made of brass and opens at 6 MPa."


def write_ragtruth(path: Path) -> Path:
    rows = []
    for number in range(6):
        good = {"response": "The pump runs at 4 MPa.", "labels": []}
        bad = {"response": "Bellows from Norway cost nine dollars.", "labels": [{"text": "Norway"}]}
        rows.append({"source_id": number, "source": {"passages": PASSAGE}, "responses": [good, bad]})
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_probes_and_floor_are_measured_together(tmp_path: Path) -> None:
    bench = bench_text(write_ragtruth(tmp_path / "r.jsonl"), "ragtruth", progress=False, rounds=20)
    assert (bench.n, bench.unfaithful) == (12, 6)
    by_name = {probe.probe: probe for probe in bench.probes}
    assert set(by_name) == {"overlap floor", "fci", "worst support"}
    for probe in by_name.values():
        full = Measured(value=1, low=1, high=1)
        assert (probe.auroc, probe.tuned, probe.held_out, probe.f1, probe.balanced_accuracy) == (full,) * 5
        assert probe.gain == Measured(value=0, low=0, high=0)
    assert bench == bench_text(tmp_path / "r.jsonl", "ragtruth", progress=False, rounds=20)
    assert bench_text(tmp_path / "r.jsonl", "ragtruth", limit=2, progress=False, rounds=5).n == 4


def test_keywords_of_chinese_news_are_items(tmp_path: Path) -> None:
    row = {
        "id": "doc_1",
        "newsBeginning": "泵站昨日启动。",
        "newsRemainder": "泵站站长说，油泵压力为4兆帕。",
        "hallucinatedContinuation": "站长表示，油泵压力为9兆帕，挪威专家到场。",
        "annotations": ["油泵压力<sep>合理", "挪威专家<sep>不合理，原文没有"],
    }
    (tmp_path / "u.jsonl").write_text(json.dumps(row, ensure_ascii=False))
    items = read_labelled(tmp_path / "u.jsonl", "uhgeval")
    assert [(item.keyword, item.faithful) for item in items] == [("油泵压力", True), ("挪威专家", False)]
    bench = bench_text(tmp_path / "u.jsonl", "uhgeval", progress=False, rounds=5)
    assert bench.probes[0].auroc.value == 1
    assert math.isnan(bench.probes[0].f1.value)


def test_files_of_another_kind_are_refused_by_line(tmp_path: Path) -> None:
    write_ragtruth(tmp_path / "r.jsonl")
    with pytest.raises(EvalError, match=r"r\.jsonl:1 is not a line of uhgeval"):
        read_labelled(tmp_path / "r.jsonl", "uhgeval")
    with pytest.raises(EvalError, match="no such data file"):
        read_labelled(tmp_path / "none.jsonl", "ragtruth")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(EvalError, match="no labelled texts"):
        read_labelled(tmp_path / "empty.jsonl", "ragtruth")


def test_the_support_of_a_keyword_is_the_mean_of_three_views() -> None:
    sources = ("油泵压力为4兆帕。",)
    scores = score_answer("油泵压力为4兆帕，挪威专家到场。", sources)
    (held,) = [v.support for s in scores.statements for v in s.verdicts if "油泵" in v.claim.text]
    assert keyword_support(scores, "油泵压力", sources, 1.0) == pytest.approx(((1 + held) / 2) ** (1 / 3))
    (absent,) = [v.support for s in scores.statements for v in s.verdicts if "挪威" in v.claim.text]
    # Two characters, none of them held: a third; none of its words known: a half.
    assert keyword_support(scores, "挪威", sources, 0.0) == pytest.approx((1 / 3 * 1 / 2 * (1 + absent) / 2) ** (1 / 3))
    assert math.isnan(keyword_support(scores, "……", sources, math.nan))


def test_the_floor_is_that_of_the_weakest_sentence() -> None:
    assert overlap_floor("The pump runs. The bellows leak.", ["The pump runs."]) == 0
    assert overlap_floor("The pump runs.", ["The pump runs."]) == 1
    assert math.isnan(overlap_floor("", ["x"]))


TEXTS = Path(os.environ.get("GAUGE_TEXT_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), [("ragtruth_qa_dev.jsonl", "ragtruth"), ("uhgeval_dev.jsonl", "uhgeval")])
def test_graded_support_clears_the_floor_on_texts_held_out(name: str, kind: SetName) -> None:
    if not (TEXTS / name).is_file():
        pytest.skip("the labelled texts are not at hand")
    by_name = {probe.probe: probe for probe in bench_text(TEXTS / name, kind, progress=False, rounds=100).probes}
    assert by_name["worst support"].held_out.low > by_name["overlap floor"].held_out.value
