"""One conversation in two tabs: neither shows or undoes the wrong turn after a change in the other."""

from playwright.sync_api import APIResponse, Request, Route, expect

from tests.support.memory.keys import wait_until
from tests.ui.browser.conftest import on_phone
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage

QUESTION = "gimme a keeper of cold"
_REFRESH = "**/page/conversation/refresh"


def test_stale_conversation_is_not_shown(noted: NotedPage) -> None:
    card = noted.put_right(QUESTION, "a synonym")
    noted.reload()
    noted.expect_reach(card, "reach_way")
    release = noted.hold(_reads)
    with noted.page.expect_request(_reads):
        _read_anew(noted)
    noted.choose_reach(card, "reach_conversation")
    with noted.page.expect_response(lambda response: _reads(response.request)):
        with noted.page.expect_request(_reads):
            release()
        noted.expect_reach(card, "reach_conversation")
    noted.expect_reach(card, "reach_conversation")

    noted.page.unroute_all()
    held: list[Route] = []
    read: list[tuple[Route, APIResponse]] = []
    noted.page.route("**/page/**", lambda route: _hold(route, held, read))
    with noted.page.expect_request("**/page/conversation/reach"):
        card.get_by_text("only this question").click()
    _read_anew(noted)
    wait_until(lambda: bool(noted.page.evaluate("true") and held and read), PATIENCE_MS / 1000)
    with noted.page.expect_response("**/page/**"):
        held[0].continue_()
    noted.expect_reach(card, "reach_question")
    with noted.page.expect_request(_reads):  # anew
        read[0][0].fulfill(response=read[0][1])
    noted.expect_reach(card, "reach_question")


def _hold(route: Route, held: list[Route], read: list[tuple[Route, APIResponse]]) -> None:
    """Hold the change of reach, and the answer to the first refresh."""
    if _reads(route.request) and not read:
        read.append((route, route.fetch()))
    elif route.request.url.endswith("/page/conversation/reach"):
        held.append(route)
    else:
        route.continue_()


def test_undo_of_what_changed_since_shows_that(noted: NotedPage) -> None:
    noted.ask(QUESTION)
    noted.turn(0)
    other = noted.another_tab()
    other.correct(other.turn(0), "a synonym")
    expect(noted.turn(0).locator(".answer")).to_have_text("cool")
    _fall_behind(other)
    noted.correct(noted.turn(0), "the opposite")
    expect(noted.turn(0).locator(".answer")).to_have_text("hot")
    noted.correct(noted.turn(0), "a rhyme")
    expect(noted.turn(0).locator(".understood")).to_contain_text("rhyme")
    newest = noted.turn(0).locator(".understood").inner_text()

    card, said = other.turn(0), other.page.get_by_text("You have said something else since")
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
    expect(card.locator(".understood")).to_have_count(0)
    expect(card.get_by_role("button", name="Undo")).to_have_count(0)


@on_phone
def test_message_corrects_its_own_tab(noted: NotedPage) -> None:
    noted.ask("What does light mean?")
    first = noted.turn(0)
    other = noted.another_tab()
    _fall_behind(noted)
    other.ask("talk about < harbor >")
    other.turn(1)
    noted.ask("no, I meant the opposite of it")
    message = noted.turns.nth(1)
    expect(message.locator(".question")).to_have_text("no, I meant the opposite of it")
    expect(message.locator(".answer")).to_have_text("heavy")
    expect(message).to_contain_text("Saved")
    expect(noted.turns).to_have_count(2)
    expect(first).to_contain_text("There’s a new answer below.")
    expect(message.locator(".old")).to_have_text(first.locator(".old").inner_text())
    expect(first.locator(".answer")).to_be_hidden()
    expect(first.get_by_role("button")).to_have_count(0)
    noted.page.unroute_all()
    noted.reload()
    expect(first).to_contain_text("There’s a new answer below.")
    message = noted.turn(2)  # behind what the other tab has asked
    noted.press(message, "Undo")
    expect(message).to_contain_text("Undone.")
    expect(first.get_by_role("button", name="Not what I meant?")).to_be_visible()


def _fall_behind(noted: NotedPage) -> None:
    """Never answer what the tab reads by itself."""
    noted.page.route(_REFRESH, lambda _route: None)


def _read_anew(noted: NotedPage) -> None:
    noted.page.evaluate("window.dispatchEvent(new CustomEvent('noted:memory'))")


def _reads(request: Request) -> bool:
    """Return True if the request refreshes the conversation."""
    return request.url.endswith("/page/conversation/refresh")
