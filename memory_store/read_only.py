"""Expose a store to the core, writable or read-only; read-only, turns are kept in memory."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, NoReturn, cast

from assistant.errors import NotFound, ReadOnly
from assistant.limits import Limits
from assistant.ports import Conversations, Memory, TurnStore
from assistant.reports.upkeep import Imported, Receipt
from assistant.types import Scope, Turn
from memory_store.ledger.access import require_user
from memory_store.store import Store

_MOST_TURNS = 5_000
_READING = ("entry", "entries", "find", "earlier", "beside", "current", "kept", "taken_along", "forget")


class Ports(NamedTuple):
    """Ports through which the core reaches a store."""

    memory: Memory
    turn_store: TurnStore
    conversations: Conversations
    take_in: Callable[[Iterable[bytes], Scope], Iterator[Imported]]


def writable(store: Store, limits: Limits) -> Ports:
    """Return the ports of a store that saves changes."""
    return Ports(store.memory, store.turn_store, store.conversations, store.importing(limits))


def read_only(store: Store) -> Ports:
    """Return the ports of a store that saves nothing. Users can still read and delete their entries."""
    memory, conversations, turns = store.memory, store.conversations, TransientTurnStore()

    def forget_all(scope: Scope) -> Receipt:
        turns.forget(scope)
        return memory.forget_all(scope)

    reading = {name: getattr(memory, name) for name in _READING}
    # Answers change no counters here.
    guarded = _ReadOnlyProxy(**reading, forget_all=forget_all, count=lambda *_, **__: None)
    listing = _ReadOnlyProxy(conversations=conversations.conversations, erase=conversations.erase)
    return Ports(cast("Memory", guarded), turns, cast("Conversations", listing), _refuse)


class _ReadOnlyProxy:
    """A port with only these methods; every other method, also one added later, raises ReadOnly."""

    def __init__(self, **methods: Callable[..., Any]) -> None:
        self._methods = methods

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self._methods.get(name, _refuse)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise ReadOnly


class TransientTurnStore:
    """Implements `TurnStore` in memory, for the last 5,000 turns of all users."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._lock = threading.Lock()

    def record(self, turn: Turn, scope: Scope) -> None:
        with self._lock:
            if {turn.person, self._turns.get(turn.id, turn).person} != {require_user(scope)}:
                raise NotFound
            self._turns[turn.id] = turn
            while len(self._turns) > _MOST_TURNS:
                del self._turns[next(iter(self._turns))]

    def mark(self, turn: Turn, scope: Scope) -> None:
        self.turn(turn.id, scope)
        self.record(turn, scope)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        with self._lock:
            turn = self._turns.get(turn_id)
        if turn is None or turn.person != require_user(scope):
            raise NotFound
        return turn

    def turns(self, conversation: str, scope: Scope, limit: int = 50, before: str = "") -> Sequence[Turn]:
        earlier = takewhile(lambda turn: turn.id != before, self._own(scope))
        return [turn for turn in earlier if turn.conversation == conversation][-limit:]

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        return [turn for turn in self._own(scope) if field in turn.reply.fields][-limit:][::-1]

    def forget(self, scope: Scope) -> None:
        """Delete all turns of a user."""
        for turn in self._own(scope):
            self._turns.pop(turn.id, None)

    def _own(self, scope: Scope) -> list[Turn]:
        with self._lock:
            return [turn for turn in self._turns.values() if turn.person == require_user(scope)]
