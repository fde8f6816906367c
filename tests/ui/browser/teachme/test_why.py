"""Why?, on the page: the reasons for an answer, with their disputes, in its card."""

import pytest
from playwright.sync_api import Locator, expect

from tests.support.memory.loop import reply
from tests.support.memory.teaching import write_reasons
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("reasons-by-every-interface")

QUESTION = "Can Rex fly?"
ANSWER, AGAIN = reply("whether Rex can fly", "Yes."), reply("whether Rex can fly", "No.", notes="1")
WHY = write_reasons("Rex is a bird", doubted=["Rex has wings"], claim="Rex can fly")


def why(noted: NotedPage) -> Locator:
    part = noted.why(noted.turn(0)).locator(".part-reasons")
    noted.press(part, noted.words["why_ask"])
    expect(part.get_by_role("listitem")).to_have_count(2)
    return part


ACTS = {
    "why_aside": "",
    "why_true": "",
    "why_not_follow": "",
    "why_missing": "Rex is a penguin",
    "why_answer": "No, he cannot",
}


def test_reasons_are_disputed(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(remote_url)
    chat_server.replies(ANSWER, WHY)
    noted.ask(QUESTION)
    expect(noted.turn(0)).to_contain_text("Yes.")
    part = why(noted)
    _correct_a_reason(noted, part, chat_server)
    for act, words in ACTS.items():
        chat_server.replies(AGAIN)
        _dispute(noted, part, act, words)
        expect(noted.turn(0)).to_contain_text("No.")
        expect(noted.turn(0)).to_contain_text(noted.words["message_noted"])
        assert words in chat_server.requests[-1].question
        _reload_and_undo(noted)
        noted.why(noted.turn(0))  # what was said of them is shown with the answer
        expect(part.get_by_role("listitem")).to_have_count(2)


def _correct_a_reason(noted: NotedPage, part: Locator, chat_server: ChatServer) -> None:
    """Correct it in place, which stays where it is in the window."""
    place = noted.turn(0).locator(".question").bounding_box()
    expect(part.get_by_role("listitem").first).to_contain_text("Rex is a bird")
    noted.press(part.get_by_role("listitem").first, noted.words["why_wrong"])
    chat_server.replies(AGAIN)
    part.get_by_role("textbox").fill("Rex is a dog")
    part.get_by_role("textbox").press("Enter")
    expect(noted.turn(0)).to_contain_text("No.")
    expect(noted.turn(0).locator(".saved").get_by_text("Not true: Rex is a bird")).to_be_in_viewport()
    expect(part.get_by_role("button", name=noted.words["why_ask"])).to_be_focused()
    again = noted.turn(0).locator(".question").bounding_box()
    assert place
    assert again
    assert again["y"] == place["y"]
    expect(noted.turns).to_have_count(1)
    asked = chat_server.requests[-1].question
    assert '"not true": "Rex is a bird"' in asked
    assert '"true": "Rex is a dog"' in asked
    _reload_and_undo(noted)


def _dispute(noted: NotedPage, part: Locator, act: str, words: str) -> None:
    noted.why(noted.turn(0))
    if act != "why_true":
        noted.press(part, noted.words["more"])
    part.get_by_role("button", name=noted.words[act]).first.click()
    if act == "why_not_follow":
        expect(part.get_by_role("button", name=noted.words["cancel"])).to_be_focused()
        noted.page.keyboard.press("Escape")
        expect(part.get_by_role("button", name=noted.words[act])).to_be_focused()
        noted.page.keyboard.press("Enter")
        part.locator(".asking").get_by_role("button", name=noted.words[act]).click()
    if words:
        part.get_by_role("textbox").fill(words)
        noted.press(part, noted.words["why_save"])


def _reload_and_undo(noted: NotedPage) -> None:
    noted.reload()
    expect(noted.turn(0)).to_contain_text("No.")
    noted.press(noted.turn(0), noted.words["undo"])
    expect(noted.turn(0)).to_contain_text("Yes.")


def test_told_fact_is_shown_once_and_disputed_there(embedded_url: str, open_page: OpenPage) -> None:
    page = open_page(embedded_url)
    page.ask("My manager is Dana.")
    page.ask("Who is my manager?")
    card = page.turn(1)
    expect(card).to_contain_text("Dana.")
    why = page.why(card)
    expect(why.get_by_text("My manager is Dana")).to_have_count(1)
    page.press(why.locator(".entry"), page.words["why_wrong"])
    why.get_by_role("textbox").fill("My manager is Priya")
    why.get_by_role("textbox").press("Enter")
    expect(card.locator(".answer").last).to_have_text("Priya.")
    expect(card.locator(":focus")).to_have_count(1)
