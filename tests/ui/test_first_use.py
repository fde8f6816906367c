"""A fresh machine, `python app.py`, and a browser: misunderstood, put right, used, and still there after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app import compose
from assistant.settings import Settings
from assistant.types import Scope, Turn
from tests.support.served import served
from tests.ui.conftest import OpenPage, served_here
from ui.notes import EXAMPLES, EXAMPLES_BY_LANGUAGE
from ui.services import Services
from ui.texts import languages, texts

FIRST_USES = [
    (EXAMPLES[0], "no, I meant a synonym", "fast", "What is akin to enormous?", "large"),
    (EXAMPLES[1], "nahi, mera matlab same meaning wala shabd", "fast", "huge jaisa koi shabd batao", "vast"),
    (EXAMPLES[2], "ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ ਸਮਾਨ ਅਰਥ ਵਾਲਾ ਸ਼ਬਦ", "rapid", "huge varga shabad dasso", "vast"),
]
# How a person might end the sentence that the page begins for them.
ENDINGS = {
    "en": ("a synonym", "a word with the same meaning", "something similar"),
    "hi": ("समानार्थी शब्द", "एक जैसे मतलब वाला शब्द", "same meaning wala shabd"),
    "pa": ("ਸਮਾਨ ਅਰਥ ਵਾਲਾ ਸ਼ਬਦ", "ਇੱਕੋ ਮਤਲਬ ਵਾਲਾ ਸ਼ਬਦ", "iko matlab wala shabad"),
}
OTHER_WORDS = {"quick": ("huge", "vast"), "fast": ("brave", "courageous")}


@pytest.fixture(scope="module", params=["none", "all-MiniLM-L6-v2"])
def fresh(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """What `python app.py` serves on a fresh machine, with and without the embedder that comes with it."""
    home = str(tmp_path_factory.mktemp("fresh"))
    services = compose(Settings.load({"NOTED_HOME": home, "NOTED_EMBEDDER": request.param}))
    services.start()
    yield services
    services.close()


def answered(services: Services, text: str, scope: Scope) -> Turn:
    list(services.assistant.ask(text, scope, "conversation"))
    return services.assistant.turns("conversation", scope)[-1]


@pytest.mark.parametrize("language", languages())
def test_every_example_of_every_language_is_misunderstood_until_it_is_put_right(fresh: Services, language: str) -> None:
    begun = texts(language)["beginning"]
    for question, ending in zip(EXAMPLES_BY_LANGUAGE[language], ENDINGS[language], strict=True):
        scope = Scope(f"{language} {question}")
        word = next(word for word in OTHER_WORDS if word in question)
        other, meaning = OTHER_WORDS[word]
        wrong = answered(fresh, question, scope)
        assert wrong.reply.answer not in {"fast", "rapid"}
        list(fresh.assistant.clarify(wrong.id, begun + ending, scope))
        right = fresh.assistant.turns("conversation", scope)[-1]
        assert right.reply.answer in {"fast", "rapid"}, question
        again = answered(fresh, question.replace(word, other), scope)
        assert (again.reply.answer, again.used) == (meaning, right.used), question


def test_what_was_put_right_is_used_for_another_question_after_a_restart(tmp_path: Path, open_page: OpenPage) -> None:
    """Each language by a visitor of its own: what one of them puts right would help the others.

    The second server is a process of its own, as on the next day.
    """
    for url in served_here(tmp_path, {"NOTED_EMBEDDER": "all-MiniLM-L6-v2"}):
        visitors = [open_page(url) for _ in FIRST_USES]
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
