"""Facts of a message, in its card: saved, proposed, changed, discarded, replaced and undone, also after a reload."""

import pytest
from playwright.sync_api import expect

from tests.support.memory.loop import reply
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("triples-are-decided", "facts-can-conflict")

MESSAGE = "Dana is my manager. Kim sits in Pune these days."
KEEP = "\n<keep>I | manager | Dana</keep>\n<keep>Kim | sits in | Pune</keep>"
TOLD = reply("You tell me who your manager is.", "I see.") + "\n<fact>Dana is my manager</fact>" + KEEP
DOG = reply("You tell me that Rex is a dog.", "Good to know.") + "\n<fact>Rex is a dog</fact>"
DENIED = reply("You tell me that Rex is not a dog.", "I see.")
UNSURE = reply("You talk about Lee.", "I see.") + "\n<keep>Lee | sits in | Delhi</keep>"


@on_phone
def test_told_facts_are_decided_and_undone(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
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
    expect(card.locator(".part-facts")).to_have_text(words["fact_gone"])
    expect(one).to_have_class("dropped")
    _decide_where_nothing_was_saved(noted, chat_server)


def _decide_where_nothing_was_saved(noted: NotedPage, chat_server: ChatServer) -> None:
    """Decide in the card itself, which asks."""
    words = noted.words
    chat_server.replies(UNSURE)
    noted.ask("So I heard Lee sits in Delhi, maybe")
    part = noted.turn(1).locator(".part-keep")
    expect(part).to_contain_text(words["save_this"])
    noted.press(part, words["save_it"])
    expect(part).to_contain_text(words["fact_noted"])
    noted.reload()
    noted.press(part, words["undo"])
    noted.press(part, words["save_not"])
    expect(part).to_contain_text(words["keep_not"])
    noted.open_memory()
    expect(noted.entries).to_have_count(0)
    noted.open_tab(words["tab_chat"])
    _replace_and_undo_a_fact(noted, chat_server)


def _replace_and_undo_a_fact(noted: NotedPage, chat_server: ChatServer) -> None:
    """Tell the opposite of a fact, say why both apply, and that only the newer one does."""
    chat_server.replies(DOG)
    noted.ask("Rex is a dog.")
    first = noted.turn(2).locator(".part-facts")
    expect(first).to_contain_text(f"{noted.words['fact_noted']} Rex is a dog")
    expect(noted.turn(2)).to_contain_text("Good to know.")

    chat_server.replies(DENIED)
    noted.ask("remember that Rex is not a dog")
    second = noted.turn(3).locator(".part-facts")
    expect(second.locator("q")).to_have_text(["Rex is not a dog", "Rex is a dog"])
    noted.press(second, noted.words["count_because"])
    second.get_by_role("textbox").fill("he only looks like one")
    second.get_by_role("textbox").press("Enter")
    expect(second).to_contain_text(noted.words["counts_both"].format(why="he only looks like one"))
    noted.press(second, noted.words["count_instead"])
    expect(second).not_to_contain_text("he only looks like one")
    expect(second.get_by_role("button", name=noted.words["count_beside"])).to_be_visible()
    noted.reload()
    expect(noted.turn(2)).to_contain_text("Good to know.")
    expect(first).to_have_text(noted.words["fact_gone"])
    noted.press(second, noted.words["undo"])
    expect(noted.page.get_by_role("button", name=noted.words["send"])).to_be_visible()
    expect(second).to_have_text(noted.words["fact_gone"])
    noted.reload()
    expect(first).to_contain_text(noted.words["fact_noted"])
