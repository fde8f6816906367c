"""The page on a phone and in the dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import OpenPage
from tests.ui.noted_page import NotedPage
from tests.ui.windows import PHONE
from ui.notes import EXAMPLES

LONG = "Donaudampfschifffahrtsgesellschaft" * 12


def test_nothing_is_wider_than_a_phone(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, **PHONE)
    _fits(noted)
    noted.ask(f"What is akin to {LONG}?")
    noted.correct(noted.turn(0), f"a synonym of {LONG}")
    noted.turn(1)
    noted.press(noted.turn(1), "No, I meant …")
    _fits(noted)
    noted.open_memory()
    noted.press(noted.entries.first, "Edit")
    _fits(noted)


def _fits(noted: NotedPage) -> None:
    for width in (390, 360):
        noted.page.set_viewport_size({"width": width, "height": 780})
        assert noted.width() == width


@pytest.mark.parametrize(("query", "scheme", "dark"), [
    ("", "light", False), ("", "dark", True), ("?__theme=dark", "light", True), ("?__theme=light", "dark", False),
])  # fmt: skip
def test_light_and_dark_follow_the_system_and_the_address(
    embedded_url: str, open_page: OpenPage, query: str, scheme: str, dark: bool
) -> None:
    noted = open_page(embedded_url, query, color_scheme=scheme)
    brightness = "node => getComputedStyle(node).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    expect(noted.page.get_by_role("button", name=EXAMPLES[0])).to_be_visible()
    background = noted.page.locator(".gradio-container").evaluate(brightness)
    writing = noted.page.get_by_role("heading", name="Noted").evaluate(brightness.replace("backgroundColor", "color"))
    assert (sum(background) < sum(writing)) == dark


def test_each_person_has_a_conversation_and_a_memory_of_their_own(embedded_url: str, open_page: OpenPage) -> None:
    """The same page under another host name is not the local person's: each browser is a visitor."""
    local = open_page(embedded_url, local=True)
    local.ask(EXAMPLES[0])
    local.correct(local.turn(0), "I want a synonym")
    local.turn(1)
    conversation = local.page.evaluate("localStorage.getItem('noted-conversation')")
    visitor = open_page(embedded_url)
    visitor.page.evaluate("value => localStorage.setItem('noted-conversation', value)", conversation)
    visitor.reload()
    expect(visitor.page.get_by_role("button", name=EXAMPLES[0])).to_be_visible()
    visitor.open_memory()
    expect(visitor.page.get_by_text("Nothing is remembered yet.")).to_be_visible()
    (cookie,) = visitor.page.context.cookies()
    assert cookie["httpOnly"] is True
    assert cookie["sameSite"] == "Lax"
    assert local.page.context.cookies() == []


def test_the_page_weighs_less_than_400_kilobytes(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, language="pa")
    loaded = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    weights = noted.page.evaluate(f"{loaded}.map(({{ transferSize }}) => transferSize)")
    assert len(weights) > 20
    assert 100_000 < sum(weights) < 400_000
