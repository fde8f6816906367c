from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, insert, select

from assistant.errors import NoIdentity
from assistant.types import LONGEST_PERSON, Entry, Key, Kind, Scope, Status
from memory_store.ledger.access import (
    is_readable,
    never_by_index,
    only_readable_entries,
    own,
    own_rows,
    private_rows,
    readable,
)
from memory_store.ledger.database.schema import PRIVATE, SHARED, entries
from memory_store.ledger.indexed_keys import IndexedKey

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
HOSTILE = [
    "ann",
    "bob",
    "' OR 1=1 --",
    "' OR '1'='1",
    '"owner"',
    "ann'--",
    "\\",
    "\\'",
    "%",
    "_nn",
    "अनु",
    "ਅਨੂ",
    "ann; DROP TABLE entries",
    "true",
    ")",
    "lit('x')",
    "🙂",
]
PEOPLE = st.one_of(
    st.sampled_from(HOSTILE), st.text(min_size=1, max_size=LONGEST_PERSON).filter(lambda text: text.isprintable())
)


@pytest.mark.parametrize("person", ["", "a\x00b", "a\nb", "\ud800", "a\u202eb", "x" * (LONGEST_PERSON + 1)])
def test_an_id_that_cannot_be_printed_is_no_scope(person: str) -> None:
    with pytest.raises(NoIdentity):
        Scope(person)


def key_of(owner: str, scope: str = PRIVATE) -> IndexedKey:
    return IndexedKey("k", "e", owner, "text", "text", "text", scope=scope)


@pytest.mark.parametrize("nobody", [None, "ann", 1, {"person": "ann"}])
def test_what_is_no_scope_gets_nothing(nobody: Scope) -> None:
    for use in (lambda: own(entries, nobody), lambda: readable(nobody), lambda: private_rows(nobody)):
        with pytest.raises(NoIdentity):
            use()
    with pytest.raises(NoIdentity):
        list(only_readable_entries([], nobody))
    with pytest.raises(NoIdentity):
        is_readable(key_of("ann"), nobody)


@given(owners=st.lists(PEOPLE, min_size=1, max_size=8, unique=True), asking=PEOPLE)
def test_the_ledger_condition_lets_through_ones_own_and_what_is_shared(owners: list[str], asking: str) -> None:
    engine = create_engine("sqlite://")
    entries.create(engine)
    rows = []
    for number, (owner, scope) in enumerate(itertools.product(owners, (PRIVATE, SHARED))):
        row = dict.fromkeys(entries.c.keys(), "") | {"id": str(number), "sequence": number, "owner": owner}
        rows.append(row | {"scope": scope, "idempotency_key": str(number)})
    with engine.begin() as connection:
        connection.execute(insert(entries), rows)
        mine = set(connection.execute(select(entries.c.id).where(own(entries, Scope(asking)))).scalars())
        seen = set(connection.execute(select(entries.c.id).where(readable(Scope(asking)))).scalars())
        named = set(connection.execute(select(entries.c.id).where(never_by_index(readable(Scope(asking))))).scalars())
    engine.dispose()
    assert mine == {row["id"] for row in rows if row["owner"] == asking}
    assert named == seen
    assert seen == {row["id"] for row in rows if row["owner"] == asking or row["scope"] == SHARED}


def test_entries_that_are_named_are_looked_up_by_name_however_many_a_person_has() -> None:
    engine = create_engine("sqlite://")
    entries.create(engine)
    query = select(entries.c.id).where(
        entries.c.id.in_(list("abcdefghij")), never_by_index(readable(Scope("ann"))), entries.c.status == "active"
    )
    with engine.begin() as connection:
        statement = query.compile(engine, compile_kwargs={"literal_binds": True})
        plan = [row.detail for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")]
    engine.dispose()
    assert [step.rpartition("(")[2] for step in plan] == ["id=?)"]


@given(owners=st.lists(PEOPLE, max_size=5), asking=PEOPLE, scope_name=st.sampled_from([PRIVATE, SHARED, "", "other"]))
def test_each_row_is_looked_at_again(owners: list[str], asking: str, scope_name: str) -> None:
    kept = [owner for owner in owners if is_readable(key_of(owner, scope_name), Scope(asking))]
    if scope_name == SHARED:
        assert kept == owners
    else:
        assert kept == [owner for owner in owners if scope_name == PRIVATE and owner == asking]


@given(owners=st.lists(PEOPLE, max_size=5), asking=PEOPLE)
def test_each_row_of_the_ledger_is_looked_at_again(owners: list[str], asking: str) -> None:
    rows = [{"id": str(number), "owner": owner} for number, owner in enumerate(owners)]
    assert list(own_rows(rows, Scope(asking))) == [row for row in rows if row["owner"] == asking]


@given(owners=st.lists(PEOPLE, max_size=5), asking=PEOPLE, shared=st.booleans())
def test_each_entry_is_looked_at_again(owners: list[str], asking: str, shared: bool) -> None:
    found = [
        Entry(str(number), Kind.CLARIFICATION, owner, shared, Status.ACTIVE, "q", "said", number, NEW_YEAR, (Key("q"),))
        for number, owner in enumerate(owners)
    ]
    kept = list(only_readable_entries(found, Scope(asking)))
    assert kept == [entry for entry in found if shared or entry.owner == asking]
