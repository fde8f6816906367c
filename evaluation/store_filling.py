"""The app on a store of its own, made for one measurement and gone after it, filled with the entries of a benchmark."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from app import compose
from assistant.feedback.clarifications import clarification
from assistant.kinds import FACT, Fact, Triple
from assistant.limits import Limits
from assistant.settings import EMBEDDED, Settings
from assistant.text.cleaning import checked
from assistant.types import Draft, Key, KeyOrigin, Reply, ReplyStatus, Scope, Turn, TurnState
from evaluation.cases import Id, Stored
from ui.server.services import Services


@dataclass(frozen=True, slots=True)
class Filled:
    """The app with its entries."""

    services: Services  # what `app.py` puts together
    names: Mapping[str, Id]  # id of an entry in the store to its id in the benchmark
    # For each entry of the benchmark those that are one with it in the store, because they say the same.
    same: Mapping[Id, frozenset[Id]]


@contextmanager
def filled(
    entries: tuple[Stored, ...], model: str = EMBEDDED, api_base: str | None = None, embedder: str | None = None
) -> Iterator[Filled]:
    """The app, with these entries remembered, each by its owner, and the index up to date.

    Settings come from the environment as for the app, but for model and folder, and its address and the embedder where
    they are given.

    Raises:
        NotedError: the app cannot be put together, or an entry not be saved.
    """
    with fresh_app(model, api_base, embedder) as services:
        yield _remember(entries, services)


@contextmanager
def fresh_app(model: str = EMBEDDED, api_base: str | None = None, embedder: str | None = None) -> Iterator[Services]:
    """The app on an empty store. Raises NotedError: it cannot be put together."""
    with fresh_folder() as folder, app_in(folder, model, api_base, embedder) as services:
        yield services


@contextmanager
def fresh_folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="noted-evaluation-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def app_in(
    folder: Path, model: str = EMBEDDED, api_base: str | None = None, embedder: str | None = None
) -> closing[Services]:
    """The app with all that it keeps in this folder, made where it is missing, until it is closed."""
    folder.mkdir(parents=True, exist_ok=True)
    return closing(compose(settings_in(folder, model, api_base, embedder)))


def settings_in(
    folder: Path, model: str = EMBEDDED, api_base: str | None = None, embedder: str | None = None
) -> Settings:
    """The settings of the app with all that it keeps in this folder; nobody waits for minutes, no lesson is drafted."""
    ledger, index = f"sqlite:///{folder / 'ledger.sqlite3'}", str(folder / "index")
    many = 10**6
    return Settings.load(
        home=folder, ledger=ledger, index=index, model=model, api_base=api_base, embedder=embedder,
        turns_per_minute=many, saves_per_minute=many, propose_lessons="off",
    )  # fmt: skip


def _remember(entries: tuple[Stored, ...], services: Services) -> Filled:
    memory, limits = services.assistant.memory, services.assistant.limits
    saved = [
        memory.remember(draft_of(entry, number, limits), Scope(entry.owner)) for number, entry in enumerate(entries)
    ]
    services.upkeep.rebuild_index()
    became: dict[str, set[Id]] = defaultdict(set)
    for entry, stored in zip(entries, saved, strict=True):
        now = memory.current(stored.id, Scope(entry.owner)) or stored
        became[now.id].add(entry.id)
    names = {stored.id: entry.id for entry, stored in zip(entries, saved, strict=True)}
    return Filled(services, names, {one: frozenset(together) for together in became.values() for one in together})


def fact_draft(text: str, *triples: Triple, denied: bool = False, told_at: str = "") -> Draft:
    """A fact that says these triples, told at a question, or out of the blue."""
    said, question = Fact(text=text, triples=triples, denied=denied), told_at or text
    return Draft(FACT, question, said, FACT.idempotency_key(question, said))


def draft_of(entry: Stored, number: int, limits: Limits) -> Draft:
    """What the app would save if the person had just corrected an answer to the question; `number` tells it apart."""
    first, *others = (checked(question, limits.question) for question in entry.questions)
    words = checked(entry.feedback, limits.clarification)
    reply = Reply.of(raw="", understanding=entry.wrong_understanding, status=ReplyStatus.OK)
    turn = Turn(f"evaluation-{number}", "evaluation", entry.owner, first, state=TurnState.ANSWERED, reply=reply)
    keys = (
        *(Key(question, KeyOrigin.QUESTION) for question in others),
        *(Key(checked(text, limits.question), KeyOrigin.MODEL) for text in entry.keys),
    )
    return clarification(turn, words, keys)
