"""The Memory page, in a browser: list, search, change, erase."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from tests.support.chat_server import ChatServer
from tests.support.loop import RIGHT, WRONG
from tests.ui.conftest import OpenPage, each_size
from tests.ui.noted_page import PATIENCE_MS, NotedPage
from ui.notes import EXAMPLES


def _remember_two(noted: NotedPage) -> None:
    noted.ask(EXAMPLES[0])
    noted.correct(noted.turn(0), "I want a synonym")
    noted.turn(1)
    noted.ask("talk about < harbor >")
    noted.correct(noted.turn(2), "मुझे एक वाक्य चाहिए")
    noted.turn(3)
    noted.open_memory()
    expect(noted.entries).to_have_count(2)


@each_size
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
    expect(english.get_by_role("button", name="Edit")).to_be_focused()

    noted.press(english, "Forget this")
    expect(noted.page.get_by_role("button", name="Keep")).to_be_focused()
    noted.page.keyboard.press("Escape")
    noted.press(english, "Forget this")
    noted.press(english.locator(".buttons").first, "Forget:")
    expect(noted.entries).to_have_count(1)
    expect(noted.page.get_by_text("Forgotten. 1 remembered")).to_be_visible()
    expect(noted.entries.first.get_by_role("button", name="Edit")).to_be_focused()


def test_what_was_left_out_twice_rests_and_is_used_again(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    answer = "<understanding>You want a word.</understanding>\n<answer>fast</answer>"
    chat_server.replies(*[answer] * 6)
    noted = open_page(remote_url)
    noted.ask("What is akin to quick?")
    noted.correct(noted.turn(0), "I want a synonym")
    noted.turn(1)
    for number, word in ((2, "enormous"), (3, "happy")):
        noted.ask(f"What is akin to {word}?")
        noted.turn(number)
    noted.narrow()
    for number in (2, 3):
        noted.turn(number).locator("summary").click()
        noted.press(noted.turn(number), "Leave it out")
        noted.turn(number + 2)
    noted.open_memory()
    expect(noted.page.get_by_text("Not used any more: it was left out 2 times and never helped.")).to_be_visible()
    noted.press(noted.entries.first, "Use it again")
    expect(noted.page.get_by_text("Used again. 1 remembered")).to_be_visible()
    expect(noted.page.locator(".entry-rests")).to_have_count(0)


def test_a_confirmed_answer_is_listed_and_can_be_taken_back(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask("What is the opposite of hot?")
    noted.press(noted.turn(0), "Yes, that’s it")
    expect(noted.turn(0).get_by_text("✓ That’s it")).to_be_visible()
    noted.open_memory()
    expect(noted.entries.first).to_contain_text("You confirmed this answer")
    noted.narrow()
    noted.page.get_by_role("tab", name="Chat").click()
    noted.press(noted.turn(0), "Undo")
    expect(noted.turn(0).get_by_role("button", name="Yes, that’s it")).to_be_visible()
    noted.open_memory()
    expect(noted.page.get_by_text("Nothing is remembered yet.")).to_be_visible()


def test_an_edit_that_is_not_saved_outlives_a_change_of_tabs_and_a_refusal(
    embedded_url: str, open_page: OpenPage
) -> None:
    noted = open_page(embedded_url)
    _remember_two(noted)
    noted.press(noted.entries.first, "Edit")
    field = noted.page.get_by_role("textbox", name="What you meant")
    field.fill("something else")
    noted.page.get_by_role("tab", name="Chat").click()
    with noted.page.expect_response("**/gradio_api/**"):
        noted.open_memory()
    expect(field).to_have_value("something else")
    noted.narrow()

    field.fill("a" * 2001)
    field.press("Control+Enter")
    expect(noted.page.get_by_role("alert").filter(has_text="This is 2,001 characters long.")).to_be_visible()
    field.fill("something else again")
    noted.go_offline()
    field.press("Control+Enter")
    expect(noted.page.get_by_role("alert").filter(has_text="The server could not be reached.")).to_be_visible()
    expect(field).to_have_value("something else again")
    expect(noted.page.get_by_role("button", name="Save")).to_be_enabled()


@each_size
def test_wordings_are_shown_with_who_wrote_them_and_can_be_added_changed_and_removed(
    remote_url: str, chat_server: ChatServer, open_page: OpenPage
) -> None:
    noted = open_page(remote_url)
    chat_server.replies(WRONG, RIGHT)
    noted.ask("what is akin to quick ?")
    noted.correct(noted.turn(0), "I want a synonym")
    noted.turn(1)
    _wait_for_keys(noted)
    noted.page.get_by_text("Also found under 10 wordings").click()
    rows = noted.page.locator(".key-row")
    expect(rows).to_have_count(10)
    expect(rows.nth(0)).to_contain_text("derived from the question")
    expect(rows.nth(1)).to_contain_text("akin")
    expect(rows.nth(1)).to_contain_text("written by the model")

    noted.page.get_by_role("button", name="Change: akin").press("Enter")
    field = noted.page.get_by_role("textbox", name="A wording of the question")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(noted.page.get_by_role("button", name="Change: akin")).to_be_focused()
    noted.page.keyboard.press("Enter")
    field.fill("<b>kinship</b> “क्या”")
    field.press("Enter")
    expect(rows.nth(1)).to_contain_text("<b>kinship</b> “क्या”")
    expect(rows.nth(1)).to_contain_text("written by you")
    expect(noted.page.get_by_text("Wordings changed. 1 remembered")).to_be_visible()
    expect(noted.page.get_by_role("button", name="Change: <b>kinship</b>")).to_be_focused()

    noted.page.get_by_role("button", name="Remove: paraphrase number 6").click()
    expect(rows).to_have_count(9)
    expect(noted.page.get_by_role("button", name="Change: paraphrase number 5")).to_be_focused()
    noted.press(noted.entries.first, "Add a wording")
    field.fill("a" * 301)
    field.press("Enter")
    expect(noted.page.get_by_role("alert").filter(has_text="This is 301 characters long.")).to_be_visible()
    field.fill("one of my own")
    noted.press(noted.entries.first, "Save")
    expect(rows.nth(9)).to_contain_text("one of my own")

    noted.reload()
    noted.open_memory()
    noted.page.get_by_text("Also found under 10 wordings").click()
    expect(rows.nth(9)).to_contain_text("one of my own")
    noted.page.get_by_role("searchbox").fill("one of my own")
    expect(noted.page.get_by_text("1 found")).to_be_visible()


def _wait_for_keys(noted: NotedPage) -> None:
    """The list shows what was there when it was opened: it is opened until the model has written."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < deadline:
        with noted.page.expect_response("**/gradio_api/**"):
            noted.open_memory()
        expect(noted.page.get_by_text("Also found under")).to_be_visible()
        if noted.page.get_by_text("Also found under 10 wordings").count():
            return
        noted.page.get_by_role("tab", name="Chat").click()
    raise AssertionError("no keys were written")


def test_the_chat_no_longer_shows_what_was_erased(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    noted.correct(noted.turn(0), "I want a synonym")
    noted.turn(1)
    noted.open_memory()
    noted.press(noted.entries.first, "Forget this")
    noted.press(noted.entries.first.locator(".buttons").first, "Forget:")
    expect(noted.page.get_by_text("Forgotten.")).to_be_visible()
    noted.narrow()
    noted.page.get_by_role("tab", name="Chat").click()
    expect(noted.turns).to_have_count(0)
    expect(noted.page.get_by_text("I want a synonym")).to_have_count(0)
