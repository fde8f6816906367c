"""What the core needs from outside, as protocols. Real parts and those for tests are peers behind them.

A new idea is one more `Retriever`, `Choose`, `Demonstrate`, `Respond` or `Learn` in `app.py`, never an `if` in a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from assistant.events import Event, Happening
from assistant.kinds import Place, Reach, Triple
from assistant.model_usage import Count, Meter, not_counted
from assistant.types import Corrects, Message, Prompt, Reply, Turn

if TYPE_CHECKING:
    from datetime import datetime

    import numpy
    from numpy.typing import NDArray

    from assistant.reply.grammar import Grammar
    from assistant.reports.insights import Overview
    from assistant.reports.listing import ConversationSummary, EntryFilter, EntryPage
    from assistant.reports.upkeep import Receipt
    from assistant.sharing import Curator, Offer, Offered
    from assistant.types import Candidate, Decision, Draft, Entry, Key, Question, Scope

LONGEST_LABEL = 80
"""Characters of the label of a token."""


class ChatModel(Protocol):
    """Writes a reply to a prompt."""

    @property
    def name(self) -> str:
        """What people call it, and what is recorded with each turn."""

    @property
    def writes_keys(self) -> bool:
        """Whether it can write further keys for what is remembered (`KeyWriter`)."""

    @property
    def window(self) -> int:
        """Longest prompt and reply together, in tokens."""

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
        """The reply to a prompt, in pieces for `assistant.reply.filter`. Closing the generator ends the call.

        An empty piece says that nothing has come yet; a model that may be silent for long yields some, because a
        generator can only be closed between two pieces. A model that knows tells `count` what the call took, when the
        generator has ended or is closed. Raises ModelError, one subclass per cause, also in the middle.
        """


@runtime_checkable
class Drafting(Protocol):
    """A `ChatModel` that can write an answer in more than one way."""

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """Return models that write a draft each, the first greedily. The others may reply nothing."""


class Embedder(Protocol):
    """Turns texts into vectors whose cosine is likeness of meaning."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever its vectors would. Vectors of two fingerprints are never compared."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        """Shape (len(texts), dimension), float32, each row of length 1."""


class Recall(Protocol):
    """Finds the entries that a question may need: Ω of the paper. Leans to finding too much."""

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        """Candidates in no particular order, one per entry, at most a few dozen. Finds nothing rather than fail."""


class Retriever(Protocol):
    """Adds to what was found for a question, or marks it; for one kind of entry that likeness does not find."""

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        """All that is found by now, one candidate per entry."""


class Choose(Protocol):
    """Decides what becomes of each candidate: the combiner C of the paper."""

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        """One decision per candidate: the person's own first, then what is shared, each likeliest first."""


class Demonstrate(Protocol):
    """Chooses which of the entries that were found stand among the few-shot examples of a prompt."""

    def __call__(self, candidates: Sequence[Candidate], question: Question, scope: Scope) -> Sequence[Decision]:
        """The examples to show, nearest last; `candidates` may be of any kind."""


class Prompts(Protocol):
    """Made the prompt of a turn, and makes those of its further calls."""

    grammar: Grammar  # of the replies

    def understanding(self, question: str, answer: str) -> tuple[Message, ...]:
        """The prompt of the one short call that asks what a question meant, where the reply did not say so."""


@dataclass(slots=True)
class SoFar:
    """What is known of a reply that is not finished: for the record of a turn that somebody stopped."""

    reply: Reply = field(default_factory=lambda: Reply(raw=""))  # told where a responder is closed
    named: tuple[str, ...] = ()  # ids of the entries that it says it goes by, told then too
    meter: Meter = field(default_factory=Meter)  # is told what each call of the model took


@dataclass(frozen=True, slots=True)
class Request:
    """A turn to be answered, decided about and with its prompt made."""

    turn: Turn
    prompt: Prompt
    prompting: Prompts
    model: ChatModel
    corrects: Corrects
    scope: Scope  # of who asks, with where they ask from
    so_far: SoFar = field(default_factory=SoFar)
    before: Turn | None = None  # what it answers again; its answer stays where the model follows nothing
    may_draft: bool = True  # it may be answered in several ways at once


class Respond(Protocol):
    """Has a model answer: with one call, or with several, with a stream that stops and goes on, or with drafts."""

    def __call__(self, request: Request) -> Generator[Event, None, Turn]:
        """What happens while the answer comes; in the end the turn as answered, failed, or a correction.

        Closing it closes every stream within it; it then tells `request.so_far` what has come. Raises NotedError.
        """


class Learn(Protocol):
    """Draws a lesson from what happened."""

    def __call__(self, happening: Happening, scope: Scope) -> None:
        """Must return at once. What it remembers goes through `Memory`. Raises NotedError."""


class Memory(Protocol):
    """Entries, kept durably, as the loop needs them. Every method sees only what `scope` allows.

    Raises, of every method:
        NotFound: there is nothing like that which `scope` allows.
        InputError: it holds what is not kept (`assistant.text.content_rules`).
        StoreError: nothing was changed.
    """

    def remember(self, draft: Draft, scope: Scope) -> Entry:
        """Save an entry. When this returns, it survives a power cut. The same idempotency key saves once.

        With a clarification, `corrected_by` of the turn that it is of is saved, where there is that turn.
        """

    def entry(self, entry_id: str, scope: Scope) -> Entry:
        """One entry."""

    def current(self, entry_id: str, scope: Scope) -> Entry | None:
        """The active entry that an entry has become: itself, or what superseded it. None where it was taken back."""

    def kept(self, turn_id: str, scope: Scope) -> Entry | None:
        """The active example that a turn of the person's was kept as, if any."""

    def retract(self, entry_id: str, scope: Scope) -> Entry:
        """Stop using an entry, and bring back the one that it had superseded, if any."""

    def count(self, entry_id: str, event: str, turn_id: str, scope: Scope) -> None:
        """Record that an entry was `used`, `declined`, `helped` or `hurt` in a turn; each once per turn."""

    def pause(self, entry_id: str, scope: Scope) -> Entry:
        """Use an active entry no more for this person, until they resume it."""

    def except_for(self, entry_id: str, turn_id: str, scope: Scope) -> Entry:
        """Use an active entry no more for this person where a question is asked like that of their turn."""

    def resume(self, entry_id: str, scope: Scope, turn_id: str | None = None) -> Entry:
        """Let an active entry be used again for this person; with a turn, where it was excepted for that only."""


class OwnEntries(Memory, Protocol):
    """Entries, as a person looks through them and changes them by hand. Raises as `Memory` does."""

    def entries(self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0) -> Sequence[Entry]:
        """The person's own active entries, newest first; with `search`, those that contain it, in any script."""

    def find(self, scope: Scope, wanted: EntryFilter, limit: int = 50, offset: int = 0) -> EntryPage:
        """Those of the person's own active entries that are wanted, newest first, and how many there are in all."""

    def earlier(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Sequence[Entry]]:
        """What those of the person's own that were changed said before, by id, newest first: `retract` has it back."""

    def replace_keys(self, entry_id: str, old: Collection[str], new: Sequence[Key], scope: Scope) -> Entry:
        """Change by hand under which texts an active entry of the person's own is found.

        The texts in `old` go, the keys in `new` come. NotFound where one in `old` is not there, unless everything in
        `new` is already. From then on no model writes keys for it. The question itself always stays a key.
        """

    def edit(self, entry_id: str, text: str, scope: Scope) -> Entry:
        """Replace what was said by other words: a new entry that supersedes the old one, without its triples."""

    def set_triples(self, entry_id: str, triples: Sequence[Triple], scope: Scope, text: str = "") -> Entry:
        """Replace the triples of a fact, and its words where a `text` is given: a new entry that supersedes it."""

    def set_reach(self, entry_id: str, reach: Reach, scope: Scope, conversation: str = "") -> Entry:
        """Let an entry count for these questions, as the person chose; `conversation` is the id of the one, if so.

        What comes to count in one conversation, or in others than one, is a new entry that supersedes the old one.
        InputError: another one, which counts there, says something else of the same question.
        """

    def beside(self, entry_id: str, scope: Scope) -> Sequence[Entry]:
        """The person's other active entries that say something else of the same question, or of a word in it."""

    def put(self, entry_id: str, place: Place, other_id: str, scope: Scope, why_both: str = "") -> Entry:
        """Say what an active entry of the person's own is to an earlier one; each place undoes the others.

        `why_both` is why both count. NotFound where the earlier one does not count, and the entry did not come in its
        place; where it is the same in other words; and where the entry is to take a second one's place.
        """

    def taken_along(self, entry_id: str | None, scope: Scope) -> Mapping[str, int]:
        """What else `forget` (all that `forget_all`: None) would erase: kind, as in a `Receipt`, to how many."""

    def forget(self, entry_id: str, scope: Scope) -> Receipt:
        """Erase an entry and everything made of it, the turns that gave or used it included."""

    def forget_all(self, scope: Scope) -> Receipt:
        """Erase everything of the person: entries, turns, and what they did."""


class Sharing(Protocol):
    """Entries offered to everyone, kept durably. A person sees and changes only their own offers, a curator all.

    An offer lasts as long as its entry counts: once that is edited, replaced, taken back or erased, it is withdrawn.

    Raises, of every method:
        NotFound: the entry is not the person's own or not active, or the offer was withdrawn or decided meanwhile.
        InputError: this may not be shared; the sentence says why.
        StoreError: nothing was changed.
    """

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        """Whether the person may offer anything at all; or an entry, which then gives nobody away as it stands."""

    def offer(self, entry_id: str, scope: Scope) -> Offer:
        """Offer a clarification of the person's own to everyone. Twice is the same as once. Raises NotAllowed."""

    def withdraw(self, entry_id: str, scope: Scope) -> Offer:
        """Take an offer back. Where it was accepted, nobody gets the copy from their next turn on."""

    def offers_of(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Offer]:
        """The person's offers of these entries, by id of the entry; those that were never offered are missing."""

    def curator(self, scope: Scope) -> Curator:
        """The right to decide. Raises NotCurator where the settings do not name the person."""

    def offers(self, curator: Curator, limit: int = 100) -> Sequence[Offered]:
        """What waits for a decision, oldest first, then what is shared, newest first."""

    def accept(self, offer_id: str, curator: Curator, text: str | None = None, seen: str = "") -> Offer:
        """Share a copy of what was offered, in other words with `text`; nothing else than was `seen`, by its seal."""

    def decline(self, offer_id: str, reason: str, curator: Curator) -> Offer:
        """Decline what was offered, or share no longer what was accepted. The person reads the reason."""


class Allowance(Protocol):
    """How much one person may ask for."""

    def turn(self, scope: Scope, answers: int = 1) -> None:
        """So many more answers, or none of them. Raises TooOften."""

    def save(self, scope: Scope, changes: int = 1) -> None:
        """So many more things to remember or to change, or none of them. Raises TooOften."""

    def request(self, scope: Scope) -> None:
        """Count one more request, whatever it asks for. Raises TooOften."""


class Spending(Protocol):
    """How much the model may cost."""

    def reserve(self, dollars: float) -> Callable[[float], None]:
        """Count the most that a call can cost; what is returned puts the true cost in its place.

        Raises SpendUsedUp where there is not so much left, StoreError where it cannot be counted.
        """


class Insights(Protocol):
    """How well it goes, in numbers that hold no text of a question, an answer or an entry."""

    def own(self, scope: Scope) -> Overview:
        """Of the person's own turns and entries."""

    def whole(self, curator: Curator) -> Overview:
        """Of everybody's together; names nobody. Raises NotCurator."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote about a clarification."""

    keys: Sequence[Key] = ()  # none where nothing usable came
    title: str = ""  # for which questions it counts, in one sentence; empty where it does not say
    reach: Reach | None = None  # for which it proposes that it counts; None where it does not say
    places: Mapping[str, Place] = field(default_factory=dict)  # id of an earlier entry to what it is to that
    seen: Sequence[Entry] = ()  # what stood in its prompt: the clarification, and earlier ones


class KeyWork(Protocol):
    """Which entries, of whoever, still wait for a model to write their keys. Kept durably, from the save on."""

    def wanting(self) -> Sequence[str]:
        """Ids of the active entries that wait for keys: the oldest of each person, then the second of each, and on."""

    def wants(self, entry_id: str) -> Entry | None:
        """The entry, if it is active and still waits for keys."""

    def earlier(self, entry: Entry) -> Sequence[Entry]:
        """What the same person said before of the same thing, a few entries: it may take the place of one."""

    def written(self, entry_id: str, written: Written) -> bool:
        """Put this in the place of what a model wrote before, durably; the entry then waits no more.

        The reach and the places are only taken where no person chose them.

        False, and nothing is written, where it was superseded, taken back, erased or changed by a person meanwhile, or
        where what stood in the prompt is no more: its words may stand in what was written.
        """


class KeyWriter(Protocol):
    """Writes texts under which a clarification can be found beside its question, and for which questions it counts."""

    def __call__(self, entry: Entry, earlier: Sequence[Entry], is_stopped: Callable[[], bool]) -> Written:
        """The keys, and what else it says of it, also beside `earlier` ones. `is_stopped` is asked now and then.

        Raises ModelError.
        """


class Turns(Protocol):
    """Turns, kept durably, in the order in which they began. Each person sees only their own."""

    def record(self, turn: Turn, scope: Scope) -> None:
        """Save a turn, or replace what is known of it, except for what `mark` writes besides the state."""

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Save what a person did with a turn, and nothing else: `corrected_by`, `confirmed` and `state`.

        So a turn that is still being answered, and recorded when it is, does not overwrite what was done meanwhile.
        """

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn. Raises NotFound."""

    def turns(self, conversation: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        """The last `limit` turns of a conversation, oldest first."""

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        """The last `limit` answered turns of all conversations whose replies have such a field, newest first."""


class Conversations(Protocol):
    """Conversations as wholes: the turns that name one, and the name that the person gave it. Each sees only theirs."""

    def conversations(
        self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0, *, practised: bool = True
    ) -> Sequence[ConversationSummary]:
        """The one gone on with last first; with `search`, those that contain it; `practised`, those of practice too."""

    def rename(self, conversation: str, title: str, scope: Scope) -> None:
        """Give it a name; with an empty one, it is called by its first question again. Raises NotFound."""

    def erase(self, conversation: str, scope: Scope) -> Receipt:
        """Erase its turns and its name. What was noted in it stays. Raises NotFound."""


@dataclass(frozen=True, slots=True)
class Token:
    """A secret with which a program speaks for one user over the API, as it is known once it is made."""

    id: str  # names it, and is no secret
    person: str  # for whom it speaks
    label: str  # what it is for, in the words of whoever made it
    created: datetime  # when (UTC)


class Tokens(Protocol):
    """Tokens, kept durably. Nobody can read a secret again. Every method raises StoreError."""

    def make(self, scope: Scope, label: str = "") -> tuple[Token, str]:
        """A new token that speaks for the person, and its secret, which is shown this once. TooLong: the label."""

    def person(self, secret: str) -> str | None:
        """For whom a secret speaks; None where it is none of ours, or was revoked."""

    def tokens(self, scope: Scope) -> Sequence[Token]:
        """Those of the person, oldest first."""

    def revoke(self, token_id: str, scope: Scope) -> None:
        """Let a token of the person's speak no more, from this moment on. Raises NotFound."""
