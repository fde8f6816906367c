"""The Memory page, in a browser: list, search, change, try, bring in, forget."""

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.support.damage.remains import remains
from tests.support.memory.keys import wait_until
from tests.support.memory.loop import BY_NOTE, RIGHT, WRONG
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage

# Keeps a list that the server answers with from the page until it is released.
_HOLD = """() => {
    const open = window.fetch;
    const released = new Promise((go) => (window.release = go));
    window.fetch = async (...asked) => {
        const response = await open(...asked);
        window.isHeld ||= (await response.clone().text()).includes('"entries"');
        if (window.isHeld) await released;
        return response;
    };
}"""


@each_window()
def test_memory_is_searched_changed_and_imported(embedded_url: str, open_page: OpenPage, tmp_path: Path) -> None:
    noted = open_page(embedded_url, color_scheme="dark")
    noted.put_right("What is akin to quick?", "a synonym")
    noted.put_right("talk about < harbor >", "मुझे एक वाक्य चाहिए")
    noted.open_memory()
    expect(noted.entries).to_have_count(2)
    _search_and_filter(noted)
    _change_and_change_back(noted)
    _try_a_question(noted)
    _forget_and_bring_in(noted, tmp_path)
    assert noted.fits()


def _search_and_filter(noted: NotedPage) -> None:
    page = noted.page
    expect(page.get_by_text("2 remembered")).to_be_visible()

    search = page.get_by_role("searchbox")
    search.press_sequentially("synonym")
    expect(noted.entries).to_have_count(1)
    expect(page.get_by_text("1 found")).to_be_visible()
    search.fill("वाक्य")
    expect(noted.entries.first).to_contain_text("मुझे एक वाक्य चाहिए")
    search.fill("nowhere to be found")
    expect(page.get_by_role("status").filter(visible=True)).to_have_text("Nothing that I remember contains this.")
    search.fill("What is akin to calm?")
    expect(page.get_by_text("1 by meaning")).to_be_visible()
    expect(noted.entries.first).to_contain_text("by meaning")
    expect(noted.entries.first).to_contain_text("synonym")
    search.fill("")
    expect(noted.entries).to_have_count(2)

    page.get_by_role("combobox", name="How it went").select_option("Hurt more than it helped")
    expect(page.get_by_text("Nothing that I remember is like this.")).to_be_visible()
    page.get_by_role("combobox", name="How it went").select_option("Used or not")
    expect(noted.entries).to_have_count(2)
    assert noted.fits()


def _change_and_change_back(noted: NotedPage) -> None:
    page = noted.page
    entry = noted.entries.filter(has_text="akin to quick")
    noted.press(entry, "Edit")
    field = page.get_by_role("textbox", name="What you meant")
    field.fill("I want the opposite")
    field.press("Enter")
    expect(entry.locator(".entry-text")).to_have_text("I want the opposite")
    expect(entry.get_by_text("Changed.")).to_be_in_viewport()
    expect(entry.get_by_role("button", name="Edit")).to_be_focused()
    noted.press(entry, "Forget this")
    expect(page.get_by_text("Changed.")).to_have_count(0)
    noted.press(entry, "Keep")
    noted.unfold(entry)
    entry.get_by_text("1 earlier version").click()
    noted.press(entry, "Take the change back")
    expect(entry.get_by_role("button", name="Cancel")).to_be_focused()
    noted.press(entry, "Take it back")
    expect(entry.locator(".entry-text")).to_have_text("a synonym")
    expect(entry.get_by_text("Taken back.")).to_be_in_viewport()


def _try_a_question(noted: NotedPage) -> None:
    page = noted.page
    page.get_by_text("Try a question").click()
    question = page.get_by_role("textbox", name="A question.")
    question.fill("What is akin to happy?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("I would use this.")).to_be_visible()
    used = page.locator(".trial-entry").first
    expect(used).to_contain_text("Would be used")
    expect(used).to_contain_text("likely")
    expect(used).to_contain_text("synonym")
    expect(page.get_by_text("I would use this.")).to_be_in_viewport(ratio=1)
    expect(used).to_be_in_viewport(ratio=0.5)


def _forget_and_bring_in(noted: NotedPage, folder: Path) -> None:
    page = noted.page
    entry = noted.entries.filter(has_text="akin to quick")
    with page.expect_download() as download:
        noted.press(page, "Download everything")
    file = folder / "export.jsonl"
    download.value.save_as(file)
    noted.press(entry, "Forget this")
    keep = entry.get_by_role("button", name="Keep:")
    expect(keep).to_be_focused()
    expect(keep).to_have_accessible_description(re.compile("^Delete permanently"))
    noted.press(entry, "Forget:")
    expect(noted.entries).to_have_count(1)
    expect(noted.entries.first.get_by_text("Forgotten.")).to_be_in_viewport()
    expect(page.get_by_text("1 remembered")).to_be_visible()
    expect(noted.entries.first.get_by_role("button", name="Edit")).to_be_focused()
    question = page.get_by_role("textbox", name="A question.")
    question.fill("talk about < river >")
    question.press("Enter")
    expect(page.get_by_text("I would use this.")).to_be_visible()
    imports = noted.open_tool("import")
    imports.locator("input[type=file]").set_input_files(file)
    # The change that was taken back is in the file, but not in the list.
    came_in = imports.get_by_role("status")
    expect(came_in).to_contain_text("Imported: 1 remembered,")
    expect(came_in).to_contain_text("1 more came in as history only")
    (folder / "other.txt").write_text("hello")
    imports.locator("input[type=file]").set_input_files(folder / "other.txt")
    expect(imports.get_by_role("alert")).to_contain_text("This file is no export of Noted.")
    noted.open_memory()
    expect(noted.entries).to_have_count(2)


@each_window()
def test_memory_is_downloaded_and_forgotten(noted: NotedPage, embedded_home: Path, tmp_path: Path) -> None:
    page = noted.page
    noted.put_right("What is akin to quick?", "an unheard of meaning")
    noted.begin_anew()
    noted.ask("unscramble esroh")
    noted.turn(0)
    noted.open_memory()
    expect(page.get_by_text("Conversations are deleted 90 days after their last message.")).to_be_visible()
    with page.expect_download() as download:
        noted.reach(page.get_by_role("button", name="Download everything"))
    download.value.save_as(tmp_path / "export")
    assert download.value.suggested_filename.endswith(".jsonl")
    lines = [json.loads(line) for line in (tmp_path / "export").read_text(encoding="utf-8").splitlines()]
    assert lines[0]["counts"] == {"entry": 1, "turn": 3, "event": 1, "title": 0}
    assert lines[1]["text"] == "an unheard of meaning"
    expect(page.locator(".memory-everything").get_by_text("Downloaded.")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Download everything")).to_be_focused()
    assert remains(embedded_home, ["an unheard of meaning"]) != []

    takes = "With it go: the text of 2 answers given with it. The rest of your conversations stays."
    _forget(noted, "Forget this", f"Delete permanently? {takes}")
    expect(noted.entries).to_have_count(0)
    receipt = page.locator(".memory-receipt")
    expect(receipt).to_contain_text("Erased: 1 clarification")
    expect(receipt).to_contain_text("the text of 2 answers given with it")
    expect(receipt).to_contain_text("No file here holds it any more.")
    assert remains(embedded_home, ["an unheard of meaning"]) == []
    noted.open_tab("Chat")
    for _ in range(2):
        expect(noted.turns).to_have_count(1)
        expect(noted.turns.first).to_contain_text("unscramble esroh")
        noted.reload()
    expect(page.locator(".talk-open")).to_have_count(2)
    noted.press(page, "Menu")
    page.locator(".talk-open").last.click()
    expect(noted.turns).to_have_count(1)
    expect(noted.turns.first).to_contain_text("Deleted together with a memory.")
    expect(noted.turns.first.get_by_role("button")).to_have_count(0)

    noted.open_memory()
    _forget(noted, "Forget everything about me", "This permanently deletes 3 turns of conversations.")
    expect(receipt).to_contain_text("Everything about you is forgotten.")
    expect(receipt).to_be_in_viewport()
    expect(receipt).to_contain_text("3 turns of conversations")
    expect(page.get_by_text("Nothing is remembered yet.")).to_be_visible()
    assert remains(embedded_home, ["unscramble esroh"]) == []
    noted.open_tab("Chat")
    expect(noted.turns).to_have_count(0)
    expect(page.get_by_text("Ask a question. I'll show you how I understood it.")).to_be_visible()


def _forget(noted: NotedPage, name: str, warning: str) -> None:
    """Press the button and do as one is asked, with the keyboard, at the second try, when the window ends below it."""
    page, button = noted.page, noted.page.get_by_role("button", name=name).first
    noted.reach(button)
    expect(page.locator(".entry-sure")).to_contain_text(warning)
    expect(page.get_by_role("button", name="Keep")).to_be_focused()
    assert noted.fits()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    box, window = button.bounding_box(), page.viewport_size
    assert box
    assert window
    page.set_viewport_size({**window, "height": round(box["y"] + box["height"])})
    page.keyboard.press("Enter")
    expect(page.locator(".entry-sure")).to_contain_text(warning)
    for part in (page.locator(".entry-sure"), page.get_by_role("button", name="Keep")):
        expect(part).to_be_in_viewport(ratio=1)
    for key in ("Shift+Tab", "Enter"):
        page.keyboard.press(key)
    page.set_viewport_size(window)


@each_window()
def test_paused_note_is_resumed(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    chat_server.replies(RIGHT, RIGHT, BY_NOTE, RIGHT, f"<notes>none</notes>\n{WRONG}", RIGHT)
    noted = open_page(remote_url)
    noted.put_right("What is akin to quick?", "I want a synonym")
    noted.ask("What is akin to enormous?")
    noted.press(noted.why(noted.turn(1)), "Don't use here")
    noted.press(noted.turn(1), "Not at all")
    expect(noted.turn(1)).to_contain_text("is paused.")
    noted.open_memory()
    expect(noted.page.get_by_text("Paused: it is not used until you resume it.")).to_be_visible()
    noted.press(noted.entries.first, "Resume")
    expect(noted.entries.first.get_by_text("It is used again.")).to_be_in_viewport()
    expect(noted.page.locator(".entry-rests")).to_have_count(0)

    noted.open_tab("Chat")
    noted.ask("What is akin to brave?")
    card = noted.turn(2)
    expect(noted.why(card).get_by_role("button", name="Use it")).to_be_visible()
    # It is also offered where one says what one meant.
    noted.press(card, "Not what I meant?")
    noted.press(card, "I want a synonym")
    expect(noted.why(card).locator(".entry-why")).to_contain_text("You chose this, so it counts.")


@each_window()
def test_wordings_are_changed_and_edits_kept(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(remote_url)
    chat_server.replies(WRONG, RIGHT)
    noted.put_right("what is akin to quick ?", "I want a synonym")
    wait_until(lambda: _shows_all_keys(noted), PATIENCE_MS / 1000)
    noted.unfold(noted.entries.first)
    noted.page.get_by_text("Also found under 9 wordings").click()
    rows = noted.page.locator(".key-row")
    expect(rows).to_have_count(9)
    expect(rows.nth(0)).to_contain_text("akin")
    expect(rows.nth(0)).to_contain_text("written by the model")

    noted.page.get_by_role("button", name="Change: akin").press("Enter")
    field = noted.page.get_by_role("textbox", name="A wording of the question")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(noted.page.get_by_role("button", name="Change: akin")).to_be_focused()
    noted.page.keyboard.press("Enter")
    field.fill("<b>kinship</b> “क्या”")
    field.press("Enter")
    expect(rows.nth(0)).to_contain_text("<b>kinship</b> “क्या”")
    expect(rows.nth(0)).to_contain_text("written by you")
    expect(noted.entries.first.get_by_text("Wordings changed.")).to_be_in_viewport()
    expect(noted.page.get_by_role("button", name="Change: <b>kinship</b>")).to_be_focused()

    noted.page.get_by_role("button", name="Remove: paraphrase number 6").click()
    expect(rows).to_have_count(8)
    expect(noted.page.get_by_role("button", name="Change: paraphrase number 5")).to_be_focused()
    noted.press(noted.entries.first, "Add a wording")
    field.fill("a" * 301)
    field.press("Enter")
    expect(noted.page.get_by_role("alert").filter(has_text="This is 301 characters long.")).to_be_visible()
    field.fill("one of my own")
    noted.press(noted.entries.first, "Save")
    expect(rows.nth(8)).to_contain_text("one of my own")

    noted.reload()
    noted.open_memory()
    noted.unfold(noted.entries.first)
    noted.page.get_by_text("Also found under 9 wordings").click()
    expect(rows.nth(8)).to_contain_text("one of my own")
    noted.page.get_by_role("searchbox").fill("one of my own")
    expect(noted.page.get_by_text("1 found")).to_be_visible()
    _keep_an_edit_that_is_not_saved(noted)


def _keep_an_edit_that_is_not_saved(noted: NotedPage) -> None:
    """It outlives a change of tabs and a refusal."""
    noted.press(noted.entries.first, "Edit")
    field = noted.page.get_by_role("textbox", name="What you meant")
    expect(field).to_be_in_viewport(ratio=1)
    field.fill("something else")
    noted.look_again_at_memory()
    expect(field).to_have_value("something else")
    field.fill("a" * 2001)
    field.press("Control+Enter")
    expect(noted.page.get_by_role("alert").filter(has_text="This is 2,001 characters long.")).to_be_visible()
    for _ in range(2):  # when it is read again, it has been shown once
        noted.look_again_at_memory()
    expect(noted.page.get_by_role("alert").filter(has_text="This is 2,001 characters long.")).to_be_visible()
    field.fill("something else again")
    noted.open_tab("Chat")
    noted.page.evaluate(_HOLD)
    noted.open_memory()
    wait_until(lambda: noted.page.evaluate("window.isHeld"), PATIENCE_MS / 1000)
    noted.go_offline()
    field.press("Control+Enter")
    noted.page.evaluate("window.release()")  # what the server says of something older hides no trouble
    expect(noted.page.get_by_role("alert").filter(has_text="The server could not be reached.")).to_be_visible()
    expect(field).to_have_value("something else again")
    expect(noted.page.get_by_role("button", name="Save")).to_be_enabled()


def _shows_all_keys(noted: NotedPage) -> bool:
    """The list shows what was there when it was opened, which may be before the model has written."""
    noted.look_again_at_memory()
    noted.unfold(noted.entries.first)
    expect(noted.page.get_by_text("Also found under")).to_be_visible()
    return noted.page.get_by_text("Also found under 9 wordings").count() > 0
