"""A conversation of 200 turns: what is far away is not laid out, and an answer touches nothing but the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from assistant.settings import Settings
from assistant.types import Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.journal import LedgerJournal
from memory_store.ledger import Ledger
from tests.ui.conftest import OpenPage, served_here
from ui.identity import LOCAL_PERSON

TURNS = 200
LAID_OUT = """() => Array.from(document.querySelectorAll("article .card"))
    .filter((card) => card.checkVisibility({ contentVisibilityAuto: true })).length"""
# Notes which turns change from now on, each by its place.
WATCH = """() => {
    const turns = document.querySelector("#conversation .turns");
    window.touched = new Set();
    const note = (node) => {
        const turn = (node.nodeType === 1 ? node : node.parentElement)?.closest("article");
        if (turn) window.touched.add(Array.from(turns.children).indexOf(turn));
    };
    new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes) [target, ...addedNodes].forEach(note);
    }).observe(turns, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The application, in which the local person has a long conversation."""
    yield from served_here(tmp_path, {})


def _talk_at_length(home: Path) -> None:
    ledger = Ledger(Settings.load({"NOTED_HOME": str(home)}).ledger)
    journal = LedgerJournal(ledger)
    for number in range(TURNS):
        answer = f"answer {number}"
        reply = Reply(answer, "You want a word.", answer, ReplyStatus.OK)
        turn = Turn(f"turn-{number}", "long", LOCAL_PERSON, f"question {number}", state=TurnState.ANSWERED, reply=reply)
        journal.record(turn, Scope(LOCAL_PERSON))
    ledger.close()


def test_far_turns_are_not_laid_out_and_an_answer_changes_only_the_end(
    url: str, tmp_path: Path, open_page: OpenPage
) -> None:
    _talk_at_length(tmp_path)
    noted = open_page(url, local=True)
    page = noted.page
    page.locator(".talk-open").click()
    expect(noted.turns).to_have_count(TURNS)
    expect(noted.turns.last).to_be_in_viewport()
    assert 0 < page.evaluate(LAID_OUT) < TURNS / 4

    page.evaluate(WATCH)
    noted.ask("What is akin to quick?")
    noted.turn(TURNS)
    touched = set(page.evaluate("() => Array.from(window.touched)"))
    assert touched <= {-1, TURNS - 1, TURNS}, touched
    assert TURNS in touched
    assert page.evaluate(LAID_OUT) < TURNS / 4

    noted.turns.first.scroll_into_view_if_needed()
    expect(noted.turns.first.get_by_text("answer 0")).to_be_in_viewport()
