"""What the doors (page and command line) are given: the assistant, and what to say about what is in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.conversation import Assistant
from assistant.limits import Limits
from assistant.models.own import MakeOwn
from assistant.ports import Allowance, Choose, Conversations, Embedder, Insights, Recall, Sharing
from assistant.receipts import Backup, Imported
from assistant.remembering import FurtherKeys
from assistant.tokens import Tokens
from assistant.types import Scope
from assistant.upkeep import Progress, Verification
from ui.notes import Notice
from ui.runs import Runs


@dataclass(frozen=True, slots=True)
class Parts:
    """What the loop is made of, for whoever measures one part of it.

    Args:
        recall: question to candidates.
        choose: candidates to decisions.
        further_keys: turn and what was said about it to the keys that a rule makes.
        embedder: None for spelling only.
    """

    recall: Recall
    choose: Choose
    further_keys: FurtherKeys
    embedder: Embedder | None


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What looks after the memory as a whole, whoever's it is: for whoever runs Noted, never for a visitor.

    Args:
        verify: checks everything that is kept; is told how to say how far it is.
        rebuild_index: builds the index from the ledger again.
        take_in: imports the lines of an export into one person's memory.
        backup: writes a backup into a file.
    """

    verify: Callable[[Progress], Verification]
    rebuild_index: Callable[[], None]
    take_in: Callable[[Iterable[bytes], Scope], Imported]
    backup: Callable[[Path], Backup]


@dataclass(frozen=True, slots=True)
class Services:
    """Made by `app.py`.

    Args:
        assistant: the loop.
        parts: what it is made of.
        limits: its lengths.
        allowance: how much each person may ask for.
        runs: the answers being written.
        own_models: makes the model that a person brings; None where nobody may.
        model_name: what answers, for people.
        model_note: one plain sentence about it.
        memory_is_temporary: whether memory is lost with the next restart.
        memory_note: one plain sentence on where memory is kept, and whether it is temporary.
        notices: what whoever opens the page has to know beforehand, by who it is; names of texts, and what stands in
            them.
        embedder_note: one plain sentence on how likeness of meaning is found; asked for when it is shown, because the
            embedder loads in the background.
        examples: language of the page to questions to begin with.
        visitor_key: signs the names of anonymous visitors; the same in every replica.
        tokens: with which programs speak for people.
        conversations: what people talked about, to list, name and erase.
        sharing: what is offered to everyone, and who decides.
        insights: how well it goes, in numbers.
        keep_turns_days: how long conversations are kept.
        export: the lines of an export of everything of a person.
        upkeep: what looks after the memory as a whole.
        check: raises StoreError where the memory cannot be read.
        start: begins to load what is heavy, in the background; without it the first question does.
        settle: waits until what answers left to be done in the background is done.
        close: ends background work.
    """

    assistant: Assistant
    parts: Parts
    limits: Limits
    allowance: Allowance
    runs: Runs
    own_models: MakeOwn | None
    model_name: str
    model_note: str
    memory_is_temporary: bool
    memory_note: str
    notices: Callable[[str | None], Sequence[Notice]]
    embedder_note: Callable[[], str]
    examples: Mapping[str, tuple[str, ...]]
    visitor_key: bytes
    tokens: Tokens
    conversations: Conversations
    sharing: Sharing
    insights: Insights
    keep_turns_days: int
    export: Callable[[Scope], Iterator[str]]
    upkeep: Upkeep
    check: Callable[[], None]
    start: Callable[[], None]
    settle: Callable[[], None]
    close: Callable[[], None]
