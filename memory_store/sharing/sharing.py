"""Offer entries to everyone, withdraw, accept and decline offers: the port `Sharing` over the ledger.

An offer is a row of the ledger. An accepted one has a copy, an entry of nobody, found by the offer's id. When the offer
ends, the copy is erased, not deactivated, so that no other user keeps any of it.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from assistant.errors import InputError, NotAllowed, NotCurator, NotFound, NotShared, TooLong
from assistant.kinds import texts_in
from assistant.reasoning.reasoner import speaks_of_writer
from assistant.sharing import LONGEST_REASON, Curator, Offer, Offered, OfferState, SharingRules, body_of_copy
from assistant.text.cleaning import clean_text
from assistant.types import Entry, Key, NewEntry, Scope
from memory_store.language import languages
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import NOBODY, SHARED, KeyState, entries, offers
from memory_store.ledger.entries import ACTIVE, read_entries_by_id, read_entry, save_entry
from memory_store.ledger.erased_rows import (
    Counts,
    erase_entries,
    find_prompted_turns,
    record_erasure,
    record_prompt_entries,
)
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import IDS, Row, read_named, read_rows, read_rows_with
from memory_store.ledger.tombstones import Line

_STANDING = (OfferState.OFFERED.value, OfferState.ACCEPTED.value)
_IN_STATE = select(offers).where(offers.c.state == bindparam("state")).order_by(offers.c.sequence)
_MEANWHILE = "offer.meanwhile"


class LedgerSharing:
    """Implements `Sharing` under `rules`. Calls `changed` when a copy was added or erased."""

    def __init__(self, ledger: Ledger, rules: SharingRules, changed: Callable[[], None]) -> None:
        self._ledger = ledger
        self._rules = rules
        self._changed = changed

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        try:
            if entry is not None:
                self._check(entry, entry.shown)
        except InputError:
            return False
        return bool(require_user(scope)) and self._rules.may_offer(scope)

    def offer(self, entry_id: str, scope: Scope) -> Offer:
        if not self.may_offer(scope):
            raise NotAllowed("offer.sign_in")
        with self._ledger.write() as connection:
            entry = read_entry(connection, belongs_to(entries, scope), entries.c.id == entry_id, ACTIVE)
            self._check(entry, entry.shown)
            known = _select_offers(connection, belongs_to(offers, scope), offers.c.entry_id == entry.id)
            new = {"id": str(uuid.uuid4()), "entry_id": entry.id, "owner": entry.owner}
            row: dict[Any, Any] = {**known[0]} if known else new
            if row.get("state") == OfferState.DECLINED:
                raise InputError("offer.was_declined")
            if row.get("state") in _STANDING:
                return _build_offer(row)
            row |= {"sequence": self._ledger.next_sequence(connection), "offered": self._ledger.now()}
            row |= {"state": OfferState.OFFERED.value, "decided_by": None, "decided": None, "reason": ""}
            change = update(offers).where(offers.c.id == row["id"]) if known else insert(offers)
            connection.execute(change.values(row))
        return _build_offer(row)

    def withdraw(self, entry_id: str, scope: Scope) -> Offer:
        with self._ledger.write() as connection:
            row = _read_offer(connection, belongs_to(offers, scope), offers.c.entry_id == entry_id)
            if row["state"] in _STANDING:
                row = _end_offer(connection, self._ledger, row, OfferState.WITHDRAWN, require_user(scope))
        self._changed()
        return _build_offer(row)

    def offers_of(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Offer]:
        query = select(offers).where(belongs_to(offers, scope), offers.c.entry_id.in_(IDS))
        with self._ledger.read() as connection:
            return {row["entry_id"]: _build_offer(row) for row in read_named(connection, query, entry_ids)}

    def curator(self, scope: Scope) -> Curator:
        require_user(scope)
        return Curator(scope, self._rules.curators)

    def offers(self, curator: Curator, limit: int = 100) -> Sequence[Offered]:
        _require_curator(curator)
        with self._ledger.read() as connection:
            waiting = read_rows(connection, _IN_STATE.limit(limit), {"state": OfferState.OFFERED.value})
            newest = _IN_STATE.order_by(None).order_by(offers.c.sequence.desc()).limit(limit - len(waiting))
            shared = read_rows(connection, newest, {"state": OfferState.ACCEPTED.value})
            found = {each.id: each for each in read_entries_by_id(connection, [row["entry_id"] for row in waiting])}
            copies = _read_copies(connection, [row["id"] for row in shared])
        offered = [self._offered(row, found[row["entry_id"]]) for row in waiting if row["entry_id"] in found]
        return offered + [self._offered(row, copies[row["id"]]) for row in shared if row["id"] in copies]

    def accept(self, offer_id: str, curator: Curator, text: str | None = None, seen: str = "") -> Offer:
        person = _require_curator(curator)
        with self._ledger.write() as connection:
            row = _read_offer(connection, offers.c.id == offer_id)
            copy = _read_copies(connection, [offer_id]).get(offer_id)
            if copy is not None and text in {None, copy.text}:
                return _build_offer(row)
            if row["state"] != OfferState.OFFERED:
                raise NotFound(_MEANWHILE)
            entry = read_entry(connection, entries.c.id == row["entry_id"])
            if seen not in {"", self._offered(row, entry).seal}:
                raise NotFound(_MEANWHILE)
            words = entry.text if text is None else text
            self._check(entry, words)
            said = self._copy(row, entry, words)
            # The copy gets model-written keys if the original does.
            of_original = select(entries.c.key_state).where(entries.c.id == entry.id)
            is_written = connection.execute(of_original).scalar_one() in {KeyState.WANTED, KeyState.WRITTEN}
            key_state = KeyState.WANTED.value if is_written else None
            keys = [Key(said.question), *said.further_keys]
            save_entry(connection, self._ledger, said, NOBODY, keys, scope=SHARED, key_state=key_state)
            row = _record_decision(connection, self._ledger, row, OfferState.ACCEPTED, person)
        self._changed()
        return _build_offer(row)

    def decline(self, offer_id: str, reason: str, curator: Curator) -> Offer:
        person = _require_curator(curator)
        if len(reason) > LONGEST_REASON:
            raise TooLong(len(reason), LONGEST_REASON)
        with self._ledger.write() as connection:
            row = _read_offer(connection, offers.c.id == offer_id)
            if row["state"] == OfferState.WITHDRAWN:
                raise NotFound(_MEANWHILE)
            if row["state"] in _STANDING:
                row = _end_offer(connection, self._ledger, row, OfferState.DECLINED, person, clean_text(reason).strip())
        self._changed()
        return _build_offer(row)

    def _check(self, entry: Entry, words: str) -> None:
        """Raise InputError if an entry with this text must not be shared."""
        if not entry.kind.shareable or entry.only_in:
            raise InputError("offer.not_a_clarification")
        body = body_of_copy(entry, words).changed({"wrong_understanding": ""})  # checked by `_copy`
        if entry.kind.asserts and speaks_of_writer(words, languages.sentence_parser()):
            raise NotShared("holds.writer")
        for text in (entry.question, *texts_in(body.stored())):
            self._rules.check(text)

    def _offered(self, row: Row, entry: Entry) -> Offered:
        """Return an offer with its shared copy, or with the copy that accepting would share."""
        if entry.shared:
            further = tuple(key.text for key in entry.keys if key.text != entry.question)
            return Offered(_build_offer(row), row["owner"], entry, further)
        return Offered(_build_offer(row), row["owner"], self._copy(row, entry, entry.text))

    def _copy(self, row: Row, entry: Entry, words: str) -> NewEntry:
        """Return the copy of an entry with this text: without turn, model and further keys."""
        misunderstood = entry.wrong_understanding
        try:
            self._rules.check(misunderstood)
        except InputError:  # drop it, since the user cannot edit it
            misunderstood = ""
        said = body_of_copy(entry, words).changed({"wrong_understanding": misunderstood})
        is_own = entry.kind.asserts and entry.question == entry.shown  # a fact told without a question
        question = words if is_own else entry.question
        return NewEntry(entry.kind, question, languages.drop_unnamed(said), row["id"])


def end_offers(connection: Connection, ledger: Ledger, entry_ids: Sequence[str]) -> None:
    """Withdraw the offers of entries that are no longer active."""
    for row in _select_offers(connection, offers.c.entry_id.in_(entry_ids), offers.c.state.in_(_STANDING)):
        _end_offer(connection, ledger, row, OfferState.WITHDRAWN, row["owner"])


def end_restored_offers(connection: Connection, ledger: Ledger, line: Line) -> Counts:
    """End the offers of a tombstone in a restored ledger. The ledger no longer knows who ended them."""
    erased: Counts = Counter()
    for row in _select_offers(connection, offers.c.id.in_(line["offers"]), offers.c.state.in_(_STANDING)):
        erased += _erase_copies(connection, ledger, row)
        _record_decision(connection, ledger, row, OfferState(line["state"]), None)
    return erased


def erase_shared(connection: Connection, ledger: Ledger, entry_ids: Sequence[str]) -> None:
    """Erase shared entries without an offer."""
    if entry_ids:
        line = {"id": str(uuid.uuid4()), "at": ledger.now()}
        record_erasure(connection, line, erase_entries(connection, ledger, entry_ids))


def forget_curator(connection: Connection, person: str) -> Counts:
    """Remove a curator's id and reasons from their decisions on offers."""
    changes = update(offers).where(offers.c.decided_by == person).values(decided_by=None, reason="")
    return Counter(emptied=connection.execute(changes).rowcount)


def _require_curator(curator: Curator) -> str:
    """Return the curator's user id. Raises NotCurator for anything else than a Curator."""
    if isinstance(curator, Curator):
        return require_user(curator.scope)
    raise NotCurator


def _build_offer(row: Row) -> Offer:
    return Offer(
        **{name: row[name] for name in ("id", "entry_id", "reason")},
        state=OfferState(row["state"]),
        offered=datetime.fromisoformat(row["offered"]),
        decided=datetime.fromisoformat(row["decided"]) if row["decided"] else None,
    )


def _select_offers(connection: Connection, *conditions: ColumnElement[bool]) -> list[Row]:
    return read_rows(connection, select(offers).where(*conditions))


def _read_offer(connection: Connection, *conditions: ColumnElement[bool]) -> Row:
    if rows := _select_offers(connection, *conditions):
        return rows[0]
    raise NotFound


def _record_decision(
    connection: Connection, ledger: Ledger, row: Row, state: OfferState, by: str | None, reason: str = ""
) -> Row:
    """Record a decision on an offer and its `reason`, which is for the owner of the entry."""
    decided = {"state": state.value, "decided_by": by, "decided": ledger.now(), "reason": reason}
    connection.execute(update(offers).where(offers.c.id == row["id"]).values(decided))
    return {**row, **decided}


def _end_offer(connection: Connection, ledger: Ledger, row: Row, state: OfferState, by: str, reason: str = "") -> Row:
    """End an offer and erase its copy, with a tombstone, so that no restored backup shares it again."""
    line = ledger.note_erasure(connection, {"offers": [row["id"]], "state": state.value})
    record_erasure(connection, line, _erase_copies(connection, ledger, row))
    return _record_decision(connection, ledger, row, state, by, reason)


def _read_copies(connection: Connection, offer_ids: Sequence[str]) -> Mapping[str, Entry]:
    """Return the shared copies by the ids of their offers."""
    copies = select(entries.c.id, entries.c.idempotency_key).where(entries.c.owner == NOBODY)
    named = read_rows_with(connection, copies, entries.c.idempotency_key, offer_ids)
    offer_of = {row.id: row.idempotency_key for row in named}
    return {offer_of[copy.id]: copy for copy in read_entries_by_id(connection, offer_of)}


def _erase_copies(connection: Connection, ledger: Ledger, row: Row) -> Counts:
    named = (entries.c.owner == NOBODY, entries.c.idempotency_key == row["id"])
    ids = list(connection.execute(select(entries.c.id).where(*named)).scalars())  # damaged ones, too
    # If the original is erased later, so is the text of turns written with its copy in the prompt.
    for turn_id, owner in find_prompted_turns(connection, ids).items():
        record_prompt_entries(connection, turn_id, owner, [row["entry_id"]])
    return erase_entries(connection, ledger, ids)
