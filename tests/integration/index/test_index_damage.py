"""The index damaged while closed and while open: detected and rebuilt from the ledger, without loss."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.types import Candidate
from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.damage.flips import DAMAGE, KINDS, empty_tables, replace_table_by_file
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairEmbedder,
    assert_same_keys,
    build_retriever,
    clarification,
    find_cosines,
    read_index,
    small_store,
)
from tests.support.servers.noted_server import ROOT

pytestmark = [pytest.mark.promise("damaged-index-is-rebuilt"), pytest.mark.usefixtures("soon_tried_again")]
SECONDS = 60
ENTRIES = 5


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a store with every type of file in its index; tests damage copies."""
    folder = tmp_path_factory.mktemp("filled")
    store = small_store(folder, LetterPairEmbedder())
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
    return small_store(folder, LetterPairEmbedder())


def recall(store: Store, question: str) -> list[Candidate]:
    return list(build_retriever(store, LetterPairEmbedder())(question, ANN))


def assert_whole(store: Store) -> None:
    """Assert that the index is current and equals the ledger when read and when searched."""
    assert store.indexer.wait_until_current(SECONDS)
    assert_same_keys(store, ANN, BOB)
    found = find_cosines(store, "question", ANN, LetterPairEmbedder()).keys()
    assert found == {entry.id for entry in store.memory.entries(ANN)}


def half_of_the_newest(kind: str) -> Callable[[Path], None]:
    """Return a function that truncates the newest file of a type, if any."""

    def cut(index: Path) -> None:
        files = sorted(index.glob(f"*.lance/{KINDS[kind]}"), key=lambda path: path.stat().st_mtime_ns)
        for path in files[-1:]:
            DAMAGE["half"](path)

    return cut


DAMAGES: dict[str, Callable[[Path], None]] = {
    **{f"half a {kind}": half_of_the_newest(kind) for kind in KINDS},
    "gone": shutil.rmtree,
    "a table that is a file": replace_table_by_file,
    "empty tables": empty_tables,
}


@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_index_is_made_anew(folder: Path, damage: str, *, is_open: bool) -> None:
    store = small_store(folder, LetterPairEmbedder())
    if is_open:
        store.start()
        assert_whole(store)
    DAMAGES[damage](folder / "index")
    store.start()
    known = {f"question {number}" for number in range(ENTRIES)}
    assert {candidate.entry.question for candidate in recall(store, "question")} == known
    store.memory.remember(clarification("question new"), ANN)
    assert "question new" in {candidate.entry.question for candidate in recall(store, "question new")}
    # The first check may detect the damage, and the second rebuild the index.
    with suppress(IndexUnavailable):  # cached rows are not read again
        read_index(store, ANN)
    store.indexer.wait_until_current(SECONDS)
    assert_whole(store)


def test_unreadable_index_waits_until_readable(folder: Path) -> None:
    # Run without the superuser's right to read anything.
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    program = (
        "from pathlib import Path; from tests.support.damage.flips import use_forbidden; use_forbidden(Path({!r}))"
    )
    command = [*bound, sys.executable, "-c", program.format(str(folder))]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
