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


def ask(services: Services, message: str) -> Turn:
    return last(services.assistant.ask(message, ME, "c"))


@pytest.mark.parametrize("language", TALKS)
def test_told_facts_answer_until_a_newer_one(composed: Callable[..., Services], language: str) -> None:
    manager, lives, moved, question, dana, pune, delhi = TALKS[language]
    before = composed()
    for message in (manager, lives):
        ask(before, message)
    services = composed()
    turn = ask(services, question)
    assert turn.reply.answer.startswith(pune)
    assert turn.reply.fields["because"] == (manager, lives)

    change = ask(services, moved)
    assert services.triples.of(change, ME) == ()
    newest, *others = services.assistant.memory.entries(ME)
    (kept,) = newest.body.triples  # type: ignore[attr-defined]
    assert (newest.shown, kept.subject, kept.object) == (moved, dana, delhi)
    assert lives not in [entry.shown for entry in others]
    turn = ask(services, question)
    assert turn.reply.answer.startswith(delhi)
    assert turn.reply.fields["because"] == (manager, moved)

    services.assistant.undo(newest.id, ME)
    assert services.triples.waiting(ME) == []
    assert ask(services, question).reply.answer.startswith(pune)  # as told, since nothing replaces it any more


def test_triple_is_kept_by_itself_where_set(connected: Callable[..., Services], server: ChatServer) -> None:
    services = connected(NOTED_KEEP_TRIPLES="on")
    server.replies(reply("You talk about Dana.", "I see.") + "\n<keep>I | manager | Dana</keep>")
    turn = ask(services, "By the way, Dana is the one who manages me.")
    (proposed,) = services.triples.of(services.assistant.turn(turn.id, ME), ME)
    assert proposed.state is State.KEPT
    services.triples.undo(turn.id, 1, ME)
    assert services.assistant.memory.entries(ME) == []
    (proposed,) = services.triples.of(services.assistant.turn(turn.id, ME), ME)
    assert proposed.state is State.PROPOSED
