"""Runs streams, several at a time, and goes on where an earlier run stopped.

Streams with the same task, language, memory and model share one store, in which each is a person of its own; one
process works on a store at a time. The stores stay in the folder of the run: what was remembered is needed to go on.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from app import compose
from assistant.ports import Embedder
from assistant.settings import EMBEDDED
from evaluation.memprompt.log import StreamLog
from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.replies import CountedModel, KeptReplies
from evaluation.memprompt.stream import Stream, StreamSettings
from evaluation.memprompt.tasks.task import Task
from evaluation.store_filling import settings_in
from memory_store.embedder import EmbedderUnavailable
from ui.services import Services

Tasks = Callable[[str, str], Task]
"""Name and variant of a task to the task; must be a plain function of a module, so that other processes find it."""
Told = Callable[[int, int], None]
"""Told how many steps are done, of how many."""

_REPLIES = "replies.sqlite3"
_LOOK_SECONDS = 0.5
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Group:
    """Streams that share a store."""

    name: str
    streams: tuple[StreamSettings, ...]

    @property
    def length(self) -> int:
        return sum(stream.length for stream in self.streams)


def groups(streams: Sequence[StreamSettings]) -> list[Group]:
    """The streams by the store that they share, those with most to do first."""
    found: dict[str, list[StreamSettings]] = defaultdict(list)
    for stream in streams:
        model = "".join(character if character.isalnum() else "-" for character in stream.model)
        found[f"{stream.task}-{stream.lang}-{stream.memory}-{model}"].append(stream)
    return sorted(
        (Group(name, tuple(some)) for name, some in found.items()), key=lambda group: group.length, reverse=True
    )


def run_all(streams: Sequence[StreamSettings], folder: Path, tasks: Tasks, processes: int, told: Told) -> None:
    """Run what is not done yet.

    Args:
        streams: which ones.
        folder: where it is written down.
        tasks: makes them by name.
        processes: how many at a time.
        told: hears how far it is, now and then.

    Raises:
        NotedError: a stream could not be run to its end. What was done is kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting = groups(streams)
    total = sum(stream.length for stream in streams)
    # Processes that begin afresh: LanceDB does not survive a fork.
    spawn = multiprocessing.get_context("spawn")
    with _interruptible(ProcessPoolExecutor(processes, mp_context=spawn, initializer=_one_thread)) as pool:
        futures: set[Future[None]] = {pool.submit(run_group, group, folder, tasks) for group in waiting}
        while futures:
            over, futures = wait(futures, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            told(sum(_done(folder, stream) for stream in streams), total)
            for future in over:
                future.result()


def run_group(group: Group, folder: Path, tasks: Tasks) -> None:
    """Run the streams of one store, one after the other."""
    home = folder / "stores" / group.name
    logs = [(stream, StreamLog(folder, stream)) for stream in group.streams]
    if not home.exists():
        # Without what was remembered, a stream cannot go on.
        for _, log in logs:
            log.begin_again()
    waiting = [(stream, log) for stream, log in logs if len(log.steps()) < stream.length]
    if not waiting:
        return
    home.mkdir(parents=True, exist_ok=True)
    services = compose(settings_in(home, group.streams[0].model))
    try:
        _wait_for(services.parts.embedder)
        if services.assistant.model.writes_keys:
            services.start()
        for settings, log in waiting:
            log.mend()
            for step in _stream(settings, services, tasks, folder).run(log.steps()):
                log.add(step)
    finally:
        services.close()


def _wait_for(embedder: Embedder | None) -> None:
    """A stream that begins by wording alone would not be the same every time; on a busy machine loading takes long.

    Raises:
        EmbedderUnavailable: it cannot be loaded.
    """
    if embedder is None:
        return
    for _ in range(_TRIES - 1):
        with suppress(EmbedderUnavailable):
            embedder.encode(["ready?"])
            return
    embedder.encode(["ready?"])


def _stream(settings: StreamSettings, services: Services, tasks: Tasks, folder: Path) -> Stream:
    memory = MEMORIES[settings.memory]
    model = services.assistant.model
    # The embedded model answers sooner than a file.
    model = CountedModel(model if settings.model == EMBEDDED else KeptReplies(model, folder / _REPLIES))
    assistant = memory.of(replace(services.assistant, model=model), services.parts.embedder, settings.lang)
    return Stream(settings, tasks(settings.task, settings.variant), memory, assistant, model, services.settle)


def _done(folder: Path, stream: StreamSettings) -> int:
    """How many steps of a stream are written down, counted without reading them."""
    path = StreamLog(folder, stream).path
    return max(0, path.read_bytes().count(b"\n") - 1) if path.exists() else 0


def _one_thread() -> None:
    """As many processes as cores, so one thread each."""
    os.environ["OMP_NUM_THREADS"] = "1"


@contextmanager
def _interruptible(pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
    """On Ctrl-C nobody waits for streams that go on for minutes: each step that is over is written down."""
    try:
        yield pool
    except BaseException:  # Ctrl-C too, and whatever it is, it goes on after the processes are ended
        for process in list(pool._processes.values()):
            process.terminate()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
