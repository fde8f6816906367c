"""Facts that people tell, on the page: noted in the card of the message, taken back there, and listed in Memory."""

import pytest
from playwright.sync_api import expect

from tests.support.memory.loop import reply
from tests.support.servers.chat_server import ChatServer
from tests.ui.browser.conftest import OpenPage

pytestmark = pytest.mark.promise("facts-can-conflict")

TOLD = reply("You tell me that Rex is a dog.", "Good to know.") + "\n<fact>Rex is a dog</fact>"
DENIED = reply("You tell me that Rex is not a dog.", "I see.")


def test_fact_is_noted_replaced_and_undone(remote_url: str, chat_server: ChatServer, open_page: OpenPage) -> None:
    noted = open_page(remote_url)
    chat_server.replies(TOLD)
    noted.ask("Rex is a dog.")
    first = noted.turn(0).locator(".part-facts")
    expect(first).to_contain_text(f"{noted.words['fact_noted']} Rex is a dog")
    expect(noted.turn(0)).to_contain_text("Good to know.")

    chat_server.replies(DENIED)
    noted.ask("remember that Rex is not a dog")
    second = noted.turn(1).locator(".part-facts")
    expect(second.locator("q")).to_have_text(["Rex is not a dog", "Rex is a dog"])
    noted.press(second, noted.words["count_because"])
    second.get_by_role("textbox").fill("he only looks like one")
    second.get_by_role("textbox").press("Enter")
    expect(second).to_contain_text("Both, because: he only looks like one")
    noted.press(second, noted.words["count_instead"])
    expect(second).not_to_contain_text("he only looks like one")
    expect(second.get_by_role("button", name=noted.words["count_beside"])).to_be_visible()
    noted.reload()
    expect(noted.turn(0)).to_contain_text("Good to know.")
    expect(first).to_be_hidden()
    noted.press(second, noted.words["undo"])
    expect(noted.page.get_by_role("button", name="Send")).to_be_visible()
    expect(second).to_be_hidden()
    noted.reload()
    expect(first).to_contain_text(noted.words["fact_noted"])
