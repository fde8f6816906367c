"""Signing in and out with a password, in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.support.people.passwords import PEOPLE, with_passwords
from tests.support.people.windows import Windows
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.test_looks import RULES, VIOLATIONS, show_in
from tests.ui.conftest import served_here
from ui.words.texts import languages, texts

pytestmark = pytest.mark.promise("sign-in")


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Serve the application on this machine with sign-in by password."""
    yield from served_here(tmp_path, with_passwords())


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PEOPLE[name])
    page.get_by_role("button", name="Sign in").click()


@on_phone
def test_users_sign_in_and_out(url: str, open_page: OpenPage, windows: Windows) -> None:
    with windows.lend(locale="en", viewport={"width": 360, "height": 740}) as context:
        page = context.new_page()
        page.goto(url)
        for language in reversed(languages()):
            page.get_by_role("combobox").select_option(language)
            _mistype_the_password(page, language)
    noted = open_page(url, local=True, sign_in=lambda page: sign_in(page, "ann"))
    noted.put_right("What is akin to quick?", "I meant a synonym")
    noted.sign_out("ann")
    sign_in(noted.page, "bob")
    expect(noted.of_head("link", "Sign out (bob)")).to_be_visible()
    expect(noted.turns).to_have_count(0)
    noted.open_memory()
    expect(noted.page.get_by_text("No memories yet.")).to_be_visible()


def _mistype_the_password(page: Page, language: str) -> None:
    words = texts(language)
    expect(page.get_by_role("heading", name=words["sign_in_title"])).to_be_visible()
    page.get_by_label(words["sign_in_name"]).fill("ann")
    page.get_by_label(words["sign_in_password"]).fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(words["sign_in_wrong"])
    expect(page.get_by_label(words["sign_in_password"])).to_be_focused()
    expect(page.locator("html")).to_have_attribute("lang", language)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.evaluate(AXE_SCRIPT)
    for scheme, rules in RULES.items():
        show_in(page, scheme)
        assert page.evaluate(VIOLATIONS, rules) == []
