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


@on_phone
def test_note_is_left_out_paused_and_resumed(noted: NotedPage) -> None:
    noted.put_right(AKIN.format("quick"), "a synonym")
    noted.ask(AKIN.format("tall"))
    without = noted.turn(1)
    _leave_out(noted, without)
    left_out = "isn’t used here. It is still used for other questions."
    expect(without).to_contain_text(left_out)
    noted.reach(without.get_by_role("button", name="Use it"))  # it was left out by mistake
    expect(without).to_contain_text(TOLD)
    expect(without).not_to_contain_text(left_out)
    _leave_out(noted, without)
    expect(without).to_contain_text(left_out)

    noted.ask(AKIN.format("big"))
    expect(noted.turn(2)).to_contain_text(TOLD)
    noted.press(without, "Don’t use for questions like this")
    expect(without).to_contain_text("isn’t used for questions like this.")
    noted.ask(AKIN.format("small"))
    expect(noted.why(noted.turn(3))).to_contain_text("isn’t used for questions like this.")
    noted.press(noted.turn(3), "Resume")
    expect(noted.turn(3).get_by_role("button", name="Resume")).to_have_count(0)

    noted.ask(AKIN.format("brave"))
    _leave_out(noted, noted.turn(4))
    noted.press(noted.turn(4), "Pause")
    expect(noted.turn(4)).to_contain_text("is paused.")
    _resumed_where_it_is_listed(noted)


def _leave_out(noted: NotedPage, turn: Locator) -> None:
    noted.press(noted.why(turn), "Don’t use here")


def _resumed_where_it_is_listed(noted: NotedPage) -> None:
    noted.open_memory()
    expect(noted.entries.first).to_contain_text("Paused: it isn’t used until you resume it.")
    noted.press(noted.entries.first, "Resume")
    noted.look_again_at_memory()
    expect(noted.entries.first).not_to_contain_text("Paused")
