"""Sharing with everyone, in two browsers: a visitor offers, the local person decides."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, expect

from tests.support.people.windows import PHONE
from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import NotedPage
from tests.ui.browser.test_looks import VIOLATIONS
from tests.ui.conftest import served_here

pytestmark = pytest.mark.promise("sharing-asks-first")

QUESTION, MEANT = "What is akin to quick?", "I want a word with the same meaning"


@pytest.fixture
def open_url(tmp_path: Path) -> Iterator[str]:
    """Serve the application for one test, since shared entries reach every test; visitors may offer there."""
    yield from served_here(tmp_path, {"NOTED_ANONYMOUS_OFFERS": "on"})


def offers_of(curator: NotedPage) -> Locator:
    """Unfold the section of a curator and return its cards."""
    curator.look_again_at_memory()
    section = curator.page.locator("details.offers")
    expect(section).to_be_visible()
    if section.get_attribute("open") is None:
        section.locator("summary").press("Enter")
    return curator.page.locator(".offer-entry")


def ask_about(noted: NotedPage, word: str, number: int) -> Locator:
    noted.open_tab("Chat")
    noted.ask(f"What is akin to {word}?")
    return noted.turn(number)


def test_offer_is_declined_accepted_and_withdrawn(open_url: str, open_page: OpenPage) -> None:
    ann, curator = open_page(open_url, **PHONE), open_page(open_url, local=True)
    _offer_with_the_correction(ann)
    expect(ask_about(curator, "enormous", 0)).not_to_contain_text("Used what")
    _decline(curator)
    _accept_otherwise(ann, curator)
    turn = ask_about(curator, "enormous", 1)
    expect(turn.locator(".acts")).to_contain_text("Used a shared memory")
    expect(curator.why(turn)).to_contain_text("You want a word with the same meaning – shared with everyone")
    expect(turn).to_contain_text("large")
    _withdraw(ann)
    expect(ask_about(curator, "happy", 2)).not_to_contain_text("Used what")
    said = curator.page.get_by_text(curator.words["offer_accepted"])
    expect(offers_of(curator)).to_have_count(0)
    expect(curator.page.get_by_text("No offers, and nothing is shared.")).to_be_visible()
    expect(said).to_be_visible()  # until something else is done


def _offer_with_the_correction(ann: NotedPage) -> None:
    """Offer what may be shared, after something that may not."""
    private = ann.put_right("What is akin to 0181 498 0123?", MEANT)
    refused = ann.page.get_by_role("alert").filter(has_text="a phone number")
    _offer(ann, private)
    expect(refused).to_be_visible()
    ann.expect_reach(private, "reach_way")
    ann.press(private, "More")
    ann.press(private, "Before")
    expect(refused).to_be_hidden()
    ann.press(private, "Undo")
    expect(private.get_by_role("button", name="More")).to_have_count(0)

    again = ann.put_right(QUESTION, MEANT)
    ann.choose_reach(again, "reach_conversation")
    expect(again.get_by_role("button", name="More")).to_have_count(0)  # what is used here alone is offered to nobody
    ann.choose_reach(again, "reach_way")
    ann.press(again, "More")
    ann.press(again, "Offer to everyone")
    expect(again.get_by_role("button", name="Cancel")).to_be_focused()
    ann.press(again, "Cancel")
    expect(again.get_by_role("button", name="Offer to everyone")).to_be_focused()
    ann.expect_reach(again, "reach_way")
    ann.press(again, "More")
    _offer(ann, again)
    expect(again.locator(".saved")).to_contain_text("Offered to everyone")
    ann.press(again, "Before")
    expect(again.locator(".before")).to_contain_text("I know words")
    ann.reload()
    expect(again.locator(".saved")).to_contain_text("Offered to everyone")
    expect(again.get_by_role("radio")).to_have_count(0)
    ann.open_memory()
    expect(ann.entries.first).to_contain_text("A curator hasn’t decided yet.")
    expect(ann.page.locator(".offers-page")).to_be_hidden()


def _offer(noted: NotedPage, card: Locator) -> None:
    """Offer what a card has saved, and confirm."""
    noted.press(card, "More")
    noted.press(card, "Offer to everyone")
    card.locator(".asking").get_by_role("button", name="Offer it").click()


def _decline(curator: NotedPage) -> None:
    card = offers_of(curator).first
    expect(curator.page.get_by_role("heading", name="1 offer to review")).to_be_visible()
    expect(card).to_contain_text(f"Question: {QUESTION}")
    expect(card).to_contain_text("Offered by an anonymous visitor")
    curator.narrow()
    curator.press(card, "Decline")
    assert curator.fits()
    curator.page.evaluate(AXE_SCRIPT)
    assert curator.page.evaluate(VIOLATIONS, {}) == []
    reason = curator.page.get_by_role("textbox", name="Reason")
    reason.fill("x" * 501)
    curator.press(card, "Decline")
    expect(curator.page.get_by_role("alert").filter(has_text="501 characters long.")).to_be_visible()
    reason.press("Escape")
    expect(card.get_by_role("button", name="Decline")).to_be_focused()
    curator.page.keyboard.press("Enter")
    reason.fill("<b>too</b> short")
    reason.press("Control+Enter")
    expect(curator.page.get_by_text("Declined. The person who offered it can read the reason.")).to_be_visible()


def _change(ann: NotedPage, meant: str) -> None:
    ann.press(ann.entries.first, "Edit")
    ann.page.get_by_role("textbox", name="What you meant").fill(meant)
    ann.press(ann.entries.first, "Save")


def _accept_otherwise(ann: NotedPage, curator: NotedPage) -> None:
    """Change a declined entry, offer it again, and accept it in other words."""
    card = ann.entries.first
    ann.look_again_at_memory()
    expect(card).to_contain_text("A curator declined this")
    expect(card).to_contain_text("<b>too</b> short")
    expect(card.get_by_role("button", name="Offer to everyone")).to_have_count(0)
    _change(ann, f"{MEANT}, please")
    ann.unfold(card)
    ann.press(card, "Offer to everyone")
    expect(card.get_by_role("button", name="Cancel")).to_be_focused()
    ann.think_again(card.get_by_role("button", name="Offer to everyone"))
    ann.press(card, "Offer it")
    expect(ann.entries.first.locator(".memory-receipt")).to_have_text("Offered.")
    card = offers_of(curator).first
    curator.press(card, "Edit and accept")
    assert curator.fits()
    field = curator.page.get_by_role("textbox", name="What everyone gets")
    field.fill("You want a word with the same meaning")
    field.press("Control+Enter")
    expect(curator.page.get_by_text("Accepted. It is now used for everyone.")).to_be_visible()
    expect(card).to_contain_text("Shared with everyone since")


def _withdraw(ann: NotedPage) -> None:
    card = ann.entries.first
    ann.look_again_at_memory()
    expect(card).to_contain_text("Shared with everyone since")
    ann.unfold(card)
    expect(card.locator(".entry-text")).to_have_text(f"{MEANT}, please")
    ann.press(card, "Withdraw")
    expect(card.locator(".memory-receipt")).to_have_text("Withdrawn. Nobody else gets it now.")
    expect(card.get_by_role("button", name="Offer to everyone")).to_be_visible()
