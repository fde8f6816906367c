"""The Memory page, in a browser: list, search, change, erase."""

from __future__ import annotations

from playwright.sync_api import expect

from app import EXAMPLES
from tests.ui.conftest import OpenPage
from tests.ui.noted_page import NotedPage


def _remember_two(noted: NotedPage) -> None:
    noted.ask(EXAMPLES[0])
    noted.correct(noted.turn(0), "I want a synonym")
    noted.turn(1)
    noted.ask("talk about < harbor >")
    noted.correct(noted.turn(2), "मुझे एक वाक्य चाहिए")
    noted.turn(3)
    noted.open_memory()
    expect(noted.entries).to_have_count(2)


def test_what_is_remembered_can_be_found_changed_and_erased(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.open_memory()
    expect(noted.page.get_by_text("Nothing is remembered yet.")).to_be_visible()
    noted.page.get_by_role("tab", name="Chat").click()
    _remember_two(noted)
    expect(noted.page.get_by_text("2 remembered")).to_be_visible()

    search = noted.page.get_by_role("searchbox")
    search.press_sequentially("synonym")
    expect(noted.entries).to_have_count(1)
    expect(noted.page.get_by_text("1 found")).to_be_visible()
    search.fill("वाक्य")
    expect(noted.entries.first).to_contain_text("मुझे एक वाक्य चाहिए")
    search.fill("nowhere to be found")
    expect(noted.page.get_by_text("Nothing that I remember contains this.")).to_be_visible()
    search.fill("")
    expect(noted.entries).to_have_count(2)

    english = noted.entries.filter(has_text="akin to quick")
    noted.press(english, "Edit")
    field = noted.page.get_by_role("textbox", name="What you meant")
    field.fill("I want the opposite")
    field.press("Control+Enter")
    expect(english.locator(".entry-text")).to_have_text("I want the opposite")
    expect(noted.page.get_by_text("Changed. 2 remembered")).to_be_visible()

    noted.press(english, "Delete")
    expect(noted.page.get_by_role("button", name="Keep")).to_be_focused()
    noted.page.keyboard.press("Escape")
    noted.press(english, "Delete")
    noted.press(english, "Erase")
    expect(noted.entries).to_have_count(1)
    expect(noted.page.get_by_text("Erased. 1 remembered")).to_be_visible()
