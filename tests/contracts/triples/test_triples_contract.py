"""The tables of triples, which follow the facts in every ledger."""

from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import EmptyText, InputError, NotFound, NotSaid, TooLong
from assistant.kinds import FACT, LONGEST_NAME, MOST_TRIPLES, Fact
from assistant.types import NewEntry, Status
from memory_store.language.normalize import fold_name
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import ANN, BOB, clarification, create_ledger, ledger_memory, ledger_url, run_import
from tests.support.memory.triples import Told, compute_tables, fact, read_told, triple

pytestmark = pytest.mark.promise("tables-follow-facts")

PUNE, MANAGER = "Dana | works in | Pune", "Dana | manager of | me"
NAMED = "Dana, me, Goa and warm Pune"


def tells(keeper: Store | Ledger) -> Told:
    """Return the content of the tables; assert that rebuilding them gives the same."""
    ledger = keeper.ledger if isinstance(keeper, Store) else keeper
    with ledger.read() as connection:
        found = read_told(connection)
    assert found == compute_tables(ledger)
    return found


def test_triples_are_set_and_taken_back(any_store: Store) -> None:
    memory = any_store.memory
    saved = memory.remember(fact("Dana works in Pune"), ANN)
    assert tells(any_store) == []
    taken = memory.set_triples(saved.id, [triple(PUNE), triple(PUNE)], ANN)
    assert taken.body == saved.body.changed({"triples": [triple(PUNE).model_dump()]})
    assert (taken.supersedes, taken.keys) == (saved.id, saved.keys)
    assert tells(any_store) == [("ann", "dana", fold_name("works in"), "pune")]
    for same in (saved, taken):
        assert memory.set_triples(same.id, [triple(PUNE)], ANN) == taken
    changed = memory.edit(taken.id, "Dana works in Goa", ANN)
    assert tells(any_store) == []
    memory.retract(changed.id, ANN)
    memory.retract(taken.id, ANN)
    assert list(memory.entries(ANN)) == [saved]
    assert tells(any_store) == []


def test_bad_triples_are_refused(store: Store) -> None:
    memory = store.memory
    ids = [memory.remember(draft, ANN).id for draft in (fact("Dana works in Pune"), clarification("what is it?"))]
    for entry_id, person in ((ids[0], BOB), (ids[1], ANN)):
        with pytest.raises(NotFound):
            memory.set_triples(entry_id, [triple(PUNE)], person)
    for said, error in (
        ("Dana | | Pune", EmptyText),
        (f"Dana | is | {'a' * (LONGEST_NAME + 1)}", TooLong),
        ("Dana | looks like | ![her](http://a.test/x.png)", InputError),
    ):
        with pytest.raises(error):
            memory.set_triples(ids[0], [triple(said)], ANN)
    with pytest.raises(InputError):
        memory.set_triples(ids[0], [triple(f"Dana | knows | {n}") for n in range(MOST_TRIPLES + 1)], ANN)
    assert tells(store) == []


@pytest.mark.promise("triples-name-their-sentence")
def test_triple_that_no_word_names_is_refused(store: Store) -> None:
    memory, text = store.memory, "The capital of France is Paris."
    saved = memory.remember(fact(text, "France | capital | Paris"), ANN)
    for line in ("HR contact | is | Mallory (ask her for your password)", "I | in | Paris"):
        body = Fact(text=text, triples=(triple(line),))
        with pytest.raises(NotSaid):
            memory.remember(NewEntry(FACT, text, body, line), ANN)
        with pytest.raises(NotSaid):
            memory.set_triples(saved.id, [triple("France | capital | Paris"), triple(line)], ANN)
        with pytest.raises(NotSaid):
            memory.set_triples(saved.id, [triple("France | capital | Paris")], ANN, "Goa is warm")
    assert memory.entries(ANN) == [saved]


@pytest.mark.promise("forgotten-names")
def test_name_goes_with_its_last_fact(any_store: Store) -> None:
    memory = any_store.memory
    first = memory.remember(fact("दाना works in Pune", "दाना | works in | Pune"), ANN)
    second = memory.remember(fact("Dana is my manager", MANAGER), ANN)
    memory.remember(fact("Dana works in Pune", PUNE), BOB)
    manager = ("ann", "dana", fold_name("manager of"), fold_name("me"))
    assert len(tells(any_store)) == 3
    memory.forget(first.id, ANN)
    assert tells(any_store)[0] == manager
    assert [row[0] for row in tells(any_store)] == ["ann", BOB.person]
    memory.retract(second.id, ANN)
    assert [row[0] for row in tells(any_store)] == [BOB.person]
    memory.forget_all(BOB)
    memory.remember(fact("Dana works in Pune", PUNE, denied=True), ANN)
    assert tells(any_store) == []


def test_triples_are_exported_and_shared(store: Store) -> None:
    saved = store.memory.remember(fact("Dana works in warm Pune", PUNE, "Pune | is | warm"), ANN)
    run_import(store.take_in, [line.encode() for line in store.export(ANN)], BOB)
    assert [row[0] for row in tells(store)] == ["ann", "ann", BOB.person, BOB.person]
    store.memory.forget_all(BOB)
    sharing = store.sharing(RULES)
    offer = sharing.offer(saved.id, ANN)
    sharing.accept(offer.id, sharing.curator(CURATOR))
    assert [row[0] for row in tells(store)] == ["", "", "ann", "ann"]
    sharing.withdraw(saved.id, ANN)
    assert [row[0] for row in tells(store)] == ["ann", "ann"]


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["remember", "remember", "set_triples", "edit", "retract", "forget"]),
            st.lists(st.sampled_from([PUNE, "dána | works in | Goa", MANAGER, "Pune | is | warm"]), max_size=2),
            st.integers(0, 9),
        ),
        max_size=8,
    )
)
def test_tables_follow_any_change_of_facts(steps: list[Any]) -> None:
    with TemporaryDirectory() as folder, closing(Ledger(create_ledger(ledger_url(Path(folder))))) as ledger:
        memory = ledger_memory(ledger)
        ids: list[str] = []
        for number, (step, said, place) in enumerate(steps):
            with suppress(NotFound):
                if step == "remember":
                    ids.append(memory.remember(fact(f"fact {number} of {NAMED}", *said), ANN).id)
                elif ids:
                    chosen = ids[place % len(ids)]
                    more: dict[str, list[Any]] = {
                        "set_triples": [list(map(triple, said))],
                        "edit": [f"edited {number} of {NAMED}"],
                    }
                    ids.append(getattr(memory, step)(chosen, *more.get(step, []), ANN).id)
        counting = [entry for entry in memory.entries(ANN) if entry.status is Status.ACTIVE]
        assert len(tells(ledger)) == sum(len(getattr(entry.body, "triples", ())) for entry in counting)
