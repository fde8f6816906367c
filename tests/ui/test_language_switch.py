"""A page in Hindi that is switched to Punjabi with the keyboard, in the middle of a conversation."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import OpenPage, each_size
from tools.screens import FIRST_USES
from ui.texts import texts

HINDI, PUNJABI = texts("hi"), texts("pa")
LATIN = re.compile("[A-Za-z]{3}")
NAMES = re.compile("Noted|NOTED_MODEL|English|Ctrl|Enter|Esc|UTC|/[^ ]*|[0-9a-f]{8}")


def latin_on(page: Page) -> list[str]:
    """What the page itself says in Latin letters; not what people and models wrote, nor names."""
    said: list[str] = page.evaluate(
        """() => {
            const visible = Array.from(document.querySelectorAll("body *")).filter((node) => node.checkVisibility());
            const own = visible.filter((node) => !node.closest("[dir=auto], .announcer, [data-id]"));
            const texts = own.flatMap((node) => Array.from(node.childNodes).filter((child) => child.nodeType === 3));
            return [...texts.map((text) => text.data), ...own.map((node) => node.getAttribute("aria-label") ?? "")];
        }"""
    )
    return [text for text in said if LATIN.search(NAMES.sub("", text))]


@each_size
def test_the_page_and_the_server_speak_the_language_that_is_chosen(embedded_url: str, open_page: OpenPage) -> None:
    use = FIRST_USES["hi"]
    noted = open_page(embedded_url, language="hi")
    page = noted.page
    expect(page).to_have_title(HINDI["page_title"])
    page.get_by_role("button", name=use.question).click()
    noted.correct(noted.turn(0), use.meant)
    why = noted.turn(1).locator(".entry-why")
    noted.turn(1).locator("summary").click()
    expect(why).to_contain_text("आपने अभी-अभी यह बताया, इसलिए यह लागू है।")
    expect(page.locator(".announcer")).to_contain_text(HINDI["from_memory"])
    assert latin_on(page) == []

    noted.message.fill("half a question")
    page.get_by_role("button", name="ਪੰਜਾਬੀ").focus()
    page.keyboard.press("Enter")
    noted.words = PUNJABI
    expect(page).to_have_title(PUNJABI["page_title"])
    expect(noted.message).to_have_value("half a question")
    expect(page.get_by_role("button", name="ਪੰਜਾਬੀ", pressed=True)).to_be_visible()
    noted.turn(1).locator("summary").click()
    expect(why).to_contain_text("ਤੁਸੀਂ ਹੁਣੇ-ਹੁਣੇ ਇਹ ਦੱਸਿਆ, ਇਸ ਲਈ ਇਹ ਲਾਗੂ ਹੈ।")
    noted.open_memory()
    noted.press(noted.entries.first, PUNJABI["forget"])
    noted.press(noted.entries.first, PUNJABI["forget_yes"])
    expect(page.locator(".memory-receipt")).to_contain_text("ਮਿਟਾਇਆ ਗਿਆ: 1 ਸਪਸ਼ਟੀਕਰਨ")
    assert latin_on(page) == []

    # On the same tab, with the focus where it was; and a new conversation is begun where it is seen.
    page.get_by_role("button", name="हिन्दी").click()
    expect(page.get_by_role("tab", name=HINDI["tab_memory"], selected=True)).to_be_visible()
    expect(page.get_by_role("button", name="हिन्दी", pressed=True)).to_be_focused()
    page.get_by_role("button", name=HINDI["new_conversation"]).click()
    expect(page.get_by_role("tab", name=HINDI["tab_chat"], selected=True)).to_be_visible()
    expect(noted.turns).to_have_count(0)
    page.get_by_role("button", name="ਪੰਜਾਬੀ").click()
    expect(page).to_have_title(PUNJABI["page_title"])

    tab = noted.another_tab("pa")
    expect(tab.page.locator("html")).to_have_attribute("lang", "pa")
    tab.press(tab.page, "English")
    expect(tab.page.get_by_role("tab", name="Memory")).to_be_visible()


@pytest.mark.parametrize(("locale", "language"), [("fr-FR", "en"), ("pa-IN", "pa")])
def test_what_is_too_long_is_refused_in_the_language_of_the_browser(
    embedded_url: str, open_page: OpenPage, locale: str, language: str
) -> None:
    noted = open_page(embedded_url, language=language, locale=locale)
    noted.narrow()
    noted.ask("a " * 5_000)
    beginning = {"en": "This is 9,999 characters long", "pa": "ਇਹ 9,999 ਅੱਖਰ ਲੰਮਾ ਹੈ"}[language]
    expect(noted.page.get_by_role("alert")).to_contain_text(beginning)
    expect(noted.page.locator("html")).to_have_attribute("lang", language)
