"""Noted beside a peer: the same texts and the same embedder, by turns, each with one thread.

The peer is mem0, in an environment of its own (`peer_mem0`), with its two stores that need no server. It is told no
model, so that it keeps each text as it is and infers nothing.
"""

import json
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from assistant.settings import Settings
from evaluation.cases import Stored
from evaluation.costs.filling import cheap_vectors
from evaluation.costs.processes import ROOT, DidNotStart, Process, process
from evaluation.costs.speed import Measuring, decide, first_answer, megabytes, remember, wait_until_current
from evaluation.costs.timing import Row, Timed, both, middle, percentiles, timed
from evaluation.reading import BadInput
from memory_store.embedding.embedder import BUNDLED, choose_embedder
from ui.server.services import Services

STORES = ("faiss", "qdrant")
AHEAD, FINDABLE_BAR, MEMORY_BAR, DISK_BAR = 1.0, 1.2, 1.2, 2.5
_DISK_FROM = 1_000  # memories; below, what is there without any weighs more
_ADDS = 20
_RESTARTS = 3
_WARM_UP = 5  # searches that are not counted
_AFTER_START = 20  # questions
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True, slots=True)
class _Peer:
    """A running peer."""

    process: Process

    def told(self, name: str, text: str) -> dict[str, float]:
        """Let it do something; what that took.

        Raises:
            DidNotStart: it has ended.
        """
        print(json.dumps([name, text]), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise DidNotStart
        answer: dict[str, float] = json.loads(line)
        return answer

    def timed(self, name: str, text: str) -> Timed:
        answer = self.told(name, text)
        return Timed(answer["wall"], answer["processor"])


def beside(python: Path) -> Callable[[Measuring, Services], Sequence[Row]]:
    """What measures mem0, which this Python has, beside an open store.

    Raises:
        BadInput: the embedder in use is not the one that both can use.
    """
    choice = choose_embedder(Settings.load().embedder)
    if choice.name != BUNDLED or choice.path is None:
        raise BadInput(f"--beside compares with the same embedder, {BUNDLED}: set NOTED_EMBEDDER to it.")
    model = choice.path

    @contextmanager
    def started(store: str, folder: Path) -> Iterator[_Peer]:
        folder.mkdir(exist_ok=True)
        paths = [str(ROOT), sysconfig.get_path("purelib")]
        script = str(Path(__file__).with_name("peer_mem0.py"))
        with process([script, store, str(folder), str(model), *paths], _ONE_THREAD, str(python)) as running:
            yield _Peer(running)

    def measured(measuring: Measuring, services: Services) -> Sequence[Row]:
        rows = [_of_store(store, measuring, services, started) for store in STORES]
        return list(chain.from_iterable(rows))

    return measured


def _of_store(
    store: str,
    measuring: Measuring,
    services: Services,
    started: Callable[[str, Path], AbstractContextManager[_Peer]],
) -> list[Row]:
    folder = measuring.folder / store
    with started(store, folder) as peer:
        peer.told("fill", str(_texts(measuring, services)))
        disk = megabytes(folder)
        rows = _open(store, measuring, services, peer)
    ours, theirs, asked = [], [], [next(measuring.questions) for _ in range(_AFTER_START + 1)]
    for _ in range(_RESTARTS):
        with started(store, folder) as peer:
            lived = peer.told("search", asked[0])["lived"]
            theirs.append(Timed(peer.process.seconds * 1000, lived))
            for question in asked[1:]:
                peer.told("search", question)
            their_memory = peer.process.megabytes()
        time, our_memory, _ = first_answer("search", measuring.home, asked)
        ours.append(time)
    disk_bar = DISK_BAR if measuring.number >= _DISK_FROM else None
    return [
        *rows,
        *both(f"{store}: first search after a start", middle(ours), middle(theirs), AHEAD),
        Row(f"{store}: resident memory", our_memory, their_memory, MEMORY_BAR, "MB"),
        Row(f"{store}: disk, settled", measuring.disk, disk, disk_bar, "MB"),
    ]


def _open(store: str, measuring: Measuring, services: Services, peer: _Peer) -> list[Row]:
    """Adding and searching, while both are open."""
    ask = measuring.questions
    wait_until_current(services)
    searches = []
    for _ in range(_WARM_UP + measuring.asked):
        question = next(ask)
        searches.append((timed(lambda: decide(services, question)), peer.timed("search", question)))  # noqa: B023
    searches = searches[_WARM_UP:]
    added, findable, first = [], [], []
    for memory in measuring.more(min(_ADDS, measuring.asked)):
        question = next(ask)
        saved = timed(lambda: remember(services.assistant, memory))  # noqa: B023
        indexed = timed(lambda: wait_until_current(services))
        found = timed(lambda: decide(services, question))  # noqa: B023
        theirs = peer.timed("add", text_of(memory))
        added.append((saved, theirs))
        findable.append((Timed(saved.wall + indexed.wall, saved.processor + indexed.processor), theirs))
        first.append((found, peer.timed("search", question)))
    searched = {p: [percentiles(column, p) for column in zip(*searches, strict=True)] for p in (50, 95)}
    return [
        *both(f"{store}: add", *_middles(added), AHEAD),
        *both(f"{store}: add until findable", *_middles(findable), FINDABLE_BAR),
        *(row for p, (ours, theirs) in searched.items() for row in both(f"{store}: search p{p}", ours, theirs, AHEAD)),
        *both(f"{store}: first search after an add", *_middles(first), AHEAD),
    ]


def _middles(pairs: Sequence[tuple[Timed, Timed]]) -> tuple[Timed, Timed]:
    ours, theirs = zip(*pairs, strict=True)
    return middle(ours), middle(theirs)


def text_of(memory: Stored) -> str:
    """A memory as one text."""
    return f"{memory.questions[0]}\n{memory.feedback}"


def _texts(measuring: Measuring, services: Services) -> Path:
    """A file of the texts and made-up vectors of all memories."""
    file = measuring.folder / "texts.json"
    if not file.exists() and services.parts.embedder is not None:
        texts = [text_of(memory) for memory in measuring.memories]
        vectors = cheap_vectors(services.parts.embedder, measuring.seed).encode(texts)
        file.write_text(json.dumps(list(zip(texts, vectors.tolist(), strict=True))), encoding="utf-8")
    return file
