"""The OCR's networks with fewer steps give what the package's give."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession, SessionOptions

from vision.numerals import NumeralReader, _networks
from vision.ocr_graph import _model_type, with_fewer_steps


def model_file(part: str) -> Path:
    import rapidocr_onnxruntime

    (found,) = (Path(rapidocr_onnxruntime.__file__).parent / "models").glob(f"*_{part}_infer.onnx")
    return found


def session_of(model: bytes) -> InferenceSession:
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return InferenceSession(model, options, providers=["CPUExecutionProvider"])


def steps(model: bytes) -> Counter[str]:
    return Counter(node.op_type for node in _model_type().FromString(model).graph.node)


@pytest.mark.parametrize(("part", "shape"), [("det", (1, 3, 96, 160)), ("rec", (3, 3, 48, 96))])
def test_the_packages_networks_give_the_same_with_fewer_steps(part: str, shape: tuple[int, ...]) -> None:
    model = model_file(part).read_bytes()
    shorter = with_fewer_steps(model)
    before, after = steps(model), steps(shorter)
    swishes = after["HardSigmoid"] - before["HardSigmoid"]
    assert swishes >= 20
    assert before["Clip"] - after["Clip"] == before["Div"] - after["Div"] == swishes
    assert after["Conv"] == before["Conv"]
    first, second = session_of(model), session_of(shorter)
    assert first.get_modelmeta().custom_metadata_map == second.get_modelmeta().custom_metadata_map
    pixels = np.random.default_rng(0).uniform(-1.0, 1.0, shape).astype(np.float32)
    expected, found = (one.run(None, {one.get_inputs()[0].name: pixels})[0] for one in (first, second))
    np.testing.assert_allclose(found, expected, atol=1e-4)
    if part == "rec":
        assert np.array_equal(found.argmax(-1), expected.argmax(-1))


def test_a_shortened_network_is_left_as_it_is() -> None:
    shorter = with_fewer_steps(model_file("det").read_bytes())
    assert steps(with_fewer_steps(shorter)) == steps(shorter)


def test_the_reader_has_the_shortened_networks_and_reads_with_them() -> None:
    import cv2

    picture = np.full((160, 420, 3), 235, np.uint8)
    cv2.putText(picture, "100 MPa", (30, 100), cv2.FONT_HERSHEY_SIMPLEX, 2.2, (20, 20, 20), 5, cv2.LINE_AA)
    texts = NumeralReader().read(picture)
    assert "".join(text.text for text in sorted(texts, key=lambda text: text.center)).replace(" ", "") == "100MPa"
    loaded = _networks()
    assert loaded._detector.infer.session._model_bytes is not None
    assert loaded._recogniser.session._model_bytes is not None
