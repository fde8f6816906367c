"""Models are connected: those of servers that were found on this machine by one click, others by the dialog."""

import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from assistant.models.remote.connecting import USUAL_PORTS
from tests.support.servers.chat_server import ChatServer, Exchange
from tests.support.servers.model_lists import OPENAI_PATH, lists_openai
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage
from ui.words.texts import EXAMPLES

ANSWER = "<understanding>You want a synonym.</understanding>\n<answer>from my machine</answer>"


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ChatServer, ChatServer]]:
    """Stand where Ollama and LM Studio would."""
    with ChatServer() as ollama, ChatServer() as studio:
        lists_openai(ollama, "qwen2.5:1.5b", "llama3.2")
        lists_openai(studio, *(f"org/model-{number}" for number in range(7)))
        monkeypatch.setattr("assistant.models.remote.connecting._SECONDS", 10.0)  # the machine may be busy
        monkeypatch.setitem(USUAL_PORTS, "Ollama", ollama.port)
        monkeypatch.setitem(USUAL_PORTS, "LM Studio", studio.port)
        yield ollama, studio


@on_phone
def test_found_and_named_models_are_connected(
    own_url: str, open_page: OpenPage, servers: tuple[ChatServer, ChatServer]
) -> None:
    ollama, studio = servers
    visitor = open_page(own_url)
    expect(visitor.page.get_by_text(visitor.words["start_small"])).to_be_visible()
    expect(visitor.page.get_by_role("button", name="Use it")).to_have_count(0)
    visitor.press(visitor.page.locator(".head"), "Connect a model")
    expect(visitor.model.get_by_label("Provider")).to_be_focused()
    assert ollama.requests + studio.requests == []

    noted = open_page(own_url, local=True)
    page, start = noted.page, noted.page.locator(".start-models")
    expect(start.get_by_text("Ollama (qwen2.5:1.5b)")).to_be_visible()
    assert noted.fits()
    go_on = threading.Event()

    def slow(exchange: Exchange) -> None:
        go_on.wait()
        exchange.begin()
        exchange.text("yes")
        exchange.finish()

    studio.replies(Exchange.stall, slow, "Yes.", ANSWER)  # the second last: which form of the prompt it gets
    noted.reach(start.get_by_role("button", name="Use it: LM Studio (model-0)"))
    row = noted.model.get_by_role("listitem").filter(has_text="LM Studio")
    expect(row).to_contain_text("The model is reading the question…")
    expect(row.get_by_role("button", name="Stop")).to_be_focused()
    page.keyboard.press("Enter")
    use = row.get_by_role("button", name="Use it")
    expect(use).to_be_focused()
    page.keyboard.press("Escape")
    start.get_by_role("button", name="7 more").click()
    row.get_by_role("combobox", name="LM Studio").select_option("org/model-6")
    use.click()
    expect(row).to_contain_text("The model is reading the question…")
    go_on.set()
    expect(noted.model).to_be_hidden()
    expect(page.get_by_role("button", name="Model: model-6")).to_be_visible()
    expect(start).to_have_text("model-6 answers.")
    expect(page.get_by_role("button", name=EXAMPLES["connected"]["en"][0])).to_be_visible()
    noted.ask("What is akin to quick?")
    expect(noted.turn(0).locator(".answer")).to_have_text("from my machine")
    noted.open_model()
    expect(noted.model).to_contain_text(f"openai/org/model-6 at {studio.url} answers in this tab.")
    assert {request.path for request in ollama.requests} == {OPENAI_PATH}
    assert {request.path for request in studio.requests} == {OPENAI_PATH, "/v1/chat/completions"}
    _connect_a_server_of_ones_own(noted)


def _connect_a_server_of_ones_own(noted: NotedPage) -> None:
    """Name its address, first a wrong one, and choose what it lists; nothing that was written is lost."""
    page, dialog = noted.page, noted.model
    dialog.locator(".model-connect > summary").click()
    dialog.get_by_label("Provider").select_option(label="My own server")
    address, model = dialog.get_by_label("Address"), dialog.get_by_label("Model", exact=True)
    with ChatServer() as server:
        lists_openai(server, "one", "two")
        address.fill(server.url.removesuffix("/v1"))
        page.keyboard.press("Tab")
        expect(dialog.get_by_role("alert")).to_contain_text("it often ends in /v1")
        expect(address).to_have_value(server.url.removesuffix("/v1"))
        address.fill(server.url)
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_have_text("Choose a model. This server has one, two")
        expect(model).to_be_focused()
        expect(model).to_have_attribute("placeholder", "Choose from the list")
        names = dialog.locator("#model-names option").evaluate_all("all => all.map(({value}) => value)")
        assert names == ["one", "two"]
        assert noted.fits()
        box = model.bounding_box()
        assert box
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(2, 2)
        page.mouse.up()
        expect(model).to_be_visible()  # a press outside begins outside
        model.fill("two")
        address.fill("http://127.0.0.1:1/v1")
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_contain_text("Nothing answers at this address")
        # The button stays under the pointer although the error goes.
        address.fill(server.url)
        dialog.get_by_role("button", name=noted.words["model_use"], exact=True).click()
        expect(page.get_by_role("button", name="Model: two")).to_be_focused()
        noted.open_model()
        page.mouse.click(2, 2)
        expect(dialog).to_be_hidden()
