"""A person brings a model with its key, and makes tokens for programs: neither is seen on the page afterwards."""

import gc
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from assistant.models.remote.library import PROVIDERS
from assistant.models.remote.remote import RemoteModel
from tests.support.memory.keys import wait_until
from tests.support.people.api_client import ApiClient
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage

KEY = "sk-a-very-secret-key-0123456789"
# All that a browser keeps for a page.
KEPT = "() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, document.body.outerHTML])"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Stand where the provider would."""
    with ChatServer() as server:
        monkeypatch.setitem(PROVIDERS, "openai", server.url)
        yield server


@on_phone
def test_own_model_answers_until_stopped(noted: NotedPage, provider: ChatServer) -> None:
    answer = "<understanding>You want a synonym.</understanding>\n<answer>from my own</answer>"
    provider.replies(faults.refused_key, "yes", answer)
    page = noted.page
    noted.press(page.locator(".head"), "Connect a model")
    dialog = noted.model
    assert "NOTED_" not in dialog.inner_text()
    expect(dialog.get_by_label("Provider")).to_be_focused()
    expect(dialog.get_by_label("Address")).to_be_hidden()  # a visitor names none
    dialog.get_by_label("Provider").select_option("openai")
    dialog.get_by_label("Model", exact=True).fill("gpt-own")
    dialog.get_by_label("Key", exact=True).fill(KEY)
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("The server refused the key.")
    # Nothing of what was written is lost by it.
    expect(dialog.get_by_label("Model", exact=True)).to_have_value("gpt-own")
    expect(dialog.get_by_label("Key", exact=True)).to_have_value(KEY)
    noted.press(dialog, "Test and connect")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Model: gpt-own")).to_be_visible()
    noted.ask("What is akin to quick?")
    expect(noted.turn(0).locator(".answer")).to_have_text("from my own")
    assert provider.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in page.evaluate(KEPT)
    expect(noted.open_model()).to_contain_text("openai/gpt-own answers in this tab")
    noted.press(dialog, "Disconnect")
    expect(dialog).to_contain_text("No model is connected")
    page.keyboard.press("Escape")
    expect(page.locator(".head-chip")).to_be_focused()
    expect(page.locator(".head-chip")).to_have_text("Connect a model")
    noted.put_right("What is akin to brave?", "a synonym")
    assert len(provider.requests) == 3
    _connect_until_reload(noted, provider)
    noted.open_memory()
    expect(noted.entries).to_have_count(1)
    expect(page.get_by_role("button", name="Offer to everyone")).to_have_count(0)
    expect(page.locator(".offers-page")).to_be_hidden()
    expect(noted.open_settings()).to_contain_text("Usually")
    expect(page.locator("#tokens")).to_be_hidden()


def _connect_until_reload(noted: NotedPage, provider: ChatServer) -> None:
    """Connect a model, then reload the page, which deletes the key from the server, too."""
    provider.replies("yes")
    dialog = noted.open_model()
    dialog.get_by_label("Provider").select_option("openai")
    dialog.get_by_label("Model", exact=True).fill("gpt-own")
    dialog.get_by_label("Key", exact=True).fill(KEY)
    noted.press(dialog, "Test and connect")
    expect(noted.page.get_by_role("button", name="Model: gpt-own")).to_be_visible()
    noted.reload()
    expect(noted.page.locator(".head-chip")).to_have_text("Connect a model")
    expect(noted.page.get_by_text(noted.words["model_left"])).to_be_visible()
    wait_until(lambda: gc.collect() is not None and KEY not in map(_key, gc.get_objects()))


def _key(one: object) -> str | None:
    return one.api_key if type(one) is RemoteModel else None


def _make(noted: NotedPage, label: str) -> str:
    """Make a token by keyboard and return its secret."""
    noted.page.get_by_label(noted.words["token_label"]).focus()
    noted.page.keyboard.type(label)
    noted.page.keyboard.press("Enter")
    expect(noted.page.get_by_text(noted.words["token_made"])).to_be_visible()
    expect(noted.page.locator("#tokens").get_by_role("button", name=noted.words["copy"])).to_be_focused()
    return str(noted.page.locator("#tokens code").inner_text())


@on_phone
def test_token_is_made_copied_used_and_revoked(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url, local=True)
    noted.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    settings = noted.open_settings()
    panel = settings.locator("#tokens")
    expect(panel).to_contain_text(f"{embedded_url}mcp")
    _make(noted, "my desk")
    secret = _make(noted, "my <b>phone</b>")
    noted.page.keyboard.press("Enter")
    expect(panel.get_by_role("button", name="Copied")).to_be_focused()
    assert noted.page.evaluate("navigator.clipboard.readText()") == secret
    expect(panel.get_by_role("listitem")).to_contain_text(["my <b>phone</b>", "my desk"])
    program = ApiClient(embedded_url, secret)
    remembered = program.call("remember", question="What is akin to quick?", text="a synonym")

    noted.press(settings, "Close")
    noted.open_memory()
    expect(noted.entries).to_contain_text([remembered["text"]])
    noted.open_settings()
    expect(panel.locator(".tokens-made")).to_be_hidden()
    expect(panel.get_by_role("status")).to_be_hidden()
    assert secret not in noted.page.content()

    noted.press(panel, "Revoke: my <b>phone</b>")
    # What is being asked stays when the list is read anew.
    with noted.page.expect_response("**/page/tokens/look"):
        noted.page.evaluate("window.dispatchEvent(new CustomEvent('noted:memory', { detail: 'forgotten_all' }))")
    panel.get_by_role("button", name="Keep").press("Escape")
    expect(panel.get_by_role("button", name="Revoke: my <b>phone</b>")).to_be_focused()
    noted.page.keyboard.press("Enter")
    noted.press(panel, "Revoke: my <b>phone</b>")
    expect(panel.get_by_role("status")).to_have_text("Revoked.")
    expect(panel.get_by_role("button", name="Revoke: my desk")).to_be_focused()
    assert program.post("list").status_code == 401
    assert noted.fits()

    noted.page.keyboard.press("Escape")
    noted.press(noted.page, "Delete everything")
    noted.press(noted.page, "Delete everything")
    noted.open_settings()
    expect(panel.get_by_role("listitem")).to_have_count(0)
