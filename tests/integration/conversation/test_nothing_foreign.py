"""Hostile ids and filter texts for every function that takes one: they return nothing foreign and break nothing."""

import itertools
import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from assistant.errors import NoIdentity, NotedError
from assistant.kinds import Reach
from assistant.sharing import SharingRules
from assistant.types import Key, KeyOrigin, Scope, Turn
from memory_store.store import Store
from tests.support.memory.store import ANN, LetterPairEmbedder, build_retriever, clarification, read_index, small_store

pytestmark = pytest.mark.promise("hostile-ids-reach-nothing")

SECRET = "marigold"
MALLORY = Scope("mallory")


_PIECES = (
    "'", '"', "''", "\\", "\\'", ";", "--", "/*", "*/", "%", "_", "*", "?", "(", ")", "[", "{", "$", "{{7*7}}", "%s",
    ":owner", ":1", "\x00", "\r\n", "\u2028", "\u202e", "\u200b", "\ud800", "\udfff", "' OR '1'='1", "' OR 1=1 --",
    "x' OR scope='everyone' OR 'x'='", "\" OR \"\"=\"", "') OR ('1'='1", "1; DROP TABLE entries; --",
    "' UNION SELECT * FROM entries --", "owner != ''", "true", "NULL", "lit('x')", "col('owner')", "owner = 'ann'",
    "scope = 'person'", "IS NOT NULL", "LIKE '%'", "ESCAPE '\\'", "../", "../../ledger.sqlite3", "/etc/passwd", "%00",
    "0x61", "1e309", "-1", "NaN", "ann", "visitor:", "local", "hf:ann", "ANN", "ann ", " ann", "ann\u0301", "аnn", "अनु",
    "🙂", "everyone", "active", "*:*", "owner:ann", "a AND NOT b", "NEAR(a b)", '"a" OR "b"',
)  # fmt: skip


def generate_hostile(known: tuple[str, ...]) -> list[str]:
    """Return texts; some contain, or nearly equal, a `known` id, name or word of another user."""
    altered = [f"{text[:4]}{piece}{text[4:]}" for text in known for piece in ("'", "%", "\x00", "\u200b")]
    return [*_PIECES, *altered, *(f"{text}' OR 1=1 --" for text in known), "".join(_PIECES) * 50]


class Victim:
    """Ann, with a turn and an entry, and the parts for a stranger to try."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.recall = build_retriever(store, LetterPairEmbedder())
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
        """Yield calls of everything that takes an id or a text, with this text."""
        memory, turn_store, key = self.store.memory, self.store.turn_store, Key(text, KeyOrigin.PERSON)
        sharing = self.store.sharing(SharingRules())
        named: tuple[Callable[[str, Scope], object], ...] = (
            memory.entry, self.recall, memory.current, memory.kept, memory.retract, memory.forget, memory.resume,
            memory.pause, turn_store.turn, turn_store.turns, sharing.offer, sharing.withdraw,
        )  # fmt: skip
        yield from (partial(function, text, scope) for function in named)
        yield lambda: memory.entries(scope, text)
        yield lambda: memory.edit(text, text, scope)
        yield lambda: memory.replace_keys(text, [text], [key], scope)
        yield lambda: memory.except_for(text, text, scope)
        yield lambda: memory.set_reach(text, Reach.QUESTION, scope)
        yield lambda: memory.count(text, "used", text, scope)
        yield lambda: dict(memory.entries_by_id([text, self.entry.id], scope))
        yield lambda: read_index(self.store, scope)
        yield lambda: list(self.store.export(scope))


@pytest.fixture
def ann(tmp_path: Path) -> Victim:
    return Victim(small_store(tmp_path, LetterPairEmbedder()))


def answers(ways: Iterator[Callable[[], object]]) -> Iterator[object]:
    """Yield the result of each call, or the message of its NotedError."""
    for way in ways:
        try:
            yield way()
        except NotedError as error:
            yield str(error)


def tells_of_ann(answer: object, asked: str) -> bool:
    """Return True if an answer reveals more about Ann than its request contained."""
    told = repr(answer)
    names_her = "'ann'" in told and "ann" not in asked
    return names_her or any(private in told and private not in asked for private in (SECRET, "turn-of-ann"))


def test_hostile_text_reaches_nothing_foreign(ann: Victim, caplog: pytest.LogCaptureFixture) -> None:
    before = ann.state()
    for text in generate_hostile(ann.known):
        foreign = [answer for answer in answers(ann.ways(text, MALLORY)) if tells_of_ann(answer, text)]
        assert foreign == [], text
    assert ann.state() == before
    assert "another person" not in caplog.text  # the queries alone filtered everything
    assert [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR] == []


def test_hostile_name_is_nobody_else(ann: Victim) -> None:
    before, refused = ann.state(), 0
    names = generate_hostile((*ann.known, ANN.person))
    for name in names:
        try:
            stranger = Scope(name)
        except NoIdentity:
            refused += 1
            continue
        if stranger == ANN:
            continue
        ways = ann.ways(ann.entry.id, stranger)
        assert [answer for answer in answers(ways) if tells_of_ann(answer, ann.entry.id + name)] == [], name
        assert ann.store.turn_store.turns(ann.turn.conversation, stranger) == []
        assert ann.store.memory.entries(stranger) == []
    assert 0 < refused < len(names)
    assert ann.state() == before


def test_same_ways_reach_ones_own(ann: Victim) -> None:
    # Checks that the tests above would find something.
    assert all(SECRET in repr(answer) for answer in answers(itertools.islice(ann.ways(ann.entry.id, ANN), 3)))
    for found in (ann.recall(f"What about {SECRET}?", ANN), read_index(ann.store, ANN), ann.state()):
        assert SECRET in repr(found)
