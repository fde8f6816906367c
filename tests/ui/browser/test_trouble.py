"""What the page does when the model is slow, fails or is cut, and when the server is gone. Over HTTP."""

from __future__ import annotations

import threading
from pathlib import Path

from playwright.sync_api import Route, expect

from tests.support import faults
from tests.support.chat_server import ChatServer, Exchange
from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.conftest import served_here

GOOD = '<understanding>You want a synonym of "quick".</understanding>\n<answer>**fast**</answer>'
BEGUN = faults.stalls_after("<understanding>You want a synonym.</understanding>\n<answer>fas")
LOST = "The server could not be reached. Your text is kept"


@each_window()
def test_stop_ends_the_answer_before_and_after_its_first_word_and_it_can_be_tried_again(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    asked = threading.Event()

    def silent(exchange: Exchange) -> None:
        asked.set()
        exchange.stall()

    chat_server.replies(silent, BEGUN, GOOD)
    noted = open_page(remote_url)
    noted.ask("What is akin to quick?")
    expect(noted.turns.nth(0)).to_contain_text("Thinking…")
    assert asked.wait(20)
    noted.press(noted.page, "Stop")
    expect(noted.turn(0)).to_contain_text("Stopped.")
    assert chat_server.requests[0].disconnected.wait(10)

    noted.press(noted.turn(0), "Try again")
    expect(noted.turns.nth(1).locator(".understood")).to_have_text("You want a synonym.")
    noted.ask("another question")
    expect(noted.page.get_by_text("Waits until the answer is there: another question")).to_be_visible()
    expect(noted.message).to_have_value("")
    noted.press(noted.page, "Stop")
    turn = noted.turn(1)
    expect(turn).to_contain_text("Stopped.")
    expect(noted.page.get_by_role("button", name="Send")).to_be_visible()
    expect(noted.message).to_have_value("another question")

    noted.press(turn, "Try again")
    expect(noted.turn(2).locator(".answer strong")).to_have_text("fast")
    expect(noted.message).to_have_value("another question")


def test_a_failure_and_a_cut_are_said_in_a_sentence_and_can_be_tried_again(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    cut = "<understanding>You want a synonym.</understanding>\n<answer>fas"
    chat_server.replies(faults.refused_key, cut, GOOD)
    noted = open_page(remote_url)
    noted.ask("What is akin to quick?")
    failed = noted.turn(0)
    expect(failed.locator(".notice")).to_contain_text("key")
    noted.narrow()
    noted.press(failed, "Try again")
    turn = noted.turn(1)
    expect(turn).to_contain_text("possibly cut")
    expect(turn.get_by_role("button", name="Yes, that’s it")).to_be_hidden()
    noted.press(turn, "Try again")
    expect(noted.turn(2).locator(".answer")).to_have_text("fast")


def test_what_cannot_be_sent_stays_in_the_field(remote_url: str, open_page: OpenPage) -> None:
    noted = open_page(remote_url)
    for text, sentence in (
        ("a" * 100_000, "This is 100,000 characters long. Please shorten it to 8,000."),
        ("a" * 9_000, "This is 9,000 characters long. Please shorten it to 8,000."),
        ("\u200b\u202e", "Please write something first."),
    ):
        noted.message.fill(text)
        noted.page.get_by_role("button", name="Send").click()
        expect(noted.page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
        expect(noted.message).to_have_value(text)
        noted.narrow()
    expect(noted.turns).to_have_count(0)


def test_a_lost_server_ends_the_answer_that_was_being_written(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    chat_server.replies(BEGUN)
    noted = open_page(remote_url)
    noted.ask("What is akin to quick?")
    expect(noted.turns.nth(0).locator(".understood")).to_have_text("You want a synonym.")
    noted.go_offline()
    turn = noted.turn(0)
    expect(turn).to_contain_text(LOST)
    noted.narrow()
    expect(turn.get_by_role("button", name="Try again")).to_be_visible()
    expect(noted.page.get_by_role("button", name="Send")).to_be_visible()


def test_without_a_server_what_was_sent_comes_back_and_can_be_sent_later(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    chat_server.replies(GOOD, GOOD)
    noted = open_page(remote_url)
    noted.ask("What is akin to quick?")
    noted.press(noted.turn(0), "No, I meant …")
    noted.page.keyboard.type("a synonym")
    noted.go_offline()
    noted.page.keyboard.press("Control+Enter")
    expect(noted.turn(0).get_by_role("alert")).to_contain_text(LOST)
    expect(noted.page.get_by_role("textbox", name="What did you mean?")).to_have_value("I meant a synonym")
    expect(noted.page.get_by_role("button", name="Save and answer again")).to_be_enabled()
    noted.narrow()
    noted.press(noted.page, "New conversation")
    expect(noted.page.get_by_role("alert").filter(has_text=LOST)).to_have_count(2)
    noted.ask("What is akin to brave?")
    expect(noted.page.get_by_role("alert").filter(has_text=LOST)).to_have_count(2)
    expect(noted.message).to_have_value("What is akin to brave?")

    noted.go_online()
    noted.reload()
    expect(noted.message).to_have_value("What is akin to brave?")
    expect(noted.page.get_by_role("textbox", name="What did you mean?")).to_have_value("I meant a synonym")
    noted.press(noted.turn(0), "Save and answer again")
    expect(noted.turn(1).locator(".answer")).to_have_text("fast")
    expect(noted.message).to_have_value("What is akin to brave?")


def test_a_new_conversation_stops_the_answer_of_the_old_one(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    chat_server.replies(BEGUN, GOOD)
    noted = open_page(remote_url)
    noted.ask("What is akin to quick?")
    expect(noted.turns.nth(0).locator(".understood")).to_have_text("You want a synonym.")
    noted.press(noted.page, "New conversation")
    expect(noted.turns).to_have_count(0)
    expect(noted.message).to_be_focused()
    assert chat_server.requests[0].disconnected.wait(10)
    noted.ask("What is akin to brave?")
    expect(noted.turn(0).locator(".answer")).to_have_text("fast")
    expect(noted.turns).to_have_count(1)


def test_what_is_sent_on_the_way_to_another_conversation_belongs_to_that_one(
    embedded_url: str, open_page: OpenPage
) -> None:
    noted = open_page(embedded_url)
    noted.ask("What is akin to quick?")
    noted.turn(0)
    held: list[Route] = []
    is_slow = True
    noted.page.route("**/run/predict", lambda route: held.append(route) if is_slow else route.continue_())
    with noted.page.expect_request("**/run/predict"):
        noted.press(noted.page, "New conversation")
    noted.narrow()
    noted.ask("What is akin to brave?")
    expect(noted.turns).to_have_count(1)
    is_slow = False
    for route in held:
        route.continue_()
    expect(noted.turn(0)).to_contain_text("brave")
    expect(noted.turns).to_have_count(1)
    expect(noted.message).to_have_value("")


def test_who_asks_too_often_is_told_and_the_text_is_kept(tmp_path: Path, open_page: OpenPage) -> None:
    for url in served_here(tmp_path, {"NOTED_TURNS_PER_MINUTE": "2"}):
        noted = open_page(url)
        for number, question in enumerate(("What is akin to quick?", "What is akin to brave?")):
            noted.ask(question)
            noted.turn(number)
        noted.narrow()
        noted.ask("What is akin to calm?")
        sentence = "This can be done 2 times a minute. Please wait a moment, then send it again."
        expect(noted.page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
        expect(noted.message).to_have_value("What is akin to calm?")
        expect(noted.turns).to_have_count(2)
        noted.leave()
