"""Told facts are proposed as triples, kept, used in answers, replaced and undone; through the whole app."""

from collections.abc import Callable

import pytest

from assistant.proposals import State
from assistant.types import Turn
from tests.support.memory.loop import ME, last
from ui.server.services import Services

pytestmark = pytest.mark.promise("triples-are-decided", "kept-triples-answer")

TALKS = {
    "English": (
        *("my manager is Dana", "Dana lives in Pune", "Dana moved to Delhi", "where does my manager live?"),
        *("Dana", "Pune", "Delhi"),
    ),
    "Punjabi": (
        *("ਮੇਰੀ ਮੈਨੇਜਰ ਡਾਨਾ ਹੈ", "ਡਾਨਾ ਪੁਣੇ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ", "ਡਾਨਾ ਹੁਣ ਦਿੱਲੀ ਵਿੱਚ ਰਹਿੰਦੀ ਹੈ"),
        *("ਮੇਰੀ ਮੈਨੇਜਰ ਕਿੱਥੇ ਰਹਿੰਦੀ ਹੈ?", "ਡਾਨਾ", "ਪੁਣੇ", "ਦਿੱਲੀ"),
    ),
}


class Talk:
    """A user's conversation with the app."""

    def __init__(self, composed: Callable[..., Services], **settings: object) -> None:
        self._composed, self._settings = composed, settings
        self.restart()

    def restart(self) -> None:
        self.services = self._composed(**self._settings)
        self.assistant, self.triples = self.services.assistant, self.services.triples

    def ask(self, message: str) -> Turn:
        return last(self.assistant.ask(message, ME, "c"))

    def keep(self, message: str) -> Turn:
        """Ask, and keep the first proposal."""
        turn = self.ask(message)
        self.triples.keep(turn.id, 1, ME)
        return turn

    def proposals(self, turn: Turn) -> list[tuple[str, State]]:
        return [(one.said.line, one.state) for one in self.triples.of(self.assistant.turn(turn.id, ME), ME)]

    def facts(self) -> list[tuple[str, list[str]]]:
        entries = self.assistant.memory.entries(ME)
        return [(entry.shown, [one.line for one in entry.body.triples]) for entry in entries]  # type: ignore[attr-defined]


@pytest.fixture
def talk(composed: Callable[..., Services]) -> Talk:
    return Talk(composed)


@pytest.mark.parametrize("language", TALKS)
def test_kept_facts_answer_until_a_newer_one(talk: Talk, language: str) -> None:
    manager, lives, moved, question, dana, pune, delhi = TALKS[language]
    for message in (manager, lives):
        talk.keep(message)
    talk.restart()
    turn = talk.ask(question)
    assert turn.reply.answer.startswith(pune)
    assert turn.reply.fields["because"] == (manager, lives)

    change = talk.ask(moved)
    ((line, state),) = talk.proposals(change)
    assert (line.split(" | ")[::2], state) == ([dana, delhi], State.PROPOSED)
    talk.triples.keep(change.id, 1, ME)
    turn = talk.ask(question)
    assert turn.reply.answer.startswith(delhi)
    assert turn.reply.fields["because"] == (manager, moved)
    assert lives not in [text for text, _ in talk.facts()]

    talk.triples.undo(change.id, 1, ME)
    assert talk.proposals(change) == [(line, State.PROPOSED)]
    talk.assistant.undo(talk.assistant.memory.entries(ME)[0].id, ME)
    assert talk.ask(question).reply.answer.startswith(pune)  # as told, since nothing replaces it any more


def test_triple_is_kept_by_itself_where_set(composed: Callable[..., Services]) -> None:
    talk = Talk(composed, keep_triples=True)
    turn = talk.ask("my manager is Dana")
    assert talk.proposals(turn) == [("I | manager | Dana", State.KEPT)]
    talk.triples.undo(turn.id, 1, ME)
    assert talk.facts() == [("my manager is Dana", [])]
    assert talk.proposals(turn) == [("I | manager | Dana", State.PROPOSED)]


def test_discarded_triple_does_not_come_back(talk: Talk) -> None:
    pune, delhi = talk.keep("Dana works in Pune"), talk.keep("Dana works in Delhi")
    assert talk.proposals(pune) == [("Dana | works in | Pune", State.GONE)]
    talk.triples.discard(pune.id, 1, ME)
    talk.triples.discard(delhi.id, 1, ME)
    assert [lines for _, lines in talk.facts()] == [[], []]


def test_fact_is_corrected_in_plain_words(talk: Talk) -> None:
    talk.ask("remember that Dana is my boss")
    again = talk.ask("no, I meant Asha is my boss")
    assert again.reply.understanding == "You told me that Asha is your boss."
    assert talk.facts() == [("Asha is my boss", [])]
    assert talk.ask("who is my boss?").reply.answer.startswith("Asha")
    (entry,) = talk.assistant.memory.entries(ME)
    talk.triples.keep(again.id, 1, ME)
    assert talk.facts() == [("Asha is my boss", ["I | boss | Asha"])]
    talk.triples.undo(again.id, 1, ME)
    talk.assistant.undo(entry.id, ME)
    assert talk.ask("who is my boss?").reply.answer.startswith("Dana")
