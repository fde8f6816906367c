"""One conversation in two tabs: what was said in the other since is no reason to show or to undo the wrong thing."""

import threading

import pytest
from playwright.sync_api import APIResponse, Request, Route, expect

from tests.support.memory.keys import wait_until
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage

QUESTION = "gimme a keeper of cold"


@pytest.fixture
def other(noted: NotedPage) -> NotedPage:
    """Open a second tab, and correct the question of the first there."""
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
    noted.expect_reach(card, "reach_question")  # the conversation was read anew
    expect(card.locator(".answer")).to_have_text("hot")
    expect(card.locator(".understood")).to_contain_text("opposite")
    expect(other.turns).to_have_count(1)


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
    expect(card.locator(".understood")).to_have_count(0)
    expect(card.get_by_role("button", name="Undo")).to_have_count(0)


def test_answer_is_followed_in_another_tab(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    told = threading.Event()
    slow = faults.stream_until(told, "<understanding>You want a word.</understanding>\n<answer>fas", "ter</answer>")
    chat_server.replies(slow, "<understanding>You want a word.</understanding>\n<answer>large</answer>")
    noted = open_page(remote_url)
    other = noted.another_tab()
    noted.ask("What is akin to quick?")
    followed = other.turns.nth(0)
    expect(followed.locator(".answer")).to_have_text("fas")
    expect(followed).to_have_attribute("aria-busy", "true")
    told.set()
    expect(other.turn(0).locator(".answer")).to_have_text("faster")

    other.ask("What is akin to big?")
    expect(noted.turn(1).locator(".answer")).to_have_text("large")
    expect(noted.turns).to_have_count(2)
    expect(noted.message).to_be_focused()


def _read_anew(noted: NotedPage) -> None:
    noted.page.evaluate("window.dispatchEvent(new CustomEvent('noted:memory'))")


def _reads(request: Request) -> bool:
    """Whether the page asks how the conversation stands."""
    return request.url.endswith("/page/conversation/refresh")
