"""Tokens on the page, in a browser: one is made, shown once, used by a program and revoked, by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.support.api_client import ApiClient
from tests.ui.conftest import OpenPage, each_size
from tests.ui.noted_page import NotedPage


def _panel(noted: NotedPage) -> Locator:
    noted.open_memory()
    summary = noted.page.get_by_text(noted.words["programs_title"])
    expect(summary).to_be_visible()
    summary.focus()
    noted.page.keyboard.press("Enter")
    return noted.page.locator("#tokens")


def _make(noted: NotedPage, label: str) -> str:
    """Makes a token as it is done without a mouse; its secret."""
    noted.page.get_by_label(noted.words["token_label"]).focus()
    noted.page.keyboard.type(label)
    noted.page.keyboard.press("Enter")
    expect(noted.page.get_by_text(noted.words["token_made"])).to_be_visible()
    expect(noted.page.locator("#tokens").get_by_role("button", name=noted.words["copy"])).to_be_focused()
    return str(noted.page.locator("#tokens code").inner_text())


@each_size
def test_a_token_is_made_copied_used_and_revoked(own_url: str, open_page: OpenPage) -> None:
    noted = open_page(own_url, local=True)
    noted.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel = _panel(noted)
    expect(panel).to_contain_text(f"{own_url}mcp")
    _make(noted, "my desk")
    secret = _make(noted, "my <b>phone</b>")
    noted.page.keyboard.press("Enter")
    expect(panel.get_by_role("button", name="Copied")).to_be_focused()
    assert noted.page.evaluate("navigator.clipboard.readText()") == secret
    expect(panel.get_by_role("listitem")).to_contain_text(["my <b>phone</b>", "my desk"])
    program = ApiClient(own_url, secret)
    remembered = program.call("remember", question="What is akin to quick?", meant="a synonym")

    noted.page.get_by_role("tab", name="Chat").click()
    noted.open_memory()
    expect(noted.entries).to_contain_text([remembered["meant"]])
    expect(panel.locator(".tokens-made")).to_be_hidden()
    assert secret not in noted.page.content()

    noted.press(panel, "Revoke: my <b>phone</b>")
    expect(panel.get_by_role("button", name="Keep")).to_be_focused()
    noted.page.keyboard.press("Escape")
    expect(panel.get_by_role("button", name="Revoke: my <b>phone</b>")).to_be_focused()
    noted.page.keyboard.press("Enter")
    noted.press(panel, "Revoke: my <b>phone</b>")
    expect(panel.get_by_role("status")).to_have_text("Revoked.")
    expect(panel.get_by_role("button", name="Revoke: my desk")).to_be_focused()
    assert program.post("list").status_code == 401
    assert noted.width() == noted.page.viewport_size["width"]  # type: ignore[index]

    noted.press(noted.page, "Forget everything about me")
    noted.press(noted.page, "Forget everything")
    expect(panel.get_by_role("listitem")).to_have_count(0)


def test_a_visitor_is_offered_none(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.open_memory()
    expect(noted.page.get_by_text("Nothing is remembered yet.")).to_be_visible()
    expect(noted.page.locator("#tokens")).to_be_hidden()
