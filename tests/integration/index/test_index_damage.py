"""The index damaged while closed and while open: noticed, made anew from the ledger, and nothing is lost."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.types import Candidate
from memory_store.retrieval.retriever import MOST_CANDIDATES
from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.damage.flips import (
    DAMAGE,
    KINDS,
    a_table_that_is_a_file,
    deaths,
    empty_tables,
    gone,
)
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairs,
    assert_same_keys,
    clarification,
    indexed,
    keys_of,
    near,
    recall_on,
    small_store,
)
from tests.support.servers.served import ROOT

pytestmark = [
    pytest.mark.promise("damaged-index-is-rebuilt"),
    pytest.mark.usefixtures("soon_tried_again"),
]
SECONDS = 60
FLIPS = 2  # for each of two moments
ENTRIES = 5


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
    found = near(store, "question", ANN, LetterPairs()).keys()
    assert found == {entry.id for entry in store.memory.entries(ANN)}


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
        assert len(keys_of(store, ANN)) == 2 * ENTRIES
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
    recall(store, "question")
    with suppress(IndexUnavailable):  # rows that are in memory are not read again to answer
        indexed(store, ANN)
    store.indexer.wait_until_current(SECONDS)
    assert_whole(store)


@pytest.mark.parametrize("moment", ["open"])
@pytest.mark.parametrize("damage", [gone, a_table_that_is_a_file, empty_tables])
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


def test_an_entry_whose_keys_the_index_lost_breaks_nothing(store: Store) -> None:
    assert store.indexer.wait_until_current(SECONDS)
    assert store.index._table is not None
    store.index._table.delete("key_id LIKE '%/0'")
    found = recall(store, "question 3")
    assert {candidate.entry.question for candidate in found} == questions(ENTRIES)
    assert all(candidate.key in candidate.entry.keys for candidate in found)


@pytest.mark.parametrize("moment", ["closed", "open"])
def test_a_flip_where_nobody_looks_shows_nothing_wrong(filled: Path, tmp_path: Path, moment: str) -> None:
    """It may end the process, where LanceDB asks for more memory than there is; then the next one makes it anew."""
    assert deaths(filled, tmp_path, FLIPS, moment) <= 1 + FLIPS / 50


def test_an_index_that_ended_a_process_is_made_anew(folder: Path) -> None:
    before = {path.name for path in (folder / "index").glob("*.lance")}
    (folder / "index.opening").touch()
    store = small_store(folder, LetterPairs())
    store.start()
    assert_whole(store)
    assert before.isdisjoint(path.name for path in (folder / "index").iterdir())


def test_a_table_with_two_states_is_made_anew(folder: Path) -> None:
    store = small_store(folder, LetterPairs())
    assert store.indexer.wait_until_current(SECONDS)
    assert store.index._table is not None
    store.index._table.update(where="key_id LIKE '%/told'", values={"scope": "state"})
    store.close()
    store = small_store(folder, LetterPairs())
    store.start()
    assert_whole(store)
