"""Reading: an answer with everything in it and while it grows, a long conversation, and a memory of many pages."""

import re
import threading
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Locator, expect

from assistant.settings import Settings
from assistant.types import Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.store import open_store
from tests.support.memory.store import clarification
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage
from tests.ui.conftest import served_here
from ui.server.identity import LOCAL_PERSON

RICH = r"""Three ways:

| way | in words that take up a lot of room |
|---|---|
| `sorted(a_rather_long_name_of_a_list_of_words, key=str.casefold)` | a new list |

```python
words.sort(key=lambda word: (len(word), word.casefold()), reverse=True)  # in place
```

1. first
2. سلام

שלום עולם

> ש

| سلام | b |
|---|---|
| one<br>two<BR/>three | <b>ש</b> |

It costs $5 or $6: \(\frac{1}{2}\) and $$\href{javascript:x}{\text{<img src=x onerror=alert(1)>}}$$"""
# In one of them it is another day than in UTC.
_ENDS_OF_THE_WORLD = ("Pacific/Kiritimati", "Pacific/Midway")
ENTRIES = 130
TURNS = 200
_WHOLE = """() => [...document.querySelectorAll("#memory .memory-entry")]
    .filter((entry) => entry.getBoundingClientRect().bottom <= innerHeight).length"""
_LAID_OUT = """() => Array.from(document.querySelectorAll("article .card"))
    .filter((card) => card.checkVisibility({ contentVisibilityAuto: true })).length"""
# Notes which turns change from now on, each by its place.
_WATCH = """() => {
    const turns = document.querySelector("#conversation .turns");
    window.touched = new Set();
    const note = (node) => {
        const turn = (node.nodeType === 1 ? node : node.parentElement)?.closest("article");
        if (turn) window.touched.add(Array.from(turns.children).indexOf(turn));
    };
    new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes) [target, ...addedNodes].forEach(note);
    }).observe(turns, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


@pytest.mark.promise("todays-date")
@on_phone
def test_answer_is_read_whole_and_while_it_grows(chat_server: ChatServer, remote_url: str, open_page: OpenPage) -> None:
    zone = next(zone for zone in _ENDS_OF_THE_WORLD if _today(zone) != _today("UTC"))
    noted = open_page(remote_url, timezone_id=zone)
    noted.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat_server.replies(f"<understanding>You want to sort a list.</understanding>\n<answer>{RICH}</answer>")
    before = _today(zone)
    noted.ask("שלום\nHow do I sort a list?")
    answer = noted.turn(0).locator(".answer")
    expect(answer.locator("pre code")).to_contain_text("words.sort(")
    expect(answer.get_by_role("table").first.get_by_role("cell", name="a new list")).to_be_attached()
    expect(answer.locator("mfrac > mrow > mn")).to_have_text(["1", "2"])
    expect(answer).to_contain_text("It costs $5 or $6:")
    expect(answer.locator("mtext")).to_have_text("<img src=x onerror=alert(1)>")
    assert answer.locator("[href], img").count() == 0
    assert noted.fits()
    told = re.search(r"Today is \w+, ([\d-]+)", chat_server.requests[0].question)
    assert told
    assert told[1] in {before, _today(zone)}
    _read_each_paragraph_in_its_direction(answer)
    noted.press(noted.turn(0), "Copy")
    expect(noted.turn(0).get_by_role("button", name="Copied")).to_be_visible()
    assert noted.page.evaluate("navigator.clipboard.readText()") == RICH
    _stay_while_it_grows(noted, chat_server)


def _today(zone: str) -> str:
    return datetime.now(ZoneInfo(zone)).date().isoformat()


def _read_each_paragraph_in_its_direction(answer: Locator) -> None:
    direction = "each => each.map((one) => getComputedStyle(one).direction)"
    found = {tag: answer.locator(tag).evaluate_all(direction) for tag in ("p", "ol", "li", "blockquote", "table")}
    assert found == {
        "p": ["ltr", "rtl", "rtl", "ltr"], "ol": ["ltr"], "li": ["ltr", "rtl"], "blockquote": ["rtl"],
        "table": ["ltr", "rtl"],
    }  # fmt: skip
    cells = answer.get_by_role("table").last.locator("td")
    assert cells.first.inner_text().split() == ["one", "two", "three"]
    assert cells.first.locator("br").count() == 2
    assert cells.last.inner_text() == "<b>ש</b>"


def _stay_while_it_grows(noted: NotedPage, chat_server: ChatServer) -> None:
    begun, rest = ("".join(f"- {line} {number}\n" for number in range(80)) for line in ("line", "late line"))
    head, go_on = "<understanding>You want a list.</understanding>\n<answer>", threading.Event()
    chat_server.replies(faults.stream_until(go_on, head + begun, f"{rest}</answer>"))
    noted.ask("A long list, please.")
    growing = noted.turns.nth(1)
    expect(growing.get_by_text("line 79")).to_be_attached()
    read = growing.get_by_text("line 30", exact=True)
    read.scroll_into_view_if_needed()
    where = read.bounding_box()
    assert where is not None
    go_on.set()
    expect(noted.turn(1).get_by_text("late line 79")).to_be_attached()
    assert read.bounding_box() == pytest.approx(where, abs=1)


@pytest.fixture(scope="module")
def full_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the application with many entries and a long conversation of the local person."""
    home = tmp_path_factory.mktemp("full")
    scope = Scope(LOCAL_PERSON)
    drafts = [
        clarification(f"what is number {number} like ?", f"I mean the word {number}", str(number))
        for number in range(ENTRIES)
    ]
    settings = Settings.load({"NOTED_HOME": str(home)})
    store = open_store(settings.ledger, settings.index, None)
    store.memory.remember_all(drafts, scope)
    for number in range(TURNS):
        answer = f"answer {number}"
        reply = Reply.of(answer, "You want a word.", answer, ReplyStatus.OK)
        turn = Turn(f"turn-{number}", "long", LOCAL_PERSON, f"question {number}", state=TurnState.ANSWERED, reply=reply)
        store.turn_store.record(turn, scope)
    store.close()
    yield from served_here(home, {})


def test_long_conversation_and_memory_are_read(full_url: str, open_page: OpenPage) -> None:
    noted = open_page(full_url, local=True)
    _open_the_long_conversation(noted)
    noted.open_memory()
    for width, height, least in ((1280, 800, 6), (390, 844, 4)):
        noted.page.set_viewport_size({"width": width, "height": height})
        expect(noted.entries.first).to_be_visible()
        assert noted.page.evaluate(_WHOLE) >= least
    noted.narrow()
    expect(noted.entries.first).to_contain_text(f"the word {ENTRIES - 1}")
    step = noted.entries.count()
    assert 0 < step < ENTRIES / 2
    older = noted.page.get_by_role("button", name="Older")
    for first in range(ENTRIES - 1 - step, -1, -step):
        older.click()
        expect(noted.entries.first).to_contain_text(f"the word {first}")
        if first >= step:
            expect(older).to_be_focused()
    expect(older).to_be_disabled()
    expect(noted.entries.last).to_contain_text("the word 0")
    noted.press(noted.page, "Newer")
    expect(noted.entries).to_have_count(step)


def _open_the_long_conversation(noted: NotedPage) -> None:
    page = noted.page
    page.locator(".talk-open").click()
    expect(noted.turns).to_have_count(TURNS)
    expect(noted.turns.last).to_be_in_viewport()
    assert 0 < page.evaluate(_LAID_OUT) < TURNS / 4

    page.evaluate(_WATCH)
    noted.ask("What is akin to quick?")
    noted.turn(TURNS)
    touched = set(page.evaluate("() => Array.from(window.touched)"))
    assert touched <= {-1, TURNS - 1, TURNS}, touched
    assert TURNS in touched
    assert page.evaluate(_LAID_OUT) < TURNS / 4

    noted.turns.first.scroll_into_view_if_needed()
    expect(noted.turns.first.get_by_text("answer 0")).to_be_in_viewport()
