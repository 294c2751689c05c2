"""What is stated and what is not: abstention, agreement, contradiction. The OCR is replaced by texts at known places."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision.calibration import Calibration, Curve
from vision.class_value import ClassVotes
from vision.dial_value import points_fraction
from vision.display_value import last_digit
from vision.fields import EvidencePoints, GaugeFields
from vision.generate import Chosen
from vision.judge import Evidence, judge, raw_confidence, sure_fields
from vision.lamp_color import FEATURES, LampModel
from vision.numerals import Look, NumeralReader, PrintedText
from vision.plane import clock_angle
from vision.state_pool import StatePool, StatePools

PIVOT = (200.0, 200.0)


def at(angle: float, radius: float) -> tuple[float, float]:
    """A place on the dial, degrees clockwise from 6 o'clock."""
    return PIVOT[0] - radius * math.sin(math.radians(angle)), PIVOT[1] + radius * math.cos(math.radians(angle))


def face_with_needle(angle: float) -> np.ndarray:
    """A white face with a black needle from the pivot to 110 px, and nothing else."""
    image = np.full((400, 400, 3), 255, np.uint8)
    tip = at(angle, 110)
    cv2.line(image, (round(PIVOT[0]), round(PIVOT[1])), (round(tip[0]), round(tip[1])), (0, 0, 0), 5, cv2.LINE_AA)
    return image


class PrintedFace(NumeralReader):
    """An OCR that reads what was laid out: numbers along the scale and further texts, in image pixels."""

    def __init__(self, numbers: dict[str, float], *others: str, height: float = 16.0) -> None:
        super().__init__()
        self.height = height
        self.layout = [(text, at(angle, 120.0)) for text, angle in numbers.items()]
        self.layout += [(text, (200.0, 260.0 + 20 * i)) for i, text in enumerate(others)]

    def look(self, crop, *, turn_deg: float = 0.0, known=()):  # type: ignore[no-untyped-def, override]
        return Look(tuple(_text(text, place, self.height) for text, place in self.layout) if turn_deg == 0.0 else ())


def _text(text: str, center: tuple[float, float], height: float) -> PrintedText:
    step = 0.56 * height
    places = tuple((center[0] + (i - (len(text) - 1) / 2) * step, center[1]) for i in range(len(text)))
    return PrintedText(text, center, height, step * len(text), 0.0, 0.97, (20.0, 20.0, 20.0), places)


def evidence(angle: float, fields: GaugeFields | None = None, probability: float = 0.97, **changes: object) -> Evidence:
    shown = fields or GaugeFields(
        kind="dial",
        pointer_angle=angle,
        start_angle=45,
        end_angle=315,
        clockwise=True,
        scale_fraction=(angle - 45) / 270,
        scale_min=0,
        scale_max=10,
        unit="bar",
    )
    chosen = {name: [Chosen(0, probability, None)] for name, value in shown.model_dump().items() if value not in (None, ())}
    base = {
        "image": face_with_needle(angle),
        "box": (0.0, 0.0, 400.0, 400.0),
        "box_score": 0.9,
        "fields": shown,
        "problem": None,
        "chosen": chosen,
        "points": EvidencePoints(needle_tip=at(angle, 110), pivot=PIVOT, scale_start=at(45, 130), scale_end=at(315, 130)),
        "point_confidence": dict.fromkeys(("needle_tip", "pivot", "scale_start", "scale_end"), 0.9),
        "too_small": False,
    }
    return Evidence(**{**base, **changes})  # type: ignore[arg-type]


LINEAR = {str(value): 45.0 + 27.0 * value for value in range(0, 11, 2)}


def judged(seen: Evidence, face: NumeralReader):  # type: ignore[no-untyped-def]
    return judge(seen, face, Calibration(), 736).reading


@pytest.mark.parametrize("angle", [60.0, 126.0, 180.0, 299.0])
def test_numerals_give_the_value_with_its_interval(angle: float) -> None:
    reading = judged(evidence(angle), PrintedFace(LINEAR, "bar"))
    true = (angle - 45) / 27
    assert reading.status == "read"
    assert reading.value_source == "numerals"
    assert reading.value_low is not None
    assert reading.value_high is not None
    assert reading.value == pytest.approx(true, abs=0.15)
    assert reading.value_low <= true <= reading.value_high
    assert reading.unit == "bar"


def test_without_numerals_a_sure_own_scale_gives_the_value() -> None:
    reading = judged(evidence(180.0), PrintedFace({}))
    assert reading.status == "read"
    assert reading.value_source == "printed_scale"
    assert reading.value == pytest.approx(5.0, abs=0.2)


def test_without_numerals_an_unsure_own_scale_gives_none() -> None:
    reading = judged(evidence(180.0, probability=0.6), PrintedFace({}))
    assert reading.status == "abstained"
    assert reading.value is None
    assert reading.reason


def test_a_difference_between_the_witnesses_is_said_and_lowers_confidence() -> None:
    agreed = judged(evidence(180.0), PrintedFace(LINEAR, "bar"))
    tens = {str(value * 10): angle for value, angle in ((v, 45.0 + 27.0 * v) for v in range(0, 11, 2))}
    differing = judged(evidence(180.0), PrintedFace(tens, "bar"))
    assert differing.value == pytest.approx(50.0, abs=2)
    assert differing.reason is not None
    assert "own reading" in differing.reason
    assert differing.value_confidence < agreed.value_confidence
    assert (agreed.fields.scale_min, agreed.fields.scale_max) == (0.0, 10.0)
    assert (differing.fields.scale_min, differing.fields.scale_max) == (0.0, 100.0)


def test_a_flipped_needle_is_not_read() -> None:
    seen = evidence(90.0)
    flipped = Evidence(
        **{
            **seen.__dict__,
            "points": EvidencePoints(needle_tip=at(270, 110), pivot=PIVOT, scale_start=at(45, 130), scale_end=at(315, 130)),
        }
    )
    reading = judged(flipped, PrintedFace(LINEAR, "bar"))
    assert reading.status == "abstained"
    assert reading.reason is not None
    assert "disagree" in reading.reason


@pytest.mark.parametrize(
    ("read", "other", "status"), [("red", "black", "abstained"), ("black", "red", "read"), ("red", None, "read")]
)
def test_a_red_hand_beside_a_plain_one_is_not_read(read: str, other: str | None, status: str) -> None:
    colors = {"red": (205, 20, 20), "black": (20, 20, 20)}
    image = np.full((400, 400, 3), 255, np.uint8)
    for color, angle in ((other, 240.0), (read, 126.0)):
        if color is not None:
            end = at(angle, 112)
            cv2.line(image, (200, 200), (round(end[0]), round(end[1])), colors[color], 5, cv2.LINE_AA)
    reading = judged(evidence(126.0, image=image), PrintedFace(LINEAR, "bar"))
    assert reading.status == status
    if status == "abstained":
        assert reading.reason == "there are two hands, and nothing tells which one measures"
        assert reading.value is None


def test_a_needle_that_was_not_found_gives_no_value() -> None:
    seen = evidence(90.0, point_confidence={"needle_tip": 0.05, "pivot": 0.9})
    reading = judged(seen, PrintedFace(LINEAR, "bar"))
    assert reading.status == "abstained"
    assert reading.points.needle_tip is None
    assert reading.value is None


def test_a_unit_that_is_not_printed_and_not_sure_is_not_stated() -> None:
    reading = judged(evidence(180.0, probability=0.7), PrintedFace(LINEAR))
    assert reading.status == "read"
    assert reading.unit is None


def test_too_small_says_how_small() -> None:
    reading = judged(evidence(90.0, too_small=True, box=(0.0, 0.0, 20.0, 18.0)), PrintedFace(LINEAR))
    assert reading.status == "abstained"
    assert "20 x 18" in str(reading.reason)


def test_an_answer_that_cannot_be_spelled_is_abstained() -> None:
    reading = judged(
        evidence(90.0, fields=None, chosen={}, problem="the model's answer could not be understood"), PrintedFace({})
    )
    assert reading.status == "read" or reading.reason
    broken = Evidence(**{**evidence(90.0).__dict__, "fields": None, "problem": "no end"})
    assert judged(broken, PrintedFace({})).reason == "no end"


@pytest.mark.parametrize(
    ("kind", "name", "value"), [("lamp", "warning_light_color", "red"), ("selector", "mode_dial_position", 3)]
)
def test_lamps_and_selectors_are_read_without_a_number(kind: str, name: str, value: object) -> None:
    fields = GaugeFields.model_validate({"kind": kind, name: value})
    reading = judged(evidence(0.0, fields=fields), PrintedFace({}))
    assert reading.status == "read"
    assert reading.value is None
    assert getattr(reading.fields, name) == value
    unsure = judged(evidence(0.0, fields=fields, probability=0.5), PrintedFace({}))
    assert unsure.status == "abstained"
    assert getattr(unsure.fields, name) is None


def test_digits_need_two_looks_that_agree_or_one_that_is_sure() -> None:
    fields = GaugeFields(kind="digital", digital_readout="56.1")
    shown = PrintedFace({}, "56.1", height=90.0)
    reading = judged(evidence(0.0, fields=fields), shown)
    assert reading.status == "read"
    assert (reading.value, reading.value_source) == (56.1, "digits")
    assert reading.value_high == pytest.approx(56.15)
    other = judged(evidence(0.0, fields=GaugeFields(kind="digital", digital_readout="96.1")), shown)
    assert other.status == "abstained"
    assert other.fields.digital_readout is None
    assert "disagree" in str(other.reason)


def test_unsure_fields_are_dropped_and_sure_ones_kept() -> None:
    fields = GaugeFields(kind="dial", pointer_angle=90, unit="bar", scale_min=0)
    kept = sure_fields(fields, {"kind": 0.1, "pointer_angle": 0.9, "unit": 0.05, "scale_min": 0.3})
    assert kept == GaugeFields(kind="dial", pointer_angle=90, scale_min=0)


def test_confidence_is_the_product_of_its_choices() -> None:
    assert raw_confidence([Chosen(0, 0.5, None), Chosen(0, 0.5, None)]) == 0.25
    assert raw_confidence([]) == 0.0


def test_calibration_applies_and_stays_in_bounds() -> None:
    calibration = Calibration({"unit": Curve((0.0, 1.0), (0.0, 0.5))})
    assert calibration("unit", 0.8) == pytest.approx(0.4)
    assert calibration("other", 1.7) == 1.0


def test_geometry_counts_clockwise_from_six() -> None:
    assert [clock_angle((0, 0), p) for p in ((0, 9), (-9, 0), (0, -9), (9, 0))] == pytest.approx([0, 90, 180, 270])
    points = EvidencePoints(needle_tip=at(180, 100), pivot=PIVOT, scale_start=at(45, 100), scale_end=at(315, 100))
    assert points_fraction(points, clockwise=True) == pytest.approx(0.5)
    assert points_fraction(EvidencePoints(pivot=PIVOT), clockwise=True) is None


def test_last_digit() -> None:
    assert [last_digit(text) for text in ("819", "56.1", "0.05", "7.")] == pytest.approx([1, 0.1, 0.01, 1])


def test_a_lamps_pixels_decide_where_the_looks_are_unsure_and_contradict_where_they_are_sure() -> None:
    fields = GaugeFields(kind="lamp", warning_light_color="red")
    limits = Calibration(limits={"warning_light_color": 0.8})
    model = lamp_by_redness()
    unsure = ClassVotes(0.95, {"red": 0.5, "yellow": 0.3, "green": 0.1, "off": 0.1})
    red = lamp_reading(fields, unsure, (235, 40, 30), limits, model)
    assert (red.status, red.fields.warning_light_color) == ("read", "red")
    assert red.confidence["warning_light_color"] > 0.9
    alone = lamp_reading(fields, unsure, (235, 40, 30), limits, None)
    assert alone.status == "abstained"
    assert "not clear" in str(alone.reason)
    sure = ClassVotes(0.95, {"red": 0.96, "yellow": 0.02, "green": 0.01, "off": 0.01})
    off = lamp_reading(fields, sure, (60, 60, 60), Calibration(limits={"warning_light_color": 0.97}), model)
    assert off.status == "abstained"
    assert off.fields.warning_light_color is None
    assert off.reason == "two looks at the lamp disagree: the model's and that at its pixels (off)"


def test_the_looks_decide_a_selector_and_its_limit_is_the_calibrations() -> None:
    fields = GaugeFields(kind="selector", mode_dial_position=3)
    votes = ClassVotes(1.0, {"1": 0.0, "2": 0.1, "3": 0.2, "4": 0.7, "5": 0.0})
    seen = evidence(0.0, fields=fields, votes=votes)
    reading = judge(seen, PrintedFace({}), Calibration(limits={"mode_dial_position": 0.6}), 736).reading
    assert (reading.status, reading.fields.mode_dial_position) == ("read", 4)
    assert judge(seen, PrintedFace({}), Calibration(), 736).reading.status == "abstained"
    never = Calibration(limits={"mode_dial_position": math.inf})
    assert judge(seen, PrintedFace({}), never, 736).reading.status == "abstained"


def test_the_state_reader_makes_a_selector_clear_and_cannot_be_sure_alone_where_it_says_something_else() -> None:
    fields = GaugeFields(kind="selector", mode_dial_position=3)
    pools = StatePools(mode_dial_position=StatePool(donut=0.3, states=1.0, examples=200))
    limits = Calibration(limits={"mode_dial_position": 0.9})
    unsure = ClassVotes(0.99, {"1": 0.1, "2": 0.1, "3": 0.5, "4": 0.2, "5": 0.05})
    seen = dict.fromkeys("12345", 0.005) | {"3": 0.98}
    for votes, status in (
        (unsure, "abstained"),
        (unsure._replace(seen=seen, seen_kind=0.99), "read"),
        (unsure._replace(seen=seen, seen_kind=0.05), "abstained"),
        (unsure._replace(seen=dict.fromkeys("12345", 0.2), seen_kind=0.99), "abstained"),
    ):
        reading = judge(evidence(0.0, fields=fields, votes=votes), PrintedFace({}), limits, 736, pools=pools).reading
        assert reading.status == status
        assert reading.fields.mode_dial_position == (3 if status == "read" else None)
        assert reading.value is None


def lamp_image(color: tuple[int, int, int]) -> np.ndarray:
    image = np.full((400, 400, 3), 90, np.uint8)
    cv2.circle(image, (200, 200), 200, color, -1)
    return image


def lamp_by_redness() -> LampModel:
    """A model that knows two colours: red by the red light in the middle, off by its absence."""
    weights = np.zeros((4, FEATURES))
    weights[0, 0] = 20.0
    return LampModel(
        means=(0.0,) * FEATURES,
        sds=(1.0,) * FEATURES,
        weights=tuple(tuple(row) for row in weights.tolist()),
        intercepts=(-8.0, -8.0, -8.0, 0.0),
        donut_weight=0.5,
        examples=40,
    )


def lamp_reading(fields, votes, color, calibration, model):  # type: ignore[no-untyped-def]
    seen = evidence(0.0, fields=fields, votes=votes, image=lamp_image(color))
    return judge(seen, PrintedFace({}), calibration, 736, lamp=model).reading
