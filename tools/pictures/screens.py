"""Screens of the page, each reached as a user would, in any of its languages.

`tools.pictures.take_pictures` takes a picture of each, and the tests check each with axe-core. Add new screens here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Locator, Page, expect

from ui.server.status import EXAMPLES
from ui.words.texts import texts


@dataclass(frozen=True, slots=True)
class FirstUse:
    """Inputs of a first-time user in one language of the page."""

    language: str
    meant: str  # correction of the first example
    other: str  # the first example in another wording
    fact: str
    follows: str  # a question that the fact answers
    told: str  # a fact about two things

    @property
    def question(self) -> str:
        """Return the first example of the page."""
        return EXAMPLES["small"][self.language][0]

    @property
    def words(self) -> Mapping[str, str]:
        return texts(self.language)


FIRST_USES = {
    "en": FirstUse(
        "en",
        "the opposite of it",
        "what does bank mean",
        "Dana works in Pune",
        "where does Dana work?",
        "my manager is Dana",
    ),
    "hi": FirstUse(
        "hi",
        "उसका उल्टा",
        "ठंडा का मतलब क्या होता है?",
        "रवि पुणे में काम करता है",
        "रवि कहाँ काम करता है?",
        "मेरा मैनेजर डाना है",
    ),
    "pa": FirstUse(
        "pa",
        "ਉਸ ਦਾ ਉਲਟਾ",
        "ਠੰਡਾ ਦਾ ਮਤਲਬ ਕੀ ਹੁੰਦਾ ਹੈ?",
        "ਰਵੀ ਪੁਣੇ ਵਿੱਚ ਕੰਮ ਕਰਦਾ ਹੈ",
        "ਰਵੀ ਕਿੱਥੇ ਕੰਮ ਕਰਦਾ ਹੈ?",
        "ਮੇਰਾ ਮੈਨੇਜਰ ਡਾਨਾ ਹੈ",
    ),
}


def _of_head(page: Page, use: FirstUse, role: Literal["button", "tab"], name: str) -> Locator:
    """Return a control of the header or the list of conversations, which on a phone is in a menu."""
    expect(page.locator(".head-chip")).to_be_visible()  # the page is loaded
    wanted = page.get_by_role(role, name=use.words[name])
    if not wanted.is_visible():
        page.get_by_role("button", name=use.words["menu"]).click()
    return wanted


def _no_insights(page: Page, use: FirstUse) -> None:
    _of_head(page, use, "tab", "tab_insights").click()
    expect(page.get_by_text(use.words["helped_none"])).to_be_visible()


def _start(page: Page, use: FirstUse) -> None:
    _of_head(page, use, "tab", "tab_chat").click()
    expect(page.get_by_role("button", name=use.question)).to_be_visible()


def _answer(page: Page, use: FirstUse) -> None:
    page.get_by_role("button", name=use.question).click()
    _settled(page, 0)


def _correcting(page: Page, use: FirstUse) -> None:
    page.get_by_role("article").first.get_by_role("button", name=use.words["no_i_meant"]).click()
    page.keyboard.type(use.meant)


def _saved(page: Page, _use: FirstUse) -> None:
    page.keyboard.press("Enter")
    _settled(page, 0)


def _comparing(page: Page, use: FirstUse) -> None:
    page.get_by_role("article").first.get_by_role("button", name=use.words["more"]).click()
    page.get_by_role("article").first.get_by_role("button", name=use.words["compare"]).click()


def _used(page: Page, use: FirstUse) -> None:
    page.get_by_role("article").first.get_by_role("button", name=use.words["compare"]).click()
    _send(page, use, use.other)
    _settled(page, 1)


def _open_why(page: Page, use: FirstUse) -> None:
    _why(page.get_by_role("article").last, use)


def _editing(page: Page, use: FirstUse) -> None:
    page.get_by_role("article").last.locator(".edit-question").click()
    page.get_by_role("textbox", name=use.words["edit_question_label"]).press("End")


def _conversations(page: Page, use: FirstUse) -> None:
    """Show two conversations, one with its menu; on a phone, in a drawer."""
    _of_head(page, use, "button", "new_conversation").click()
    expect(page.get_by_role("article")).to_have_count(0)
    _send(page, use, use.other)
    _settled(page, 0)
    menu = page.get_by_role("button", name=use.words["menu"])
    if menu.is_visible():
        menu.click()
    expect(page.locator(".talk")).to_have_count(2)
    page.locator(".talk-change").last.click()


def _model(page: Page, use: FirstUse) -> None:
    """Show the connected model, the place of the memory, and the form to connect another model."""
    page.keyboard.press("Escape")
    if page.locator(".head-drawer[open]").count():
        page.keyboard.press("Escape")
    page.locator(".head-chip").click()
    page.get_by_label(use.words["model_provider"]).select_option(label=use.words["model_own_server"])


def _told(page: Page, use: FirstUse) -> None:
    page.keyboard.press("Escape")
    _send(page, use, use.fact)
    expect(_settled(page, 1).get_by_role("button", name=use.words["undo"])).to_be_visible()


def _reasons(page: Page, use: FirstUse) -> None:
    _send(page, use, use.follows)
    turn = _why(_settled(page, 2), use)
    expect(turn.get_by_role("button", name=use.words["why_wrong"])).to_be_visible()


def _disputing(page: Page, use: FirstUse) -> None:
    page.get_by_role("article").last.get_by_role("button", name=use.words["why_wrong"]).click()


def _memory(page: Page, use: FirstUse) -> None:
    _of_head(page, use, "tab", "tab_memory").click()
    page.locator("#memory .entry-unfold").first.click()


def _forgetting(page: Page, use: FirstUse) -> None:
    """Show the confirmation of a deletion."""
    page.locator("#memory .memory-entry").first.get_by_role("button", name=use.words["forget"]).click()
    expect(page.locator(".entry-sure")).to_contain_text(use.words["forget_blanks_other"].split("{count}")[1].strip())


def _earlier(page: Page, use: FirstUse) -> None:
    """Show an entry with its earlier version."""
    page.keyboard.press("Escape")
    entry = page.locator("#memory .memory-entry").first
    entry.get_by_role("button", name=use.words["edit"]).first.click()
    entry.get_by_role("textbox").fill(use.follows)
    page.keyboard.press("Control+Enter")
    entry.get_by_text(use.words["earlier_one"].format(count=1)).click()
    page.get_by_role("button", name=use.words["take_back"]).click()


def _insights(page: Page, use: FirstUse) -> None:
    _of_head(page, use, "tab", "tab_insights").click()
    expect(page.locator(".insight-counts")).to_be_visible()


def _settings(page: Page, use: FirstUse) -> None:
    """Show two tokens, one about to be revoked."""
    page.keyboard.press("Escape")
    _of_head(page, use, "button", "settings").click()
    field = page.get_by_label(use.words["token_label"])
    for label in (use.meant, use.question):
        field.fill(label)
        field.press("Enter")
        expect(field).to_have_value("")
    page.locator("#tokens li button").last.click()


def _saved_fact(page: Page, use: FirstUse) -> None:
    """Show a fact that was saved from a message."""
    for _ in range(2):  # the question, and the dialog
        page.keyboard.press("Escape")
    _of_head(page, use, "tab", "tab_chat").click()
    _of_head(page, use, "button", "new_conversation").click()
    expect(page.get_by_role("article")).to_have_count(0)
    _send(page, use, use.told)
    expect(_settled(page, 0).locator(".part-facts")).to_be_visible()


def _teach(page: Page, use: FirstUse) -> None:
    """Show the cards, with a fact just saved."""
    _of_head(page, use, "tab", "tab_teach").click()
    field = page.get_by_role("textbox", name=use.words["teach_sentence"])
    field.fill(use.told)
    field.press("Enter")
    expect(page.locator(".tell-saved button")).to_be_visible()


def _tool(page: Page, name: str) -> Locator:
    """Open a card by its first button; return its panel."""
    page.locator(f".tool:has(#{name}) > .buttons button").first.click()
    return page.locator(f"#{name}")


def _sheet(page: Page, use: FirstUse) -> None:
    """Keep what was read, and show all facts about a thing, with a line about to be deleted."""
    page.locator("#learn").get_by_role("button", name=use.words["learn_keep_all"]).click()
    expect(page.locator("#learn").get_by_role("checkbox")).to_have_count(0)
    sheet = _tool(page, "sheet")
    sheet.locator("tbody button").first.click()
    expect(sheet.locator(".sheet-thing")).to_be_visible()
    sheet.locator("tbody").get_by_role("button", name=use.words["forget"]).first.click()


def _learning(page: Page, use: FirstUse) -> None:
    learn = _tool(page, "learn")
    learn.locator("textarea").fill(use.told)
    learn.get_by_role("button", name=use.words["learn_read"]).click()
    expect(learn.get_by_role("checkbox")).to_be_visible()


def _practised(page: Page, use: FirstUse) -> None:
    page.keyboard.press("Escape")
    practice = _tool(page, "practice")
    practice.locator("textarea").fill("question,answer\n" + "Who is my mother's brother?, uncle\n" * 15)
    practice.get_by_role("button", name=use.words["practice_start"]).click()
    expect(practice.get_by_role("button", name=use.words["practice_throw"])).to_be_visible()


def _lesson(page: Page, use: FirstUse) -> None:
    """Show a lesson proposed from feedback, outside of practice."""
    _of_head(page, use, "tab", "tab_chat").click()
    _of_head(page, use, "button", "new_conversation").click()
    expect(page.get_by_role("article")).to_have_count(0)
    _send(page, use, "Dana is my manager.")
    _settled(page, 0)
    _send(page, use, "Who is my manager?")
    part = _why(_settled(page, 1), use).locator(".part-reasons")
    part.get_by_role("button", name=use.words["more"]).click()
    part.get_by_role("button", name=use.words["why_answer"]).click()
    page.keyboard.type("Priya")
    page.keyboard.press("Enter")
    expect(page.locator(".part-lessons .draft")).to_be_visible()


def _suggestions(page: Page, use: FirstUse) -> None:
    """Show a suggestion while it is changed."""
    _of_head(page, use, "tab", "tab_teach").click()
    page.locator(".suggestion").first.get_by_role("button", name=use.words["keep_change"]).click()


def _other_ways(page: Page, use: FirstUse) -> None:
    page.keyboard.press("Escape")
    _of_head(page, use, "tab", "tab_chat").click()
    _send(page, use, "What sounds like night?")
    part = _why(_settled(page, 2), use).locator(".part-drafts")
    part.get_by_role("button", name=use.words["drafts_try"]).click()
    expect(part.get_by_role("button", name=use.words["drafts_take"]).first).to_be_visible()


def _why(turn: Locator, use: FirstUse) -> Locator:
    """Open *Why this answer*."""
    turn.get_by_role("button", name=use.words["why_this"]).click()
    return turn.locator(".why")


def _send(page: Page, use: FirstUse, text: str) -> None:
    field = page.get_by_role("textbox", name=use.words["message"])
    field.fill(text)
    field.press("Enter")
    field.blur()


def _settled(page: Page, number: int) -> Locator:
    turn = page.get_by_role("article").nth(number)
    expect(turn).to_have_attribute("aria-busy", "false")
    return turn


SCREENS: Mapping[str, Callable[[Page, FirstUse], None]] = {
    "no_insights": _no_insights,
    "start": _start,
    "answer": _answer,
    "correcting": _correcting,
    "saved": _saved,
    "comparing": _comparing,
    "used": _used,
    "why": _open_why,
    "editing": _editing,
    "conversations": _conversations,
    "model": _model,
    "told": _told,
    "reasons": _reasons,
    "disputing": _disputing,
    "memory": _memory,
    "forgetting": _forgetting,
    "earlier": _earlier,
    "insights": _insights,
    "settings": _settings,
    "saved_fact": _saved_fact,
    "teach": _teach,
    "learning": _learning,
    "sheet": _sheet,
    "practised": _practised,
    "lesson": _lesson,
    "suggestions": _suggestions,
    "other_ways": _other_ways,
}
"""Screens by name, in order: each starts from the one before."""
