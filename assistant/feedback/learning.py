"""Listeners that learn from the events of a turn; `app.py` lists them.

*Yes, that's it* counts for the entries of the answer, and keeps it as an example; *Use it* counts for a skipped note,
*Leave it out* against a used one. The counts are features of the gate; only a user pauses an entry.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from assistant.errors import NotFound
from assistant.events import Answered, Chosen, Clarified, Confirmed, Excluded, TurnEvent
from assistant.feedback.clarifications import restore_or_remember
from assistant.kinds import EXAMPLE, Example
from assistant.ports import Listener, Memory
from assistant.settings import EMBEDDED
from assistant.types import Action, NewEntry, ReplyStatus, Scope, Status, Turn, TurnState


class Listeners:
    """Implements `Listener`: call several listeners in order."""

    def __init__(self, *learners: Listener) -> None:
        self._learners = learners

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        for learn in self._learners:
            learn(happening, scope)


@dataclass(frozen=True, slots=True)
class CountReactions:
    """Implements `Listener`: count uses of entries, reactions to them, and lessons that were not needed."""

    memory: Memory

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        match happening:
            case Answered(turn):
                self._count("used", turn.used, turn, scope)
                if turn.model != EMBEDDED:  # which cannot decline
                    offered = [one.entry for one in turn.decisions if one.action is Action.OFFER]
                    lessons = tuple(entry.id for entry in offered if entry.kind.keyed and entry.id not in turn.used)
                    self._count("declined", lessons, turn, scope)
            case Confirmed(turn):
                self._count("helped", turn.used, turn, scope)
            case Chosen(turn, entry_id):
                self._count("helped", (entry_id,), turn, scope)
            case Excluded(turn, entry_id):
                self._count("hurt", (entry_id,), turn, scope)

    def _count(self, event: str, entries: tuple[str, ...], turn: Turn, scope: Scope) -> None:
        for entry_id in entries:
            # It may have been deleted while the answer was written.
            with suppress(NotFound):
                self.memory.count(entry_id, event, turn.id, scope)


@dataclass(frozen=True, slots=True)
class KeepExamples:
    """Implements `Listener`: keep a confirmed turn as an example, once, without its clarification."""

    memory: Memory

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        match happening:
            # Truncated and corrected replies are no examples.
            case Confirmed(Turn(state=TurnState.ANSWERED, corrected_by=None, reply=reply) as turn) if (
                reply.understanding and reply.answer and reply.status is not ReplyStatus.TRUNCATED
            ):
                body = Example(understanding=reply.understanding, answer=reply.answer)
                key = EXAMPLE.idempotency_key(turn.id, body)
                draft = NewEntry(EXAMPLE, turn.question, body, key, turn=turn.id, model=turn.model)
                restore_or_remember(draft, self.memory, scope, Status.RETRACTED)


@dataclass(frozen=True, slots=True)
class WriteKeys:
    """Implements `Listener`: request keys for a clarification after its turn, when the user no longer waits."""

    soon: Callable[[str], None]

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:  # noqa: ARG002
        match happening:
            case Clarified(entry=entry):
                self.soon(entry.id)
