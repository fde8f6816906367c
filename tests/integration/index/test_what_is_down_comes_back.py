"""Embedder, index or model down: what is said meanwhile is saved, and found again soon after they are back."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray

from assistant.events import Event, Saved
from assistant.types import Draft, Turn, TurnState
from memory_store.embedding.embedder import BUNDLED, EmbedderUnavailable, SentenceEmbedder, choose_embedder
from memory_store.retrieval.retriever import QuestionVectors
from memory_store.store import Store
from tests.support.memory.loop import last
from tests.support.memory.store import ANN, PLAIN, LetterPairs, ledger_url, open_store, recall_on, small_store, unlike
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.faults import Fault
from ui.server.services import Services

pytestmark = [pytest.mark.promise("outages-recover"), pytest.mark.usefixtures("soon_tried_again")]
SAVES = 4
SECONDS = 60.0
REPLY = "<notes>1</notes>\n<understanding>You want something.</understanding>\n<answer>This.</answer>"


class Faulty(LetterPairs):
    """Works, unless `works` is cleared: then it waits without an end, or fails, as `fault` says."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault
        self.works = threading.Event()
        self.works.set()

    @property
    def fingerprint(self) -> str:  # type: ignore[override]  # what loads a model works it out
        if self.fault == "cannot be loaded" and not self.works.is_set():
            raise OSError("The model's file is missing.")
        return "faulty"

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        if self.fault == "hangs":
            self.works.wait()
        self.is_down = not self.works.is_set()
        return super().encode(texts)


def not_found(store: Store, embedder: LetterPairs, names: Iterable[str]) -> list[str]:
    """Those of the entries that their own question does not find by its meaning."""
    recall = recall_on(store, embedder, seconds=5)

    def is_found(name: str) -> bool:
        draft = unlike(name)
        return any(
            candidate.entry.text == draft.text and candidate.scores.get("meaning", 0.0) > 0.99
            for candidate in recall(draft.question, ANN)
        )

    return [name for name in names if not is_found(name)]


def seconds_until_all_are_found(store: Store, embedder: LetterPairs, names: list[str]) -> float:
    back = time.monotonic()
    while names := not_found(store, embedder, names):
        assert time.monotonic() < back + SECONDS, f"{len(names)} are not found"
        time.sleep(0.1)
    return time.monotonic() - back


@pytest.mark.parametrize("fault", ["fails", "hangs", "cannot be loaded"])
@pytest.mark.parametrize("from_the_start", [True, False])
def test_what_is_saved_without_an_embedder_is_found_by_meaning_once_it_is_back(
    tmp_path: Path, fault: str, from_the_start: bool
) -> None:
    embedder = Faulty(fault)
    store = small_store(tmp_path, embedder)
    if from_the_start:
        embedder.works.clear()
    store.start()
    if not from_the_start:
        assert store.indexer.wait_until_current(SECONDS)
        embedder.works.clear()
    names = [str(number) for number in range(SAVES)]
    for name in names:
        store.memory.remember(unlike(name), ANN)
    embedder.works.set()
    took = seconds_until_all_are_found(store, embedder, names)
    store.close()
    print(f"{SAVES} of {SAVES} saved and found by meaning {took:.1f} s after the embedder was back.")


@contextmanager
def without_folder(folder: Path) -> Iterator[None]:
    """A file in the place of a folder, which is gone."""
    if folder.exists():
        folder.rename(folder.with_name("gone"))
    folder.write_text("no folder")
    yield
    folder.unlink()


@pytest.mark.parametrize("from_the_start", [True, False])
def test_what_is_saved_without_an_index_is_found_by_it_once_it_is_back(tmp_path: Path, from_the_start: bool) -> None:
    embedder = LetterPairs()
    store = open_store(ledger_url(tmp_path), str(tmp_path / "disk" / "index"), embedder, PLAIN)
    if not from_the_start:
        store.start()
        assert store.indexer.wait_until_current(SECONDS)
    with without_folder(tmp_path / "disk"):
        store.start()
        names = [str(number) for number in range(SAVES)]
        for name in names:
            store.memory.remember(unlike(name), ANN)
        recall = recall_on(store, embedder, seconds=5)
        assert unlike("0").text in {candidate.entry.text for candidate in recall(unlike("0").question, ANN)}
    took = seconds_until_all_are_found(store, embedder, names)
    store.close()
    print(f"{SAVES} of {SAVES} saved and found by the index {took:.1f} s after it was back.")


def test_an_embedder_whose_files_come_back_is_loaded_without_a_new_start(tmp_path: Path) -> None:
    bundled = choose_embedder(BUNDLED)
    assert bundled.path is not None
    for file in bundled.path.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "model.safetensors").unlink()
    embedder = SentenceEmbedder(replace(bundled, path=tmp_path), again_seconds=0.0)
    with pytest.raises(EmbedderUnavailable):
        embedder.encode(["a question"])
    (tmp_path / "model.safetensors").symlink_to(bundled.path / "model.safetensors")
    assert embedder.encode(["a question"]).shape == (1, 384)


def test_a_question_does_not_wait_for_an_embedder_that_hangs() -> None:
    embedder = Faulty("hangs")
    vectors = QuestionVectors(embedder, wait_seconds=0.05)
    embedder.works.clear()
    assert vectors("first")[0] is None
    assert vectors("while the first still hangs")[0] is None
    embedder.works.set()
    deadline = time.monotonic() + SECONDS
    while vectors("once it works again")[0] is None:
        assert time.monotonic() < deadline


@pytest.fixture
def services(composed: Callable[..., Services]) -> Callable[[str], Services]:
    def over(url: str) -> Services:
        model = {"NOTED_MODEL": "openai/any", "NOTED_API_BASE": url, "NOTED_PROPOSE_LESSONS": "off"}
        made = composed(model, turns_per_minute=10**6, saves_per_minute=10**6)
        made.start()
        return made

    return over


@contextmanager
def broken(server: ChatServer, fault: Fault | None) -> Iterator[None]:
    """Every request meets the fault; without one, there is no server."""
    if fault is None:
        server.__exit__(None, None, None)
        yield
    else:
        server.replies(*[fault] * 10 * SAVES)  # each is tried three times, and keys are asked for as well
        yield
        server.__exit__(None, None, None)


@pytest.mark.parametrize(
    "fault", [None, faults.status(500), faults.reset], ids=["refuses connections", "500", "resets"]
)
def test_what_is_said_without_a_model_is_used_once_it_is_back(
    services: Callable[[str], Services], fault: Fault | None
) -> None:
    def ask(draft: Draft) -> Turn:
        return last(assistant.ask(draft.question, ANN))

    def clarify(turn: Turn, draft: Draft) -> list[Event]:
        return list(assistant.clarify(turn.id, draft.text, ANN))

    drafts = [unlike(str(number)) for number in range(SAVES)]
    server = ChatServer(answer=lambda _body: REPLY).__enter__()
    assistant = services(server.url).assistant
    with ThreadPoolExecutor(8) as people:
        turns = list(people.map(ask, drafts))
        with broken(server, fault):
            events = list(people.map(clarify, turns, drafts))
        assert all(any(isinstance(event, Saved) for event in told) for told in events)
        assert {last(told).state for told in events} == {TurnState.FAILED}
        with ChatServer(answer=lambda _body: REPLY, port=server.port):
            back = time.monotonic()
            again = list(people.map(ask, drafts))
            took = time.monotonic() - back
    used = [{decision.entry.text for decision in turn.from_memory} for turn in again]
    assert [draft for draft, texts in zip(drafts, used, strict=True) if draft.text not in texts] == []
    print(f"{SAVES} of {SAVES} saved, and used in the answers of the first {took:.1f} s after the model was back.")
