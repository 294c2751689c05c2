"""`gauge eval hrs`: ratings and scores of the same reports, one verdict, the exit code that says it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.serve.bad_photos import write
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes


def test_ratings_of_an_inspection(gauge: Gauge, tmp_path: Path) -> None:
    made = gauge("inspect", write(tmp_path, "a.png", picture_bytes()), "--model", "XYZ-2000", "--json")
    (tmp_path / "scores.jsonl").write_text(made.out, encoding="utf-8")
    (inspection,) = made.objects()
    rows = [f"{inspection['request_id']},{rater},{score}" for rater, score in (("A", 5), ("B", 4), ("C", 4))]
    (tmp_path / "ratings.csv").write_text("\n".join(["request_id,rater,score", *rows]), encoding="utf-8")
    answer = gauge("eval", "hrs", tmp_path / "ratings.csv", "--scores", tmp_path / "scores.jsonl", "--json")
    card = json.loads(answer.out)
    assert card["cases"][0]["fci"] == inspection["scores"]["fci"]
    assert answer.code == int(card["verdict"]["state"] != "supported")
    assert card["hrs"]["n"] == 1


def test_a_verdict_is_an_exit_code(gauge: Gauge, tmp_path: Path) -> None:
    scores, ratings = tmp_path / "s.jsonl", tmp_path / "r.csv"
    scores.write_text('{"line": 1, "fci": 1.0}\n', encoding="utf-8")
    for score, code in ((4, 0), (3, 1)):
        ratings.write_text("case,rater,score\n" + "".join(f"1,{rater},{score}\n" for rater in "ABC"), encoding="utf-8")
        assert gauge("eval", "hrs", ratings, "--scores", scores).code == code
    missing = gauge("eval", "hrs", tmp_path / "none.csv", "--scores", scores)
    assert missing.code == 1
    assert missing.err == f"gauge: {tmp_path / 'none.csv'} cannot be read: No such file or directory\n"
    assert gauge("eval", "hrs", ratings).code == 2
