"""What was looked up, on the page: with what was found, in *Why this answer*."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from tests.support.memory.lookups import HEAD, MANAGER, QUESTION, WORKS, store_facts_in, write_lookup
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.test_looks import VIOLATIONS
from tests.ui.conftest import served_here
from ui.server.identity import LOCAL_PERSON

pytestmark = pytest.mark.promise("lookups-are-shown")

LONG = f"Dana | nickname is | {'Donaudampfschifffahrtsgesellschaft' * 5}"
STEPS = write_lookup("Dana | manager is | ?", "Kim | works in | ?", "Dana | nickname is | ?", "Zed | boss is | ?")
BEGUN = f"{HEAD}<answer>In {STEPS}"


@pytest.fixture(scope="module")
def url(remote: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("looked")
    store_facts_in(home, LOCAL_PERSON, MANAGER, WORKS, LONG)
    model = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": remote.url, "NOTED_API_KEY": "none"}
    yield from served_here(home, model)


@on_phone
def test_why_says_what_was_looked_up(url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(url, local=True)
    chat_server.replies(BEGUN, "Delhi.</answer>")
    noted.ask(QUESTION)
    expect(noted.turn(0)).to_contain_text("In Delhi.")
    part = noted.why(noted.turn(0)).locator(".part-looked")
    expect(part.get_by_role("listitem")).to_have_text([
        "Dana · manager is · Kim", "Kim · works in · Delhi", LONG.replace(" | ", " · "),
        f"Zed · boss is: {noted.words['looked_nothing']}",
    ])  # fmt: skip
    assert noted.fits()
    noted.page.evaluate(AXE_SCRIPT)
    assert noted.page.evaluate(VIOLATIONS, {}) == []
    noted.reload()
    expect(noted.why(noted.turn(0)).locator(".entry").first).to_contain_text("Kim")
    expect(part).to_contain_text("Dana · manager is")

    chat_server.replies(faults.stalls_after(BEGUN), faults.stalls_after("Delhi, "))
    noted.ask(QUESTION)
    going_on = noted.turns.nth(1)
    expect(noted.why(going_on).locator(".part-looked")).to_contain_text("Kim · works in")
    expect(going_on).to_have_attribute("aria-busy", "true")
    expect(going_on).to_contain_text("In Delhi,")
    noted.press(noted.page, noted.words["stop"])
    expect(noted.turn(1)).to_contain_text(noted.words["stopped"])
    expect(going_on.locator(".part-looked")).to_contain_text("Kim · works in")
    assert all(request.disconnected.wait(10) for request in chat_server.requests[-2:])

    chat_server.replies(f"{HEAD}<answer>In Delhi.</answer>")
    noted.ask(QUESTION)
    expect(noted.turn(2)).to_contain_text("In Delhi.")
    expect(noted.why(noted.turn(2)).locator(".part-looked")).to_have_count(0)
