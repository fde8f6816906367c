"""What a message tells is proposed: kept, changed, discarded and taken back, and there again after a reload."""

import pytest
from playwright.sync_api import expect

from tests.support.memory.loop import reply
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, each_window

pytestmark = pytest.mark.promise("triples-are-decided")

MESSAGE = "Dana is my manager. Kim sits in Pune these days."
KEEP = "\n<keep>I | manager | Dana</keep>\n<keep>Kim | sits in | Pune</keep>"
TOLD = reply("You tell me who your manager is.", "I see.") + "\n<fact>Dana is my manager</fact>" + KEEP
UNSURE = reply("You talk about Kim.", "I see.") + "\n<keep>Kim | sits in | Pune</keep>"


@each_window()
def test_proposal_is_kept_changed_and_discarded(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(remote_url, language="hi")
    words = noted.words
    chat_server.replies(TOLD)
    noted.ask(MESSAGE)
    card = noted.turn(0)
    expect(card.locator(".part-facts")).to_contain_text(f"{words['fact_noted']} Dana is my manager")
    one = noted.why(card).locator(".part-keep").get_by_role("listitem")
    expect(one.locator(".triple")).to_have_text("Kim · sits in · Pune")  # the other one, the saved fact says
    noted.press(one, words["keep_keep"])
    expect(one.get_by_role("button", name=words["undo"])).to_be_visible()
    noted.reload()
    noted.why(card)
    expect(one).to_have_class("kept")

    noted.press(one, words["undo"])
    expect(one).to_have_class("proposed")
    noted.reach(one.get_by_role("button", name=words["keep_change"]))
    noted.page.get_by_role("textbox", name=words["keep_subject"]).fill(words["keep_i"])
    noted.page.keyboard.press("Enter")
    expect(one.locator(".triple")).to_have_text(f"{words['keep_you']} · sits in · Pune")
    noted.press(one, words["undo"])
    noted.press(one, words["keep_drop"])
    expect(one).to_have_class("dropped")
    assert noted.fits()
    noted.press(card.locator(".part-facts"), words["undo"])
    expect(card.locator(".part-facts")).to_be_hidden()
    expect(one).to_have_count(0)


def test_card_asks_where_nothing_was_saved(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(remote_url)
    chat_server.replies(UNSURE)
    noted.ask("So I heard Kim sits in Pune, maybe")
    part = noted.turn(0).locator(".part-keep")
    expect(part).to_contain_text("Save this?")
    noted.press(part, "Save")
    expect(part).to_contain_text("Saved:")
    noted.reload()
    noted.press(part, "Undo")
    noted.press(part, "No")
    expect(part).to_contain_text(noted.words["keep_not"])
    noted.open_memory()
    expect(noted.entries).to_have_count(0)
