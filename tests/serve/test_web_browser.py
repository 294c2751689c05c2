"""The pages in a real Chromium: every way in and the report, with and without JavaScript, by keyboard, in Chinese, in the dark.

Run by hand with `pytest -m browser tests/serve/test_web_browser.py`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

import pytest

from knowledge.search import KnowledgeBase
from tests.serve.browsing import PHONE, PHOTO, choose, file, open_chromium, open_page, read_photo, serving_pages
from tests.serve.doubles import picture_bytes

pytestmark = pytest.mark.browser

BLACK = picture_bytes(color="black", mark=False)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(knowledge: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_pages(tmp_path_factory.mktemp("pages"), knowledge) as address:
        yield address


TRANSFER = """([name, type, text]) => {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name, { type }));
  return data;
}"""


def transfer(page: Any, name: str, data: bytes, kind: str) -> Any:
    return page.evaluate_handle(TRANSFER, [name, kind, base64.b64encode(data).decode()])


# --- ways in --------------------------------------------------------------------------------------------------------------


def test_a_photo_is_chosen_and_read(browser: Any, address: str) -> None:
    with open_page(browser, address) as page:
        with page.expect_file_chooser() as chooser:
            page.click("#file", force=True)
        chooser.value.set_files([file("panel.jpg", PHOTO)])
        assert page.inner_text("#chosen .name") == "panel.jpg"
        assert page.evaluate("document.querySelector('#chosen img').naturalWidth") > 0
        page.fill("#model", "XYZ-2000")
        page.click("#send")
        page.wait_for_url("**/r/*")
        assert page.inner_text(".figure .number") == "60"
        assert page.inner_text(".figure .unit") == "MPa"
        page.go_back()
        assert page.locator("#chosen li").count() == 0
        assert page.locator(".row").first.is_visible()


def test_a_photo_is_dropped(browser: Any, address: str) -> None:
    with open_page(browser, address) as page:
        data = transfer(page, "dropped.jpg", PHOTO, "image/jpeg")
        page.dispatch_event("body", "dragenter", {"dataTransfer": data})
        assert "over" in (page.get_attribute("#drop", "class") or "")
        page.dispatch_event("#drop", "drop", {"dataTransfer": data})
        assert "over" not in (page.get_attribute("#drop", "class") or "")
        assert page.inner_text("#chosen .name") == "dropped.jpg"
        page.click("#send")
        page.wait_for_url("**/r/*")
        assert page.inner_text("h1") == "dropped.jpg"


def test_a_photo_is_pasted(browser: Any, address: str) -> None:
    paste = (
        "(data) => document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))"
    )
    with open_page(browser, address) as page:
        page.evaluate(paste, transfer(page, "pasted.png", picture_bytes(size=(320, 240)), "image/png"))
        assert page.inner_text("#chosen .name") == "pasted.png"
        page.click("#send")
        page.wait_for_url("**/r/*")
        assert page.inner_text(".figure .number") == "50"


def test_several_photos_are_read_one_by_one_and_bad_ones_say_why(browser: Any, address: str) -> None:
    with open_page(browser, address) as page:
        choose(page, file("one.jpg", PHOTO), file("bad.jpg", b"no picture"), file("dark.png", BLACK, "image/png"))
        page.set_input_files("#file", [file("letter.pdf", b"%PDF", "application/pdf")])
        assert "letter.pdf" in page.inner_text("#state")
        assert page.inner_text("#send") == "Read 3 photos"
        page.click("#send")
        page.wait_for_selector("#state a")
        told = page.locator("#chosen .told").all_inner_texts()
        assert told[0] == "50 MPa"
        assert "not an image" in told[1]
        assert told[2] == "Not read"
        assert "2 of 3 photos are done." in page.inner_text("#state")
        page.locator("#chosen button:visible").click()
        page.click("#state a")
        page.wait_for_url("**/r?id=*")
        assert page.locator(".row").count() == 2


def test_a_server_that_cannot_be_reached_is_said_and_tried_again(browser: Any, address: str) -> None:
    context = browser.new_context(base_url=address)
    page = context.new_page()
    page.goto("/")
    choose(page, file("panel.jpg", PHOTO))
    context.set_offline(True)
    page.click("#send")
    page.wait_for_selector("#chosen .told.bad")
    assert "could not be reached" in page.inner_text("#chosen .told")
    context.set_offline(False)
    page.click("#send")
    page.wait_for_url("**/r/*")
    context.close()


def test_nothing_chosen_is_said(browser: Any, address: str) -> None:
    with open_page(browser, address) as page:
        page.click("#send")
        assert page.inner_text("#state") == "Choose a photo first."


def test_without_javascript(browser: Any, address: str) -> None:
    with open_page(browser, address, java_script_enabled=False) as page:
        choose(page, file("panel.jpg", PHOTO))
        page.fill("#model", "XYZ-2000")
        page.click("#send")
        page.wait_for_url("**/r/*")
        assert "60" in page.inner_text(".figure")
        page.uncheck("#marks")
        assert not page.locator(".overlay").is_visible()
        page.check("#marks")
        page.locator("a.cite").first.click()
        number = page.url.rsplit("#s", 1)[1]
        assert page.locator(f"#s{number}").is_visible()
        page.click("summary >> text=Is something wrong?")
        page.fill("#value", "61")
        page.click(".wrong button")
        page.wait_for_url("**/thanks?case=*")
        assert re.search(r"case \d+", page.inner_text("main"))


# --- the report -------------------------------------------------------------------------------------------------------------


def test_boxes_and_cards_light_up_together(browser: Any, address: str) -> None:
    with open_page(browser, address) as page:
        read_photo(page, model="XYZ-2000")
        page.hover("#i1 .figure")
        assert "lit" in (page.get_attribute(".shape", "class") or "")
        page.hover("h1")
        page.hover(".shape .badge")
        assert "lit" in (page.get_attribute("#i1", "class") or "")


def test_the_drawing_lies_on_the_photo(browser: Any, address: str) -> None:
    """The double says where: the needle's pivot is the photo's middle."""
    for options in ({}, PHONE):
        with open_page(browser, address, **options) as page:
            read_photo(page)
            image, dot = page.locator(".frame img").bounding_box(), page.locator(".dot.needle").nth(1).bounding_box()
            for side, length in (("x", "width"), ("y", "height")):
                assert dot[side] + dot[length] / 2 == pytest.approx(image[side] + image[length] / 2, abs=1.5)


def test_by_keyboard_alone(browser: Any, address: str) -> None:
    with open_page(browser, address) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        _tab_to(page, "#file")
        with page.expect_file_chooser() as chooser:
            page.keyboard.press(" ")
        chooser.value.set_files([file("panel.jpg", PHOTO)])
        _tab_to(page, "#model", back=True)
        page.keyboard.type("XYZ-2000")
        page.keyboard.press("Escape")  # The list of known models.
        _tab_to(page, "#send")
        page.keyboard.press("Enter")
        page.wait_for_url("**/r/*")
        page.wait_for_load_state("load")
        page.keyboard.press("m")
        assert not page.is_checked("#marks")
        page.keyboard.press("m")
        assert page.is_checked("#marks")
        _tab_to(page, "a.cite")
        page.keyboard.press("Enter")
        assert page.locator("dialog[open] blockquote").is_visible()
        page.keyboard.press("Escape")
        assert page.locator("dialog[open]").count() == 0
        assert page.evaluate("document.activeElement.className") == "cite"
        _tab_to(page, "summary")
        page.keyboard.press("Enter")
        _tab_to(page, "#note")
        page.keyboard.type("the needle hangs")
        _tab_to(page, ".wrong button")
        page.keyboard.press("Enter")
        page.wait_for_url("**/thanks?case=*")


def _tab_to(page: Any, selector: str, *, back: bool = False, most: int = 60) -> None:
    """Tab on until an element has the focus; it must then be seen to have it."""
    for _ in range(most):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by Tab")


def test_in_chinese(browser: Any, address: str) -> None:
    with open_page(browser, address, locale="zh-CN") as page:
        assert page.get_attribute("html", "lang") == "zh-Hans"
        assert page.input_value("#language") == "zh"
        read_photo(page, model="XYZ-2000")
        assert "置信度" in page.inner_text("#i1")
        page.click("text=English")
        assert "Confidence" in page.inner_text("#i1")
        assert page.url.rsplit("/", 2)[1] == "r"


def test_in_the_dark_and_without_motion(browser: Any, address: str) -> None:
    with open_page(browser, address, color_scheme="dark", reduced_motion="reduce") as page:
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(int(part) for part in re.findall(r"\d+", dark)[:3]) < 120
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_on_paper(browser: Any, address: str) -> None:
    with open_page(browser, address) as page:
        read_photo(page, model="XYZ-2000")
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        assert not page.locator(".tools").is_visible()
        assert page.locator(".figure").is_visible()
        assert page.locator(".evidence").first.is_visible()
