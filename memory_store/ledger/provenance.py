"""Find everything that must be erased together with an entry. Changes nothing."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, select

from assistant.types import TurnState
from memory_store.ledger.database.schema import NOBODY, entries, offers, turns
from memory_store.ledger.entries import is_of_type
from memory_store.ledger.prompt_entries import find_prompted_turns
from memory_store.ledger.rows import read_rows_with, text_in_json
from memory_store.ledger.versions import find_linked_versions


@dataclass(frozen=True, slots=True)
class DerivedRows:
    """Ids that an erasure removes: entries of the user, and the text of turns of this user and of others.

    `misread` entries, of any user, stay without the parts that a model wrote with an erased entry in its prompt.
    """

    entries: set[str]
    turns: set[str]
    foreign_turns: set[str]
    misread: set[str]


def find_derived(connection: Connection, entry_ids: Iterable[str], person: str) -> DerivedRows:
    """Return the ids that must be erased together with these entries; apply the rules until nothing new is found.

    - An entry takes along its earlier and later versions, its shared copies, and the entries that quote it.
    - An entry takes along the text of the turns that it was given in, of all turns that repeat their question, and of
      all users' turns with the entry in their prompt.
    - A turn takes along the text of later turns of its conversation with it in their prompt, and the entries that were
      confirmed in it or quote it.

    Other entries given in such a turn, or written by a model with such an entry in its prompt, stay as `misread`.
    """
    quoting = is_of_type(connection, lambda kind: kind.quotes)
    going = is_of_type(connection, lambda kind: kind.confirms) | quoting
    gone: set[str] = set()
    blank: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        new = find_linked_versions(connection, waiting)
        new = (new | find_copies(connection, new)) - gone
        gone |= new
        users = set(find_prompted_turns(connection, new))
        blank |= _add_later_turns(connection, users | _find_giving_turns(connection, new, person))
        waiting = _find_given_entries(connection, blank, going) | _find_prompted_entries(
            connection, new, person, quoting
        )
        waiting -= gone
    misread = _find_given_entries(connection, blank, ~going)
    misread |= find_linked_versions(connection, _find_prompted_entries(connection, gone, person, ~quoting))
    misread |= find_copies(connection, misread)
    has_text = (turns.c.state != TurnState.DELETED.value) | (turns.c.question != "")
    remaining = select(turns.c.id, turns.c.owner).where(has_text)
    owners = {row.id: row.owner for row in read_rows_with(connection, remaining, turns.c.id, blank)}
    own = {turn_id for turn_id, owner in owners.items() if owner == person}
    return DerivedRows(gone, own, owners.keys() - own, misread - gone)


def find_copies(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Return the ids of the shared copies of these entries, intact or damaged."""
    shared = select(entries.c.id).join(offers, offers.c.id == entries.c.idempotency_key)
    shared = shared.where(entries.c.owner == NOBODY)
    return {row.id for row in read_rows_with(connection, shared, offers.c.entry_id, entry_ids)}


def _find_giving_turns(connection: Connection, entry_ids: Collection[str], person: str) -> set[str]:
    """Return the user's turns in which one of the entries was given, and all turns that repeat their question."""
    own = select(turns.c.id).where(turns.c.owner == person)
    giving = own.join(entries, entries.c.turn_id == turns.c.id).where(entries.c.owner == person)
    found = {row.id for row in read_rows_with(connection, giving, entries.c.id, entry_ids)}
    for column in (turns.c.corrected_by, turns.c.clarified_with):
        found |= {row.id for row in read_rows_with(connection, own, column, entry_ids)}
    again = select(turns.c.id, turns.c.answers_again).where(turns.c.owner == person, turns.c.answers_again.is_not(None))
    pairs = [set(row) for row in connection.execute(again)] if found else []
    while joined := [pair for pair in pairs if pair & found and not pair <= found]:
        found.update(*joined)
    return found


def _add_later_turns(connection: Connection, turn_ids: Collection[str]) -> set[str]:
    """Return the turns, and the later turns of their conversations with one of them in the prompt, transitively.

    Old and imported turns have no `history`; for these, all earlier turns count as part of the prompt.
    """
    named = select(turns.c.owner, turns.c.conversation)
    talked: dict[str, set[str]] = defaultdict(set)
    for row in read_rows_with(connection, named, turns.c.id, turn_ids):
        talked[row.owner].add(row.conversation)
    found = set(turn_ids)
    for owner, conversations in talked.items():
        query = select(turns.c.id, turns.c.conversation, turns.c.history).where(turns.c.owner == owner)
        reached: dict[str, set[str]] = defaultdict(set)
        for row in read_rows_with(connection, query.order_by(turns.c.sequence), turns.c.conversation, conversations):
            earlier = reached[row.conversation]
            if row.id in found or (earlier if row.history is None else earlier.intersection(row.history)):
                earlier.add(row.id)
        found.update(*reached.values())
    return found


def _find_given_entries(connection: Connection, turn_ids: Collection[str], condition: ColumnElement[bool]) -> set[str]:
    """Return the entries given in one of the turns that meet the condition."""
    query = select(entries.c.id).where(condition)
    return {row.id for row in read_rows_with(connection, query, entries.c.turn_id, turn_ids)}


def _find_prompted_entries(
    connection: Connection, entry_ids: Collection[str], person: str, condition: ColumnElement[bool]
) -> set[str]:
    """Return the user's entries whose title and keys a model wrote with one of these entries in its prompt."""
    written = (condition, text_in_json(connection, entries.c.body, "in_view") != "")
    rows = connection.execute(select(entries.c.id, entries.c.body).where(entries.c.owner == person, *written))
    return {row.id for row in rows if not set(row.body["in_view"]).isdisjoint(entry_ids)}
