"""A replica: the app as `app.py` puts it together, here, or in a process of its own that is asked over a pipe.

`python -m tests.support.servers.replica` reads requests from its input and writes answers: lines of JSON, many at once.
"""

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
from typing import Any, Protocol

from app import compose
from assistant.errors import NotedError
from assistant.events import RunSoFar
from assistant.settings import Settings
from assistant.types import Scope
from tests.support.memory.store import clarification
from tests.support.servers.served import ROOT

_AT_ONCE = 32
_SECONDS = 120


class Replica(Protocol):
    """Every method may be called from many threads."""

    def save(self, person: str, question: str, text: str, key: str) -> str:
        """Save a clarification; returns its id. Where it is refused because too many save, try again, as people do."""

    def ask(self, person: str, question: str) -> dict[str, Any]:
        """Ask a question; returns its `state`, and the ids of the entries that were `found`."""


class ReplicaHere:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._services = compose(Settings.load(environment))
        self._services.start()
        self.close = self._services.close

    def save(self, person: str, question: str, text: str, key: str) -> str:
        while True:
            try:
                return self._services.assistant.memory.remember(clarification(question, text, key), Scope(person)).id
            except NotedError as error:
                if "is busy" not in str(error):
                    raise

    def ask(self, person: str, question: str) -> dict[str, Any]:
        turn = RunSoFar().after(self._services.assistant.ask(question, Scope(person))).turn
        return {"state": turn.state.value, "found": [decision.entry.id for decision in turn.decisions]}


class ReplicaElsewhere:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.servers.replica"],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[Any]] = {}
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def save(self, person: str, question: str, text: str, key: str) -> str:
        return str(self._told("save", person, question, text, key))

    def ask(self, person: str, question: str) -> dict[str, Any]:
        told: dict[str, Any] = self._told("ask", person, question)
        return told

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_SECONDS)
        finally:
            self._process.kill()
            self._reader.join()
            self._process.stdout.close()

    def _told(self, *request: str) -> Any:
        answer: Future[Any] = Future()
        with self._writing:
            number = next(self._numbers)
            self._waiting[number] = answer
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps([number, *request]) + "\n")
            self._process.stdin.flush()
        return answer.result(_SECONDS)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            number, told = json.loads(line)
            self._waiting.pop(number).set_result(told)
        for answer in self._waiting.values():
            answer.set_exception(RuntimeError("the replica ended"))


@contextmanager
def two_replicas(first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[tuple[Replica, Replica]]:
    """Start two replicas, the first in a process of its own, until the end of the block."""
    elsewhere, here = ReplicaElsewhere(first), ReplicaHere(second)
    try:
        yield here, elsewhere
    finally:
        here.close()
        elsewhere.close()


def _serve() -> None:
    replica = ReplicaHere(os.environ)
    writing = threading.Lock()

    def answer(number: int, does: str, *request: str) -> None:
        told = getattr(replica, does)(*request)
        with writing:
            sys.stdout.write(json.dumps([number, told]) + "\n")
            sys.stdout.flush()

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for line in sys.stdin:
            threads.submit(answer, *json.loads(line))
    replica.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    _serve()
