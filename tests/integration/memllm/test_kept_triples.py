"""Told facts through the whole app: stored with their triples, used, replaced and undone, within limits."""

from base64 import b64encode
from collections.abc import Callable

import pytest

from assistant.errors import InputError, TooOften
from assistant.kinds import MOST_TRIPLES, Triple
from assistant.proposals import State
from assistant.types import Turn
from tests.support.memory.loop import ME, last, reply
from tests.support.servers.chat_server import ChatServer
from ui.page.teach import LearnHandlers, SheetHandlers
from ui.server.services import Services

pytestmark = pytest.mark.promise("triples-are-decided", "kept-triples-answer", "changes-are-counted")

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


SAVES = 5
FRIENDS = [f"friend {n}" for n in range(MOST_TRIPLES + 1)]
TOO_MANY = tuple(Triple(subject="Dana", relation="knows", object=friend) for friend in FRIENDS)
ALL = f"Dana knows {', '.join(FRIENDS)}"


@pytest.fixture
def services(composed: Callable[..., Services]) -> Services:
    return composed(saves_per_minute=SAVES)


def test_fact_has_at_most_a_hundred_triples(services: Services) -> None:
    lines = [one.line for one in TOO_MANY]
    assert [*LearnHandlers(services).keep({"facts": [{"text": ALL, "triples": lines}]}, ME)] == ["refused"]
    few = services.sheet_editing.remember(ALL, TOO_MANY[:-1], ME)
    with pytest.raises(InputError, match="100"):
        services.sheet_editing.remember(ALL, TOO_MANY[-1:], ME)
    assert services.assistant.memory.entries(ME) == [few]


def file_of(lines: int) -> dict[str, str]:
    """Return a file with that many facts, as the page sends it."""
    written = "\n".join(["subject,relation,object", *(f"a{n},is,b{n}" for n in range(lines))])
    return {"bytes": b64encode(written.encode()).decode()}


def test_lines_count_by_the_hundred_all_or_none(services: Services) -> None:
    sheet = SheetHandlers(services)
    assert sheet.take_in(file_of(SAVES * 100 + 1), ME) == {"refused": TooOften(SAVES).sentence}
    assert services.assistant.memory.entries(ME) == []
    assert sheet.take_in(file_of(101), ME)["taken"] == 101
    learn = LearnHandlers(services)
    facts = [{"text": f"f{n}", "triples": [f"a{m} | is | c" for m in range(90)]} for n in range(4)]
    assert learn.keep({"facts": facts}, ME) == {"refused": TooOften(SAVES).sentence}
    assert [*learn.keep({"facts": facts * 3}, ME)] == ["refused"]
