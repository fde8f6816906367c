"""A further part of a card, which stands wholly in a folder of its own, and is told to the page by one value."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.card_parts.opposite.opposite import OPPOSITE
from tests.ui.browser.conftest import OpenPage
from tests.ui.conftest import served_here

QUESTION = "What is akin to <b>quick</b>?"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    yield from served_here(tmp_path, {}, [OPPOSITE])


def test_card_part_shows_text_and_answers_again(url: str, open_page: OpenPage) -> None:
    noted = open_page(url)
    noted.ask(QUESTION)
    part = noted.why(noted.turn(0)).locator(".part-opposite")
    expect(part.locator("q")).to_have_text(QUESTION)
    expect(part.locator("q")).to_have_css("font-style", "italic")
    noted.press(part, "The opposite!")
    expect(noted.turn(0).locator(".part-opposite q")).to_have_text(QUESTION)
    expect(noted.turn(0)).to_contain_text("Saved")
    expect(part.get_by_role("button")).to_have_count(1)

    noted.reload()
    expect(noted.why(noted.turn(0)).locator(".part-opposite q")).to_have_text(QUESTION)
    noted.press(noted.turn(0), "The opposite!")
    expect(noted.turn(0)).to_contain_text("Saved, but the small model couldn’t use it.")
    expect(noted.turns).to_have_count(1)
