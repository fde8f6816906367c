"""Keys that an input method takes send and close nothing, in any field and any browser."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import NotedPage

# How browsers tell of a key during a composition; Safari tells of Enter after its end.
SAFARI, CHROME, OLD = {"keyCode": 229}, {"isComposing": True}, {"isComposing": True, "keyCode": 229}
_COMPOSE = """(field, [key, marks]) => {
    field.focus();
    field.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "क" }));
    const event = new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true, ...marks });
    return field.dispatchEvent(event);
}"""


def compose(field: Locator, key: str, marks: Mapping[str, object]) -> None:
    """Press a key that ends a composition. Its own work, as the input method wants it, is not prevented."""
    assert field.evaluate(_COMPOSE, [key, marks])


@pytest.mark.parametrize("marks", [SAFARI, CHROME, OLD])
def test_enter_of_an_input_method_sends_nothing(noted: NotedPage, marks: Mapping[str, object]) -> None:
    noted.message.fill("quick ka matlab")
    compose(noted.message, "Enter", marks)
    expect(noted.message).to_have_value("quick ka matlab")
    expect(noted.turns).to_have_count(0)
    noted.message.press("Enter")
    expect(noted.turns).to_have_count(1)


def test_no_half_composed_correction_is_saved(embedded_url: str, open_page: OpenPage) -> None:
    noted = open_page(embedded_url)
    noted.ask("What is akin to quick?")
    turn = noted.turn(0)
    turn.locator(".understood").click()
    noted.meant.fill("samanar")
    for key in ("Enter", "Escape"):
        compose(noted.meant, key, SAFARI)
        expect(noted.meant).to_have_value("samanar")
    noted.meant.press("Escape")
    expect(noted.meant).to_have_count(0)

    turn.locator(".edit-question").click()
    edited = turn.get_by_role("textbox", name=noted.words["edit_question_label"])
    for key in ("Enter", "Escape"):
        compose(edited, key, SAFARI)
    expect(edited).to_be_visible()
    edited.press("Escape")
    expect(edited).to_have_count(0)


def test_no_half_composed_change_of_a_note_is_saved(noted: NotedPage) -> None:
    noted.put_right("What is akin to quick?", "a synonym")
    noted.open_memory()
    noted.press(noted.entries.first, "Edit")
    field = noted.entries.first.get_by_role("textbox")
    field.fill("a syn")
    for key in ("Enter", "Escape"):
        compose(field, key, SAFARI)
        expect(field).to_have_value("a syn")
    field.press("Escape")
    expect(field).to_have_count(0)
