"""Sharing with everyone, in two browsers: a visitor offers, the local person decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import NotedPage
from tests.ui.browser.windows import PHONE
from tests.ui.conftest import served_here

QUESTION, MEANT = "What is akin to quick?", "I want a word with the same meaning"


@pytest.fixture
def open_url(tmp_path: Path) -> Iterator[str]:
    """A server of its own, since what is shared is shared with every other test of it; visitors may offer there."""
    yield from served_here(tmp_path, {"NOTED_ANONYMOUS_OFFERS": "on"})


def remember(noted: NotedPage) -> Locator:
    """Correct an answer; the card of what is then remembered."""
    noted.put_right(QUESTION, MEANT)
    noted.open_memory()
    return noted.entries.first


def offer(noted: NotedPage) -> Locator:
    card = remember(noted)
    noted.press(card, "Offer to everyone")
    noted.press(card, "Offer it")
    expect(card).to_contain_text("A curator has not decided yet.")
    return card


def offers_of(curator: NotedPage) -> Locator:
    """The cards of a curator, the section unfolded anew."""
    curator.open_tab("Chat")
    curator.open_memory()
    section = curator.page.locator("details.offers")
    expect(section).to_be_visible()
    if section.get_attribute("open") is None:
        section.locator("summary").press("Enter")
    return curator.page.locator(".offer-entry")


def accept(card: Locator) -> None:
    card.get_by_role("button", name=re.compile("^Accept")).click()


def ask_about(noted: NotedPage, word: str, number: int) -> Locator:
    noted.open_tab("Chat")
    noted.ask(f"What is akin to {word}?")
    return noted.turn(number)


def test_what_a_person_offers_counts_for_everyone_once_a_curator_agrees_and_until_it_is_withdrawn(
    open_url: str, open_page: OpenPage
) -> None:
    ann, curator = open_page(open_url, **PHONE), open_page(open_url, local=True)
    card = remember(ann)
    expect(ann.page.locator(".offers-page")).to_be_hidden()
    ann.press(card, "Offer to everyone")
    expect(card.get_by_role("button", name="Cancel")).to_be_focused()
    ann.page.keyboard.press("Escape")
    expect(card.get_by_role("button", name="Offer to everyone")).to_be_focused()
    ann.page.keyboard.press("Enter")
    ann.press(card, "Offer it")
    expect(ann.page.get_by_text("Offered. 1 remembered")).to_be_visible()
    expect(ask_about(curator, "enormous", 0)).to_contain_text("Not from memory")

    cards = offers_of(curator)
    expect(curator.page.get_by_role("heading", name="Offers: 1 waiting for you")).to_be_visible()
    expect(cards).to_have_count(1)
    expect(cards.first).to_contain_text(f"Given for: {QUESTION}")
    expect(cards.first).to_contain_text("Offered by a visitor without a name")
    curator.narrow()
    curator.press(cards.first, "Edit and accept")
    assert curator.fits()
    field = curator.page.get_by_role("textbox", name="What everyone will get")
    field.fill("You want a word with the same meaning")
    field.press("Control+Enter")
    expect(curator.page.get_by_text("Accepted. It counts for everyone now.")).to_be_visible()
    expect(cards.first).to_contain_text("Shared with everyone since")

    turn = ask_about(curator, "enormous", 1)
    expect(turn.locator("summary")).to_contain_text("You want a word with the same meaning (shared with everyone)")
    turn.locator("summary").press("Enter")
    expect(turn).to_contain_text("Shared with everyone since")
    expect(turn).to_contain_text("large")

    ann.open_tab("Chat")
    ann.open_memory()
    expect(card).to_contain_text("Shared with everyone since")
    expect(card.locator(".entry-text")).to_have_text(MEANT)
    ann.press(card, "Withdraw")
    expect(ann.page.get_by_text("Withdrawn. Nobody else gets it any more.")).to_be_visible()
    expect(card.get_by_role("button", name="Offer to everyone")).to_be_visible()
    expect(ask_about(curator, "happy", 2)).to_contain_text("Not from memory")
    expect(offers_of(curator)).to_have_count(0)
    expect(curator.page.get_by_text("Nobody offers anything, and nothing is shared.")).to_be_visible()


def test_a_decline_reaches_the_person_and_an_edit_can_be_offered_again_and_ends_that_offer(
    open_url: str, open_page: OpenPage
) -> None:
    ann, curator = open_page(open_url, **PHONE), open_page(open_url, local=True)
    card = offer(ann)
    cards = offers_of(curator)
    curator.narrow()
    curator.press(cards.first, "Decline")
    assert curator.fits()
    reason = curator.page.get_by_role("textbox", name="The reason")
    reason.fill("x" * 501)
    curator.press(cards.first, "Decline")
    expect(curator.page.get_by_role("alert").filter(has_text="501 characters long.")).to_be_visible()
    reason.press("Escape")
    expect(cards.first.get_by_role("button", name="Decline")).to_be_focused()
    curator.page.keyboard.press("Enter")
    reason.fill("<b>too</b> short")
    reason.press("Control+Enter")
    expect(curator.page.get_by_text("Declined. Whoever offered it can read the reason.")).to_be_visible()

    ann.open_tab("Chat")
    ann.open_memory()
    expect(card).to_contain_text("declined by a curator")
    expect(card).to_contain_text("<b>too</b> short")
    expect(card.get_by_role("button", name="Offer to everyone")).to_have_count(0)
    ann.press(card, "Edit")
    ann.page.get_by_role("textbox", name="What you meant").fill(f"{MEANT}, please")
    ann.press(card, "Save")
    ann.press(card, "Offer to everyone")
    ann.press(card, "Offer it")
    expect(card).to_contain_text("A curator has not decided yet.")
    expect(offers_of(curator)).to_have_count(1)
    ann.press(card, "Edit")
    ann.page.get_by_role("textbox", name="What you meant").fill("a synonym")
    ann.press(card, "Save")
    expect(
        ann.page.get_by_text("Changed. It is no longer offered to everyone; you can offer it again.")
    ).to_be_visible()
    accept(cards.first)
    expect(curator.page.get_by_role("alert").filter(has_text="in the meantime")).to_be_visible()
    expect(ask_about(curator, "enormous", 0)).to_contain_text("Not from memory")
