"""A correction teaches a lesson: drafted, kept, used, left out and taken back, in the card and as a suggestion."""

import pytest
from playwright.sync_api import Locator, expect

from tests.support.memory.keys import reply_in_background
from tests.support.memory.loop import reply
from tests.support.servers.chat_server import Body, ChatServer
from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("lessons-are-decided")

QUESTION, LIKE = "Who is my mother's brother?", "What do I call the brother of my mother?"
RULE = "A mother's brother is an uncle."
WRONG, RIGHT = reply("the name of a relative", "Bo."), reply("the word for a relative", "Your uncle.")
BY_LESSON = reply("the word for a relative", "Your uncle.", notes="1")


def drafted(noted: NotedPage, number: int = 0) -> Locator:
    return noted.turn(number).locator(".part-lessons .draft")


@pytest.fixture
def noted(remote_url: str, chat_server: ChatServer, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> NotedPage:
    """Open the page with a model that drafts lessons, and correct a question."""

    def drafts(body: Body) -> str | None:
        return f"NOTE[mother, brother]: {RULE}" if reply_in_background(body) == "NONE" else reply_in_background(body)

    monkeypatch.setattr(chat_server, "aside", drafts)
    page = open_page(remote_url)
    chat_server.replies(WRONG, RIGHT)
    page.put_right(QUESTION, "the word for him")
    return page


def test_lesson_answers_another_question(noted: NotedPage, chat_server: ChatServer) -> None:
    words = noted.words
    draft = drafted(noted)
    expect(draft).to_have_text(f"{words['lessons_drafted']} {RULE}")
    noted.reload()
    noted.press(noted.turn(0).locator(".part-lessons"), words["keep_keep"])
    expect(draft).to_have_text(f"{words['lessons_kept']} {RULE}")

    chat_server.replies(BY_LESSON, WRONG, WRONG)
    noted.ask(LIKE)
    answered = noted.turn(1)
    expect(answered.locator(".answer")).to_have_text("Your uncle.")
    expect(answered.locator(".acts > .noted")).to_have_text(words["from_lessons"])
    expect(noted.why(answered).locator(".entry")).to_contain_text(f"{RULE} – {words['why_learnt']}")
    assert noted.fits()
    noted.press(noted.why(answered), words["leave_out"])
    expect(answered.locator(".answer")).to_have_text("Bo.")
    assert RULE not in chat_server.requests[-1].question

    noted.press(noted.turn(0).locator(".part-lessons"), words["undo"])
    expect(draft).to_have_text(f"{words['lessons_drafted']} {RULE}")
    _decide_on_the_tab_teach(noted)
    noted.ask(LIKE)
    expect(noted.turn(2).locator(".answer")).to_have_text("Bo.")
    assert RULE not in chat_server.requests[-1].question
    _change_and_discard(noted)


def _decide_on_the_tab_teach(noted: NotedPage) -> None:
    """Keep it among the suggestions, and take that back in the card."""
    words = noted.words
    part = noted.turn(0).locator(".part-lessons")
    expect(drafted(noted)).to_be_visible()
    noted.open_tab(words["tab_teach"])
    waiting = noted.page.locator(".suggestion")
    expect(noted.page.get_by_role("heading", name=words["suggestions_title"].format(count=1))).to_be_visible()
    expect(waiting).to_contain_text(RULE)
    expect(waiting).to_contain_text(QUESTION)
    noted.reach(waiting.get_by_role("button", name=words["keep_change"]))
    expect(noted.page.get_by_role("textbox", name=words["lessons_words"])).to_be_focused()
    noted.page.keyboard.press("Escape")
    expect(waiting.get_by_role("button", name=words["keep_change"])).to_be_focused()
    noted.press(waiting, words["keep_keep"])
    expect(noted.page.get_by_text(words["suggestions_none"])).to_be_visible()
    noted.open_memory()
    expect(noted.entries.filter(has_text=RULE)).to_contain_text(words["key_by_model"])

    noted.open_tab(words["tab_chat"])
    noted.press(part, words["undo"])


def _change_and_discard(noted: NotedPage) -> None:
    words, part = noted.words, noted.turn(0).locator(".part-lessons")
    noted.reach(part.get_by_role("button", name=words["keep_change"]))
    field = noted.page.get_by_role("textbox", name=words["lessons_words"])
    expect(field).to_be_focused()
    field.fill("A mother's brother is a mama.")
    noted.page.keyboard.press("Enter")
    expect(drafted(noted)).to_have_text(f"{words['lessons_kept']} A mother's brother is a mama.")
    noted.press(part, words["undo"])
    noted.press(part, words["keep_drop"])
    expect(drafted(noted)).to_have_text(f"{words['lessons_dropped']} {RULE}")
    noted.open_tab(words["tab_teach"])
    expect(noted.page.get_by_text(words["suggestions_none"])).to_be_visible()
