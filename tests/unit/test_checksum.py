from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_store.checksum import checksum

VALUES = st.one_of(st.text(), st.integers(), st.none(), st.binary())
ROWS = st.dictionaries(st.sampled_from(["id", "owner", "scope", "text", "question"]), VALUES)


@given(row=ROWS, keys=st.lists(ROWS, max_size=3), name=st.sampled_from(["id", "text"]), value=VALUES)
def test_any_other_value_has_another_checksum(row: dict, keys: list[dict], name: str, value: object) -> None:
    changed = {**row, name: value}
    same = {k: v for k, v in row.items() if v not in (None, "")} == {
        k: v for k, v in changed.items() if v not in (None, "")
    }
    assert (checksum(row, keys) == checksum(changed, keys)) == same


@given(row=ROWS, keys=st.lists(ROWS, min_size=1, max_size=3))
def test_keys_and_their_order_count(row: dict, keys: list[dict]) -> None:
    assert checksum(row, keys) != checksum(row, keys[1:])
    assert (checksum(row, keys) == checksum(row, keys[::-1])) == (
        [{k: v for k, v in key.items() if v not in (None, "")} for key in keys]
        == [{k: v for k, v in key.items() if v not in (None, "")} for key in keys[::-1]]
    )


def test_a_column_added_later_changes_nothing_while_it_is_empty() -> None:
    assert checksum({"id": "1"}, []) == checksum({"id": "1", "new": None, "newer": ""}, [])


def test_the_checksum_itself_is_not_summed() -> None:
    assert checksum({"id": "1"}, []) == checksum({"id": "1", "checksum": "x"}, [])
