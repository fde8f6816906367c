"""Offer, withdraw, and what a curator decides: the port `Sharing` over the ledger.

An offer is a row of the ledger. The copy that counts for everyone while its offer is accepted is an
entry of nobody's, found by the id of its offer. It is erased, not switched off, as soon as the offer ends, so that
nothing of it stays with anybody else.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, UnaryExpression, insert, select, update

from assistant.errors import InputError, NotAllowed, NotCurator, NotFound, NotShared, TooLong
from assistant.kinds import texts_in
from assistant.reasoning.names import speaks_of_writer
from assistant.sharing import LONGEST_REASON, Curator, Offer, Offered, OfferState, SharingRules, body_of_copy
from assistant.text.cleaning import storable
from assistant.types import Draft, Entry, Key, Scope
from memory_store.ledger import named_things
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import NOBODY, SHARED, KeyState, entries, offers
from memory_store.ledger.entries import ACTIVE, read_entries, read_entries_by_id, read_entry, save_entry
from memory_store.ledger.erased_rows import Counts, erase_entries, record_erasure
from memory_store.ledger.in_view import note_in_view, turns_with_in_view
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.named_things import with_named_only
from memory_store.ledger.rows import Row, batches, read_rows
from memory_store.ledger.tombstones import Line

STANDING = (OfferState.OFFERED.value, OfferState.ACCEPTED.value)  # states of offers that have not ended
_OFFERED = offers.c.state == OfferState.OFFERED.value
_ACCEPTED = offers.c.state == OfferState.ACCEPTED.value
_MEANWHILE = "offer.meanwhile"


class LedgerSharing:
    """The port `Sharing`, under `rules`. Calls `changed` when there is a copy more or less."""

    def __init__(self, ledger: Ledger, rules: SharingRules, changed: Callable[[], None]) -> None:
        self._ledger = ledger
        self._rules = rules
        self._changed = changed

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        try:
            if entry is not None:
                self._check_entry(entry)
        except InputError:
            return False
        return bool(person_of(scope)) and self._rules.may_offer(scope)

    def offer(self, entry_id: str, scope: Scope) -> Offer:
        if not self.may_offer(scope):
            raise NotAllowed("offer.sign_in")
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id, ACTIVE)
            self._check_entry(entry)
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

    def accept(self, offer_id: str, curator: Curator, text: str | None = None, seen: str = "") -> Offer:
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
            if seen not in {"", self._offered(row, entry).seal}:
                raise NotFound(_MEANWHILE)
            words = entry.text if text is None else text
            self._check(entry, words)
            add_copy(connection, self._ledger, entry, self._copy(row, entry, words))
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

    def _check_entry(self, entry: Entry) -> None:
        if not entry.kind.shareable or entry.only_in:
            raise InputError("offer.not_a_clarification")
        self._check(entry, entry.shown)

    def _check(self, entry: Entry, words: str) -> None:
        """Raises InputError where something of an entry, were these its words, may not be shared."""
        body = body_of_copy(entry, words).changed({"wrong_understanding": ""})  # which is left out then
        if entry.kind.asserts and speaks_of_writer(words, named_things.words()):
            raise NotShared("holds.writer")
        for text in (entry.question, *texts_in(body.stored())):
            self._rules.check(text)

    def _offered(self, row: Row, entry: Entry) -> Offered:
        """An offer with the copy of the person's entry, or with the copy that is shared already."""
        if entry.shared:
            further = tuple(key.text for key in entry.keys if key.text != entry.question)
            return Offered(offer_of(row), row["owner"], entry, further)
        copy = self._copy(row, entry, entry.text)
        return Offered(offer_of(row), row["owner"], copy, ())

    def _copy(self, row: Row, entry: Entry, words: str) -> Draft:
        """The copy of an entry in these words: no turn, no model, no further key."""
        said = body_of_copy(entry, words).changed({"wrong_understanding": self._misunderstood(entry)})
        is_own = entry.kind.asserts and entry.question == entry.shown  # told out of the blue
        question = words if is_own else entry.question
        return Draft(entry.kind, question, with_named_only(said), row["id"])

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


def read_offers(
    connection: Connection,
    *conditions: ColumnElement[bool],
    order: UnaryExpression[Any] | None = None,
    limit: int | None = None,
) -> list[Row]:
    """Return the offers that meet all conditions."""
    return read_rows(connection, select(offers).where(*conditions).order_by(order).limit(limit))


def open_offer(connection: Connection, ledger: Ledger, entry: Entry, withdrawn: Row | None) -> Row:
    """Write an offer of a person's entry, or let the one that was withdrawn wait again, as if it were new."""
    opened = {"sequence": ledger.next_sequence(connection), "offered": ledger.now(), "state": OfferState.OFFERED.value}
    opened |= {"decided_by": None, "decided": None, "reason": ""}
    if withdrawn is not None:
        return _changed(connection, withdrawn, opened)
    row = {"id": str(uuid.uuid4()), "entry_id": entry.id, "owner": entry.owner, **opened}
    connection.execute(insert(offers), row)
    return row


def decide(
    connection: Connection, ledger: Ledger, row: Row, state: OfferState, by: str | None, reason: str = ""
) -> Row:
    """Record what became of an offer, and who decided that; `reason` is for the owner of the entry."""
    decided = {"state": state.value, "decided_by": by, "decided": ledger.now(), "reason": reason}
    return _changed(connection, row, decided)


def add_copy(connection: Connection, ledger: Ledger, entry: Entry, copy: Draft) -> Entry:
    """Write the copy of an entry, which counts for everyone.

    Where a model writes keys for the original, it is asked to write some for the copy.
    """
    written = connection.execute(select(entries.c.key_state).where(entries.c.id == entry.id)).scalar_one()
    key_state = KeyState.WANTED.value if written in {KeyState.WANTED, KeyState.WRITTEN} else None
    found_under = [Key(copy.question), *copy.further_keys]
    return save_entry(connection, ledger, copy, NOBODY, found_under, scope=SHARED, key_state=key_state)


def copies(connection: Connection, offer_ids: Sequence[str]) -> Mapping[str, Entry]:
    """The copies that count for everyone, by the ids of their offers."""
    query = select(entries.c.id, entries.c.idempotency_key).where(*_copies_of(offer_ids))
    offer_of = {row.id: row.idempotency_key for row in connection.execute(query)}
    return {offer_of[copy.id]: copy for copy in read_entries(connection, entries.c.id.in_(list(offer_of)))}


def end_offer(connection: Connection, ledger: Ledger, row: Row, state: OfferState, by: str, reason: str = "") -> Row:
    """Let an offer end, and erase its copy; written down like every erasure, so that no backup shares it again."""
    line = ledger.note_erasure(connection, {"offers": [row["id"]], "state": state.value})
    record_erasure(connection, line, _erase_copies(connection, ledger, row))
    return decide(connection, ledger, row, state, by, reason)


def end_again(connection: Connection, ledger: Ledger, line: Line) -> Counts:
    """Let offers end that a line of `erasures.jsonl` names, where an older ledger is back. Who ended them is lost."""
    erased: Counts = Counter()
    standing = (offers.c.id.in_(line["offers"]), offers.c.state.in_(STANDING))
    for row in connection.execute(select(offers).where(*standing)).mappings().all():
        erased += _erase_copies(connection, ledger, dict(row))
        decide(connection, ledger, dict(row), OfferState(line["state"]), None)
    return erased


def erase_shared(connection: Connection, ledger: Ledger, entry_ids: Sequence[str]) -> None:
    """Erase entries of nobody's that no offer is behind; nothing about them stays."""
    if entry_ids:
        line = {"id": str(uuid.uuid4()), "at": ledger.now()}
        record_erasure(connection, line, erase_entries(connection, ledger, entry_ids))


def end_offers(connection: Connection, ledger: Ledger, entry_ids: Sequence[str]) -> None:
    """These entries count no more, so what was offered or shared of them is withdrawn."""
    named = (offers.c.entry_id.in_(entry_ids), offers.c.state.in_(STANDING))
    for row in connection.execute(select(offers).where(*named)).mappings().all():
        end_offer(connection, ledger, dict(row), OfferState.WITHDRAWN, row["owner"])


def forget_curator(connection: Connection, person: str) -> Counts:
    """Take the name of a person, and what they wrote, out of what they decided about other people's offers."""
    decided = connection.execute(select(offers).where(offers.c.decided_by == person)).mappings().all()
    for row in decided:
        _changed(connection, dict(row), {"decided_by": None, "reason": ""})
    return Counter(emptied=len(decided))


def offer_of(row: Mapping[str, Any]) -> Offer:
    """An offer as the person who made it sees it."""
    return Offer(
        **{name: row[name] for name in ("id", "entry_id", "reason")},
        state=OfferState(row["state"]),
        offered=datetime.fromisoformat(row["offered"]),
        decided=datetime.fromisoformat(row["decided"]) if row["decided"] else None,
    )


def _erase_copies(connection: Connection, ledger: Ledger, row: Row) -> Counts:
    ids = list(connection.execute(select(entries.c.id).where(*_copies_of([row["id"]]))).scalars())
    # What was written with a copy in view goes with the entry itself, if that is erased later.
    for turn_id, owner in turns_with_in_view(connection, ids).items():
        note_in_view(connection, turn_id, owner, [row["entry_id"]])
    return erase_entries(connection, ledger, ids)


def _changed(connection: Connection, row: Row, changes: Row) -> Row:
    connection.execute(update(offers).where(offers.c.id == row["id"]).values(changes))
    return {**row, **changes}


def _copies_of(offer_ids: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    return entries.c.owner == NOBODY, entries.c.idempotency_key.in_(offer_ids)
