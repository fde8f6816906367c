"""A process that uses stores on full or read-only disks repeatedly.

    python -m tests.support.damage.full_disk FOLDER TIMES SEED DISK …

DISK is `limited` (by the size of files, which needs no privileges), `small` or `read-only` (file systems, which need
the right to mount, at least in a namespace). FOLDER holds the stores. It prints the messages for the user, and fails if
something is lost, doubled, reported wrongly or not resumed.
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
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.damage.kills import take_step
from tests.support.memory.keys import wait_until
from tests.support.memory.store import ANN, LetterPairEmbedder, assert_same_keys, build_retriever, small_store

SECONDS = 60.0
STEPS = ("save", "save", "edit", "forget", "record", "catch up", "rebuild")


def prepare(disk: str, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    if disk != "limited":
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(folder)], check=True)


def fill(disk: str, folder: Path, room: int) -> None:
    """Allow only this many further bytes, or none."""
    if disk == "limited":
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    elif disk == "small":
        there = os.statvfs(folder)
        # The index may be writing at the same time.
        with (folder / "ballast").open("wb", buffering=0) as file, suppress(OSError):
            file.write(bytes(max(0, there.f_bavail * there.f_frsize - room)))
    else:  # works only while no file is open
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)


def free(disk: str, folder: Path) -> None:
    if disk == "limited":
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    elif disk == "small":
        (folder / "ballast").unlink()
    else:
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)


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
        for _ in range(5):
            self.take("save", "")

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

    def take(self, does: str, target: str) -> None:
        self.number += 1
        new = take_step(self.store, does, target, f"new {self.number}")
        if does in {"edit", "forget"}:
            gone = self.entries.pop(target)
            self.forgotten += [gone] if does == "forget" else []
        if new:
            self.entries[new] = self.store.memory.entry(new, ANN).text
        if does == "record":
            self.turns.append(f"new {self.number}")

    def try_to_take(self, does: str) -> None:
        """Take a step. If it is refused, nothing has changed."""
        try:
            self.take(does, self.chance.choice([*self.entries]))
        except StoreError as error:
            self.told[str(error)] += 1

    def check_reading(self) -> None:
        memory = self.store.memory
        assert {entry.id: entry.text for entry in memory.entries(ANN, limit=10_000)} == self.entries
        assert [turn.id for turn in self.store.turn_store.turns("c", ANN, limit=10_000)] == self.turns
        recall = build_retriever(self.store, LetterPairEmbedder(), seconds=0)
        for entry in memory.entries(ANN, limit=1):
            assert entry.id in {candidate.entry.id for candidate in recall(entry.question, ANN)}

    def check_all_is_taken_up(self) -> None:
        self.take("save", "")
        wait_until(lambda: self.store.indexer.wait_until_current(1.0), SECONDS)
        assert_same_keys(self.store, ANN)
        wait_until(lambda: not find_bytes(self.folder, self.forgotten, "ledger.db*"), SECONDS)
        self.check_reading()


def main(disk: str, folder: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    prepare(disk, folder)
    use = StoreUser(folder, chance)
    for number in range(times):
        starts_full = disk == "read-only" or number % 2 == 1
        if starts_full:
            use.close()
        fill(disk, folder, chance.randrange(chance.choice((1, 4_096, 60_000, 250_000))))
        if starts_full:
            use.store = use.opened()
        for does in chance.sample(STEPS, len(STEPS)):
            use.try_to_take(does)
            use.check_reading()
        free(disk, folder)
        use.check_all_is_taken_up()
    use.close()
    assert use.told, "The disk was never full."
    for sentence, often in use.told.most_common():
        print(f"{often:5} {sentence}")


if __name__ == "__main__":
    for disk_name in sys.argv[4:]:
        main(disk_name, Path(sys.argv[1]) / disk_name, int(sys.argv[2]), int(sys.argv[3]))
