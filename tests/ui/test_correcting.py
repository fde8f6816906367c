"""The centre of the product, in a browser, on the embedded model: misunderstood, put right, remembered."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import OpenPage, each_size
from ui.notes import EXAMPLES

CORRECTIONS = [
    (EXAMPLES[0], "I want a synonym", "What is akin to brave?", "means the same as"),
    (EXAMPLES[1], "matlab nahi, samanarthi shabd chahiye", "brave jaisa koi shabd batao", "samanarthi"),
    (EXAMPLES[2], "iko matlab wala shabad", "brave varga shabad dasso", "samanarthi"),
]


@each_size
@pytest.mark.parametrize(
    ("question", "words", "other_question", "right"), CORRECTIONS, ids=["English", "Hindi", "Punjabi"]
)
def test_a_correction_counts_at_once_and_for_another_question(
    embedded_url: str, open_page: OpenPage, question: str, words: str, other_question: str, right: str
) -> None:
    noted = open_page(embedded_url)
    noted.press(noted.page, question)
    first = noted.turn(0)
    expect(first.locator(".understood")).not_to_contain_text(right)
    expect(first).to_contain_text("Not from memory")

    noted.correct(first, words)
    again = noted.turn(1)
    expect(again.locator(".understood")).to_contain_text(right)
    expect(first).to_contain_text(f"Noted: {words} The new answer is below.")
    expect(first.get_by_role("button", name="No, I meant …")).to_be_hidden()

    noted.ask(other_question)
    other = noted.turn(2)
    expect(other.locator(".understood")).to_contain_text(right)
    expect(other.locator(".answer")).to_have_text("courageous")
    other.get_by_text("From memory").click()
    entry = other.locator(".entry")
    expect(entry).to_contain_text(words)
    expect(entry).to_contain_text(question)
    expect(entry.locator(".entry-why")).to_contain_text("Why:")

    noted.press(other, "Leave it out")
    without = noted.turn(3)
    expect(without.locator(".understood")).not_to_contain_text(right)
    expect(without).to_contain_text("Not from memory")
    expect(other).to_contain_text("Answered again below.")


@each_size
def test_undo_takes_the_correction_and_its_answer_back(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    first = noted.turn(0)
    noted.correct(first, "I want a synonym")
    again = noted.turn(1)
    noted.press(first, "Undo")
    expect(again).to_contain_text("Taken back.")
    expect(first.get_by_role("button", name="No, I meant …")).to_be_focused()
    noted.open_memory()
    expect(noted.page.get_by_text("Nothing is remembered yet.")).to_be_visible()


@each_size
def test_a_chat_message_that_corrects_is_noted_and_can_be_undone(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    first = noted.turn(0)
    noted.ask("no, I meant a synonym")
    message = noted.turn(1)
    expect(message).to_contain_text("Noted.")
    expect(message.locator(".card")).to_be_hidden()
    again = noted.turn(2)
    expect(again.locator(".answer")).to_have_text("fast")
    expect(first).to_contain_text("The new answer is below.")
    noted.press(message, "Undo")
    expect(again).to_contain_text("Taken back.")
    expect(message).to_contain_text("Taken back.")
    expect(first.get_by_role("button", name="No, I meant …")).to_be_visible()


@each_size
def test_the_keyboard_alone_corrects(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    keyboard = noted.page.keyboard
    noted.message.focus()
    keyboard.type(EXAMPLES[0])
    keyboard.press("Shift+Enter")
    keyboard.press("Backspace")
    keyboard.press("Enter")
    first = noted.turn(0)
    opener = first.get_by_role("button", name="No, I meant …")
    while not opener.evaluate("button => button === document.activeElement"):
        keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    field = noted.page.get_by_role("textbox", name="What did you mean?")
    expect(field).to_be_focused()
    expect(field).to_have_value("I meant ")
    keyboard.press("Control+Enter")
    expect(first.get_by_role("alert")).to_have_text("Please say what you meant.")
    keyboard.press("Escape")
    expect(opener).to_be_focused()
    keyboard.press("Enter")
    keyboard.type("a synonym")
    keyboard.press("Control+Enter")
    again = noted.turn(1)
    expect(again.locator(".answer")).to_have_text("fast")
    expect(again).to_be_focused()


def test_pressing_save_twice_saves_once(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    first = noted.turn(0)
    noted.press(first, "No, I meant …")
    noted.page.keyboard.type("a synonym")
    first.get_by_role("button", name="Save and answer again").dblclick()
    noted.turn(1)
    noted.narrow()
    expect(noted.turns).to_have_count(2)
    noted.open_memory()
    expect(noted.entries).to_have_count(1)


@each_size
def test_a_confirmed_answer_says_so_and_keeps_the_focus(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    turn = noted.turn(0)
    noted.press(turn, "Yes, that’s it")
    expect(turn.get_by_text("✓ That’s it")).to_be_focused()
    noted.reload()
    expect(noted.turn(0)).to_contain_text("✓ That’s it")


def test_a_conversation_is_there_again_after_a_reload_until_a_new_one_begins(
    embedded_url: str, open_page: OpenPage
) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    noted.correct(noted.turn(0), "I want a synonym")
    noted.turn(1)
    noted.narrow()
    noted.reload()
    expect(noted.turn(1).locator(".answer")).to_have_text("fast")
    expect(noted.turn(0)).to_contain_text("Noted: I want a synonym The new answer is below.")
    expect(noted.turn(0).get_by_role("button", name="Undo")).to_be_visible()
    noted.press(noted.page, "New conversation")
    expect(noted.turns).to_have_count(0)
    expect(noted.page.get_by_role("button", name=EXAMPLES[0], exact=True)).to_be_visible()


def test_a_chat_message_corrects_what_its_own_tab_shows(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    first = noted.turn(0)
    other = noted.another_tab()
    other.ask("talk about < harbor >")
    other.turn(1)
    noted.narrow()
    noted.ask("no, I meant a synonym")
    expect(noted.turn(2).locator(".question")).to_have_text(EXAMPLES[0])
    expect(first).to_contain_text("The new answer is below.")


def test_a_correction_that_was_cancelled_is_there_when_it_is_opened_again(
    embedded_url: str, open_page: OpenPage
) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    noted.press(noted.turn(0), "No, I meant …")
    noted.page.keyboard.type("a synonym")
    noted.page.keyboard.press("Escape")
    noted.narrow()
    noted.press(noted.turn(0), "No, I meant …")
    expect(noted.page.get_by_role("textbox", name="What did you mean?")).to_have_value("I meant a synonym")
