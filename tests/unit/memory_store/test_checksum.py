from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_store.ledger.database.schema import entries, keys
from memory_store.ledger.rows import checksum

pytestmark = pytest.mark.promise("entry-checksums")

PLAIN = st.one_of(st.text(), st.integers(), st.none(), st.floats(allow_nan=False), st.booleans())
ENTRY, KEY = ([column.name for column in table.columns if column.name != "checksum"] for table in (entries, keys))


def full(columns: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(dict.fromkeys(columns, st.one_of(PLAIN, st.binary())))


@settings(max_examples=40)
@given(data=st.data(), entry=full(ENTRY), found_under=st.lists(full(KEY), min_size=1, max_size=3))
def test_change_of_any_column_is_seen(
    data: st.DataObject, entry: dict[str, Any], found_under: list[dict[str, Any]]
) -> None:
    before = checksum(entry, found_under)
    row = data.draw(st.sampled_from([entry, *found_under]), "row")
    name = data.draw(st.sampled_from(sorted(row)), "column")
    old = row[name]
    row[name] = data.draw(st.one_of(PLAIN, st.binary()), "value")
    assert (checksum(entry, found_under) == before) == is_the_same(old, row[name])


def is_the_same(one: object, other: object) -> bool:
    """As far as a checksum says: nothing and an empty text are the same, True and 1 or 1 and 1.0 are not."""
    empty = (None, "")
    return (one in empty and other in empty) or repr(one) == repr(other)


def test_keys_count_and_empty_columns_do_not() -> None:
    row, keys = {"id": "1"}, [{"text": "a"}, {"text": "b"}]
    assert len({checksum(row, some) for some in (keys, keys[::-1], keys[:1], [])}) == 4
    assert checksum(row, keys) == checksum({**row, "new": None, "newer": "", "checksum": "x"}, keys)
