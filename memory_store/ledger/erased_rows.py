"""Find everything that is erased together with an entry, and delete rows permanently, counted by type.

The turns whose prompt held an entry are known from their decisions. All functions that delete need a connection of
`Ledger.write`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    Column,
    Connection,
    Delete,
    Row,
    Update,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from assistant.types import Action, KeyOrigin, ReplyStatus, Scope, Status, TurnState
from memory_store.ledger.access import belongs_to
from memory_store.ledger.database.schema import (
    NOBODY,
    SEEN,
    EventKind,
    decisions,
    entries,
    erasures,
    events,
    forms,
    keys,
    offers,
    searchable,
    titles,
    turns,
)
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import kinds_of, read_rows_with, split_into_batches, text_in_json
from memory_store.ledger.tombstones import Line
from memory_store.ledger.triples import remove_triples

_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
_ENTRY_ERASED = and_(events.c.kind == EventKind.ERASED.value, events.c.entry_id.in_(_IDS))
_TURN_ERASED = and_(events.c.kind == EventKind.TURN_ERASED.value, events.c.entry_id == "", events.c.turn_id.in_(_IDS))
# Each answer asks this, and building a statement takes longer than running it.
_ERASED = select(events.c.entry_id, events.c.turn_id).where(or_(_ENTRY_ERASED, _TURN_ERASED))
_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value, SEEN}
# A stopped or truncated answer may have used any of the offered notes.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}
_SEEN_FROM = 1_000_000  # ranks of entries in view are higher than those of all candidates
_NO_REPLY: dict[str, Any] = {
    "state": TurnState.DELETED.value,
    "reply_status": ReplyStatus.EMPTY.value,
    "confirmed": False,
    **dict.fromkeys(("raw", "understanding", "answer", "error", "model"), ""),
    **dict.fromkeys(("correction", "trace", "usage")),
    "notes": [],
    "used": [],
    "ms": {},
}
_NO_TEXT = {
    **_NO_REPLY,
    "question": "",
    "history": [],
    "left_out": [],
    **dict.fromkeys(("clarified_with", "corrected_by", "chosen")),
}

Counts = Counter[str]  # number of deleted rows by name, as in `assistant.reports.upkeep.Receipt`


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


def find_erased(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Return those of these ids of entries or turns that were erased."""
    batches = split_into_batches(sorted(set(ids)))
    return {row.entry_id or row.turn_id for some in batches for row in connection.execute(_ERASED, {"ids": some})}


def erase_entries(connection: Connection, ledger: Ledger, entry_ids: Collection[str]) -> Counts:
    """Delete entries with their keys, digests, triples, offers, decisions and events.

    Log their ids as erased, so that the index removes them and nothing writes them again.
    """
    named = read_rows_with(connection, select(entries.c.kind), entries.c.id, entry_ids)
    counts = Counter(f"{row.kind}s" for row in named)
    remove_triples(connection, ledger, entry_ids)
    for table, name in {keys: "wordings", decisions: "mentions", events: "events"}.items():
        counts[name] += _delete_rows(connection, table.c.entry_id, entry_ids)
    for column in (searchable.c.entry_id, forms.c.entry_id, offers.c.entry_id, entries.c.id):
        _delete_rows(connection, column, entry_ids)
    ledger.append_all(connection, EventKind.ERASED, [(entry_id, None) for entry_id in sorted(entry_ids)])
    return counts


def blank_turns(connection: Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Remove all text and decisions from turns, and log their ids, so that nothing writes them again.

    Their ids, conversations, order and times stay.
    """
    counts = Counter(mentions=_delete_rows(connection, decisions.c.turn_id, turn_ids))
    counts["blanked"] = _empty_turns(connection, ledger, turn_ids, _NO_TEXT)
    return counts + _delete_unused_titles(connection)


def blank_replies(connection: Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Remove all text but the questions from turns, and log their ids, so that nothing writes them again.

    Their decisions stay, so that a later erasure of an entry still finds them.
    """
    return Counter(emptied=_empty_turns(connection, ledger, turn_ids, _NO_REPLY))


def erase_turns(connection: Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Delete turns and log their ids, so that nothing writes them again."""
    _log_turns(connection, ledger, turn_ids)
    return delete_turns(connection, turn_ids)


def delete_turns(connection: Connection, turn_ids: Collection[str]) -> Counts:
    """Delete turns and their decisions. The feedback counters of entries keep their values."""
    counts = Counter(mentions=_delete_rows(connection, decisions.c.turn_id, turn_ids))
    counts["turns"] = _delete_rows(connection, turns.c.id, turn_ids)
    return counts + _delete_unused_titles(connection)


def record_erasure(connection: Connection, line: Line, erased: Counts) -> None:
    """Record an erasure, and that its bytes may remain in files (`memory_store.vectors.indexer` rewrites them)."""
    in_index = any(erased[kind] for kind in (*(f"{name}s" for name in kinds_of(connection)), "wordings", "emptied"))
    row = {"id": line["id"], "created": line["at"], "erased": dict(erased)}
    connection.execute(insert(erasures), row | {"in_ledger": bool(erased), "in_index": in_index})


def _empty_turns(connection: Connection, ledger: Ledger, turn_ids: Collection[str], values: Mapping[str, Any]) -> int:
    _log_turns(connection, ledger, turn_ids)
    return _execute(connection, update(turns).values(values), turns.c.id, turn_ids)


def _log_turns(connection: Connection, ledger: Ledger, turn_ids: Collection[str]) -> None:
    new = sorted(set(turn_ids) - find_erased(connection, turn_ids))
    ledger.append_all(connection, EventKind.TURN_ERASED, [("", turn_id) for turn_id in new])


def _delete_unused_titles(connection: Connection) -> Counts:
    """Delete the titles of conversations that have no question left."""
    same = (turns.c.conversation == titles.c.conversation, turns.c.owner == titles.c.owner, turns.c.question != "")
    unused = ~select(turns.c.id).where(*same).exists()
    return Counter(titles=connection.execute(delete(titles).where(unused)).rowcount)


def _delete_rows(connection: Connection, column: Column[str], ids: Collection[str]) -> int:
    return _execute(connection, delete(column.table), column, ids)


def _execute(connection: Connection, statement: Delete | Update, column: Column[str], ids: Collection[str]) -> int:
    """Execute a statement for the rows with one of these ids; return how many there were."""
    batches = split_into_batches(ids)
    return sum(connection.execute(statement.where(column.in_(some))).rowcount for some in batches)
