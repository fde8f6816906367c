"""Forget this, forget everything about me, and take everything along: on the page, with the keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.support.remains import remains
from tests.ui.conftest import OpenPage, each_size
from tests.ui.noted_page import NotedPage
from tests.ui.windows import PHONE
from ui.notes import EXAMPLES


def _remember(noted: NotedPage, question: str, words: str) -> None:
    number = noted.turns.count()
    noted.ask(question)
    noted.correct(noted.turn(number), words)
    noted.turn(number + 1)


def _press(noted: NotedPage, name: str) -> None:
    """Reach a button with the Tab key, and press it."""
    button = noted.page.get_by_role("button", name=name).first
    for _ in range(60):
        if button.evaluate("node => node === document.activeElement"):
            break
        noted.page.keyboard.press("Tab")
    expect(button).to_be_focused()
    noted.page.keyboard.press("Enter")


@each_size
def test_forget_this_takes_the_turns_along_and_shows_a_receipt(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    _remember(noted, EXAMPLES[0], "I want a synonym")
    noted.ask("unscramble tca")
    noted.turn(2)
    noted.open_memory()
    expect(noted.entries).to_have_count(1)
    _press(noted, "Forget this: I want a synonym")
    expect(noted.page.get_by_text("so do the answers that it gave")).to_be_visible()
    expect(noted.page.get_by_role("button", name="Keep")).to_be_focused()
    noted.page.keyboard.press("Escape")
    expect(noted.page.get_by_role("button", name="Forget this")).to_be_focused()
    noted.page.keyboard.press("Enter")
    noted.page.keyboard.press("Shift+Tab")
    noted.page.keyboard.press("Enter")
    expect(noted.entries).to_have_count(0)
    receipt = noted.page.locator(".memory-receipt")
    expect(receipt).to_contain_text("Erased: 1 clarification")
    expect(receipt).to_contain_text("2 turns of conversations")
    expect(receipt).to_contain_text("No file here holds it any more.")
    noted.page.get_by_role("tab", name="Chat").click()
    expect(noted.turns).to_have_count(1)
    expect(noted.turns.first).to_contain_text("unscramble tca")
    noted.reload()
    expect(noted.turns).to_have_count(1)


@each_size
def test_everything_is_downloaded_and_then_forgotten(
    embedded_url: str, embedded_home: Path, open_page: OpenPage, tmp_path: Path
) -> None:
    noted = open_page(embedded_url)
    _remember(noted, EXAMPLES[0], "an unheard of meaning")
    noted.open_memory()
    expect(noted.page.get_by_text("Conversations go by themselves after 90 days.")).to_be_visible()
    with noted.page.expect_download() as download:
        _press(noted, "Download everything")
    download.value.save_as(tmp_path / "export")
    assert download.value.suggested_filename.endswith(".jsonl")
    lines = [json.loads(line) for line in (tmp_path / "export").read_text(encoding="utf-8").splitlines()]
    assert lines[0]["counts"] == {"entry": 1, "turn": 2, "event": 1, "title": 0}
    assert lines[1]["text"] == "an unheard of meaning"
    expect(noted.page.get_by_text("Downloaded. 1 remembered")).to_be_visible()
    expect(noted.page.get_by_role("button", name="Download everything")).to_be_focused()
    assert remains(embedded_home, ["an unheard of meaning"]) != []

    _press(noted, "Forget everything about me")
    expect(noted.page.get_by_role("button", name="Keep")).to_be_focused()
    noted.page.keyboard.press("Escape")
    expect(noted.page.get_by_role("button", name="Forget everything about me")).to_be_focused()
    noted.page.keyboard.press("Enter")
    noted.page.keyboard.press("Shift+Tab")
    noted.page.keyboard.press("Enter")
    expect(noted.page.get_by_text("Everything about you is forgotten.")).to_be_visible()
    expect(noted.page.locator(".memory-receipt")).to_contain_text("2 turns of conversations")
    expect(noted.page.get_by_text("Nothing is remembered yet.")).to_be_visible()
    assert remains(embedded_home, ["an unheard of meaning"]) == []
    noted.page.get_by_role("tab", name="Chat").click()
    expect(noted.turns).to_have_count(0)
    expect(noted.page.get_by_text("Ask something. I show how I understood you.")).to_be_visible()


def test_it_fits_a_phone(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, **PHONE)
    _remember(noted, EXAMPLES[0], "I want a synonym")
    noted.open_memory()
    noted.press(noted.entries.first, "Forget this")
    noted.press(noted.page, "Forget everything about me")
    expect(noted.page.get_by_role("button", name="Forget everything", exact=True)).to_be_visible()
    assert noted.width() <= 360
