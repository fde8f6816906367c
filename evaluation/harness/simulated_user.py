"""The app as `app.py` composes it, with a store of its own, and a user of it as the subject of an experiment."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from app import compose
from assistant.conversation import Assistant
from assistant.events import RunState
from assistant.kinds import Triple
from assistant.papers.teachme.facts import fact
from assistant.ports import Embedder, Gate, Recall
from assistant.settings import EMBEDDED, LOCAL, Settings
from assistant.types import Entry, Reaction, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.embedding.embedder import EmbedderUnavailable
from ui.server.services import Services

_TRIES = 5  # to load the embedder

NO_TURN = Turn("", "", "", "")
"""The turn of what is told outside of a conversation."""


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A user of an assistant, who asks, tells facts and corrects.

    with open_fresh_app() as services:
        ann = SimulatedUser(services.assistant, Scope("ann"))
        turn = ann.ask("what is akin to quick?")
        again, entry = ann.correct(turn, "a word with the same meaning")
    """

    assistant: Assistant
    scope: Scope

    def ask(self, question: str, conversation: str = "") -> Turn:
        """Ask a question; return the finished turn."""
        return RunState().after(self.assistant.ask(question, self.scope, conversation)).turn

    def tell(self, text: str, *triples: Triple, told_at: str = "") -> Entry:
        """Store a fact with these triples, told at a question or without one."""
        return self.assistant.memory.remember(fact(NO_TURN, text, told_at, triples=triples), self.scope)

    def correct(self, turn: Turn, words: str) -> tuple[Turn, Entry]:
        """Correct a turn; return the turn with the new answer, and the stored entry."""
        so_far = RunState().after(self.assistant.clarify(turn.id, words, self.scope))
        return so_far.turn, next(iter(so_far.noted.values()))

    def react(self, turn: Turn, reaction: Reaction, entry: str = "") -> Turn:
        """React to an answer, or to an entry that it uses; return the changed turn."""
        return RunState().after(self.assistant.react(turn.id, reaction, self.scope, entry)).turn

    def misunderstand(self, question: str, understood: str) -> Turn:
        """Return a turn that begins a conversation with this understanding, without calling a model."""
        reply = Reply.of("", understood, "?", ReplyStatus.OK)
        conversation = str(uuid.uuid4())
        turn = Turn(str(uuid.uuid4()), conversation, self.scope.person, question, state=TurnState.ANSWERED, reply=reply)
        self.assistant.runner.turn_store.record(turn, self.scope)
        return turn


def with_notes(assistant: Assistant, recall: Recall, gate: Gate) -> Assistant:
    """Return an assistant with this retriever and this gate, for models of every size."""
    fit = assistant.runner.fit
    return assistant.with_parts(recall=recall, retrievers=(), gate=gate, fit=lambda model: {**fit(model), "gate": gate})


@contextmanager
def open_fresh_app(model: str = EMBEDDED, embedder: str | None = None) -> Iterator[Services]:
    """Yield the app on an empty, temporary store. Raises NotedError if it cannot be composed."""
    with fresh_folder() as folder, open_app(folder, model, embedder) as services:
        yield services


@contextmanager
def fresh_folder() -> Iterator[Path]:
    """Yield a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="noted-evaluation-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def open_app(folder: Path, model: str = EMBEDDED, embedder: str | None = None) -> Iterator[Services]:
    """Yield the app with its store in a folder, once its embedder has loaded. Raises EmbedderUnavailable."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(compose(settings_in(folder, model, embedder))) as services:
        if services.parts.embedder:
            _wait_for(services.parts.embedder)
        yield services


def _wait_for(embedder: Embedder) -> None:
    for left in reversed(range(_TRIES)):
        try:
            embedder.encode(["ready?"])
            return
        except EmbedderUnavailable:
            if not left:
                raise


def settings_in(folder: Path, model: str = EMBEDDED, embedder: str | None = None) -> Settings:
    """Return the settings of the environment, except folder, model and limits, without proposed lessons.

    `local/NAME` is a model of the user's data directory, not of the folder.
    """
    if model.startswith(LOCAL):
        model = str(Settings.load(model=model).model_file)
    ledger, index = f"sqlite:///{folder / 'ledger.sqlite3'}", str(folder / "index")
    many = 10**6
    return Settings.load(
        home=folder, ledger=ledger, index=index, model=model, embedder=embedder,
        turns_per_minute=many, saves_per_minute=many, propose_lessons="off",
    )  # fmt: skip
