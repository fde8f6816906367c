"""Hostile ids and filter texts, through everything that takes one: nothing foreign comes back, nothing breaks."""

import itertools
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.errors import NoIdentity, NotedError
from assistant.kinds import Reach
from assistant.types import Key, KeyOrigin, Scope, Turn
from memory_store.store import Store
from tests.support.beside import drained
from tests.support.memory.loop import RIGHT, Loop
from tests.support.memory.services import memory_of, services_on
from tests.support.memory.store import ANN, LetterPairs, clarification, indexed, recall_on, small_store
from tests.support.people.hostile import hostile
from ui.page.conversation.conversation import ConversationHandlers
from ui.streaming.runs import Runs

pytestmark = pytest.mark.promise("hostile-ids-reach-nothing")

SECRET = "marigold"
TEXTS = 30
MALLORY = Scope("mallory")


class Victim:
    """Ann, with a turn and an entry; and the parts that a stranger may try."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.recall = recall_on(store, LetterPairs())
        assistant = Loop(store, *[RIGHT] * 10**5).assistant
        services = services_on(store, assistant, runs=Runs(seconds=0))
        self.chat, self.pages = ConversationHandlers(services), memory_of(services)
        self.turn = Turn("turn-of-ann", "conversation-of-ann", ANN.person, f"What about {SECRET}?")
        store.turn_store.record(self.turn, ANN)
        self.entry = store.memory.remember(clarification(f"What about {SECRET}?", f"I meant the {SECRET}"), ANN)
        store.indexer.catch_up()

    @property
    def known(self) -> tuple[str, ...]:
        return (self.turn.id, self.turn.conversation, self.entry.id, SECRET, self.entry.question)

    def state(self) -> str:
        entries = self.store.memory.entries(ANN)
        return repr([*entries, *self.store.turn_store.turns(self.turn.conversation, ANN)])

    def ways(self, text: str, scope: Scope) -> Iterator[Callable[[], object]]:
        """Everything that takes an id or a text, with this one in its place."""
        memory, turn_store, key = self.store.memory, self.store.turn_store, Key(text, KeyOrigin.PERSON)
        yield lambda: memory.entry(text, scope)
        yield lambda: memory.entries(scope, text)
        yield lambda: memory.current(text, scope)
        yield lambda: memory.kept(text, scope)
        yield lambda: memory.edit(text, text, scope)
        yield lambda: memory.replace_keys(text, [text], [key], scope)
        yield lambda: memory.retract(text, scope)
        yield lambda: memory.forget(text, scope)
        yield lambda: memory.resume(text, scope)
        yield lambda: memory.pause(text, scope)
        yield lambda: memory.except_for(text, text, scope)
        yield lambda: memory.set_reach(text, Reach.QUESTION, scope)
        yield lambda: memory.count(text, "used", text, scope)
        yield lambda: dict(memory.entries_by_id([text, self.entry.id], scope))
        yield lambda: turn_store.turn(text, scope)
        yield lambda: turn_store.turns(text, scope)
        yield lambda: indexed(self.store, scope)
        yield lambda: self.recall(text, scope)
        told = dict.fromkeys(("turn", "entry", "conversation", "seen", "text", "search", "old", "new"), text) | {
            "reach": "question"
        }
        for reaction in ("confirm", "exclude", "pause", "except", "resume", text):
            yield lambda reaction=reaction: drained(self.chat.react(told | {"reaction": reaction}, scope, "page"))  # type: ignore[misc]
        for run in (self.chat.clarify, self.chat.retry):
            yield lambda run=run: drained(run(told, scope, "page"))  # type: ignore[misc]
        for change in (self.chat.refresh, self.chat.undo, self.chat.reach, self.chat.open):
            yield lambda change=change: change(told, scope)  # type: ignore[misc]
        yield lambda: self.chat.open(text, scope)
        pages = self.pages
        named = (
            pages.search,
            pages.edit,
            pages.resume,
            pages.reach,
            pages.change_key,
            pages.offer,
            pages.withdraw,
            pages.forget,
        )
        for event in (*named, pages.export, pages.forget_all):
            yield lambda event=event: event(told, scope)  # type: ignore[misc]


@pytest.fixture
def ann(tmp_path: Path) -> Iterator[Victim]:
    store = small_store(tmp_path, LetterPairs())
    yield Victim(store)
    store.close()


def answers(ways: Iterator[Callable[[], object]]) -> Iterator[object]:
    """What comes back; a refusal in words is as good as nothing."""
    for way in ways:
        try:
            yield way()
        except NotedError as error:
            yield str(error)


def of_somebody_else(answer: object, asked: str) -> bool:
    """Whether an answer says more of Ann than whoever asked has sent."""
    told = repr(answer)
    told_of_her = "'ann'" in told and "ann" not in asked
    return told_of_her or any(private in told and private not in asked for private in (SECRET, "turn-of-ann"))


def test_no_id_and_no_text_gets_at_anything_foreign(ann: Victim, caplog: pytest.LogCaptureFixture) -> None:
    before = ann.state()
    for text in hostile(TEXTS, ann.known):
        foreign = [answer for answer in answers(ann.ways(text, MALLORY)) if of_somebody_else(answer, text)]
        assert foreign == [], text
    assert ann.state() == before
    assert "another person" not in caplog.text  # no filter let anything through to the second look
    assert [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR] == []


def test_no_name_makes_somebody_another_person(ann: Victim) -> None:
    before = ann.state()
    refused = 0
    for name in hostile(TEXTS, (*ann.known, ANN.person)):
        try:
            stranger = Scope(name)
        except NoIdentity:
            refused += 1
            continue
        if stranger == ANN:
            continue
        ways = itertools.islice(ann.ways(ann.entry.id, stranger), 17)
        foreign = [answer for answer in answers(ways) if of_somebody_else(answer, ann.entry.id + name)]
        assert foreign == [], name
        assert ann.store.turn_store.turns(ann.turn.conversation, stranger) == []
        assert ann.store.memory.entries(stranger) == []
    assert 0 < refused < TEXTS
    assert ann.state() == before


def test_the_same_ways_do_reach_ones_own(ann: Victim) -> None:
    """Else the tests above would find nothing for the wrong reason."""
    ways = {
        number: answer
        for number, answer in enumerate(answers(itertools.islice(ann.ways(ann.entry.id, ANN), 3)))
        if SECRET in repr(answer)
    }
    assert ways.keys() == {0, 2}
    assert SECRET in repr(ann.recall(f"What about {SECRET}?", ANN))
    assert SECRET in repr(indexed(ann.store, ANN))
    assert SECRET in json.dumps(ann.pages.search({"search": "mari"}, ANN))
    assert SECRET in repr(ann.store.turn_store.turns(ann.turn.conversation, ANN))
