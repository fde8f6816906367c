"""Protocols of what the core needs from outside; real parts and those for tests implement them alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from assistant.events import TurnEvent
from assistant.kinds import Place, Reach, Triple
from assistant.model_usage import Count, not_counted
from assistant.reports.insights import Overview
from assistant.sharing import Curator
from assistant.types import Candidate, Decision, Entry, Key, Message, Question, Scope, Turn

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from assistant.reports.listing import ConversationSummary, EntryFilter, EntryPage
    from assistant.reports.upkeep import Receipt
    from assistant.sharing import Offer, Offered
    from assistant.types import Draft

LONGEST_LABEL = 80
"""Characters of the label of a token."""

Recall = Callable[[Question, Scope], Sequence[Candidate]]
"""Find the entries that a question may need (Ω of the paper), one candidate each. Favours recall over precision."""
Retriever = Callable[[Question, Scope, Sequence[Candidate]], Sequence[Candidate]]
"""Add to the candidates that were found before, or mark some of them."""
Gate = Callable[[Sequence[Candidate], Scope], Sequence[Decision]]
"""Decide about each candidate (C of the paper): the user's own first, then shared ones, each the likeliest first."""
Listener = Callable[[TurnEvent, Scope], None]
"""Listen to what happened with a turn. Must return at once. Raises StoreError."""
Spending = Callable[[float], Callable[[float], None]]
"""Reserve the most dollars that a call can cost; the returned function replaces them by the true cost.

Raises SpendUsedUp where less is left, StoreError where it cannot be counted.
"""
Insights = Callable[[Scope | Curator], Overview]
"""Count how well it goes: for one user, or, for a curator, over all users. Holds no text of anybody."""


class ChatModel(Protocol):
    """Writes a reply to a prompt."""

    @property
    def name(self) -> str:
        """Its name for users, recorded with each turn."""

    @property
    def writes_keys(self) -> bool:
        """True if it can write further keys for entries (`KeyWriter`)."""

    @property
    def window(self) -> int:
        """Longest prompt and reply together, in tokens."""

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
        """Stream the reply to a prompt, in pieces for `assistant.reply.filter`. Closing the generator ends the call.

        An empty piece says that nothing has come yet; a model that may be silent for long yields some, because a
        generator can only be closed between two pieces. A model that knows tells `count` the usage of the call when the
        generator has ended or is closed. Raises ModelError, one subclass per cause, also in the middle.
        """


@runtime_checkable
class Drafting(Protocol):
    """A `ChatModel` that can write an answer in more than one way."""

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """Return models that write a draft each, the first greedily. The others may reply nothing."""


class Embedder(Protocol):
    """Turns texts into vectors; their cosine compares meanings."""

    @property
    def name(self) -> str:
        """Its name for users."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever its vectors would. Vectors of two fingerprints are never compared."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        """Return vectors of length 1, shape (len(texts), dimension)."""


class Memory(Protocol):
    """Entries, stored durably. Every method sees only what `scope` allows; lists hold the user's own active entries.

    Raises, of every method:
        NotFound: there is no such entry that `scope` allows.
        InputError: it holds something that is not stored (`assistant.text.content_rules`).
        StoreError: nothing was changed.
    """

    def remember(self, draft: Draft, scope: Scope) -> Entry:
        """Save an entry; it then survives a power cut. The same idempotency key saves once.

        With a clarification, `corrected_by` of its turn is saved too, where that turn is stored.
        """

    def entry(self, entry_id: str, scope: Scope) -> Entry:
        """Return one entry."""

    def current(self, entry_id: str, scope: Scope) -> Entry | None:
        """Return the active entry that an entry has become: itself, or its successor. None where it was retracted."""

    def kept(self, turn_id: str, scope: Scope) -> Entry | None:
        """Return the active example that was made of a turn of the user, if any."""

    def retract(self, entry_id: str, scope: Scope) -> Entry:
        """Stop using an entry, and bring back the one that it had superseded, if any."""

    def count(self, entry_id: str, event: str, turn_id: str, scope: Scope) -> None:
        """Record that an entry was `used`, `declined`, `helped` or `hurt` in a turn; each once per turn."""

    def pause(self, entry_id: str, scope: Scope) -> Entry:
        """Stop using an active entry for this user, until they resume it."""

    def except_for(self, entry_id: str, turn_id: str, scope: Scope) -> Entry:
        """Stop using an active entry for this user, for questions asked like that of their turn."""

    def resume(self, entry_id: str, scope: Scope, turn_id: str | None = None) -> Entry:
        """Use an active entry again for this user; with a turn, where it was excepted for that only."""

    def entries(self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0) -> Sequence[Entry]:
        """List entries, newest first; with `search`, those that contain it, in any script."""

    def find(self, scope: Scope, wanted: EntryFilter, limit: int = 50, offset: int = 0) -> EntryPage:
        """List the entries that pass a filter, newest first, with their total number."""

    def earlier(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Sequence[Entry]]:
        """Return earlier versions of changed entries, by id, newest first; `retract` brings one back."""

    def replace_keys(self, entry_id: str, old: Collection[str], new: Sequence[Key], scope: Scope) -> Entry:
        """Remove the keys with the texts in `old` and add those in `new`; no model writes keys for it from then on.

        NotFound where one in `old` is missing, unless everything in `new` is there. The question always stays a key.
        """

    def edit(self, entry_id: str, text: str, scope: Scope) -> Entry:
        """Supersede an entry by one with another text, without its triples."""

    def set_triples(self, entry_id: str, triples: Sequence[Triple], scope: Scope, text: str = "") -> Entry:
        """Supersede a fact by one with other triples, and with another text where one is given."""

    def set_reach(self, entry_id: str, reach: Reach, scope: Scope, conversation: str = "") -> Entry:
        """Set the reach of an entry; for `Reach.CONVERSATION` with the id of that conversation.

        Into and out of one conversation, the entry is superseded by a new one. InputError: another entry, which applies
        there, says something else of the same question.
        """

    def beside(self, entry_id: str, scope: Scope) -> Sequence[Entry]:
        """List the other entries that say something else of the same question, or of a word in it."""

    def put(self, entry_id: str, place: Place, other_id: str, scope: Scope, why_both: str = "") -> Entry:
        """Set the relation of an active entry to an earlier one; `why_both` is why both apply.

        NotFound where the earlier one is not active and was not replaced by the entry; where it says the same; and
        where the entry would replace a second one.
        """

    def taken_along(self, entry_id: str | None, scope: Scope) -> Mapping[str, int]:
        """Count what else `forget` (or, for None, `forget_all`) would erase, by kind as in a `Receipt`."""

    def forget(self, entry_id: str, scope: Scope) -> Receipt:
        """Erase an entry, everything made of it, and all text of the turns that gave it or whose prompt held it."""

    def forget_all(self, scope: Scope) -> Receipt:
        """Erase everything of the user: entries, turns, and reactions."""


class TurnStore(Protocol):
    """The turn store. Keeps the order in which turns began; each user sees only their own."""

    def record(self, turn: Turn, scope: Scope) -> None:
        """Save or replace a turn, except for the fields that `mark` writes besides the state."""

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Save `corrected_by`, `confirmed` and `state` of a turn only.

        So a turn that is recorded when its answer is complete does not overwrite what the user did meanwhile.
        """

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """Return one turn. Raises NotFound, or TurnDeleted where it has no text any more."""

    def turns(self, conversation: str, scope: Scope, limit: int = 50, before: str = "") -> Sequence[Turn]:
        """Return the last `limit` turns of a conversation, or of those `before` one of its turns, oldest first."""

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        """Return the last `limit` answered turns of all conversations whose reply has a field, newest first."""


class Conversations(Protocol):
    """Conversations of the turn store, and their titles. Each user sees only their own."""

    def conversations(
        self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0, *, practised: bool = True
    ) -> Sequence[ConversationSummary]:
        """List conversations, the latest first; with `search`, those that contain it; `practised`: practice too."""

    def rename(self, conversation: str, title: str, scope: Scope) -> None:
        """Set the title of a conversation; an empty one restores its first question. Raises NotFound."""

    def erase(self, conversation: str, scope: Scope) -> Receipt:
        """Erase the turns and the title of a conversation; entries made in it stay. Raises NotFound."""


class Allowance(Protocol):
    """Rate limits of one user. Every method raises TooOften."""

    def turn(self, scope: Scope, answers: int = 1) -> None:
        """Count answers: all of them or none."""

    def save(self, scope: Scope, changes: int = 1) -> None:
        """Count saves and changes of entries: all of them or none."""

    def request(self, scope: Scope) -> None:
        """Count a request of any kind."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote about a clarification."""

    keys: Sequence[Key] = ()  # none where nothing usable came
    title: str = ""  # the questions it applies to, in one sentence; empty where it does not say
    reach: Reach | None = None  # the proposed reach; None where it does not say
    places: Mapping[str, Place] = field(default_factory=dict)  # id of an earlier entry to the relation to it
    seen: Sequence[Entry] = ()  # the entries in its prompt: the clarification, and earlier ones


KeyWriter = Callable[[Entry, Sequence[Entry], Callable[[], bool]], Written]
"""Write further keys for an entry, beside earlier ones, until the callable says stop. Raises ModelError."""


class KeyWork(Protocol):
    """The durable queue of entries, of all users, whose keys a model has yet to write."""

    def wanting(self) -> Sequence[str]:
        """List the ids of waiting active entries: the oldest of each user, then the second of each, and so on."""

    def wants(self, entry_id: str) -> Entry | None:
        """Return the entry if it is active and still waits."""

    def earlier(self, entry: Entry) -> Sequence[Entry]:
        """Return a few earlier entries of the same user about the same thing, which it may replace."""

    def written(self, entry_id: str, written: Written) -> bool:
        """Replace what a model wrote before, durably; reach and places only where no user chose them.

        Return False, and write nothing, where the entry or one in the prompt was changed or is gone meanwhile: the text
        of that one may be quoted.
        """


class Sharing(Protocol):
    """Entries offered to everyone. A user sees and changes only their own offers, a curator all.

    An offer is withdrawn once its entry is edited, replaced, retracted or erased.

    Raises, of every method:
        NotFound: the entry is not the user's own or not active, or the offer was withdrawn or decided meanwhile.
        InputError: this may not be shared; the sentence says why.
        StoreError: nothing was changed.
    """

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        """Return True if the user may offer anything; or an entry, which then holds nothing private."""

    def offer(self, entry_id: str, scope: Scope) -> Offer:
        """Offer a clarification of the user to everyone; twice is the same as once. Raises NotAllowed."""

    def withdraw(self, entry_id: str, scope: Scope) -> Offer:
        """Withdraw an offer. Where it was accepted, nobody gets the copy from their next turn on."""

    def offers_of(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Offer]:
        """Return the user's offers of these entries, by entry id."""

    def curator(self, scope: Scope) -> Curator:
        """Return the right to decide. Raises NotCurator where the settings do not name the user."""

    def offers(self, curator: Curator, limit: int = 100) -> Sequence[Offered]:
        """List open offers, oldest first, then shared ones, newest first."""

    def accept(self, offer_id: str, curator: Curator, text: str | None = None, seen: str = "") -> Offer:
        """Share a copy, with another `text` if given; only if it still has the seal that was `seen`."""

    def decline(self, offer_id: str, reason: str, curator: Curator) -> Offer:
        """Decline an offer, or stop sharing an accepted one. The user reads the reason."""


@dataclass(frozen=True, slots=True)
class Token:
    """An API token of a user, without its secret."""

    id: str
    person: str
    label: str
    created: datetime  # UTC


class Tokens(Protocol):
    """API tokens. A secret cannot be read again. Every method raises StoreError."""

    def make(self, scope: Scope, label: str = "") -> tuple[Token, str]:
        """Return a new token of the user, and its secret. TooLong: the label."""

    def person(self, secret: str) -> str | None:
        """Return the user of a secret; None where it is unknown or was revoked."""

    def tokens(self, scope: Scope) -> Sequence[Token]:
        """List the user's tokens, oldest first."""

    def revoke(self, token_id: str, scope: Scope) -> None:
        """Revoke a token of the user at once. Raises NotFound."""
