"""What is learnt from what a person does with an answer. Each way is a part of its own; `app.py` says which count.

*Yes, that's it* counts for the entries that the answer rests on, and keeps question, understanding and answer as an
example; *Use it* counts for the note that had been passed over, *Leave it out* against the entry. The question stands
with each reaction, so that the gate can weigh it for that kind of question. An entry that was left out at least two
times more often than it helped rests (`Entry.resting`): it is recalled no more until its owner has it used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from assistant.errors import NotFound
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import EXAMPLE, Example
from assistant.ports import Learn, Memory
from assistant.types import Draft, Reaction, ReplyStatus, Scope, Status, Turn, TurnState

_EVENTS = {Reaction.CONFIRM: "helped", Reaction.USE: "helped", Reaction.LEAVE_OUT: "hurt"}


class LearnAll:
    """Implements `Learn`: one after the other."""

    def __init__(self, *learners: Learn) -> None:
        self._learners = learners

    def __call__(self, turn: Turn, reaction: Reaction, entries: Sequence[str], scope: Scope) -> None:
        for learn in self._learners:
            learn(turn, reaction, entries, scope)


@dataclass(frozen=True, slots=True)
class CountReactions:
    """Implements `Learn`: counts reactions for and against the entries they are about. The gate weighs the counts."""

    memory: Memory

    def __call__(self, turn: Turn, reaction: Reaction, entries: Sequence[str], scope: Scope) -> None:
        for entry_id in entries:
            # An entry that was deleted since has nothing left to learn.
            with suppress(NotFound):
                self.memory.count(entry_id, _EVENTS[reaction], turn.id, scope)


@dataclass(frozen=True, slots=True)
class KeepExamples:
    """Implements `Learn`: keeps a turn that the person confirmed as an example, once."""

    memory: Memory

    def __call__(self, turn: Turn, reaction: Reaction, entries: Sequence[str], scope: Scope) -> None:  # noqa: ARG002
        # Half of a reply shows nothing, nor does one that was put right since.
        whole = turn.reply.understanding and turn.reply.answer and turn.reply.status is not ReplyStatus.TRUNCATED
        stands = turn.state is TurnState.ANSWERED and not turn.corrected_by
        if reaction is Reaction.CONFIRM and stands and whole:
            remember_anew(example(turn), self.memory, scope, Status.RETRACTED)


def example(turn: Turn) -> Draft:
    """The entry that a confirmed turn amounts to. The clarification it was given with, if any, is no part of it."""
    body = Example(understanding=turn.reply.understanding, answer=turn.reply.answer)
    key = EXAMPLE.idempotency_key(turn.id, body)
    return Draft(EXAMPLE, turn.question, body, key, turn=turn.id, model=turn.model)
