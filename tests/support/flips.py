"""One bit flipped anywhere in some files, and processes that use an index with such a flip and may die of it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from signal import SIGABRT

from memory_store.recall import HybridRecall
from memory_store.store import Store
from tests.support.store import ANN, BOB, PLAIN, SPAWN, LetterPairs, clarification, indexed, small_store


def flip(path: Path, chance: random.Random) -> None:
    """Another value for one bit of a file."""
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def any_file(folder: Path, chance: random.Random) -> Path:
    """One of the files below a folder that hold anything, small ones as often as large ones."""
    return chance.choice(sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size))


def assert_only_truth(store: Store) -> None:
    """Whatever the index says, each person gets only entries that are theirs, as the ledger has them."""
    for person in (ANN, BOB):
        recall = HybridRecall(store.index, store.memory, PLAIN, LetterPairs(), lambda: store.indexer.fresh(60))
        own = {entry.id: entry for entry in store.memory.entries(person)}
        for question in ("question 1", "what nobody else may see"):
            for candidate in recall(question, person):
                assert candidate.entry == own[candidate.entry.id]
                assert candidate.key in candidate.entry.keys


def use_damaged(filled: Path, work: Path, numbers: Sequence[int], moment: str, done: Path) -> None:
    """In a process of its own: flip a bit of an index that nobody sealed, and use it; write down each number before.

    Args:
        filled: a store, which stays as it is.
        work: an empty folder.
        numbers: one for each flip, which it depends on.
        moment: "closed" or "open": when the bit flips.
        done: where numbers are written down.
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
        (work / "index" / "SHA256SUMS").unlink()
        flip(any_file(work / "index", chance), chance)
        assert_only_truth(store)
        saved = store.memory.remember(clarification("question 1", f"I meant number {number}"), ANN)
        assert_only_truth(store)
        store.memory.forget(saved.id, ANN)
        store.close()


def deaths(filled: Path, work: Path, number: int, moment: str) -> int:
    """How many of so many flips ended the process that used the index; each of the others is used to its end."""
    done = work / "done"
    left, dead = list(range(number)), 0
    while left:
        process = SPAWN.Process(target=use_damaged, args=(filled, work / f"store{dead}", left, moment, done))
        process.start()
        process.join()
        if process.exitcode == 0:
            return dead
        assert process.exitcode == -SIGABRT, f"flip {done.read_text().splitlines()[-1]}"
        left = left[left.index(int(done.read_text().splitlines()[-1])) + 1 :]
        dead += 1
    return dead


def use_forbidden(folder: Path) -> None:
    """In a process of its own: use an index that may not be read, then one that may again."""
    store = small_store(folder, LetterPairs())
    index = folder / "index"
    index.chmod(0)
    store.start()
    assert_only_truth(store)
    assert not store.indexer.fresh(5)
    index.chmod(0o700)
    (table,) = index.glob("*.lance")
    for name in ("data", "_versions"):
        for path in (table / name).iterdir():
            path.chmod(0)
    store.close()
    store = small_store(folder, LetterPairs())
    store.start()
    assert_only_truth(store)
    assert store.indexer.fresh(60)
    assert len(indexed(store.index, ANN)) == len(store.memory.keys(ANN))
    store.close()
