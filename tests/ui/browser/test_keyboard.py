"""Everything by the keyboard, also with an input method, whose keys send and close nothing."""

from collections.abc import Mapping

from playwright.sync_api import Locator, expect

from tests.ui.browser.noted_page import NotedPage
from ui.words.texts import EXAMPLES

LIGHT = "What does light mean?"
# How browsers tell of a key during a composition; Safari tells of Enter after its end.
SAFARI, CHROME, OLD = {"keyCode": 229}, {"isComposing": True}, {"isComposing": True, "keyCode": 229}
_COMPOSE = """(field, [key, marks]) => {
    field.focus();
    field.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "क" }));
    const event = new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true, ...marks });
    return field.dispatchEvent(event);
}"""


def test_keyboard_does_everything_in_a_card(noted: NotedPage) -> None:
    _leave_out_and_stay_in_the_card(noted)
    _take_a_draft(noted)
    noted.begin_anew()
    keyboard, announcer = noted.page.keyboard, noted.page.locator(".announcer")
    noted.message.focus()
    keyboard.type(LIGHT)
    keyboard.press("Shift+Enter")
    keyboard.press("Backspace")
    keyboard.press("Enter")
    card = noted.turn(0)
    expect(noted.message).to_be_focused()
    sentence, opener = card.locator(".understood"), card.get_by_role("button", name="Not what I meant?")
    wrong = sentence.inner_text()
    noted.reach(opener, "Shift+Tab")
    expect(noted.meant).to_be_focused()
    expect(noted.meant).to_have_value("")
    keyboard.press("Enter")
    expect(card.get_by_role("alert")).to_have_text("Say what you meant.")
    keyboard.type("the opposite of it")
    keyboard.press("Escape")
    expect(opener).to_be_focused()
    keyboard.press("e")
    expect(noted.meant).to_have_value("the opposite of it")
    keyboard.press("Enter")
    expect(noted.turn(0).locator(".answer")).to_have_text("heavy")
    expect(opener).to_be_focused()
    expect(announcer).to_contain_text(f"Before: {wrong} Now: {sentence.inner_text()}")
    _undo_step_by_step(noted, card)
    card.get_by_role("radio", name="only this question").focus()
    keyboard.press("ArrowRight")
    noted.expect_reach(card, "reach_way")
    expect(card.get_by_role("radio", name="questions like it")).to_be_focused()
    _edit_the_question(noted, card)


def _undo_step_by_step(noted: NotedPage, card: Locator) -> None:
    """Undo two corrections of one card one after the other, and hear it."""
    sentence, said = card.locator(".understood"), []
    for meant in ("a synonym", "a rhyme for it"):
        said.append(sentence.inner_text())
        noted.correct(card, meant)
        expect(noted.turn(0).locator(".old")).to_have_text(said[-1])
    for before in reversed(said):
        noted.press(card, "Undo")
        expect(sentence).to_have_text(before)
    expect(card.locator(".answer")).to_have_text("heavy")
    expect(card.get_by_role("button", name="Undo")).to_be_visible()
    expect(noted.page.locator(".announcer")).to_contain_text("Undone.")
    expect(noted.page.locator(".announcer")).to_contain_text("heavy")


def _edit_the_question(noted: NotedPage, card: Locator) -> None:
    """Change the question itself, which keeps the answer of before."""
    opener = card.get_by_role("button", name="Edit")
    noted.reach(opener, "Shift+Tab")
    field = noted.page.get_by_role("textbox", name="Edit your question")
    expect(field).to_have_value(LIGHT)
    noted.think_again(opener)
    field.fill("What is akin to brave?")
    noted.page.keyboard.press("Enter")
    expect(noted.turn(0).locator(".question")).to_have_text("What is akin to brave?")
    noted.press(card, "Before")
    expect(card.locator(".before")).to_contain_text("heavy")
    expect(noted.page.get_by_role("button", name="Edit", exact=True)).to_have_count(1)
    noted.reload()
    expect(noted.turn(0).locator(".question")).to_have_text("What is akin to brave?")
    expect(noted.turns).to_have_count(1)


def _leave_out_and_stay_in_the_card(noted: NotedPage) -> None:
    noted.reach(noted.page.get_by_role("button", name=EXAMPLES["small"]["en"][0]))
    noted.turn(0)
    expect(noted.message).to_be_focused()
    noted.correct(noted.turn(0), "a synonym")
    noted.turn(0)
    noted.ask(EXAMPLES["small"]["en"][0])
    card = noted.turn(1)
    noted.reach(card.get_by_role("button", name="Why this answer"), "Shift+Tab")
    noted.reach(card.get_by_role("button", name="Don’t use here"))
    expect(card).to_contain_text("isn’t used here.")
    expect(card.get_by_role("button", name="Not what I meant?")).to_be_focused()
    noted.reach(card.get_by_role("button", name="Don’t use for questions like this"))
    resume = card.get_by_role("button", name="Resume")
    expect(resume).to_be_focused()
    expect(noted.page.locator(".announcer")).to_contain_text("isn’t used for questions like this.")
    noted.page.keyboard.press("Enter")
    expect(resume).to_have_count(0)
    expect(card.locator(":focus").or_(noted.page.locator("article:focus"))).to_be_visible()


def _take_a_draft(noted: NotedPage) -> None:
    words = noted.words
    noted.ask("What is the opposite of cold?")
    drafts = noted.why(noted.turn(2)).locator(".part-drafts")
    noted.reach(drafts.get_by_role("button", name=words["drafts_try"]))
    noted.reach(drafts.get_by_role("button", name=words["drafts_take"]).first)
    expect(noted.turn(2).locator(".answer").first).to_have_text("warm")
    noted.reach(drafts.get_by_role("button", name=words["undo"]))
    expect(noted.turn(2).locator(".answer").first).to_have_text("hot")


def compose(field: Locator, key: str, marks: Mapping[str, object] = SAFARI) -> None:
    """Press a key that ends a composition; the page does not prevent its default."""
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
