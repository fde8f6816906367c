"""Offers as rows of the ledger, with a checksum, and the copies that count for everyone while their offer is accepted.

A copy is an entry of nobody's, found by the id of its offer. It is erased, not switched off, as soon as the offer ends,
so that nothing of it stays with anybody else.
"""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, UnaryExpression, insert, select, update

from assistant.sharing import Offer, OfferState
from assistant.types import Draft, Entry, Key, KeyOrigin, Kind
from memory_store.checksum import is_whole, sealed
from memory_store.entries import insert_entry, new_row, read_entries
from memory_store.erased_rows import Counts, delete_entries, record_erasure
from memory_store.ledger import Ledger
from memory_store.reactions import batches
from memory_store.schema import NOBODY, SHARED, EventKind, KeyState, entries, offers
from memory_store.surface import SLOT
from memory_store.tombstones import Line
from memory_store.uses import keep_uses

_log = logging.getLogger(__name__)

STANDING = (OfferState.OFFERED.value, OfferState.ACCEPTED.value)
"""States of offers that have not ended."""

Row = dict[str, Any]  # column name to value


def read_offers(
    connection: Connection,
    *conditions: ColumnElement[bool],
    order: UnaryExpression[Any] | None = None,
    limit: int | None = None,
) -> list[Row]:
    """The offers that meet all conditions. Damaged ones are left out; the log names their ids."""
    query = select(offers).where(*conditions).order_by(order).limit(limit)
    rows = [dict(row) for row in connection.execute(query).mappings()]
    for row in rows:
        if not is_whole(row):
            _log.error("The offer %s is damaged: its checksum is wrong. It is not shown.", row["id"])
    return [row for row in rows if is_whole(row)]


def add_offer(connection: Connection, ledger: Ledger, entry: Entry) -> Row:
    """Write a new offer of a person's entry; `connection` comes from `Ledger.write`."""
    row = {"id": str(uuid.uuid4()), "entry_id": entry.id, "owner": entry.owner, **_open(connection, ledger)}
    connection.execute(insert(offers), sealed(row))
    return row


def open_again(connection: Connection, ledger: Ledger, row: Row) -> Row:
    """Let an offer that was withdrawn wait again, as if it were new."""
    return _changed(connection, row, _open(connection, ledger))


def accept_offer(connection: Connection, ledger: Ledger, row: Row, by: str) -> Row:
    """Record that a copy counts for everyone now, and who decided that."""
    return _decided(connection, ledger, row, OfferState.ACCEPTED, by)


def add_copy(connection: Connection, ledger: Ledger, row: Row, entry: Entry, text: str, misunderstood: str) -> Entry:
    """Write the copy that counts for everyone.

    It holds what is needed to find and use it: no turn, no person, no key that says more than the question does. Where
    a model writes keys for the original, it is asked to write some for the copy.
    """
    draft = Draft(entry.kind, entry.question, text, row["id"], wrong_understanding=misunderstood, model=entry.model)
    copy_id = str(uuid.uuid4())
    sequence = ledger.append(connection, EventKind.SAVED, copy_id, NOBODY)
    written = connection.execute(select(entries.c.key_state).where(entries.c.id == entry.id)).scalar_one()
    by_model = written in {KeyState.WANTED.value, KeyState.WRITTEN.value}
    copy = new_row(draft, copy_id, NOBODY, sequence, ledger.now()) | {
        "scope": SHARED,
        "key_state": KeyState.WANTED.value if by_model else None,
    }
    return insert_entry(connection, copy, [Key(entry.question), *_rule_keys(entry)])


def copies(connection: Connection, offer_ids: Sequence[str]) -> Mapping[str, Entry]:
    """The copies that count for everyone, by the ids of their offers."""
    query = select(entries.c.id, entries.c.idempotency_key).where(*_copies_of(offer_ids))
    offer_of = {row.id: row.idempotency_key for row in connection.execute(query)}
    return {offer_of[copy.id]: copy for copy in read_entries(connection, entries.c.id.in_(list(offer_of)))}


def end_offer(connection: Connection, ledger: Ledger, row: Row, state: OfferState, by: str, reason: str = "") -> Row:
    """Let an offer end, and erase its copy, whole or damaged; nothing about that stays.

    It is written down like every erasure, so that a backup which is put back does not share it again.

    Args:
        connection: of `Ledger.write`.
        ledger: where the offer is.
        row: the offer.
        state: withdrawn or declined.
        by: who ends it; the owner of the entry where it is withdrawn.
        reason: why, for that owner.
    """
    line = ledger.note_erasure(connection, {"offers": [row["id"]], "state": state.value})
    record_erasure(connection, line, _erase_copies(connection, ledger, row))
    return _decided(connection, ledger, row, state, by, reason)


def end_again(connection: Connection, ledger: Ledger, line: Line) -> Counts:
    """Let offers end that a line of `erasures.jsonl` names, where an older ledger is back. Who ended them is lost."""
    erased: Counts = Counter()
    standing = (offers.c.id.in_(line["offers"]), offers.c.state.in_(STANDING))
    for row in connection.execute(select(offers).where(*standing)).mappings().all():
        erased += _erase_copies(connection, ledger, dict(row))
        _decided(connection, ledger, dict(row), OfferState(line["state"]), None)
    return erased


def erase_shared(connection: Connection, ledger: Ledger, entry_ids: Iterable[str]) -> None:
    """Erase entries of nobody's that no offer is behind; nothing about them stays."""
    ids = list(entry_ids)
    if ids:
        record_erasure(connection, {"id": str(uuid.uuid4()), "at": ledger.now()}, _erased(connection, ledger, ids))


def end_offers(connection: Connection, ledger: Ledger, entry_ids: Sequence[str]) -> None:
    """These entries count no more, so what was offered or shared of them is withdrawn."""
    named = (offers.c.entry_id.in_(entry_ids), offers.c.state.in_(STANDING))
    for row in connection.execute(select(offers).where(*named)).mappings().all():
        end_offer(connection, ledger, dict(row), OfferState.WITHDRAWN, row["owner"])


def copies_made_of(connection: Connection, entry_ids: Iterable[str]) -> set[str]:
    """Ids of the copies that everyone has of these entries, whole or damaged."""
    found: set[str] = set()
    for some in batches(sorted(entry_ids)):
        offered = select(offers.c.id).where(offers.c.entry_id.in_(some))
        shared = (entries.c.owner == NOBODY, entries.c.idempotency_key.in_(offered))
        found |= set(connection.execute(select(entries.c.id).where(*shared)).scalars())
    return found


def forget_curator(connection: Connection, person: str) -> Counts:
    """Take the name of a person, and what they wrote, out of what they decided about other people's offers."""
    decided = connection.execute(select(offers).where(offers.c.decided_by == person)).mappings().all()
    for row in decided:
        _changed(connection, dict(row), {"decided_by": None, "reason": ""})
    return Counter(emptied=len(decided))


def offer_of(row: Mapping[str, Any]) -> Offer:
    """An offer as the person who made it sees it."""
    return Offer(
        id=row["id"],
        entry_id=row["entry_id"],
        state=OfferState(row["state"]),
        offered=datetime.fromisoformat(row["offered"]),
        decided=datetime.fromisoformat(row["decided"]) if row["decided"] else None,
        reason=row["reason"],
    )


def may_be_offered(entry: Entry) -> bool:
    """A confirmed answer is shown to a model as its own words, so no other person's memory takes one in.

    Nor is anything offered that counts in one conversation of its author's only.
    """
    return entry.kind is Kind.CLARIFICATION and not entry.only_in


def _open(connection: Connection, ledger: Ledger) -> Row:
    return {
        "sequence": ledger.next_sequence(connection),
        "state": OfferState.OFFERED.value,
        "offered": ledger.now(),
        "decided_by": None,
        "decided": None,
        "reason": "",
    }


def _decided(
    connection: Connection, ledger: Ledger, row: Row, state: OfferState, by: str | None, reason: str = ""
) -> Row:
    decided = {"state": state.value, "decided_by": by, "decided": ledger.now(), "reason": reason}
    return _changed(connection, row, decided)


def _erase_copies(connection: Connection, ledger: Ledger, row: Row) -> Counts:
    ids = list(connection.execute(select(entries.c.id).where(*_copies_of([row["id"]]))).scalars())
    keep_uses(connection, row["entry_id"], ids)
    return _erased(connection, ledger, ids)


def _erased(connection: Connection, ledger: Ledger, entry_ids: Sequence[str]) -> Counts:
    erased = delete_entries(connection, entry_ids)
    ledger.append_all(connection, EventKind.ERASED, [{"entry_id": gone, "turn_id": None} for gone in entry_ids])
    return erased


def _changed(connection: Connection, row: Row, changes: Row) -> Row:
    row = sealed(row | changes)
    connection.execute(update(offers).where(offers.c.id == row["id"]).values(row))
    return row


def _copies_of(offer_ids: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    return entries.c.owner == NOBODY, entries.c.idempotency_key.in_(offer_ids)


def _rule_keys(entry: Entry) -> list[Key]:
    """Keys by rule that say no more than the question: whoever reads the copy learns nothing else from them."""
    return [
        key
        for key in entry.keys
        if key.origin is KeyOrigin.RULE
        and key.text != entry.question
        and all(piece in entry.question for piece in key.text.replace(SLOT, " ").split())
    ]
