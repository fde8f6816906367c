"""Model servers of this machine at the start of a conversation: found, shown, and connected by one click."""

import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from assistant.models.remote.found import USUAL_PORTS
from tests.support.servers.chat_server import ChatServer, Exchange
from tests.support.servers.model_lists import OPENAI_PATH, lists_openai
from tests.ui.browser.conftest import OpenPage, each_window

ANSWER = "<understanding>You want a synonym.</understanding>\n<answer>from my machine</answer>"


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ChatServer, ChatServer]]:
    """Stand where Ollama and LM Studio would."""
    with ChatServer() as ollama, ChatServer() as studio:
        lists_openai(ollama, "qwen2.5:1.5b", "llama3.2")
        lists_openai(studio, *(f"org/model-{number}" for number in range(7)))
        monkeypatch.setattr("assistant.models.remote.found._SECONDS", 10.0)  # the machine may be busy
        monkeypatch.setitem(USUAL_PORTS, "Ollama", ollama.port)
        monkeypatch.setitem(USUAL_PORTS, "LM Studio", studio.port)
        yield ollama, studio


@each_window()
def test_found_model_is_connected_by_one_click(
    own_url: str, open_page: OpenPage, servers: tuple[ChatServer, ChatServer]
) -> None:
    ollama, studio = servers
    visitor = open_page(own_url)
    expect(visitor.page.get_by_text("A small model answers. It knows words, and what you teach it.")).to_be_visible()
    visitor.press(visitor.page.locator(".head"), "Connect a model")
    expect(visitor.model.get_by_label("Provider")).to_be_focused()
    assert ollama.requests + studio.requests == []

    noted = open_page(own_url, local=True)
    page, start = noted.page, noted.page.locator(".start")
    expect(start.get_by_role("group", name="Ollama on this machine").get_by_role("button")).to_have_count(2)
    start.get_by_text("2 more").click()
    assert noted.fits()
    go_on = threading.Event()

    def slow(exchange: Exchange) -> None:
        go_on.wait()
        exchange.begin()
        exchange.text("yes")
        exchange.finish()

    studio.replies(Exchange.stall, slow, "Yes.", ANSWER)  # the second last: which form of the prompt it gets
    button = start.get_by_role("button", name="Connect org/model-6")
    noted.reach(button)
    expect(noted.model.get_by_role("button", name="The model is reading the question…")).to_be_visible()
    noted.press(noted.model, "Stop")
    expect(noted.model.get_by_role("button", name="Try and connect")).to_be_focused()
    page.keyboard.press("Escape")
    button.click()
    expect(noted.model.get_by_role("button", name="The model is reading the question…")).to_be_visible()
    go_on.set()
    expect(noted.model).to_be_hidden()
    expect(page.get_by_role("button", name="Model: model-6")).to_be_visible()
    expect(start.get_by_text("A small model answers. It knows words, and what you teach it.")).to_be_hidden()
    noted.ask("What is akin to quick?")
    expect(noted.turn(0).locator(".answer")).to_have_text("from my machine")
    noted.open_model()
    expect(noted.model).to_contain_text(f"openai/org/model-6 at {studio.url} answers in this tab.")
    assert {request.path for request in ollama.requests} == {OPENAI_PATH}
    assert {request.path for request in studio.requests} == {OPENAI_PATH, "/v1/chat/completions"}
