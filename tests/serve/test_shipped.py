"""The product as shipped, weights and all: honest on nothing, and on the example photo."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from knowledge.search import KnowledgeBase
from serve.service import Service
from serve.settings import Settings
from tests.serve.bad_photos import ODD_BUT_GOOD, unopenable
from tests.serve.doubles import picture_bytes

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "synth" / "examples" / "xyz2000_panel.jpg"
SHIPPED = ROOT / "vision" / "weights" / "small" / "model.safetensors"

pytestmark = pytest.mark.skipif(not SHIPPED.is_file(), reason="no weights are shipped")


@pytest.fixture(scope="module")
def shipped(knowledge: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Service:
    """The service with the shipped reader."""
    return Service(Settings(home=tmp_path_factory.mktemp("home")), knowledge=knowledge)


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


def nothing_to_read() -> dict[str, bytes]:
    rng = np.random.default_rng(8)
    ramp = np.linspace(0, 255, 640)[None, :, None].repeat(480, axis=0).repeat(3, axis=2)
    return {
        "black": picture_bytes(size=(640, 480), color="black", mark=False),
        "white": picture_bytes(size=(640, 480), mark=False),
        "grey ramp": png(ramp),
        "noise": png(rng.integers(0, 256, (480, 640, 3))),
        "one pixel": picture_bytes(size=(1, 1), mark=False),
        "a sliver": picture_bytes(size=(3000, 2), mark=False),
    }


@pytest.mark.parametrize("what", nothing_to_read())
def test_nothing_is_made_up_where_there_is_nothing(shipped: Service, what: str) -> None:
    (reading,) = shipped.read_photos([nothing_to_read()[what]], names=[what])
    assert reading.status == "abstained"
    assert reading.reason
    assert [one.value for one in reading.instruments if one.value is not None] == []


def test_bad_files_are_errors_and_odd_ones_are_read_or_not(shipped: Service) -> None:
    bad = [one.data for one in unopenable().values()]
    odd = [make() for make in ODD_BUT_GOOD.values()]
    readings = list(shipped.read_photos([*bad, *odd]))
    assert [reading.status == "error" for reading in readings] == [True] * len(bad) + [False] * len(odd)


def test_the_example_is_read_within_its_interval(shipped: Service) -> None:
    (truth,) = [
        one
        for one in json.loads(EXAMPLE.with_suffix(".json").read_text(encoding="utf-8"))["instruments"]
        if one["fields"]["kind"] == "dial"
    ]
    (inspection,) = shipped.inspect_photos([EXAMPLE], names=[EXAMPLE.name], model="XYZ-2000")
    assert inspection.reading.status == "read", inspection.reading.reason
    dials = [one for one in inspection.reading.instruments if one.kind == "dial" and one.value is not None]
    assert dials
    for dial in dials:
        assert dial.value_low is not None
        assert dial.value_high is not None
        assert dial.value_low - 2.0 <= truth["value"] <= dial.value_high + 2.0
    assert inspection.report is not None
    assert all(statement.citations for statement in inspection.report.statements)


def test_the_same_photo_gives_the_same_reading(shipped: Service) -> None:
    first, second = shipped.read_photos([EXAMPLE, EXAMPLE])
    assert first.instruments == second.instruments
