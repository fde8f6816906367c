"""The centre of the product, in a browser: misunderstood, put right, remembered; and what is changed as it goes on."""

import re
import threading
from pathlib import Path
from queue import Queue

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange, Request
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage
from tests.ui.conftest import served_here
from ui.words.texts import EXAMPLES

QUESTION, LIGHT = "What is akin to quick?", "What does light mean?"
WORD = "<understanding>You want a word.</understanding>"
FASTER = f"{WORD}\n<answer>faster</answer>\n"
GOOD = '<understanding>You want a synonym of "quick".</understanding>\n<answer>**fast**</answer>'


def box_of(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box
    return box


def test_correction_counts_after_a_restart(tmp_path: Path, open_page: OpenPage) -> None:
    question, words, right = "quick jaisa koi shabd batao", "matlab nahi, ulta shabd chahiye", "ulta"
    for url in served_here(tmp_path, {}):
        noted = open_page(url)
        noted.ask(question)
        first = noted.turn(0)
        expect(first.locator(".understood")).not_to_contain_text(right)

        wrong = first.locator(".understood").inner_text()
        place = box_of(first)
        noted.correct(first, words)
        again = noted.turn(0)
        expect(again.locator(".understood")).to_contain_text(right)
        expect(again.locator(".old")).to_have_text(wrong)
        expect(again.get_by_text("Saved", exact=True)).to_be_in_viewport()
        assert box_of(again)["y"] == place["y"]
        noted.leave()
    for url in served_here(tmp_path, {}):
        noted.url = url
        expect(noted.open().turns).to_have_count(1)
        expect(again.locator(".old")).to_have_text(wrong)
        noted.begin_anew()
        noted.ask("brave jaisa koi shabd batao")
        other = noted.turn(0)
        expect(other.locator(".understood")).to_contain_text(right)
        expect(other.locator(".answer")).to_have_text("cowardly")
        expect(other.locator("mark")).to_have_text(["jaisa", "koi", "shabd", "batao"])
        entry = noted.why(other).locator(".entry")
        expect(entry).to_contain_text(words)
        expect(entry).to_contain_text(question)
        expect(entry.locator(".entry-why")).to_contain_text("about another word")

        noted.press(other, "Don’t use here")
        expect(noted.turn(0).locator(".understood")).not_to_contain_text(right)
        expect(other).not_to_contain_text("Used what you told me")
        expect(noted.turns).to_have_count(1)
        noted.press(other, "Before")
        expect(other.locator(".before .answer")).to_have_text("cowardly")
        noted.leave()


@on_phone
def test_embedded_model_says_what_it_can(noted: NotedPage) -> None:
    noted.message.fill("Hello, how are you?")
    noted.reach(noted.page.get_by_role("button", name="Send"))
    expect(noted.turn(0)).to_be_focused()  # a field with the focus would bring the keyboard of the phone
    expect(noted.turn(0).locator(".answer")).to_have_text(re.compile("^Hello!"))
    expect(noted.turn(0).locator(".card").get_by_role("button")).to_have_count(0)
    expect(noted.turn(0).locator(".understood")).to_have_count(0)
    noted.ask("मुझे एक लंबी कविता लिखकर दो। " * 30)
    hindi = noted.turn(1)
    expect(hindi.locator(".understood")).to_have_count(0)
    expect(hindi.get_by_role("group", name="For example").get_by_role("button").first).to_have_text(
        "ठंडा का मतलब क्या है?"
    )
    folded = box_of(hindi.locator(".question"))
    noted.press(hindi, "Show all")
    assert box_of(hindi.locator(".question"))["height"] > folded["height"]
    noted.ask("write me a poem")
    refused = noted.turn(2)
    expect(hindi.get_by_role("group", name="For example")).to_have_count(0)
    expect(refused.get_by_role("button", name="Why this answer")).to_have_count(0)
    expect(refused.get_by_role("button", name="Right")).to_have_count(0)
    noted.press(refused, EXAMPLES["small"]["en"][0])
    expect(noted.turn(3).locator(".answer")).not_to_be_empty()
    expect(noted.turn(3).get_by_role("button", name="Right")).to_be_visible()
    assert noted.fits()
    noted.ask("what do you know about me?")
    noted.press(noted.turn(4), "Memory")
    expect(noted.page.get_by_text("No memories yet.")).to_be_visible()
    noted.begin_anew()
    same = noted.put_right("opposite of cold", "the opposite")
    expect(same.locator(".answer")).to_have_text("hot")
    expect(same.locator(".saved .noted")).to_have_text("Saved, but it didn’t change the answer.")
    unknown = noted.put_right("write me a poem", "vroom vroom")
    expect(unknown.locator(".saved .noted")).to_have_text("Saved, but the small model couldn’t use it.")


@on_phone
def test_correction_and_confirmation_are_undone(noted: NotedPage) -> None:
    noted.ask(QUESTION)
    first = noted.turn(0)
    wrong = first.locator(".answer").inner_text()
    noted.press(first, "Not what I meant?")
    noted.page.keyboard.type("a synonym")
    save = first.get_by_role("button", name="Save and answer again")
    save.scroll_into_view_if_needed()
    place = box_of(first)
    save.dblclick()
    expect(first.locator(".answer")).to_have_text("fast")
    assert box_of(first)["y"] == place["y"]
    noted.ask("What is the opposite of hot?")
    right = noted.turn(1).get_by_role("button", name="Right")
    right.click()
    expect(right).to_have_attribute("aria-pressed", "true")
    expect(right).to_be_focused()

    noted.reload()
    expect(first.locator(".answer")).to_have_text("fast")
    expect(noted.page.get_by_role("button", name="Edit", exact=True)).to_have_count(1)
    expect(right).to_have_attribute("aria-pressed", "true")
    noted.open_memory()
    expect(noted.entries).to_have_count(2)
    expect(noted.entries.last).to_contain_text("You confirmed this for")
    noted.open_tab("Chat")
    right.click()
    expect(right).to_have_attribute("aria-pressed", "false")
    noted.press(first, "Undo")
    expect(first.locator(".answer")).to_have_text(wrong)
    expect(first).to_be_focused()
    noted.open_memory()
    expect(noted.page.get_by_text("No memories yet.")).to_be_visible()
    _replace_or_keep_another_meaning(noted)


def _replace_or_keep_another_meaning(noted: NotedPage) -> None:
    noted.begin_anew()
    noted.put_right("What does doubt mean?", "a question for the teacher")
    noted.begin_anew()
    card = noted.put_right("What does doubt mean?", "suspicion of my husband")
    expect(card.get_by_text("You also said:")).to_contain_text("a question for the teacher")
    noted.press(card, "Replace it")
    expect(card.get_by_role("button", name="Keep both")).to_be_focused()
    noted.open_memory()
    expect(noted.entries).to_have_count(1)
    noted.open_tab("Chat")
    noted.press(card, "Keep both")
    expect(card.get_by_role("button", name="Replace it")).to_be_visible()
    noted.look_again_at_memory()
    expect(noted.entries).to_have_count(2)


@pytest.mark.promise("correction-never-worse")
@on_phone
def test_answer_is_corrected_on_the_way(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    """Correct an answer that is being written, again in vain, and another one by a reading that the model offers."""
    chat_server.replies(faults.stalls_after(f"{WORD}\n<answer>fas"), GOOD)
    noted = open_page(remote_url)
    noted.ask(QUESTION)
    card = noted.turns.nth(0)
    expect(card.locator(".understood")).to_have_text("You want a word.")
    noted.press(card, "Not what I meant?")
    expect(noted.page.get_by_role("button", name="Stop")).to_be_visible()
    noted.meant.fill("a synonym")
    assert chat_server.requests[0].disconnected.wait(PATIENCE_MS / 1000)
    noted.meant.press("Shift+Enter")
    noted.meant.press("Enter")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    expect(card.locator(".old")).to_have_text("You want a word.")
    expect(noted.turns).to_have_count(1)
    _keep_the_answer_where_correcting_fails(noted, chat_server)

    chat_server.replies(f"{FASTER}<readings>You want a rhyme.\nYou want <b>bold</b> text.</readings>", GOOD)
    noted.ask(LIGHT)
    other = noted.turn(1)
    expect(other.locator(".answer")).to_have_text("faster")
    noted.press(other, "Not what I meant?")
    readings = other.get_by_role("group", name="Or did you mean:").get_by_role("button")
    expect(readings).to_contain_text(["You want a rhyme.", "You want <b>bold</b> text."])
    assert noted.fits()
    readings.first.click()
    expect(noted.turn(1).locator(".answer strong")).to_have_text("fast")
    expect(other.locator(".old")).to_have_text("You want a word.")
    noted.open_memory()
    expect(noted.entries.first).to_contain_text("You want a rhyme.")


def _keep_the_answer_where_correcting_fails(noted: NotedPage, chat_server: ChatServer) -> None:
    asked: Queue[Request] = Queue()

    def silent(exchange: Exchange) -> None:
        asked.put(exchange.request)
        exchange.stall()

    chat_server.replies(faults.refused_key, silent)
    noted.correct(noted.turn(0), "an opposite")
    expect(noted.turn(0).locator(".notice")).to_contain_text("key")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    noted.press(noted.turn(0), "Try again")
    asked.get(timeout=PATIENCE_MS / 1000)
    noted.press(noted.page, "Stop")
    expect(noted.turn(0)).to_contain_text("Stopped.")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")


@pytest.mark.promise("queued-questions-are-answered")
@on_phone
def test_messages_and_corrections_wait(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    """Correct an answer and write messages while another question is answered, and be answered as it ends."""
    told = threading.Event()
    slow = faults.stream_until(told, f"{WORD}\n<answer>fas", "ter</answer>")
    chat_server.replies(f"{WORD}\n<answer>slow</answer>", slow, GOOD, GOOD, GOOD)
    noted = open_page(remote_url)
    noted.ask(QUESTION)
    first = noted.turn(0)
    noted.ask(LIGHT)
    expect(noted.turns.nth(1).locator(".answer")).to_have_text("fas")
    noted.correct(first, "a synonym")
    expect(first.get_by_text("Saved", exact=True)).to_be_visible()
    expect(first.locator(".old")).to_have_text("You want a word.")
    expect(first.locator(".understood")).to_have_text("a synonym")
    expect(first.locator(".progress")).to_have_text("I’ll answer again when the other answer is finished.")
    expect(noted.turns.nth(1)).to_have_attribute("aria-busy", "true")
    noted.press(first, "Undo")
    expect(noted.turn(0).locator(".understood")).to_have_text("You want a word.")
    noted.correct(first, "a synonym")
    expect(first.get_by_role("button", name="Undo")).to_be_visible()

    for text in ("the third question", "one that is not sent", "the fourth question"):
        noted.ask(text)
    waiting = noted.page.locator(".waiting-message")
    expect(waiting).to_have_count(3)
    noted.press(waiting.nth(1), "Don’t send")
    expect(noted.message).to_have_value("one that is not sent")
    told.set()
    expect(noted.turn(1).locator(".answer")).to_have_text("faster")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    expect(noted.turn(2).locator(".question")).to_have_text("the third question")
    expect(noted.turn(3).locator(".question")).to_have_text("the fourth question")
    expect(waiting).to_have_count(0)
    expect(noted.turns).to_have_count(4)
    expect(noted.message).to_have_value("one that is not sent")
