"""The page as a user works with it; notes what must never happen meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import APIResponse, ConsoleMessage, Locator, Page, Request, Route, expect

from ui.words.texts import DEFAULT_LANGUAGE, texts

PATIENCE_MS = 60_000
PHONE_WIDTH = 360
expect.set_options(timeout=PATIENCE_MS)


class NotedPage:
    """A page in which things are found by role and name. `problems` are errors and requests to other hosts."""

    def __init__(self, page: Page, url: str, language: str = DEFAULT_LANGUAGE) -> None:
        self.page = page
        self.url = url
        self.words = texts(language)
        self.problems: list[str] = []
        self._leaving = False
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("request", self._request)

    @property
    def message(self) -> Locator:
        """Return the field to write in."""
        return self.page.get_by_role("textbox", name=self.words["message"])

    @property
    def meant(self) -> Locator:
        """Return the field for what was meant."""
        return self.page.get_by_role("textbox", name=self.words["what_meant"])

    @property
    def turns(self) -> Locator:
        return self.page.get_by_role("article")

    @property
    def entries(self) -> Locator:
        """Return the cards of the tab Memory."""
        return self.page.locator("#memory .memory-entry")

    def open(self, query: str = "", sign_in: Callable[[Page], None] = lambda page: None) -> NotedPage:
        self._leaving = False
        self.page.goto(self.url + query)
        sign_in(self.page)
        expect(self.message).to_be_visible()
        return self

    def reload(self) -> None:
        """Load the page again. Its streams break off then, which is no error."""
        self._leaving = True
        self.page.reload()
        self._leaving = False

    def narrow(self) -> None:
        """Go on in a window that is as wide as a phone."""
        self.page.set_viewport_size({"width": PHONE_WIDTH, "height": 780})

    def leave(self) -> None:
        """Close the page, until it is opened again; see `reload`."""
        self._leaving = True
        self.page.goto("about:blank")

    def sign_out(self, name: str) -> None:
        """Sign out by the link. Open requests of the page are refused then, which is no error."""
        self._leaving = True
        self.of_head("link", f"Sign out ({name})").click()
        expect(self.page.get_by_text("Use the name and password")).to_be_visible()
        self._leaving = False

    def go_offline(self) -> None:
        """Cut the connection. The browser logs each request that fails from now on, which is no error of the page."""
        self._leaving = True
        self._connect(False)

    def go_online(self) -> None:
        self._connect(True)

    def _connect(self, is_online: bool) -> None:
        """Set the network state, and wait until requests of the page notice it."""
        self.page.context.set_offline(not is_online)
        self.page.evaluate(
            """async (isOnline) => {
                const reaches = () => fetch("healthz", { cache: "no-store" }).then(() => true, () => false);
                while ((await reaches()) !== isOnline);
            }""",
            is_online,
        )

    def another_tab(self, language: str = DEFAULT_LANGUAGE) -> NotedPage:
        """Open the page in another tab of the same browser."""
        return NotedPage(self.page.context.new_page(), self.url, language).open()

    def hold(self, holds: Callable[[Request], bool]) -> Callable[[], None]:
        """Hold the answer to the next such request, until the returned function is called."""
        held: list[tuple[Route, APIResponse]] = []

        def answer(route: Route) -> None:
            if not held and holds(route.request):
                held.append((route, route.fetch()))
            else:
                route.continue_()

        def release() -> None:
            while not held:  # it was sent, and is not answered yet
                self.page.evaluate("() => new Promise(requestAnimationFrame)")
            ((route, response),) = held
            with self.page.expect_event("requestfinished", lambda request: request == route.request):
                route.fulfill(response=response)
            self.page.evaluate("() => new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))")

        self.page.route("**/page/**", answer)
        return release

    def ask(self, text: str) -> None:
        """Write a message and send it."""
        self.message.fill(text)
        self.message.press("Enter")

    def turn(self, number: int) -> Locator:
        """Return the turn with this number, from 0, once its answer is complete."""
        settled = self.turns.nth(number)
        expect(settled).to_have_attribute("aria-busy", "false")
        return settled

    def correct(self, turn: Locator, words: str) -> None:
        """Say what was meant, in the card."""
        self.press(turn, self.words["no_i_meant"])
        self.meant.fill(words)
        self.meant.press("Enter")

    def why(self, turn: Locator) -> Locator:
        """Open *Why this answer* of a turn and return it."""
        opener = turn.get_by_role("button", name=self.words["why_this"])
        if opener.get_attribute("aria-expanded") == "false":
            opener.click()
        return turn.locator(".why")

    def choose_reach(self, turn: Locator, reach: str) -> None:
        """Choose which questions a correction is used for, by the name of that text."""
        if reach == "reach_conversation":
            self.press(turn, self.words["more"])
            self.press(turn, self.words["reach_only_here"])
        else:
            turn.locator(".segments label").filter(has_text=self.words[reach]).click()
        self.expect_reach(turn, reach)

    def expect_reach(self, turn: Locator, reach: str) -> None:
        expect(turn.get_by_role("radio", name=self.words[reach])).to_be_checked()

    def put_right(self, question: str, meant: str) -> Locator:
        """Ask, correct, and return the turn once it is answered again."""
        number = self.turns.count()
        self.ask(question)
        self.correct(self.turn(number), meant)
        return self.turn(number)

    def press(self, where: Locator | Page, name: str) -> None:
        where.get_by_role("button", name=name).click()

    def reach(self, button: Locator, key: str = "Tab") -> None:
        """Move to a button with the keyboard, and press it."""
        for _ in range(60):
            if button.evaluate("button => button === document.activeElement"):
                break
            self.page.keyboard.press(key)
        expect(button).to_be_focused()
        self.page.keyboard.press("Enter")

    def of_head(self, role: Literal["button", "link", "tab"], name: str) -> Locator:
        """Return a control of the header or the list of conversations; on a phone, open the menu that has it."""
        expect(self.page.locator(".head-chip")).to_be_visible()  # the page is there
        wanted = self.page.get_by_role(role, name=name)
        if not wanted.is_visible():
            self.page.get_by_role("button", name=self.words["menu"]).click()
        return wanted

    def open_tab(self, name: str) -> None:
        if self.page.locator(".head-drawer[open]").count():
            self.page.keyboard.press("Escape")
        self.of_head("tab", name).click()

    def begin_another(self) -> None:
        self.open_tab(self.words["tab_chat"])
        self.of_head("button", self.words["new_conversation"]).click()

    @property
    def model(self) -> Locator:
        """Return the dialog about the model and the memory."""
        return self.page.get_by_role("dialog", name=self.words["model_title"])

    def open_model(self) -> Locator:
        self.page.locator(".head-chip").click()
        expect(self.model).to_be_visible()
        return self.model

    @property
    def language(self) -> Locator:
        return self.page.locator(".head-language")

    def speak(self, language: str) -> None:
        """Choose another language at a desk."""
        self.language.select_option(language)
        self.words = texts(language)
        expect(self.page.locator("html")).to_have_attribute("lang", language)

    def open_settings(self) -> Locator:
        self.of_head("button", self.words["settings"]).click()
        dialog = self.page.get_by_role("dialog", name=self.words["settings"])
        expect(dialog).to_be_visible()
        return dialog

    def open_tool(self, name: str) -> Locator:
        """Open a card of the tab Teach by its first button, and return its content."""
        self.open_tab(self.words["tab_teach"])
        panel = self.page.locator(f"#{name}")
        if not panel.is_visible():
            self.page.locator(f".tool:has(#{name}) > .buttons button").first.press("Enter")
        expect(panel.locator("*").filter(visible=True).first).to_be_visible()
        return panel

    def open_memory(self) -> None:
        self.open_tab(self.words["tab_memory"])

    def unfold(self, entry: Locator) -> None:
        """Show all of an entry of the tab Memory."""
        expect(entry).to_be_visible()
        if entry.locator(".entry-more").count() == 0:
            entry.locator(".entry-unfold").click()

    def look_again_at_memory(self) -> None:
        """Go to the tab Chat and come back, which reads the memory anew."""
        self.open_tab(self.words["tab_chat"])
        with self.page.expect_response("**/page/**"):
            self.open_memory()

    def begin_anew(self) -> None:
        self.begin_another()
        expect(self.turns).to_have_count(0)

    def think_again(self, opener: Locator) -> None:
        """Close with Escape what a button has opened, which returns the focus to it, and open it once more."""
        self.page.keyboard.press("Escape")
        expect(opener).to_be_focused()
        self.page.keyboard.press("Enter")

    def fits(self) -> bool:
        """Return True if nothing must be scrolled sideways."""
        assert self.page.viewport_size
        return self.width() <= self.page.viewport_size["width"]

    def width(self) -> int:
        """Return the width of the content, in CSS pixels."""
        return int(self.page.evaluate("document.documentElement.scrollWidth"))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not self._leaving:
            self.problems.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname != "127.0.0.1":
            self.problems.append(f"request: {request.url}")
