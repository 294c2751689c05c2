"""The photos that pages show: upright, small, without metadata, made once."""

from __future__ import annotations

import hashlib
import io

from PIL import Image

from serve.web.pictures import Pictures, make_picture
from tests.serve.doubles import WEIGHTS, picture_bytes
from vision.fields import PhotoReading


def photo_reading() -> PhotoReading:
    reason = "no instrument was found in the photo"
    return PhotoReading(photo="a.png", sha256="0" * 64, status="abstained", reason=reason, instruments=(), weights=WEIGHTS)


def test_pictures_are_upright_small_and_without_metadata() -> None:
    picture = Image.new("RGB", (3000, 1000), "white")
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "secret place"
    data = io.BytesIO()
    picture.save(data, "JPEG", exif=exif)
    reading = photo_reading().model_copy(update={"sha256": hashlib.sha256(data.getvalue()).hexdigest()})
    made = make_picture(data.getvalue(), reading)
    assert made is not None
    assert (made.width, made.height) == (1000, 3000)
    for jpeg, side in ((made.large, 1600), (made.small, 216)):
        with Image.open(io.BytesIO(jpeg)) as shown:
            assert max(shown.size) == side
            assert shown.height > shown.width
            assert not shown.getexif()
        assert b"secret" not in jpeg


def test_a_photo_that_changed_is_not_shown() -> None:
    assert make_picture(picture_bytes(), photo_reading()) is None
    assert make_picture(b"no picture", photo_reading()) is None


def test_pictures_are_made_once_and_only_so_many_are_kept() -> None:
    data, asked = picture_bytes(), []
    reading = photo_reading().model_copy(update={"sha256": hashlib.sha256(data).hexdigest()})
    pictures = Pictures(kept=2)
    for id in ("a", "a", "b", "c", "a"):
        assert pictures.get(("t", id), lambda id=id: asked.append(id) or data, reading) is not None  # type: ignore[misc]
    assert asked == ["a", "b", "c", "a"]
