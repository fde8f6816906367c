"""What is too much is said in the page, in one sentence, and what was written is kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.page_client import PageClient
from tests.ui.conftest import OpenPage, served_here
from ui.runs import TooManyAnswers


@pytest.fixture(scope="module")
def narrow_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The application with room for little."""
    limits = {"NOTED_TURNS_PER_MINUTE": "2", "NOTED_SAVES_PER_MINUTE": "1", "NOTED_ANSWERS_AT_ONCE": "1"}
    yield from served_here(tmp_path_factory.mktemp("narrow"), limits)


def test_who_asks_too_often_is_told_and_the_text_is_kept(narrow_url: str, open_page: OpenPage) -> None:
    noted = open_page(narrow_url)
    for number, question in enumerate(("What is akin to quick?", "What is akin to brave?")):
        noted.ask(question)
        noted.turn(number)
    noted.narrow()
    noted.ask("What is akin to calm?")
    sentence = "This can be done 2 times a minute. Please wait a moment, then send it again."
    expect(noted.page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    expect(noted.message).to_have_value("What is akin to calm?")
    expect(noted.turns).to_have_count(2)


def test_what_is_too_long_is_refused_in_words_by_the_server_too(narrow_url: str) -> None:
    page = PageClient(narrow_url).open()
    told = {"conversation": "c", "run": "r", "text": "a" * 8001}
    assert page.run("conversation.ask", told)["refused"] == "This is 8,001 characters long; please shorten it to 8,000."
    turn = page.ask("What is akin to quick?")
    told = {"conversation": "c", "run": "r", "turn": turn["id"], "text": "a" * 2001}
    refused = page.run("conversation.clarify", told)["refused"]
    assert refused == "This is 2,001 characters long; please shorten it to 2,000."
    page.close()


def test_the_sentence_for_too_many_answers_says_what_to_do() -> None:
    assert str(TooManyAnswers()) == "Too many people are asking just now. Please try again in a moment."
