"""What counts in one conversation only comes to count in all, from the Memory page."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from assistant.conversation import DEFAULT_LIMITS
from assistant.sharing import SharingRules
from memory_store.read_only import read_only
from memory_store.store import Store
from tests.support.loop import ME, RIGHT, WRONG, Loop, last
from tests.support.store import ANN, clarification, small_store
from tests.ui.conftest import OpenPage, each_size
from ui.allowance import PerMinute
from ui.memory_handlers import MemoryHandlers
from ui.notes import EXAMPLES


def _panel(store: Store, saves: int = 10) -> MemoryHandlers:
    return MemoryHandlers(store.memory, store.sharing(SharingRules()), allowance=PerMinute(10, saves))


def test_only_its_owner_widens_it_and_takes_that_back(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    loop = Loop(store, WRONG, RIGHT)
    last(loop.assistant.clarify(loop.ask("what is akin to quick ?").id, "a rhyme", ME, only_here=True))
    memory = _panel(store)
    (narrow,) = memory.search({}, ME)["entries"]
    assert narrow["here"]
    assert "not yours" in memory.widen({"entry": narrow["id"]}, ANN)["refused"]
    for told in ({"entry": narrow["id"]}, {"entry": narrow["id"]}):
        shown = memory.widen(told, ME)
        (wide,) = shown["entries"]
        assert (shown["done"], shown["changed"], wide["text"], wide["here"]) == (
            "widened",
            wide["id"],
            "a rhyme",
            False,
        )
        assert [(old["text"], old["here"]) for old in wide["earlier"]] == [("a rhyme", True)]
    (back,) = memory.take_back({"entry": wide["id"]}, ME)["entries"]
    assert (back["id"], back["here"], back["earlier"]) == (narrow["id"], True, [])
    store.close()


def test_it_is_counted_as_saving_and_refused_where_nothing_is_saved(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    entry = store.memory.remember(clarification("what is akin to quick ?"), ANN)
    memory = _panel(store, saves=1)
    assert memory.widen({"entry": entry.id}, ANN)["changed"] == entry.id
    assert "1 times a minute" in memory.widen({"entry": entry.id}, ANN)["refused"]
    kept = MemoryHandlers(read_only(store).memory, store.sharing(SharingRules()), DEFAULT_LIMITS.clarification)
    assert "can only be read" in kept.widen({"entry": entry.id}, ANN)["refused"]
    store.close()


@each_size
def test_a_note_of_one_conversation_is_used_in_another_once_it_is_widened(
    embedded_url: str, open_page: OpenPage
) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    noted.press(noted.turn(0), "No, I meant …")
    noted.page.keyboard.type("a synonym")
    noted.page.get_by_role("radio", name="In this conversation only").check()
    noted.page.keyboard.press("Control+Enter")
    noted.turn(1)
    noted.open_memory()
    entry = noted.entries.first
    noted.press(entry, "Use it in every conversation")
    expect(noted.page.get_by_text("It counts in every conversation now. 1 remembered")).to_be_visible()
    expect(entry.get_by_role("button", name="Edit")).to_be_focused()
    entry.get_by_text("1 earlier wording").click()
    expect(entry.get_by_role("listitem").first).to_contain_text("counts in one conversation only")
    noted.press(noted.page.locator("#banner"), "New conversation")
    noted.ask("What is akin to brave?")
    expect(noted.turn(0)).to_contain_text("From memory")

    noted.open_memory()
    entry.get_by_text("1 earlier wording").click()
    noted.press(entry, "Take the change back")
    noted.page.get_by_role("button", name="Take it back").click()
    expect(entry.locator(".entry-about")).to_contain_text("counts in one conversation only")
    assert noted.width() == noted.page.viewport_size["width"]  # type: ignore[index]
