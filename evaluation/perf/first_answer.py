"""A process of its own that opens a store and answers; `evaluation.perf.memory` reads what that took, line by line.

python -m evaluation.perf.first_answer FOLDER PERSON QUESTION...
"""

import json
import sys
from pathlib import Path
from time import monotonic, process_time, sleep
from typing import cast

from app import compose
from assistant.types import Scope
from evaluation.harness.subject import Subject, settings_in
from memory_store.retrieval.retriever import IndexRetriever

_SECONDS = 600.0  # for all to be loaded


def main(folder: str, person: str, first: str, *others: str) -> None:
    """Answer the first question at once, and the others as soon as all is loaded."""
    services = compose(settings_in(Path(folder)))
    services.start()
    subject = Subject(services.assistant, Scope(person))
    subject.ask(first)
    _tell({"processor": process_time()})
    until, recall = monotonic() + _SECONDS, cast("IndexRetriever", services.parts.recall)
    while not recall.wait_until_current() and monotonic() < until:
        sleep(0.1)
    for question in others:
        subject.ask(question)
    _tell({"others": len(others)})
    sys.stdin.readline()  # its memory is read meanwhile


def _tell(what: dict[str, float]) -> None:
    sys.stdout.write(f"{json.dumps(what)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
