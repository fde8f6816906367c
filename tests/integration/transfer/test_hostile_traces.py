"""Traces of answers, stored by imports of earlier versions, with arbitrary content: no reader breaks."""

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from app import compose
from assistant.errors import NotedError
from assistant.reply.fields import Trace
from assistant.settings import Settings
from assistant.types import Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.turns.turn_store import LedgerTurnStore, mark_turn
from ui.actions.call import Call
from ui.actions.table import OPERATIONS
from ui.server.services import Services

pytestmark = pytest.mark.promise("hostile-turns")

TOLD = "My manager is Dana."
PREMISE = {"text": "t", "believed": True}
WHOLE: dict[str, Any] = {
    "readings": ["other"], "fact": [TOLD], "keep": ["I | manager | Dana"], "because": ["so"], "disputed": ["so"],
    "in_view": ["e"],
    "why": {"premises": [PREMISE], "claim": "c", "follows": None},
    "thought": {"claim": ""},
    "keep_said": {"1": ""},
    "looked": [{"asked": "Dana | is | ?", "outcome": "found", "found": [
        {"entry": "e", "subject": "Dana", "relation": "is", "object": "here"},
    ]}],
    "drafts": {"best": 0, "shown": 0, "all": [
        {"raw": "r", "status": "ok", "fields": {"answer": "a"}, "used": [], "scores": {"x": 1.0}, "score": 1.0},
        {"raw": "s", "status": "ok", "fields": {"answer": "b"}, "used": [], "scores": {"x": 0.5}, "score": 0.5},
    ]},
    "drafted_lesson": {"key": "k", "rule": "r", "state": "dropped"},
    "learnt_from": True,
}  # fmt: skip
LEAVES = st.sampled_from([None, True, 1, -1, 0.5, "", "x", "a | b | c", "1", "found", "kept"])
NAMES = st.sampled_from(["1", "entry", "text", "premises", "all", "found", "fields", "why", "rule", "key", "state"])
ANY = st.recursive(LEAVES, lambda of: st.lists(of, max_size=3) | st.dictionaries(NAMES, of, max_size=3), max_leaves=6)


def changed(value: Any, what: st.DataObject) -> Any:
    """Return a copy with a random part replaced by arbitrary data."""
    places = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    if not places or not what.draw(st.integers(0, 3)):
        return what.draw(ANY)
    at = what.draw(st.sampled_from(list(places)))
    copy = value.copy()
    copy[at] = changed(value[at], what)
    return copy


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    home = tmp_path_factory.mktemp("home")
    home.chmod(0o700)
    with closing(compose(Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none"}))) as opened:
        yield opened


IDS = count()


def store_turn(services: Services, trace: dict[str, Any]) -> str:
    """Store a turn as an earlier version imported it, of a user with the same id; return the id."""
    me, turn_store = Scope(f"h{next(IDS)}"), services.assistant.runner.turn_store
    assert isinstance(turn_store, LedgerTurnStore)
    reply = Reply.of("r", "u", "a", ReplyStatus.OK)
    turn_store.record(Turn(me.person, me.person, me.person, TOLD, state=TurnState.ANSWERED, reply=reply), me)
    with turn_store._ledger.write() as connection:
        mark_turn(connection, me.person, me, {"trace": trace})
    return me.person


def use(services: Services, turn_id: str) -> None:
    """Call everything that reads the trace of an answer."""
    me = Scope(turn_id)
    turn = services.assistant.turn(turn_id, me)
    for part in services.card_parts:
        json.dumps(part.view(turn), default=str)
    asked: list[tuple[str, Any]] = [
        *(("why", {}), ("proposals", {})),
        *(("decide", {"act": act, "of": "fact"}) for act in ("keep", "discard", "undo")),
        *(("decide", {"act": act, "of": "lesson"}) for act in ("keep", "undo", "discard")),
        ("dispute", {"act": "does-not-follow"}),
        *(("take", {"number": number}) for number in (2, 0)),
    ]
    for name, said in asked:
        with suppress(NotedError):
            list(OPERATIONS[name].results(Call(services, me), {"turn": turn_id, **said}))
    services.lessons.waiting(me)
    assert all(line.endswith("\n") for line in services.store.export(me))


def test_well_formed_trace_is_read_whole(services: Services) -> None:
    assert Trace.__annotations__.keys() == WHOLE.keys()
    turn_id = store_turn(services, WHOLE)
    use(services, turn_id)
    kept = services.assistant.turn(turn_id, Scope(turn_id)).reply.trace
    assert kept.keys() >= WHOLE.keys() - {"keep_said", "drafted_lesson"}  # the feedback in these was undone


@tries(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(WHOLE)))
def test_no_trace_breaks_its_readers(services: Services, what: st.DataObject, name: str) -> None:
    use(services, store_turn(services, {"fact": [TOLD], name: changed(WHOLE[name], what)}))
