"""One conversation in two tabs: what was said in the other since is no reason to show or to undo the wrong thing."""

import pytest
from playwright.sync_api import APIResponse, Locator, Request, Route, expect

from tests.support.memory.keys import wait_until
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage

QUESTION = "gimme a keeper of cold"


@pytest.fixture
def other(noted: NotedPage) -> NotedPage:
    """The second tab, in which the question of the first was put right."""
    noted.ask(QUESTION)
    noted.turn(0)
    other = noted.another_tab()
    other.correct(other.turn(0), "a synonym")
    expect(other.turn(0).locator(".answer")).to_have_text("cool")
    return other


def test_last_correction_stays(noted: NotedPage, other: NotedPage) -> None:
    noted.correct(noted.turn(0), "the opposite")
    card = noted.turn(0)
    expect(card.locator(".answer")).to_have_text("hot")
    noted.open_memory()
    noted.unfold(noted.entries.first)
    noted.entries.first.get_by_role("combobox").select_option("question")
    noted.open_tab(noted.words["tab_chat"])
    expect(_reach(card)).to_have_value("question")  # the conversation was read anew
    expect(card.locator(".answer")).to_have_text("hot")
    expect(card.locator(".understood")).to_contain_text("opposite")
    expect(other.turns).to_have_count(1)


def test_stale_conversation_is_not_shown(noted: NotedPage) -> None:
    reach = _reach(noted.put_right(QUESTION, "a synonym"))
    noted.reload()
    expect(reach).to_have_value("way")
    release = noted.hold(_reads)
    with noted.page.expect_request(_reads):
        _read_anew(noted)
    reach.select_option("this chat")
    expect(reach).to_have_value("conversation")
    with noted.page.expect_response(lambda response: _reads(response.request)):
        with noted.page.expect_request(_reads):
            release()
        expect(reach).to_have_value("conversation")
    expect(reach).to_have_value("conversation")

    noted.page.unroute_all()
    held: list[Route] = []
    read: list[tuple[Route, APIResponse]] = []
    noted.page.route("**/page/**", lambda route: _hold(route, held, read))
    with noted.page.expect_request("**/page/conversation/reach"):
        reach.select_option("only this question")
    _read_anew(noted)
    wait_until(lambda: bool(noted.page.evaluate("true") and held and read), PATIENCE_MS / 1000)
    with noted.page.expect_response("**/page/**"):
        held[0].continue_()
    expect(reach).to_have_value("question")
    with noted.page.expect_request(_reads):  # anew
        read[0][0].fulfill(response=read[0][1])
    expect(reach).to_have_value("question")


def _hold(route: Route, held: list[Route], read: list[tuple[Route, APIResponse]]) -> None:
    """Hold what is done, and the answer to what is read first."""
    if _reads(route.request) and not read:
        read.append((route, route.fetch()))
    elif route.request.url.endswith("/page/conversation/reach"):
        held.append(route)
    else:
        route.continue_()


def test_undo_of_what_changed_since_shows_that(noted: NotedPage, other: NotedPage) -> None:
    # What this tab reads by itself meanwhile never comes, so that it is behind.
    other.page.route("**/page/**", lambda route: None if _reads(route.request) else route.continue_())
    noted.correct(noted.turn(0), "the opposite")
    expect(noted.turn(0).locator(".answer")).to_have_text("hot")
    noted.correct(noted.turn(0), "a rhyme")
    expect(noted.turn(0).locator(".understood")).to_contain_text("rhyme")
    newest = noted.turn(0).locator(".understood").inner_text()

    card, said = other.turn(0), other.page.get_by_text("You have said it otherwise since")
    other.press(card, "Undo")
    expect(said).to_be_visible()
    expect(card.locator(".understood")).to_have_text(newest)
    other.press(card, "Undo")
    expect(card.locator(".answer")).to_have_text("hot")
    expect(said).to_be_hidden()

    noted.reload()
    noted.press(noted.turn(0), "Undo")
    expect(noted.turn(0).locator(".answer")).to_have_text("cool")
    noted.press(noted.turn(0), "Undo")
    expect(noted.turn(0).get_by_role("button", name="Undo")).to_have_count(0)
    other.press(card, "Undo")
    expect(card.locator(".understood")).to_have_text("I can't answer this one.")
    expect(card.get_by_role("button", name="Undo")).to_have_count(0)


def test_turns_of_two_tabs_stand_in_order(noted: NotedPage) -> None:
    asked = [f"What is akin to {word}?" for word in ("quick", "big", "brave")]
    for page, place in ((noted, 0), (noted.another_tab(), 1), (noted, 2)):
        page.ask(asked[place])
        expect(page.turns.last.locator(".question")).to_have_text(asked[place])
        page.turn(page.turns.count() - 1)
    last = noted.turns.filter(has_text=asked[2])
    last.focus()
    _read_anew(noted)
    expect(noted.turns.locator(".question")).to_have_text(asked)
    expect(last).to_be_focused()


def _read_anew(noted: NotedPage) -> None:
    noted.page.evaluate("window.dispatchEvent(new CustomEvent('noted:memory'))")


def _reach(card: Locator) -> Locator:
    return card.get_by_role("combobox", name="It counts for:")


def _reads(request: Request) -> bool:
    """Whether the page asks how the conversation stands."""
    return request.url.endswith("/page/conversation/refresh")
