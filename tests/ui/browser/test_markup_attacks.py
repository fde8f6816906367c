"""Markup that attacks, everywhere that a text of a person or a model is shown: nothing runs, loads or leads away."""

import re
import tomllib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect
from sqlalchemy import select

from assistant.errors import NotKept
from assistant.sentences import plain
from assistant.text.content_rules import check_private
from assistant.types import (
    Action,
    Candidate,
    Decision,
    Entry,
    Key,
    KeyOrigin,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from memory_store.ledger.database.schema import turns
from memory_store.ledger.entries import save_entry
from memory_store.ledger.ledger import Ledger
from memory_store.turns.turn_store import LedgerTurnStore
from tests.marks import ROOT
from tests.support.memory.loop import reply
from tests.support.memory.store import clarification
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage
from tests.ui.browser.noted_page import NotedPage

pytestmark = pytest.mark.promise("markup-is-inert")

# Texts that would run a script, load something or navigate if a page took them as markup. Each effect is detectable: a
# dialog, a mark, a request elsewhere, or a change of the address.
ELSEWHERE = "https://attacker.test"
ACT = f"window.wasRun=1;alert(1);fetch('{ELSEWHERE}/run')"
PAYLOADS = tomllib.loads((ROOT / "tests/support/texts/payloads.toml").read_text(encoding="utf-8"))["by_hand"]
TEXTS = [text.replace("ACT", ACT).replace("ELSEWHERE", ELSEWHERE) for text in PAYLOADS]

# What the parts of the page are made of; whatever else stands in them came from a text.
_FOREIGN = """
() => {
  const known = new Set((
    "A ARTICLE ASIDE BLOCKQUOTE BR BUTTON CODE DETAILS DIV EM FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR INPUT LABEL LI "
    + "MAIN MARK NAV OL OPTION P PRE Q S SECTION SELECT SPAN STRONG SUMMARY TABLE TBODY TD TEXTAREA TH THEAD TR UL"
  ).split(" "));
  const attributes = new Set((
    "accept aria-atomic aria-busy aria-current aria-describedby aria-disabled aria-expanded aria-haspopup aria-hidden "
    + "aria-label aria-labelledby aria-live aria-pressed autocomplete class data-act data-id data-reach data-state dir "
    + "disabled enterkeyhint for hidden href id lang maxlength name open placeholder role rows start style "
    + "tabindex title type value"
  ).split(" "));
  const parts = ["#conversation .conversation", "#conversations .talks", "#memory .memory-page",
    "#banner .banner"];
  const found = [];
  for (const node of document.querySelectorAll(parts.map((part) => `${part} *`))) {
    if (!known.has(node.tagName)) found.push(node.tagName);
    for (const { name, value } of node.attributes) {
      if (!attributes.has(name)) found.push(`${node.tagName} ${name}`);
      if (name === "href" && !value.startsWith("#")) found.push(`${node.tagName} ${name}=${value}`);
      if (name === "style" && !/^(min-)?height: (calc.*|[0-9a-z.]+);$/.test(value)) found.push(`style=${value}`);
    }
    if (node.tagName === "FORM" && node.action !== location.href) found.push(`form to ${node.action}`);
  }
  const anywhere = "base:not([href='./']), meta[http-equiv], iframe, object, embed, portal, frameset, svg script";
  for (const node of document.querySelectorAll(anywhere)) found.push(node.outerHTML);
  return found;
}
"""
# What a person's hand, eye and keyboard could set off.
_TOUCH = """
(selector) => {
  for (const node of document.querySelectorAll(selector)) {
    for (const name of "pointerover mouseover mouseenter focus focusin toggle error load auxclick".split(" "))
      node.dispatchEvent(new Event(name, { bubbles: true }));
    if (!["BUTTON", "SUMMARY"].includes(node.tagName)) node.click();
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  }
}
"""
# Where texts of people and models stand.
_WRITTEN = ":is(#conversation, #memory) :is([dir=auto], [dir=auto] *, .notice, .noted, .progress, .problem, .announcer)"


@dataclass(frozen=True)
class Home:
    """A server, and its ledger."""

    url: str
    ledger: Ledger

    def person(self) -> tuple[Scope, str]:
        """Return the scope and the conversation of the last turn."""
        with self.ledger.read() as connection:
            row = connection.execute(select(turns).order_by(turns.c.sequence.desc()).limit(1)).mappings().one()
        return Scope(row["owner"]), row["conversation"]

    def write(self, texts: Sequence[str]) -> None:
        """Record one turn and one entry for each text, in every field that is shown."""
        scope, conversation = self.person()
        turn_store = LedgerTurnStore(self.ledger)
        for number, text in enumerate(texts):
            turn_store.record(_turn(self._entry(text, scope), text, scope, conversation, number), scope)

    def _entry(self, text: str, scope: Scope) -> Entry:
        """Save the text as an entry without checking its content, as old versions did."""
        draft = clarification(text, text, str(uuid.uuid4()), wrong=text)
        keys = [Key(text), *(Key(f"{text} {origin}", origin) for origin in (KeyOrigin.MODEL, KeyOrigin.PERSON))]
        with self.ledger.write() as connection:
            return save_entry(connection, draft, scope.person, keys, key_state="written")


def _turn(entry: Entry, text: str, scope: Scope, conversation: str, number: int) -> Turn:
    """Return a turn; each third is corrected, each third leaves the entry out, each ninth fails with the text."""
    used = number % 3 != 1
    return Turn(
        str(uuid.uuid4()),
        conversation,
        scope.person,
        text,
        state=TurnState.FAILED if number % 9 == 8 else TurnState.ANSWERED,
        reply=Reply.of(text, text, text, ReplyStatus.OK),
        decisions=(Decision(Candidate(entry, entry.keys[0]), Action.USE if used else Action.SKIP, 0.9, plain(text)),),
        used=(entry.id,) if used else (),
        error=plain(text) if number % 9 == 8 else None,
        corrected_by=entry.id if number % 3 == 2 else None,
        model=text,
    )


@pytest.fixture
def home(remote_url: str, remote_home: Path) -> Iterator[Home]:
    ledger = Ledger(f"sqlite:///{remote_home / 'ledger.sqlite3'}")
    yield Home(remote_url, ledger)
    ledger.close()


class Watched:
    """A watch for dialogs and navigation. `NotedPage` watches requests and errors."""

    def __init__(self, noted: NotedPage) -> None:
        self._page = noted.page
        self._url = noted.url
        self._left: list[str] = []
        self._page.on("dialog", self._dialog)
        self._page.on("framenavigated", lambda frame: self._went(frame.url))
        self._page.context.on("page", lambda page: self._left.append(f"opened {page.url}"))

    def reload(self, noted: NotedPage) -> None:
        noted.reload()

    def _went(self, url: str) -> None:
        if not re.fullmatch(rf"{re.escape(self._url)}(\?c=[0-9a-f-]{{36}})?([?&]tab=(memory|insights))?", url):
            self._left.append(f"went to {url}")

    def check(self) -> None:
        self._page.evaluate(_TOUCH, _WRITTEN)
        assert self._page.evaluate(_FOREIGN) == []
        assert self._page.evaluate("window.wasRun") is None
        assert self._left == []

    def _dialog(self, dialog: Dialog) -> None:
        self._left.append("opened a dialog")
        dialog.dismiss()


def test_markup_is_inert_everywhere(home: Home, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(home.url)
    watched = Watched(noted)
    _attack_while_it_is_written(noted, watched, chat_server)
    home.write(TEXTS)
    watched.reload(noted)
    expect(noted.turns).to_have_count(1 + len(TEXTS))
    noted.page.evaluate("for (const part of document.querySelectorAll('.turn details')) part.open = true")
    watched.check()
    _correct_one(noted)
    watched.check()

    noted.open_memory()
    entries = 1 + len(TEXTS)
    for shown in range(0, entries, 50):
        _show_page(noted.page, shown, entries)
        noted.page.evaluate("for (const more of document.querySelectorAll('.entry-unfold')) more.click()")
        noted.page.evaluate("for (const part of document.querySelectorAll('.memory-entry details')) part.open = true")
        for button in noted.page.get_by_role("button", name="Edit:").all()[:3]:
            button.click()
        watched.check()
    print(f"{len(TEXTS)} payloads in each place: 0 dialogs, 0 requests elsewhere, 0 changes of place, 0 foreign nodes")


def _attack_while_it_is_written(noted: NotedPage, watched: Watched, chat_server: ChatServer) -> None:
    together = "\n\n".join(TEXTS[:30])
    chat_server.replies(reply(TEXTS[0], together), reply(TEXTS[1], together))
    noted.ask("\n".join(TEXTS[:30])[:7_900])
    may_be_kept = [text for text in TEXTS if not _is_refused(text)]
    assert len(may_be_kept) > 10
    noted.turn(0)
    watched.check()
    noted.correct(noted.turn(0), "\n".join(may_be_kept[:10]))
    noted.turn(0)
    watched.check()


def test_link_shows_where_it_leads(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(remote_url)
    page = noted.page
    page.context.route("https://*.test/**", lambda route: route.fulfill(body="elsewhere"))
    address = "https://аpple.test@other.test/path?q=1#x"
    chat_server.replies(reply("a link", f"[my bank]({address}) and [this](javascript:alert(1))"))
    noted.ask("a link, please")
    link = noted.turn(0).get_by_role("link", name="my bank")
    expect(noted.turn(0).get_by_role("link")).to_have_count(1)

    dialog = page.get_by_role("dialog", name="This link leads to another site")
    link.click(button="middle")
    expect(dialog).to_have_count(0)
    link.click(modifiers=["Control"])
    dialog.get_by_role("button", name="Cancel").click()
    link.click()
    expect(dialog).to_contain_text("It opens other.test at this address:")
    expect(dialog).to_contain_text("https://%D0%B0pple.test@other.test/path?q=1#x")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(link).to_be_focused()
    assert page.context.pages[-1] == page

    page.keyboard.press("Enter")
    opening = dialog.get_by_role("link", name="Open in a new tab")
    expect(opening).to_have_attribute("rel", "noopener noreferrer nofollow")
    page.keyboard.press("Shift+Tab")
    expect(opening).to_be_focused()
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    expect(opened.value.locator("body")).to_have_text("elsewhere")
    assert opened.value.evaluate("[window.opener, document.referrer]") == [None, ""]
    expect(dialog).to_have_count(0)
    assert page.url.partition("?c=")[0] == noted.url


def _is_refused(text: str) -> bool:
    try:
        check_private(text)
    except NotKept:
        return True
    return False


def _correct_one(noted: NotedPage) -> None:
    """Open the form of a correction of a question that attacks."""
    noted.page.get_by_role("button", name="Not what I meant?").first.click()
    expect(noted.page.get_by_role("textbox", name="What did you mean?")).to_be_visible()


def _show_page(page: Page, first: int, number: int) -> None:
    """Show the entries after the `first` ones; open forms close."""
    if first:
        page.get_by_role("button", name="Older").click()
    last = min(first + 50, number)
    expect(page.get_by_text(f"{first + 1}–{last} of {number} memories")).to_be_visible()
    expect(page.locator(".memory-entry")).to_have_count(last - first)
