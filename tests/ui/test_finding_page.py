"""The Memory page's further parts and the Insights page, in a browser: at a desk and on a phone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from assistant.types import Scope, Turn, TurnState
from memory_store.journal import LedgerJournal
from memory_store.ledger import Ledger
from tests.support.chat_server import ChatServer, told
from tests.ui.conftest import OpenPage, served_here
from tests.ui.noted_page import NotedPage
from tests.ui.windows import DESK, PHONE
from ui.identity import LOCAL_PERSON

IN_THE_DARK = {**PHONE, "color_scheme": "dark"}


def _correct(noted: NotedPage, question: str, words: str) -> None:
    number = noted.turns.count()
    noted.ask(question)
    noted.correct(noted.turn(number), words)
    noted.turn(number + 1)


@pytest.mark.parametrize("where", [DESK, IN_THE_DARK], ids=["desk", "phone"])
def test_memory_is_tried_filtered_changed_back_and_brought_in_again(
    embedded_url: str, open_page: OpenPage, where: Mapping[str, Any], tmp_path: Any
) -> None:
    noted = open_page(embedded_url, **where)
    page = noted.page
    _correct(noted, "What is akin to quick?", "a synonym")
    _correct(noted, "talk about < harbor >", "मुझे एक वाक्य चाहिए")
    noted.open_memory()
    expect(noted.entries).to_have_count(2)

    page.get_by_text("Try a question").click()
    page.get_by_role("textbox", name="A question.").fill("What is akin to happy?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("I would use the first of these.")).to_be_visible()
    used = page.locator(".trial-entry").first
    expect(used).to_contain_text("Would be used")
    expect(used).to_contain_text("almost certain")
    expect(used).to_contain_text("synonym")

    page.get_by_role("combobox", name="Script").select_option("Devanagari")
    expect(noted.entries).to_have_count(1)
    expect(page.get_by_text("1 found")).to_be_visible()
    page.get_by_role("combobox", name="How it went").select_option("Hurt more than it helped")
    expect(page.get_by_text("Nothing that I remember is like this.")).to_be_visible()
    page.get_by_role("combobox", name="How it went").select_option("However it went")
    page.get_by_role("combobox", name="Script").select_option("Every script")

    entry = noted.entries.filter(has_text="akin to quick")
    noted.press(entry, "Edit")
    field = page.get_by_role("textbox", name="What you meant")
    field.fill("I want the opposite")
    field.press("Control+Enter")
    entry.get_by_text("1 earlier wording").click()
    noted.press(entry, "Take the change back")
    expect(entry.get_by_role("button", name="Cancel")).to_be_focused()
    noted.press(entry, "Take it back")
    expect(entry.locator(".entry-text")).to_have_text("a synonym")
    expect(page.get_by_text("Taken back. 2 remembered")).to_be_visible()

    with page.expect_download() as download:
        noted.press(page, "Download everything")
    file = tmp_path / "export.jsonl"
    download.value.save_as(file)
    noted.press(entry, "Forget this")
    noted.press(entry.locator(".buttons").first, "Forget:")
    expect(noted.entries).to_have_count(1)
    page.get_by_role("textbox", name="A question.").fill("talk about < river >")
    page.keyboard.press("Enter")
    expect(page.get_by_text("I would use this.")).to_be_visible()
    page.locator("input[type=file]").set_input_files(file)
    # The change that was taken back is in the file, but not in the list.
    expect(page.get_by_text("Taken in: 1 remembered,")).to_contain_text("1 more came in as history only")
    expect(noted.entries).to_have_count(2)
    (tmp_path / "other.txt").write_text("hello")
    page.locator("input[type=file]").set_input_files(tmp_path / "other.txt")
    expect(page.get_by_text("This file is no export of Noted.")).to_be_visible()
    assert noted.width() <= page.viewport_size["width"]  # type: ignore[index]


@pytest.fixture(scope="module")
def priced_url(remote: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The application on a model whose price is known, behind `chat_server`."""
    model = {"NOTED_MODEL": "openai/gpt-4o-mini", "NOTED_API_BASE": remote.url, "NOTED_API_KEY": "none"}
    yield from served_here(tmp_path_factory.mktemp("priced"), model)


@pytest.mark.parametrize("where", [DESK, IN_THE_DARK], ids=["desk", "phone"])
def test_insights_say_what_they_show_and_give_the_numbers(
    priced_url: str, chat_server: ChatServer, open_page: OpenPage, where: Mapping[str, Any]
) -> None:
    answer = "<understanding>You want a word.</understanding>\n<answer>fast</answer>"
    chat_server.replies(*[told(answer, 800, 90)] * 3, answer)
    noted = open_page(priced_url, **where)
    page = noted.page
    page.get_by_role("tab", name="Insights").click()
    expect(page.get_by_text("Nothing to show yet. Ask something first.")).to_be_visible()
    page.get_by_role("tab", name="Chat").click()
    _correct(noted, "what is akin to quick ?", "I want a synonym")
    noted.ask("what is akin to happy ?")
    noted.press(noted.turn(2), "Yes, that’s it")
    expect(noted.turn(2).get_by_text("✓ That’s it")).to_be_visible()
    page.get_by_role("tab", name="Insights").click()
    sentence = "1 of 2 questions were corrected so far."
    expect(page.get_by_role("region", name="Corrections").get_by_text(sentence)).to_be_visible()
    # One point in time is no plot.
    expect(page.get_by_role("img", name=sentence)).to_have_count(0)
    expect(page.get_by_role("img", name="was kept 100% of the time")).to_be_visible()
    corrections = page.get_by_role("region", name="Corrections", exact=True)
    corrections.get_by_text("The numbers").click()
    row = corrections.get_by_role("row").nth(1)
    expect(row.get_by_role("cell")).to_have_text(["2", "1", "1", "0", "1", "1"])
    expect(page.get_by_text("confirmed 1× and left out 0×.")).to_be_visible()
    expect(page.get_by_role("region", name="How sure, and how right")).to_contain_text("was kept 100% of the time")
    expect(page.get_by_role("region", name="Where the time goes")).to_contain_text("Half of the last 3 answers")
    tokens = page.get_by_role("region", name="What an answer takes of the model", exact=True)
    took = "An answer took 800 tokens to ask and 90 to write on average"
    expect(tokens).to_contain_text(f"{took} and cost US$0.00017; together they cost US$0.00052.")
    expect(tokens.get_by_role("img", name=took)).to_be_visible()
    expect(tokens.get_by_role("img", name="Cost per answer")).to_be_visible()
    tokens.get_by_text("The numbers").click()
    expect(tokens.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["1", "800", "90", "US$0.00017"])
    expect(tokens).not_to_contain_text("estimated")
    expect(page.get_by_role("button", name="Everybody’s")).to_have_count(0)
    page.get_by_role("tab", name="Chat").click()
    noted.ask("what is akin to brave ?")
    noted.turn(3)
    page.get_by_role("tab", name="Insights").click()
    expect(tokens).to_contain_text("1 of 4 are estimated from the length of the text.")
    assert noted.width() <= page.viewport_size["width"]  # type: ignore[index]


def test_a_stretch_of_few_questions_stands_in_the_numbers_but_is_no_rate(tmp_path: Path, open_page: OpenPage) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    journal = LedgerJournal(ledger)
    corrected = [*range(8), 20, 21, 40]
    for number in range(41):
        turn = Turn(f"t{number}", "c", LOCAL_PERSON, "what is akin to quick ?", state=TurnState.ANSWERED)
        journal.record(replace(turn, corrected_by="e" if number in corrected else None), Scope(LOCAL_PERSON))
    ledger.close()
    served = served_here(tmp_path, {})
    page = open_page(next(served), local=True).page
    page.get_by_role("tab", name="Insights").click()
    corrections = page.get_by_role("region", name="Corrections", exact=True)
    sentence = "8 of the first 20 questions were corrected, and 2 of the last 20."
    expect(corrections).to_contain_text(sentence)
    # Two of all questions, and the same two of those answered without memory.
    expect(corrections.get_by_role("img", name=sentence).locator("circle")).to_have_count(4)
    corrections.get_by_text("The numbers").click()
    expect(corrections.get_by_role("row")).to_have_count(4)
    expect(corrections.get_by_role("row").nth(3).get_by_role("cell").first).to_have_text("1")
    next(served, None)
