"""What was made of an entry, and so goes when the entry is erased. Only looked up here.

- The line of entries that took one another's place, in both directions, and the copies that everyone has of them.
- The turns that gave it: the question, the message that corrected it, and every time it was answered again.
- The turns whose answer used it: its words may stand in what the model wrote. `past_uses` keeps those that did so by
  way of what is no more, a copy or an earlier turn, until the entry or the turn is erased.
- The turns in whose prompt any of these stood, as history, and again those in whose prompt they did.
- The examples that were made from any of these turns, and, again, what was made of those.

What only stands beside it stays, without what derives from it: another clarification loses the misunderstanding and the
keys that were written with the erased entry in view; another person's turn that used it, because it was shared, or that
had such an answer in its prompt, loses its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Connection, select

from memory_store.ledger.database.schema import NOBODY, decisions, entries, offers, turns
from memory_store.ledger.entries import of_kinds
from memory_store.ledger.histories import SAYING, following, keep_past, past, using
from memory_store.ledger.rows import rows_with
from memory_store.ledger.versions import lines


@dataclass(slots=True)
class Made:
    """Ids of what goes with some entries of a person: those made of them, and the turns that gave or used one.

    `misread` are entries that stay, whoever's, given for a turn that used one, and what is shared of them.
    """

    entries: set[str] = field(default_factory=set)
    turns: set[str] = field(default_factory=set)
    misread: set[str] = field(default_factory=set)
    foreign_turns: set[str] = field(default_factory=set)


def made_of(connection: Connection, entry_ids: Iterable[str], person: str) -> Made:
    """All that was made of these entries of a person, however many steps away."""
    made = Made()
    confirms = of_kinds(connection, lambda kind: kind.confirms)
    used: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        new = lines(connection, waiting)
        new = (new | copies_made_of(connection, new)) - made.entries
        made.entries |= new
        users = _users(connection, new)
        giving = _giving(connection, new, person)
        users |= dict(following(connection, {*users, *giving}))
        own = {turn_id for turn_id, owner in users.items() if owner == person}
        turns_of_it = own | giving
        used |= own
        made.turns |= turns_of_it
        made.foreign_turns |= users.keys() - own
        waiting = _given_for(connection, turns_of_it, confirms) - made.entries
    misread = _given_for(connection, used | made.foreign_turns, ~confirms)
    made.misread = (misread | copies_made_of(connection, misread)) - made.entries
    return made


def copies_made_of(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Ids of the copies that everyone has of these entries, whole or damaged."""
    shared = select(entries.c.id).join(offers, offers.c.id == entries.c.idempotency_key)
    shared = shared.where(entries.c.owner == NOBODY)
    return {row.id for row in rows_with(connection, shared, offers.c.entry_id, entry_ids)}


def keep_uses(connection: Connection, entry_id: str, copy_ids: Collection[str]) -> None:
    """Before copies of an entry are erased: which turns used them."""
    known = {turn_id for _, turn_id, _ in past(connection, [entry_id])}
    keep_past(connection, {(entry_id, turn_id) for turn_id in _users(connection, copy_ids).keys() - known})


def _users(connection: Connection, entry_ids: Collection[str]) -> dict[str, str]:
    """Id and owner of the turns that used one, or one that is noted."""
    said = rows_with(connection, SAYING, decisions.c.entry_id, entry_ids)
    return {turn_id: owner for _, turn_id, owner in (*using(said), *past(connection, entry_ids))}


def _giving(connection: Connection, entry_ids: Collection[str], person: str) -> set[str]:
    """Turns of the person's that gave one of the entries, and all that ask the question of such a turn again."""
    of_person = select(entries.c.turn_id).where(entries.c.owner == person)
    given = {row.turn_id for row in rows_with(connection, of_person, entries.c.id, entry_ids)} - {""}
    talked = select(turns.c.conversation).where(turns.c.owner == person)
    conversations = {row.conversation for row in rows_with(connection, talked, turns.c.id, given)}
    columns = (turns.c.id, turns.c.answers_again, turns.c.corrected_by, turns.c.clarified_with)
    own = select(*columns).where(turns.c.owner == person)
    rows = list(rows_with(connection, own, turns.c.conversation, conversations))
    found = {row.id for row in rows if row.id in given or {row.corrected_by, row.clarified_with} & set(entry_ids)}
    while True:
        again = {row.id for row in rows if row.answers_again in found}
        before = {row.answers_again for row in rows if row.id in found and row.answers_again}
        if again | before <= found:
            return found
        found |= again | before


def _given_for(connection: Connection, turn_ids: Collection[str], condition: ColumnElement[bool]) -> set[str]:
    """Entries that came of one of the turns and meet the condition."""
    given = select(entries.c.id).where(condition)
    return {row.id for row in rows_with(connection, given, entries.c.turn_id, turn_ids)}
