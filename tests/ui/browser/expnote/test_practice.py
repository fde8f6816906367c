"""The model practises on the tab Teach: progress, stopping, going on, and keeping or discarding its lessons."""

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("practice-continues")

TESTS, RIGHT = (7, 2)
OFTEN_USED = 'For "qax" it is "a ball".'
LETTERS = "abcdefghijklmn"
LINES = "question\tanswer\n" + "\n".join(
    f'{asks} "q{letter}x" mean?\t{letter} ball'
    for asks, letters in (("What does", LETTERS), ("So what does", LETTERS), ("Tell me, what does", "abvwxyz"))
    for letter in letters
)


def practise(noted: NotedPage, practice: Locator, text: str) -> None:
    practice.get_by_role("textbox").fill(text)
    noted.press(practice, noted.words["practice_start"])


@on_phone
def test_practice_stops_goes_on_and_is_kept(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, local=True)
    words = noted.words
    practice = noted.open_tool("practice")
    practise(noted, practice, "hello")
    expect(practice.get_by_role("alert")).to_have_text("Line 1: Give one question and its answer.")
    practise(noted, practice, LINES.replace("question", "What was asked?", 1))
    expect(practice.get_by_text("Line 1 is “What was asked? · answer”. Is it a header")).to_be_visible()
    assert noted.fits()
    noted.press(practice, words["practice_stop"])
    expect(practice.get_by_role("button", name=words["header_yes"])).to_have_count(0)
    noted.press(practice, words["practice_start"])
    noted.press(practice, words["header_yes"])
    expect(practice.get_by_role("button", name=words["practice_stop"])).to_be_focused()
    expect(practice.get_by_role("progressbar", name=words["practice_title"])).to_be_visible()
    expect(practice.locator(".practice-lesson").first).to_be_visible()
    noted.press(practice, words["practice_stop"])  # before a fast machine is done
    expect(practice.get_by_text(words["practice_stopped"])).to_be_visible()
    assert practice.locator(".practice-lesson").count() > 0
    assert noted.fits()
    noted.press(practice, words["practice_go_on"])
    expect(practice.get_by_text(words["practice_done"])).to_be_in_viewport(ratio=1)
    told = f"Test questions: {TESTS}. Right without the lessons: 0. Right with them: {RIGHT}."
    expect(practice.get_by_text(told)).to_be_visible()
    expect(practice.get_by_role("img", name="Right answers while learning, over time: 0%,")).to_be_visible()
    expect(practice.locator(".practice-flips dd")).to_have_text([str(RIGHT), "0", str(TESTS - RIGHT), "0"])
    expect(practice.get_by_text(OFTEN_USED)).to_be_visible()
    assert noted.fits()
    noted.press(practice, words["practice_throw"])
    expect(practice.get_by_text(words["practice_thrown"])).to_be_visible()
    expect(practice.locator(".practice-lesson")).to_have_count(0)
    _keep(noted, practice)


def _keep(noted: NotedPage, practice: Locator) -> None:
    """Keep the lessons."""
    words = noted.words
    practise(noted, practice, "question,answer\nWho is a mama?, uncle\nWho is a bhatija?, nephew")
    expect(practice.get_by_text(words["practice_done"])).to_be_visible()
    noted.press(practice, words["practice_keep"])
    expect(practice.get_by_role("textbox")).to_have_value("")
    noted.open_memory()
    expect(noted.entries.filter(has_text='For "mama" it is "uncle".')).to_have_count(1)
    expect(noted.entries.filter(has_text=OFTEN_USED)).to_have_count(0)
