"""Keys that an input method takes send and close nothing, in any field and any browser."""

from collections.abc import Mapping

from playwright.sync_api import Locator, expect

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


def compose(field: Locator, key: str, marks: Mapping[str, object] = SAFARI) -> None:
    """Press a key that ends a composition. Its own work, as the input method wants it, is not prevented."""
    assert field.evaluate(_COMPOSE, [key, marks])


def compose_and_leave(field: Locator, text: str) -> None:
    """Press the keys that save and close, which do neither, and leave the field."""
    for key in ("Enter", "Escape"):
        compose(field, key)
        expect(field).to_have_value(text)
    field.press("Escape")
    expect(field).to_have_count(0)


def test_keys_of_an_input_method_save_nothing(noted: NotedPage) -> None:
    noted.message.fill("What is akin to quick?")
    for marks in (SAFARI, CHROME, OLD):
        compose(noted.message, "Enter", marks)
        expect(noted.message).to_have_value("What is akin to quick?")
    expect(noted.turns).to_have_count(0)
    noted.message.press("Enter")

    turn = noted.turn(0)
    noted.press(turn, noted.words["no_i_meant"])
    noted.meant.fill("samanar")
    compose_and_leave(noted.meant, "samanar")
    turn.locator(".edit-question").click()
    edited = turn.get_by_role("textbox", name=noted.words["edit_question_label"])
    compose_and_leave(edited, "What is akin to quick?")

    noted.correct(turn, "a synonym")
    noted.turn(0)
    noted.open_memory()
    noted.press(noted.entries.first, "Edit")
    compose_and_leave(noted.entries.first.get_by_role("textbox"), "a synonym")
