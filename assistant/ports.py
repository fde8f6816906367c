"""Protocols that connect the core to models, memory and interfaces; tests implement them, too."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from assistant.events import TurnEvent
from assistant.kinds import Place, Reach, Triple
from assistant.model_usage import Count, ignore_usage
from assistant.types import Candidate, Decision, Entry, Key, Message, Question, Scope, Turn

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from assistant.reports.listing import EntryFilter, EntryPage
    from assistant.reports.upkeep import Receipt
    from assistant.types import NewEntry

Recall = Callable[[Question, Scope], Sequence[Candidate]]
"""Finds the entries for a question (Ω of the paper), one candidate each. Favours recall over precision."""
Retriever = Callable[[Question, Scope, Sequence[Candidate]], Sequence[Candidate]]
"""Adds to the candidates found so far, or marks some of them."""
Gate = Callable[[Sequence[Candidate], Scope], Sequence[Decision]]
"""Decides on each candidate (C of the paper): the user's own first, then shared ones, each by probability."""

Listener = Callable[[TurnEvent, Scope], None]
"""Handles an event of a turn. Must return at once. Raises StoreError."""

Spending = Callable[[float], Callable[[float], None]]
"""Reserves the maximum dollars of a call; the returned function replaces them by the true cost.

Raises SpendUsedUp if less is left, StoreError if it cannot be counted.
"""


class ChatModel(Protocol):
    """A model that replies to a prompt."""

    @property
    def name(self) -> str:
        """Return the name for users, which is recorded with each turn."""

    @property
    def writes_keys(self) -> bool:
        """Return True if the model can write further keys for entries (`KeyWriter`)."""

    @property
    def window(self) -> int:
        """Return the maximum of prompt and reply together, in tokens."""

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:
        """Stream the reply to a prompt, in pieces for `assistant.reply.filter`. Closing the generator ends the call.

        An empty piece means no text yet; a slow model yields some, since a generator can only be closed at a `yield`.
        `count` gets the usage of the call, if known, when the generator ends or is closed. Raises ModelError, one
        subclass per cause, also in the middle.
        """


@runtime_checkable
class Drafting(Protocol):
    """A `ChatModel` that can write several drafts of an answer."""

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """Return models that write one draft each, the first greedily. The others may give empty replies."""


class Embedder(Protocol):
    """A model that turns texts into vectors, whose cosine compares meanings."""

    @property
    def name(self) -> str:
        """Return the name for users."""

    @property
    def fingerprint(self) -> str:
        """Return a hash that changes with the vectors; only vectors of the same fingerprint are compared."""

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        """Return vectors of length 1, shape (len(texts), dimension)."""


class Memory(Protocol):
    """Durable store of entries. Methods see only entries that `scope` allows; lists have the user's own active ones.

    Every method may raise, without any effect:
        NotFound: `scope` allows no such entry.
        InputError: content that is not stored (`assistant.text.content_rules`).
        StoreError: the store failed.
    """

    def remember(self, draft: NewEntry, scope: Scope) -> Entry:
        """Save an entry durably, once per idempotency key.

        A clarification also sets `corrected_by` of its stored turn.
        """

    def entry(self, entry_id: str, scope: Scope) -> Entry:
        """Return one entry."""

    def current(self, entry_id: str, scope: Scope) -> Entry | None:
        """Return the active version of an entry: itself, or its successor. None if it was retracted."""

    def kept(self, turn_id: str, scope: Scope) -> Entry | None:
        """Return the active example from a turn of the user, if any."""

    def retract(self, entry_id: str, scope: Scope) -> Entry:
        """Retract an entry, and restore the one that it superseded, if any."""

    def count(self, entry_id: str, event: str, turn_id: str, scope: Scope) -> None:
        """Record an `event` of an entry in a turn, once: "used", "declined", "helped" or "hurt"."""

    def pause(self, entry_id: str, scope: Scope) -> Entry:
        """Stop using an active entry for this user, until they resume it."""

    def except_for(self, entry_id: str, turn_id: str, scope: Scope) -> Entry:
        """Stop using an active entry for this user, for questions like that of their turn."""

    def resume(self, entry_id: str, scope: Scope, turn_id: str | None = None) -> Entry:
        """Use an active entry again for this user; with a turn, only revoke its exception."""

    def entries(self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0) -> Sequence[Entry]:
        """List entries, newest first; `search` is a substring, in any script."""

    def find(self, scope: Scope, wanted: EntryFilter, limit: int = 50, offset: int = 0) -> EntryPage:
        """List the entries that pass a filter, newest first, with their total number."""

    def earlier(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Sequence[Entry]]:
        """Return earlier versions of changed entries, by id, newest first; `retract` restores one."""

    def edit(self, entry_id: str, text: str, scope: Scope) -> Entry:
        """Supersede an entry by one with another text, without its triples."""

    def set_triples(self, entry_id: str, triples: Sequence[Triple], scope: Scope, text: str = "") -> Entry:
        """Supersede a fact by one with other triples, and another text if given."""

    def set_reach(self, entry_id: str, reach: Reach, scope: Scope, conversation: str = "") -> Entry:
        """Set the reach of an entry; `Reach.CONVERSATION` needs the id of the conversation.

        A change to or from one conversation supersedes the entry by a new one. Raises InputError if another entry there
        gives the same question a different meaning.
        """

    def beside(self, entry_id: str, scope: Scope) -> Sequence[Entry]:
        """List the other entries about the same question, or a word in it, with another meaning."""

    def put(self, entry_id: str, place: Place, other_id: str, scope: Scope, why_both: str = "") -> Entry:
        """Set the relation of an active entry to an earlier one; `why_both` is the reason why both apply.

        Raises NotFound if the earlier one is neither active nor replaced by the entry, if both say the same, or if the
        entry would replace a second one.
        """

    def forget(self, entry_id: str, scope: Scope) -> Receipt:
        """Erase an entry, everything derived from it, and the text of its turn and of turns with it in the prompt."""


class TurnStore(Protocol):
    """Store of turns, in the order of their start. Each user sees only their own."""

    def record(self, turn: Turn, scope: Scope) -> None:
        """Save or replace a turn, except `corrected_by` and `confirmed` (see `mark`)."""

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Save only `corrected_by`, `confirmed` and `state` of a turn.

        So recording a complete answer does not overwrite concurrent actions of the user.
        """

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """Return one turn. Raises NotFound, also if its text was erased."""

    def turns(self, conversation: str, scope: Scope, limit: int = 50, before: str = "") -> Sequence[Turn]:
        """Return the last `limit` turns of a conversation, `before` one of them if given, oldest first."""

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        """Return the last `limit` answered turns with a field in the reply, of all conversations, newest first."""


@dataclass(frozen=True, slots=True)
class WrittenKeys:
    """Keys that a model wrote for a clarification."""

    keys: Sequence[Key] = ()  # empty if the reply was unusable
    title: str = ""  # description of the questions it applies to, in one sentence; empty if missing
    reach: Reach | None = None  # the proposed reach, if any
    places: Mapping[str, Place] = field(default_factory=dict)  # relations to earlier entries by id
    seen: Sequence[Entry] = ()  # the entries in the prompt: the clarification, and earlier ones


class KeyWork(Protocol):
    """Durable queue of entries, of all users, that wait for keys from a model."""

    def wanting(self) -> Sequence[str]:
        """List the ids of waiting active entries, round-robin by user, oldest first."""

    def wants(self, entry_id: str) -> Entry | None:
        """Return the entry if it is active and still waits."""

    def earlier(self, entry: Entry) -> Sequence[Entry]:
        """Return a few earlier entries of the same user about the same thing, which it may replace."""

    def written(self, entry_id: str, written: WrittenKeys) -> bool:
        """Replace the earlier output of a model, durably; reach and places only if no user chose them.

        Returns False, and writes nothing, if the entry or another one in the prompt was changed or erased meanwhile,
        since the output may quote it.
        """
