"""A store that saves nothing for its users: a ledger that refuses writes, and turns in memory."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile

from sqlalchemy import Connection

from assistant.errors import NotFound, ReadOnly
from assistant.reports.upkeep import Receipt
from assistant.types import Scope, Turn
from memory_store.ledger.access import require_user
from memory_store.ledger.ledger import Ledger

_MOST_TURNS = 5_000


class ReadOnlyLedger(Ledger):
    """An open ledger whose `write` raises ReadOnly."""

    def __init__(self, ledger: Ledger) -> None:
        self.__dict__.update(ledger.__dict__)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        raise ReadOnly
        yield


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

    def forget_before(self, forget_all: Callable[[Scope], Receipt], scope: Scope) -> Receipt:
        """Delete all turns of a user here, then everything by `forget_all`."""
        for turn in self._own(scope):
            self._turns.pop(turn.id, None)
        return forget_all(scope)

    def _own(self, scope: Scope) -> list[Turn]:
        with self._lock:
            return [turn for turn in self._turns.values() if turn.person == require_user(scope)]
