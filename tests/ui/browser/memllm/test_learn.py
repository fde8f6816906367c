"""A text is read on the page Memory, sentence by sentence; what is ticked is kept, and nothing before."""

import pytest
from playwright.sync_api import expect

from tests.ui.browser.conftest import OpenPage, each_window

pytestmark = pytest.mark.promise("texts-are-read-by-sentence")

TEXT = "Priya lives in Mumbai and works for Acme. What a day! My manager is Dana.\nThe capital of Zembla is Onhava."


@each_window()
def test_text_is_read_and_ticked_lines_kept(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    words = noted.words
    noted.open_memory()
    learn = noted.page.locator("#learn")
    learn.locator("summary").press("Enter")
    learn.get_by_role("textbox").fill(TEXT)
    noted.press(learn, words["learn_read"])
    boxes = learn.get_by_role("checkbox")
    expect(boxes).to_have_count(4)
    expect(noted.entries).to_have_count(0)
    assert noted.fits()
    learn.get_by_role("checkbox", name="Acme").uncheck()
    noted.press(learn, words["learn_keep_some"])
    expect(learn.get_by_text("Kept: 3.")).to_be_visible()
    expect(boxes).to_have_count(0)
    noted.page.locator("#sheet summary").click()
    expect(noted.page.locator("#sheet tbody tr")).to_have_count(3)


def test_stopped_reading_keeps_nothing(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.open_memory()
    learn = noted.page.locator("#learn")
    learn.locator("summary").press("Enter")
    learn.get_by_role("textbox").fill("\n".join(f"Visitor{number} lives in Pune." for number in range(450)))
    noted.press(learn, noted.words["learn_read"])
    expect(learn.get_by_role("checkbox").first).to_be_visible()
    noted.press(learn, noted.words["learn_stop"])
    expect(learn.get_by_role("button", name=noted.words["learn_read"])).to_be_visible()
    assert learn.get_by_role("checkbox").count() < 450
    noted.press(learn, noted.words["learn_keep_none"])
    expect(learn.get_by_role("checkbox")).to_have_count(0)
    expect(noted.entries).to_have_count(0)
