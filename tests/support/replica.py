"""A replica: the app as `app.py` puts it together, in a process of its own, asked over a pipe.

`python -m tests.support.replica` reads requests from its input and writes answers, as lines of JSON, many at once.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assistant.errors import NotedError
from assistant.events import Finished
from assistant.types import Scope
from tests.support.store import clarification

ROOT = Path(__file__).parents[2]
_AT_ONCE = 32
_SECONDS = 120


class Replica:
    """A running replica. Every method may be called from many threads."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def save(self, person: str, question: str, text: str, key: str) -> str:
        """Save a clarification; returns its id. Where it is refused because too many save, try again, as people do."""
        while True:
            told = self._ask(save=[question, text, key], person=person)
            if "entry" in told:
                return str(told["entry"])
            assert "is busy" in told["error"], told

    def ask(self, person: str, question: str) -> dict[str, Any]:
        """Ask a question; returns its `state`, and the ids of the entries that were `found`."""
        return self._ask(ask=question, person=person)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_SECONDS)
        finally:
            self._process.kill()
            self._reader.join()
            self._process.stdout.close()

    def _ask(self, **request: object) -> dict[str, Any]:
        answer: Future[dict[str, Any]] = Future()
        with self._writing:
            number = next(self._numbers)
            self._waiting[number] = answer
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps({"number": number, **request}) + "\n")
            self._process.stdin.flush()
        return answer.result(_SECONDS)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            self._waiting.pop(answer["number"]).set_result(answer)
        for answer in self._waiting.values():
            answer.set_exception(RuntimeError("the replica ended"))


@contextmanager
def running_replica(environment: Mapping[str, str]) -> Iterator[Replica]:
    """A replica from its start to the end of the block; the first request waits until it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.replica"],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    replica = Replica(process)
    try:
        yield replica
    finally:
        replica.close()


def _serve() -> None:
    from app import compose
    from assistant.settings import Settings

    services = compose(Settings.load())
    services.start()
    writing = threading.Lock()

    def answer(request: dict[str, Any]) -> None:
        scope = Scope(request["person"])
        try:
            if "save" in request:
                question, text, key = request["save"]
                told = {"entry": services.assistant.memory.remember(clarification(question, text, key), scope).id}
            else:
                events = services.assistant.ask(request["ask"], scope)
                turn = next(event.turn for event in events if isinstance(event, Finished))
                told = {"state": turn.state.value, "found": [decision.entry.id for decision in turn.decisions]}
        except NotedError as error:
            told = {"error": str(error)}
        with writing:
            sys.stdout.write(json.dumps({"number": request["number"], **told}) + "\n")
            sys.stdout.flush()

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for line in sys.stdin:
            threads.submit(answer, json.loads(line))
    services.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    _serve()
