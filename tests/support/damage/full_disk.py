"""A process that uses stores on disks that are full, or read-only, again and again.

    python -m tests.support.damage.full_disk FOLDER TIMES SEED DISK …

Each DISK is a name in `DISKS`: how it becomes full. FOLDER is where the stores are.
It prints what a person would have been told, and fails where something is lost, doubled, said wrongly or not taken up.
"""

import os
import random
import resource
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from assistant.errors import StoreError
from assistant.types import Turn
from memory_store.store import Store
from tests.support.memory.keys import wait_until
from tests.support.memory.store import ANN, LetterPairs, assert_same_keys, recall_on, small_store, unlike

T = TypeVar("T")
SECONDS = 60.0
STEPS = ("save", "save", "edit", "forget", "record", "catch up", "rebuild")


class FileSizeLimit:
    """The system lets no file of this process grow beyond some size. Needs no rights."""

    only_at_start = False
    """Whether it becomes full only while no store is open."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._most = folder, resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def fill(self, room: int) -> None:
        """From now on only so many bytes can be written."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, self._most))

    def free(self) -> None:
        """From now on anything can be written."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._most, self._most))


class SmallFileSystem(FileSizeLimit):
    """A file system of its own, filled with a file. Needs the right to mount, if only in a namespace of one's own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        folder.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(folder)], check=True)

    def fill(self, room: int) -> None:
        there = os.statvfs(self.folder)
        # The index may be taking up space at the same time, and then there is less than there was.
        with (self.folder / "ballast").open("wb", buffering=0) as file, suppress(OSError):
            file.write(bytes(max(0, there.f_bavail * there.f_frsize - room)))

    def free(self) -> None:
        (self.folder / "ballast").unlink()


class ReadOnlyFileSystem(SmallFileSystem):
    """A file system of its own, to which nothing can be written. The system allows that while no file is open."""

    only_at_start = True

    def fill(self, room: int) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)

    def free(self) -> None:
        subprocess.run(["mount", "-o", "remount,rw", str(self.folder)], check=True)


DISKS = {"limited": FileSizeLimit, "small": SmallFileSystem, "read-only": ReadOnlyFileSystem}


class Use:
    """A store, what it must hold, and what a person was told."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.entries: dict[str, str] = {}
        self.turns: list[str] = []
        self.forgotten: list[str] = []
        self.told: Counter[str] = Counter()
        self.number = 0
        self.store = self.opened()

    def opened(self) -> Store:
        store = small_store(self.folder, LetterPairs())
        store.start()
        return store

    def close(self) -> None:
        """Also wait for the background work, which on a slow machine may take longer than `Store.close` waits."""
        self.store.close()
        for thread in threading.enumerate():
            if thread.name == "indexer":
                thread.join(SECONDS)
        self.store.ledger.close()

    def step(self, does: str) -> None:
        """One thing done to the store. Where it is refused, nothing has changed."""
        target = self.chance.choice([*self.entries, ""])
        self.number += 1
        new, memory = unlike(f"new {self.number}"), self.store.memory
        turn = Turn(f"turn {self.number}", "c", ANN.person, "q")
        if does == "save" and (entry := self.attempt(lambda: memory.remember(new, ANN))):
            self.entries[entry.id] = entry.text
        elif does == "edit" and target and (entry := self.attempt(lambda: memory.edit(target, new.text, ANN))):
            del self.entries[target]
            self.entries[entry.id] = entry.text
        elif does == "forget" and target and self.succeeds(lambda: memory.forget(target, ANN)):
            self.forgotten.append(self.entries.pop(target))
        elif does == "record" and self.succeeds(lambda: self.store.turn_store.record(turn, ANN)):
            self.turns.append(turn.id)
        elif does == "catch up":
            self.attempt(self.store.indexer.catch_up)
        elif does == "rebuild":
            self.attempt(self.store.indexer.rebuild)

    def attempt(self, action: Callable[[], T]) -> T | None:
        try:
            return action()
        except StoreError as error:
            self.told[str(error)] += 1
            return None

    def succeeds(self, action: Callable[[], object]) -> bool:
        return self.attempt(lambda: (action(),)) is not None

    def check_reading(self) -> None:
        memory = self.store.memory
        assert {entry.id: entry.text for entry in memory.entries(ANN, limit=10_000)} == self.entries
        assert [turn.id for turn in self.store.turn_store.turns("c", ANN, limit=10_000)] == self.turns
        recall = recall_on(self.store, LetterPairs(), seconds=0)
        for entry in memory.entries(ANN, limit=1):
            assert entry.id in {candidate.entry.id for candidate in recall(entry.question, ANN)}

    def check_all_is_taken_up(self) -> None:
        before = len(self.entries)
        self.step("save")
        assert len(self.entries) == before + 1, "There is space again, and nothing is saved."
        wait_until(lambda: self.store.indexer.wait_until_current(1.0), SECONDS)
        assert_same_keys(self.store, ANN)
        wait_until(self.is_erased, SECONDS)
        self.check_reading()

    def is_erased(self) -> bool:
        """Return True if the files of the ledger hold nothing of what was forgotten."""
        kept = b"".join(path.read_bytes() for path in self.folder.glob("ledger.db*"))
        return not any(text.encode() in kept for text in self.forgotten)


def main(disk_name: str, folder: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    disk = DISKS[disk_name](folder)
    use = Use(folder, chance)
    for number in range(times):
        for _ in range(5):
            use.step("save")
        starts_full = disk.only_at_start or number % 2 == 1
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
