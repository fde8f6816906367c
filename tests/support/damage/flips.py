"""Damage to the files of an index: all of a file, or one bit of it, and processes that use it and may die of it."""

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from signal import SIGABRT

from memory_store.store import Store
from tests.support.memory.keys import wait_until
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairs,
    assert_same_keys,
    clarification,
    indexed,
    keys_of,
    recall_on,
    small_store,
)
from tests.support.servers.processes import FORKED

KINDS = {
    "manifest": "_versions/*.manifest",
    "data": "data/*.lance",
    "deletions": "_deletions/*",
    "index": "_indices/*/*",
    "transaction": "_transactions/*.txn",
}
DAMAGE: dict[str, Callable[[Path], object]] = {
    "zero": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "missing": lambda path: path.unlink(),
}


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def any_file(folder: Path, chance: random.Random) -> Path:
    """One of the files below a folder that hold anything, small ones as often as large ones."""
    return chance.choice(sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size))


def assert_only_truth(store: Store) -> None:
    """Whatever the index says, each person gets only entries that are theirs, as the ledger has them."""
    for person in (ANN, BOB):
        recall = recall_on(store, LetterPairs())
        own = {entry.id: entry for entry in store.memory.entries(person)}
        for question in ("question 1", "what nobody else may see"):
            for candidate in recall(question, person):
                assert candidate.entry == own[candidate.entry.id]
                assert candidate.key in candidate.entry.keys


def use_damaged(filled: Path, work: Path, numbers: Sequence[int], moment: str, done: Path) -> None:
    """In a process of its own: flip a bit of an index where nobody looks for it, and use it; write down each number.

    Args:
        filled: a store, which stays as it is.
        work: an empty folder.
        numbers: one for each flip, which it depends on.
        moment: "open": the bit flips when the index is open. "closed": before it is opened.
        done: where numbers are written down, each before its flip.
    """
    shutil.copytree(filled, work, dirs_exist_ok=True)
    for number in numbers:
        with done.open("a", encoding="utf-8") as log:
            log.write(f"{number}\n")
        shutil.rmtree(work / "index")
        shutil.copytree(filled / "index", work / "index")
        chance = random.Random(number)  # noqa: S311 - no secret, only the same numbers each time
        store = small_store(work, LetterPairs())
        if moment == "open":
            store.indexer.catch_up()
        flip(any_file(work / "index", chance), chance)
        assert_only_truth(store)
        saved = store.memory.remember(clarification("question 1", f"I meant number {number}"), ANN)
        assert_only_truth(store)
        store.memory.forget(saved.id, ANN)
        store.close()


def use_after_death(work: Path) -> None:
    """In a process of its own: use a store whose index ended the process before."""
    store = small_store(work, LetterPairs())
    store.start()
    wait_until(lambda: store.indexer.wait_until_current(1), 60)
    assert_only_truth(store)
    assert_same_keys(store, ANN, BOB)
    store.close()


def deaths(filled: Path, work: Path, number: int, moment: str) -> int:
    """How many of so many flips ended the process that used the index; the next one always goes on."""
    done = work / "done"
    left, dead = list(range(number)), 0
    while left:
        folder = work / f"store{dead}"
        code = exit_code(use_damaged, filled, folder, left, moment, done)
        if code == 0:
            return dead
        last = done.read_text(encoding="utf-8").splitlines()[-1]
        assert code == -SIGABRT, f"flip {last}"
        assert exit_code(use_after_death, folder) == 0, f"after flip {last}"
        left = left[left.index(int(last)) + 1 :]
        dead += 1
    return dead


def exit_code(function: Callable[..., None], *arguments: object) -> int | None:
    process = FORKED.Process(target=function, args=arguments)
    process.start()
    process.join()
    return process.exitcode


def use_forbidden(folder: Path) -> None:
    """In a process of its own: use an index that may not be read, then one that may again."""
    store = small_store(folder, LetterPairs())
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
    store = small_store(folder, LetterPairs())
    store.start()
    assert_only_truth(store)
    wait_until(lambda: store.indexer.wait_until_current(1), 60)
    assert len(indexed(store, ANN)) == len(keys_of(store, ANN))
    store.close()


def gone(index: Path) -> None:
    shutil.rmtree(index)


def a_table_that_is_a_file(index: Path) -> None:
    (table,) = index.glob("*.lance")
    shutil.rmtree(table)
    table.write_text("not a table")


def empty_tables(index: Path) -> None:
    for path in index.rglob("*"):
        if path.is_file():
            path.unlink()
