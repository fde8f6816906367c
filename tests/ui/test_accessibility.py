"""Every screen in every language, light and dark: what axe-core finds, and how wide it is."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.ui.conftest import OpenPage
from tests.ui.noted_page import NotedPage
from tests.ui.windows import PHONE
from tools.screens import FIRST_USES, SCREENS
from ui.texts import languages

WIDTHS = (360, 768, 1280, 1600)
# Nothing but colours differs between light and dark.
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}
VIOLATIONS = """async (rules) => (await axe.run({ resultTypes: ["violations"], ...rules })).violations.map(
    ({ id, nodes }) => [id, ...nodes.map((node) => node.html.slice(0, 200))])"""
# What can be pressed and is lower or narrower than a finger needs. A field in its label is pressed by the label.
_TOO_SMALL = """(least) => [...document.querySelectorAll("button, a[href], input, select, textarea, summary, label")]
    .filter((part) => part.checkVisibility({ visibilityProperty: true }) && !part.closest("[aria-hidden=true]"))
    .filter((part) => !part.matches("label:not(:has(input)), label input, .visually-hidden"))
    .map((part) => [part, part.getBoundingClientRect()])
    .filter(([part, { width, height }]) => width > 2 && Math.min(width, height) < least - 0.5)
    .map(([part, { width, height }]) => `${part.outerHTML.slice(0, 100)}: ${width} × ${height}`)"""


@pytest.mark.parametrize("language", languages())
def test_no_screen_has_a_barrier_or_must_be_scrolled_sideways(own_url: str, open_page: OpenPage, language: str) -> None:
    noted = open_page(own_url, local=True, language=language)
    noted.page.evaluate(AXE_SCRIPT)
    found: dict[str, object] = {}
    for name, go in SCREENS.items():
        go(noted.page, FIRST_USES[language])
        for scheme, rules in RULES.items():
            show_in(noted.page, scheme)
            found[f"{name}, {scheme}"] = noted.page.evaluate(VIOLATIONS, rules)
        for width in WIDTHS:
            found[f"{name}, {width} pixels"] = wider_than(noted, width)
    assert {where: what for where, what in found.items() if what} == {}
    assert noted.page.locator("html").get_attribute("lang") == language


def test_on_a_phone_a_finger_hits_everything(own_url: str, open_page: OpenPage) -> None:
    noted = open_page(own_url, local=True, **PHONE)
    found: dict[str, object] = {}
    for name, go in SCREENS.items():
        go(noted.page, FIRST_USES["en"])
        found[name] = noted.page.evaluate(_TOO_SMALL, 40)
    assert {where: what for where, what in found.items() if what} == {}


def test_the_tabs_move_with_the_arrow_keys(embedded_url: str, open_page: OpenPage) -> None:
    page = open_page(embedded_url).page
    page.get_by_role("tab", name="Chat").focus()
    for key, name in (("ArrowRight", "Memory"), ("End", "Insights"), ("ArrowRight", "Chat"), ("ArrowLeft", "Insights"),
                      ("Home", "Chat")):  # fmt: skip
        page.keyboard.press(key)
        tab = page.get_by_role("tab", name=name, selected=True)
        expect(tab).to_be_focused()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()


def show_in(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    expect(page.locator("body.dark")).to_have_count(1 if scheme == "dark" else 0)


def wider_than(noted: NotedPage, width: int) -> int:
    """By how many pixels a window of this width would have to be scrolled sideways."""
    noted.page.set_viewport_size({"width": width, "height": 860})
    return noted.width() - width
