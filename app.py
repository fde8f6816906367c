"""Noted: settings to parts to doors. The only place where parts are chosen and put together.

`python app.py` serves the page; `python app.py ask "…"` is the same loop from the command line (see --help).
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from assistant import Assistant, Limits
from assistant.event_loop import EventLoopThread
from assistant.gate import Gate
from assistant.key_worker import KeyWorker
from assistant.key_writing import ModelKeyWriter
from assistant.learning import CountReactions, KeepExamples, LearnAll
from assistant.models.choice import Model, choose_model
from assistant.models.own import own_models
from assistant.prompting import Prompting
from assistant.settings import EMBEDDED, Settings
from memory_store.embedder import SentenceEmbedder, choose_embedder
from memory_store.glossed import READINGS, for_memory
from memory_store.home import open_home, restore_home
from memory_store.read_only import as_it_is, read_only
from memory_store.recall import HybridRecall
from memory_store.rule_keys import rule_keys
from memory_store.store import Store
from memory_store.surface import fold
from ui.allowance import PerMinute
from ui.command_line import command_line
from ui.identity import VISITOR
from ui.imports import without
from ui.notes import EMBEDDED_NAME, EXAMPLES_BY_LANGUAGE, memory_note, model_note, notices
from ui.roles import sharing_rules
from ui.runs import Runs
from ui.services import Parts, Services, Upkeep

# How long a question waits for what was just saved to be found; then the ledger is searched by spelling.
INDEX_SECONDS = 5.0
PROMPTS = Path(__file__).with_name("prompts")


def compose(settings: Settings) -> Services:
    """The parts, chosen by the settings. Nothing heavy is loaded before `start` or the first question."""
    choice = choose_embedder(settings.embedder)
    embedder = SentenceEmbedder(choice) if choice.dimension else None
    reader = for_memory(embedder)
    limits = Limits(settings.question_characters, settings.clarification_characters)
    store = open_home(settings, reader, READINGS, VISITOR, limits)
    doors = read_only(store) if settings.read_only else as_it_is(store, limits)
    model = choose_model(settings, fold, embedder, store.spending(settings.spend_per_day))
    calls = EventLoopThread()
    worker = KeyWorker(ModelKeyWriter(model, PROMPTS, store.ledger.secret()), store.key_work)
    allowance = PerMinute(settings.turns_per_minute, settings.saves_per_minute)
    recall = HybridRecall(store.index, store.memory, READINGS, reader, lambda: store.indexer.fresh(INDEX_SECONDS))
    parts = Parts(recall, Gate.from_file(choice.name), rule_keys, embedder)
    assistant = Assistant(
        model=model,
        recall=parts.recall,
        choose=parts.choose,
        learn=LearnAll(CountReactions(doors.memory), KeepExamples(doors.memory)),
        memory=doors.memory,
        journal=doors.journal,
        prompting=Prompting(PROMPTS, store.ledger.secret()),
        further_keys=parts.further_keys,
        afterwards=worker.soon,
        limits=limits,
        allowance=allowance,
    )
    closing = ExitStack()  # in the reverse order of this one
    for close in (store.close, model.close, calls.close, worker.close):
        closing.callback(close)
    return Services(
        assistant=assistant,
        parts=parts,
        limits=limits,
        allowance=allowance,
        runs=Runs(settings.answers_at_once),
        own_models=own_models(settings, calls, writes_keys=model.writes_keys),
        model_name=EMBEDDED_NAME if settings.model == EMBEDDED else model.name,
        model_note=model_note(settings),
        memory_is_temporary=settings.memory_is_temporary,
        memory_note=memory_note(settings),
        notices=notices(settings),
        embedder_note=lambda: choice.why,
        examples=EXAMPLES_BY_LANGUAGE,
        visitor_key=store.ledger.secret_for("visitors"),
        tokens=store.tokens,
        conversations=doors.conversations,
        sharing=store.sharing(sharing_rules(settings)),
        insights=store.insights(),
        keep_turns_days=settings.keep_turns_days,
        export=store.export,
        upkeep=Upkeep(store.verify, store.indexer.rebuild, doors.take_in, store.backup),
        check=store.check,
        start=lambda: _start(store, embedder, model, None if settings.read_only else worker),
        settle=worker.settle,
        close=closing.close,
    )


def _start(store: Store, embedder: SentenceEmbedder | None, model: Model, worker: KeyWorker | None) -> None:
    store.start()
    if embedder:
        embedder.start()
    model.start()
    if model.writes_keys and worker:
        worker.start()


def _serve(settings: Settings) -> None:
    # Gradio takes seconds to import, and only the page needs it; and half a second more for an MCP server of its own.
    with without("mcp"):
        from ui.serve import serve

    serve(compose(settings), settings)


if __name__ == "__main__":
    command_line(compose, _serve, restore_home)()
