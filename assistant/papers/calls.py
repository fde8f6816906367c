"""Make further model calls for one answer in parallel; an error or *Stop* ends all of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

from assistant.errors import BadReply, ContentRefused, EmptyReply, StreamCut
from assistant.model_usage import Count
from assistant.ports import ChatModel
from assistant.prompt.calling import hear
from assistant.reply.parser import Grammar, parse_reply
from assistant.types import Message, Reply, ReplyStatus

UNUSABLE_REPLY = (BadReply, ContentRefused, EmptyReply, StreamCut)
"""Errors of one call after which the next one may succeed."""
_SECONDS = 0.1  # between two chances for the caller to stop

Result = TypeVar("Result")
Pause = TypeVar("Pause")
Progress = TypeVar("Progress")


@dataclass(slots=True)
class Calls:
    """Calls of one model for one answer, `at_once` of them in parallel; they end once `over` is set."""

    model: ChatModel
    count: Count  # counts the usage of each call, in its thread
    at_once: int = 4
    over: Event = field(default_factory=Event)

    def hear(self, messages: Sequence[Message]) -> str:
        """Return the whole reply to a prompt. Raises ModelError; StreamCut once `over`."""
        if self.over.is_set():
            raise StreamCut
        return hear(self.model, messages, self.count, self.over.is_set)

    def ask(self, messages: Sequence[Message], grammar: Grammar) -> Reply:
        """Return the parsed reply to a prompt. Raises EmptyReply, StreamCut (incomplete reply), and as `hear`."""
        reply = self.hear(messages)
        if not reply.strip():
            raise EmptyReply
        said = parse_reply(reply, grammar)
        if said.status is ReplyStatus.TRUNCATED:
            raise StreamCut
        return said

    def results(
        self, jobs: Sequence[Callable[[], Result]], waiting: Pause, meanwhile: Iterable[Progress] = ()
    ) -> Generator[Pause | Progress, None, list[Result]]:
        """Run jobs in parallel, and return their results in order.

        Yields `meanwhile`, which runs on this thread, then `waiting` every 0.1 seconds. The first error, or closing the
        generator, ends all jobs. It returns, raises or closes after all calls have ended.
        """
        with ThreadPoolExecutor(self.at_once, "think") as pool:
            futures = [pool.submit(job) for job in jobs]
            try:
                yield from meanwhile
                while (state := wait(futures, _SECONDS, FIRST_EXCEPTION)).not_done:
                    for done in state.done:
                        done.result()
                    yield waiting
                return [done.result() for done in futures]
            except BaseException:  # GeneratorExit, too: the caller stopped
                self.over.set()
                for future in futures:
                    future.cancel()
                raise

    def all_of(self, jobs: Sequence[Callable[[], Result]]) -> list[Result]:
        """Run jobs in parallel from within a job, and return their results in order. The first error ends them."""
        with ThreadPoolExecutor(self.at_once, "think") as pool:
            return list(pool.map(lambda job: job(), jobs))
