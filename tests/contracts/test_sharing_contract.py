"""What every store promises about sharing: whose offers are whose, who decides, and when a copy counts no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from assistant.errors import InputError, NotAllowed, NotCurator, NotFound, TooLong
from assistant.ports import Sharing
from assistant.sharing import LONGEST_REASON, Curator, OfferState, SharingRules
from assistant.types import Draft, Entry, Key, KeyOrigin, Kind, Scope, Turn
from memory_store.schema import NOBODY, KeyState, entries, offers
from memory_store.store import Store
from tests.support.store import ANN, BOB, clarification, small_store

CURATOR = Scope("cora")


def short(text: str) -> None:
    """A rule about what may be shared."""
    if len(text) > 40:
        raise TooLong(len(text), 40)


RULES = SharingRules(frozenset({CURATOR.person}), lambda scope: scope.person != "a stranger", short)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = small_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def sharing(store: Store) -> Sharing:
    return store.sharing(RULES)


@pytest.fixture
def curator(sharing: Sharing) -> Curator:
    return sharing.curator(CURATOR)


@pytest.fixture
def entry(store: Store) -> Entry:
    draft = clarification("what is akin to quick ?", further=[Key("akin to ▢ ?", KeyOrigin.RULE)])
    return store.memory.remember(draft, ANN)


def read_by(store: Store, person: Scope) -> list[tuple[str, str]]:
    """Question and text of everything that counts for a person."""
    ids = {key.entry_id for key in store.memory.keys(person)}
    return sorted((found.question, found.text) for found in store.memory.entries_by_id(ids, person).values())


def shared_one(store: Store, person: Scope = BOB) -> Entry:
    ids = {key.entry_id for key in store.memory.keys(person)}
    (found,) = [entry for entry in store.memory.entries_by_id(ids, person).values() if entry.shared]
    return found


def test_an_offer_changes_nothing_for_others_until_it_is_accepted(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    offer = sharing.offer(entry.id, ANN)
    assert (offer.state, offer.entry_id, offer.decided, offer.reason) == (OfferState.OFFERED, entry.id, None, "")
    assert read_by(store, BOB) == []
    assert sharing.offers_of([entry.id, "none"], ANN) == {entry.id: offer}

    (offered,) = sharing.offers(curator)
    assert (offered.offer, offered.who, offered.question, offered.text) == (
        offer,
        "ann",
        entry.question,
        entry.text,
    )
    accepted = sharing.accept(offer.id, curator)
    assert accepted.state is OfferState.ACCEPTED
    assert accepted.decided is not None
    assert read_by(store, BOB) == [(entry.question, entry.text)]


def test_an_offer_is_made_once_and_outlives_a_restart(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    entry = store.memory.remember(clarification("q"), ANN)
    first = store.sharing(RULES).offer(entry.id, ANN)
    store.close()
    store = small_store(tmp_path)
    sharing = store.sharing(RULES)
    assert sharing.offer(entry.id, ANN) == first
    curator = sharing.curator(CURATOR)
    assert [offered.offer for offered in sharing.offers(curator)] == [first]
    accepted = sharing.accept(first.id, curator)
    assert sharing.accept(first.id, curator) == sharing.accept(first.id, curator, entry.text) == accepted
    assert sharing.offer(entry.id, ANN) == accepted
    assert read_by(store, BOB) == [("q", entry.text)]
    store.close()


def test_what_is_shared_is_a_copy_that_names_nobody(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    store.memory.replace_keys(entry.id, [], [Key("what ann calls it", KeyOrigin.PERSON)], ANN)
    offer = sharing.offer(entry.id, ANN)
    sharing.accept(offer.id, curator, "I meant a word like it")
    copy, own = shared_one(store), store.memory.entry(entry.id, ANN)
    assert (own.text, own.shared, own.owner) == (entry.text, False, "ann")
    assert [key.text for key in own.keys] == [entry.question, "akin to ▢ ?", "what ann calls it"]
    assert (copy.text, copy.owner, copy.turn) == ("I meant a word like it", NOBODY, "")
    assert [key.text for key in copy.keys] == [entry.question, "akin to ▢ ?"]
    assert [found.id for found in store.memory.entries(ANN)] == [entry.id]
    assert store.memory.entries(BOB) == []


def test_nobody_owns_a_copy(store: Store, sharing: Sharing, curator: Curator, entry: Entry) -> None:
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    copy = shared_one(store)
    attempts: list[Callable[[Scope], object]] = [
        lambda scope: store.memory.edit(copy.id, "mine", scope),
        lambda scope: store.memory.retract(copy.id, scope),
        lambda scope: store.memory.forget(copy.id, scope),
        lambda scope: store.memory.use_again(copy.id, scope),
        lambda scope: store.memory.add_keys(copy.id, [Key("mine")], scope),
        lambda scope: sharing.offer(copy.id, scope),
        lambda scope: sharing.withdraw(copy.id, scope),
    ]
    for attempt in attempts:
        for person in (ANN, BOB, CURATOR):
            with pytest.raises(NotFound):
                attempt(person)
    assert shared_one(store) == copy


def test_a_key_that_says_more_than_the_question_is_not_shared(store: Store, sharing: Sharing, curator: Curator) -> None:
    further = [Key("kal at the office of Dr. Rao", KeyOrigin.RULE), Key("kal", KeyOrigin.RULE)]
    entry = store.memory.remember(clarification("kal match kab hai", further=further), ANN)
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    assert [key.text for key in shared_one(store).keys] == ["kal match kab hai", "kal"]


def test_where_a_model_writes_keys_it_writes_them_for_the_copy_too(
    store: Store, sharing: Sharing, curator: Curator
) -> None:
    draft = Draft(Kind.CLARIFICATION, "q", "said", "key", wants_keys=True)
    entry = store.memory.remember(draft, ANN)
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    copy = shared_one(store)
    assert store.key_work.wants(copy.id) == copy
    assert store.key_work.written(copy.id, [Key("by the model", KeyOrigin.MODEL)])
    assert [key.text for key in shared_one(store).keys] == ["q", "by the model"]
    with store.ledger.read() as connection:
        states = {row.id: row.key_state for row in connection.execute(select(entries.c.id, entries.c.key_state))}
    assert states == {entry.id: KeyState.WANTED, copy.id: KeyState.WRITTEN}


@pytest.mark.parametrize("how", ["withdraw", "decline", "edit", "retract", "supersede", "forget"])
def test_when_an_offer_ends_nothing_of_its_copy_is_left(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry, how: str
) -> None:
    offer = sharing.offer(entry.id, ANN)
    sharing.accept(offer.id, curator)
    copy = shared_one(store)
    assert store.memory.entries_by_id([copy.id], BOB).keys() == {copy.id}
    if how == "withdraw":
        sharing.withdraw(entry.id, ANN)
    elif how == "decline":
        sharing.decline(offer.id, " it is about a person ", curator)
    elif how == "edit":
        store.memory.edit(entry.id, "I meant an antonym", ANN)
    elif how == "retract":
        store.memory.retract(entry.id, ANN)
    elif how == "supersede":
        store.memory.remember(clarification(entry.question, "I meant a rhyme", "another"), ANN)
    else:
        store.memory.forget(entry.id, ANN)

    assert store.memory.entries_by_id([copy.id], BOB) == {}
    assert read_by(store, BOB) == []
    assert sharing.offers(curator) == []
    with pytest.raises(NotFound):
        store.memory.entry(copy.id, BOB)
    with store.ledger.read() as connection:
        assert connection.execute(select(entries.c.id).where(entries.c.owner == NOBODY)).all() == []
    ended = sharing.offers_of([entry.id], ANN).get(entry.id)
    if how == "forget":
        assert ended is None
    else:
        assert ended is not None
        assert ended.state is (OfferState.DECLINED if how == "decline" else OfferState.WITHDRAWN)
        assert ended.reason == ("it is about a person" if how == "decline" else "")


def test_what_was_withdrawn_can_be_offered_again_and_what_was_declined_only_changed(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    first = sharing.offer(entry.id, ANN)
    withdrawn = sharing.withdraw(entry.id, ANN)
    assert withdrawn.state is OfferState.WITHDRAWN
    assert sharing.withdraw(entry.id, ANN) == withdrawn
    for decide in (lambda: sharing.accept(first.id, curator), lambda: sharing.decline(first.id, "", curator)):
        with pytest.raises(NotFound, match="meantime"):
            decide()
    again = sharing.offer(entry.id, ANN)
    assert (again.id, again.state, again.decided) == (first.id, OfferState.OFFERED, None)

    declined = sharing.decline(again.id, "too long", curator)
    assert sharing.decline(again.id, "another reason", curator) == declined
    with pytest.raises(NotFound, match="meantime"):
        sharing.accept(again.id, curator)
    assert sharing.withdraw(entry.id, ANN) == declined
    with pytest.raises(InputError, match="declined"):
        sharing.offer(entry.id, ANN)
    edited = store.memory.edit(entry.id, "shorter", ANN)
    assert sharing.offer(edited.id, ANN).state is OfferState.OFFERED


def test_what_is_shared_can_be_shared_again_after_it_was_withdrawn(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    for _ in range(2):
        sharing.accept(sharing.offer(entry.id, ANN).id, curator)
        assert shared_one(store).text == entry.text
        sharing.withdraw(entry.id, ANN)
        assert read_by(store, BOB) == []


def test_only_the_owner_offers_withdraws_and_sees_an_offer(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    for person in (BOB, CURATOR):
        with pytest.raises(NotFound):
            sharing.offer(entry.id, person)
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    for person in (BOB, CURATOR):
        with pytest.raises(NotFound):
            sharing.withdraw(entry.id, person)
        assert sharing.offers_of([entry.id], person) == {}
    assert read_by(store, BOB) == [(entry.question, entry.text)]


@pytest.mark.parametrize("person", [ANN, BOB, Scope("CORA"), Scope("cora "), Scope("'cora'")])
def test_whoever_is_not_named_is_no_curator(store: Store, sharing: Sharing, entry: Entry, person: Scope) -> None:
    offer = sharing.offer(entry.id, ANN)
    with pytest.raises(NotCurator):
        sharing.curator(person)
    for pretended in (person, person.person, None, True):
        attempts: list[Callable[[], object]] = [
            lambda: sharing.offers(pretended),  # type: ignore[arg-type] # noqa: B023
            lambda: sharing.accept(offer.id, pretended),  # type: ignore[arg-type] # noqa: B023
            lambda: sharing.decline(offer.id, "", pretended),  # type: ignore[arg-type] # noqa: B023
        ]
        for attempt in attempts:
            with pytest.raises(NotCurator):
                attempt()
    assert sharing.offers_of([entry.id], ANN)[entry.id].state is OfferState.OFFERED


def test_who_may_not_offer_is_refused(store: Store, sharing: Sharing) -> None:
    stranger = Scope("a stranger")
    entry = store.memory.remember(clarification("q"), stranger)
    assert not sharing.may_offer(stranger)
    assert sharing.may_offer(ANN)
    with pytest.raises(NotAllowed, match="signed in"):
        sharing.offer(entry.id, stranger)
    assert sharing.offers_of([entry.id], stranger) == {}


def test_what_the_rules_refuse_is_neither_offered_nor_accepted(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    long_text = store.memory.remember(clarification("crane", "a bird, " * 6), ANN)
    long_question = store.memory.remember(clarification("melon, " * 6, "a fruit"), ANN)
    for refused in (long_text, long_question):
        with pytest.raises(TooLong, match="shorten it to 40"):
            sharing.offer(refused.id, ANN)
    offer = sharing.offer(entry.id, ANN)
    with pytest.raises(TooLong):
        sharing.accept(offer.id, curator, "x" * 41)
    with pytest.raises(TooLong):
        sharing.decline(offer.id, "x" * (LONGEST_REASON + 1), curator)
    assert sharing.offers_of([entry.id], ANN) == {entry.id: offer}
    assert read_by(store, BOB) == []


def test_how_it_was_misunderstood_is_shared_only_where_the_rules_allow_it(
    store: Store, sharing: Sharing, curator: Curator
) -> None:
    for number, wrong in enumerate(("a sound", "x" * 41)):
        draft = clarification(f"question {number}", f"said {number}")
        saved = store.memory.remember(replace(draft, wrong_understanding=wrong), ANN)
        sharing.offer(saved.id, ANN)
    waiting = sharing.offers(curator)
    assert [offered.misunderstood for offered in waiting] == ["a sound", ""]
    for offered in waiting:
        sharing.accept(offered.offer.id, curator)
    ids = {key.entry_id for key in store.memory.keys(BOB)}
    shared = store.memory.entries_by_id(ids, BOB).values()
    assert sorted(found.wrong_understanding for found in shared) == ["", "a sound"]


def test_a_confirmed_answer_cannot_be_offered(store: Store, sharing: Sharing) -> None:
    example = store.memory.remember(Draft(Kind.EXAMPLE, "q", "", "key", understanding="u", answer="a"), ANN)
    with pytest.raises(InputError, match="confirmed answer"):
        sharing.offer(example.id, ANN)


def test_what_counts_no_more_cannot_be_offered(store: Store, sharing: Sharing, entry: Entry) -> None:
    store.memory.retract(entry.id, ANN)
    with pytest.raises(NotFound):
        sharing.offer(entry.id, ANN)


def test_the_curator_sees_what_waits_longest_first_then_what_is_shared(
    store: Store, sharing: Sharing, curator: Curator
) -> None:
    words = ("harbour", "melon", "crane", "bank")
    saved = [store.memory.remember(clarification(word, f"meaning of {word}"), ANN) for word in words]
    for one in saved:
        sharing.offer(one.id, ANN)
    for one in saved[:2]:
        sharing.accept(sharing.offer(one.id, ANN).id, curator)
    seen = [offered.question for offered in sharing.offers(curator)]
    assert seen == ["crane", "bank", "melon", "harbour"]
    assert [offered.question for offered in sharing.offers(curator, limit=3)] == seen[:3]
    assert [offered.question for offered in sharing.offers(curator, limit=1)] == seen[:1]


def test_a_damaged_offer_is_not_shown_and_its_copy_still_goes(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry, caplog: pytest.LogCaptureFixture
) -> None:
    offer = sharing.offer(entry.id, ANN)
    sharing.accept(offer.id, curator)
    with store.ledger.write() as connection:
        connection.execute(update(offers).values(reason="what nobody wrote"))
    assert sharing.offers(curator) == []
    assert sharing.offers_of([entry.id], ANN) == {}
    assert offer.id in caplog.text
    assert "what nobody wrote" not in caplog.text
    store.memory.retract(entry.id, ANN)
    assert read_by(store, BOB) == []


def test_erasing_a_damaged_entry_takes_its_copy_and_no_other(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    other = store.memory.remember(clarification("a melon", "the fruit"), ANN)
    for one in (entry, other):
        sharing.accept(sharing.offer(one.id, ANN).id, curator)
    with store.ledger.write() as connection:
        connection.execute(update(entries).where(entries.c.id == entry.id).values(text="what nobody wrote"))
    store.memory.forget(entry.id, ANN)
    assert read_by(store, BOB) == [("a melon", "the fruit")]
    assert [offered.question for offered in sharing.offers(curator)] == ["a melon"]
    with store.ledger.read() as connection:
        assert connection.execute(select(offers.c.entry_id)).scalars().all() == [other.id]


def test_a_copy_whose_scope_was_changed_is_served_to_nobody(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    other = store.memory.remember(clarification("a private question", "private"), ANN)
    with store.ledger.write() as connection:
        connection.execute(update(entries).where(entries.c.id == other.id).values(scope="everyone"))
    assert read_by(store, BOB) == []


def test_a_shared_entry_rests_for_the_person_it_hurt_and_for_nobody_else(
    store: Store, sharing: Sharing, curator: Curator, entry: Entry
) -> None:
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    copy = shared_one(store)
    for number in range(2):
        store.journal.record(Turn(f"t{number}", "c", BOB.person, "a secret question of Bob's"), BOB)
        store.memory.count(copy.id, "hurt", f"t{number}", BOB)
    assert store.memory.entries_by_id([copy.id], BOB) == {}
    assert store.memory.entry(copy.id, BOB).resting
    theirs = store.memory.entries_by_id([copy.id], CURATOR)[copy.id]
    assert (theirs.hurt, theirs.reactions, theirs.resting) == (2, (), False)
    own = store.memory.entry(entry.id, ANN)
    assert (own.hurt, own.helped, own.used) == (0, 0, 0)
