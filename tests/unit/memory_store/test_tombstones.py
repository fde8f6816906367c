"""The file in which erasures are written down: whatever a crash or a hand did to it, the other lines count."""

from pathlib import Path

import pytest

from memory_store.ledger.tombstones import Tombstones


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "erasures.jsonl"


def standing(path: Path) -> list[str]:
    return [line["id"] for line in Tombstones(path).standing()]


def test_line_stands_until_withdrawn(path: Path) -> None:
    tombstones = Tombstones(path)
    assert standing(path) == []
    for name in "abc":
        tombstones.append({"id": name})
    tombstones.withdraw("b")
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
    """Then it is carried out at the next start, which is the safer of the two."""
    path = tmp_path / "folder" / "erasures.jsonl"
    path.parent.mkdir()
    Tombstones(path).append({"id": "a"})
    path.parent.rename(tmp_path / "moved")
    Tombstones(path).withdraw("a")
    assert standing(tmp_path / "moved" / "erasures.jsonl") == ["a"]


def test_no_file_means_no_lines() -> None:
    nowhere = Tombstones(None)
    nowhere.append({"id": "a"})
    nowhere.withdraw("a")
    assert nowhere.standing() == []
