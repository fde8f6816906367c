"""What a person meant becomes an entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.feedback.corrections import correction_in, swapped
from assistant.feedback.cues import words_of
from assistant.feedback.reach import ProposeReach
from assistant.kinds import CLARIFICATION, FACT, Clarification, Fact, Reach
from assistant.ports import Allowance, Memory
from assistant.reports.listing import EntryFilter
from assistant.types import Draft, Entry, Key, Scope, Status, Turn

Complete = Callable[[str, str], str]
"""A message and a fact to the fact that the message puts in its place; empty where it puts none."""


def clarification(
    turn: Turn, words: str, further_keys: tuple[Key, ...] = (), supersedes: str | None = None, **body_fields: object
) -> Draft:
    """The entry that a person's words about a turn amount to. Without an id, nobody has asked the question yet."""
    fields: dict[str, object] = {"text": words, "wrong_understanding": turn.reply.understanding, **body_fields}
    body = Clarification.model_validate(fields)
    return Draft(
        CLARIFICATION,
        turn.question,
        body,
        CLARIFICATION.idempotency_key(turn.id or turn.question, body),
        turn=turn.id,
        model=turn.model,
        further_keys=further_keys,
        supersedes=supersedes,
    )


def remember_anew(draft: Draft, memory: Memory, scope: Scope, *gone: Status) -> Entry:
    """Save an entry; where the same was saved before and is `gone` by now, saying it again is a new entry."""
    entry = memory.remember(draft, scope)
    while entry.status in gone:
        draft = replace(draft, idempotency_key=f"{draft.idempotency_key[:64]}:{entry.id}")
        entry = memory.remember(draft, scope)
    return entry


@dataclass(frozen=True, slots=True)
class Clarifications:
    """Saves clarifications."""

    memory: Memory
    allowance: Allowance
    propose_reach: ProposeReach
    wants_keys: bool  # whether a model is to write keys too
    complete: Complete = swapped

    def save(
        self, corrected: Turn, words: str, scope: Scope, reach: Reach | None = None, turns: Sequence[Turn] = ()
    ) -> Entry:
        """Save what was meant by the question of a turn, for the questions that the person chose, or else as proposed.

        `turns` are those of its conversation. The same words save once. Raises InputError (it holds what is not kept),
        TooOften and StoreError.
        """
        self.allowance.save(scope)
        if told := self._told_anew(corrected, words, scope):
            return remember_anew(told, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        proposed = reach or self.propose_reach(corrected, words, turns)
        counts = {**proposed.fields(corrected.conversation), "reach_chosen": reach is not None}
        known = corrected.corrected_by or corrected.clarified_with
        earlier = self.memory.current(known, scope) if known else None
        # What it rests on may be something else that was told, as a fact, which stays.
        is_replaced = earlier and earlier.kind.corrects and earlier.only_in == counts["only_in"]
        replaces = earlier.id if earlier and is_replaced else None
        draft = clarification(corrected, words, (), replaces, **counts)
        draft = replace(draft, wants_keys=self.wants_keys)
        return remember_anew(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def _told_anew(self, corrected: Turn, words: str, scope: Scope) -> Draft | None:
        """The fact that stands in the place of what a turn told, where it asked for nothing and this says that again.

        What shares no word with the fact, or is shorter by more than one, may mean anything.
        """
        if "?" in corrected.question:
            return None
        facts = self.memory.find(scope, EntryFilter(kind=FACT.name, turn=corrected.id), limit=2).entries
        if len(facts) != 1:
            return None
        swap = self.complete(words, facts[0].shown)
        found, said = correction_in(words), words_of(facts[0].shown)
        body = Fact(text=swap or (found.meant if found else words))
        told = words_of(body.text)
        if said.isdisjoint(told) or (not swap and len(told) + 1 < len(said)):
            return None
        key = FACT.idempotency_key(corrected.id, body)
        return Draft(FACT, body.text, body, key, corrected.id, corrected.model, supersedes=facts[0].id)
