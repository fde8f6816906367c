"""Checksums of entries, the tombstone file, and errors of the index."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_store.ledger.database.schema import entries, keys
from memory_store.ledger.files import Tombstones
from memory_store.ledger.rows import compute_checksum
from memory_store.vectors.index import IndexUnavailable, _convert_errors

PLAIN = st.one_of(st.text(), st.integers(), st.none(), st.floats(allow_nan=False), st.booleans())
ENTRY, KEY = ([column.name for column in table.columns if column.name != "checksum"] for table in (entries, keys))


def full(columns: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(dict.fromkeys(columns, st.one_of(PLAIN, st.binary())))


@pytest.mark.promise("entry-checksums")
@settings(max_examples=40)
@given(data=st.data(), entry=full(ENTRY), found_under=st.lists(full(KEY), min_size=1, max_size=3))
def test_change_of_any_column_is_seen(
    data: st.DataObject, entry: dict[str, Any], found_under: list[dict[str, Any]]
) -> None:
    before = compute_checksum(entry, found_under)
    row = data.draw(st.sampled_from([entry, *found_under]), "row")
    name = data.draw(st.sampled_from(sorted(row)), "column")
    old = row[name]
    row[name] = data.draw(st.one_of(PLAIN, st.binary()), "value")
    assert (compute_checksum(entry, found_under) == before) == is_the_same(old, row[name])


def is_the_same(one: object, other: object) -> bool:
    """Return True if a checksum treats both alike: None and "" are the same, but True and 1, or 1 and 1.0, are not."""
    empty = (None, "")
    return (one in empty and other in empty) or repr(one) == repr(other)


@pytest.mark.promise("entry-checksums")
def test_keys_count_and_empty_columns_do_not() -> None:
    row, keys = {"id": "1"}, [{"text": "a"}, {"text": "b"}]
    assert len({compute_checksum(row, some) for some in (keys, keys[::-1], keys[:1], [])}) == 4
    assert compute_checksum(row, keys) == compute_checksum({**row, "new": None, "newer": "", "checksum": "x"}, keys)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "erasures.jsonl"


def standing(path: Path) -> list[str]:
    return [line["id"] for line in Tombstones(path).read_active()]


def test_line_stands_until_withdrawn(path: Path) -> None:
    tombstones = Tombstones(path)
    assert standing(path) == []
    for name in "abc":
        tombstones.append({"id": name})
    tombstones.withdraw(["b"])
    assert standing(path) == ["a", "c"]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", [b"\n", b'{"id": "to', b"\xff\n", b"[1]\n", b"null", b'{"no": "id"}\n'])
def test_unreadable_line_is_passed_over(path: Path, damage: bytes) -> None:
    path.touch()
    Tombstones(path).append({"id": "a"})
    with path.open("ab") as file:
        file.write(damage)
    Tombstones(path).append({"id": "b"})
    assert standing(path) == ["a", "b"]


def test_failed_withdrawal_leaves_the_line(tmp_path: Path) -> None:
    # The next start then repeats the erasure, which is the safer outcome.
    path = tmp_path / "folder" / "erasures.jsonl"
    path.parent.mkdir()
    Tombstones(path).append({"id": "a"})
    path.parent.rename(tmp_path / "moved")
    Tombstones(path).withdraw(["a"])
    assert standing(tmp_path / "moved" / "erasures.jsonl") == ["a"]


def test_no_file_means_no_lines() -> None:
    nowhere = Tombstones(None)
    nowhere.append({"id": "a"})
    nowhere.withdraw(["a"])
    assert nowhere.read_active() == []


class PanicException(BaseException):
    pass


@pytest.mark.parametrize("error", [RuntimeError("a"), OSError(), PanicException("called unwrap()")])
def test_damage_is_one_error(error: BaseException) -> None:
    with pytest.raises(IndexUnavailable) as raised, _convert_errors():
        raise error
    assert raised.value.__cause__ is error


@pytest.mark.parametrize("error", [IndexUnavailable(), KeyboardInterrupt(), SystemExit(), GeneratorExit()])
def test_other_errors_pass_unchanged(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised, _convert_errors():
        raise error
    assert raised.value is error
