"""The Insights page, in a browser."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from assistant.types import Scope, Turn, TurnState
from memory_store.ledger.ledger import Ledger
from memory_store.turns.turns import LedgerTurnStore
from tests.support.memory.keys import wait_until
from tests.support.servers.chat_server import ChatServer, told
from tests.ui.browser.conftest import OpenPage, each_window
from tests.ui.browser.noted_page import PHONE_WIDTH, NotedPage
from tests.ui.conftest import served_here
from ui.server.identity import LOCAL_PERSON

_SIDEWAYS = "part => [part.scrollLeft, part.scrollWidth - part.clientWidth]"
_HEAD_AT = "part => part.querySelector('tbody th').getBoundingClientRect().left - part.getBoundingClientRect().left"
_EDGE = "part => getComputedStyle(part).backgroundImage"


@pytest.fixture(scope="module")
def priced_url(remote: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The application on a model whose price is known; the local person has asked eight stretches and one question."""
    home = tmp_path_factory.mktemp("priced")
    ledger = Ledger(f"sqlite:///{home / 'ledger.sqlite3'}")
    turn_store = LedgerTurnStore(ledger)
    corrected = [*range(8), 140, 141, 160]
    for number in range(161):
        turn = Turn(f"t{number}", "c", LOCAL_PERSON, "what is akin to quick ?", state=TurnState.ANSWERED)
        turn_store.record(replace(turn, corrected_by="e" if number in corrected else None), Scope(LOCAL_PERSON))
    ledger.close()
    model = {"NOTED_MODEL": "openai/gpt-4o-mini", "NOTED_API_BASE": remote.url, "NOTED_API_KEY": "none"}
    yield from served_here(home, model)


@each_window()
def test_insights_give_the_numbers(priced_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    answer = "<understanding>You want a word.</understanding>\n<answer>fast</answer>"
    chat_server.replies(*[told(text, 800, 90) for text in (answer, answer, f"<notes>1</notes>\n{answer}")], answer)
    noted = open_page(priced_url, color_scheme="dark")
    page = noted.page
    noted.open_tab("Insights")
    expect(page.get_by_role("heading", name="Nothing to show yet. Ask something first.")).to_be_visible()
    expect(page.get_by_text("Details")).to_be_hidden()
    noted.open_tab("Chat")
    noted.put_right("what is akin to quick ?", "I want a synonym")
    noted.ask("what is akin to happy ?")
    noted.press(noted.turn(1), "Right")
    expect(noted.turn(1).get_by_role("button", name="Right", pressed=True)).to_be_visible()
    noted.open_tab("Insights")
    expect(page.get_by_role("heading", name="Noted has learned 2 things so far.")).to_be_visible()
    page.get_by_text("Details").click()
    sentence = "1 of 2 questions were corrected so far."
    expect(page.get_by_role("region", name="Corrections").get_by_text(sentence)).to_be_visible()
    # Few points are no plot.
    expect(page.get_by_role("img", name=sentence)).to_have_count(0)
    corrections = page.get_by_role("region", name="Corrections", exact=True)
    corrections.get_by_text("The numbers").click()
    row = corrections.get_by_role("row").nth(1)
    expect(row.get_by_role("cell")).to_have_text(["2", "1", "1", "0", "1", "1"])
    expect(page.get_by_text("confirmed 1× and left out 0×.")).to_be_visible()
    expect(page.get_by_role("region", name="Where the time goes")).to_contain_text("(last 3 answers)")
    tokens = page.get_by_role("region", name="Token usage", exact=True)
    took = "An answer took 800 tokens to ask and 90 to write on average"
    expect(tokens).to_contain_text(f"{took} and cost US$0.00017; together they cost US$0.00052.")
    tokens.get_by_text("The numbers").click()
    expect(tokens.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["800", "90", "US$0.00017"])
    expect(tokens).not_to_contain_text("estimated")
    expect(page.get_by_role("button", name="Everybody’s")).to_have_count(0)
    noted.open_tab("Chat")
    noted.ask("what is akin to brave ?")
    noted.turn(2)
    noted.open_tab("Insights")
    expect(tokens).to_contain_text("1 of 4 are estimated from the length of the text.")
    if noted.width() == PHONE_WIDTH:
        _scroll_the_numbers(noted)
    assert noted.fits()


def _scroll_the_numbers(noted: NotedPage) -> None:
    """Numbers fit, or go on beside in a part that can be reached and scrolled with the keyboard."""
    tables = noted.page.locator(".insight-scroll")
    noted.page.evaluate("for (const part of document.querySelectorAll('.insight-numbers')) part.open = true")
    beside = [table.evaluate(_SIDEWAYS)[1] for table in tables.all()]
    assert beside[0] > 0, "the widest one, of which this test tells, fits"
    assert beside[1:-1] == [0, 0]  # the last one, of tokens, goes on beside too
    widest = tables.first
    assert "linear-gradient" in widest.evaluate(_EDGE)
    noted.page.locator(".insight-numbers summary").first.focus()
    noted.page.keyboard.press("Tab")
    expect(widest).to_be_focused()
    expect(noted.page.get_by_role("region", name="Corrections: The numbers")).to_be_focused()
    noted.page.keyboard.press("ArrowRight")
    wait_until(lambda: widest.evaluate("region => region.scrollLeft > 0"))
    assert abs(widest.evaluate(_HEAD_AT)) < 1, "what the row is about went out of view"


def test_few_questions_are_no_rate(priced_url: str, open_page: OpenPage) -> None:
    noted = open_page(priced_url, local=True)
    page = noted.page
    noted.open_tab("Insights")
    page.get_by_text("Details").click()
    corrections = page.get_by_role("region", name="Corrections", exact=True)
    sentence = "8 of the first 20 questions were corrected, and 2 of the last 20."
    expect(corrections).to_contain_text(sentence)
    # Eight of all questions, and the same eight of those answered without memory.
    expect(corrections.get_by_role("img", name=sentence).locator("circle")).to_have_count(16)
    corrections.get_by_text("The numbers").click()
    expect(corrections.get_by_role("row")).to_have_count(10)
    expect(corrections.get_by_role("row").nth(9).get_by_role("cell").first).to_have_text("1")
