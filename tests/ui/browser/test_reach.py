"""For which questions a correction counts, and what is left out, paused and resumed, in a browser."""

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.support.memory.keys import wait_until
from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage
from ui.server.status import EXAMPLES

pytestmark = pytest.mark.promise("one-question-only", "left-out-once", "paused-is-not-used")

AKIN = "What is akin to {}?"


TOLD = "Used what you told me"


@each_window()
def test_reach_is_changed_in_card_and_memory(noted: NotedPage) -> None:
    card = noted.put_right("What does light mean?", "the opposite of it")
    noted.expect_reach(card, "reach_question")
    noted.ask("What does gratitude mean?")
    expect(noted.turn(1)).not_to_contain_text(TOLD)

    noted.choose_reach(card, "reach_way")
    noted.begin_anew()
    noted.ask("What does gratitude mean?")
    expect(noted.turn(0)).to_contain_text(TOLD)
    expect(noted.why(noted.turn(0)).locator(".entry")).to_contain_text("about “What does light mean?”")

    noted.open_memory()
    noted.unfold(noted.entries.first)
    field = noted.entries.first.get_by_role("combobox")
    expect(field).to_have_value("way")
    field.select_option("question")
    expect(noted.entries.first).to_contain_text("only this question")
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport(ratio=1)
    noted.open_tab(noted.words["tab_chat"])
    noted.begin_anew()
    noted.ask("What does honesty mean?")
    expect(noted.turn(0)).not_to_contain_text(TOLD)
    assert noted.fits()


def test_message_waits_for_the_reach(noted: NotedPage) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        if _is_reach(route):
            held.append(route)
        else:
            route.continue_()

    card = noted.put_right("What does light mean?", "the opposite of it")
    noted.page.route("**/page/**", hold)
    card.locator(".segments label").filter(has_text="questions like it").click()
    noted.ask("What does gratitude mean?")
    expect(noted.page.locator(".waiting-message")).to_contain_text("What does gratitude mean?")
    expect(noted.turns).to_have_count(1)
    wait_until(lambda: bool(noted.page.evaluate("true") and held), PATIENCE_MS / 1000)
    held[0].continue_()
    expect(noted.turn(1)).to_contain_text(TOLD)
    expect(noted.page.locator(".waiting-message")).to_have_count(0)


def test_lost_reach_holds_no_message(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, new=True)  # whoever is lent this window next would have its clock, too

    def lose(route: Route) -> None:
        if not _is_reach(route):
            route.continue_()

    card = noted.put_right("What does light mean?", "the opposite of it")
    noted.page.clock.install()
    noted.page.route("**/page/**", lose)
    card.locator(".segments label").filter(has_text="questions like it").click()
    noted.ask("What does gratitude mean?")
    expect(noted.page.locator(".waiting-message")).to_contain_text("What does gratitude mean?")
    expect(noted.turns).to_have_count(1)
    noted.page.clock.fast_forward("00:10")
    expect(noted.turn(1)).not_to_contain_text(TOLD)
    expect(noted.page.locator(".waiting-message")).to_have_count(0)


@each_window()
def test_note_is_left_out_paused_and_resumed(noted: NotedPage) -> None:
    noted.put_right(AKIN.format("quick"), "a synonym")
    noted.ask(AKIN.format("tall"))
    without = noted.turn(1)
    _leave_out(noted, without)
    left_out = "not used here. For other questions it is used as before."
    expect(without).to_contain_text(left_out)
    noted.reach(without.get_by_role("button", name="Use it"))  # it was left out by mistake
    expect(without).to_contain_text(TOLD)
    expect(without).not_to_contain_text(left_out)
    _leave_out(noted, without)
    expect(without).to_contain_text(left_out)

    noted.ask(AKIN.format("big"))
    expect(noted.turn(2)).to_contain_text(TOLD)
    noted.press(without, "Not for questions like this")
    expect(without).to_contain_text("is not used for questions like this.")
    noted.ask(AKIN.format("small"))
    expect(noted.why(noted.turn(3))).to_contain_text("is not used for questions like this.")
    noted.press(noted.turn(3), "Resume")
    expect(noted.turn(3).get_by_role("button", name="Resume")).to_have_count(0)

    noted.ask(AKIN.format("brave"))
    _leave_out(noted, noted.turn(4))
    noted.press(noted.turn(4), "Not at all")
    expect(noted.turn(4)).to_contain_text("is paused.")
    _resumed_where_it_is_tried_and_listed(noted)


@each_window()
def test_focus_stays_in_the_card(noted: NotedPage) -> None:
    keyboard, announcer = noted.page.keyboard, noted.page.locator(".announcer")
    noted.reach(noted.page.get_by_role("button", name=EXAMPLES["small"]["en"][0]))
    light = noted.turn(0)
    is_touched = noted.page.evaluate("matchMedia('(hover: none)').matches")
    expect(light if is_touched else noted.message).to_be_focused()
    noted.message.fill(AKIN.format("quick"))
    noted.reach(noted.page.get_by_role("button", name="Send"))
    card = noted.turn(1)
    expect(card if is_touched else noted.message).to_be_focused()
    noted.correct(card, "a synonym")
    noted.turn(1).get_by_role("radio", name="questions like it").focus()
    keyboard.press("ArrowLeft")
    noted.expect_reach(card, "reach_question")
    expect(noted.turn(1).get_by_role("radio", name="only this question")).to_be_focused()
    keyboard.press("ArrowRight")
    noted.expect_reach(card, "reach_way")

    noted.ask(AKIN.format("quick"))
    without = noted.turn(2)
    noted.reach(without.get_by_role("button", name="Why this answer"), "Shift+Tab")
    noted.reach(without.get_by_role("button", name="Don't use here"))
    expect(without).to_contain_text("not used here.")
    expect(without.get_by_role("button", name="Not what I meant?")).to_be_focused()
    noted.reach(without.get_by_role("button", name="Not for questions like this"))
    resume = without.get_by_role("button", name="Resume")
    expect(resume).to_be_focused()
    expect(announcer).to_contain_text("is not used for questions like this.")
    keyboard.press("Enter")
    expect(resume).to_have_count(0)
    expect(without.locator(":focus").or_(noted.page.locator("article:focus"))).to_be_visible()


@each_window("desk")
def test_other_meaning_is_replaced_or_kept(noted: NotedPage) -> None:
    noted.put_right("What does doubt mean?", "a question for the teacher")
    noted.begin_anew()
    noted.put_right("What does doubt mean?", "suspicion of my husband")
    line = noted.turns.nth(0).get_by_text("You also said:")
    expect(line).to_contain_text("a question for the teacher")
    noted.press(noted.turns.nth(0), "Replace it")
    expect(noted.turns.nth(0).get_by_role("button", name="Keep both")).to_be_focused()
    noted.open_memory()
    expect(noted.entries).to_have_count(1)
    noted.open_tab(noted.words["tab_chat"])
    noted.press(noted.turns.nth(0), "Keep both")
    expect(noted.turns.nth(0).get_by_role("button", name="Replace it")).to_be_visible()
    noted.look_again_at_memory()
    expect(noted.entries).to_have_count(2)


def test_correction_that_changes_nothing_is_said(noted: NotedPage) -> None:
    card = noted.put_right("opposite of cold", "the opposite")
    expect(card.locator(".answer")).to_have_text("hot")
    expect(card.locator(".saved .noted")).to_have_text("Saved, but it didn't change the answer.")
    unknown = noted.put_right("write me a poem", "vroom vroom")
    expect(unknown.locator(".saved .noted")).to_have_text("Saved. The small model couldn't use it.")


def _is_reach(route: Route) -> bool:
    return route.request.url.endswith("/page/conversation/reach")


def _leave_out(noted: NotedPage, turn: Locator) -> None:
    noted.press(noted.why(turn), "Don't use here")


def _resumed_where_it_is_tried_and_listed(noted: NotedPage) -> None:
    page = noted.page
    noted.open_memory()
    expect(noted.entries.first).to_contain_text("Paused: it is not used until you resume it.")
    page.get_by_text("Test a question").click()
    page.get_by_role("textbox", name="Which memories would a question use?").fill(AKIN.format("happy"))
    page.keyboard.press("Enter")
    tried = page.locator(".trial-entry").first
    expect(tried).to_contain_text("you paused it")
    noted.press(tried, "Resume")
    expect(page.get_by_text("1 memory would be used.")).to_be_visible()
    noted.look_again_at_memory()
    expect(noted.entries.first).not_to_contain_text("Paused")
