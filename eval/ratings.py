"""HRS, how people rate reports from 1 to 5, beside FCI: neither makes up for the other.

A text can be worded to please a rule (a stock phrase copied from the source lifts any overlap), and people can like what
is not true. A report passes where both hold: HRS >= 4.0 by three raters or more, and FCI >= 0.85.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eval.score import NAN, EvalError, Mean, Number, Score, Share, mean_of, not_scorable, share_true, supported, unsupported
from vision.fields import Contract

LEAST_HRS, LEAST_FCI = 4.0, 0.85
LEAST_RATERS = 3
MAX_ROWS = 1_000_000
_CASE = ("case", "request_id", "line")
_SCORE = ("score", "hrs", "rating")


class RatedCase(Contract):
    """One report: the mean of its ratings, how far raters are apart (standard deviation), its FCI, and whether it passes.

    `liked_only` and `faithful_only` are the two ways to fail that one score alone would not show.
    """

    case: str
    hrs: Number
    raters: int
    spread: Number
    fci: Number
    passed: Score

    @property
    def liked_only(self) -> bool:
        """People like it, and its claims are not borne out."""
        return self.hrs >= LEAST_HRS and self.fci < LEAST_FCI

    @property
    def faithful_only(self) -> bool:
        """Its claims are borne out, and people do not like it: worded for the measure, or not worded for people."""
        return self.fci >= LEAST_FCI and self.hrs < LEAST_HRS


class RatingCard(Contract):
    """All reports. `passed` counts those for which both could be judged; `verdict` holds both means against their bounds.

    `faults`: rows of the file that are no rating, with their line.
    """

    cases: tuple[RatedCase, ...]
    hrs: Mean
    fci: Mean
    passed: Share
    not_scorable: int
    liked_only: int
    faithful_only: int
    verdict: Score
    faults: tuple[str, ...]


class Rating(NamedTuple):
    """One rater's opinion of one report."""

    case: str
    rater: str
    score: float


def read_ratings(path: Path) -> tuple[tuple[Rating, ...], tuple[str, ...]]:
    """The ratings of a CSV file with the columns case, rater and score, and the faults of rows that are none.

    Raises EvalError where the file cannot be read or lacks a column.
    """
    ratings: list[Rating] = []
    faults: list[str] = []
    seen: set[tuple[str, str]] = set()
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for number, row in _rows(csv.DictReader(lines), path):
                try:
                    rating = _rating(row)
                    if (rating.case, rating.rater) in seen:
                        raise ValueError(f"{rating.rater} rated {rating.case} before")
                except ValueError as error:
                    faults.append(f"line {number}: {str(error)[:200]}")
                    continue
                seen.add((rating.case, rating.rater))
                ratings.append(rating)
    except OSError as error:
        raise EvalError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise EvalError(f"{path} is no CSV file in UTF-8: {error}") from error
    return tuple(ratings), tuple(faults)


def _rows(reader: csv.DictReader[str], path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    columns = [name.strip() for name in reader.fieldnames or () if isinstance(name, str)]
    for names in (_CASE, ("rater",), _SCORE):
        if not set(names) & set(columns):
            raise EvalError(f"{path} has no column {' or '.join(names)}; it has {', '.join(columns)[:200] or 'none'}")
    for count, row in enumerate(reader):
        if count == MAX_ROWS:
            raise EvalError(f"{path} has more than {MAX_ROWS} rows")
        yield reader.line_num, {name.strip(): value for name, value in row.items() if isinstance(name, str)}


def _rating(row: Mapping[str, Any]) -> Rating:
    case, rater, text = (_first(row, names) for names in (_CASE, ("rater",), _SCORE))
    if not case or not rater:
        raise ValueError("it names no case or no rater")
    try:
        score = float(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no rating") from None
    if not 1.0 <= score <= 5.0:
        raise ValueError(f"a rating lies between 1 and 5, not {text[:40]}")
    return Rating(case, rater, score)


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(row[name]).strip() for name in names if row.get(name)), "")


def read_fci(path: Path) -> dict[str, float]:
    """FCI by case from JSON lines: `gauge inspect --json` (by request_id) or `gauge eval rag --out` (by line).

    What has no FCI is NaN. Raises EvalError naming the line that is neither.
    """
    found: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    case, fci = _fci(line, f"{path}:{number}")
                    found[case] = fci
    except OSError as error:
        raise EvalError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise EvalError(f"{path} is not UTF-8: {error.reason}") from error
    return found


def _fci(line: str, where: str) -> tuple[str, float]:
    try:
        data = json.loads(line)
        case = data["request_id"] if "request_id" in data else data["line"]
        fci = data["scores"].get("fci") if "scores" in data else data["fci"]
        value = NAN if fci is None else float(fci)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise EvalError(f"{where} is neither an inspection nor a scored row: {type(error).__name__} {error}") from None
    if not math.isnan(value) and not 0.0 <= value <= 1.0:
        raise EvalError(f"{where}: an FCI lies between 0 and 1, not {value}")
    return str(case), value


def score_ratings(ratings: tuple[Rating, ...], fci: Mapping[str, float], faults: tuple[str, ...] = ()) -> RatingCard:
    """The ratings held together with the FCI of the same cases; one without a FCI, or with too few raters, is not scorable."""
    by_case: dict[str, list[float]] = {}
    for rating in ratings:
        by_case.setdefault(rating.case, []).append(rating.score)
    cases = tuple(_rated(case, scores, fci.get(case)) for case, scores in sorted(by_case.items()))
    judged = [case for case in cases if case.passed.state != "not_scorable"]
    hrs, mean_fci = mean_of(case.hrs for case in judged), mean_of(case.fci for case in judged)
    return RatingCard(
        cases=cases,
        hrs=hrs,
        fci=mean_fci,
        passed=share_true(case.passed.state == "supported" for case in judged),
        not_scorable=len(cases) - len(judged),
        liked_only=sum(case.liked_only for case in judged),
        faithful_only=sum(case.faithful_only for case in judged),
        verdict=_verdict(hrs.value, mean_fci.value) if judged else not_scorable("no report has three ratings and a FCI"),
        faults=faults,
    )


def _rated(case: str, scores: list[float], fci: float | None) -> RatedCase:
    mean = sum(scores) / len(scores)
    spread = math.sqrt(sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)) if len(scores) > 1 else NAN
    if len(scores) < LEAST_RATERS:
        passed = not_scorable(f"rated by {len(scores)}, needs {LEAST_RATERS}")
    elif fci is None:
        passed = not_scorable("no FCI is given for it")
    elif math.isnan(fci):
        passed = not_scorable("its FCI could not be judged")
    else:
        passed = _verdict(mean, fci)
    return RatedCase(case=case, hrs=mean, raters=len(scores), spread=spread, fci=NAN if fci is None else fci, passed=passed)


def _verdict(hrs: float, fci: float) -> Score:
    """Both bounds at once. The means of thirds may fall a hair short of a bound that they meet."""
    slack = 1e-9
    short = [f"HRS {hrs:.2f} is below {LEAST_HRS:g}"] if hrs < LEAST_HRS - slack else []
    short += [f"FCI {fci:.3f} is below {LEAST_FCI:g}"] if fci < LEAST_FCI - slack else []
    return unsupported("; ".join(short)) if short else supported(f"HRS {hrs:.2f} and FCI {fci:.3f}")


def ratings_markdown(card: RatingCard) -> str:
    """The card for people: both means with their errors, the verdict, the cases that fail in one way alone, the faults."""
    from eval.tables import number, percent, table

    rows = [
        [name, f"{number(mean.value)} ± {number(mean.stderr, 2)}", str(mean.n), f"{bound:g}"]
        for name, mean, bound in (("HRS", card.hrs, LEAST_HRS), ("FCI", card.fci, LEAST_FCI))
    ]
    state = {"supported": "passes", "unsupported": "does not pass", "not_scorable": "cannot be judged"}[card.verdict.state]
    parts = [f"Together it {state}: {card.verdict.reason}", table(["score", "mean ± standard error", "n", "at least"], rows)]
    parts.append(
        f"Reports that pass both: {percent(card.passed, interval=True)}; liked and not faithful {card.liked_only}, "
        f"faithful and not liked {card.faithful_only}, not scorable {card.not_scorable}"
    )
    weak = [case for case in card.cases if case.passed.state != "supported"][:20]
    parts += ["\n".join(f"- {' '.join(case.case.split())[:80]}: {case.passed.reason}" for case in weak)] if weak else []
    parts += ["Rows that are no rating:\n" + "\n".join(f"- {fault}" for fault in card.faults[:20])] if card.faults else []
    return "\n\n".join(parts) + "\n"
