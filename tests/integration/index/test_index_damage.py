"""The index damaged while closed and while open: detected and rebuilt from the ledger, without loss."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.memory.keys import wait_until
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairEmbedder,
    assert_same_keys,
    build_retriever,
    clarification,
    read_index,
    search_index,
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


def found(store: Store, question: str) -> set[str]:
    return {candidate.entry.question for candidate in build_retriever(store, LetterPairEmbedder())(question, ANN)}


def assert_whole(store: Store) -> None:
    """Assert that the index is current and equals the ledger when read and when searched."""
    wait_until(lambda: store.indexer.wait_until_current(1), SECONDS)
    assert_same_keys(store, ANN, BOB)
    assert search_index(store, "question") == {entry.id for entry in store.memory.entries(ANN)}


def damage(index: Path, pattern: str) -> None:
    """Cut the newest file of a pattern in half; without a pattern, remove the index."""
    if not pattern:
        shutil.rmtree(index)
    for path in sorted(index.glob(f"*.lance/{pattern}"), key=lambda path: path.stat().st_mtime_ns)[-1:]:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("pattern", ["_versions/*.manifest", "data/*.lance", "_deletions/*", "_indices/*/*", ""])
def test_damaged_index_is_made_anew(folder: Path, pattern: str, *, is_open: bool) -> None:
    store = small_store(folder, LetterPairEmbedder())
    if is_open:
        store.start()
        assert_whole(store)
    damage(folder / "index", pattern)
    store.start()
    assert found(store, "question") == {f"question {number}" for number in range(ENTRIES)}
    store.memory.remember(clarification("question new"), ANN)
    assert "question new" in found(store, "question new")
    # Either the save or this detects the damage; then the index is rebuilt after a pause.
    with suppress(IndexUnavailable):  # cached rows are not read again
        read_index(store, ANN)
    wait_until(lambda: store.indexer.wait_until_current(SECONDS), SECONDS)
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
