"""What the page does when the model is slow, fails or is cut, and when the server is gone. Over HTTP."""

import re
import threading
from collections.abc import Callable
from queue import Queue

import pytest
from playwright.sync_api import Route, expect

from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange, Request
from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage

pytestmark = pytest.mark.promise("answers-survive-reload", "limits-are-sentences")

GOOD = '<understanding>You want a synonym of "quick".</understanding>\n<answer>**fast**</answer>'
BEGUN = faults.stalls_after("<understanding>You want a synonym.</understanding>\n<answer>fas")
OUTLINE = 4  # pixels around what has the focus
LOST = "The server could not be reached. Your text is kept"
# Gradio's stream says at its end that it is closed; a browser with much to do reads that some time later.
READS_THE_END_LATE = """
const open = window.fetch;
window.fetch = async (...asked) => {
  const response = await open(...asked);
  if (!response.url.includes("queue/data")) return response;
  const late = new TransformStream({
    async transform(chunk, controller) {
      if (new TextDecoder().decode(chunk).includes("close_stream")) await new Promise((go) => setTimeout(go, 1000));
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(late), { headers: response.headers });
};
"""
_ANSWERED = re.compile(r"/page/conversation/(ask|clarify)$")


@pytest.fixture
def noted(remote_url: str, open_page: OpenPage) -> NotedPage:
    return open_page(remote_url)


@each_window("desk")
def test_send_needs_text_and_survives_double_click(chat_server: ChatServer, noted: NotedPage) -> None:
    send = noted.page.get_by_role("button", name="Send")
    for text in ("", " \n "):
        noted.message.fill(text)
        expect(send).to_be_disabled()
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


@each_window()
def test_stopped_answer_is_tried_again(chat_server: ChatServer, noted: NotedPage) -> None:
    asked: Queue[Request] = Queue()

    def silent(exchange: Exchange) -> None:
        asked.put(exchange.request)
        exchange.stall()

    chat_server.replies(silent, BEGUN, GOOD)
    noted.ask("What is akin to quick?")
    expect(noted.turns.nth(0)).to_contain_text("The model is reading the question…")
    request = asked.get(timeout=PATIENCE_MS / 1000)
    noted.press(noted.page, "Stop")
    expect(noted.turn(0)).to_contain_text("Stopped.")
    assert request.disconnected.wait(PATIENCE_MS / 1000), (request.question, len(chat_server.requests))

    noted.press(noted.turn(0), "Try again")
    expect(noted.turns.nth(0).locator(".understood")).to_have_text("You want a synonym.")
    noted.ask("another question")
    expect(noted.page.get_by_text("Waits until the answer is there: another question")).to_be_visible()
    expect(noted.message).to_have_value("")
    noted.press(noted.page, "Stop")
    turn = noted.turn(0)
    expect(turn).to_contain_text("Stopped.")
    expect(noted.page.get_by_role("button", name="Send")).to_be_visible()
    expect(noted.message).to_have_value("another question")

    noted.press(turn, "Go on")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    expect(noted.message).to_have_value("another question")


def test_early_stop_gives_the_text_back(chat_server: ChatServer, noted: NotedPage) -> None:
    held: list[Route] = []

    def stopped_on_the_way(act: Callable[[], None]) -> None:
        """Send Stop before the server gets the request that it stops."""
        noted.page.route(_ANSWERED, lambda route: held.extend([route]), times=1)
        with noted.page.expect_request(_ANSWERED):
            act()
        with noted.page.expect_response("**/page/conversation/stop"):
            noted.press(noted.page, "Stop")
        held.pop().continue_()

    stopped_on_the_way(lambda: noted.ask("What is akin to quick?"))
    expect(noted.message).to_have_value("What is akin to quick?")
    expect(noted.turns).to_have_count(0)
    expect(noted.page.get_by_role("alert")).to_have_text("Stopped. Nothing of this is remembered.")
    expect(noted.page.locator(".announcer")).to_be_empty()
    assert chat_server.requests == []

    chat_server.replies(GOOD)
    noted.message.press("Enter")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    stopped_on_the_way(lambda: noted.correct(noted.turn(0), "an opposite"))
    expect(noted.meant).to_have_value("an opposite")
    expect(noted.turns).to_have_count(1)


def test_refused_failed_and_cut_are_tried_again(chat_server: ChatServer, noted: NotedPage) -> None:
    for text, sentence in (
        ("a" * 100_000, "This is 100,000 characters long. Please shorten it to 8,000."),
        ("a" * 9_000, "This is 9,000 characters long. Please shorten it to 8,000."),
        ("\u200b\u202e", "Please write something first."),
    ):
        noted.message.fill(text)
        noted.page.get_by_role("button", name="Send").click()
        said = noted.page.get_by_role("alert").filter(has_text=sentence)
        expect(said).to_be_visible()
        expect(noted.message).to_have_value(text)
        notice, field = said.bounding_box(), noted.message.bounding_box()
        assert notice
        assert field
        assert field["y"] - notice["y"] - notice["height"] > OUTLINE
    noted.narrow()
    expect(noted.turns).to_have_count(0)

    chat_server.replies(faults.refused_key, "<understanding>You want a synonym.</understanding>\n<answer>fas", GOOD)
    noted.ask("What is akin to quick?")
    failed = noted.turn(0)
    expect(failed.locator(".notice")).to_contain_text("key")
    noted.press(failed, "Try again")
    cut = noted.turn(0)
    expect(cut).to_contain_text("possibly cut")
    expect(cut.get_by_role("button", name="Right")).to_be_hidden()
    noted.press(cut, "Try again")
    expect(noted.turn(0).locator(".answer")).to_have_text("fast")
    expect(noted.turns).to_have_count(1)


@pytest.mark.promise("correction-never-worse")
def test_answer_stays_where_answering_again_fails(chat_server: ChatServer, noted: NotedPage) -> None:
    asked: Queue[Request] = Queue()

    def silent(exchange: Exchange) -> None:
        asked.put(exchange.request)
        exchange.stall()

    chat_server.replies(GOOD, faults.refused_key, silent)
    noted.ask("What is akin to quick?")
    noted.correct(noted.turn(0), "an opposite")
    expect(noted.turn(0).locator(".notice")).to_contain_text("key")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    noted.press(noted.turn(0), "Try again")
    asked.get(timeout=PATIENCE_MS / 1000)
    noted.press(noted.page, "Stop")
    expect(noted.turn(0)).to_contain_text("Stopped.")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")


@pytest.mark.promise("queued-questions-are-answered")
def test_question_after_a_late_end_is_answered(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    chat_server.replies(GOOD, GOOD)
    noted = open_page(remote_url, sign_in=lambda page: page.add_init_script(READS_THE_END_LATE))
    noted.reload()
    noted.ask("What is akin to quick?")
    noted.turn(0)
    noted.ask("What is akin to calm?")
    expect(noted.turn(1).locator(".answer strong")).to_have_text("fast")


def test_tab_that_cannot_be_loaded_says_so(noted: NotedPage) -> None:
    noted.go_offline()
    noted.open_memory()
    expect(noted.page.locator("#memory-pane").get_by_text(LOST)).to_have_count(1)
    noted.go_online()
    noted.reload()
    expect(noted.page.get_by_role("heading", name=noted.words["memory_title"])).to_be_visible()


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


@each_window()
def test_reload_goes_on_with_the_answer(chat_server: ChatServer, noted: NotedPage) -> None:
    told = threading.Event()
    slow = faults.stream_until(told, "<understanding>You want a synonym.</understanding>\n<answer>fas", "ter</answer>")
    chat_server.replies(slow, BEGUN, GOOD)
    noted.ask("What is akin to quick?")
    expect(noted.turns.nth(0).locator(".answer")).to_have_text("fas")
    noted.reload()
    expect(noted.turns.nth(0).locator(".answer")).to_have_text("fas")
    expect(noted.page.get_by_role("button", name="Stop")).to_be_visible()
    told.set()
    expect(noted.turn(0).locator(".answer")).to_have_text("faster")
    expect(noted.message).to_have_value("")

    noted.ask("What is akin to calm?")
    expect(noted.turns.nth(1).locator(".answer")).to_have_text("fas")
    noted.reload()
    noted.press(noted.page, "Stop")
    assert chat_server.requests[1].disconnected.wait(PATIENCE_MS / 1000)
    expect(noted.turn(1)).to_contain_text("Stopped.")
    noted.reload()
    expect(noted.turn(1).locator(".answer")).to_have_text("fas")
    noted.press(noted.turn(1), "Go on")
    expect(noted.turn(1).locator(".answer strong")).to_have_text("fast")
    expect(noted.turns).to_have_count(2)
