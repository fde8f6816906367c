"""What is learnt from what a person does with an answer. Each lesson is a part of its own; `app.py` says which count.

*Yes, that's it* counts for the entries that the answer rests on, and keeps question, understanding and answer as an
example; *Use it* counts for the note that had been passed over, *Leave it out* against the entry. The question stands
with each reaction, so that the gate can weigh it for that kind of question. An entry that was left out at least two
times more often than it helped rests (`Entry.resting`): it is recalled no more until its owner has it used again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from assistant.errors import NotFound
from assistant.ports import Learn, Memory
from assistant.types import Draft, Kind, Reaction, ReplyStatus, Scope, Status, Turn, TurnState

_EVENTS = {Reaction.CONFIRM: "helped", Reaction.USE: "helped", Reaction.LEAVE_OUT: "hurt"}


class LearnAll:
    """Implements `Learn`: one lesson after the other."""

    def __init__(self, *lessons: Learn) -> None:
        self._lessons = lessons

    def __call__(self, turn: Turn, reaction: Reaction, entries: Sequence[str], scope: Scope) -> None:
        for lesson in self._lessons:
            lesson(turn, reaction, entries, scope)


class CountReactions:
    """Implements `Learn`: counts reactions for and against the entries they are about. The gate weighs the counts."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __call__(self, turn: Turn, reaction: Reaction, entries: Sequence[str], scope: Scope) -> None:
        for entry_id in entries:
            # An entry that was deleted since has nothing left to learn.
            with suppress(NotFound):
                self._memory.count(entry_id, _EVENTS[reaction], turn.id, scope)


class KeepExamples:
    """Implements `Learn`: keeps a turn that the person confirmed as an example, once."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __call__(self, turn: Turn, reaction: Reaction, entries: Sequence[str], scope: Scope) -> None:  # noqa: ARG002
        if reaction is not Reaction.CONFIRM or not _is_whole(turn):
            return
        draft = example(turn)
        entry = self._memory.remember(draft, scope)
        while entry.status is Status.RETRACTED:
            # It was kept and taken back before; confirming it again is a new entry.
            draft = replace(draft, idempotency_key=f"{draft.idempotency_key[:64]}:{entry.id}")
            entry = self._memory.remember(draft, scope)


def example(turn: Turn) -> Draft:
    """The entry that a confirmed turn amounts to. The clarification it was given with, if any, is no part of it."""
    return Draft(
        kind=Kind.EXAMPLE,
        question=turn.question,
        text="",
        idempotency_key=hashlib.sha256(f"example\0{turn.id}".encode()).hexdigest(),
        understanding=turn.reply.understanding,
        answer=turn.reply.answer,
        turn=turn.id,
        model=turn.model,
    )


def _is_whole(turn: Turn) -> bool:
    """Whether a turn shows how it is done: it stands as it was answered, and nothing of its reply is missing."""
    reply = turn.reply
    stands = turn.state is TurnState.ANSWERED and not turn.corrected_by
    return stands and bool(reply.understanding and reply.answer) and reply.status is not ReplyStatus.TRUNCATED
