"""The centre of the product, in a browser: misunderstood, put right, remembered; and what is changed as it goes on."""

import re
import threading
from pathlib import Path

from playwright.sync_api import FloatRect, Locator, expect

from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import PATIENCE_MS, NotedPage
from tests.ui.conftest import served_here
from ui.server.status import EXAMPLES

QUESTION, LIGHT = "What is akin to quick?", "What does light mean?"
# Lines of which a part is hidden below; letters may stand out of their line a little.
_LINES_CUT = """(node) => {
    const text = document.createRange();
    text.selectNodeContents(node);
    const end = node.getBoundingClientRect().top + node.clientTop + node.clientHeight;
    return [...text.getClientRects()].filter(({ top, bottom }) => top < end - 4 && bottom > end + 4).length;
}"""
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
        expect(entry.locator(".entry-why")).to_contain_text("only the word asked about differs")

        noted.press(other, "Don't use here")
        expect(noted.turn(0).locator(".understood")).not_to_contain_text(right)
        expect(other).not_to_contain_text("Used what you told me")
        expect(noted.turns).to_have_count(1)
        noted.press(other, "Before")
        expect(other.locator(".before .answer")).to_have_text("cowardly")
        noted.leave()


@each_window()
def test_embedded_model_says_what_it_can(noted: NotedPage) -> None:
    noted.ask("Hello, how are you?")
    expect(noted.turn(0).locator(".answer")).to_have_text(re.compile("^Hello!"))
    expect(noted.turn(0).locator(".card").get_by_role("button")).to_have_count(0)
    expect(noted.turn(0).locator(".understood")).to_have_count(0)
    noted.ask("मुझे एक लंबी कविता लिखकर दो। " * 30)
    hindi = noted.turn(1)
    expect(hindi.locator(".understood")).to_have_count(0)
    expect(hindi.get_by_role("group", name="For example").get_by_role("button").first).to_have_text(
        "ठंडा का मतलब क्या है?"
    )
    whole, cut = box_of(hindi.locator(".question")), hindi.locator(".question").evaluate(_LINES_CUT)
    noted.press(hindi, "Show all")
    assert cut == 0
    assert box_of(hindi.locator(".question"))["height"] > whole["height"]
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
    expect(noted.page.get_by_text("Nothing is saved yet.")).to_be_visible()


@each_window("desk")
def test_keyboard_corrects_and_edits_the_question(noted: NotedPage) -> None:
    keyboard = noted.page.keyboard
    noted.message.focus()
    keyboard.type(LIGHT)
    keyboard.press("Shift+Enter")
    keyboard.press("Backspace")
    keyboard.press("Enter")
    first = noted.turn(0)
    sentence, opener = first.locator(".understood"), first.get_by_role("button", name="Not what I meant?")
    wrong = sentence.inner_text()
    noted.reach(opener, "Shift+Tab")
    expect(noted.meant).to_be_focused()
    expect(noted.meant).to_have_value("")
    keyboard.press("Enter")
    expect(first.get_by_role("alert")).to_have_text("Please say what you meant.")
    keyboard.type("the opposite of it")
    keyboard.press("Escape")
    expect(opener).to_be_focused()
    keyboard.press("e")
    expect(noted.meant).to_have_value("the opposite of it")
    keyboard.press("Enter")
    again = noted.turn(0)
    expect(again.locator(".answer")).to_have_text("heavy")
    expect(opener).to_be_focused()
    expect(noted.page.locator(".announcer")).to_contain_text(f"Before: {wrong} Now: {sentence.inner_text()}")
    _undo_step_by_step(noted, again)

    opener = again.get_by_role("button", name="Edit")
    noted.reach(opener, "Shift+Tab")
    field = noted.page.get_by_role("textbox", name="Change your question")
    expect(field).to_have_value(LIGHT)
    noted.think_again(opener)
    field.fill("What is akin to brave?")
    keyboard.press("Enter")
    expect(noted.turn(0).locator(".question")).to_have_text("What is akin to brave?")
    noted.press(again, "Before")
    expect(again.locator(".before")).to_contain_text("heavy")
    expect(noted.page.get_by_role("button", name="Edit", exact=True)).to_have_count(1)
    noted.reload()
    expect(noted.turn(0).locator(".question")).to_have_text("What is akin to brave?")
    expect(noted.turns).to_have_count(1)


def _undo_step_by_step(noted: NotedPage, card: Locator) -> None:
    """Correct a card twice, and undo both one after the other."""
    sentence, said = card.locator(".understood"), []
    for meant in ("a synonym", "a rhyme for it"):
        said.append(sentence.inner_text())
        noted.correct(card, meant)
        expect(noted.turn(0).locator(".old")).to_have_text(said[-1])
    for before in reversed(said):
        noted.press(card, "Undo")
        expect(sentence).to_have_text(before)
    expect(card.locator(".answer")).to_have_text("heavy")
    expect(card.get_by_role("button", name="Undo")).to_be_visible()
    expect(noted.page.locator(".announcer")).to_contain_text("Taken back.")
    expect(noted.page.locator(".announcer")).to_contain_text("heavy")


@each_window()
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
    expect(noted.page.get_by_text("Nothing is saved yet.")).to_be_visible()
    noted.begin_anew()
    expect(noted.page.get_by_role("button", name=EXAMPLES["small"]["en"][0], exact=True)).to_be_visible()


@each_window()
def test_message_corrects_its_own_tab(noted: NotedPage) -> None:
    noted.ask(LIGHT)
    first = noted.turn(0)
    other = noted.another_tab()
    # What the other tab asks does not come here, so that this one is behind.
    noted.page.route("**/page/conversation/refresh", lambda _route: None)
    other.ask("talk about < harbor >")
    other.turn(1)
    noted.ask("no, I meant the opposite of it")
    said = noted.turns
    message = said.nth(1)
    expect(message.locator(".question")).to_have_text("no, I meant the opposite of it")
    expect(message.locator(".answer")).to_have_text("heavy")
    expect(message).to_contain_text("Saved")
    expect(said).to_have_count(2)
    expect(first).to_contain_text("Answered again below.")
    expect(message.locator(".old")).to_have_text(first.locator(".old").inner_text())
    expect(first.locator(".answer")).to_be_hidden()
    expect(first.get_by_role("button")).to_have_count(0)
    noted.page.unroute_all()
    noted.reload()
    expect(first).to_contain_text("Answered again below.")
    message = noted.turn(2)  # behind what the other tab has asked
    noted.press(message, "Undo")
    expect(message).to_contain_text("Taken back.")
    expect(first.get_by_role("button", name="Not what I meant?")).to_be_visible()


@each_window("desk")
def test_note_of_one_conversation_is_widened(noted: NotedPage) -> None:
    told = "Used what you told me"
    card = noted.put_right(QUESTION, "a synonym")
    noted.choose_reach(card, "reach_conversation")
    expect(card.get_by_role("button", name="More")).to_have_count(0)
    noted.ask("What is akin to brave?")
    expect(noted.turn(1)).to_contain_text(told)
    noted.expect_reach(card, "reach_conversation")
    expect(card.get_by_role("button", name="Undo")).to_be_visible()
    noted.narrow()
    noted.begin_anew()
    noted.ask("What is akin to brave?")
    expect(noted.turn(0)).not_to_contain_text(told)

    noted.open_memory()
    entry = noted.entries.first
    expect(entry.locator(".entry-line")).to_contain_text("only one conversation")
    noted.unfold(entry)
    entry.get_by_role("combobox").select_option("way")
    expect(entry.get_by_text("Changed.")).to_be_in_viewport()
    entry.get_by_text("2 earlier versions").click()
    expect(entry.get_by_role("listitem").first).to_contain_text("only one conversation")
    noted.begin_anew()
    noted.ask("What is akin to brave?")
    expect(noted.turn(0)).to_contain_text(told)

    noted.open_memory()
    # What was unfolded stays so when the list is read anew.
    noted.press(entry, "Undo the last change")
    noted.page.get_by_role("button", name="Undo it").click()
    expect(entry.locator(".entry-line")).to_contain_text("only one conversation")
    entry.get_by_text("1 earlier version").click()
    expect(entry.get_by_role("listitem").first).to_contain_text("questions like it")
    assert noted.fits()


@each_window()
def test_correcting_stops_the_stream(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    chat_server.replies(faults.stalls_after("<understanding>You want a word.</understanding>\n<answer>fas"), GOOD)
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


@each_window()
def test_another_reading_is_taken(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    first = "<understanding>You want a word.</understanding>\n<answer>**fast**</answer>\n"
    chat_server.replies(f"{first}<readings>You want a synonym.\nYou want <b>bold</b> text.</readings>", GOOD)
    noted = open_page(remote_url)
    noted.ask(QUESTION)
    card = noted.turn(0)
    expect(card.locator(".answer")).to_have_text("fast")
    noted.press(card, "Not what I meant?")
    readings = card.get_by_role("group", name="Other readings:").get_by_role("button")
    expect(readings).to_have_text(["You want a synonym.", "You want <b>bold</b> text."])
    assert noted.fits()
    readings.first.click()
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    expect(card.locator(".old")).to_have_text("You want a word.")
    expect(card).to_contain_text("Saved, but it didn't change the answer.")
    noted.open_memory()
    expect(noted.entries.first).to_contain_text("You want a synonym.")


@each_window()
def test_correction_waits_for_another_answer(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    told = threading.Event()
    slow = faults.stream_until(told, "<understanding>You want a word.</understanding>\n<answer>fas", "ter</answer>")
    chat_server.replies("<understanding>You want a word.</understanding>\n<answer>slow</answer>", slow, GOOD)
    noted = open_page(remote_url)
    noted.ask(QUESTION)
    first = noted.turn(0)
    noted.ask(LIGHT)
    expect(noted.turns.nth(1).locator(".answer")).to_have_text("fas")
    noted.correct(first, "a synonym")
    expect(first.get_by_text("Saved", exact=True)).to_be_visible()
    expect(first.locator(".old")).to_have_text("You want a word.")
    expect(first.locator(".understood")).to_have_text("a synonym")
    expect(first.locator(".progress")).to_have_text("Answered again as soon as the other answer is there.")
    expect(noted.turns.nth(1)).to_have_attribute("aria-busy", "true")
    noted.press(first, "Undo")
    expect(noted.turn(0).locator(".understood")).to_have_text("You want a word.")
    noted.correct(first, "a synonym")
    expect(first.get_by_role("button", name="Undo")).to_be_visible()
    told.set()
    expect(noted.turn(1).locator(".answer")).to_have_text("faster")
    expect(noted.turn(0).locator(".answer strong")).to_have_text("fast")
    expect(noted.turns).to_have_count(2)


@each_window()
def test_messages_wait_while_one_is_answered(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    told = threading.Event()
    slow = faults.stream_until(told, "<understanding>You want a synonym.</understanding>\n<answer>fas", "t</answer>")
    chat_server.replies(slow, GOOD, GOOD)
    noted = open_page(remote_url)
    noted.ask("the first question")
    expect(noted.turns.nth(0).locator(".understood")).to_have_text("You want a synonym.")
    for text in ("the second question", "one that is not sent", "the third question"):
        noted.ask(text)
    waiting = noted.page.locator(".waiting-message")
    expect(waiting).to_have_count(3)
    expect(waiting.nth(2)).to_be_hidden()
    noted.page.get_by_text("+1 waiting").click()
    expect(waiting.nth(2)).to_be_visible()
    noted.press(waiting.nth(1), "Do not send")
    expect(noted.message).to_have_value("one that is not sent")
    told.set()
    expect(noted.turn(2).locator(".question")).to_have_text("the third question")
    expect(noted.turn(1).locator(".question")).to_have_text("the second question")
    expect(waiting).to_have_count(0)
    expect(noted.message).to_have_value("one that is not sent")
