"""Offer entries to everyone, withdraw, accept and decline offers.

An offer is a row of the ledger. Accepting one stores a copy of the entry, without owner and found by the offer's id.
When the offer ends, the copy is erased, not only deactivated, so that other users keep nothing of it.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, case, delete, insert, select, update

from assistant.errors import InputError, NotAllowed, NotCurator, NotFound, TooLong
from assistant.kinds import texts_in
from assistant.reasoning.reasoner import speaks_of_writer
from assistant.sentences import Sentence
from assistant.sharing import LONGEST_REASON, Curator, Offer, Offered, OfferState, SharingRules, body_of_copy
from assistant.text.cleaning import clean_text
from assistant.types import Entry, Key, NewEntry, Scope
from memory_store.language.languages import sentence_parser
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import NOBODY, SHARED, Condition, KeyState, entries, offers
from memory_store.ledger.entries import ACTIVE, drop_unnamed, read_entries_by_id, read_entry, save_entry
from memory_store.ledger.erased_rows import (
    Counts,
    erase_entries,
    find_prompted_turns,
    record_erasure,
    record_prompt_entries,
)
from memory_store.ledger.files import Line
from memory_store.ledger.ledger import Ledger, ledger_of
from memory_store.ledger.rows import IDS, read_rows

_STANDING = (OfferState.OFFERED.value, OfferState.ACCEPTED.value)
_MEANWHILE = "offer.meanwhile"


class LedgerSharing:
    """Offers of entries under `rules`. Calls `changed` when a copy was added or erased.

    A user sees and changes only their own offers, a curator all. Editing, replacing, retracting or erasing an entry
    withdraws its offer. Every method may raise, without any effect:
        NotFound: the entry is not the user's own or not active, or the offer was withdrawn or decided meanwhile.
        InputError: the content may not be shared; the sentence says why.
        StoreError: the store failed.
    """

    def __init__(self, ledger: Ledger, rules: SharingRules, changed: Callable[[], None]) -> None:
        self._ledger = ledger
        self._rules = rules
        self._changed = changed

    def may_offer(self, scope: Scope, entry: Entry | None = None) -> bool:
        """Return True if the user may make offers; with `entry`, also check that its content may be shared."""
        try:
            if entry is not None:
                self._check(entry, entry.shown)
        except InputError:
            return False
        return bool(require_user(scope)) and self._rules.may_offer(scope)

    def offer(self, entry_id: str, scope: Scope) -> Offer:
        """Offer a clarification of the user to everyone. Idempotent. Raises NotAllowed."""
        if not self.may_offer(scope):
            raise NotAllowed("offer.sign_in")
        own = (belongs_to(offers, scope), offers.c.entry_id == entry_id)
        with self._ledger.write() as connection:
            entry = read_entry(connection, belongs_to(entries, scope), entries.c.id == entry_id, ACTIVE)
            self._check(entry, entry.shown)
            known = connection.execute(select(offers).where(*own)).first()
            if known is not None and known.state == OfferState.DECLINED:
                raise InputError("offer.was_declined")
            if known is not None and known.state in _STANDING:
                return _build_offer(known)
            connection.execute(delete(offers).where(*own))  # withdrawn
            offer_id = known.id if known is not None else str(uuid.uuid4())
            row: dict[str, Any] = {"id": offer_id, "entry_id": entry.id, "owner": entry.owner}
            row |= {"state": OfferState.OFFERED.value, "decided_by": None, "decided": None, "reason": ""}
            row |= {"sequence": self._ledger.next_sequences(connection, 1)[0], "offered": self._ledger.now()}
            connection.execute(insert(offers), row)
            return _build_offer(_read_offer(connection, *own))

    def withdraw(self, entry_id: str, scope: Scope) -> Offer:
        own = and_(belongs_to(offers, scope), offers.c.entry_id == entry_id)
        with self._ledger.write() as connection:
            end_offers(connection, own)
            offer = _build_offer(_read_offer(connection, own))
        self._changed()
        return offer

    def offers_of(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Offer]:
        own = select(offers).where(belongs_to(offers, scope), offers.c.entry_id.in_(IDS))
        with self._ledger.read() as connection:
            return {row.entry_id: _build_offer(row) for row in read_rows(connection, own, entry_ids)}

    def curator(self, scope: Scope) -> Curator:
        require_user(scope)
        return Curator(scope, self._rules.curators)

    def offers(self, curator: Curator, limit: int = 100) -> Sequence[Offered]:
        _require_curator(curator)
        is_shared = offers.c.state == OfferState.ACCEPTED.value
        order = (is_shared, case((is_shared, -offers.c.sequence), else_=offers.c.sequence))
        with self._ledger.read() as connection:
            standing = select(offers).where(offers.c.state.in_(_STANDING))
            rows = connection.execute(standing.order_by(*order).limit(limit)).all()
            copies = _read_copies(connection, [row.id for row in rows])
            found = {entry.id: entry for entry in read_entries_by_id(connection, [row.entry_id for row in rows])}
        offered = list[Offered]()
        for row in rows:
            if copy := copies.get(row.id):
                further = tuple(key.text for key in copy.keys if key.text != copy.question)
                offered.append(Offered(_build_offer(row), row.owner, copy, further))
            elif row.state == OfferState.OFFERED and (entry := found.get(row.entry_id)):
                offered.append(Offered(_build_offer(row), row.owner, self._copy(row.id, entry, entry.text)))
        return offered

    def accept(self, offer_id: str, curator: Curator, text: str | None = None, seen: str = "") -> Offer:
        """Share a copy, with another `text` if given, if it still has the seal `seen`."""
        person = _require_curator(curator)
        with self._ledger.write() as connection:
            row = _read_offer(connection, offers.c.id == offer_id)
            copy = _read_copies(connection, [offer_id]).get(offer_id)
            if copy is not None and text in {None, copy.text}:
                return _build_offer(row)
            if row.state != OfferState.OFFERED:
                raise NotFound(_MEANWHILE)
            entry = read_entry(connection, entries.c.id == row.entry_id)
            offered = Offered(_build_offer(row), row.owner, self._copy(row.id, entry, entry.text))
            if seen not in {"", offered.seal}:
                raise NotFound(_MEANWHILE)
            words = entry.text if text is None else text
            self._check(entry, words)
            said = self._copy(row.id, entry, words)
            # The copy gets model-written keys if the original does.
            of_original = select(entries.c.key_state).where(entries.c.id == entry.id)
            is_written = connection.execute(of_original).scalar_one() in {KeyState.WANTED, KeyState.WRITTEN}
            key_state = KeyState.WANTED.value if is_written else None
            save_entry(connection, said, NOBODY, [Key(said.question)], scope=SHARED, key_state=key_state)
            _record_decision(connection, offer_id, OfferState.ACCEPTED, person)
            offer = _build_offer(_read_offer(connection, offers.c.id == offer_id))
        self._changed()
        return offer

    def decline(self, offer_id: str, reason: str, curator: Curator) -> Offer:
        person = _require_curator(curator)
        if len(reason) > LONGEST_REASON:
            raise TooLong(len(reason), LONGEST_REASON)
        with self._ledger.write() as connection:
            is_it = offers.c.id == offer_id
            if _read_offer(connection, is_it).state == OfferState.WITHDRAWN:
                raise NotFound(_MEANWHILE)
            end_offers(connection, is_it, OfferState.DECLINED, person, clean_text(reason).strip())
            offer = _build_offer(_read_offer(connection, is_it))
        self._changed()
        return offer

    def _check(self, entry: Entry, words: str) -> None:
        """Raise InputError if an entry with this text must not be shared."""
        if not entry.kind.shareable or entry.only_in:
            raise InputError("offer.not_a_clarification")
        body = body_of_copy(entry, words).changed({"wrong_understanding": ""})  # checked by `_copy`
        if entry.kind.asserts and speaks_of_writer(words, sentence_parser()):
            raise InputError("not_shared", what=Sentence("holds.writer"))
        for text in (entry.question, *texts_in(body.stored())):
            self._rules.check(text)

    def _copy(self, offer_id: str, entry: Entry, words: str) -> NewEntry:
        """Return the copy of an entry with this text: without turn, model and further keys."""
        misunderstood = entry.wrong_understanding
        try:
            self._rules.check(misunderstood)
        except InputError:  # drop it, since the user cannot edit it
            misunderstood = ""
        said = body_of_copy(entry, words).changed({"wrong_understanding": misunderstood})
        is_own = entry.kind.asserts and entry.question == entry.shown  # a fact told without a question
        return NewEntry(entry.kind, words if is_own else entry.question, drop_unnamed(said), offer_id)


def end_offers(
    connection: Connection,
    which: Condition,
    state: OfferState = OfferState.WITHDRAWN,
    by: str | None = None,
    reason: str = "",
    restored: Line | None = None,
) -> Counts:
    """End the undecided and accepted offers among `which`, and erase their copies.

    A tombstone keeps a restored backup from sharing them again; it is `restored` when that happens. `by` is the id of
    the curator who declines, `reason` is for the owner of the entry.
    """
    erased: Counts = Counter()
    for row in connection.execute(select(offers).where(which, offers.c.state.in_(_STANDING))).all():
        line = restored or ledger_of(connection).note_erasure(connection, {"offers": [row.id], "state": state.value})
        named = (entries.c.owner == NOBODY, entries.c.idempotency_key == row.id)
        ids = connection.scalars(select(entries.c.id).where(*named)).all()  # damaged ones, too
        # If the original is erased later, so is the text of turns written with its copy in the prompt.
        for turn_id, owner in find_prompted_turns(connection, ids).items():
            record_prompt_entries(connection, turn_id, owner, [row.entry_id])
        counts = erase_entries(connection, ids)
        if not restored:
            record_erasure(connection, line, counts)
        _record_decision(connection, row.id, state, by, reason)
        erased += counts
    return erased


def forget_curator(connection: Connection, person: str) -> Counts:
    """Remove a curator's id and reasons from their decisions on offers."""
    changes = update(offers).where(offers.c.decided_by == person).values(decided_by=None, reason="")
    return Counter(emptied=connection.execute(changes).rowcount)


def _require_curator(curator: Curator) -> str:
    """Return the curator's user id. Raises NotCurator for anything else than a Curator."""
    if isinstance(curator, Curator):
        return require_user(curator.scope)
    raise NotCurator


def _build_offer(row: Row[Any]) -> Offer:
    decided = datetime.fromisoformat(row.decided) if row.decided else None
    offered = datetime.fromisoformat(row.offered)
    return Offer(row.id, row.entry_id, OfferState(row.state), offered, decided, row.reason)


def _read_offer(connection: Connection, *conditions: Condition) -> Row[Any]:
    row = connection.execute(select(offers).where(*conditions)).first()
    if row is None:
        raise NotFound
    return row


def _record_decision(
    connection: Connection, offer_id: str, state: OfferState, by: str | None, reason: str = ""
) -> None:
    decided = {"state": state.value, "decided_by": by, "decided": ledger_of(connection).now(), "reason": reason}
    connection.execute(update(offers).where(offers.c.id == offer_id).values(decided))


def _read_copies(connection: Connection, offer_ids: Sequence[str]) -> Mapping[str, Entry]:
    copies = select(entries.c.id, entries.c.idempotency_key).where(entries.c.owner == NOBODY)
    copies = copies.where(entries.c.idempotency_key.in_(IDS))
    offer_of = {row.id: row.idempotency_key for row in read_rows(connection, copies, offer_ids)}
    return {offer_of[copy.id]: copy for copy in read_entries_by_id(connection, offer_of)}
