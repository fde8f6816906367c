"""Find everything that is erased together with an entry. Changes nothing but `record_prompt_entries`.

The turns whose prompt held an entry are known from their decisions.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from assistant.types import Action, KeyOrigin, Scope, Status, TurnState
from memory_store.ledger.access import belongs_to
from memory_store.ledger.database.schema import NOBODY, SEEN, decisions, entries, offers, turns
from memory_store.ledger.rows import kinds_of, read_rows_with, text_in_json

_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value, SEEN}
# A stopped or truncated answer may have used any of the offered notes.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}
_SEEN_FROM = 1_000_000  # ranks of entries in view are higher than those of all candidates


@dataclass(frozen=True, slots=True)
class DerivedRows:
    """Ids that an erasure removes: entries, and the text of turns of this user and of others.

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
    kinds = kinds_of(connection).values()
    quoting = {kind.name for kind in kinds if kind.quotes}
    going = quoting | {kind.name for kind in kinds if kind.confirms}
    seen = select(entries.c.id, entries.c.kind, entries.c.body).where(entries.c.owner == person)
    views = connection.execute(seen.where(text_in_json(connection, entries.c.body, "in_view") != "")).all()
    talks: dict[str, Sequence[Row[Any]]] = {}
    blank: dict[str, set[str]] = {}  # user to turns
    given: dict[str, str] = {}  # entry to its kind
    written: dict[str, str] = {}
    gone: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        gone |= waiting
        prompted = find_prompted_turns(connection, gone)
        for owner in {person, *prompted.values()}:
            talks[owner] = talks.get(owner) or _read_turns(connection, owner)
            given_in = _find_giving_turns(connection, talks[owner], gone) if owner == person else set()
            blank[owner] = _add_repeated_and_later(talks[owner], given_in, prompted)
        blanked = set().union(*blank.values())
        named = select(entries.c.id, entries.c.kind)
        given = {row.id: row.kind for row in read_rows_with(connection, named, entries.c.turn_id, blanked)}
        written = {row.id: row.kind for row in views if not gone.isdisjoint(row.body["in_view"])}
        waiting = _find_versions(connection, gone) | find_copies(connection, gone)
        waiting |= {name for name, kind in given.items() if kind in going}
        waiting |= {name for name, kind in written.items() if kind in quoting}
        waiting -= gone
    misread = _find_all_versions(connection, written) | given.keys()
    misread |= find_copies(connection, misread)
    has_text = {row.id for rows in talks.values() for row in rows if row.question or row.state != TurnState.DELETED}
    own = blank.pop(person, set()) & has_text
    return DerivedRows(gone, own, set().union(*blank.values()) & has_text, misread - gone)


def find_prompted_turns(connection: Connection, entry_ids: Collection[str]) -> dict[str, str]:
    """Return ids and owners of all users' turns that were written with one of these entries in the prompt."""
    columns = (decisions.c.entry_id, decisions.c.action, turns.c.id, turns.c.owner, turns.c.state, turns.c.used)
    decided = select(*columns).join_from(decisions, turns, turns.c.id == decisions.c.turn_id)
    found = {}
    for row in read_rows_with(connection, decided, decisions.c.entry_id, entry_ids):
        seen = _IN_THE_PROMPT if row.state == TurnState.ANSWERED else _MAY_HAVE_BEEN_SEEN
        if row.action in seen or row.entry_id in (row.used or ()):
            found[row.id] = row.owner
    return found


def record_prompt_entries(connection: Connection, turn_id: str, owner: str, entry_ids: Collection[str]) -> None:
    """Record that these entries were in the prompt of a turn, if no decision says so yet."""
    if not entry_ids:
        return
    recorded = select(decisions.c.entry_id, decisions.c.rank).where(decisions.c.turn_id == turn_id)
    known = {row.entry_id: row.rank for row in connection.execute(recorded.where(decisions.c.action == SEEN))}
    first = 1 + max(known.values(), default=_SEEN_FROM)
    same: dict[str, Any] = {"turn_id": turn_id, "owner": owner, "key_text": "", "key_origin": KeyOrigin.MODEL.value}
    same |= {"scores": {}, "action": SEEN, "probability": 0.0, "reason": ""}
    new = sorted(set(entry_ids) - known.keys())
    if rows := [{**same, "rank": rank, "entry_id": entry_id} for rank, entry_id in enumerate(new, start=first)]:
        connection.execute(insert(decisions), rows)


def find_copies(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Return the ids of the shared copies of these entries, intact or damaged."""
    shared = select(entries.c.id).join(offers, offers.c.id == entries.c.idempotency_key)
    shared = shared.where(entries.c.owner == NOBODY)
    return {row.id for row in read_rows_with(connection, shared, offers.c.entry_id, entry_ids)}


def find_limited_to(connection: Connection, conversation: str, scope: Scope) -> set[str]:
    """Return the ids of a user's entries whose reach is this conversation and was never widened."""
    reach = text_in_json(connection, entries.c.body, "only_in")
    narrow = select(entries.c.id).where(belongs_to(entries, scope), reach == conversation)
    wider = (entries.c.supersedes.in_(narrow), entries.c.status != Status.RETRACTED.value, reach == "")
    widened = connection.execute(select(entries.c.supersedes).where(*wider)).scalars()
    return set(connection.execute(narrow).scalars()) - _find_all_versions(connection, widened)


def _find_all_versions(connection: Connection, entry_ids: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        found |= waiting
        waiting = _find_versions(connection, waiting) - found
    return found


def _find_versions(connection: Connection, entry_ids: Collection[str]) -> set[str]:
    """Return the ids of the next newer and older versions of entries, and of the entries that they replaced.

    Older ones must have the same owner: no user can reach another user's entry by superseding or copying it.
    """
    columns = (entries.c.id, entries.c.owner, entries.c.supersedes, entries.c.body)
    rows = read_rows_with(connection, select(*columns), entries.c.id, entry_ids)
    older = {(name, row.owner) for row in rows for name in (row.supersedes, *(row.body or {}).get("replaced", ()))}
    named = read_rows_with(connection, select(*columns[:2]), entries.c.id, {name for name, _ in older if name})
    newer = read_rows_with(connection, select(entries.c.id), entries.c.supersedes, entry_ids)
    return {row.id for row in named if (row.id, row.owner) in older} | {row.id for row in newer}


def _read_turns(connection: Connection, owner: str) -> Sequence[Row[Any]]:
    """Return what links the turns of a user, oldest first."""
    names = ("id", "conversation", "question", "state", "history", "answers_again", "corrected_by", "clarified_with")
    query = select(*(turns.c[name] for name in names)).where(turns.c.owner == owner)
    return connection.execute(query.order_by(turns.c.sequence)).all()


def _find_giving_turns(connection: Connection, talk: Sequence[Row[Any]], entry_ids: set[str]) -> set[str]:
    """Return the turns in which one of the entries was given."""
    given_in = read_rows_with(connection, select(entries.c.turn_id), entries.c.id, entry_ids)
    linked = {row.id for row in talk if not entry_ids.isdisjoint({row.corrected_by, row.clarified_with})}
    return linked | {row.turn_id for row in given_in}


def _add_repeated_and_later(talk: Sequence[Row[Any]], given_in: set[str], prompted: Mapping[str, str]) -> set[str]:
    """Return the turns of a user that repeat the question of a turn in `given_in`, those in `prompted`, and later ones.

    Later are those of the same conversation with one of them in their prompt, transitively. Old and imported turns have
    no `history`; for these, all earlier turns count as part of the prompt.
    """
    first: dict[str, str] = {}  # turn to the first one with its question
    for row in talk:
        first[row.id] = first.get(row.answers_again, row.answers_again) or row.id
    repeated = {first.get(turn_id, turn_id) for turn_id in given_in}
    found: dict[str, set[str]] = defaultdict(set)  # by conversation
    for row in talk:
        earlier = found[row.conversation]
        is_later = bool(earlier) if row.history is None else not earlier.isdisjoint(row.history)
        if is_later or row.id in prompted or first[row.id] in repeated:
            earlier.add(row.id)
    return set().union(*found.values())
