"""A person brings a model: it answers in this tab, and its key is nowhere on the page afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.chat_server import ChatServer
from tests.ui.conftest import OpenPage, each_size, served_here

KEY = "sk-a-very-secret-key-0123456789"
# All that a browser keeps for a page.
KEPT = "() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, document.body.outerHTML])"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Stands where the provider would."""
    with ChatServer() as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        yield server


@pytest.fixture
def url(provider: ChatServer, tmp_path: Path) -> Iterator[str]:
    yield from served_here(tmp_path, {})


@each_size
def test_a_model_of_ones_own_answers_until_it_is_stopped(url: str, provider: ChatServer, open_page: OpenPage) -> None:
    provider.replies("<understanding>You want a synonym.</understanding>\n<answer>from my own</answer>")
    noted = open_page(url)
    page = noted.page
    page.get_by_text("Use a model of your own").click()
    page.get_by_label("Model", exact=True).fill("nobody/knows-this")
    page.get_by_label("Key", exact=True).fill(KEY)
    page.keyboard.press("Enter")
    expect(page.locator("#own-model").get_by_role("alert")).to_be_visible()
    page.get_by_label("Model", exact=True).fill("openai/gpt-own")
    page.get_by_label("Key", exact=True).fill(KEY)
    page.keyboard.press("Enter")
    expect(page.locator("#own-model summary")).to_have_text("Your own model answers in this tab: openai/gpt-own")
    noted.ask("What is akin to quick?")
    expect(noted.turn(0).locator(".answer")).to_have_text("from my own")
    assert provider.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in page.evaluate(KEPT)
    noted.press(page, "Stop using it")
    expect(page.locator("#own-model summary")).to_have_text("Use a model of your own")
    noted.ask("What is akin to brave?")
    noted.turn(1)
    assert len(provider.requests) == 1
