"""Study questions on the tab Teach: made of a text, stopped and gone on with, looked at, and handed to practice."""

import json
import threading

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, expect

from tests.support.servers.chat_server import Body, ChatServer
from tests.ui.browser.conftest import OpenPage, on_phone
from tests.ui.browser.noted_page import NotedPage
from tests.ui.browser.test_looks import RULES, VIOLATIONS, show_in

pytestmark = pytest.mark.promise("study-questions-have-answers", "study-is-bounded")

TEXT = "Dana found the ring in the garden."


def writes(body: Body) -> str:
    """Ask about the sentence; the drafts at a temperature ask the better question."""
    last = body["messages"][-1]["content"]
    who = "Kim" if '"sentence": "Kim' in last or "Who kept" in last else "Dana"
    question = f"Who {'kept' if who == 'Kim' else 'found'} the ring?" if body.get("temperature") else "What happened?"
    return f"<question>{question}</question><answer>{who}</answer>"


@on_phone
def test_study_questions_are_made_and_practised(
    remote_url: str, chat_server: ChatServer, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_answer = threading.Event()

    def slowly(body: Body) -> str:
        if '"sentence": "Kim' in body["messages"][-1]["content"]:
            may_answer.wait(10)
        return writes(body)

    monkeypatch.setattr(chat_server, "answer", slowly)
    noted = open_page(remote_url, local=True)
    study = noted.open_tool("study")
    _stop_and_go_on(noted, study, chat_server, may_answer)
    words = noted.words
    first = study.locator(".study-one").first
    expect(first.locator(".study-question")).to_have_text("Who found the ring?")
    expect(first).to_contain_text(f"{words['study_answer']} Dana")
    first.locator("summary").press("Enter")
    expect(first.locator(".study-others li").first).to_contain_text("What happened?")
    assert noted.fits()
    noted.page.evaluate(AXE_SCRIPT)
    for scheme, rules in RULES.items():
        show_in(noted.page, scheme)
        assert noted.page.evaluate(VIOLATIONS, rules) == []
    with noted.page.expect_download() as saved:
        noted.press(study, words["study_json"])
    made = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert [len(one["others"]) for one in made] == [1, 1]
    noted.press(study, words["study_practise"])
    practised = noted.page.locator("#practice").get_by_role("textbox")
    expect(practised).to_be_focused()
    expect(practised).to_have_value("question\tanswer\nWho found the ring?\tDana\nWho kept the ring?\tKim")
    expect(study).to_be_hidden()


def _stop_and_go_on(noted: NotedPage, study: Locator, chat_server: ChatServer, may_answer: threading.Event) -> None:
    """Read the cost, start, stop and go on."""
    words = noted.words
    study.get_by_label(words["study_text"]).fill("Dana found the ring in the garden. Kim kept the ring.")
    study.get_by_label(words["study_samples"]).select_option("2")
    noted.press(study, words["study_make"])
    expect(study.get_by_text(words["study_cost"].format(places=2, samples=2, calls=8))).to_be_visible()
    asked = len(chat_server.requests)
    noted.press(study, words["study_start"])
    expect(study.locator(".study-one")).to_have_count(1)
    noted.press(study, words["study_stop"])
    expect(study.get_by_text(words["study_stopped"])).to_be_visible()
    may_answer.set()
    assert len(chat_server.requests) > asked
    expect(study.locator(".study-one")).to_have_count(1)
    noted.press(study, words["study_go_on"])
    expect(study.get_by_text(words["study_done"].format(made=2, of=2))).to_be_visible()
