"""What was made of an entry, and so goes when the entry is erased. Only looked up here.

- The line of entries that took one another's place, in both directions, and the copies that everyone has of them.
- The turns that gave it: the question, the message that corrected it, and every time it was answered again.
- The turns whose answer used it: its words may stand in what the model wrote. `past_uses` keeps those that did so by
  way of what is no more, a copy or an earlier turn, or were stopped before they said so, until the entry or the turn is
  erased.
- The turns in whose prompt any of these stood, as history, and again those in whose prompt they did.
- The examples that were made from any of these turns, and steps that were blocked in one or that quote an entry;
  again, what was made of those.

What only stands beside it stays, without what derives from it: another clarification loses the misunderstanding, the
keys and the title that were written with the erased entry in view; another person's turn that used it, because it was
shared, or that had such an answer in its prompt, loses its own.

A turn says which earlier ones stood in its prompt (`history`). Where it does not, since it is from before turns said
so, or came in by an import, all earlier ones of its conversation may have.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select

from assistant.types import Action, TurnState
from memory_store.ledger.database.schema import NOBODY, decisions, entries, offers, past_uses, turns
from memory_store.ledger.entries import of_kinds
from memory_store.ledger.rows import rows_with, text_in_json
from memory_store.ledger.versions import lines

_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value}
# Of an answer that was stopped or cut nobody knows which offered notes it named.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}
_SAID = (
    *(decisions.c.turn_id, decisions.c.entry_id, decisions.c.action),
    *(turns.c.owner, turns.c.state, turns.c.used),
)
_SAYING = select(*_SAID).join(turns, turns.c.id == decisions.c.turn_id)  # what turns say of entries


@dataclass(slots=True)
class Made:
    """Ids of what goes with some entries of a person: those made of them, and the turns that gave or used one.

    `misread` are entries that stay, whoever's, given for a turn that used one, or of which a model wrote with one in
    view, and what is shared of them.
    """

    entries: set[str] = field(default_factory=set)
    turns: set[str] = field(default_factory=set)
    misread: set[str] = field(default_factory=set)
    foreign_turns: set[str] = field(default_factory=set)


def made_of(connection: Connection, entry_ids: Iterable[str], person: str) -> Made:
    """All that was made of these entries of a person, however many steps away."""
    made = Made()
    quoting = of_kinds(connection, lambda kind: kind.quotes)
    going = of_kinds(connection, lambda kind: kind.confirms) | quoting
    used: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        new = lines(connection, waiting)
        new = (new | copies_made_of(connection, new)) - made.entries
        made.entries |= new
        users = _users(connection, new)
        giving = _giving(connection, new, person)
        users |= dict(_following(connection, {*users, *giving}))
        own = {turn_id for turn_id, owner in users.items() if owner == person}
        turns_of_it = own | giving
        used |= own
        made.turns |= turns_of_it
        made.foreign_turns |= users.keys() - own
        waiting = _given_for(connection, turns_of_it, going) | _with_in_view(connection, new, person, quoting)
        waiting |= _given_for(connection, made.foreign_turns, going)  # in which its words may be, whoever keeps them
        waiting -= made.entries
    misread = _given_for(connection, used | made.foreign_turns, ~going)
    misread |= lines(connection, _with_in_view(connection, made.entries, person, ~quoting))
    made.misread = (misread | copies_made_of(connection, misread)) - made.entries
    return made


def copies_made_of(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Ids of the copies that everyone has of these entries, whole or damaged."""
    shared = select(entries.c.id).join(offers, offers.c.id == entries.c.idempotency_key)
    shared = shared.where(entries.c.owner == NOBODY)
    return {row.id for row in rows_with(connection, shared, offers.c.entry_id, entry_ids)}


def keep_uses(connection: Connection, entry_id: str, copy_ids: Collection[str]) -> None:
    """Before copies of an entry are erased: which turns used them."""
    _keep_past(connection, {(entry_id, turn_id) for turn_id in _users(connection, copy_ids)})


def _users(connection: Connection, entry_ids: Collection[str]) -> dict[str, str]:
    """Id and owner of the turns that used one, or one that is noted."""
    said = rows_with(connection, _SAYING, decisions.c.entry_id, entry_ids)
    return {turn_id: owner for _, turn_id, owner in (*_using(said), *_past(connection, entry_ids))}


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


def _with_in_view(
    connection: Connection, entry_ids: Collection[str], person: str, condition: ColumnElement[bool]
) -> set[str]:
    """Entries of the person's of which a model wrote with one of these before it; what came of them has its words."""
    written = (condition, text_in_json(connection, entries.c.body, "in_view") != "")
    rows = connection.execute(select(entries.c.id, entries.c.body).where(entries.c.owner == person, *written))
    return {row.id for row in rows if not set(row.body["in_view"]).isdisjoint(entry_ids)}


def _following(connection: Connection, turn_ids: Collection[str]) -> Iterator[tuple[str, str]]:
    """Id and owner of the turns in whose prompt one of these stood, or one of those, however many steps away."""
    for talked in _conversations(connection, turn_ids):
        reached: set[str] = set()
        for row in talked:
            if _seen(row, reached):
                yield row.id, row.owner
                reached.add(row.id)
            elif row.id in turn_ids:
                reached.add(row.id)


def keep_undecided(connection: Connection, turn_id: str, entry_ids: Collection[str]) -> None:
    """The entries that a turn came to use, of which it decided nothing: it was stopped, or more was written later."""
    _keep_past(connection, {(entry_id, turn_id) for entry_id in entry_ids})


def keep_uses_of(connection: Connection, turn_ids: Collection[str]) -> None:
    """Before turns go and others of their conversations stay: whose prompts held what was made with which entry."""
    given = _given(connection, turn_ids)
    noted: set[tuple[str, str]] = set()
    for talked in _conversations(connection, turn_ids):
        made_with: dict[str, set[str]] = {}
        for row in talked:
            inherited = {entry_id for earlier in _seen(row, made_with) for entry_id in made_with[earlier]}
            if row.id in turn_ids:
                made_with[row.id] = given[row.id] | inherited
            else:
                noted |= {(entry_id, row.id) for entry_id in inherited}
    _keep_past(connection, noted)


def _keep_past(connection: Connection, uses: set[tuple[str, str]]) -> None:
    """Note uses, by entry and turn, that are not noted yet."""
    known = {(entry_id, turn_id) for entry_id, turn_id, _ in _past(connection, {entry_id for entry_id, _ in uses})}
    if new := sorted(uses - known):
        rows = [{"entry_id": entry_id, "turn_id": turn_id} for entry_id, turn_id in new]
        connection.execute(insert(past_uses), rows)


def _past(connection: Connection, entry_ids: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Of these entries the uses by way of what is no more: entry, turn, and whose it is."""
    query = select(past_uses.c.entry_id, turns.c.id, turns.c.owner).join(turns, past_uses.c.turn_id == turns.c.id)
    return ((row.entry_id, row.id, row.owner) for row in rows_with(connection, query, past_uses.c.entry_id, entry_ids))


def _using(rows: Iterable[Row[Any]]) -> Iterator[tuple[str, str, str]]:
    """Entry, turn, and whose it is, of those rows of `_SAYING` by which a turn used the entry."""
    for row in rows:
        seen = _MAY_HAVE_BEEN_SEEN if row.state != TurnState.ANSWERED.value else _IN_THE_PROMPT
        if row.action in seen or row.entry_id in (row.used or ()):
            yield row.entry_id, row.turn_id, row.owner


def _given(connection: Connection, turn_ids: Collection[str]) -> dict[str, set[str]]:
    """By turn, the entries that it used, whether it says so or it is noted, and those that it gave."""
    found: dict[str, set[str]] = defaultdict(set)
    for entry_id, turn_id, _ in _using(rows_with(connection, _SAYING, decisions.c.turn_id, turn_ids)):
        found[turn_id].add(entry_id)
    for row in rows_with(connection, select(past_uses), past_uses.c.turn_id, turn_ids):
        found[row.turn_id].add(row.entry_id)
    for row in rows_with(connection, select(entries.c.id, entries.c.turn_id), entries.c.turn_id, turn_ids):
        found[row.turn_id].add(row.id)
    return found


def _conversations(connection: Connection, turn_ids: Collection[str]) -> Iterator[Sequence[Row[Any]]]:
    """The turns of each conversation that one of these belongs to, in their order."""
    named: dict[str, set[str]] = defaultdict(set)
    for row in rows_with(connection, select(turns.c.owner, turns.c.conversation), turns.c.id, turn_ids):
        named[row.owner].add(row.conversation)
    columns = (turns.c.id, turns.c.owner, turns.c.conversation, turns.c.history)
    for owner, conversations in named.items():
        query = select(*columns).where(turns.c.owner == owner).order_by(turns.c.sequence)
        talked: dict[str, list[Row[Any]]] = defaultdict(list)
        for row in rows_with(connection, query, turns.c.conversation, conversations):
            talked[row.conversation].append(row)
        yield from talked.values()


def _seen(row: Row[Any], earlier: Collection[str]) -> Collection[str]:
    """Which of these earlier turns of its conversation stood in the prompt of a turn, or may have."""
    return earlier if row.history is None else set(earlier).intersection(row.history)
