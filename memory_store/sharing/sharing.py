"""Offer, withdraw, and what a curator decides: the port `Sharing` over the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection

from assistant.errors import InputError, NotAllowed, NotCurator, NotFound, TooLong
from assistant.kinds import texts_in
from assistant.sharing import LONGEST_REASON, Curator, Offer, Offered, OfferState, SharingRules
from assistant.text.cleaning import storable
from assistant.types import Entry, Scope
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import entries, offers
from memory_store.ledger.entries import ACTIVE, read_entries_by_id, read_entry
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import batches
from memory_store.sharing.offers import (
    STANDING,
    Row,
    add_copy,
    copies,
    decide,
    end_offer,
    may_be_offered,
    offer_of,
    open_offer,
    read_offers,
)

_OFFERED = offers.c.state == OfferState.OFFERED.value
_ACCEPTED = offers.c.state == OfferState.ACCEPTED.value
_MEANWHILE = "offer.meanwhile"


class LedgerSharing:
    """The port `Sharing`, under `rules`. Calls `changed` when there is a copy more or less."""

    def __init__(self, ledger: Ledger, rules: SharingRules, changed: Callable[[], None]) -> None:
        self._ledger = ledger
        self._rules = rules
        self._changed = changed

    def may_offer(self, scope: Scope) -> bool:
        return bool(person_of(scope)) and self._rules.may_offer(scope)

    def offer(self, entry_id: str, scope: Scope) -> Offer:
        if not self.may_offer(scope):
            raise NotAllowed("offer.sign_in")
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id, ACTIVE)
            if not may_be_offered(entry):
                raise InputError("offer.not_a_clarification")
            self._check(entry, entry.shown)
            rows = read_offers(connection, own(offers, scope), offers.c.entry_id == entry.id)
            known = rows[0] if rows else None
            if known and known["state"] == OfferState.DECLINED:
                raise InputError("offer.was_declined")
            if known and _stands(known):
                return offer_of(known)
            return offer_of(open_offer(connection, self._ledger, entry, known))

    def withdraw(self, entry_id: str, scope: Scope) -> Offer:
        with self._ledger.write() as connection:
            row = _one(connection, own(offers, scope), offers.c.entry_id == entry_id)
            if not _stands(row):
                return offer_of(row)
            row = end_offer(connection, self._ledger, row, OfferState.WITHDRAWN, person_of(scope))
        self._changed()
        return offer_of(row)

    def offers_of(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Offer]:
        with self._ledger.read() as connection:
            parts = batches(sorted(set(entry_ids)))
            found = [read_offers(connection, own(offers, scope), offers.c.entry_id.in_(some)) for some in parts]
        return {row["entry_id"]: offer_of(row) for rows in found for row in rows}

    def curator(self, scope: Scope) -> Curator:
        person_of(scope)
        return Curator(scope, self._rules.curators)

    def offers(self, curator: Curator, limit: int = 100) -> Sequence[Offered]:
        _decides(curator)
        with self._ledger.read() as connection:
            oldest, newest = offers.c.sequence.asc(), offers.c.sequence.desc()
            waiting = read_offers(connection, _OFFERED, order=oldest, limit=limit)
            shared = read_offers(connection, _ACCEPTED, order=newest, limit=limit - len(waiting))
            found = read_entries_by_id(connection, (row["entry_id"] for row in waiting))
            originals = {entry.id: entry for entry in found}
            counting = copies(connection, [row["id"] for row in shared])
        offered = [self._offered(row, originals[row["entry_id"]]) for row in waiting if row["entry_id"] in originals]
        return offered + [self._offered(row, counting[row["id"]]) for row in shared if row["id"] in counting]

    def accept(self, offer_id: str, curator: Curator, text: str | None = None) -> Offer:
        person = _decides(curator)
        with self._ledger.write() as connection:
            row = _one(connection, offers.c.id == offer_id)
            state = OfferState(row["state"])
            copy = copies(connection, [offer_id]).get(offer_id) if state is OfferState.ACCEPTED else None
            if copy is not None and text in {None, copy.text}:
                return offer_of(row)
            if state is not OfferState.OFFERED:
                raise NotFound(_MEANWHILE)
            entry = read_entry(connection, entries.c.id == row["entry_id"])
            words = entry.text if text is None else text
            self._check(entry, words)
            add_copy(connection, self._ledger, row, entry, words, self._misunderstood(entry))
            row = decide(connection, self._ledger, row, OfferState.ACCEPTED, person)
        self._changed()
        return offer_of(row)

    def decline(self, offer_id: str, reason: str, curator: Curator) -> Offer:
        person = _decides(curator)
        if len(reason) > LONGEST_REASON:
            raise TooLong(len(reason), LONGEST_REASON)
        with self._ledger.write() as connection:
            row = _one(connection, offers.c.id == offer_id)
            if row["state"] == OfferState.DECLINED:
                return offer_of(row)
            if not _stands(row):
                raise NotFound(_MEANWHILE)
            because = storable(reason).strip()
            row = end_offer(connection, self._ledger, row, OfferState.DECLINED, person, because)
        self._changed()
        return offer_of(row)

    def _check(self, entry: Entry, words: str) -> None:
        """Raises InputError where something of an entry, were these its words, may not be shared."""
        others = {"wrong_understanding": ""}  # which is left out then
        for text in (entry.question, *texts_in(entry.body.changed({entry.kind.shown: words, **others}).stored())):
            self._rules.check(text)

    def _offered(self, row: Row, entry: Entry) -> Offered:
        return Offered(offer_of(row), row["owner"], entry.question, entry.text, self._misunderstood(entry))

    def _misunderstood(self, entry: Entry) -> str:
        """How the question was misunderstood, as far as that may be shared: the person cannot change these words."""
        try:
            self._rules.check(entry.wrong_understanding)
        except InputError:
            return ""
        return entry.wrong_understanding


def _one(connection: Connection, *conditions: ColumnElement[bool]) -> Row:
    rows = read_offers(connection, *conditions)
    if not rows:
        raise NotFound
    return rows[0]


def _stands(row: Row) -> bool:
    return row["state"] in STANDING


def _decides(curator: Curator) -> str:
    """Id of the curator. Raises NotCurator: this is none."""
    if not isinstance(curator, Curator):
        raise NotCurator
    return person_of(curator.scope)
