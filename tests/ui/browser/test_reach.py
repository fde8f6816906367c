"""The reach of a correction, and leaving out, pausing and resuming entries, in a browser."""

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.support.memory.keys import wait_until
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage

pytestmark = pytest.mark.promise("one-question-only", "left-out-once", "paused-is-not-used")

_REACH = "**/page/conversation/reach"
AKIN = "What is akin to {}?"
TOLD = "Used what you told me"


@on_phone
def test_reach_is_changed_in_card_and_memory(noted: NotedPage) -> None:
    card = noted.put_right("What does light mean?", "the opposite of it")
    noted.expect_reach(card, "reach_question")
    noted.ask("What does gratitude mean?")
    expect(noted.turn(1)).not_to_contain_text(TOLD)
    noted.choose_reach(card, "reach_conversation")
    expect(card.get_by_role("button", name="More")).to_have_count(0)
    noted.ask("What does honesty mean?")
    expect(noted.turn(2)).to_contain_text(TOLD)
    expect(noted.why(noted.turn(2)).locator(".entry")).to_contain_text("about “What does light mean?”")
    noted.expect_reach(card, "reach_conversation")
    expect(card.get_by_role("button", name="Undo")).to_be_visible()
    _ask_elsewhere(noted, is_used=False)

    noted.open_memory()
    entry = noted.entries.first
    expect(entry.locator(".entry-line")).to_contain_text("only one chat")
    noted.unfold(entry)
    field = entry.get_by_role("combobox")
    field.select_option("way")
    expect(entry.get_by_text("Changed.")).to_be_in_viewport()
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport(ratio=1)
    entry.get_by_text("2 earlier versions").click()
    expect(entry.get_by_role("listitem").first).to_contain_text("only one chat")
    _ask_elsewhere(noted, is_used=True)

    noted.open_memory()
    # What was unfolded stays so when the list is read anew.
    noted.press(entry, "Undo the last change")
    noted.page.get_by_role("button", name="Undo it").click()
    expect(entry.locator(".entry-line")).to_contain_text("only one chat")
    assert noted.fits()


def _ask_elsewhere(noted: NotedPage, *, is_used: bool) -> None:
    """Ask a question like it in another conversation."""
    noted.begin_anew()
    noted.ask("What does honesty mean?")
    answered = expect(noted.turn(0))
    (answered.to_contain_text if is_used else answered.not_to_contain_text)(TOLD)


def test_message_waits_for_the_reach(embedded_url: str, open_page: OpenPage) -> None:
    """Send a message while the reach is being changed, which is answered late, and then never."""
    noted = open_page(embedded_url, new=True)  # whoever is lent this window next would have its clock, too
    card = noted.put_right("What does light mean?", "the opposite of it")
    waiting = noted.page.locator(".waiting-message")
    held: list[Route] = []
    noted.page.route(_REACH, lambda route: held.extend([route]))
    _change_and_ask(noted, card, "questions like it", "What does gratitude mean?")
    wait_until(lambda: bool(noted.page.evaluate("true") and held), PATIENCE_MS / 1000)
    held[0].continue_()
    expect(noted.turn(1)).to_contain_text(TOLD)
    expect(waiting).to_have_count(0)

    noted.page.clock.install()
    _change_and_ask(noted, card, "only this question", "What does honesty mean?")
    noted.page.clock.fast_forward("00:10")
    expect(noted.turn(2)).to_contain_text(TOLD)
    expect(waiting).to_have_count(0)


def _change_and_ask(noted: NotedPage, card: Locator, reach: str, question: str) -> None:
    asked = noted.turns.count()
    card.locator(".segments label").filter(has_text=reach).click()
    noted.ask(question)
    expect(noted.page.locator(".waiting-message")).to_contain_text(question)
    expect(noted.turns).to_have_count(asked)
