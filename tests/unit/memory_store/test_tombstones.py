"""The file in which erasures are written down: whatever a crash or a hand did to it, the other lines count."""

from pathlib import Path

import pytest

from memory_store.ledger.tombstones import Tombstones


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "erasures.jsonl"


def standing(path: Path) -> list[str]:
    return [line["id"] for line in Tombstones(path).standing()]


def test_what_is_written_stands_until_it_is_withdrawn(path: Path) -> None:
    tombstones = Tombstones(path)
    assert standing(path) == []
    for name in "abc":
        tombstones.append({"id": name})
    tombstones.withdraw("b")
    assert standing(path) == ["a", "c"]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", [b"\n", b'{"id": "to', b"\xff\n", b"[1]\n", b"null", b'{"no": "id"}\n'])
def test_a_line_that_cannot_be_read_is_passed_over_and_the_next_one_is_whole(path: Path, damage: bytes) -> None:
    Tombstones(path).append({"id": "a"})
    with path.open("ab") as file:
        file.write(damage)
    Tombstones(path).append({"id": "b"})
    assert standing(path) == ["a", "b"]


def test_an_empty_file_takes_a_first_line(path: Path) -> None:
    path.touch()
    Tombstones(path).append({"id": "a"})
    assert standing(path) == ["a"]


def test_what_cannot_be_withdrawn_stands(tmp_path: Path) -> None:
    """Then it is carried out at the next start, which is the safer of the two."""
    path = tmp_path / "folder" / "erasures.jsonl"
    path.parent.mkdir()
    Tombstones(path).append({"id": "a"})
    path.parent.rename(tmp_path / "moved")
    Tombstones(path).withdraw("a")
    assert standing(tmp_path / "moved" / "erasures.jsonl") == ["a"]


def test_without_a_file_nothing_is_written_down() -> None:
    nowhere = Tombstones(None)
    nowhere.append({"id": "a"})
    nowhere.withdraw("a")
    assert nowhere.standing() == []
