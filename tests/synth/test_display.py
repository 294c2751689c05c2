"""Displays: what their pixels show is what their truth says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from synth import sample_display
from synth.devices import DigitalSpec, DisplayRow
from synth.display import PITCH, WIDTH, cells, lines, shown_text, window_units
from synth.flat.segments import DOTS, LIT, LIT14
from synth.sample_digital import BUILDERS, sample_digital
from synth.scene import Pose
from synth.spec import Case
from tests.synth.device_scenes import at, frontal, picture
from vision.fields import GaugeFields

PROBES = {
    "a": (0.5, 0.0),
    "b": (1.0, 0.25),
    "c": (1.0, 0.75),
    "d": (0.5, 1.0),
    "e": (0.0, 0.75),
    "f": (0.0, 0.25),
    "g": (0.5, 0.5),
}
"""Middle of each segment in a digit of width and height 1: across, down."""
READ = {
    "abcdef": "0",
    "bc": "1",
    "abdeg": "2",
    "abcdg": "3",
    "bcfg": "4",
    "acdfg": "5",
    "acdefg": "6",
    "abc": "7",
    "abcdefg": "8",
    "abcdfg": "9",
    "g": "-",
    "": " ",
}
"""How people read seven segments; written down here anew, not taken from the renderer."""


def display(*rows: DisplayRow, **more: object) -> DigitalSpec:
    spec = DigitalSpec(
        case=Case("square", 2, (60, 60, 60), "flat", 10, (40, 40, 40), 0.6, 4, recess=0.0),
        rows=rows,
        window=(-90.0, -50.0, 90.0, 50.0),
        window_color=(15, 15, 15),
        digit_color=(255, 60, 50),
        led=True,
        slant=0.0,
        stroke=0.12,
        gap=0.012,
        ghost=0.0,
    )
    return replace(spec, **more)  # type: ignore[arg-type]


def read_cells(spec: DigitalSpec, image: NDArray[np.float64]) -> list[str]:
    """Digits of each line, decoded from the picture segment by segment."""
    found = []
    for line in lines(spec):
        ink = np.array(line.row.color or spec.digit_color, np.float64)
        half, text = spec.stroke / 2, ""
        for index in range(cells(line.text)):
            left = line.left + index * PITCH * line.height
            lit = ""
            for name, (across, down) in PROBES.items():
                y = half + down * (1 - 2 * half)
                if name in "bcef":
                    y = 0.5 + (0.25 if down > 0.5 else -0.25) * (1 - half)
                x = half + across * (WIDTH - 2 * half) + spec.slant * (0.5 - y)
                color = at(image, left + x * line.height, line.top + y * line.height)
                ground = np.array(spec.window_color, np.float64)
                if np.abs(color - ground).sum() > 0.45 * np.abs(ink - ground).sum():
                    lit += name
            text += READ.get(lit, "?")
        found.append(text.strip())
    return found


@pytest.mark.parametrize("digits", ["0123456", "789", "-8.0", "45.6", "1111", "-1", "9"])
@pytest.mark.parametrize("led", [True, False])
@pytest.mark.parametrize("slant", [0.0, 0.15])
def test_drawn_digits_are_those_of_the_truth(digits: str, led: bool, slant: float) -> None:
    colors = {} if led else {"window_color": (180, 190, 170), "digit_color": (20, 20, 20)}
    spec = display(DisplayRow(digits), led=led, slant=slant, ghost=0.08, **colors)
    truth = frontal(spec).truth().instruments[0]
    assert read_cells(spec, picture(spec)) == [digits.replace(".", "")]
    assert truth.fields.digital_readout == digits
    assert truth.value == float(digits)


def test_sampled_windows_show_their_rows() -> None:
    checked = 0
    for seed in range(200):
        spec = sample_digital(np.random.default_rng(seed))
        plain = spec.digit_style == "seven" and spec.lit and not spec.icons and spec.contrast > 0.75 and spec.backlight == 0
        if not plain or any(row.lead or row.status for row in spec.rows) or min(line.height for line in lines(spec)) < 9:
            continue
        shown = read_cells(spec, picture(spec))
        folded = "".join(shown) if spec.rows[0].fold else None
        expected = [row.digits.replace(".", "") for row in spec.rows]
        assert ([folded] if folded else shown) == expected, seed
        checked += 1
        if checked >= 25:
            break
    assert checked >= 20


def test_a_point_is_where_the_readout_has_it() -> None:
    with_point, without = display(DisplayRow("12.34")), display(DisplayRow("1234"))
    difference = np.abs(picture(with_point) - picture(without)).sum(axis=2)
    rows, columns = np.nonzero(difference > 200)
    line = lines(with_point)[0]
    middle = 300 + 2.8 * (line.left + (2 * PITCH - 0.08) * line.height)
    assert abs(columns.mean() - middle) < 0.08 * line.height * 2.8
    assert rows.mean() > 300 + 2.8 * (line.top + 0.85 * line.height)
    with_comma = display(DisplayRow("12.34", comma=True))
    assert shown_text(with_comma.rows[0]) == "12,34"
    assert frontal(with_comma).truth().instruments[0].fields.digital_readout == "12.34"
    assert np.abs(picture(with_comma) - picture(with_point)).max() > 60


def test_main_row_is_the_largest_else_the_top() -> None:
    top, low = DisplayRow("1.5", unit="V"), DisplayRow("22", unit="A")
    assert display(top, low).main is top
    assert display(top, replace(low, height=1.4)).main.digits == "22"  # type: ignore[union-attr]
    small_top = replace(top, height=0.6)
    fields = frontal(display(small_top, low)).truth().instruments[0].fields
    assert fields.digital_readout == "22"
    assert fields.unit == "A"
    assert [(c.label, c.digital_readout, c.unit) for c in fields.channels] == [("row 1", "1.5", "V")]


def test_rows_are_named_by_what_stands_beside_them() -> None:
    rows = tuple(DisplayRow(d, label=n) for d, n in (("229.3", "Ua"), ("229.5", "Ub"), ("229.8", "Uc")))
    fields = frontal(display(*rows)).truth().instruments[0].fields
    assert fields.digital_readout == "229.3"
    assert [(c.label, c.digital_readout) for c in fields.channels] == [("Ub", "229.5"), ("Uc", "229.8")]


@pytest.mark.parametrize("status", sample_display.STATUSES)
def test_status_codes_are_no_readout(status: str) -> None:
    spec = display(DisplayRow("", status=status))
    assert set(status) <= set(LIT)
    assert set(status) <= set(LIT14)
    truth = frontal(spec).truth().instruments[0]
    assert truth.fields == GaugeFields(kind="digital")
    assert truth.value is None
    assert np.abs(picture(spec) - picture(replace(spec, lit=False))).max() > 150, "the code is drawn"


def test_a_number_on_two_lines_is_one_number() -> None:
    spec = display(DisplayRow("6659149.1", unit="kWh", unit_text="kWh", fold=4))
    assert [line.text.strip() for line in lines(spec)] == ["6659", "149.1"]
    assert read_cells(spec, picture(spec)) == ["6659", "1491"]
    assert frontal(spec).truth().instruments[0].fields.digital_readout == "6659149.1"
    assert [unit.declares for unit in window_units(spec)] == ["kWh"]


def test_an_unlit_display_shows_nothing() -> None:
    spec = display(DisplayRow("88", unit="V", unit_text="V"), lit=False)
    assert read_cells(spec, picture(spec)) == [""]
    truth = frontal(spec).truth().instruments[0]
    assert truth.fields.digital_readout is None
    assert truth.units == ()


def test_characters_differ_from_each_other() -> None:
    digits = "0123456789-"
    for table in (LIT, LIT14, DOTS):
        assert len({str(table[c]) for c in digits}) == len(digits)  # type: ignore[index]
    for char, names in LIT.items():
        assert set(names) <= set("abcdefg"), char
    for char, names in LIT14.items():
        assert set(names) <= set("abcdefghijklmn"), char
    for rows in DOTS.values():
        assert len(rows) == 7
        assert all(0 <= row < 32 for row in rows)


@pytest.mark.parametrize("style", ["seven", "fourteen", "dots", "type"])
def test_every_style_draws_its_digits(style: str) -> None:
    one, two = (picture(display(DisplayRow(d), digit_style=style)) for d in ("12.5", "12.6"))
    assert np.abs(one - two).max() > 100
    blank = picture(display(DisplayRow("12.5"), digit_style=style, lit=False))
    assert np.abs(one - blank).max() > 150


@pytest.mark.parametrize("kind", sorted(BUILDERS))
def test_devices_keep_their_digits_in_their_windows(kind: str) -> None:
    for seed in range(40):
        spec = BUILDERS[kind](np.random.default_rng(seed))
        x0, y0, x1, y1 = spec.window
        half, tall = (100, 100 * spec.case.aspect)
        assert -half <= x0 < x1 <= half + 1, (kind, seed)
        assert -tall <= y0 < y1 <= tall + 1, (kind, seed)
        previous = y0
        for line in lines(spec):
            assert line.left >= x0
            assert line.left + (cells(line.text) * PITCH - 0.16) * line.height <= x1 + 0.02 * line.height, (kind, seed)
            assert line.top >= previous - 1e-6
            previous = line.top + line.height
        assert previous <= y1 + 1e-6
        for unit in window_units(spec):
            assert unit.size > 0.5, (kind, seed)
            assert unit.x < x1


def test_units_of_the_truth_are_printed() -> None:
    stated = 0
    for seed in range(300):
        spec = sample_digital(np.random.default_rng(seed))
        declared = {line.declares for line in (*spec.prints, *window_units(spec))} - {None}
        if spec.lit and not spec.bare:
            for row in spec.rows:
                if row.unit is not None:
                    assert row.unit in declared, seed
                    stated += 1
    assert stated > 100


def test_kinds_of_devices_vary() -> None:
    found = [sample_digital(np.random.default_rng(seed)) for seed in range(400)]
    assert {len(d.rows) for d in found} >= {1, 2, 3, 4}
    assert {d.digit_style for d in found} == {"seven", "fourteen", "dots", "type"}
    assert any(row.status for d in found for row in d.rows)
    assert any(row.comma for d in found for row in d.rows)
    assert any(row.fold for d in found for row in d.rows)
    assert any(row.lead for d in found for row in d.rows)
    assert {d.led for d in found} == {True, False}
    assert {d.case.shape for d in found} == {"round", "square"}
    assert sum(not d.lit for d in found) > 4
    assert sum(d.contrast < 0.7 for d in found if not d.led) > 20


def test_liquid_crystals_fade_at_a_slant() -> None:
    spec = display(DisplayRow("888"), led=False, window_color=(190, 195, 185), digit_color=(10, 10, 10))
    scene = frontal(spec)
    turned = replace(scene, instruments=(replace(scene.instruments[0], pose=Pose((300, 300), 280, 0, 0, 50)),))
    from synth.flat import render

    def darkest(image: NDArray[np.uint8]) -> float:
        return float(np.percentile(image[270:330, 250:350].astype(float).mean(axis=2), 2))

    assert darkest(render(turned)) > darkest(render(scene)) + 25
    assert turned.truth().instruments[0].fields == scene.truth().instruments[0].fields
