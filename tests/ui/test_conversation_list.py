"""The list of conversations: its handlers on a real store, then in a browser, as a column and as a drawer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from assistant.errors import TooOften
from assistant.types import Scope, Turn
from memory_store.glossed import READINGS
from memory_store.store import Store, open_store
from tests.ui.conftest import OpenPage
from tests.ui.windows import PHONE
from ui.allowance import PerMinute
from ui.conversation_list_handlers import PAGE_SIZE, ConversationListHandlers

ME, OTHER = Scope("me"), Scope("somebody else")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"sqlite:///{tmp_path / 'ledger.sqlite3'}", str(tmp_path / "index"), None, READINGS)
    store.start()
    yield store
    store.close()


def talk(store: Store, conversation: str, question: str) -> None:
    store.journal.record(Turn(f"turn of {conversation}", conversation, ME.person, question), ME)


def titles(listing: dict[str, object]) -> list[str]:
    views = listing["conversations"]
    assert isinstance(views, list)
    return [view["title"] for view in views]


def test_they_are_listed_a_page_at_a_time_each_in_one_short_line(store: Store) -> None:
    handlers = ConversationListHandlers(store.conversations)
    for number in range(PAGE_SIZE + 2):
        talk(store, f"c{number}", f"question\n{number}" + " and so on" * (40 if number == 0 else 0))
    first = handlers.look({}, ME)
    assert (titles(first)[0], len(titles(first)), first["more"]) == (f"question {PAGE_SIZE + 1}", PAGE_SIZE, True)
    everything = handlers.look({"shown": 2 * PAGE_SIZE}, ME)
    assert (len(titles(everything)), everything["more"]) == (PAGE_SIZE + 2, False)
    assert re.fullmatch(r"question 0( and so on)+ ?(a(nd?)?)?( so?)?( on?)?…", titles(everything)[-1])
    assert titles(handlers.look({}, OTHER)) == []


def test_one_is_renamed_searched_and_erased(store: Store) -> None:
    handlers = ConversationListHandlers(store.conversations)
    talk(store, "c", "what is akin to quick ?")
    talk(store, "d", "something else")
    renamed = handlers.rename({"conversation": "c", "title": "  Words\nlike it "}, ME)
    assert (titles(renamed), renamed["done"]) == (["something else", "Words like it"], "talk_renamed")
    found = handlers.look({"search": "akin"}, ME)
    assert [(view["title"], view["found"]) for view in found["conversations"]] == [
        ("Words like it", "what is akin to quick ?")
    ]
    assert titles(handlers.rename({"conversation": "c", "title": " "}, ME))[1] == "what is akin to quick ?"
    erased = handlers.erase({"conversation": "c"}, ME)
    assert titles(erased) == ["something else"]
    assert "1 turn of a conversation" in erased["receipt"]


def test_what_cannot_be_done_is_refused_in_one_sentence(store: Store) -> None:
    handlers = ConversationListHandlers(store.conversations, PerMinute(turns=1, saves=2))
    talk(store, "c", "mine")
    assert "not yours" in handlers.erase({"conversation": "c"}, OTHER)["refused"]
    assert "not yours" in handlers.rename({"conversation": "c", "title": "mine now"}, OTHER)["refused"]
    assert "shorten it to 200" in handlers.rename({"conversation": "c", "title": "a" * 201}, ME)["refused"]
    assert "refused" not in handlers.rename({"conversation": "c", "title": "one"}, ME)
    assert "refused" not in handlers.rename({"conversation": "c", "title": "two"}, ME)
    assert handlers.rename({"conversation": "c", "title": "three"}, ME)["refused"] == str(TooOften(2))
    assert titles(handlers.look({}, ME)) == ["two"]


def test_conversations_are_kept_opened_renamed_and_deleted(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    page = noted.page
    listed = page.locator(".talk")
    noted.ask("What is akin to quick?")
    noted.turn(0)
    expect(listed).to_have_count(1)
    noted.press(page, "New conversation")
    expect(noted.turns).to_have_count(0)
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

    search = page.get_by_role("searchbox", name="Search in conversations…")
    search.fill("AKIN")
    expect(listed).to_have_count(1)
    listed.get_by_role("button", name=re.compile("^The quick one")).click()
    expect(noted.turn(0)).to_contain_text("What is akin to quick?")
    expect(page.locator(".talk-open[aria-current]")).to_contain_text("The quick one")
    search.fill("")
    expect(listed).to_have_count(2)
    noted.press(page, "Rename or delete: The quick one")
    noted.press(page.locator(".talk-changes"), "Delete")
    expect(page.get_by_role("button", name="Keep")).to_be_focused()
    noted.press(listed, "Yes, delete it")
    expect(page.get_by_text("Deleted. Erased: 1 turn of a conversation")).to_be_visible()
    expect(noted.turns).to_have_count(0)
    expect(listed).to_have_count(1)


def test_on_a_phone_they_are_a_drawer(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, **PHONE)
    page = noted.page
    noted.ask("What is akin to quick?")
    noted.turn(0)
    noted.press(page, "New conversation")
    expect(noted.turns).to_have_count(0)
    expect(page.locator(".talks")).to_be_hidden()
    noted.press(page, "Conversations")
    drawer = page.get_by_role("dialog", name="Conversations")
    expect(drawer).to_be_visible()
    assert noted.width() == 360
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Conversations")).to_be_focused()
    noted.press(page, "Conversations")
    drawer.get_by_role("button", name=re.compile("^What is akin")).click()
    expect(noted.turn(0)).to_contain_text("What is akin to quick?")
    expect(drawer).to_be_hidden()
