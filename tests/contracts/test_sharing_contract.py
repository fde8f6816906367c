"""Contract of stores for sharing: ownership of offers, and the curator's decisions."""

from collections.abc import Callable
from typing import Any

import pytest

from assistant.errors import InputError, NotAllowed, NotCurator, NotFound, TooLong
from assistant.kinds import Reach
from assistant.sharing import LONGEST_REASON, Curator, OfferState
from assistant.types import Entry, Key, KeyOrigin, Scope, Turn
from memory_store.ledger.database.schema import NOBODY
from memory_store.sharing.sharing import LedgerSharing
from memory_store.store import Store
from tests.support.memory.sharing import CURATOR, read_shared_entry, read_texts
from tests.support.memory.store import ANN, BOB, clarification
from tests.support.memory.triples import fact

pytestmark = pytest.mark.promise("sharing-needs-rights")


def test_offer_changes_nothing_until_accepted(
    store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry
) -> None:
    offer = sharing.offer(entry.id, ANN)
    assert (offer.state, offer.entry_id, offer.decided, offer.reason) == (OfferState.OFFERED, entry.id, None, "")
    assert read_texts(store, BOB) == []
    assert sharing.offers_of([entry.id, "none"], ANN) == {entry.id: offer}
    assert sharing.offer(entry.id, ANN) == offer

    (offered,) = sharing.offers(curator)
    assert (offered.offer, offered.who) == (offer, "ann")
    assert (offered.copy.question, offered.copy.text) == (entry.question, entry.text)
    accepted = sharing.accept(offer.id, curator)
    assert accepted.state is OfferState.ACCEPTED
    assert accepted.decided is not None
    assert sharing.accept(offer.id, curator) == sharing.accept(offer.id, curator, entry.text) == accepted
    assert sharing.offer(entry.id, ANN) == accepted
    assert read_texts(store, BOB) == [(entry.question, entry.text)]


def test_withdrawn_offer_can_be_made_again(
    store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry
) -> None:
    first = sharing.offer(entry.id, ANN)
    withdrawn = sharing.withdraw(entry.id, ANN)
    assert withdrawn.state is OfferState.WITHDRAWN
    assert sharing.withdraw(entry.id, ANN) == withdrawn
    with pytest.raises(NotFound, match="meantime"):
        sharing.accept(first.id, curator)
    with pytest.raises(NotFound, match="meantime"):
        sharing.decline(first.id, "", curator)
    again = sharing.offer(entry.id, ANN)
    assert (again.id, again.state, again.decided) == (first.id, OfferState.OFFERED, None)
    sharing.accept(again.id, curator)
    assert read_shared_entry(store).text == entry.text


def test_declined_offer_returns_only_changed(
    store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry
) -> None:
    offer = sharing.offer(entry.id, ANN)
    declined = sharing.decline(offer.id, " too long ", curator)
    assert (declined.state, declined.reason) == (OfferState.DECLINED, "too long")
    assert sharing.decline(offer.id, "another reason", curator) == declined
    with pytest.raises(NotFound, match="meantime"):
        sharing.accept(offer.id, curator)
    assert sharing.withdraw(entry.id, ANN) == declined
    with pytest.raises(InputError, match="declined"):
        sharing.offer(entry.id, ANN)
    edited = store.memory.edit(entry.id, "shorter", ANN)
    assert sharing.offer(edited.id, ANN).state is OfferState.OFFERED


def test_only_the_owner_handles_an_offer(store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry) -> None:
    for person in (BOB, CURATOR):
        with pytest.raises(NotFound):
            sharing.offer(entry.id, person)
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    for person in (BOB, CURATOR):
        with pytest.raises(NotFound):
            sharing.withdraw(entry.id, person)
        assert sharing.offers_of([entry.id], person) == {}
    assert read_texts(store, BOB) == [(entry.question, entry.text)]


def test_unnamed_person_is_no_curator(sharing: LedgerSharing, entry: Entry) -> None:
    offer = sharing.offer(entry.id, ANN)
    for person in (ANN, Scope("CORA"), Scope("cora ")):
        with pytest.raises(NotCurator):
            sharing.curator(person)
    pretended: Any
    for pretended in (ANN, CURATOR, CURATOR.person, None, True):
        with pytest.raises(NotCurator):
            sharing.offers(pretended)
        with pytest.raises(NotCurator):
            sharing.accept(offer.id, pretended)
        with pytest.raises(NotCurator):
            sharing.decline(offer.id, "", pretended)
    assert sharing.offers_of([entry.id], ANN)[entry.id].state is OfferState.OFFERED


def test_strangers_and_retracted_entries_offer_nothing(store: Store, sharing: LedgerSharing) -> None:
    stranger = Scope("a stranger")
    entry = store.memory.remember(clarification("q"), stranger)
    assert (sharing.may_offer(stranger), sharing.may_offer(ANN)) == (False, True)
    with pytest.raises(NotAllowed, match="Sign in"):
        sharing.offer(entry.id, stranger)
    retracted = store.memory.remember(clarification("q"), ANN)
    store.memory.retract(retracted.id, ANN)
    with pytest.raises(NotFound):
        sharing.offer(retracted.id, ANN)


def test_refused_text_is_never_shared(store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry) -> None:
    long_text = store.memory.remember(clarification("crane", "a bird, " * 6), ANN)
    long_question = store.memory.remember(clarification("melon, " * 6, "a fruit"), ANN)
    for refused in (long_text, long_question):
        with pytest.raises(TooLong, match="Shorten it to 40"):
            sharing.offer(refused.id, ANN)
    offer = sharing.offer(entry.id, ANN)
    wrong = store.memory.remember(clarification("what is a bat?", "an animal", wrong="x" * 41), ANN)
    sharing.offer(wrong.id, ANN)
    assert [offered.copy.wrong_understanding for offered in sharing.offers(curator)] == ["", ""]
    with pytest.raises(TooLong):
        sharing.accept(offer.id, curator, "x" * 41)
    with pytest.raises(TooLong):
        sharing.decline(offer.id, "x" * (LONGEST_REASON + 1), curator)
    assert sharing.offers_of([entry.id], ANN) == {entry.id: offer}
    assert read_texts(store, BOB) == []


@pytest.mark.parametrize("text", ["my manager is Dana", "ਮੈਂ ਪੁਣੇ ਵਿੱਚ ਰਹਿੰਦਾ ਹਾਂ"])
def test_fact_about_oneself_is_not_shared(store: Store, sharing: LedgerSharing, curator: Curator, text: str) -> None:
    own = store.memory.remember(fact(text), ANN)
    with pytest.raises(InputError):
        sharing.offer(own.id, ANN)
    offer = sharing.offer(store.memory.remember(fact("Pune is in India"), ANN).id, ANN)
    with pytest.raises(InputError):
        sharing.accept(offer.id, curator, text)
    sharing.accept(offer.id, curator)
    assert [said for _, said in read_texts(store, BOB)] == ["Pune is in India"]


def test_shared_copy_names_nobody(store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry) -> None:
    hers = [Key("what ann calls it", KeyOrigin.PERSON), Key("akin at the office of Dr. Rao", KeyOrigin.MODEL)]
    store.memory.replace_keys(entry.id, [], hers, ANN)
    sharing.accept(sharing.offer(entry.id, ANN).id, curator, "I meant a word like it")
    copy, own = read_shared_entry(store), store.memory.entry(entry.id, ANN)
    assert (own.text, own.shared, own.owner) == (entry.text, False, "ann")
    assert own.keys == (*entry.keys, *hers)
    assert (copy.text, copy.owner, copy.turn) == ("I meant a word like it", NOBODY, "")
    assert [key.text for key in copy.keys] == [entry.question]
    assert [found.id for found in store.memory.entries(ANN)] == [entry.id]
    assert store.memory.entries(BOB) == []


def test_nobody_owns_a_copy(store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry) -> None:
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    copy = read_shared_entry(store)
    attempts: list[Callable[[Scope], object]] = [
        lambda scope: store.memory.edit(copy.id, "mine", scope),
        lambda scope: store.memory.retract(copy.id, scope),
        lambda scope: store.memory.forget(copy.id, scope),
        lambda scope: store.memory.set_reach(copy.id, Reach.QUESTION, scope),
        lambda scope: store.memory.replace_keys(copy.id, [], [Key("mine")], scope),
        lambda scope: sharing.offer(copy.id, scope),
        lambda scope: sharing.withdraw(copy.id, scope),
    ]
    for attempt in attempts:
        for person in (ANN, BOB, CURATOR):
            with pytest.raises(NotFound):
                attempt(person)
    assert read_shared_entry(store) == copy


def test_paused_copy_rests_for_one_person_only(
    store: Store, sharing: LedgerSharing, curator: Curator, entry: Entry
) -> None:
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    copy = read_shared_entry(store)
    store.turn_store.record(Turn("t", "c", BOB.person, "a secret question of Bob's"), BOB)
    store.memory.count(copy.id, "hurt", "t", BOB)
    store.memory.except_for(copy.id, "t", BOB)
    store.memory.pause(copy.id, BOB)
    store.memory.resume(copy.id, CURATOR)
    his = store.memory.entries_by_id([copy.id], BOB)[copy.id]
    assert (his.resting, his.not_for) == (True, ("a secret question of Bob's",))
    theirs = store.memory.entries_by_id([copy.id], CURATOR)[copy.id]
    assert (theirs.hurt, theirs.resting, theirs.not_for) == (1, False, ())
    own = store.memory.entry(entry.id, ANN)
    assert (own.hurt, own.helped, own.used) == (0, 0, 0)
