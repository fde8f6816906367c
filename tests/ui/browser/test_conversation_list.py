"""The list of conversations, in a browser: beside the conversation, and on a phone behind a button."""

import re

from playwright.sync_api import expect

from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import NotedPage


def test_conversations_are_opened_and_renamed(noted: NotedPage) -> None:
    page = noted.page
    listed = page.locator(".talk")
    noted.ask("What is akin to quick?")
    noted.turn(0)
    expect(listed).to_have_count(1)
    noted.begin_anew()
    noted.ask("brave jaisa koi shabd batao")
    noted.turn(0)
    expect(listed).to_have_count(2)

    noted.press(page, "Rename or delete: What is akin to quick?")
    noted.press(page.locator(".talk-changes"), "Rename")
    page.keyboard.type("The quick one")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Rename or delete: The quick one")).to_be_focused()
    noted.reload()
    expect(noted.turn(0)).to_contain_text("brave jaisa")
    expect(listed.first).to_contain_text("brave jaisa")

    search = page.get_by_role("searchbox", name="Search chats…")
    search.fill("AKIN")
    expect(listed).to_have_count(1)
    noted.press(page, "Rename or delete: The quick one")
    noted.press(page.locator(".talk-changes"), "Delete")
    listed.get_by_role("button", name=re.compile("^The quick one")).first.click()
    expect(page.locator(".talk-changes")).to_have_count(0)  # it was about the conversation as it was listed
    expect(noted.turn(0)).to_contain_text("What is akin to quick?")
    expect(page.locator(".talk-open[aria-current]")).to_contain_text("The quick one")
    search.fill("")
    expect(listed).to_have_count(2)
    noted.press(page, "Rename or delete: The quick one")
    noted.press(page.locator(".talk-changes"), "Delete")
    expect(page.get_by_role("button", name="Keep")).to_be_focused()
    listed.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Deleted. Erased: 1 question with its answer")).to_be_visible()
    expect(noted.turns).to_have_count(0)
    expect(listed).to_have_count(1)
    _scroll_and_erase(noted)
    _open_from_the_drawer(noted)


def _scroll_and_erase(noted: NotedPage) -> None:
    """Scroll the list by itself, and delete a conversation in it with the keyboard."""
    page, height = noted.page, 320
    listed = page.locator(".talk")
    expect(page.get_by_role("heading", name="Today")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": height})
    for word in ("tca", "odg", "koob", "eert"):
        noted.begin_anew()
        noted.ask(f"unscramble {word}")
        noted.turn(0)
    expect(listed).to_have_count(5)
    page.mouse.move(100, height - 40)
    page.mouse.wheel(0, 2 * height)
    expect(listed.last).to_be_in_viewport(ratio=1)

    listed.nth(3).locator(".talk-change").focus()
    for key, name in (("Enter", "Rename"), ("Tab", "Delete"), ("Enter", "Keep"), ("Shift+Tab", "Delete")):
        page.keyboard.press(key)
        expect(listed.get_by_role("button", name=name, exact=True)).to_be_focused()
        expect(page.locator(":focus")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("searchbox", name="Search chats…")).to_be_focused()
    expect(listed).to_have_count(4)


def _open_from_the_drawer(noted: NotedPage) -> None:
    page = noted.page
    noted.narrow()
    expect(page.locator(".talks")).to_be_hidden()
    noted.press(page, "Menu")
    drawer = page.get_by_role("dialog", name="Menu and chats")
    expect(drawer).to_be_visible()
    assert noted.fits()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Menu")).to_be_focused()
    noted.press(page, "Menu")
    noted.press(drawer, "New chat")
    expect(drawer).to_be_hidden()
    noted.open_memory()
    noted.press(page, "Menu")
    drawer.get_by_role("button", name=re.compile("^brave jaisa")).click()
    expect(noted.turn(0)).to_contain_text("brave jaisa")
    expect(drawer).to_be_hidden()


def test_conversation_has_an_address(noted: NotedPage, embedded_url: str, open_page: OpenPage) -> None:
    page = noted.page
    start = page.url
    noted.ask("What is akin to quick?")
    noted.turn(0)
    expect(page).to_have_url(re.compile(r"[?&]c="))
    first = page.url
    noted.begin_anew()
    expect(page).to_have_url(start)
    noted.ask("unscramble tca")
    noted.turn(0)
    second = page.url
    assert second != first

    page.go_back()
    expect(noted.turn(0)).to_contain_text("What is akin to quick?")
    expect(page).to_have_url(first)
    page.go_forward()
    expect(noted.turn(0)).to_contain_text("unscramble tca")
    noted.reload()
    expect(noted.turn(0)).to_contain_text("unscramble tca")
    expect(page).to_have_url(second)
    _go_to_memory_and_back(noted, second)
    linked = noted.another_tab()
    linked.page.goto(first)
    expect(linked.turn(0)).to_contain_text("What is akin to quick?")

    stranger = open_page(embedded_url, first.removeprefix(embedded_url), local=True)
    unknown = stranger.page.get_by_role("alert").filter(has_text="There is no such chat")
    expect(unknown).to_be_visible()
    expect(stranger.turns).to_have_count(0)
    expect(stranger.page).to_have_url(embedded_url)
    stranger.ask("unscramble odg")
    expect(stranger.turn(0)).to_contain_text("unscramble odg")
    expect(unknown).to_be_hidden()


def _go_to_memory_and_back(noted: NotedPage, conversation: str) -> None:
    """Reload and go back to the open tab, which the address names."""
    page = noted.page
    searched = page.get_by_role("tabpanel", name="Memory").get_by_role("searchbox")
    noted.open_memory()
    expect(searched).to_be_visible()
    noted.reload()
    expect(searched).to_be_visible()
    expect(noted.message).to_be_hidden()
    page.go_back()
    expect(noted.turn(0)).to_contain_text("unscramble tca")
    expect(page).to_have_url(conversation)
    page.go_forward()
    expect(searched).to_be_visible()
    noted.open_tab("Chat")
    expect(noted.message).to_be_visible()
    expect(page).to_have_url(conversation)
