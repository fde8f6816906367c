"""What a message tells, as chips in its card: kept, changed, dropped and taken back, and there again after a reload."""

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("triples-are-decided")


def chips(noted: NotedPage, number: int) -> Locator:
    return noted.turn(number).locator(".part-keep").get_by_role("listitem")


@each_window()
def test_chip_is_kept_changed_and_dropped(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    words = noted.words
    noted.ask("my manager is Dana")
    chip = chips(noted, 0)
    expect(chip).to_have_count(1)
    expect(chip.locator(".triple")).to_have_text("you · manager · Dana")
    noted.press(chip, words["keep_keep"])
    expect(chip.get_by_role("button", name=words["undo"])).to_be_visible()
    noted.reload()
    expect(chip).to_have_class("kept")

    noted.press(chip, words["undo"])
    expect(chip).to_have_class("proposed")
    noted.press(chip, words["keep_change"])
    noted.page.get_by_role("textbox", name=words["keep_object"], exact=True).fill("Dana Kohli")
    noted.page.keyboard.press("Enter")
    expect(chip.locator(".triple")).to_have_text("you · manager · Dana Kohli")
    expect(chip).to_have_class("kept")
    noted.press(chip, words["undo"])

    noted.press(chip, words["keep_drop"])
    expect(chip).to_have_class("dropped")
    noted.reload()
    expect(chip).to_have_class("dropped")
    assert noted.fits()

    noted.press(chip, words["undo"])
    noted.press(chip, words["keep_keep"])
    expect(chip).to_have_class("kept")
    noted.press(noted.turn(0).locator(".part-facts"), words["undo"])
    expect(chip).to_have_class("gone")
    expect(chip.get_by_role("button")).to_have_count(0)
    expect(noted.turn(0).locator(".part-keep")).to_contain_text(words["keep_not"])
    expect(noted.turn(0).locator(".part-facts")).to_be_hidden()


@each_window()
def test_speaker_is_named_in_the_language(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, language="hi")
    noted.ask("मेरा मैनेजर डाना है")
    chip = chips(noted, 0)
    noted.press(chip, noted.words["keep_change"])
    expect(noted.page.get_by_role("textbox", name=noted.words["keep_subject"])).to_have_value("मैं")
    noted.page.keyboard.press("Enter")
    expect(chip.locator(".triple")).to_have_text("आप · मैनेजर · डाना")
    expect(chip).to_have_class("kept")
    assert noted.fits()


def test_keyboard_keeps_facts_that_answer(noted: NotedPage) -> None:
    for number, message in enumerate(("my manager is Dana", "Dana works in Pune")):
        noted.ask(message)
        change = chips(noted, number).get_by_role("button", name=noted.words["keep_change"])
        noted.reach(change)
        noted.page.keyboard.press("Escape")
        expect(change).to_be_focused()
        noted.reach(chips(noted, number).get_by_role("button", name=noted.words["keep_keep"]), "Shift+Tab")
        expect(chips(noted, number)).to_have_class("kept")
        expect(change).to_be_focused()
    noted.reload()
    noted.ask("where does my manager work?")
    expect(noted.turn(2)).to_contain_text("Pune.")
