"""Find everything that is erased together with an entry, and delete rows permanently, counted by type.

The turns whose prompt held an entry are known from their decisions. All functions that delete need a connection of
`Ledger.write`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assistant.types import Action, KeyOrigin, ReplyStatus, Status, TurnState
from memory_store.ledger.database.schema import (
    NOBODY,
    SEEN,
    EventKind,
    decisions,
    entries,
    erasures,
    events,
    forms,
    offers,
    titles,
    triples,
    turns,
)
from memory_store.ledger.files import Line
from memory_store.ledger.ledger import ledger_of
from memory_store.ledger.rows import IDS, OWNER, read_rows, split_into_batches

_ENTRY_ERASED = sa.and_(events.c.kind == EventKind.ERASED.value, events.c.entry_id.in_(IDS))
_TURN_ERASED = sa.and_(events.c.kind == EventKind.TURN_ERASED.value, events.c.entry_id == "", events.c.turn_id.in_(IDS))
# Each answer asks this, and building a statement takes longer than running it.
_ERASED = sa.select(events.c.entry_id, events.c.turn_id).where(sa.or_(_ENTRY_ERASED, _TURN_ERASED))
_ENTRIES = sa.select(*(entries.c[name] for name in ("id", "kind", "status", "turn_id", "supersedes", "body")))
_ENTRIES = _ENTRIES.where(entries.c.owner == OWNER).order_by(entries.c.sequence)
_LINKS = ("history", "answers_again", "corrected_by", "clarified_with")
_TURNS = sa.select(*(turns.c[name] for name in ("id", "conversation", "question", "state", *_LINKS)))
_TURNS = _TURNS.where(turns.c.owner == OWNER).order_by(turns.c.sequence)
_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value, SEEN}
# A stopped or truncated answer may have used any of the offered notes.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}
_SEEN_FROM = 1_000_000  # entries in view have higher ranks than all candidates
_KEPT = {"id", "sequence", "owner", "conversation", "created", "answers_again"}
_OF_QUESTION = {"question", "history", "left_out", "clarified_with", "corrected_by", "chosen"}
_EMPTY = {sa.Text: "", sa.JSON: [], sa.Boolean: False}
_NO_TEXT: Mapping[str, Any] = {
    **{each.name: None if each.nullable else _EMPTY[type(each.type)] for each in turns.c if each.name not in _KEPT},
    "state": TurnState.DELETED.value,
    "reply_status": ReplyStatus.EMPTY.value,
    "history": [],
    "ms": {},
}
NO_REPLY: Mapping[str, Any] = {name: value for name, value in _NO_TEXT.items() if name not in _OF_QUESTION}
"""Values of a turn that keeps only its question."""

Counts = Counter[str]  # number of deleted rows by name, as in `assistant.reports.upkeep.Receipt`


@dataclass(frozen=True, slots=True)
class DerivedRows:
    """Ids that an erasure removes: entries, whole turns, and the text of other turns of this user and of others.

    `misread` entries, of any user, stay without the parts that a model wrote with an erased entry in its prompt.
    """

    entries: Set[str] = frozenset()
    deleted: Set[str] = frozenset()
    turns: Set[str] = frozenset()
    foreign_turns: Set[str] = frozenset()
    misread: Set[str] = frozenset()


def find_derived(
    connection: sa.Connection, entry_ids: Iterable[str], person: str, deleted: Iterable[str] = ()
) -> DerivedRows:
    """Return the ids that must be erased with these entries and turns; apply the rules until nothing new is found.

    - An entry takes along its earlier and later versions, its shared copies, and the entries that quote it.
    - An entry takes along the text of the turns that it was given in, of all turns that repeat their question, and of
      all users' turns with the entry in their prompt.
    - A turn takes along the text of later turns of its conversation with it in their prompt, and the entries that were
      confirmed in it or quote it.

    Other entries given in such a turn, or written by a model with such an entry in its prompt, stay as `misread`.
    """
    owned: dict[str, OwnedRows] = {}  # by user
    blank: dict[str, set[str]] = {}
    gone, misread, waiting = set[str](), set[str](), set(entry_ids)
    while waiting:
        gone |= waiting
        prompted = find_prompted_turns(connection, gone)
        waiting = find_copies(connection, gone)
        for owner in {person, *prompted.values()}:
            rows = owned[owner] = owned.get(owner) or OwnedRows(connection, owner)
            blank[owner] = rows.find_blanked(gone if owner == person else set(), prompted)
            waiting |= rows.find_quoting(gone, blank[owner])
            misread |= rows.find_misread(gone, blank[owner])
        waiting -= gone
    misread |= find_copies(connection, misread)
    with_text = {row.id for rows in owned.values() for row in rows.turns if row.question or row.state != "deleted"}
    own = blank.pop(person, set()) & with_text
    foreign = set().union(*blank.values()) & with_text
    return DerivedRows(gone, set(deleted), own.difference(deleted), foreign, misread - gone)


class OwnedRows:
    """All entries, of any status, intact or damaged, and all turns of a user, in order."""

    def __init__(self, connection: sa.Connection, owner: str) -> None:
        self.entries = connection.execute(_ENTRIES, {"owner": owner}).all()
        self.turns = connection.execute(_TURNS, {"owner": owner}).all()
        self._kinds = ledger_of(connection).kinds
        self._first: dict[str, str] = {}  # version of each entry
        for row in self.entries:
            self._first[row.id] = self._first.get(row.supersedes, row.id)

    def find_blanked(self, gone: set[str], prompted: Collection[str]) -> set[str]:
        """Return the turns that lose their text with the entries `gone`.

        Those are the turns that repeat a question that such an entry was given for, those in `prompted`, and later ones
        of the same conversation with one of them in their prompt, transitively. Old and imported turns have no
        `history`; for these, all earlier turns count as part of the prompt.
        """
        giving = {row.id for row in self.turns if not gone.isdisjoint({row.corrected_by, row.clarified_with})}
        giving |= {row.turn_id for row in self.entries if row.id in gone}
        first: dict[str, str] = {}  # turn to the first one with its question
        for row in self.turns:
            first[row.id] = first.get(row.answers_again, row.answers_again) or row.id
        repeated = {first.get(turn_id, turn_id) for turn_id in giving}
        found: dict[str, set[str]] = defaultdict(set)  # by conversation
        for row in self.turns:
            earlier = found[row.conversation]
            is_later = bool(earlier) if row.history is None else not earlier.isdisjoint(row.history)
            if is_later or row.id in prompted or first[row.id] in repeated:
                earlier.add(row.id)
        return set().union(*found.values())

    def find_quoting(self, gone: set[str], blanked: set[str]) -> set[str]:
        """Return the entries to erase with those `gone` or with turns: versions, replaced ones, and quotations."""
        versions = {self._first[row.id] for row in self.entries if row.id in gone}
        replaced = {name for row in self.entries if row.id in gone for name in _ids_in(row, "replaced")}
        found = set()
        for row in self.entries:
            kind = self._kinds.get(row.kind)
            quotes, confirms = kind is not None and kind.quotes, kind is not None and kind.confirms
            is_given = row.turn_id in blanked and (quotes or confirms)
            is_written = quotes and not gone.isdisjoint(_ids_in(row, "in_view"))
            if is_given or is_written or self._first[row.id] in versions or (row.id in replaced and not confirms):
                found.add(row.id)
        return found

    def find_misread(self, gone: set[str], blanked: set[str]) -> set[str]:
        """Return the entries given in these turns, and all versions of those that a model wrote with `gone` in view."""
        written = {self._first[row.id] for row in self.entries if not gone.isdisjoint(_ids_in(row, "in_view"))}
        return {row.id for row in self.entries if row.turn_id in blanked or self._first[row.id] in written}

    def find_limited_to(self, conversation: str) -> set[str]:
        """Return the ids of entries for this conversation only, by their latest version; retracted ones count last."""
        rows = sorted(self.entries, key=lambda row: row.status != Status.RETRACTED)
        latest = {self._first[row.id]: row for row in rows}
        return {row.id for row in latest.values() if (row.body or {}).get("only_in") == conversation}


def _ids_in(row: sa.Row[Any], field: str) -> Sequence[str]:
    """Return the ids in a field of an entry's body; none if the body is damaged."""
    found: Sequence[str] = (row.body or {}).get(field, ())
    return found


def find_prompted_turns(connection: sa.Connection, entry_ids: Collection[str]) -> dict[str, str]:
    """Return ids and owners of all users' turns that were written with one of these entries in the prompt."""
    columns = (decisions.c.entry_id, decisions.c.action, turns.c.id, turns.c.owner, turns.c.state, turns.c.used)
    decided = sa.select(*columns).join_from(decisions, turns, turns.c.id == decisions.c.turn_id)
    found = {}
    for row in read_rows(connection, decided.where(decisions.c.entry_id.in_(IDS)), entry_ids):
        seen = _IN_THE_PROMPT if row.state == TurnState.ANSWERED else _MAY_HAVE_BEEN_SEEN
        if row.action in seen or row.entry_id in (row.used or ()):
            found[row.id] = row.owner
    return found


def record_prompt_entries(connection: sa.Connection, turn_id: str, owner: str, entry_ids: Collection[str]) -> None:
    """Record that these entries were in the prompt of a turn, if no decision says so yet."""
    recorded = sa.select(decisions.c.entry_id, decisions.c.rank).where(decisions.c.turn_id == turn_id)
    known = {row.entry_id: row.rank for row in connection.execute(recorded.where(decisions.c.action == SEEN))}
    first = 1 + max(known.values(), default=_SEEN_FROM)
    same: dict[str, Any] = {"turn_id": turn_id, "owner": owner, "key_text": "", "key_origin": KeyOrigin.MODEL.value}
    same |= {"scores": {}, "action": SEEN, "probability": 0.0, "reason": ""}
    new = sorted(set(entry_ids) - known.keys())
    if rows := [{**same, "rank": rank, "entry_id": entry_id} for rank, entry_id in enumerate(new, start=first)]:
        connection.execute(sa.insert(decisions), rows)


def find_copies(connection: sa.Connection, entry_ids: Collection[str]) -> set[str]:
    """Return the ids of the shared copies of these entries, intact or damaged."""
    shared = sa.select(entries.c.id).join(offers, offers.c.id == entries.c.idempotency_key)
    shared = shared.where(entries.c.owner == NOBODY, offers.c.entry_id.in_(IDS))
    return {row.id for row in read_rows(connection, shared, entry_ids)}


def find_erased(connection: sa.Connection, ids: Iterable[str]) -> set[str]:
    """Return the ids of the entries and turns among these that were erased."""
    return {row.entry_id or row.turn_id for row in read_rows(connection, _ERASED, ids)}


def erase_entries(connection: sa.Connection, entry_ids: Collection[str]) -> Counts:
    """Delete entries with their digests, triples, offers, decisions and events; count them by type.

    Log their ids as erased, so that the index removes them and nothing writes them again.
    """
    kinds = sa.select(entries.c.kind).where(entries.c.id.in_(IDS))
    counts = Counter(f"{row.kind}s" for row in read_rows(connection, kinds, entry_ids))
    for table in (forms, triples, offers, decisions, events):
        execute_for(connection, sa.delete(table), table.c.entry_id, entry_ids)
    execute_for(connection, sa.delete(entries), entries.c.id, entry_ids)
    ledger_of(connection).append(connection, EventKind.ERASED, [(entry_id, None) for entry_id in sorted(entry_ids)])
    return counts


def blank_turns(connection: sa.Connection, turn_ids: Collection[str], values: Mapping[str, Any] = _NO_TEXT) -> Counts:
    """Remove all text, or with `NO_REPLY` only the reply, and the decisions from turns.

    Their ids, conversations, order and times stay; nothing writes them again.
    """
    log_erased_turns(connection, turn_ids)
    execute_for(connection, sa.delete(decisions), decisions.c.turn_id, turn_ids)
    number = execute_for(connection, sa.update(turns).values(values), turns.c.id, turn_ids)
    _delete_unused_titles(connection)
    return Counter({"blanked" if values is _NO_TEXT else "emptied": number})


def log_erased_turns(connection: sa.Connection, turn_ids: Collection[str]) -> None:
    """Log the ids of turns as erased, so that nothing writes them again."""
    new = sorted(set(turn_ids) - find_erased(connection, turn_ids))
    ledger_of(connection).append(connection, EventKind.TURN_ERASED, [("", turn_id) for turn_id in new])


def delete_turns(connection: sa.Connection, turn_ids: Collection[str]) -> Counts:
    """Delete turns and their decisions. The feedback counters of entries keep their values."""
    execute_for(connection, sa.delete(decisions), decisions.c.turn_id, turn_ids)
    number = execute_for(connection, sa.delete(turns), turns.c.id, turn_ids)
    _delete_unused_titles(connection)
    return Counter(turns=number)


def record_erasure(connection: sa.Connection, line: Line, erased: Counts) -> None:
    """Record an erasure, and that its bytes may remain in files (`memory_store.vectors.indexer` rewrites them)."""
    in_index = any(erased[kind] for kind in (*(f"{name}s" for name in ledger_of(connection).kinds), "emptied"))
    row = {"id": line["id"], "created": line["at"], "erased": dict(+erased), "in_ledger": True, "in_index": in_index}
    connection.execute(sa.insert(erasures), row)


def execute_for(
    connection: sa.Connection, statement: sa.Delete | sa.Update, column: sa.Column[str], ids: Collection[str]
) -> int:
    """Execute a statement for the rows with one of these ids; return how many there were."""
    batches = split_into_batches(ids)
    return sum(connection.execute(statement.where(column.in_(some))).rowcount for some in batches)


def _delete_unused_titles(connection: sa.Connection) -> None:
    same = (turns.c.conversation == titles.c.conversation, turns.c.owner == titles.c.owner, turns.c.question != "")
    connection.execute(sa.delete(titles).where(~sa.select(turns.c.id).where(*same).exists()))
