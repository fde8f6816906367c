"""Learn from what happens in a turn; `app.py` lists the learners.

*Yes, that's it* counts for the entries that the answer rests on, and keeps it as an example; *Use it* counts for a note
that had been passed over, *Leave it out* against it. The gate weighs the counts; only a user pauses an entry.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from assistant.errors import NotFound
from assistant.events import Answered, Chosen, Clarified, Confirmed, Excluded, TurnEvent
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import EXAMPLE, Example
from assistant.ports import Listener, Memory
from assistant.settings import EMBEDDED
from assistant.types import Action, Draft, ReplyStatus, Scope, Status, Turn, TurnState


class Listeners:
    """Implements `Listener`: one after the other."""

    def __init__(self, *learners: Listener) -> None:
        self._learners = learners

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        for learn in self._learners:
            learn(happening, scope)


@dataclass(frozen=True, slots=True)
class CountReactions:
    """Implements `Listener`: count uses and reactions of entries, and how often a lesson was not needed."""

    memory: Memory

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        match happening:
            case Answered(turn):
                self._count("used", turn.used, turn, scope)
                self._count("declined", _declined(turn), turn, scope)
            case Confirmed(turn):
                self._count("helped", turn.used, turn, scope)
            case Chosen(turn, entry_id):
                self._count("helped", (entry_id,), turn, scope)
            case Excluded(turn, entry_id):
                self._count("hurt", (entry_id,), turn, scope)

    def _count(self, event: str, entries: tuple[str, ...], turn: Turn, scope: Scope) -> None:
        for entry_id in entries:
            # One that was deleted since, or while the answer was being written, has nothing left to learn.
            with suppress(NotFound):
                self.memory.count(entry_id, event, turn.id, scope)


@dataclass(frozen=True, slots=True)
class KeepExamples:
    """Implements `Listener`: keeps a turn that the person confirmed as an example, once."""

    memory: Memory

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        match happening:
            # Half of a reply shows nothing, nor does one that was put right since.
            case Confirmed(Turn(state=TurnState.ANSWERED, corrected_by=None, reply=reply) as turn) if (
                reply.understanding and reply.answer and reply.status is not ReplyStatus.TRUNCATED
            ):
                remember_anew(example(turn), self.memory, scope, Status.RETRACTED)


@dataclass(frozen=True, slots=True)
class WriteKeys:
    """Implements `Listener`: have keys written for a clarification once its turn is over, as the user waits no more."""

    soon: Callable[[str], None]

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:  # noqa: ARG002
        match happening:
            case Clarified(entry=entry):
                self.soon(entry.id)


def _declined(turn: Turn) -> tuple[str, ...]:
    """Return the lessons that a reply was offered and did not use. The embedded model does not choose."""
    if turn.model == EMBEDDED:
        return ()
    offered = (one.entry for one in turn.decisions if one.action is Action.OFFER and one.entry.kind.keyed)
    return tuple(entry.id for entry in offered if entry.id not in turn.used)


def example(turn: Turn) -> Draft:
    """The entry that a confirmed turn amounts to. The clarification it was given with, if any, is no part of it."""
    body = Example(understanding=turn.reply.understanding, answer=turn.reply.answer)
    key = EXAMPLE.idempotency_key(turn.id, body)
    return Draft(EXAMPLE, turn.question, body, key, turn=turn.id, model=turn.model)
