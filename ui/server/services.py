"""Dependencies of page, API and command line, composed by `app.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.conversation import Assistant
from assistant.feedback.reach import ProposeReach
from assistant.kinds import Lesson, Triple
from assistant.models.local.models import LocalModels
from assistant.models.remote.connecting import FoundServer, MakeOwn
from assistant.models.remote.remote import RemoteModel
from assistant.papers.expnote.practice import Practice
from assistant.papers.memllm.sheet import FactSheet, SheetEditing
from assistant.papers.memllm.writing import TripleReader
from assistant.papers.selection.study import Study
from assistant.ports import Conversations, Embedder, Gate, Insights, KeyWork, Recall, Sharing, Tokens
from assistant.proposals import Proposals
from assistant.reports.upkeep import Backup, Imported, Progress, Verification
from assistant.sentences import Sentence
from assistant.turn import TurnParts
from assistant.types import Entry, Scope, Turn
from ui.server.bounds.work import WorkPool
from ui.server.status import Notice
from ui.streaming.runs import Runs

if TYPE_CHECKING:
    from ui.actions.operation import Operation


@dataclass(frozen=True, slots=True)
class Parts:
    """Components of the turn, for measurements of one of them."""

    recall: Recall
    gate: Gate
    propose_reach: ProposeReach
    embedder: Embedder | None  # None: keyword search only
    key_work: KeyWork


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Maintenance of the whole store, for the host only."""

    verify: Callable[[Progress], Verification]  # checks everything stored
    rebuild_index: Callable[..., None]  # reports to a `Progress` if given
    take_in: Callable[[Iterable[bytes], Scope], Iterator[Imported]]  # imports the lines of an export for one user
    backup: Callable[[Path], Backup]


@dataclass(frozen=True, slots=True)
class CardPart:
    """A part of *Why this answer* on the card of each turn.

    `NAME.js` in its folder renders it, or for the built-in ones a function in `ui/static/parts/parts.js`:
    `export default (data, act, state, redraw) => template` returns a lit template of text alone and may import from
    `ui/static/shared`. `act({ operation: NAME, … })` runs one of its `operations`
    with these arguments, and with the turn if the operation takes one; its events update the conversation like an
    answer's. `act` is null if the turn cannot be changed (any more, or yet). `state` holds the part's local state, and
    `redraw()` renders it. `NAME.css` is its style sheet, if any; its strings are a file in each language folder of
    `ui/words/strings`.
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
    connected: TurnParts  # suits a language model
    own: MakeOwn | None  # None if users may not connect one
    local: LocalModels | None  # None if the machine is not one user's
    find_servers: Callable[[], Sequence[FoundServer]] | None  # None if the machine is not one user's
    measure: Callable[[RemoteModel], None]  # chooses the form of its prompt


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
    notices: Callable[[str | None], Sequence[Notice]]  # by user, to read before they write
    embedder_note: Callable[[], Sentence]  # evaluated late: the embedder loads in the background
    visitor_key: bytes  # signs the names of anonymous visitors; the same in all replicas
    tokens: Tokens
    conversations: Conversations
    sharing: Sharing
    insights: Insights
    keep_turns_days: int
    export: Callable[[Scope], Iterator[str]]  # lines
    upkeep: Upkeep
    check: Callable[[], None]  # raises StoreError if the memory cannot be read
    start: Callable[[], object]  # load models and index; otherwise the first question does
    settle: Callable[[], object]  # wait for background work of answers
    close: Callable[[], None]
    card_parts: Sequence[CardPart] = ()  # in the order shown
    has_several_users: bool = True

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        """Return True if the page offers sharing, of `entry` if given, to this user; False on a server for one user."""
        return self.has_several_users and self.sharing.may_offer(scope, entry)
