"""A correction teaches a lesson: drafted, kept, used, left out and taken back, in the card and in Memory."""

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("lessons-are-decided")

QUESTION, LIKE = "Who is my mother's brother?", "Ola's father is Bo. Bo's sister is Ina. What is Ina to Ola?"
RULE = "A mother's brother is an uncle."


def drafted(noted: NotedPage, number: int = 0) -> Locator:
    return noted.turn(number).locator(".part-lessons .draft")


@each_window()
def test_a_correction_teaches_what_answers_another_question(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    words = noted.words
    noted.put_right(QUESTION, "uncle")
    draft = drafted(noted)
    expect(draft).to_have_text(f"{words['lessons_drafted']} {RULE}")
    noted.reload()
    noted.press(noted.turn(0).locator(".part-lessons"), words["keep_keep"])
    expect(draft).to_have_text(f"{words['lessons_kept']} {RULE}")

    noted.ask(LIKE)
    answered = noted.turn(1)
    expect(answered.locator(".answer")).to_have_text("aunt")
    expect(answered.locator(".rests > summary")).to_have_text(f"{words['from_lessons']} · {RULE}")
    answered.locator(".rests > summary").click()
    expect(answered.locator(".entry")).to_contain_text(f"{words['lesson_learnt']} {RULE}")
    assert noted.fits()
    noted.press(answered.locator(".memory"), words["leave_out"])
    expect(answered.locator(".answer")).not_to_have_text("aunt")

    noted.press(noted.turn(0).locator(".part-lessons"), words["undo"])
    expect(draft).to_have_text(f"{words['lessons_drafted']} {RULE}")
    noted.ask("Ela's father is Jo. Jo's sister is Una. What is Una to Ela?")
    expect(noted.turn(2).locator(".answer")).not_to_have_text("aunt")


@each_window("desk")
def test_what_waits_is_kept_in_memory_and_its_words_are_changed_in_the_card_by_keyboard_and_dropped(
    embedded_url: str, open_page: OpenPage
) -> None:
    noted = open_page(embedded_url)
    words = noted.words
    part = noted.put_right(QUESTION, "uncle").locator(".part-lessons")
    expect(drafted(noted)).to_be_visible()
    noted.open_memory()
    waiting = noted.page.locator(".drafts-one")
    expect(waiting.locator(".draft")).to_have_text(f"{words['lessons_drafted']} {RULE}")
    expect(waiting).to_contain_text(QUESTION)
    assert noted.fits()
    noted.press(waiting, words["keep_keep"])
    expect(noted.page.locator(".drafts")).to_be_hidden()
    expect(noted.entries.first).to_contain_text(f"I learnt: {RULE}")

    noted.open_tab(words["tab_chat"])
    noted.press(part, words["undo"])
    noted.reach(part.get_by_role("button", name=words["keep_change"]))
    field = noted.page.get_by_role("textbox", name=words["lessons_words"])
    expect(field).to_be_focused()
    field.fill("A mother's brother is a mama.")
    noted.page.keyboard.press("Enter")
    expect(drafted(noted)).to_have_text(f"{words['lessons_kept']} A mother's brother is a mama.")
    noted.press(part, words["undo"])
    noted.press(part, words["keep_drop"])
    expect(drafted(noted)).to_have_text(f"{words['lessons_dropped']} {RULE}")
    noted.open_memory()
    expect(noted.page.locator(".drafts")).to_be_hidden()
