"""The correction form: what somebody wrote becomes a correction, or a word about what is wrong with it."""

from __future__ import annotations

import math
import re

from eval.failures import Complaint
from serve.store.feedback import Correction
from serve.store.reports import StoredReport
from serve.web.words import Words
from vision.units import UnitError, parse_unit

_NUMBER = re.compile(r"[+-]?(?:\d{1,15}(?:[.,]\d{0,12})?|[.,]\d{1,12})(?:[eE][+-]?\d{1,2})?")


class CorrectionError(ValueError):
    """A form that cannot be kept; the message is in the reader's language."""


def parse_correction(
    report: StoredReport, instrument: int | None, complaint: Complaint, value: str, unit: str, note: str, words: Words
) -> Correction:
    """The correction of a form. Raises CorrectionError where value or unit are none, or where nothing is said at all."""
    number = parse_number(value) if value else None
    if value and number is None:
        raise CorrectionError(words("bad_value", value=value[:40]))
    try:
        known = parse_unit(unit) if unit else None
    except UnitError as error:
        raise CorrectionError(words("bad_unit", unit=unit[:40])) from error
    if number is None and not note and complaint == "misread":
        raise CorrectionError(words("needs_something"))
    return Correction(report=report.id, instrument=instrument, complaint=complaint, value=number, unit=known, note=note)


def parse_number(text: str) -> float | None:
    """A number as people write it, with a point or one comma for the decimals; None where it is none.

    A comma before exactly three digits could part thousands: that is no number here, for it could be wrong by a thousand.
    """
    plain = text.strip().replace("\u2212", "-").replace("\uff0e", ".").replace("\uff0c", ",")
    if _NUMBER.fullmatch(plain) is None or re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", plain):
        return None
    number = float(plain.replace(",", "."))
    return number if math.isfinite(number) else None
