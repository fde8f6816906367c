"""A fresh machine, `python app.py`, and a browser: misunderstood, put right, used, and still there after a restart."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.support.served import served
from tests.ui.conftest import OpenPage
from ui.notes import EXAMPLES

FIRST_USES = [
    (EXAMPLES[0], "no, I meant a synonym", "fast", "What is akin to enormous?", "large"),
    (EXAMPLES[1], "nahi, mera matlab same meaning wala shabd", "fast", "huge jaisa koi shabd batao", "vast"),
    (EXAMPLES[2], "ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ ਸਮਾਨ ਅਰਥ ਵਾਲਾ ਸ਼ਬਦ", "rapid", "huge varga shabad dasso", "vast"),
]


def test_what_was_put_right_is_used_for_another_question_after_a_restart(tmp_path: Path, open_page: OpenPage) -> None:
    """Each language by a visitor of its own: what one of them puts right would help the others."""
    with served(tmp_path) as server:
        visitors = [open_page(server.url) for _ in FIRST_USES]
        for noted, (question, words, answer, _, _) in zip(visitors, FIRST_USES, strict=True):
            noted.ask(question)
            expect(noted.turn(0).locator(".answer")).not_to_have_text(answer)
            noted.ask(words)
            expect(noted.turn(1)).to_contain_text("Noted")
            expect(noted.turn(2).locator(".answer")).to_have_text(answer)
            noted.leave()
    with served(tmp_path) as server:
        for noted, (_, words, _, other, answer) in zip(visitors, FIRST_USES, strict=True):
            noted.url = server.url
            noted.open().ask(other)
            turn = noted.turn(0)
            expect(turn.locator(".answer")).to_have_text(answer)
            turn.get_by_text("From memory").click()
            expect(turn.locator(".entry")).to_contain_text(words)
            expect(turn.locator(".entry-why")).to_contain_text("only the word asked about differs")
