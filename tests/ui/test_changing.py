"""What a person changes of a conversation while it goes on: the question, the note, the order. In a browser."""

from __future__ import annotations

import threading

from playwright.sync_api import expect

from tests.support import faults
from tests.support.chat_server import ChatServer
from tests.ui.conftest import OpenPage, each_size
from ui.notes import EXAMPLES

GOOD = '<understanding>You want a synonym of "quick".</understanding>\n<answer>**fast**</answer>'
PASSED_OVER = "<notes>none</notes>\n<understanding>You want to know what it means.</understanding>\n<answer>?</answer>"


@each_size
def test_the_last_question_is_changed_and_the_old_one_stays(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    keyboard = noted.page.keyboard
    noted.ask(EXAMPLES[0])
    first = noted.turn(0)
    noted.press(first, "Edit")
    field = noted.page.get_by_role("textbox", name="Change your question")
    expect(field).to_have_value(EXAMPLES[0])
    keyboard.press("Escape")
    expect(first.get_by_role("button", name="Edit")).to_be_focused()
    keyboard.press("Enter")
    field.fill("What is akin to brave?")
    keyboard.press("Enter")
    second = noted.turn(1)
    expect(second.locator(".question")).to_have_text("What is akin to brave?")
    expect(first).to_contain_text("You changed this question. The new answer is below.")
    expect(first.locator(".question")).to_have_text(EXAMPLES[0])
    expect(noted.page.get_by_role("button", name="Edit", exact=True)).to_have_count(1)
    noted.reload()
    expect(noted.turn(0)).to_contain_text("You changed this question.")


@each_size
def test_before_and_after_are_laid_side_by_side_and_it_is_offered(own_url: str, open_page: OpenPage) -> None:
    noted = open_page(own_url, local=True)
    noted.ask(EXAMPLES[0])
    first = noted.turn(0)
    noted.press(first, "No, I meant …")
    noted.page.keyboard.type("a synonym")
    first.get_by_role("radio", name="Offer it to everyone as well").check()
    noted.page.keyboard.press("Control+Enter")
    again = noted.turn(1)
    expect(first).to_contain_text("It is offered to everyone.")
    noted.press(again, "Compare with before")
    before, now = again.locator(".compared").all()
    expect(before).to_contain_text('what "quick" means')
    expect(now).to_contain_text("fast")
    noted.reload()
    expect(noted.turn(0)).to_contain_text("It is offered to everyone.")
    noted.press(noted.turn(0), "Undo")


def test_formulas_are_drawn_and_money_is_not_one(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    answer = r"It costs $5 or $6: \(\frac{1}{2}\) and $$\href{javascript:x}{\text{<img src=x onerror=alert(1)>}}$$"
    chat_server.replies(f"<understanding>Maths.</understanding>\n<answer>{answer}</answer>")
    noted = open_page(remote_url)
    noted.ask("half?")
    shown = noted.turn(0).locator(".answer")
    expect(shown.locator("mfrac > mrow > mn")).to_have_text(["1", "2"])
    noted.narrow()
    expect(shown).to_contain_text("It costs $5 or $6:")
    expect(shown.locator("mtext")).to_have_text("<img src=x onerror=alert(1)>")
    assert shown.locator("[href], img").count() == 0


def test_what_counts_in_one_conversation_only_says_so_in_memory(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    noted.press(noted.turn(0), "No, I meant …")
    noted.page.keyboard.type("a synonym")
    expect(noted.page.get_by_role("radio", name="In all my conversations")).to_be_checked()
    noted.page.keyboard.press("Tab")
    noted.page.keyboard.press("ArrowRight")
    expect(noted.page.get_by_role("radio", name="In this conversation only")).to_be_checked()
    noted.page.keyboard.press("Control+Enter")
    expect(noted.turn(1)).to_contain_text("fast")
    noted.ask("What is akin to brave?")
    expect(noted.turn(2)).to_contain_text("From memory")
    noted.narrow()
    noted.press(noted.page.locator("#banner"), "New conversation")
    noted.ask("What is akin to brave?")
    expect(noted.turn(0)).to_contain_text("Not from memory")
    noted.open_memory()
    expect(noted.entries.first).to_contain_text("counts in one conversation only")


def test_who_may_offer_nothing_is_not_asked_to(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask(EXAMPLES[0])
    noted.press(noted.turn(0), "No, I meant …")
    expect(noted.page.get_by_role("radio")).to_have_count(2)
    noted.narrow()
    expect(noted.page.get_by_role("radio")).to_have_count(2)


@each_size
def test_a_note_that_was_passed_over_is_used_by_a_click(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    noted = open_page(remote_url)
    chat_server.replies(PASSED_OVER, GOOD, PASSED_OVER, GOOD)
    noted.ask("What is akin to quick?")
    noted.correct(noted.turn(0), "I want a synonym")
    noted.turn(1)
    noted.ask("words akin to brave")
    passed = noted.turn(2)
    passed.locator(".memory summary").click()
    noted.press(passed, "Use it")
    used = noted.turn(3)
    expect(used).to_contain_text("From memory")
    used.locator(".memory summary").click()
    expect(used.locator(".entry-why")).to_contain_text("You chose this, so it counts.")
    expect(passed).to_contain_text("Answered again below.")


@each_size
def test_messages_wait_while_one_is_answered_and_go_by_themselves(
    chat_server: ChatServer, remote_url: str, open_page: OpenPage
) -> None:
    told = threading.Event()
    slow = faults.goes_on(told, "<understanding>You want a synonym.</understanding>\n<answer>fas", "t</answer>")
    chat_server.replies(slow, GOOD, GOOD)
    noted = open_page(remote_url)
    noted.ask("the first question")
    expect(noted.turns.nth(0).locator(".understood")).to_have_text("You want a synonym.")
    for text in ("the second question", "one that is not sent", "the third question"):
        noted.ask(text)
    waiting = noted.page.locator(".waiting-message")
    expect(waiting).to_have_count(3)
    noted.press(waiting.nth(1), "Do not send")
    expect(noted.message).to_have_value("one that is not sent")
    told.set()
    expect(noted.turn(2).locator(".question")).to_have_text("the third question")
    expect(noted.turn(1).locator(".question")).to_have_text("the second question")
    expect(waiting).to_have_count(0)
    expect(noted.message).to_have_value("one that is not sent")
