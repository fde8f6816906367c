"""The services that page, API and command line use, composed by `app.py`; and notes for users."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assistant.conversation import Assistant
from assistant.kinds import Lesson, Triple
from assistant.models.local.models import LocalModels
from assistant.models.remote.connecting import FoundServer, MakeOwn
from assistant.models.remote.remote import RemoteModel
from assistant.papers.expnote.practice import Practice
from assistant.papers.memllm.sheet import FactSheet, SheetEditing
from assistant.papers.memllm.writing import TripleReader
from assistant.papers.selection.study import Study
from assistant.papers.teachme.thinking import most_calls
from assistant.ports import Embedder, Gate, Recall
from assistant.proposals import Proposals
from assistant.reports.insights import Overview
from assistant.sentences import Sentence
from assistant.settings import EMBEDDED, Settings
from assistant.sharing import Curator
from assistant.turn import TurnParts
from assistant.types import Entry, Scope, Turn
from memory_store.ledger.tokens import LedgerTokens
from memory_store.memory.memory import LedgerMemory
from memory_store.sharing.sharing import LedgerSharing
from memory_store.turns.turn_store import LedgerConversations
from ui.server.fair_queue import WorkPool
from ui.server.identity import LOCAL_PERSON, VISITOR, is_loopback
from ui.streaming.runs import Runs

if TYPE_CHECKING:
    from memory_store.store import Store
    from ui.actions.operation import Operation

Notice = tuple[str, Mapping[str, str]]
"""Name of a string, and its parameters."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Components of the turn, for measurements of one of them."""

    recall: Recall
    gate: Gate
    embedder: Embedder | None  # None: keyword search only


@dataclass(frozen=True, slots=True)
class CardPart:
    """A part of *Why this answer* on the card of each turn.

    `NAME.js` in its folder renders it (the built-in ones: `ui/static/parts/parts.js`). It exports by default `(data,
    act, state, redraw) => template`, where `act({ operation: NAME, … })` runs one of its `operations` with these
    arguments and updates the conversation; it is null if the turn cannot be changed. `NAME.css` is its style sheet, if
    any; its strings are a file in each language folder of `ui/words/strings`.
    """

    name: str
    view: Callable[[Turn], Any]  # JSON data; None if it shows nothing for a turn
    operations: Sequence[Operation[..., Any]] = ()  # none for a part without actions
    folder: Path = Path(__file__).parents[1] / "static" / "parts"


@dataclass(frozen=True, slots=True)
class Models:
    """The model in use, and those that a user can connect, find on this machine or download."""

    name: Sentence
    note: Callable[[str | None], Sentence]  # by user
    connected: TurnParts  # parts of a turn with a connected language model
    own: MakeOwn | None  # None if users may not connect one
    local: LocalModels | None  # None if the machine is not one user's
    find_servers: Callable[[], Sequence[FoundServer]] | None  # None if the machine is not one user's
    measure: Callable[[RemoteModel], None]  # asks a test question to choose the full or the short prompt


@dataclass(frozen=True, slots=True)
class Services:
    """All services of one server, made by `app.py`."""

    assistant: Assistant
    models: Models
    triples: Proposals[Triple]  # proposals from messages
    lessons: Proposals[Lesson]  # proposals from feedback
    is_drafting: Callable[[str], bool]  # whether a lesson of this turn is being drafted
    sheet: FactSheet
    sheet_editing: SheetEditing
    reads: TripleReader  # reads the facts in a sentence
    keep_fact: Callable[[str, Scope], Entry]  # saves a sentence as a fact, with the triples read in it
    practice: Practice
    study: Study
    parts: Parts
    runs: Runs
    work: WorkPool
    memory_note: Callable[[str | None], Sentence]  # by user
    notices: Callable[[str | None], Sequence[Notice]]  # by user; shown before the first message
    embedder_note: Callable[[], Sentence]  # evaluated late: the embedder loads in the background
    visitor_key: bytes  # signs the names of anonymous visitors; the same in all replicas
    store: Store  # its maintenance is for the host only
    memory: LedgerMemory
    tokens: LedgerTokens
    conversations: LedgerConversations
    sharing: LedgerSharing
    insights: Callable[[Scope | Curator], Overview]  # statistics of a user or, for a curator, of all; without texts
    keep_turns_days: int
    start: Callable[[], object]  # load models and index; otherwise the first question does
    settle: Callable[[], object]  # wait for background work of answers
    close: Callable[[], None]
    card_parts: Sequence[CardPart] = ()  # in the order shown
    has_several_users: bool = True

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        """Return True if the page offers sharing, of `entry` if given, to this user; False on a server for one user."""
        return self.has_several_users and self.sharing.may_offer(scope, entry)


def model_note(settings: Settings, person: str | None) -> Sentence:
    """Return the note about the model for a user; only the host sees an address of the local network."""
    if settings.model == EMBEDDED:
        return Sentence("embedded.note")
    note = Sentence("connected.note", {"model": settings.model})
    if settings.model_file is not None:
        note = Sentence("local.note", {"model": settings.model_file.stem})
    elif settings.api_base and person == LOCAL_PERSON:
        note = Sentence("connected.at", {"model": settings.model, "where": settings.api_base})
    return Sentence("connected.thinks", {"note": note, "calls": most_calls()}) if settings.think_through else note


def memory_note(settings: Settings, person: str | None) -> Sentence:
    """Return the note that tells a user where memory is stored; only the local person sees the folder."""
    if person == LOCAL_PERSON and is_loopback(settings.host) and not settings.on_spaces:
        return Sentence("memory.in_folder", {"folder": str(settings.home)})
    return Sentence("memory.temporary" if settings.memory_is_temporary else "memory.on_server")


def notices(settings: Settings, person: str | None) -> Sequence[Notice]:
    """Return the notices that a user reads before writing."""
    told: list[Notice] = []
    if settings.visitor_hours and person is not None and person.startswith(VISITOR):
        told.append(("notice_visitor", {"hours": f"{settings.visitor_hours:g}"}))
    elif settings.memory_is_temporary:
        told.append(("notice_temporary", {}))
    is_here = settings.model == EMBEDDED or settings.model_file is not None
    if not is_here and _is_elsewhere(settings.model, settings.api_base):
        told.append(("notice_leaves", {"model": settings.model}))
    return told


def _is_elsewhere(model: str, address: str | None) -> bool:
    """Return True if texts for this model leave the machine."""
    if address:
        return not is_loopback(urlsplit(address).hostname or "")
    return not model.startswith("ollama")
