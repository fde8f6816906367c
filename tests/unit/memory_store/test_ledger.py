"""Checksums of entries, the tombstone file, and errors of the index."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_store.ledger.database.schema import entries
from memory_store.ledger.files import Tombstones
from memory_store.ledger.rows import compute_checksum
from memory_store.vectors.index import IndexUnavailable, _convert_errors

PLAIN = st.one_of(st.text(), st.integers(), st.none(), st.floats(allow_nan=False), st.booleans())
ENTRY = sorted({column.name for column in entries.columns} - {"checksum", "found_under", "search_text"})
KEY = ["text", "origin"]


def full(columns: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(dict.fromkeys(columns, st.one_of(PLAIN, st.binary())))


@pytest.mark.promise("entry-checksums")
@settings(max_examples=40)
@given(data=st.data(), entry=full(ENTRY), found_under=st.lists(full(KEY), min_size=1, max_size=3))
def test_change_of_any_column_is_seen(
    data: st.DataObject, entry: dict[str, Any], found_under: list[dict[str, Any]]
) -> None:
    entry["found_under"] = found_under
    before = compute_checksum(entry)
    row = data.draw(st.sampled_from([entry, *found_under]), "row")
    name = data.draw(st.sampled_from(ENTRY if row is entry else KEY), "column")
    old = row[name]
    row[name] = data.draw(st.one_of(PLAIN, st.binary()), "value")
    assert (compute_checksum(entry) == before) == is_the_same(old, row[name])


def is_the_same(one: object, other: object) -> bool:
    """Return True if a checksum treats both alike: None and "" are the same, but True and 1, or 1 and 1.0, are not."""
    empty = (None, "")
    return (one in empty and other in empty) or repr(one) == repr(other)


@pytest.mark.promise("entry-checksums")
def test_keys_count_and_empty_columns_do_not() -> None:
    row, keys = {"id": "1", "owner": "a"}, [{"text": "a"}, {"text": "b"}]
    whole = {**row, "found_under": keys}
    assert len({compute_checksum({**row, "found_under": some}) for some in (keys, keys[::-1], keys[:1], [], None)}) == 5
    assert compute_checksum(whole) == compute_checksum({**whole, "new": None, "newer": "", "checksum": "x"})


@pytest.mark.parametrize("damage", [b"\n", b'{"id": "to', b"\xff\n", b"[1]\n", b"null", b'{"no": "id"}\n'])
def test_tombstone_stands_until_withdrawn(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "erasures.jsonl"
    for name in "abc":
        Tombstones(path).append({"id": name})
        with path.open("ab") as file:
            file.write(damage)
    Tombstones(path).withdraw(["b"])
    assert [line["id"] for line in Tombstones(path).read_active()] == ["a", "c"]
    assert path.stat().st_mode & 0o777 == 0o600


class PanicException(BaseException):
    pass


@pytest.mark.parametrize("error", [OSError(), PanicException("called unwrap()"), KeyboardInterrupt()])
def test_damage_is_one_error(error: BaseException) -> None:
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else IndexUnavailable
    with pytest.raises(expected), _convert_errors():
        raise error
