"""Runs streams, several at a time, and goes on where an earlier run stopped.

Streams with the same task, language, memory and model share one store, in which each is a person of its own; one
process works on a store at a time. The stores stay in the folder of the run: what was remembered is needed to go on.
"""

import multiprocessing
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path

from app import compose
from assistant.ports import Embedder
from assistant.settings import EMBEDDED
from evaluation.replies import CountedModel, KeptReplies
from evaluation.store_filling import settings_in
from evaluation.streams.experiment import Prepare, StreamSettings
from evaluation.streams.log import StreamLog
from evaluation.streams.stream import Stream
from memory_store.embedding.embedder import EmbedderUnavailable
from ui.server.services import Services

_REPLIES = "replies.sqlite3"
_LOOK_SECONDS = 0.5
_TRIES = 5


def groups(streams: Sequence[StreamSettings]) -> list[list[StreamSettings]]:
    """The streams by the store that they share, those with most to do first."""
    found: dict[str, list[StreamSettings]] = defaultdict(list)
    for stream in streams:
        found[_store_of(stream)].append(stream)
    return sorted(found.values(), key=lambda group: sum(stream.length for stream in group), reverse=True)


def _store_of(stream: StreamSettings) -> str:
    model = "".join(character if character.isalnum() else "-" for character in stream.model)
    return f"{stream.task}-{stream.lang}-{stream.memory}-{model}"


def run_all(
    streams: Sequence[StreamSettings], prepare: Prepare, folder: Path, processes: int, told: Callable[[int], None]
) -> None:
    """Run what is not done yet, in so many processes; `told` hears now and then how many steps are done.

    Each process imports `prepare` by its name.

    Raises:
        NotedError: a stream could not be run to its end. What was done is kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # Processes that begin afresh: LanceDB does not survive a fork.
    spawn = multiprocessing.get_context("spawn")
    with _interruptible(ProcessPoolExecutor(processes, mp_context=spawn, initializer=_one_thread)) as pool:
        futures: set[Future[None]] = {pool.submit(run_group, group, prepare, folder) for group in groups(streams)}
        while futures:
            over, futures = wait(futures, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            told(sum(_done(folder, stream) for stream in streams))
            for future in over:
                future.result()


def run_group(streams: Sequence[StreamSettings], prepare: Prepare, folder: Path) -> None:
    """Run the streams of one store, one after the other."""
    home = folder / "stores" / _store_of(streams[0])
    logs = [(stream, StreamLog(folder, stream)) for stream in streams]
    if not home.exists():
        # Without what was remembered, a stream cannot go on.
        for _, log in logs:
            log.path.unlink(missing_ok=True)
    waiting = [(stream, log) for stream, log in logs if len(log.steps()) < stream.length]
    if not waiting:
        return
    home.mkdir(parents=True, exist_ok=True)
    services = compose(settings_in(home, streams[0].model))
    try:
        _wait_for(services.parts.embedder)
        if services.assistant.runner.model.writes_keys:
            services.start()
        for settings, log in waiting:
            log.mend()
            for step in _stream(settings, prepare, services, folder).run(log.steps()):
                log.add(step)
    finally:
        services.close()


def _wait_for(embedder: Embedder | None) -> None:
    """A stream that begins by wording alone would not be the same every time; on a busy machine loading takes long."""
    if embedder is None:
        return
    for _ in range(_TRIES - 1):
        with suppress(EmbedderUnavailable):
            embedder.encode(["ready?"])
            return
    embedder.encode(["ready?"])


def _stream(settings: StreamSettings, prepare: Prepare, services: Services, folder: Path) -> Stream:
    model = services.assistant.runner.model
    # The embedded model answers sooner than a file.
    model = CountedModel(model if settings.model == EMBEDDED else KeptReplies(model, folder / _REPLIES))
    experiment = prepare(settings, services.assistant.with_parts(model=model), services)
    return Stream(settings, experiment, model, services.settle)


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
