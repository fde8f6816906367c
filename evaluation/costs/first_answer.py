"""A process of its own that opens a store and answers, or only searches: `speed` reads what that took, line by line.

python -m evaluation.costs.first_answer ask|search FOLDER PERSON QUESTION...
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, process_time, sleep
from typing import cast

from app import compose
from assistant.events import Finished
from assistant.types import Decision, Question, Scope
from evaluation.store_filling import settings_in
from memory_store.retrieval.retriever import IndexRetriever
from ui.server.services import Services

Does = Callable[[str], Sequence[Decision]]
_SECONDS = 600.0  # for all to be loaded


def ask(services: Services, person: Scope) -> Does:
    """Whole turns, as where the page is served."""
    services.start()
    return lambda question: next(
        event.turn.decisions for event in services.assistant.ask(question, person) if isinstance(event, Finished)
    )


def search(services: Services, person: Scope) -> Does:
    """Recall and gate, and nothing that these do not need."""
    return lambda question: services.parts.gate(services.parts.recall(Question(question), person), person)


def main(does: str, folder: str, person: str, first: str, *others: str) -> None:
    """Answer the first question at once, and the others as soon as all is loaded."""
    services = compose(settings_in(Path(folder)))
    do = {"ask": ask, "search": search}[does](services, Scope(person))
    found = len(do(first))
    _tell({"processor": process_time(), "found": found})
    until, recall = monotonic() + _SECONDS, cast("IndexRetriever", services.parts.recall)
    while not recall.wait_until_current() and monotonic() < until:
        sleep(0.1)
    for question in others:
        do(question)
    _tell({"others": len(others)})
    sys.stdin.readline()  # its memory is read meanwhile


def _tell(what: dict[str, float]) -> None:
    sys.stdout.write(f"{json.dumps(what)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
