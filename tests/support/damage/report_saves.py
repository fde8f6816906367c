"""A process that saves through the store and reports each change by a write to FILE.

python -m tests.support.damage.report_saves FOLDER FILE TIMES
"""

import os
import sys
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from assistant.types import Key, Turn
from tests.support.memory.store import ANN, clarification, small_store


def main(folder: Path, said: Path, times: int) -> None:
    """Make all changes that are acknowledged to users, one after the other, each on another entry."""
    store = small_store(folder)
    memory = store.memory
    entries = [memory.remember(clarification(f"prepared {number}"), ANN).id for number in range(times)]
    changes: dict[str, Callable[[int], object]] = {
        "remember": lambda number: memory.remember(clarification(f"question {number}"), ANN),
        "edit": lambda number: memory.edit(entries[number], "other words", ANN),
        "replace keys": lambda number: memory.replace_keys(entries[number], (), [Key("by hand")], ANN),
        "retract": lambda number: memory.retract(entries[number], ANN),
        "forget": lambda number: memory.forget(entries[number], ANN),
        "record": lambda number: store.turn_store.record(Turn(f"turn {number}", "c", ANN.person, "q"), ANN),
    }
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number, (name, change) in enumerate(islice(cycle(changes.items()), times)):
        os.write(file, f"begins {number} {name}\n".encode())
        change(number)
        os.write(file, f"saved {number} {name}\n".encode())
    os.close(file)
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
