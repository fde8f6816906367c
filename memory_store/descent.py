"""What was made of an entry, and so goes when the entry is erased. Only read here; `memory_store.erasing` erases.

- The line of entries that took one another's place, in both directions, and the copies that everyone has of them.
- The turns that gave it: the question, the message that corrected it, and every time it was answered again.
- The turns whose answer used it: its words may stand in what the model wrote.
- The examples that were made from any of these turns, and, again, what was made of those.

What only stands beside it stays, without what derives from it: another clarification loses the misunderstanding that
was written with the erased entry in view, and another person's turn that used it (it was shared) loses its answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from assistant.types import Kind
from memory_store.lineage import lines
from memory_store.offers import copies_made_of
from memory_store.reactions import batches
from memory_store.schema import entries, turns
from memory_store.uses import using


@dataclass(slots=True)
class Made:
    """Ids of what goes with some entries of a person.

    Args:
        entries: the entries, and those made of them.
        turns: the person's turns that gave or used one.
        misread: clarifications that stay, whoever's, given for a turn that used one, and what is shared of them.
        foreign_turns: turns of others that used one.
    """

    entries: set[str] = field(default_factory=set)
    turns: set[str] = field(default_factory=set)
    misread: set[str] = field(default_factory=set)
    foreign_turns: set[str] = field(default_factory=set)


def made_of(connection: Connection, entry_ids: Iterable[str], person: str) -> Made:
    """All that was made of these entries of a person, however many steps away."""
    made = Made()
    used: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        new = lines(connection, waiting)
        new = (new | copies_made_of(connection, new)) - made.entries
        made.entries |= new
        own, foreign = using(connection, new, person)
        turns_of_it = own | _giving(connection, new, person)
        used |= own
        made.turns |= turns_of_it
        made.foreign_turns |= foreign
        waiting = _given_for(connection, turns_of_it, Kind.EXAMPLE) - made.entries
    misread = _given_for(connection, used | made.foreign_turns, Kind.CLARIFICATION)
    made.misread = (misread | copies_made_of(connection, misread)) - made.entries
    return made


def _giving(connection: Connection, entry_ids: Collection[str], person: str) -> set[str]:
    """Turns of the person's that gave one of the entries, and all that ask the question of such a turn again."""
    given: set[str] = set()
    for some in batches(sorted(entry_ids)):
        query = select(entries.c.turn_id).where(entries.c.id.in_(some), entries.c.owner == person)
        given |= set(connection.execute(query).scalars()) - {""}
    conversations: set[str] = set()
    for some in batches(sorted(given)):
        query = select(turns.c.conversation).where(turns.c.id.in_(some), turns.c.owner == person)
        conversations |= set(connection.execute(query).scalars())
    columns = (turns.c.id, turns.c.answers_again, turns.c.corrected_by, turns.c.clarified_with)
    rows = [
        row
        for some in batches(sorted(conversations))
        for row in connection.execute(select(*columns).where(turns.c.owner == person, turns.c.conversation.in_(some)))
    ]
    found = {row.id for row in rows if row.id in given or {row.corrected_by, row.clarified_with} & set(entry_ids)}
    while True:
        again = {row.id for row in rows if row.answers_again in found}
        before = {row.answers_again for row in rows if row.id in found and row.answers_again}
        if again | before <= found:
            return found
        found |= again | before


def _given_for(connection: Connection, turn_ids: Collection[str], kind: Kind) -> set[str]:
    """Entries of a kind that came of one of the turns."""
    found: set[str] = set()
    for some in batches(sorted(turn_ids)):
        given = (entries.c.kind == kind.value, entries.c.turn_id.in_(some))
        found |= set(connection.execute(select(entries.c.id).where(*given)).scalars())
    return found
