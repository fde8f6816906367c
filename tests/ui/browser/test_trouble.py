"""What the page does when the model is slow, fails or is cut, and when the server is gone. Over HTTP."""

import re
import threading
from collections.abc import Callable
from contextlib import nullcontext
from queue import Queue

import pytest
from playwright.sync_api import Route, expect

from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange, Request
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage

pytestmark = pytest.mark.promise("answers-survive-reload", "limits-are-sentences")

GOOD = '<understanding>You want a synonym of "quick".</understanding>\n<answer>**fast**</answer>'
BEGUN = faults.stalls_after("<understanding>You want a synonym.</understanding>\n<answer>fas")
OUTLINE = 4  # pixels around what has the focus
LOST = "Can’t reach the server. Your text is kept"
_ANSWERED = re.compile(r"/page/conversation/(ask|clarify)$")


@pytest.fixture
def noted(remote_url: str, open_page: OpenPage) -> NotedPage:
    return open_page(remote_url)


def test_message_is_refused_sent_once_and_tried_again(chat_server: ChatServer, noted: NotedPage) -> None:
    send = noted.page.get_by_role("button", name="Send")
    for text in ("", " \n "):
        noted.message.fill(text)
        expect(send).to_be_disabled()
    _refuse_texts(noted)
    told = threading.Event()
    chat_server.replies(
        faults.stream_until(told, "<understanding>You want a synonym.</understanding>\n<answer>", "fast</answer>")
    )
    noted.message.fill("What is akin to quick?")
    expect(send).to_be_enabled()
    box = send.bounding_box()
    assert box
    noted.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(noted.turns.nth(0).locator(".understood")).to_have_text("You want a synonym.")
    expect(noted.page.get_by_role("button", name="Stop")).to_be_enabled()
    told.set()
    expect(noted.turn(0).locator(".answer")).to_have_text("fast")
    expect(noted.message).to_have_value("")
    expect(send).to_be_disabled()
    noted.narrow()
    chat_server.replies(faults.refused_key, "<understanding>You want a synonym.</understanding>\n<answer>fas", GOOD)
    noted.ask("What is akin to calm?")
    failed = noted.turn(1)
    expect(failed.locator(".notice")).to_contain_text("key")
    noted.press(failed, "Try again")
    cut = noted.turn(1)
    expect(cut).to_contain_text("may be cut off")
    expect(cut.get_by_role("button", name="Right")).to_be_hidden()
    noted.press(cut, "Try again")
    expect(noted.turn(1).locator(".answer")).to_have_text("fast")
    expect(noted.turns).to_have_count(2)
    expect(noted.turns.first.locator(".question")).to_be_in_viewport()  # scrolled only as far as needed
    # What was typed is there again before the server answers.
    noted.message.fill("half a question")
    noted.page.route("**/page/conversation/open", lambda _: None)
    noted.reload()
    expect(noted.message).to_have_value("half a question")


def _refuse_texts(noted: NotedPage) -> None:
    """Send what is too long or says nothing, which stays in the field."""
    for text, sentence in (
        ("a" * 100_000, "This is 100,000 characters long. Shorten it to 8,000."),
        ("\u200b\u202e", "Write something first."),
    ):
        noted.message.fill(text)
        noted.press(noted.page, "Send")
        said = noted.page.get_by_role("alert").filter(has_text=sentence)
        expect(said).to_be_visible()
        expect(noted.message).to_have_value(text)
        notice, field = said.bounding_box(), noted.message.bounding_box()
        assert notice
        assert field
        assert field["y"] - notice["y"] - notice["height"] > OUTLINE
    expect(noted.turns).to_have_count(0)


@on_phone
def test_answer_is_stopped_early_and_late(chat_server: ChatServer, noted: NotedPage) -> None:
    asked: Queue[Request] = Queue()

    def silent(exchange: Exchange) -> None:
        asked.put(exchange.request)
        exchange.stall()

    chat_server.replies(silent, BEGUN, GOOD)
    _stop_on_the_way(noted, lambda: noted.ask("What is akin to quick?"))
    expect(noted.message).to_have_value("What is akin to quick?")
    expect(noted.turns).to_have_count(0)
    expect(noted.page.get_by_role("alert")).to_have_text("Stopped. Nothing was saved.")
    expect(noted.page.locator(".announcer")).to_be_empty()
    assert chat_server.requests == []

    noted.message.press("Enter")
    expect(noted.turns.nth(0)).to_contain_text("The model is reading the question…")
    request = asked.get(timeout=PATIENCE_MS / 1000)
    noted.press(noted.page, "Stop")
    expect(noted.turn(0)).to_contain_text("Stopped.")
    assert request.disconnected.wait(PATIENCE_MS / 1000), (request.question, len(chat_server.requests))

    noted.press(noted.turn(0), "Try again")
    expect(noted.turns.nth(0).locator(".understood")).to_have_text("You want a synonym.")
    noted.ask("another question")
    expect(noted.page.get_by_text("Will be sent after this answer: another question")).to_be_visible()
    expect(noted.message).to_have_value("")
    noted.press(noted.page, "Stop")
    turn = noted.turn(0)
    expect(turn).to_contain_text("Stopped.")
    expect(noted.page.get_by_role("button", name="Send")).to_be_visible()
    expect(noted.message).to_have_value("another question")

    noted.press(turn, "Continue")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    expect(noted.message).to_have_value("another question")
    noted.message.fill("")
    _stop_on_the_way(noted, lambda: noted.correct(noted.turn(0), "an opposite"))
    expect(noted.meant).to_have_value("an opposite")
    expect(noted.turns).to_have_count(1)


def _stop_on_the_way(noted: NotedPage, act: Callable[[], None]) -> None:
    """Stop what `act` asks before the server hears of it."""
    held: list[Route] = []
    noted.page.route(_ANSWERED, lambda route: held.extend([route]), times=1)
    with noted.page.expect_request(_ANSWERED):
        act()
    with noted.page.expect_response("**/page/conversation/stop"):
        noted.press(noted.page, "Stop")
    held.pop().continue_()


def test_lost_server_gives_the_text_back(chat_server: ChatServer, noted: NotedPage) -> None:
    chat_server.replies(GOOD, BEGUN, GOOD)
    noted.ask("What is akin to quick?")
    first = noted.turn(0)
    noted.press(first, "Not what I meant?")
    noted.page.keyboard.type("a synonym")
    noted.ask("What is akin to calm?")
    expect(noted.turns.nth(1).locator(".understood")).to_have_text("You want a synonym.")
    noted.go_offline()
    ended = noted.turn(1)
    expect(ended).to_contain_text(LOST)
    expect(ended.get_by_role("button", name="Try again")).to_be_visible()
    noted.meant.press("Enter")
    expect(first.get_by_role("alert")).to_contain_text(LOST)
    expect(noted.meant).to_have_value("a synonym")
    _say_what_cannot_be_loaded(noted)
    noted.narrow()
    note = noted.page.locator(".composer-note")
    noted.begin_another()
    expect(note).to_contain_text(LOST)
    noted.ask("What is akin to brave?")
    expect(note).to_contain_text(LOST)
    expect(noted.message).to_have_value("What is akin to brave?")

    noted.go_online()
    noted.reload()
    expect(noted.message).to_have_value("What is akin to brave?")
    expect(noted.meant).to_have_value("a synonym")
    noted.press(first, "Save and answer again")
    expect(first.locator(".answer strong")).to_have_text("fast")
    expect(noted.message).to_have_value("What is akin to brave?")


def _say_what_cannot_be_loaded(noted: NotedPage) -> None:
    """Open a tab and a dialog that were never open before."""
    noted.page.route("**/static/**", lambda route: route.abort())  # the browser may have cached them
    noted.open_memory()
    expect(noted.page.locator("#memory-pane").get_by_text(LOST)).to_have_count(1)
    noted.page.locator(".head-chip").click()
    expect(noted.page.get_by_role("dialog")).to_contain_text(noted.words["lost"])
    noted.page.keyboard.press("Escape")
    expect(noted.page.locator(".head-chip")).to_be_focused()
    noted.page.unroute_all()
    noted.open_tab(noted.words["tab_chat"])


def test_new_conversation_lets_the_old_one_go_on(chat_server: ChatServer, noted: NotedPage) -> None:
    told = threading.Event()
    slow = faults.stream_until(told, "<understanding>You want a synonym.</understanding>\n<answer>fas", "ter</answer>")
    chat_server.replies(slow, GOOD, GOOD)
    noted.ask("What is akin to quick?")
    expect(noted.turns.nth(0).locator(".answer")).to_have_text("fas")
    expect(noted.page).to_have_url(re.compile(r"[?&]c="))
    expect(noted.page.locator(".talk")).to_have_count(1)
    expect(noted.page.locator(".announcer")).not_to_be_empty()
    noted.begin_anew()
    expect(noted.page.locator(".announcer")).to_be_empty()
    expect(noted.message).to_be_focused()
    noted.ask("What is akin to calm?")
    expect(noted.turn(0).locator(".answer")).to_have_text("fast")
    noted.page.go_back()
    expect(noted.turns.nth(0).locator(".answer")).to_have_text("fas")
    expect(noted.page.get_by_role("button", name="Stop")).to_be_visible()
    told.set()
    expect(noted.turn(0).locator(".answer")).to_have_text("faster")
    noted.page.go_forward()
    expect(noted.turn(0)).to_contain_text("calm")

    held: list[Route] = []
    is_slow = True
    noted.page.route("**/page/**", lambda route: held.append(route) if is_slow else route.continue_())
    with noted.page.expect_request("**/page/**"):
        noted.begin_another()
    noted.narrow()
    noted.ask("What is akin to brave?")
    expect(noted.turns).to_have_count(1)
    expect(noted.turns).to_contain_text("calm")
    is_slow = False
    for route in held:
        route.continue_()
    expect(noted.turn(0)).to_contain_text("brave")
    expect(noted.turns).to_have_count(1)
    expect(noted.message).to_have_value("")


def test_messages_wait_for_the_cards(chat_server: ChatServer, noted: NotedPage) -> None:
    """Send two messages on a new page while the script of the cards has not come."""
    held: list[Route] = []
    noted.page.route("**/cards.js", lambda route: held.extend([route]))
    noted.open()
    chat_server.replies(GOOD, GOOD)
    for text in ("the first question", "the second question"):
        with noted.page.expect_request("**/cards.js") if not held else nullcontext():
            noted.ask(text)
    expect(noted.page.locator(".waiting-message")).to_contain_text("the second question")
    expect(noted.message).to_have_value("")
    held.pop().continue_()
    for number, text in enumerate(("the first question", "the second question")):
        expect(noted.turn(number).locator(".question")).to_have_text(text)
        expect(noted.turn(number).locator(".answer strong")).to_have_text("fast")
    expect(noted.turns).to_have_count(2)


@on_phone
def test_answer_goes_on_after_reload_and_in_another_tab(chat_server: ChatServer, noted: NotedPage) -> None:
    told = threading.Event()
    slow = faults.stream_until(told, "<understanding>You want a synonym.</understanding>\n<answer>fas", "ter</answer>")
    chat_server.replies(slow, BEGUN, GOOD, GOOD)
    noted.ask("What is akin to quick?")
    expect(noted.turns.nth(0).locator(".answer")).to_have_text("fas")
    noted.reload()
    expect(noted.turns.nth(0).locator(".answer")).to_have_text("fas")
    expect(noted.page.get_by_role("button", name="Stop")).to_be_visible()
    other = noted.another_tab()
    expect(other.turns.nth(0).locator(".answer")).to_have_text("fas")
    expect(other.turns.nth(0)).to_have_attribute("aria-busy", "true")
    told.set()
    expect(noted.turn(0).locator(".answer")).to_have_text("faster")
    expect(other.turn(0).locator(".answer")).to_have_text("faster")
    expect(noted.message).to_have_value("")

    noted.ask("What is akin to calm?")
    expect(noted.turns.nth(1).locator(".answer")).to_have_text("fas")
    noted.reload()
    noted.press(noted.page, "Stop")
    assert chat_server.requests[1].disconnected.wait(PATIENCE_MS / 1000)
    expect(noted.turn(1)).to_contain_text("Stopped.")
    noted.reload()
    expect(noted.turn(1).locator(".answer")).to_have_text("fas")
    noted.press(noted.turn(1), "Continue")
    expect(noted.turn(1).locator(".answer strong")).to_have_text("fast")
    expect(noted.turns).to_have_count(2)
    expect(other.turn(1).locator(".answer strong")).to_have_text("fast")
    other.ask("What is akin to big?")
    expect(noted.turn(2).locator(".answer strong")).to_have_text("fast")
    expect(noted.turns).to_have_count(3)
