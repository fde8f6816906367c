"""Several drafts in a card: tried, compared, one taken and taken back, and counted."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, expect

from tests.support.servers.chat_server import Body, ChatServer
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage
from tests.ui.browser.test_looks import RULES, VIOLATIONS, show_in

pytestmark = pytest.mark.promise("drafts-are-taken", "choices-stay-personal")

QUESTION = "What is akin to quick?"
SOUND = 'You want a word that sounds like "quick".'
SAME = 'You want a word that means the same as "quick".'


def model(body: Body) -> str:
    """Reply so that the greedy draft scores low on the round trip, and the other one high."""
    system, *_, asked = (message["content"] for message in body["messages"])
    if "Say what was asked." in system:
        return SAME if "fast" in asked else "Something else."
    understanding, answer = (SAME, "fast") if body.get("temperature") else (SOUND, "**kwik** <b>& so on</b>")
    return f"<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"


def drafts(noted: NotedPage) -> Locator:
    return noted.why(noted.turn(0)).locator(".part-drafts")


def tried(noted: NotedPage, label: str) -> Locator:
    """Try drafts, and return their part."""
    noted.press(drafts(noted), label)
    return drafts(noted)


@on_phone
def test_draft_is_taken_and_undone(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    answered, chat_server.answer = chat_server.answer, model
    try:
        noted = open_page(remote_url)
        _through(noted, chat_server)
    finally:
        chat_server.answer = answered


def _through(noted: NotedPage, chat_server: ChatServer) -> None:
    words = noted.words
    noted.ask(QUESTION)
    expect(noted.turn(0).locator(".answer").first).to_have_text("kwik <b>& so on</b>")
    assert len(chat_server.requests) == 1
    part = tried(noted, words["drafts_try_calls"].format(count=12))
    expect(noted.turn(0).locator(".answer").first).to_have_text("fast")
    expect(part).to_contain_text(words["drafts_one"].format(count=1))
    (one,) = part.locator(".draft").all()
    expect(one).to_contain_text(SOUND)
    expect(one.locator(".answer b")).to_have_count(0)
    expect(one.get_by_role("img")).to_have_attribute("aria-label", "0%")
    expect(part.get_by_role("img").last).to_have_attribute("aria-label", "100%")
    assert len(chat_server.requests) == 1 + 3 + 2
    assert noted.fits()
    noted.page.evaluate(AXE_SCRIPT)
    for scheme, rules in RULES.items():
        show_in(noted.page, scheme)
        assert noted.page.evaluate(VIOLATIONS, rules) == []

    noted.press(one, words["drafts_take"])
    expect(part).to_contain_text(words["drafts_taken"])
    expect(noted.turn(0).locator(".answer").first).to_contain_text("kwik")
    noted.reload()
    expect(drafts(noted)).to_contain_text(words["drafts_taken"])
    assert len(chat_server.requests) == 1 + 3 + 2
    preferred = noted.page.get_by_role("region", name=words["filter_kind_preference"])
    noted.open_memory()
    expect(preferred.locator(".memory-entry")).to_have_count(1)
    assert noted.fits()

    noted.open_tab(words["tab_chat"])
    noted.press(part, words["undo"])
    expect(part).not_to_contain_text(words["drafts_taken"])
    expect(noted.turn(0).locator(".answer").first).to_have_text("fast")
    noted.look_again_at_memory()
    expect(preferred).to_have_count(0)
