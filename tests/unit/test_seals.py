from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memory_store.seals import NoSeals, Seals

UNREADABLE = Path("/proc/self/mem")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.lance" / "data").mkdir(parents=True)
    (tmp_path / "a.lance" / "data" / "one").write_bytes(b"one")
    (tmp_path / "a.lance" / "two").write_bytes(b"two")
    (tmp_path / "a.lance" / "latest_version_hint.json").write_bytes(b"1")
    (tmp_path / "other").write_bytes(b"not of a table")
    Seals(tmp_path).seal()
    return tmp_path


def test_what_is_as_it_was_is_whole(folder: Path) -> None:
    assert (Seals(folder).broken(), Seals(folder).strays()) == ([], [])


def test_anybody_can_check_them(folder: Path) -> None:
    command = shutil.which("sha256sum") or shutil.which("shasum")
    if command is None:
        pytest.skip("this machine has no command that checks sums")
    checked = subprocess.run([command, "--check", "SHA256SUMS"], cwd=folder, capture_output=True, check=False)
    assert (checked.returncode, checked.stdout.count(b": OK")) == (0, 2)


@pytest.mark.parametrize("content", [b"", b"o", b"onE", b"one "])
def test_another_content_is_broken_and_stays_so(folder: Path, content: bytes) -> None:
    (folder / "a.lance" / "data" / "one").write_bytes(content)
    for _ in range(2):
        assert Seals(folder).broken() == ["a.lance/data/one"]
        Seals(folder).seal()


def test_what_comes_and_goes_is_sealed_and_forgotten(folder: Path) -> None:
    (folder / "a.lance" / "two").unlink()
    (folder / "a.lance" / "three").write_bytes(b"three")
    (folder / "a.lance" / "latest_version_hint.json").write_bytes(b"2")
    assert (Seals(folder).broken(), Seals(folder).strays()) == ([], ["a.lance/three", "a.lance/two"])
    Seals(folder).seal()
    assert Seals(folder).strays() == []


def test_nothing_is_written_where_nothing_changed(folder: Path) -> None:
    before = (folder / "SHA256SUMS").stat().st_mtime_ns
    Seals(folder).seal()
    assert (folder / "SHA256SUMS").stat().st_mtime_ns == before


def test_cleared_seals_let_other_files_take_the_names(folder: Path) -> None:
    Seals(folder).clear()
    Seals(folder).clear()
    (folder / "a.lance" / "two").write_bytes(b"another")
    assert Seals(folder).broken() == []
    Seals(folder).seal()
    assert (Seals(folder).broken(), Seals(folder).strays()) == ([], [])


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\n", b"no seal", b"x  ../../other\n", b"x  a\x00b\n"])
def test_damaged_seals_break_nothing(folder: Path, content: bytes) -> None:
    (folder / "SHA256SUMS").write_bytes(content)
    assert set(Seals(folder).broken()) <= {"../../other"}
    assert {"a.lance/data/one", "a.lance/two"} <= set(Seals(folder).strays())
    Seals(folder).seal()
    assert (Seals(folder).broken(), Seals(folder).strays()) == ([], [])


def test_what_nobody_sealed_is_tried_once(folder: Path) -> None:
    assert Seals(folder).trust()
    assert Seals(folder).trust()
    (folder / "a.lance" / "three").write_bytes(b"three")
    assert Seals(folder).trust()
    assert not Seals(folder).trust()
    Seals(folder).seal()
    assert Seals(folder).trust()
    (folder / "a.lance" / "four").write_bytes(b"four")
    assert Seals(folder).trust()
    Seals(folder).clear()
    assert Seals(folder).trust()


def test_where_there_is_no_folder_nothing_is_sealed(tmp_path: Path) -> None:
    seals = Seals(tmp_path / "nowhere")
    seals.seal()
    seals.clear()
    assert (seals.broken(), seals.strays(), seals.trust()) == ([], [], True)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.skipif(not UNREADABLE.exists(), reason="this system has no file that fails to be read")
def test_a_file_that_cannot_be_read_is_broken(folder: Path) -> None:
    (folder / "a.lance" / "two").unlink()
    (folder / "a.lance" / "two").symlink_to(UNREADABLE)
    assert Seals(folder).broken() == ["a.lance/two"]


def test_an_object_store_has_none() -> None:
    seals = NoSeals()
    seals.seal()
    seals.clear()
    assert (seals.broken(), seals.strays(), seals.trust()) == ([], [], True)
