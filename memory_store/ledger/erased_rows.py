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
from memory_store.ledger.access import require_user
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
    triples,
    turns,
)
from memory_store.ledger.files import Line
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import kinds_of, read_rows, split_into_batches

_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
_ENTRY_ERASED = and_(events.c.kind == EventKind.ERASED.value, events.c.entry_id.in_(_IDS))
_TURN_ERASED = and_(events.c.kind == EventKind.TURN_ERASED.value, events.c.entry_id == "", events.c.turn_id.in_(_IDS))
# Each answer asks this, and building a statement takes longer than running it.
_ERASED = select(events.c.entry_id, events.c.turn_id).where(or_(_ENTRY_ERASED, _TURN_ERASED))
_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value, SEEN}
# A stopped or truncated answer may have used any of the offered notes.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}
_SEEN_FROM = 1_000_000  # ranks of entries in view are higher than those of all candidates
NO_REPLY: Mapping[str, Any] = {
    "state": TurnState.DELETED.value,
    "reply_status": ReplyStatus.EMPTY.value,
    "confirmed": False,
    **dict.fromkeys(("raw", "understanding", "answer", "error", "model"), ""),
    **dict.fromkeys(("correction", "trace", "usage")),
    "notes": [],
    "used": [],
    "ms": {},
}
"""Values of a turn that keeps only its question."""
_NO_TEXT: Mapping[str, Any] = {
    **NO_REPLY,
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
    saved: dict[str, _Saved] = {}  # by user
    talks: dict[str, Sequence[Row[Any]]] = {}
    blank: dict[str, set[str]] = {}
    misread: set[str] = set()
    gone: set[str] = set()
    waiting = set(entry_ids)
    while waiting:
        gone |= waiting
        prompted = find_prompted_turns(connection, gone)
        waiting = find_copies(connection, gone)
        for owner in {person, *prompted.values()}:
            if owner not in saved:
                saved[owner], talks[owner] = _Saved(connection, owner), _read_turns(connection, owner)
            given_in = _find_giving_turns(saved[owner], talks[owner], gone) if owner == person else set()
            blank[owner] = _find_blanked(talks[owner], given_in, prompted)
            also, changed = saved[owner].derived(gone, blank[owner])
            waiting |= also
            misread |= changed
        waiting -= gone
    misread |= find_copies(connection, misread)
    has_text = {row.id for rows in talks.values() for row in rows if row.question or row.state != TurnState.DELETED}
    own = blank.pop(person, set()) & has_text
    return DerivedRows(gone, own, set().union(*blank.values()) & has_text, misread - gone)


class _Saved:
    """All entries of a user, of any status, intact or damaged, in order."""

    def __init__(self, connection: Connection, owner: str) -> None:
        columns = (entries.c[name] for name in ("id", "kind", "status", "turn_id", "supersedes", "body"))
        query = select(*columns).where(entries.c.owner == owner).order_by(entries.c.sequence)
        kinds = kinds_of(connection).values()
        self.rows = connection.execute(query).all()
        self._quoting = {kind.name for kind in kinds if kind.quotes}
        self._going = self._quoting | {kind.name for kind in kinds if kind.confirms}
        self.first: dict[str, str] = {}  # version of each entry
        for row in self.rows:
            self.first[row.id] = self.first.get(row.supersedes, row.id)

    def derived(self, gone: set[str], blanked: set[str]) -> tuple[set[str], set[str]]:
        """Return the entries that go with others or with turns, and those that lose what a model wrote."""
        lines = {self.first[row.id] for row in self.rows if row.id in gone}
        also, misread, written = set[str](), set[str](), set[str]()
        for row in self.rows:
            body = row.body or {}  # None if damaged
            is_given, is_written = row.turn_id in blanked, not gone.isdisjoint(body.get("in_view", ()))
            if (is_given and row.kind in self._going) or (is_written and row.kind in self._quoting):
                also.add(row.id)
            if self.first[row.id] in lines:
                also.add(row.id)
            if row.id in gone:
                also.update(name for name in body.get("replaced", ()) if name in self.first)
            if is_given:
                misread.add(row.id)
            if is_written:
                written.add(self.first[row.id])
        return also, misread | {name for name, first in self.first.items() if first in written}


def find_limited_to(connection: Connection, conversation: str, scope: Scope) -> set[str]:
    """Return the ids of a user's entries whose reach is this conversation and was never widened."""
    saved = _Saved(connection, require_user(scope))
    reach = {row.id: (row.body or {}).get("only_in", "") for row in saved.rows}
    widened = {
        saved.first[row.id]
        for row in saved.rows
        if row.status != Status.RETRACTED and not reach[row.id] and reach.get(row.supersedes) == conversation
    }
    return {name for name, only_in in reach.items() if only_in == conversation and saved.first[name] not in widened}


def find_prompted_turns(connection: Connection, entry_ids: Collection[str]) -> dict[str, str]:
    """Return ids and owners of all users' turns that were written with one of these entries in the prompt."""
    columns = (decisions.c.entry_id, decisions.c.action, turns.c.id, turns.c.owner, turns.c.state, turns.c.used)
    decided = select(*columns).join_from(decisions, turns, turns.c.id == decisions.c.turn_id)
    found = {}
    for row in read_rows(connection, decided, decisions.c.entry_id, entry_ids):
        seen = _IN_THE_PROMPT if row.state == TurnState.ANSWERED else _MAY_HAVE_BEEN_SEEN
        if row.action in seen or row.entry_id in (row.used or ()):
            found[row.id] = row.owner
    return found


def record_prompt_entries(connection: Connection, turn_id: str, owner: str, entry_ids: Collection[str]) -> None:
    """Record that these entries were in the prompt of a turn, if no decision says so yet."""
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
    return {row.id for row in read_rows(connection, shared, offers.c.entry_id, entry_ids)}


def _read_turns(connection: Connection, owner: str) -> Sequence[Row[Any]]:
    names = ("id", "conversation", "question", "state", "history", "answers_again", "corrected_by", "clarified_with")
    query = select(*(turns.c[name] for name in names)).where(turns.c.owner == owner)
    return connection.execute(query.order_by(turns.c.sequence)).all()


def _find_giving_turns(saved: _Saved, talk: Sequence[Row[Any]], gone: set[str]) -> set[str]:
    linked = {row.id for row in talk if not gone.isdisjoint({row.corrected_by, row.clarified_with})}
    return linked | {row.turn_id for row in saved.rows if row.id in gone}


def _find_blanked(talk: Sequence[Row[Any]], given_in: set[str], prompted: Collection[str]) -> set[str]:
    """Return the turns of a user that lose their text with entries.

    Those are the turns that repeat the question of one in `given_in`, those in `prompted`, and later ones of the same
    conversation with one of them in their prompt, transitively. Old and imported turns have no `history`; for these,
    all earlier turns count as part of the prompt.
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
    named = read_rows(connection, select(entries.c.kind), entries.c.id, entry_ids)
    counts = Counter(f"{row.kind}s" for row in named)
    for table, name in {keys: "wordings", decisions: "mentions", events: "events"}.items():
        counts[name] += _execute(connection, delete(table), table.c.entry_id, entry_ids)
    for column in (searchable.c.entry_id, forms.c.entry_id, triples.c.entry_id, offers.c.entry_id, entries.c.id):
        _execute(connection, delete(column.table), column, entry_ids)
    ledger.append_all(connection, EventKind.ERASED, [(entry_id, None) for entry_id in sorted(entry_ids)])
    return counts


def blank_turns(connection: Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Remove all text and decisions from turns; their ids, conversations, order and times stay."""
    counts = Counter(mentions=_execute(connection, delete(decisions), decisions.c.turn_id, turn_ids))
    counts["blanked"] = empty_turns(connection, ledger, turn_ids, _NO_TEXT)
    return counts + _delete_unused_titles(connection)


def empty_turns(connection: Connection, ledger: Ledger, turn_ids: Collection[str], values: Mapping[str, Any]) -> int:
    """Change turns to have these values, and log their ids, so that nothing writes them again."""
    log_erased_turns(connection, ledger, turn_ids)
    return _execute(connection, update(turns).values(values), turns.c.id, turn_ids)


def log_erased_turns(connection: Connection, ledger: Ledger, turn_ids: Collection[str]) -> None:
    """Log the ids of turns as erased, so that nothing writes them again."""
    new = sorted(set(turn_ids) - find_erased(connection, turn_ids))
    ledger.append_all(connection, EventKind.TURN_ERASED, [("", turn_id) for turn_id in new])


def delete_turns(connection: Connection, turn_ids: Collection[str]) -> Counts:
    """Delete turns and their decisions. The feedback counters of entries keep their values."""
    counts = Counter(mentions=_execute(connection, delete(decisions), decisions.c.turn_id, turn_ids))
    counts["turns"] = _execute(connection, delete(turns), turns.c.id, turn_ids)
    return counts + _delete_unused_titles(connection)


def record_erasure(connection: Connection, line: Line, erased: Counts) -> None:
    """Record an erasure, and that its bytes may remain in files (`memory_store.vectors.indexer` rewrites them)."""
    in_index = any(erased[kind] for kind in (*(f"{name}s" for name in kinds_of(connection)), "wordings", "emptied"))
    row = {"id": line["id"], "created": line["at"], "erased": dict(erased)}
    connection.execute(insert(erasures), row | {"in_ledger": bool(erased), "in_index": in_index})


def _delete_unused_titles(connection: Connection) -> Counts:
    same = (turns.c.conversation == titles.c.conversation, turns.c.owner == titles.c.owner, turns.c.question != "")
    unused = ~select(turns.c.id).where(*same).exists()
    return Counter(titles=connection.execute(delete(titles).where(unused)).rowcount)


def _execute(connection: Connection, statement: Delete | Update, column: Column[str], ids: Collection[str]) -> int:
    """Execute a statement for the rows with one of these ids; return how many there were."""
    batches = split_into_batches(ids)
    return sum(connection.execute(statement.where(column.in_(some))).rowcount for some in batches)
