"""What page, programs and command line are given: the assistant, and what to say about what is in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.conversation import Assistant
from assistant.feedback.reach import ProposeReach
from assistant.kinds import Lesson, Triple
from assistant.models.local.models import LocalModels
from assistant.models.remote.found import FoundServer
from assistant.models.remote.own import MakeOwn
from assistant.models.remote.remote import RemoteModel
from assistant.papers.expnote.practice import Practice
from assistant.papers.memllm.editing import SheetEditing
from assistant.papers.memllm.sheet import FactSheet
from assistant.papers.memllm.writing import Reads
from assistant.papers.selection.study import Study
from assistant.ports import Conversations, Embedder, Gate, Insights, KeyWork, Recall, Sharing, Tokens
from assistant.proposals import Proposals
from assistant.reports.upkeep import Backup, Imported, Progress, Verification
from assistant.sentences import Sentence
from assistant.turn import TurnParts
from assistant.types import Entry, Scope, Turn
from ui.server.bounds.work import Work
from ui.server.status import Notice
from ui.streaming.runs import Runs

if TYPE_CHECKING:
    from ui.actions.operation import Operation


@dataclass(frozen=True, slots=True)
class Parts:
    """What the loop is made of, for whoever measures one part of it."""

    recall: Recall
    gate: Gate
    propose_reach: ProposeReach
    embedder: Embedder | None  # None for spelling only
    key_work: KeyWork


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What looks after the memory as a whole, whoever's it is: for whoever runs Noted, never for a visitor."""

    verify: Callable[[Progress], Verification]  # checks everything that is kept
    rebuild_index: Callable[..., None]  # tells a `Progress`, if it gets one
    take_in: Callable[[Iterable[bytes], Scope], Iterator[Imported]]  # the lines of an export, into one person's memory
    backup: Callable[[Path], Backup]


@dataclass(frozen=True, slots=True)
class CardPart:
    """A further part of the card of each turn on the page, in *Why this answer*.

    `NAME.js` in its folder shows it: `export default (data, act, state, redraw) => template` returns a template of lit,
    of texts alone, by what `ui/static/shared` has. `act({ operation: NAME, … })` performs one of its `operations` with
    these arguments, and with the turn where it takes one; its events change the conversation as an answer does. It is
    null where nothing can be done about the turn any more, or not yet. `state` keeps what the user does in the part,
    and `redraw()` shows that. `NAME.css` is its look, and its words are a file in the folder of each language in
    `ui/words/strings`.
    """

    name: str
    view: Callable[[Turn], Any]  # its data: plain, and None where it shows nothing of a turn
    operations: Sequence[Operation[..., Any]] = ()  # none where it only shows something
    folder: Path = Path(__file__).parents[1] / "static" / "parts"


@dataclass(frozen=True, slots=True)
class Models:
    """The model in use, and those that a user can bring, find on this machine or get."""

    name: Sentence
    note: Callable[[str | None], Sentence]  # by who reads it
    connected: TurnParts  # what suits a language model
    own: MakeOwn | None  # None where nobody may bring one
    local: LocalModels | None  # None on a machine that is nobody's
    find_servers: Callable[[], Sequence[FoundServer]] | None  # None on a machine that is nobody's
    measure: Callable[[RemoteModel], None]  # which form of the prompt it gets


@dataclass(frozen=True, slots=True)
class Services:
    """Made by `app.py`."""

    assistant: Assistant
    models: Models
    triples: Proposals[Triple]  # of messages
    lessons: Proposals[Lesson]  # of what users said of answers
    is_drafting: Callable[[str], bool]  # a lesson of a turn
    sheet: FactSheet
    sheet_editing: SheetEditing
    reads: Reads  # what would be kept of a sentence
    keep_fact: Callable[[str, Scope], Entry]  # stores a sentence as a fact, with what the rules read in it
    practice: Practice
    study: Study
    parts: Parts
    runs: Runs
    work: Work
    memory_note: Callable[[str | None], Sentence]  # by who reads it
    notices: Callable[[str | None], Sequence[Notice]]  # what whoever opens the page must know, by who it is
    embedder_note: Callable[[], Sentence]  # asked for when it is shown: the embedder loads in the background
    visitor_key: bytes  # signs the names of anonymous visitors; the same in every replica
    tokens: Tokens
    conversations: Conversations
    sharing: Sharing
    insights: Insights
    keep_turns_days: int
    export: Callable[[Scope], Iterator[str]]  # lines
    upkeep: Upkeep
    check: Callable[[], None]  # raises StoreError where the memory cannot be read
    start: Callable[[], object]  # begins to load what is heavy; without it the first question does
    settle: Callable[[], object]  # waits until what answers left to be done in the background is done
    close: Callable[[], None]
    card_parts: Sequence[CardPart] = ()  # in the order in which they stand
    has_several_users: bool = True

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        """Return True if the page lets a user offer entries, or `entry`, to everyone; never where there is one user."""
        return self.has_several_users and self.sharing.may_offer(scope, entry)
