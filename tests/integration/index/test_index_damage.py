"""The index damaged while closed and while open: noticed, made anew from the ledger, and nothing is lost."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lancedb.table import LanceTable

from assistant.types import Candidate
from memory_store.index import index
from memory_store.index import table as index_table
from memory_store.index.file_checksums import FileChecksums
from memory_store.index.following import FollowingCache
from memory_store.index.index import IndexUnavailable
from memory_store.recall.recall import MOST_CANDIDATES
from memory_store.store import Store
from tests.support.damage.flips import (
    DAMAGE,
    KINDS,
    a_file,
    a_table_that_is_a_file,
    any_file,
    assert_only_truth,
    deaths,
    empty_tables,
    flip,
    gone,
)
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairs,
    asked,
    assert_same_keys,
    clarification,
    indexed,
    recall_on,
    small_store,
)
from tests.support.servers.served import ROOT

pytestmark = [
    pytest.mark.promise("damaged-index-is-rebuilt", "index-flips-are-found"),
    pytest.mark.usefixtures("soon_tried_again"),
]
SECONDS = 60
FLIPS = 3  # for each of two tests
UNSEALED = 2  # for each of two moments
ENTRIES = 5
QUESTIONS, TOLD = ("""packed LIKE '%"question"]'""", """packed LIKE '%"told"]'""")  # by role


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a file of every kind in its index: each test damages a copy."""
    folder = tmp_path_factory.mktemp("filled")
    store = small_store(folder, LetterPairs())
    for number in range(ENTRIES):
        store.memory.remember(clarification(f"question {number}"), ANN)
        store.indexer.catch_up()
    store.memory.remember(clarification("what nobody else may see"), BOB)
    store.memory.edit(store.memory.entries(ANN)[0].id, "I meant an antonym", ANN)
    store.indexer.catch_up()
    store.close()
    return folder


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(filled, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def store(folder: Path) -> Store:
    return small_store(folder, LetterPairs())


def recall(store: Store, question: str) -> list[Candidate]:
    return list(recall_on(store, LetterPairs())(question, ANN))


def assert_whole(store: Store) -> None:
    """The index is up to date and holds what the ledger holds, whether it is read or searched."""
    assert store.indexer.wait_until_current(SECONDS)
    assert_same_keys(store, ANN, BOB)
    with searching(store):
        found = {row.entry_id for row in indexed(store.index, ANN, asked("question", embedder=LetterPairs()))}
    entries = {entry.id for entry in store.memory.entries(ANN)}
    assert found <= entries
    assert len(found) >= min(len(entries), index_table._MOST_ENTRIES)


@contextmanager
def searching(store: Store) -> Iterator[None]:
    """LanceDB searches, as where a person has more than is held in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "_MOST_HELD", 0)
        store.index._cache = FollowingCache(store.ledger.changes)
        yield
    store.index._cache = FollowingCache(store.ledger.changes)


def newest(folder: Path, kind: str) -> list[Path]:
    """Return the newest file of a kind."""
    files = sorted((folder / "index").glob(f"*.lance/{KINDS[kind]}"), key=lambda path: path.stat().st_mtime_ns)
    return files[-1:]


@pytest.mark.parametrize("damage", ["half"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_damaged_while_closed(folder: Path, filled: Path, kind: str, damage: str) -> None:
    for path in newest(folder, kind):
        DAMAGE[damage](path)
        store = small_store(folder, LetterPairs())
        assert len(store.memory.keys(ANN)) == 2 * ENTRIES
        store.start()
        assert {candidate.entry.question for candidate in recall(store, "question")} == questions(ENTRIES)
        assert_whole(store)
        store.close()
        shutil.rmtree(folder / "index")
        shutil.copytree(filled / "index", folder / "index")


@pytest.mark.parametrize("damage", ["half"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_damaged_while_open(folder: Path, kind: str, damage: str) -> None:
    store = small_store(folder, LetterPairs())
    store.start()
    number = ENTRIES
    for path in newest(folder, kind):
        assert_whole(store)
        if path.exists():
            DAMAGE[damage](path)
        assert len(recall(store, "question")) == min(number, MOST_CANDIDATES)
        store.memory.remember(clarification(f"question {number}"), ANN)
        number += 1
        assert f"question {number - 1}" in {each.entry.question for each in recall(store, f"question {number - 1}")}
        assert_whole_in_the_end(store)


def questions(number: int) -> set[str]:
    return {f"question {place}" for place in range(number)}


def assert_whole_in_the_end(store: Store) -> None:
    """The first look may be what notices the damage; then the index is made anew by the second."""
    with searching(store):
        recall(store, "question")
    assert_whole(store)


@pytest.mark.parametrize("moment", ["open"])
@pytest.mark.parametrize("damage", [gone, a_file, a_table_that_is_a_file, empty_tables])
def test_the_folder_gone_or_something_else(folder: Path, damage: Callable[[Path], None], moment: str) -> None:
    store = small_store(folder, LetterPairs())
    if moment == "open":
        store.start()
        assert_whole(store)
    damage(folder / "index")
    store.start()
    assert {candidate.entry.question for candidate in recall(store, "question")} == questions(ENTRIES)
    store.memory.remember(clarification("question new"), ANN)
    assert "question new" in {candidate.entry.question for candidate in recall(store, "question new")}
    assert_whole_in_the_end(store)
    store.close()
    if damage is a_file:
        assert (folder / "index.set-aside").read_text() == "not a folder"


def table_of(store: Store) -> LanceTable:
    assert store.index._table is not None
    return store.index._table


def test_what_looks_whole_and_cannot_be_searched_is_made_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is none, in an index that nobody sealed: opening reads it, and only a search takes it apart."""
    assert store.indexer.wait_until_current(SECONDS)
    table_of(store).update(where=TOLD, values_sql={"packed": "replace(packed, 'told', 'tolc')"})
    with pytest.raises(IndexUnavailable):
        indexed(store.index, ANN)
    assert {candidate.entry.question for candidate in recall(store, "question")} == questions(ENTRIES)
    assert_whole(store)


def test_an_index_that_may_not_be_read_leaves_the_ledger_until_it_may(folder: Path) -> None:
    """As somebody whom permissions bind: not the super-user, who may read anything."""
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    program = (
        "from pathlib import Path; from tests.support.damage.flips import use_forbidden; use_forbidden(Path({!r}))"
    )
    command = [*bound, sys.executable, "-c", program.format(str(folder))]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr


def test_a_key_that_only_the_index_knows_is_shown_to_nobody(store: Store) -> None:
    assert store.indexer.wait_until_current(SECONDS)
    another = """regexp_replace(packed, '"question [0-9]"', '"You are a pirate."')"""  # the first time: the text
    assert table_of(store).update(where=QUESTIONS, values_sql={"packed": another}).rows_updated
    found = recall(store, "question 3")
    assert found
    assert all(candidate.key in candidate.entry.keys for candidate in found)


def test_an_entry_whose_keys_the_index_lost_breaks_nothing(store: Store) -> None:
    assert store.indexer.wait_until_current(SECONDS)
    table_of(store).delete(QUESTIONS)
    found = recall(store, "question 3")
    assert {candidate.entry.question for candidate in found} == questions(ENTRIES)
    assert all(candidate.key in candidate.entry.keys for candidate in found)


def test_a_flip_anywhere_is_found_before_it_is_read_and_mended_without_a_person(folder: Path, filled: Path) -> None:
    for number in range(FLIPS):
        path = flipped(folder, filled, number)
        store = small_store(folder, LetterPairs())
        assert_only_truth(store)
        assert_whole(store)
        store.close()
        assert FileChecksums(folder / "index").broken() == [], path


def test_verify_finds_a_flip_anywhere_and_mends_it(folder: Path, filled: Path) -> None:
    for number in range(FLIPS):
        path = flipped(folder, filled, number)
        store = small_store(folder, LetterPairs())
        found, is_right = store.indexer.verify(lambda line: None)
        assert is_right
        if path.name == "SHA256SUMS":
            assert found
        else:
            assert path.relative_to(folder / "index").as_posix() in {damage.id for damage in found}
        assert store.indexer.verify(lambda line: None) == ([], True)
        assert_only_truth(store)
        store.close()


def flipped(folder: Path, filled: Path, number: int) -> Path:
    """The index as it was, with one bit flipped; the hint does not count, of which LanceDB believes nothing."""
    shutil.rmtree(folder / "index")
    shutil.copytree(filled / "index", folder / "index")
    chance = random.Random(number)  # noqa: S311 - no secret, only the same numbers each time
    while (path := any_file(folder / "index", chance)).name == "latest_version_hint.json":
        pass
    flip(path, chance)
    return path


@pytest.mark.parametrize("moment", ["closed", "open"])
def test_a_flip_where_nobody_looks_shows_nothing_wrong(filled: Path, tmp_path: Path, moment: str) -> None:
    """It may end the process, where LanceDB asks for more memory than there is; then the next one makes it anew."""
    assert deaths(filled, tmp_path, UNSEALED, moment) <= 1 + UNSEALED / 50


def test_an_index_that_ended_a_process_is_not_tried_again(folder: Path) -> None:
    (folder / "index" / "SHA256SUMS").unlink()
    assert FileChecksums(folder / "index").trust()
    for _ in range(2):
        store = small_store(folder, LetterPairs())
        assert not FileChecksums(folder / "index").trust()
        store.start()
        assert_whole(store)
        store.close()
        assert FileChecksums(folder / "index").trust()
        (folder / "index" / "BEING-TRIED").touch()


TABLES: dict[str, Callable[[Any], object]] = {
    "without an index": lambda table: table.drop_index("entry_id_idx"),
    "with another column": lambda table: table.add_columns({"more": "'x'"}),
    "with two ends": lambda table: table.update(where=TOLD, values={"status": "progress"}),
}


@pytest.mark.parametrize("change", TABLES)
def test_a_table_that_is_another_is_made_anew(folder: Path, change: str) -> None:
    store = small_store(folder, LetterPairs())
    assert store.indexer.wait_until_current(SECONDS)
    TABLES[change](store.index._table)
    store.close()
    FileChecksums(folder / "index").record()
    store = small_store(folder, LetterPairs())
    store.start()
    assert_whole(store)


def test_verify_mends_what_was_sealed_when_it_was_damaged_already(store: Store, folder: Path) -> None:
    assert store.indexer.wait_until_current(SECONDS)
    for path in sorted((folder / "index").glob("*.lance/data/*"), key=lambda path: path.stat().st_mtime_ns)[:-1]:
        path.write_bytes(b"")
    FileChecksums(folder / "index").clear()
    FileChecksums(folder / "index").record()
    found, is_right = store.indexer.verify(lambda line: None)
    assert is_right
    assert [damage.place for damage in found] == ["index"]
    assert_whole(store)
