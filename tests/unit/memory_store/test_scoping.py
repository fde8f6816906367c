import itertools
from collections import namedtuple
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Row, create_engine, insert, select

from assistant.errors import NoIdentity
from assistant.types import LONGEST_PERSON, Scope
from memory_store.ledger.access import belongs_to, bypass_index, filter_own, filter_readable, is_readable, is_row_of
from memory_store.ledger.database.schema import PRIVATE, SHARED, entries
from tests.support.memory.entries import build_owned_entry

HOSTILE = ["ann", "' OR 1=1 --", '"owner"', "\\'", "%", "_nn", "अनु", "ann; DROP TABLE entries", "true", ")", "🙂"]
PEOPLE = st.one_of(
    st.sampled_from(HOSTILE), st.text(min_size=1, max_size=LONGEST_PERSON).filter(lambda text: text.isprintable())
)

Owned = namedtuple("Owned", ["id", "owner"])


@pytest.mark.parametrize("person", ["", "a\x00b", "a\nb", "\ud800", "a\u202eb", "x" * (LONGEST_PERSON + 1)])
def test_unprintable_id_is_no_scope(person: str) -> None:
    with pytest.raises(NoIdentity):
        Scope(person)


@pytest.mark.parametrize("nobody", [None, "ann", {"person": "ann"}])
def test_anything_but_a_scope_reads_nothing(nobody: Scope) -> None:
    for reads in (partial(belongs_to, entries), is_readable, lambda scope: list(filter_readable([], scope))):
        with pytest.raises(NoIdentity):
            reads(nobody)


@given(owners=st.lists(PEOPLE, min_size=1, max_size=8, unique=True), asking=PEOPLE)
def test_condition_passes_own_and_shared_rows(owners: list[str], asking: str) -> None:
    engine = create_engine("sqlite://")
    entries.create(engine)
    rows = []
    for number, (owner, scope) in enumerate(itertools.product(owners, (PRIVATE, SHARED))):
        row = dict.fromkeys(entries.c.keys(), "") | {"id": str(number), "sequence": number, "owner": owner}
        rows.append(row | {"scope": scope, "idempotency_key": str(number)})
    with engine.begin() as connection:
        connection.execute(insert(entries), rows)
        mine = set(connection.execute(select(entries.c.id).where(belongs_to(entries, Scope(asking)))).scalars())
        seen = set(connection.execute(select(entries.c.id).where(is_readable(Scope(asking)))).scalars())
        named = set(connection.execute(select(entries.c.id).where(bypass_index(is_readable(Scope(asking))))).scalars())
    engine.dispose()
    assert mine == {row["id"] for row in rows if row["owner"] == asking}
    assert named == seen
    assert seen == {row["id"] for row in rows if row["owner"] == asking or row["scope"] == SHARED}


@given(owners=st.lists(PEOPLE, max_size=5), asking=PEOPLE, scope_name=st.sampled_from([PRIVATE, SHARED, "", "other"]))
def test_each_row_and_entry_is_checked_again(owners: list[str], asking: str, scope_name: str) -> None:
    me, readable_by_all = Scope(asking), scope_name == SHARED
    readable_by_me = owners if readable_by_all else [owner for owner in owners if owner == asking]
    for wanted in ((PRIVATE, asking), (SHARED, "")):
        kept = [owner for owner in owners if is_row_of(wanted, scope_name, owner, "k")]
        assert kept == (readable_by_me if scope_name == wanted[0] else [])
    rows = [cast("Row[Any]", Owned(str(number), owner)) for number, owner in enumerate(owners)]
    assert list(filter_own(rows, me)) == [row for row in rows if row.owner == asking]
    entries = [build_owned_entry(owner=owner, shared=readable_by_all) for owner in owners]
    assert [entry.owner for entry in filter_readable(entries, me)] == readable_by_me
