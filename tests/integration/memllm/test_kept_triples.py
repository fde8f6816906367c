"""Told facts are stored with their triples, used in answers, replaced and undone; through the whole app."""

from collections.abc import Callable

import pytest

from assistant.proposals import State
from assistant.types import Turn
from tests.support.memory.loop import ME, last, reply
from tests.support.servers.chat_server import ChatServer
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

    def facts(self) -> list[tuple[str, list[str]]]:
        entries = self.assistant.memory.entries(ME)
        return [(entry.shown, [one.line for one in entry.body.triples]) for entry in entries]  # type: ignore[attr-defined]


@pytest.fixture
def talk(composed: Callable[..., Services]) -> Talk:
    return Talk(composed)


@pytest.mark.parametrize("language", TALKS)
def test_told_facts_answer_until_a_newer_one(talk: Talk, language: str) -> None:
    manager, lives, moved, question, dana, pune, delhi = TALKS[language]
    for message in (manager, lives):
        talk.ask(message)
    talk.restart()
    turn = talk.ask(question)
    assert turn.reply.answer.startswith(pune)
    assert turn.reply.fields["because"] == (manager, lives)

    change = talk.ask(moved)
    assert talk.triples.of(change, ME) == ()
    (text, (line,)), *_ = talk.facts()
    assert (text, line.split(" | ")[::2]) == (moved, [dana, delhi])
    turn = talk.ask(question)
    assert turn.reply.answer.startswith(delhi)
    assert turn.reply.fields["because"] == (manager, moved)
    assert lives not in [text for text, _ in talk.facts()]

    talk.assistant.undo(talk.assistant.memory.entries(ME)[0].id, ME)
    assert talk.triples.waiting(ME) == []
    assert talk.ask(question).reply.answer.startswith(pune)  # as told, since nothing replaces it any more


def test_triple_is_kept_by_itself_where_set(connected: Callable[..., Services], server: ChatServer) -> None:
    talk = Talk(connected, NOTED_KEEP_TRIPLES="on")
    server.replies(reply("You talk about Dana.", "I see.") + "\n<keep>I | manager | Dana</keep>")
    turn = talk.ask("By the way, Dana is the one who manages me.")
    assert [one.state for one in talk.triples.of(talk.assistant.turn(turn.id, ME), ME)] == [State.KEPT]
    talk.triples.undo(turn.id, 1, ME)
    assert talk.facts() == []
    assert [one.state for one in talk.triples.of(talk.assistant.turn(turn.id, ME), ME)] == [State.PROPOSED]
