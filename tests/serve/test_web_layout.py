"""How the pages lie in a real Chromium: on a phone, with hostile names, and as small grey reference pictures.

Run by hand with `pytest -m browser tests/serve/test_web_layout.py`; GAUGE_UPDATE_SCREENS=1 writes the reference pictures anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from knowledge.search import KnowledgeBase
from tests.serve.browsing import PHONE, choose, file, open_chromium, open_page, overflow_px, read_photo, serving_pages
from tests.serve.doubles import picture_bytes

pytestmark = pytest.mark.browser

SCREENS = Path(__file__).parent / "screens"
SCREEN_PX = 320
"""Width of the reference pictures: small enough that another machine's smoothing of letters does not show."""
MOST_OFF, MOST_OFF_ANYWHERE = 4.0, 60.0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(knowledge: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_pages(tmp_path_factory.mktemp("pages"), knowledge) as address:
        yield address


def test_on_a_phone_nothing_hangs_out_and_the_value_comes_soon(browser: Any, address: str) -> None:
    with open_page(browser, address, **PHONE) as page:
        assert page.locator("label[for=camera]").is_visible()
        assert page.locator("#camera").get_attribute("capture") == "environment"
        read_photo(page, model="XYZ-2000", place="P-7 feed pump")
        assert page.locator(".figure").bounding_box()["y"] < 800
        report = page.url
        for path in ("/", report, "/instruments", "/accuracy", "/monitor", "/sign-in"):
            page.goto(path)
            assert overflow_px(page) <= 0, path
        page.goto("/instruments")
        page.locator("tbody a").first.click()
        assert overflow_px(page) <= 0
        page.goto("/")
        for box in (one.bounding_box() for one in page.locator("a:visible, button:visible, select:visible").all()):
            assert box["height"] >= 24  # WCAG 2.2, 2.5.8: targets of at least 24 by 24.


@pytest.mark.parametrize(
    "text", ["W" * 10_000, "مقياس الضغط " * 40, "压力表" * 200, "<b>" * 500], ids=["long", "rtl", "zh", "tags"]
)
def test_hostile_names_break_no_layout(browser: Any, address: str, text: str) -> None:
    with open_page(browser, address, **PHONE) as page:
        choose(page, file(f"{text[:180].replace('/', '')}.png", picture_bytes(size=(320, 240)), "image/png"))
        page.fill("#model", text[:80])
        page.fill("#place", text[:200])
        page.click("#send")
        page.wait_for_url("**/r/*")
        for path in (page.url, "/", "/instruments", "/accuracy"):
            page.goto(path)
            assert overflow_px(page) <= 0, path


SHOTS: dict[str, tuple[str, dict[str, Any]]] = {
    "upload": ("/", {}),
    "upload_dark": ("/", {"color_scheme": "dark"}),
    "upload_phone": ("/", PHONE),
    "result": ("report", {}),
    "result_dark": ("report", {"color_scheme": "dark"}),
    "result_phone": ("report", PHONE),
    "not_read": ("black", {}),
}


@pytest.fixture(scope="module")
def shown(
    browser: Any, knowledge: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, dict[str, str]]]:
    """A server of its own with two reports, so that the pictures do not depend on the other tests, and their paths."""
    with serving_pages(tmp_path_factory.mktemp("shots"), knowledge) as address:
        paths = {}
        with open_page(browser, address) as page:
            read_photo(page, model="XYZ-2000", place="P-7 feed pump")
            paths["report"] = page.url
            page.goto("/")
            choose(page, file("dark.png", picture_bytes(size=(320, 240), color="black", mark=False), "image/png"))
            page.click("#send")
            page.wait_for_url("**/r/*")
            paths["black"] = page.url
        yield address, paths


@pytest.mark.parametrize("name", SHOTS)
def test_pages_look_as_they_did(browser: Any, shown: tuple[str, dict[str, str]], name: str) -> None:
    """Against small grey reference pictures. The page brings its own letters, so that only their smoothing differs by machine;
    what tells the time is left out."""
    address, paths = shown
    path, options = SHOTS[name]
    with open_page(browser, address, **options) as page:
        page.goto(paths.get(path, path))
        page.evaluate("document.fonts.ready")
        page.wait_for_load_state("networkidle")
        picture = page.screenshot(
            mask=[page.locator("time"), page.locator(".aside"), page.locator(".foot")], mask_color="#808080"
        )
    taken = _small(Image.open(io.BytesIO(picture)))
    reference = SCREENS / f"{name}.png"
    if os.environ.get("GAUGE_UPDATE_SCREENS"):
        taken.save(reference, optimize=True)
    stored = np.asarray(Image.open(reference), np.float32)
    off = np.abs(np.asarray(taken, np.float32) - stored)
    blocks = off[: off.shape[0] // 8 * 8, : off.shape[1] // 8 * 8].reshape(off.shape[0] // 8, 8, -1, 8).mean(axis=(1, 3))
    assert off.mean() < MOST_OFF, f"{name} looks different: {off.mean():.1f} levels on the average"
    assert blocks.max() < MOST_OFF_ANYWHERE, f"{name} looks different somewhere: {blocks.max():.0f} levels"


def _small(picture: Image.Image) -> Image.Image:
    size = (SCREEN_PX, round(picture.height * SCREEN_PX / picture.width))
    return picture.convert("L").resize(size, Image.Resampling.BOX).quantize(32).convert("L")
