"""A process that uses an index without, and then with, permission to read it."""

from pathlib import Path

from memory_store.store import Store
from tests.support.memory.keys import wait_until
from tests.support.memory.store import ANN, BOB, LetterPairEmbedder, build_retriever, read_index, read_keys, small_store


def assert_only_truth(store: Store) -> None:
    """Assert that each user gets only readable entries, equal to those of the ledger."""
    for person in (ANN, BOB):
        recall = build_retriever(store, LetterPairEmbedder())
        own = {entry.id: entry for entry in store.memory.entries(person)}
        for question in ("question 1", "what nobody else may see"):
            for candidate in recall(question, person):
                assert candidate.entry == own[candidate.entry.id]
                assert candidate.key in candidate.entry.keys


def use_forbidden(folder: Path) -> None:
    store = small_store(folder, LetterPairEmbedder())
    index = folder / "index"
    index.chmod(0)
    store.start()
    assert_only_truth(store)
    assert not store.indexer.wait_until_current(1)
    index.chmod(0o700)
    (table,) = index.glob("*.lance")
    for name in ("data", "_versions"):
        for path in (table / name).iterdir():
            path.chmod(0)
    store.close()
    store = small_store(folder, LetterPairEmbedder())
    store.start()
    assert_only_truth(store)
    wait_until(lambda: store.indexer.wait_until_current(1), 60)
    assert len(read_index(store, ANN)) == len(read_keys(store, ANN))
    store.close()
