"""A memory that is asked and never written: what was there counts, what people do passes with the process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.conversation_list import ConversationSummary
from assistant.errors import NotFound, ReadOnly
from assistant.finding import Found, Wanted
from assistant.limits import Limits
from assistant.ports import Conversations, Journal, Memory
from assistant.receipts import Imported, Receipt
from assistant.types import Draft, Entry, Key, Scope, Turn
from memory_store.scoping import own_turn, person_of
from memory_store.store import Store

_MOST_TURNS = 5_000


class PassingJournal:
    """The port `Journal` in the memory of this process, for the last turns of everybody.

    Args:
        most: how many turns.
    """

    def __init__(self, most: int = _MOST_TURNS) -> None:
        self._most = most
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        self._lock = threading.Lock()

    def record(self, turn: Turn, scope: Scope) -> None:
        """Keep a turn for a while. Raises NotFound: it is another person's."""
        if turn.person != person_of(scope):
            raise NotFound
        with self._lock:
            known = self._turns.get(turn.id, turn)
            if known.person != turn.person:
                raise NotFound
            self._turns[turn.id] = turn
            while len(self._turns) > self._most:
                self._turns.popitem(last=False)

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Keep what a person did with a turn. Raises NotFound: the person has no such turn."""
        self.turn(turn.id, scope)
        self.record(turn, scope)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn of the person. Raises NotFound."""
        with self._lock:
            turn = self._turns.get(turn_id)
        if turn is None or not own_turn(turn, scope):
            raise NotFound
        return turn

    def turns(self, conversation: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        """The last `limit` turns of a conversation, oldest first."""
        with self._lock:
            kept = list(self._turns.values())
        return [turn for turn in kept if own_turn(turn, scope) and turn.conversation == conversation][-limit:]

    def forget(self, scope: Scope) -> None:
        """Keep nothing of a person any longer."""
        with self._lock:
            for turn_id in [turn.id for turn in self._turns.values() if own_turn(turn, scope)]:
                del self._turns[turn_id]


class ReadOnlyMemory:
    """The port `Memory` over another one, of which nothing is changed but by whoever wants to be forgotten.

    Args:
        memory: what is read.
        journal: forgets with it.
    """

    def __init__(self, memory: Memory, journal: PassingJournal) -> None:
        self._memory = memory
        self._journal = journal

    def remember(self, draft: Draft, scope: Scope) -> Entry:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly

    def entry(self, entry_id: str, scope: Scope) -> Entry:
        return self._memory.entry(entry_id, scope)

    def entries(self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0) -> Sequence[Entry]:
        return self._memory.entries(scope, search, limit, offset)

    def find(self, scope: Scope, wanted: Wanted, limit: int = 50, offset: int = 0) -> Found:
        return self._memory.find(scope, wanted, limit, offset)

    def earlier(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Sequence[Entry]]:
        return self._memory.earlier(entry_ids, scope)

    def add_keys(self, entry_id: str, found_under: Sequence[Key], scope: Scope) -> Entry:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly

    def replace_keys(self, entry_id: str, old: Collection[str], new: Sequence[Key], scope: Scope) -> Entry:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly

    def edit(self, entry_id: str, text: str, scope: Scope) -> Entry:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly

    def widen(self, entry_id: str, scope: Scope) -> Entry:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly

    def current(self, entry_id: str, scope: Scope) -> Entry | None:
        return self._memory.current(entry_id, scope)

    def kept(self, turn_id: str, scope: Scope) -> Entry | None:
        return self._memory.kept(turn_id, scope)

    def retract(self, entry_id: str, scope: Scope) -> Entry:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly

    def forget(self, entry_id: str, scope: Scope) -> Receipt:
        return self._memory.forget(entry_id, scope)

    def forget_all(self, scope: Scope) -> Receipt:
        self._journal.forget(scope)
        return self._memory.forget_all(scope)

    def count(self, entry_id: str, event: str, turn_id: str, scope: Scope) -> None:
        """Nothing: an answer counts for no entry here."""

    def use_again(self, entry_id: str, scope: Scope) -> Entry:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly


class ReadOnlyConversations:
    """The port `Conversations` over another one: what was kept before can be read, and erased."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    def conversations(
        self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0
    ) -> Sequence[ConversationSummary]:
        return self._conversations.conversations(scope, search, limit, offset)

    def rename(self, conversation: str, title: str, scope: Scope) -> None:  # noqa: ARG002
        """Raises ReadOnly."""
        raise ReadOnly

    def erase(self, conversation: str, scope: Scope) -> Receipt:
        return self._conversations.erase(conversation, scope)


@dataclass(frozen=True, slots=True)
class Doors:
    """How the loop and its doors reach a store."""

    memory: Memory
    journal: Journal
    conversations: Conversations
    take_in: Callable[[Iterable[bytes], Scope], Imported]


def as_it_is(store: Store, limits: Limits) -> Doors:
    """The store itself, which keeps what people do."""
    return Doors(store.memory, store.journal, store.conversations, store.importing(limits))


def read_only(store: Store) -> Doors:
    """The store, in which nothing is saved."""
    journal = PassingJournal()
    memory, conversations = ReadOnlyMemory(store.memory, journal), ReadOnlyConversations(store.conversations)
    return Doors(memory, journal, conversations, take_nothing_in)


def take_nothing_in(lines: Iterable[bytes], scope: Scope) -> Imported:  # noqa: ARG001
    """An import where nothing is saved. Raises ReadOnly."""
    raise ReadOnly
