"""How what a person meant becomes an entry, with the keys under which it is found."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.errors import NotFound, StoreError
from assistant.feedback import clarification
from assistant.ports import Allowance, Memory
from assistant.types import Entry, Key, Scope, Status, Turn, TurnState

FurtherKeys = Callable[[Turn, str], tuple[Key, ...]]
"""Turn and what was said about it to the keys, beside the question, under which the clarification is to be found."""


def no_further_keys(_turn: Turn, _words: str) -> tuple[Key, ...]:
    """An entry is found by its question alone."""
    return ()


@dataclass(frozen=True, slots=True)
class Remembering:
    """Saves clarifications.

    Args:
        memory: the entries.
        allowance: how much each person may save.
        further_keys: keys beside the question.
        wants_keys: whether a model is to write keys too.
    """

    memory: Memory
    allowance: Allowance
    further_keys: FurtherKeys
    wants_keys: bool

    def remember(self, corrected: Turn, words: str, scope: Scope, only_in: str = "") -> Entry:
        """Save what was meant by the question of a turn. The same words save once.

        Args:
            corrected: the turn.
            words: what was meant.
            scope: who says it.
            only_in: id of the conversation in which alone it counts; empty for all.

        Raises:
            InputError: it holds what is not kept.
            TooOften: the person has saved too often just now.
            StoreError: it is not saved.
        """
        self.allowance.save(scope)
        known = corrected.corrected_by or corrected.clarified_with
        earlier = self.memory.current(known, scope) if known else None
        keys = self.further_keys(corrected, words)
        replaces = earlier.id if earlier and earlier.only_in == only_in else None
        draft = clarification(corrected, words, keys, replaces, only_in)
        draft = replace(draft, wants_keys=self.wants_keys)
        entry = self.memory.remember(draft, scope)
        while entry.status is not Status.ACTIVE:
            # The same words were saved and taken back before; saying them again is a new entry.
            draft = replace(draft, idempotency_key=f"{draft.idempotency_key[:64]}:{entry.id}")
            entry = self.memory.remember(draft, scope)
        return entry

    def learn_keys(self, entry: Entry, corrected: Turn, answered: Turn, words: str, scope: Scope) -> None:
        """The right understanding may name what was asked about where the wrong one did not, and so give a key."""
        if answered.state is not TurnState.ANSWERED or self.further_keys(corrected, words):
            return
        # The entry is saved as it is; without the key it is found a little less often.
        with suppress(NotFound, StoreError):
            self.memory.add_keys(entry.id, self.further_keys(answered, words), scope)
