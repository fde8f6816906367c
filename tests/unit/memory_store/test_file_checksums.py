import shutil
import subprocess
from pathlib import Path

import pytest

from memory_store.index.file_checksums import FileChecksums

UNREADABLE = Path("/proc/self/mem")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.lance" / "data").mkdir(parents=True)
    (tmp_path / "a.lance" / "data" / "one").write_bytes(b"one")
    (tmp_path / "a.lance" / "two").write_bytes(b"two")
    (tmp_path / "a.lance" / "latest_version_hint.json").write_bytes(b"1")
    (tmp_path / "other").write_bytes(b"not of a table")
    FileChecksums(tmp_path).record()
    return tmp_path


def test_what_is_as_it_was_is_whole_and_anybody_can_check_it(folder: Path) -> None:
    assert (FileChecksums(folder).broken(), FileChecksums(folder).strays()) == ([], [])
    before = (folder / "SHA256SUMS").stat().st_mtime_ns
    FileChecksums(folder).record()
    assert (folder / "SHA256SUMS").stat().st_mtime_ns == before  # nothing is written where nothing changed
    command = shutil.which("sha256sum") or shutil.which("shasum")
    if command is None:
        pytest.skip("this machine has no command that checks sums")
    checked = subprocess.run([command, "--check", "SHA256SUMS"], cwd=folder, capture_output=True, check=False)
    assert (checked.returncode, checked.stdout.count(b": OK")) == (0, 2)


@pytest.mark.parametrize("content", [b"", b"o", b"onE", b"one "])
def test_another_content_is_broken_and_stays_so(folder: Path, content: bytes) -> None:
    (folder / "a.lance" / "data" / "one").write_bytes(content)
    for _ in range(2):
        assert FileChecksums(folder).broken() == ["a.lance/data/one"]
        FileChecksums(folder).record()


def test_what_comes_and_goes_is_recorded_and_forgotten(folder: Path) -> None:
    (folder / "a.lance" / "two").unlink()
    (folder / "a.lance" / "three").write_bytes(b"three")
    (folder / "a.lance" / "latest_version_hint.json").write_bytes(b"2")
    assert (FileChecksums(folder).broken(), FileChecksums(folder).strays()) == ([], ["a.lance/three", "a.lance/two"])
    FileChecksums(folder).record()
    assert FileChecksums(folder).strays() == []


def test_cleared_checksums_let_other_files_take_the_names(folder: Path) -> None:
    FileChecksums(folder).clear()
    FileChecksums(folder).clear()
    (folder / "a.lance" / "two").write_bytes(b"another")
    assert FileChecksums(folder).broken() == []
    FileChecksums(folder).record()
    assert (FileChecksums(folder).broken(), FileChecksums(folder).strays()) == ([], [])


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\n", b"no checksum", b"x  ../../other\n", b"x  a\x00b\n"])
def test_damaged_checksums_break_nothing(folder: Path, content: bytes) -> None:
    (folder / "SHA256SUMS").write_bytes(content)
    assert set(FileChecksums(folder).broken()) <= {"../../other"}
    assert {"a.lance/data/one", "a.lance/two"} <= set(FileChecksums(folder).strays())
    FileChecksums(folder).record()
    assert (FileChecksums(folder).broken(), FileChecksums(folder).strays()) == ([], [])


def test_what_nobody_recorded_is_tried_once(folder: Path) -> None:
    for name in ("three", "four"):
        assert [FileChecksums(folder).trust() for _ in range(2)] == [True, True]
        (folder / "a.lance" / name).write_bytes(b"new")
        assert [FileChecksums(folder).trust() for _ in range(2)] == [True, False]
        FileChecksums(folder).record()
    (folder / "a.lance" / "five").write_bytes(b"new")
    assert FileChecksums(folder).trust()
    FileChecksums(folder).clear()
    assert FileChecksums(folder).trust()


@pytest.mark.parametrize("place", ["nowhere", "s3://bucket/folder"])
def test_where_there_is_no_folder_nothing_is_recorded(tmp_path: Path, place: str) -> None:
    checksums = FileChecksums(tmp_path / place)
    checksums.record()
    checksums.clear()
    assert (checksums.broken(), checksums.strays(), checksums.trust()) == ([], [], True)
    assert not (tmp_path / place).exists()


@pytest.mark.skipif(not UNREADABLE.exists(), reason="this system has no file that fails to be read")
def test_a_file_that_cannot_be_read_is_broken(folder: Path) -> None:
    (folder / "a.lance" / "two").unlink()
    (folder / "a.lance" / "two").symlink_to(UNREADABLE)
    assert FileChecksums(folder).broken() == ["a.lance/two"]
