"""What goes with an entry when it is erased. Only looked up here."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, select

from assistant.types import TurnState
from memory_store.ledger.database.schema import NOBODY, entries, offers, turns
from memory_store.ledger.entries import of_kinds
from memory_store.ledger.in_view import turns_with_in_view
from memory_store.ledger.rows import rows_with, text_in_json
from memory_store.ledger.versions import lines


@dataclass(frozen=True, slots=True)
class Made:
    """What goes with some entries of a person, by id: further entries, and the text of turns of theirs and of others.

    `misread` are entries that stay, whoever's, without what a model wrote of them in view of what goes.
    """

    entries: set[str]
    turns: set[str]
    foreign_turns: set[str]
    misread: set[str]


def made_of(connection: Connection, entry_ids: Iterable[str], person: str) -> Made:
    """Return what goes with these entries of a person, by one rule that is repeated until it finds nothing new.

    - With an entry go those that took its place or whose place it took, the copies that everyone has of it, and what
      quotes it.
    - With an entry goes the text of the turns that gave it, of all that ask their question again, and of the turns, of
      whoever, whose prompt held it.
    - With a turn goes the text of the later ones of its conversation whose prompt held it, and what was confirmed in it
      or quotes it.

    Other entries that were given for such a turn, or written by a model with such an entry in view, stay as `misread`.
    """
    quoting = of_kinds(connection, lambda kind: kind.quotes)
    going = of_kinds(connection, lambda kind: kind.confirms) | quoting
    gone: set[str] = set()
    blank: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        new = lines(connection, waiting)
        new = (new | copies_made_of(connection, new)) - gone
        gone |= new
        users = set(turns_with_in_view(connection, new))
        blank |= _with_later(connection, users | _giving(connection, new, person))
        waiting = _given_for(connection, blank, going) | _with_in_view(connection, new, person, quoting)
        waiting -= gone
    misread = _given_for(connection, blank, ~going)
    misread |= lines(connection, _with_in_view(connection, gone, person, ~quoting))
    misread |= copies_made_of(connection, misread)
    has_text = (turns.c.state != TurnState.DELETED.value) | (turns.c.question != "")
    left = select(turns.c.id, turns.c.owner).where(has_text)
    owners = {row.id: row.owner for row in rows_with(connection, left, turns.c.id, blank)}
    own = {turn_id for turn_id, owner in owners.items() if owner == person}
    return Made(gone, own, owners.keys() - own, misread - gone)


def copies_made_of(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Ids of the copies that everyone has of these entries, whole or damaged."""
    shared = select(entries.c.id).join(offers, offers.c.id == entries.c.idempotency_key)
    shared = shared.where(entries.c.owner == NOBODY)
    return {row.id for row in rows_with(connection, shared, offers.c.entry_id, entry_ids)}


def _giving(connection: Connection, entry_ids: Collection[str], person: str) -> set[str]:
    """Return the turns of the person that gave one of the entries, and all that ask the question of such a turn."""
    own = select(turns.c.id).where(turns.c.owner == person)
    given = own.join(entries, entries.c.turn_id == turns.c.id).where(entries.c.owner == person)
    found = {row.id for row in rows_with(connection, given, entries.c.id, entry_ids)}
    for column in (turns.c.corrected_by, turns.c.clarified_with):
        found |= {row.id for row in rows_with(connection, own, column, entry_ids)}
    again = select(turns.c.id, turns.c.answers_again).where(turns.c.owner == person, turns.c.answers_again.is_not(None))
    pairs = [set(row) for row in connection.execute(again)] if found else []
    while joined := [pair for pair in pairs if pair & found and not pair <= found]:
        found.update(*joined)
    return found


def _with_later(connection: Connection, turn_ids: Collection[str]) -> set[str]:
    """Return the turns with the later ones of their conversations whose prompt held one, however many steps away.

    Of a turn from before turns said what stood in their prompt (`history`), or from an import, all earlier ones may.
    """
    named = select(turns.c.owner, turns.c.conversation)
    talked: dict[str, set[str]] = defaultdict(set)
    for row in rows_with(connection, named, turns.c.id, turn_ids):
        talked[row.owner].add(row.conversation)
    found = set(turn_ids)
    for owner, conversations in talked.items():
        query = select(turns.c.id, turns.c.conversation, turns.c.history).where(turns.c.owner == owner)
        reached: dict[str, set[str]] = defaultdict(set)
        for row in rows_with(connection, query.order_by(turns.c.sequence), turns.c.conversation, conversations):
            earlier = reached[row.conversation]
            if row.id in found or (earlier if row.history is None else earlier.intersection(row.history)):
                earlier.add(row.id)
        found.update(*reached.values())
    return found


def _given_for(connection: Connection, turn_ids: Collection[str], condition: ColumnElement[bool]) -> set[str]:
    """Return the entries that came of one of the turns and meet the condition."""
    given = select(entries.c.id).where(condition)
    return {row.id for row in rows_with(connection, given, entries.c.turn_id, turn_ids)}


def _with_in_view(
    connection: Connection, entry_ids: Collection[str], person: str, condition: ColumnElement[bool]
) -> set[str]:
    """Return the entries of the person of which a model wrote with one of these before it."""
    written = (condition, text_in_json(connection, entries.c.body, "in_view") != "")
    rows = connection.execute(select(entries.c.id, entries.c.body).where(entries.c.owner == person, *written))
    return {row.id for row in rows if not set(row.body["in_view"]).isdisjoint(entry_ids)}
