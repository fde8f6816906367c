"""A process that uses stores on full or read-only disks repeatedly.

    python -m tests.support.damage.full_disk FOLDER TIMES SEED DISK …

Each DISK is a name in `DISKS`, a method to fill it. FOLDER holds the stores. It prints the messages for the user, and
fails if something is lost, doubled, reported wrongly or not resumed.
"""

import os
import random
import resource
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

from assistant.errors import StoreError
from assistant.types import NewEntry, Turn
from memory_store.store import Store
from tests.support.memory.keys import wait_until
from tests.support.memory.store import (
    ANN,
    LetterPairEmbedder,
    assert_same_keys,
    build_retriever,
    small_store,
    unrelated_clarification,
)

SECONDS = 60.0
STEPS = ("save", "save", "edit", "forget", "record", "catch up", "rebuild")


class FileSizeLimit:
    """A limit on the size of files of this process. Needs no privileges."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._most = folder, resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def fill(self, room: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, self._most))

    def free(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._most, self._most))


class SmallFileSystem(FileSizeLimit):
    """A small file system, filled by a file. Needs the right to mount, at least in a namespace."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        folder.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(folder)], check=True)

    def fill(self, room: int) -> None:
        there = os.statvfs(self.folder)
        # The index may be writing at the same time.
        with (self.folder / "ballast").open("wb", buffering=0) as file, suppress(OSError):
            file.write(bytes(max(0, there.f_bavail * there.f_frsize - room)))

    def free(self) -> None:
        (self.folder / "ballast").unlink()


class ReadOnlyFileSystem(SmallFileSystem):
    """A file system that is remounted read-only, which works only while no file is open."""

    def fill(self, room: int) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)

    def free(self) -> None:
        subprocess.run(["mount", "-o", "remount,rw", str(self.folder)], check=True)


DISKS = {"limited": FileSizeLimit, "small": SmallFileSystem, "read-only": ReadOnlyFileSystem}


class StoreUser:
    """A store, its expected content, and the messages for the user."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.entries: dict[str, str] = {}
        self.turns: list[str] = []
        self.forgotten: list[str] = []
        self.told: Counter[str] = Counter()
        self.number = 0
        self.store = self.opened()
        for number in range(5):
            self.save(unrelated_clarification(f"first {number}"))

    def opened(self) -> Store:
        store = small_store(self.folder, LetterPairEmbedder())
        store.start()
        return store

    def close(self) -> None:
        """Close the store, and wait for background work, which may take longer than `Store.close` waits."""
        self.store.close()
        for thread in threading.enumerate():
            if thread.name == "indexer":
                thread.join(SECONDS)
        self.store.ledger.close()

    def step(self, does: str) -> None:
        """Do one thing to the store. If it is refused, nothing has changed."""
        target = self.chance.choice([*self.entries])
        self.number += 1
        new, memory = unrelated_clarification(f"new {self.number}"), self.store.memory
        try:
            if does == "edit":
                entry = memory.edit(target, new.text, ANN)
                del self.entries[target]
                self.entries[entry.id] = entry.text
            elif does == "forget":
                memory.forget(target, ANN)
                self.forgotten.append(self.entries.pop(target))
            elif does == "record":
                self.store.turn_store.record(Turn(f"turn {self.number}", "c", ANN.person, "q"), ANN)
                self.turns.append(f"turn {self.number}")
            elif does == "catch up":
                self.store.indexer.catch_up()
            elif does == "rebuild":
                self.store.indexer.rebuild()
            else:
                self.save(new)
        except StoreError as error:
            self.told[str(error)] += 1

    def save(self, new: NewEntry) -> None:
        entry = self.store.memory.remember(new, ANN)
        self.entries[entry.id] = entry.text

    def check_reading(self) -> None:
        memory = self.store.memory
        assert {entry.id: entry.text for entry in memory.entries(ANN, limit=10_000)} == self.entries
        assert [turn.id for turn in self.store.turn_store.turns("c", ANN, limit=10_000)] == self.turns
        recall = build_retriever(self.store, LetterPairEmbedder(), seconds=0)
        for entry in memory.entries(ANN, limit=1):
            assert entry.id in {candidate.entry.id for candidate in recall(entry.question, ANN)}

    def check_all_is_taken_up(self) -> None:
        self.save(unrelated_clarification(f"with space again {self.number}"))
        wait_until(lambda: self.store.indexer.wait_until_current(1.0), SECONDS)
        assert_same_keys(self.store, ANN)
        wait_until(self.is_erased, SECONDS)
        self.check_reading()

    def is_erased(self) -> bool:
        """Return True if the files of the ledger contain nothing erased."""
        kept = b"".join(path.read_bytes() for path in self.folder.glob("ledger.db*"))
        return not any(text.encode() in kept for text in self.forgotten)


def main(disk_name: str, folder: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    disk = DISKS[disk_name](folder)
    use = StoreUser(folder, chance)
    for number in range(times):
        starts_full = disk_name == "read-only" or number % 2 == 1
        if starts_full:
            use.close()
        disk.fill(room=chance.choice((0, chance.randrange(4_096), chance.randrange(60_000), chance.randrange(250_000))))
        if starts_full:
            use.store = use.opened()
        for does in chance.sample(STEPS, len(STEPS)):
            use.step(does)
            use.check_reading()
        disk.free()
        use.check_all_is_taken_up()
    use.close()
    assert use.told, "The disk was never full."
    for sentence, often in use.told.most_common():
        print(f"{often:5} {sentence}")


if __name__ == "__main__":
    for disk_name in sys.argv[4:]:
        main(disk_name, Path(sys.argv[1]) / disk_name, int(sys.argv[2]), int(sys.argv[3]))
