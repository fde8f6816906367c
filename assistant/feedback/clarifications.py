"""Build the entries for clarifications of users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assistant.feedback.corrections import parse_correction
from assistant.feedback.cues import words_of
from assistant.kinds import CLARIFICATION, FACT, Clarification, Fact, Triple
from assistant.ports import Memory
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
    key = CLARIFICATION.idempotency_key(turn.id or turn.question, body)
    return NewEntry(CLARIFICATION, turn.question, body, key, turn.id, turn.model, further_keys, supersedes)


def restore_or_remember(draft: NewEntry, memory: Memory, scope: Scope, *gone: Status) -> Entry:
    """Save an entry, as a new one if the same was saved before and has one of the states `gone`."""
    entry = memory.remember(draft, scope)
    while entry.status in gone:
        draft = replace(draft, idempotency_key=f"{draft.idempotency_key[:64]}:{entry.id}")
        entry = memory.remember(draft, scope)
    return entry


def build_corrected_fact(
    corrected: Turn, words: str, memory: Memory, scope: Scope, complete: Complete, triples_in: ReadTriples
) -> NewEntry | None:
    """Build the corrected version of the fact that a turn told; None if the turn is a question, or it is unclear.

    It must share a word with the fact, and be at most one word shorter.
    """
    if "?" in corrected.question:
        return None
    facts = memory.find(scope, EntryFilter(kind=FACT.name, turn=corrected.id), limit=2).entries
    if len(facts) != 1:
        return None
    completed = complete(words, facts[0].shown)
    found, before = parse_correction(words), words_of(facts[0].shown)
    text = completed or (found.meant if found else words)
    now = words_of(text)
    if before.isdisjoint(now) or (not completed and len(now) + 1 < len(before)):
        return None
    body = Fact(text=text, triples=triples_in(text))
    key = FACT.idempotency_key(corrected.id, body)
    return NewEntry(FACT, body.text, body, key, corrected.id, corrected.model, supersedes=facts[0].id)
