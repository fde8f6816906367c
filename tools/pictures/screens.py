"""Screens of the page, each reached as a user would, in any of its languages.

`tools.pictures.take_pictures` takes a picture of each screen, and the tests check it with axe-core. Add new
screens here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from playwright.sync_api import Locator, Page, expect

from ui.words.texts import EXAMPLES, texts


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
        "I meant difficult",
        "the opposite of hard",
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


Step: TypeAlias = Callable[[Page, FirstUse], object]
CARD, LAST_CARD = "role=article >> nth=0", "role=article >> nth=-1"
WHY = f"{LAST_CARD} >> .why"
ENTRY = "#memory .memory-entry >> nth=0"
TOOL = ".tool:has(#{}) > .buttons button"
"""The first button of a card of Teach, which opens it."""


def show(page: Page, use: FirstUse, screen: str) -> None:
    """Go to a screen from the one before."""
    for step in SCREENS[screen]:
        step(page, use)


def _find(page: Page, use: FirstUse, within: str, button: str) -> Locator:
    """Return the first place that a selector finds, or the first button with this word of the interface in it."""
    place = page.locator(within)
    return (place.get_by_role("button", name=use.words[button]) if button else place).first


def click(within: str, button: str = "") -> Step:
    return lambda page, use: _find(page, use, within, button).click()


def see(within: str, button: str = "") -> Step:
    return lambda page, use: expect(_find(page, use, within, button)).to_be_visible()


def key(name: str) -> Step:
    return lambda page, _: page.keyboard.press(name)


def write(text: str) -> Step:
    """Type an input of the first use, or else the text itself."""
    return lambda page, use: page.keyboard.type(getattr(use, text, text))


def fill(selector: str, text: str, then: str = "End") -> Step:
    """Fill a field with an input of the first use, or else with the text itself, and press a key."""

    def step(page: Page, use: FirstUse) -> None:
        page.locator(selector).fill(getattr(use, text, text))
        page.locator(selector).press(then)

    return step


def settle(number: int) -> Step:
    """Wait for an answer."""
    return lambda page, _: expect(page.get_by_role("article").nth(number)).to_have_attribute("aria-busy", "false")


def send(text: str, number: int) -> Step:
    """Send a message, and wait for its answer."""

    def step(page: Page, use: FirstUse) -> None:
        field = page.get_by_role("textbox", name=use.words["message"])
        field.fill(getattr(use, text, text))
        field.press("Enter")
        field.blur()
        settle(number)(page, use)

    return step


def head(word: str, role: Literal["button", "tab"] = "tab") -> Step:
    """Press a control of the header or the list of conversations, which on a phone is in a menu."""

    def step(page: Page, use: FirstUse) -> None:
        expect(page.locator(".head-chip")).to_be_visible()  # the page is loaded
        wanted = page.get_by_role(role, name=use.words[word])
        if not wanted.is_visible():
            page.get_by_role("button", name=use.words["menu"]).click()
        wanted.click()

    return step


def _begin_conversation(page: Page, use: FirstUse) -> None:
    head("new_conversation", "button")(page, use)
    expect(page.get_by_role("article")).to_have_count(0)


def _open_menus(page: Page, use: FirstUse) -> None:
    """Open the menu of a conversation; on a phone, the list is in a drawer."""
    menu = page.get_by_role("button", name=use.words["menu"])
    if menu.is_visible():
        menu.click()
    expect(page.locator(".talk")).to_have_count(2)
    page.locator(".talk-change").last.click()


def _close_drawer(page: Page, _use: FirstUse) -> None:
    page.keyboard.press("Escape")
    if page.locator(".head-drawer[open]").count():
        page.keyboard.press("Escape")


def _choose_own_server(page: Page, use: FirstUse) -> None:
    page.get_by_label(use.words["model_provider"]).select_option(label=use.words["model_own_server"])


def _see_what_is_blanked(page: Page, use: FirstUse) -> None:
    expect(page.locator(".entry-sure")).to_contain_text(use.words["forget_blanks_other"].split("{count}")[1].strip())


def _open_earlier(page: Page, use: FirstUse) -> None:
    page.locator(ENTRY).get_by_text(use.words["earlier_one"].format(count=1)).click()


def _make_tokens(page: Page, use: FirstUse) -> None:
    """Make two tokens, and be about to revoke one."""
    field = page.get_by_label(use.words["token_label"])
    for label in (use.meant, use.question):
        field.fill(label)
        field.press("Enter")
        expect(field).to_have_value("")
    page.locator("#tokens li button").last.click()


def _tell_at_teach(page: Page, use: FirstUse) -> None:
    field = page.get_by_role("textbox", name=use.words["teach_sentence"])
    field.fill(use.told)
    field.press("Enter")


def _see_nothing_to_keep(page: Page, _use: FirstUse) -> None:
    expect(page.locator("#learn").get_by_role("checkbox")).to_have_count(0)


CASES = "question,answer\n" + "Who is my mother's brother?, uncle\n" * 15
SCREENS: Mapping[str, Sequence[Step]] = {
    "no_insights": [head("tab_insights"), lambda page, use: page.get_by_text(use.words["helped_none"]).wait_for()],
    "start": [head("tab_chat"), lambda page, use: page.get_by_role("button", name=use.question).wait_for()],
    "answer": [lambda page, use: page.get_by_role("button", name=use.question).click(), settle(0)],
    "correcting": [click(CARD, "no_i_meant"), write("meant")],
    "saved": [key("Enter"), settle(0)],
    "comparing": [click(CARD, "more"), click(CARD, "compare")],
    "used": [click(CARD, "compare"), send("other", 1)],
    "why": [click(LAST_CARD, "why_this")],
    "editing": [click(f"{LAST_CARD} >> .edit-question"), key("End")],
    # Two conversations, one with its menu.
    "conversations": [_begin_conversation, send("other", 0), _open_menus],
    # The connected model, the place of the memory, and the form to connect another model.
    "model": [_close_drawer, click(".head-chip"), _choose_own_server],
    "told": [key("Escape"), send("fact", 1), see(LAST_CARD, "undo")],
    "reasons": [send("follows", 2), click(LAST_CARD, "why_this"), see(WHY, "why_wrong")],
    "disputing": [click(LAST_CARD, "why_wrong")],
    "memory": [head("tab_memory"), click("#memory .entry-unfold")],
    "forgetting": [click(ENTRY, "forget"), _see_what_is_blanked],
    # An entry with its earlier version.
    "earlier": [
        key("Escape"), click(ENTRY, "edit"), fill(f"{ENTRY} >> role=textbox", "follows", "Control+Enter"),
        _open_earlier, click("body", "take_back"),
    ],
    "insights": [head("tab_insights"), see(".insight-counts")],
    "settings": [key("Escape"), head("settings", "button"), _make_tokens],
    # A fact that was saved from a message. The question about a token and the dialog are closed before.
    "saved_fact": [
        key("Escape"), key("Escape"), head("tab_chat"), _begin_conversation, send("told", 0), see(".part-facts"),
    ],
    "teach": [head("tab_teach"), _tell_at_teach, see(".tell-saved button")],
    "learning": [
        click(TOOL.format("learn")), fill("#learn textarea", "told"), click("#learn", "learn_read"),
        see("#learn >> role=checkbox"),
    ],
    # All facts about a thing, with a line about to be deleted.
    "sheet": [
        click("#learn", "learn_keep_all"), _see_nothing_to_keep, click(TOOL.format("sheet")),
        click("#sheet tbody button"), see("#sheet .sheet-thing"), click("#sheet tbody", "forget"),
    ],
    "practised": [
        key("Escape"), click(TOOL.format("practice")), fill("#practice textarea", CASES),
        click("#practice", "practice_start"), see("#practice", "practice_throw"),
    ],
    # A lesson proposed from feedback, outside of practice.
    "lesson": [
        head("tab_chat"), _begin_conversation, send("Dana is my manager.", 0), send("Who is my manager?", 1),
        click(LAST_CARD, "why_this"), click(f"{WHY} .part-reasons", "more"),
        click(f"{WHY} .part-reasons", "why_answer"), write("Priya"), key("Enter"), see(".part-lessons .draft"),
    ],
    # A suggestion while it is changed.
    "suggestions": [head("tab_teach"), click(".suggestion", "keep_change")],
    "other_ways": [
        key("Escape"), head("tab_chat"), send("What rhymes with night?", 2), click(LAST_CARD, "why_this"),
        click(f"{WHY} .part-drafts", "drafts_try"), see(f"{WHY} .part-drafts", "drafts_take"),
    ],
}  # fmt: skip
"""Screens by name, in order: each starts from the one before."""
