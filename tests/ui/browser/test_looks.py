"""Looks of the page: axe-core on every screen, width, dark mode, languages and weight."""

import re

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, Response, expect

from tests.support.memory.keys import wait_until
from tests.support.people.windows import Windows
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import PATIENCE_MS, PHONE_WIDTH, NotedPage
from tools.pictures.screens import FIRST_USES, SCREENS, show
from ui.words.texts import EXAMPLES, texts

WIDTHS = (1280, PHONE_WIDTH)
# Nothing but colours differs between light and dark.
BACKGROUND = {False: "rgb(251, 251, 249)", True: "rgb(19, 20, 22)"}
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}
VIOLATIONS = """async (rules) => {
    const { violations } = await axe.run({ resultTypes: ["violations"], preload: false, ...rules });
    return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html.slice(0, 200))]);
}"""
# What can be pressed and is lower or narrower than a finger needs. A field in its label is pressed by the label.
_TOO_SMALL = """(least) => [...document.querySelectorAll("button, a[href], input, select, textarea, summary, label")]
    .filter((part) => part.checkVisibility({ visibilityProperty: true }) && !part.closest("[aria-hidden=true]"))
    .filter((part) => !part.matches("label:not(:has(input)), label input, .visually-hidden"))
    .map((part) => [part, part.getBoundingClientRect()])
    .filter(([part, { width, height }]) => width > 2 && Math.min(width, height) < least - 0.5)
    .map(([part, { width, height }]) => `${part.outerHTML.slice(0, 100)}: ${width} × ${height}`)"""
_HINDI, _PUNJABI = texts("hi"), texts("pa")
_LATIN = re.compile("[A-Za-z]{3}")
_NAMES = re.compile("Noted|English|Ctrl|Enter|Esc|UTC|/[^ ]*|[0-9a-f]{8}")
_LONG = "Donaudampfschifffahrtsgesellschaft" * 12
_MOST_BYTES = 150_000
_MOST_REQUESTS = 15
# Where the content of an open tab begins.
_STARTS = """(tab) => {
    const pane = document.getElementById(document.querySelector(tab).getAttribute("aria-controls"));
    const content = pane.querySelector(".content, .turns");
    return Math.round(content.getBoundingClientRect().x + parseFloat(getComputedStyle(content).paddingLeft));
}"""
# Notes when a frame was last asked for.
_NOTE_FRAMES = """
    const ask = window.requestAnimationFrame;
    window.requestAnimationFrame = (draw) => ((window.askedAt = performance.now()), ask(draw));
"""
_IS_AT_REST = "() => performance.now() - (window.askedAt ?? 0) > 700"
_BRIGHTNESS = "node => getComputedStyle(node).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"


@on_phone
def test_screens_have_no_barrier(own_url: str, open_page: OpenPage) -> None:
    """Check every screen in the language with the longest words: size of controls, and axe-core in light and dark."""
    noted = open_page(own_url, local=True, language="pa")
    noted.page.evaluate(AXE_SCRIPT)
    found: dict[str, object] = {}
    for name in SCREENS:
        show(noted.page, FIRST_USES["pa"], name)
        found[f"{name}, under a finger"] = noted.page.evaluate(_TOO_SMALL, 40)
        show_in(noted.page, "dark")
        found[f"{name}, dark"] = noted.page.evaluate(VIOLATIONS, RULES["dark"])
        show_in(noted.page, "light")
        for width in WIDTHS:
            noted.page.set_viewport_size({"width": width, "height": 860})
            found[f"{name}, {width} pixels"] = noted.width() - width
            if width == WIDTHS[0]:
                found[f"{name}, light"] = noted.page.evaluate(VIOLATIONS, RULES["light"])
    assert {where: what for where, what in found.items() if what} == {}
    assert noted.page.locator("html").get_attribute("lang") == "pa"


def _is_dark(noted: NotedPage) -> bool:
    expect(noted.page.get_by_role("button", name=EXAMPLES["small"]["en"][0])).to_be_visible()
    background = noted.page.locator("body").evaluate(_BRIGHTNESS)
    writing = noted.page.get_by_role("heading", name="Noted").evaluate(_BRIGHTNESS.replace("backgroundColor", "color"))
    return bool(sum(background) < sum(writing))


def test_frame_stays_in_every_window(embedded_url: str, open_page: OpenPage) -> None:
    """Check a desk, a phone, a zoomed page and a phone with its keyboard; long words; both themes."""
    noted = open_page(embedded_url, "?__theme=dark")
    assert _is_dark(noted)
    noted.page.emulate_media(color_scheme="dark")
    noted.open("?__theme=light")
    assert not _is_dark(noted)
    _walk_tabs(noted)
    page = noted.page
    for number, question in enumerate(EXAMPLES["small"]["en"]):
        noted.ask(question)
        noted.turn(number)
    for width, height in ((1280, 800), (390, 844), (640, 400), (390, 420)):
        page.set_viewport_size({"width": width, "height": height})
        starts = set()
        for tab in ("memory", "teach", "insights", "chat"):
            noted.open_tab(noted.words[f"tab_{tab}"])
            assert page.evaluate("document.scrollingElement.scrollHeight") <= height
            assert page.locator(".head").bounding_box() == {"x": 0, "y": 0, "width": width, "height": 56}
            starts.add(page.evaluate(_STARTS, f"#tab-{tab}"))
            expect(page.locator(f"#tab-{tab}")).to_be_in_viewport(ratio=1)
        assert len(starts) == 1
        expect(noted.message).to_be_in_viewport(ratio=1)
        tops = [box["y"] for one in (noted.message, page.locator(".send")) if (box := one.bounding_box())]
        assert tops[0] == tops[1]
        expect(page.locator(".head-chip")).to_be_in_viewport(ratio=1)
        noted.turns.first.scroll_into_view_if_needed()
        noted.turns.last.scroll_into_view_if_needed()
        assert page.evaluate("window.scrollY") == 0
        assert noted.fits()
        box = noted.open_model().bounding_box()
        assert box
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
        page.keyboard.press("Escape")
    again = noted.put_right(f"What is akin to {_LONG}?", f"a synonym of {_LONG}")
    noted.press(again, noted.words["no_i_meant"])
    assert noted.fits()
    noted.open_memory()
    noted.press(noted.entries.first, noted.words["edit"])
    assert noted.fits()


def _walk_tabs(noted: NotedPage) -> None:
    page = noted.page
    page.get_by_role("tab", name="Chat").focus()
    for key, name in (("ArrowRight", "Memory"), ("End", "Insights"), ("ArrowRight", "Chat"), ("ArrowLeft", "Insights"),
                      ("ArrowLeft", "Teach"), ("Home", "Chat")):  # fmt: skip
        page.keyboard.press(key)
        expect(page.get_by_role("tab", name=name, selected=True)).to_be_focused()
    expect(noted.message).to_be_visible()


@on_phone
def test_page_speaks_the_chosen_language(embedded_url: str, open_page: OpenPage) -> None:
    use = FIRST_USES["hi"]
    noted = open_page(embedded_url, language="hi")
    page = noted.page
    expect(page).to_have_title(_HINDI["page_title"])
    page.get_by_role("button", name=use.question).click()
    noted.correct(noted.turn(0), use.meant)
    expect(noted.turn(0)).to_contain_text(_HINDI["message_noted"])
    noted.ask(use.question)
    expect(noted.why(noted.turn(1)).locator(".entry-why")).to_contain_text("वही सवाल:")
    expect(page.locator(".announcer")).to_contain_text(_HINDI["from_memory"])
    assert _latin_on(page) == []
    assert noted.fits()

    noted.message.fill("half a question")
    page.set_viewport_size({"width": 1280, "height": 800})
    noted.speak("pa")
    expect(page).to_have_title(_PUNJABI["page_title"])
    expect(noted.message).to_have_value("half a question")
    expect(noted.language).to_be_focused()
    assert _latin_on(page) == []
    expect(noted.why(noted.turn(1)).locator(".entry-why")).to_contain_text("ਓਹੀ ਸਵਾਲ:")
    noted.open_memory()
    noted.press(noted.entries.first, _PUNJABI["forget"])
    noted.press(noted.entries.first, _PUNJABI["forget_yes"])
    expect(page.locator(".memory-receipt")).to_contain_text("ਮਿਟਾਇਆ ਗਿਆ: 1 ਸੁਧਾਰ")
    assert _latin_on(page) == []

    # On the same tab, with the focus where it was; and a new conversation is begun where it is seen. Arrow keys choose
    # when one has come to rest.
    noted.language.focus()
    page.keyboard.press("ArrowUp")
    noted.words = texts("hi")
    expect(page.locator("html")).to_have_attribute("lang", "hi")
    noted.speak("en")
    expect(page.locator("#tab-memory")).to_have_attribute("aria-selected", "true")
    expect(noted.language).to_be_focused()
    noted.begin_another()
    expect(page.locator("#tab-chat")).to_have_attribute("aria-selected", "true")
    expect(noted.turns).to_have_count(0)


def _latin_on(page: Page) -> list[str]:
    """Return the page's own texts in Latin letters, except names."""
    said: list[str] = page.evaluate(
        """() => {
            const visible = Array.from(document.querySelectorAll("body *")).filter((node) => node.checkVisibility());
            const own = visible.filter((node) => !node.closest("[dir=auto], .announcer, [data-id]"));
            const texts = own.flatMap((node) => Array.from(node.childNodes).filter((child) => child.nodeType === 3));
            return [...texts.map((text) => text.data), ...own.map((node) => node.getAttribute("aria-label") ?? "")];
        }"""
    )
    return [text for text in said if _LATIN.search(_NAMES.sub("", text))]


def test_page_is_light_and_rests(windows: Windows, embedded_url: str) -> None:
    with windows.lend(new=True, locale="pa-IN", extra_http_headers={"X-Forwarded-For": "192.0.2.1"}) as context:
        page = context.new_page()
        page.add_init_script(_NOTE_FRAMES)
        answered: list[Response] = []
        page.on("response", lambda response: answered.append(response))  # noqa: PLW0108  it marks functions
        page.goto(embedded_url)
        words = FIRST_USES["pa"].words
        page.get_by_role("textbox", name=words["message"]).wait_for()
        page.get_by_role("textbox", name=words["message"]).focus()
        page.wait_for_load_state("networkidle")
        addresses = [response.url for response in answered]
        assert [url for url in addresses if not url.startswith((embedded_url.rstrip("/"), "data:", "blob:"))] == []
        sizes = page.evaluate(
            "() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
            ".map(({ name, transferSize }) => [transferSize, name])"
        )
        page.keyboard.type(FIRST_USES["pa"].question)
        page.keyboard.press("Enter")
        expect(page.get_by_role("article")).to_have_attribute("aria-busy", "false")
        wait_until(lambda: page.evaluate(_IS_AT_REST), PATIENCE_MS / 1000)
    assert 5 < len(sizes) <= _MOST_REQUESTS, sizes
    total = sum(sent for sent, _ in sizes)
    print(f"{total:,} bytes in {len(sizes)} requests")
    assert 10_000 < total <= _MOST_BYTES, sorted(sizes, reverse=True)[:8]


def show_in(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    expect(page.locator("body")).to_have_css("background-color", BACKGROUND[scheme == "dark"])
