"""The port `Sharing` over the ledger: offer, withdraw, and what a curator decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection

from assistant.errors import InputError, NotAllowed, NotCurator, NotFound, TooLong
from assistant.sharing import LONGEST_REASON, Curator, Offer, Offered, OfferState, SharingRules
from assistant.text import storable
from assistant.types import Entry, Scope, Status
from memory_store.entries import read_entries_by_id, read_entry
from memory_store.ledger import Ledger
from memory_store.offers import (
    Row,
    accept_offer,
    add_copy,
    add_offer,
    copies,
    end_offer,
    may_be_offered,
    offer_of,
    open_again,
    read_offers,
)
from memory_store.reactions import batches
from memory_store.schema import entries, offers
from memory_store.scoping import own, person_of

_SIGN_IN = "Only people who are signed in can offer something to everyone here."
_NOT_A_CLARIFICATION = "A confirmed answer cannot be offered to everyone; what you said you meant can."
_WAS_DECLINED = "A curator declined this. Please change what it says, then offer it again."
_MEANWHILE = "This was withdrawn, changed or decided in the meantime."


class LedgerSharing:
    """Offers in the ledger.

    Args:
        ledger: where they are kept.
        rules: who may offer, what may be offered, and who decides.
        changed: called when there is a copy more or less; must return at once and never raise.
    """

    def __init__(self, ledger: Ledger, rules: SharingRules, changed: Callable[[], None]) -> None:
        self._ledger = ledger
        self._rules = rules
        self._changed = changed

    def may_offer(self, scope: Scope) -> bool:
        """Whether the person may offer anything at all."""
        return bool(person_of(scope)) and self._rules.may_offer(scope)

    def offer(self, entry_id: str, scope: Scope) -> Offer:
        """Offer a clarification of the person's own to everyone. Twice is the same as once.

        Raises:
            NotAllowed: the person may not offer anything.
            NotFound: the entry is not the person's own, or no longer active.
            InputError: this may not be shared, or was declined; the sentence says why.
            StoreError: it is not offered.
        """
        if not self.may_offer(scope):
            raise NotAllowed(_SIGN_IN)
        with self._ledger.write() as connection:
            entry = _active(connection, entry_id, scope)
            if not may_be_offered(entry):
                raise InputError(_NOT_A_CLARIFICATION)
            for text in (entry.question, entry.text):
                self._rules.check(text)
            rows = read_offers(connection, own(offers, scope), offers.c.entry_id == entry.id)
            if not rows:
                return offer_of(add_offer(connection, self._ledger, entry))
            known = offer_of(rows[0])
            if known.state is OfferState.DECLINED:
                raise InputError(_WAS_DECLINED)
            if known.state is OfferState.WITHDRAWN:
                return offer_of(open_again(connection, self._ledger, rows[0]))
            return known

    def withdraw(self, entry_id: str, scope: Scope) -> Offer:
        """Take an offer back. Where it was accepted, nobody gets the copy from their next turn on.

        Raises:
            NotFound: the person never offered this entry.
            StoreError: it is not withdrawn.
        """
        with self._ledger.write() as connection:
            row = _one(connection, own(offers, scope), offers.c.entry_id == entry_id)
            if not _stands(row):
                return offer_of(row)
            row = end_offer(connection, self._ledger, row, OfferState.WITHDRAWN, person_of(scope))
        self._changed()
        return offer_of(row)

    def offers_of(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Offer]:
        """The person's offers of these entries, by id of the entry; those that were never offered are missing."""
        found: dict[str, Offer] = {}
        with self._ledger.read() as connection:
            for some in batches(sorted(set(entry_ids))):
                rows = read_offers(connection, own(offers, scope), offers.c.entry_id.in_(some))
                found |= {row["entry_id"]: offer_of(row) for row in rows}
        return found

    def curator(self, scope: Scope) -> Curator:
        """The right to decide.

        Raises:
            NotCurator: the settings do not name the person.
        """
        person_of(scope)
        return Curator(scope, self._rules.curators)

    def offers(self, curator: Curator, limit: int = 100) -> Sequence[Offered]:
        """What waits for a decision, oldest first, then what is shared, newest first.

        Raises:
            NotCurator: this is no curator.
        """
        _decides(curator)
        with self._ledger.read() as connection:
            waiting = read_offers(connection, _in(OfferState.OFFERED), order=offers.c.sequence.asc(), limit=limit)
            left = limit - len(waiting)
            shared = read_offers(connection, _in(OfferState.ACCEPTED), order=offers.c.sequence.desc(), limit=left)
            originals = {
                entry.id: entry for entry in read_entries_by_id(connection, (row["entry_id"] for row in waiting))
            }
            counting = copies(connection, [row["id"] for row in shared])
        offered = [self._offered(row, originals[row["entry_id"]]) for row in waiting if row["entry_id"] in originals]
        return offered + [self._offered(row, counting[row["id"]]) for row in shared if row["id"] in counting]

    def accept(self, offer_id: str, curator: Curator, text: str | None = None) -> Offer:
        """Let a copy of what was offered count for everyone, with other words where `text` is given.

        Raises:
            NotCurator: this is no curator.
            NotFound: it was withdrawn or decided otherwise meanwhile.
            InputError: this may not be shared; the sentence says why.
            StoreError: it is not accepted.
        """
        person = _decides(curator)
        with self._ledger.write() as connection:
            row = _one(connection, offers.c.id == offer_id)
            state = OfferState(row["state"])
            if state is OfferState.ACCEPTED and self._is_shared_as(connection, row, text):
                return offer_of(row)
            if state is not OfferState.OFFERED:
                raise NotFound(_MEANWHILE)
            entry = read_entry(connection, entries.c.id == row["entry_id"])
            words = entry.text if text is None else text
            for shared in (entry.question, words):
                self._rules.check(shared)
            add_copy(connection, self._ledger, row, entry, words, self._misunderstood(entry))
            row = accept_offer(connection, self._ledger, row, person)
        self._changed()
        return offer_of(row)

    def decline(self, offer_id: str, reason: str, curator: Curator) -> Offer:
        """Decline what was offered, or share no longer what was accepted. The person reads the reason.

        Raises:
            NotCurator: this is no curator.
            NotFound: it was withdrawn meanwhile.
            TooLong: the reason.
            StoreError: it is not declined.
        """
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

    def _offered(self, row: Row, entry: Entry) -> Offered:
        return Offered(offer_of(row), row["owner"], entry.question, entry.text, self._misunderstood(entry))

    def _misunderstood(self, entry: Entry) -> str:
        """How the question was misunderstood, as far as that may be shared: the person cannot change these words."""
        try:
            self._rules.check(entry.wrong_understanding)
        except InputError:
            return ""
        return entry.wrong_understanding

    def _is_shared_as(self, connection: Connection, row: Row, text: str | None) -> bool:
        copy = copies(connection, [row["id"]]).get(row["id"])
        return copy is not None and text in {None, copy.text}


def _active(connection: Connection, entry_id: str, scope: Scope) -> Entry:
    return read_entry(
        connection, own(entries, scope), entries.c.id == entry_id, entries.c.status == Status.ACTIVE.value
    )


def _one(connection: Connection, *conditions: ColumnElement[bool]) -> Row:
    rows = read_offers(connection, *conditions)
    if not rows:
        raise NotFound
    return rows[0]


def _in(state: OfferState) -> ColumnElement[bool]:
    return offers.c.state == state.value


def _stands(row: Row) -> bool:
    return row["state"] in {OfferState.OFFERED, OfferState.ACCEPTED}


def _decides(curator: Curator) -> str:
    """Id of the curator. Raises NotCurator: this is none."""
    if not isinstance(curator, Curator):
        raise NotCurator
    return person_of(curator.scope)
