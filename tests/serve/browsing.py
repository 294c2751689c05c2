"""A real Chromium for tests, where one is installed, and what every page that it shows must keep."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from knowledge.search import KnowledgeBase
from serve.api.app import create_app
from serve.service import Service
from serve.settings import Settings
from tests.serve.doubles import DoubleReader
from tests.serve.live import serving

CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--force-color-profile=srgb", "--font-render-hinting=none", "--disable-lcd-text",
]  # fmt: skip
WAIT_MS = 60_000
"""A busy machine is no fault of the page."""
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHOTO = (resources.files("synth") / "examples" / "xyz2000_panel.jpg").read_bytes()
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@contextmanager
def open_chromium() -> Iterator[Any]:
    """A browser; skips where there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser: Any, address: str, **options: Any) -> Iterator[Any]:
    """A page at `/`, in a browser that was never here.

    At the end: no error in its console, no breach of its policy, nothing asked of any other server.
    """
    context = browser.new_context(base_url=address, locale=options.pop("locale", "en-GB"), **{**DESK, **options})
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: faults.append(request.url) if is_foreign(request.url, address) else None)
    try:
        page.goto("/")
        yield page
        assert [one for one in faults if "status of 4" not in one] == []  # A refused photo is told in the console too.
    finally:
        context.close()


def is_foreign(url: str, address: str) -> bool:
    """Whether a request goes to another server."""
    return not url.startswith((address, "blob:", "data:", "about:"))


def overflow_px(page: Any) -> int:
    """How far a page reaches beyond its window to the right."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@contextmanager
def serving_pages(home: Path, knowledge: KnowledgeBase) -> Iterator[str]:
    """The address of the pages around a double, with nothing in them yet."""
    settings = Settings(home=home)
    with serving(create_app(settings, Service(settings, reader=DoubleReader(), knowledge=knowledge))) as address:
        yield address


def file(name: str, data: bytes, kind: str = "image/jpeg") -> dict[str, Any]:
    """A file as a page's input takes it."""
    return {"name": name, "mimeType": kind, "buffer": data}


def choose(page: Any, *files: dict[str, Any]) -> None:
    """Files into the upload form."""
    page.set_input_files("#file", list(files))


def read_photo(page: Any, **fields: str) -> None:
    """From the form to the report of the example photo."""
    choose(page, file("panel.jpg", PHOTO))
    for name, text in fields.items():
        page.fill(f"#{name}", text)
    page.click("#send")
    page.wait_for_url("**/r/*")
    page.wait_for_load_state("load")
