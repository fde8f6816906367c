"""Save clarifications of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.feedback.corrections import parse_correction, replace_denied_word
from assistant.feedback.cues import words_of
from assistant.feedback.reach import ProposeReach
from assistant.kinds import CLARIFICATION, FACT, Clarification, Fact, Reach, Triple
from assistant.ports import Allowance, Memory
from assistant.reports.listing import EntryFilter
from assistant.types import Entry, Key, NewEntry, Scope, Status, Turn

Complete = Callable[[str, str], str]
"""Returns the fact that a message puts in place of a given fact, else an empty text. See `complete_change`."""

ReadTriples = Callable[[str], tuple[Triple, ...]]
"""Returns the triples of a sentence, which are stored with its fact."""


def build_clarification(
    turn: Turn, words: str, further_keys: tuple[Key, ...] = (), supersedes: str | None = None, **body_fields: object
) -> NewEntry:
    """Build the entry for a user's words about a turn; a turn without an id has only a question."""
    fields: dict[str, object] = {"text": words, "wrong_understanding": turn.reply.understanding, **body_fields}
    body = Clarification.model_validate(fields)
    return NewEntry(
        CLARIFICATION,
        turn.question,
        body,
        CLARIFICATION.idempotency_key(turn.id or turn.question, body),
        turn=turn.id,
        model=turn.model,
        further_keys=further_keys,
        supersedes=supersedes,
    )


def restore_or_remember(draft: NewEntry, memory: Memory, scope: Scope, *gone: Status) -> Entry:
    """Save an entry, as a new one if the same was saved before and has one of the states `gone`."""
    entry = memory.remember(draft, scope)
    while entry.status in gone:
        draft = replace(draft, idempotency_key=f"{draft.idempotency_key[:64]}:{entry.id}")
        entry = memory.remember(draft, scope)
    return entry


@dataclass(frozen=True, slots=True)
class Clarifications:
    memory: Memory
    allowance: Allowance
    propose_reach: ProposeReach
    wants_keys: bool  # a model should write further keys
    complete: Complete = replace_denied_word
    triples_in: ReadTriples = lambda _text: ()

    def save(
        self, corrected: Turn, words: str, scope: Scope, reach: Reach | None = None, turns: Sequence[Turn] = ()
    ) -> Entry:
        """Save a clarification of the question of a turn, with the given or proposed reach. Idempotent.

        `turns` are the turns of its conversation. Raises InputError (content that is not stored), TooOften and
        StoreError.
        """
        self.allowance.save(scope)
        if told := self._told_anew(corrected, words, scope):
            return restore_or_remember(told, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        proposed = reach or self.propose_reach(corrected, words, turns)
        counts = {**proposed.fields(corrected.conversation), "reach_chosen": reach is not None}
        known = corrected.corrected_by or corrected.clarified_with
        earlier = self.memory.current(known, scope) if known else None
        # The earlier entry may be a fact, which is kept.
        is_replaced = earlier and earlier.kind.corrects and earlier.only_in == counts["only_in"]
        replaces = earlier.id if earlier and is_replaced else None
        draft = build_clarification(corrected, words, (), replaces, **counts)
        draft = replace(draft, wants_keys=self.wants_keys)
        return restore_or_remember(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def _told_anew(self, corrected: Turn, words: str, scope: Scope) -> NewEntry | None:
        """Return the corrected version of the fact that a turn told; None if the turn is a question, or it is unclear.

        It must share a word with the fact, and be at most one word shorter.
        """
        if "?" in corrected.question:
            return None
        facts = self.memory.find(scope, EntryFilter(kind=FACT.name, turn=corrected.id), limit=2).entries
        if len(facts) != 1:
            return None
        swap = self.complete(words, facts[0].shown)
        found, said = parse_correction(words), words_of(facts[0].shown)
        text = swap or (found.meant if found else words)
        body = Fact(text=text, triples=self.triples_in(text))
        told = words_of(text)
        if said.isdisjoint(told) or (not swap and len(told) + 1 < len(said)):
            return None
        key = FACT.idempotency_key(corrected.id, body)
        return NewEntry(FACT, body.text, body, key, corrected.id, corrected.model, supersedes=facts[0].id)
