"""The Memory page, in a browser: list, search, change, try, bring in, forget."""

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.keys import wait_until
from tests.support.memory.loop import RIGHT, WRONG
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, on_phone
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


@on_phone
def test_memory_is_searched_changed_and_deleted(
    embedded_url: str, embedded_home: Path, open_page: OpenPage, tmp_path: Path
) -> None:
    noted = open_page(embedded_url, color_scheme="dark")
    _begin_with_nothing(noted)
    noted.put_right("What is akin to quick?", "a synonym")
    noted.put_right("talk about < harbor >", "मुझे एक वाक्य चाहिए")
    noted.ask("My manager is Dana")
    noted.turn(2)
    noted.open_memory()
    expect(noted.entries).to_have_count(3)
    _search_and_filter(noted)
    _change_and_change_back(noted)
    _go_there_from_insights(noted)
    _export_and_import(noted, tmp_path)
    _delete(noted, embedded_home)
    assert noted.fits()


def _begin_with_nothing(noted: NotedPage) -> None:
    """Open Insights and Memory while they are empty, and go from there to Chat."""
    noted.open_tab(noted.words["tab_insights"])
    for name in ("helped_none", "taught_none", "corrected_none"):
        expect(noted.page.get_by_text(noted.words[name])).to_be_visible()
    noted.open_memory()
    expect(noted.page.get_by_text("No memories yet.")).to_contain_text(noted.words["no_i_meant"])
    expect(noted.page.get_by_role("button", name=noted.words["forget_all"])).to_be_disabled()
    expect(noted.page.get_by_role("combobox", name="Type")).to_be_hidden()
    noted.press(noted.page, "Go to Chat")
    expect(noted.message).to_be_visible()


def _search_and_filter(noted: NotedPage) -> None:
    page = noted.page
    expect(page.get_by_text("3 memories")).to_be_visible()
    expect(page.locator("#memory :is(h3, h4)")).to_have_text(["Corrections", "Today", "Facts", "Today", "Your data"])
    expect(noted.entries.last.locator(".entry-title")).to_have_text("My manager is Dana.")

    search = page.get_by_role("searchbox")
    search.press_sequentially("synonym")
    expect(noted.entries).to_have_count(1)
    expect(page.get_by_text("1 found")).to_be_visible()
    expect(page.locator("#memory h4")).to_have_count(0)
    title = "When you ask “What is akin to quick?”, you mean: a synonym."
    expect(noted.entries.first.locator(".entry-title")).to_have_text(title)
    search.fill("वाक्य")
    expect(noted.entries.first).to_contain_text("मुझे एक वाक्य चाहिए")
    search.fill("nowhere to be found")
    expect(page.get_by_role("status").filter(visible=True)).to_have_text("No memory contains this.")
    search.fill("What is akin to calm?")
    expect(page.get_by_text("1 by meaning")).to_be_visible()
    expect(noted.entries.first).to_contain_text("by meaning")
    expect(noted.entries.first).to_contain_text("synonym")
    search.fill("")
    expect(noted.entries).to_have_count(3)

    kinds = page.locator(".memory-filter")
    kinds.select_option("lesson")
    expect(page.get_by_text("No memory matches these filters.")).to_be_visible()
    kinds.select_option("")
    expect(noted.entries).to_have_count(3)
    assert noted.fits()


def _change_and_change_back(noted: NotedPage) -> None:
    page = noted.page
    entry = noted.entries.filter(has_text="akin to quick")
    noted.press(entry, "Edit")
    field = page.get_by_role("textbox", name="What you meant")
    field.fill("I want the opposite")
    field.press("Enter")
    expect(entry.locator(".entry-title")).to_contain_text("I want the opposite")
    expect(entry.get_by_text("Changed.")).to_be_in_viewport()
    expect(entry.get_by_role("button", name="Edit")).to_be_focused()
    noted.press(entry, "Delete")
    expect(page.get_by_text("Changed.")).to_have_count(0)
    noted.press(entry, "Keep")
    noted.unfold(entry)
    entry.get_by_text("1 earlier version").click()
    noted.press(entry, "Undo the last change")
    expect(entry.get_by_role("button", name="Cancel")).to_be_focused()
    noted.press(entry, "Undo it")
    expect(entry.locator(".entry-text")).to_have_text("a synonym")
    expect(entry.get_by_text("Undone.")).to_be_in_viewport()


def _go_there_from_insights(noted: NotedPage) -> None:
    noted.open_tab(noted.words["tab_insights"])
    expect(noted.page.get_by_role("region", name="Taught")).to_contain_text("Corrections 2")
    noted.press(noted.page.get_by_role("region", name="Taught"), "My manager is Dana.")
    expect(noted.page.get_by_role("searchbox")).to_have_value("My manager is Dana")
    expect(noted.entries).to_have_count(1)
    noted.page.get_by_role("searchbox").fill("")
    expect(noted.entries).to_have_count(3)


def _export_and_import(noted: NotedPage, folder: Path) -> None:
    page = noted.page
    with page.expect_download() as download:
        noted.reach(page.get_by_role("button", name="Export"))
    file = folder / "export.jsonl"
    download.value.save_as(file)
    assert download.value.suggested_filename.endswith(".jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert "मुझे एक वाक्य चाहिए" in [line.get("text") for line in lines]
    expect(page.locator(".memory-everything").get_by_text("Exported.")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Export")).to_be_focused()
    entry = noted.entries.filter(has_text="akin to quick")
    noted.press(entry, "Delete")
    keep = entry.get_by_role("button", name="Keep:")
    expect(keep).to_be_focused()
    expect(keep).to_have_accessible_description(re.compile("^Delete permanently"))
    noted.press(entry, "Delete:")
    expect(noted.entries).to_have_count(2)
    expect(noted.entries.last.get_by_text("Deleted.")).to_be_in_viewport()
    expect(noted.entries.last.get_by_role("button", name="Edit")).to_be_focused()
    imports = noted.open_tool("import")
    imports.locator("input[type=file]").set_input_files(file)
    # The change that was taken back is in the file, but not in the list.
    came_in = imports.get_by_role("status")
    expect(came_in).to_contain_text("Imported memories: 1.")
    expect(came_in).to_contain_text("changed or undone before: 1.")
    (folder / "other.txt").write_text("hello")
    imports.locator("input[type=file]").set_input_files(folder / "other.txt")
    expect(imports.get_by_role("alert")).to_contain_text("This file is not an export of Noted.")
    noted.open_memory()
    expect(noted.entries).to_have_count(3)


def _delete(noted: NotedPage, home: Path) -> None:
    """Delete one memory, whose bytes are gone, and then everything."""
    page, receipt = noted.page, noted.page.locator(".memory-receipt")
    noted.begin_anew()
    noted.put_right("What is akin to brave?", "an unheard of meaning")
    noted.begin_anew()
    noted.ask("unscramble esroh")
    noted.turn(0)
    noted.open_memory()
    assert find_bytes(home, ["an unheard of meaning"]) != []
    page.get_by_role("searchbox").fill("an unheard of meaning")
    expect(noted.entries).to_have_count(1)
    _press_and_confirm(
        noted,
        "Delete: an unheard",
        "This also deletes 2 questions and their answers, because they may repeat this memory.",
    )
    expect(receipt).to_contain_text("Erased: 1 correction")
    expect(receipt).to_contain_text("It is gone from all files here.")
    assert find_bytes(home, ["an unheard of meaning"]) == []
    noted.open_tab("Chat")
    for _ in range(2):
        expect(noted.turns).to_have_count(1)
        expect(noted.turns.first).to_contain_text("unscramble esroh")
        noted.reload()
    expect(page.locator(".talk-open")).to_have_count(3)
    noted.press(page, "Menu")
    page.locator(".talk-open").nth(1).click()
    expect(noted.turns).to_have_count(1)
    expect(noted.turns.first).to_contain_text("Deleted together with a memory.")
    expect(noted.turns.first.get_by_role("button")).to_have_count(0)

    noted.open_memory()
    _press_and_confirm(noted, "Delete everything", "This permanently deletes")
    expect(receipt).to_contain_text("Everything was deleted.")
    expect(receipt).to_be_in_viewport()
    expect(page.get_by_text("No memories yet.")).to_be_visible()
    assert find_bytes(home, ["unscramble esroh"]) == []
    noted.open_tab("Chat")
    expect(noted.turns).to_have_count(0)


def _press_and_confirm(noted: NotedPage, name: str, warning: str) -> None:
    """Press the button and confirm with the keyboard, at the second try in a window that ends below the button."""
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


@on_phone
def test_wordings_are_changed_and_edits_kept(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(remote_url)
    chat_server.replies(WRONG, RIGHT)
    noted.put_right("what is akin to quick ?", "I want a synonym")
    wait_until(lambda: _shows_all_keys(noted), PATIENCE_MS / 1000)
    noted.unfold(noted.entries.first)
    noted.page.get_by_text("Also found by 9 other wordings").click()
    rows = noted.page.locator(".key-row")
    expect(rows).to_have_count(9)
    expect(rows.nth(0)).to_contain_text("akin")
    expect(rows.nth(0)).to_contain_text("written by the model")

    noted.page.get_by_role("button", name="Change: akin").press("Enter")
    field = noted.page.get_by_role("textbox", name="Another wording of the question")
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
    noted.page.get_by_text("Also found by 9 other wordings").click()
    expect(rows.nth(8)).to_contain_text("one of my own")
    noted.page.get_by_role("searchbox").fill("one of my own")
    expect(noted.page.get_by_text("1 found")).to_be_visible()
    _keep_an_edit_that_is_not_saved(noted)


def _keep_an_edit_that_is_not_saved(noted: NotedPage) -> None:
    """Change the tab, and have the edit refused and lost; the text stays."""
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
    expect(noted.page.get_by_role("alert").filter(has_text="Can’t reach the server.")).to_be_visible()
    expect(field).to_have_value("something else again")
    expect(noted.page.get_by_role("button", name="Save")).to_be_enabled()


def _shows_all_keys(noted: NotedPage) -> bool:
    """Return True if the list, read anew, shows all wordings; the model writes them in the background."""
    noted.look_again_at_memory()
    noted.unfold(noted.entries.first)
    expect(noted.page.get_by_text("Also found by")).to_be_visible()
    return noted.page.get_by_text("Also found by 9 other wordings").count() > 0
