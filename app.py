"""Compose Noted from its settings: parts, servers, command line. No other module chooses parts.

`noted` serves the page; `noted ask "…"` answers on the command line (see --help).
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from assistant import Assistant, Limits, Scope
from assistant.events import RunState
from assistant.feedback.fact_messages import is_own_question
from assistant.feedback.learning import ProposedReach, call_all, count_uses, keep_example, request_keys
from assistant.gate.gate import FittedGate, OfferByRules
from assistant.generate.generate import OneCall
from assistant.keys.writer import KeyWorker, KeyWriter
from assistant.models.choice import choose_model, is_small, local_model, measure_soon
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.lessons import LessonBook, is_same
from assistant.models.local.local import LocalModel
from assistant.models.local.models import LocalModels
from assistant.models.remote.connecting import find_servers, own_model
from assistant.models.remote.streaming import EventLoopThread
from assistant.papers.expnote import feedback, lessons
from assistant.papers.expnote.practice import Practice
from assistant.papers.memllm import writing
from assistant.papers.memllm.lookups import AnswerWithLookups, lookup_hint
from assistant.papers.memllm.sheet import SheetEditing
from assistant.papers.selection.drafts import DraftSelection, preferred_weights
from assistant.papers.selection.study import Study
from assistant.papers.teachme import facts
from assistant.papers.teachme.thinking import ThinkThrough
from assistant.ports import Listener
from assistant.prompt.prompt import PromptBuilder, readings_hint
from assistant.reasoning.reasoner import Reasoner
from assistant.sentences import Sentence, plain
from assistant.settings import EMBEDDED, MEASURED, Settings
from assistant.turn import TurnParts, TurnRunner
from assistant.types import Clock, Entry, Turn, utc_now
from memory_store.embedding.embedder import pull
from memory_store.embedding.embedder_setup import set_up_embedder
from memory_store.language.languages import LANGUAGES
from memory_store.language.question_similarity import QuestionSimilarity, shared_words
from memory_store.maintenance.backup import restore_backup
from memory_store.store import open_home
from memory_store.turns.insights import overview
from memory_store.turns.spending import LedgerSpending
from ui.page.views import CardParts
from ui.server.fair_queue import WorkPool
from ui.server.identity import LOCAL_PERSON, VISITOR
from ui.server.process import import_gradio_lightly
from ui.server.rate_limit import RateLimit, has_several_users, sharing_rules
from ui.server.services import CardPart, Models, Parts, Services, memory_note, model_note, notices
from ui.server.tracing import start_tracing, traced
from ui.streaming.runs import Runs
from ui.terminal.command_line import command_line

PROMPTS = Path(__file__).with_name("prompts")


class _SharedParts:
    """Parts that most others use: the store, the model, limits, gate and prompts."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings, self.clock = settings, clock
        self.is_embedded = settings.model == EMBEDDED
        self.used = set_up_embedder(settings)
        self.limits = Limits(settings.question_characters, settings.clarification_characters)
        self.store = store = open_home(settings, self.used, VISITOR, self.limits, clock)
        self.memory, self.turns = store.memory, store.turn_store
        spending = LedgerSpending(store.ledger, settings.spend_per_day) if settings.spend_per_day else None
        self.model = choose_model(settings, LANGUAGES, self.used.here, spending)
        self.allowance = RateLimit(settings.turns_per_minute, settings.saves_per_minute)
        self.worker = KeyWorker(KeyWriter(self.model, PROMPTS, store.ledger.secret), store.key_work)
        self.local = LocalModels(settings.models, partial(local_model, settings))
        self.calls = EventLoopThread()  # of users' own models
        self.tracing = start_tracing(os.environ)
        self.gate = FittedGate.from_file()
        self.reasoner = Reasoner(LANGUAGES)
        self.prompt_builder = partial(PromptBuilder, PROMPTS, store.ledger.secret)
        of_message = partial(facts.fact_hints, LANGUAGES), partial(writing.keep_hint, LANGUAGES)
        hints = (*of_message, partial(lookup_hint, store.sheet), readings_hint)
        self.prompts = self.prompt_builder("connected", grammar=writing.PROPOSED, hints=hints)


class _AppParts(_SharedParts):
    """All parts, with those of the papers, which answer, or learn from turns and other texts of users."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__(settings, clock)
        store = self.store
        weights, one_call = partial(preferred_weights, self.memory), OneCall(self.limits.reply)
        select = partial(DraftSelection, fold=LANGUAGES.fold, count=settings.drafts, allowance=self.allowance)
        self.drafts = select(one_call, weights=weights)
        looking = AnswerWithLookups(one_call, store.sheet, self.allowance)
        self.looking_drafts = select(looking, weights=weights, prompt_builder=self.prompts)
        self.facts = facts.KeepFacts(self.memory, self.turns, self.reasoner, self.limits.clarification)
        stored = self.memory, self.turns, self.allowance, self.limits.clarification
        self.triples = writing.TripleProposals(*stored, reasoner=self.reasoner, told=self.facts.told)
        self.lessons = feedback.LessonProposals(*stored)
        self.reads: writing.TripleReader = partial(writing.read_by_rule, self.reasoner)
        self.note_taker: lessons.NoteTaker = partial(lessons.note_by_rule, LessonBook(LANGUAGES))
        self.matches: Callable[[str, str], bool] = is_same
        if not self.is_embedded:
            self.reads = writing.ReadByModel(self.model, self.prompts, self.reasoner.words, self.allowance)
            self.note_taker = lessons.NoteByModel(self.model, self.prompts, LANGUAGES, self.allowance)
            self.matches = lessons.is_right
        # Lessons of small models are useless.
        drafts = settings.propose_lessons and not is_small(self.model)
        self.learn = feedback.LearnFromFeedback(self.memory, self.turns, self.note_taker if drafts else None)
        self.is_drafting = self.learn.background.__contains__
        self.listeners: list[Listener] = [  # in call order, before `learn`
            partial(count_uses, self.memory),
            partial(keep_example, self.memory),
            partial(request_keys, self.worker.soon),
            self.facts,
        ]
        if settings.keep_triples:
            self.listeners.append(self.triples.keep_at_once)

    def start(self) -> None:
        """Start slow loading and background work."""
        self.store.start()
        if self.used.embedder:
            self.used.embedder.start()
        self.model.start()
        if self.settings.prompt == MEASURED:
            measure_soon(self.model, self.prompts)
        if self.model.writes_keys:
            self.worker.start()

    def settle(self) -> None:
        """Wait for background work of answers."""
        self.worker.settle()
        self.learn.background.settle()

    def close(self) -> None:
        """Close every part, even if another one fails, the store last."""
        with ExitStack() as closing:
            for part in (self.store, self.model, self.local, self.calls, self.worker, self.learn.background):
                closing.callback(part.close)
            if self.tracing:
                closing.callback(self.tracing.shutdown)


def _embedded(parts: _AppParts) -> TurnParts:
    """Return the parts for the embedded model, which chains facts, applies lessons and gets only certain notes."""
    links, steps = partial(facts.link_facts, parts.memory, parts.reasoner), partial(facts.find_steps, parts.memory)
    by_key = partial(lessons.add_lessons, parts.memory, LANGUAGES)
    return TurnParts(
        retrievers=(links, steps, by_key),
        gate=OfferByRules(parts.gate.only_certain(), (lessons.BEARS, facts.LINKED, facts.BLOCKED)),
        prompt_builder=parts.prompt_builder("memprompt", grammar=writing.PROPOSED),
        generator=parts.drafts,
    )


def _connected(parts: _AppParts) -> TurnParts:
    """Return the parts for a language model, which can decline notes and look up facts; `fit` for a small one."""
    by_key = partial(lessons.add_lessons, parts.memory, LANGUAGES)
    short = TurnParts(  # a small language model recites a long prompt
        gate=parts.gate.only_likeliest(),
        prompt_builder=parts.prompt_builder("short", labels=True, hints=[partial(facts.telling_hint, LANGUAGES)]),
        generator=parts.drafts,
    )
    return TurnParts(
        retrievers=(partial(facts.find_steps, parts.memory), by_key),
        gate=OfferByRules(parts.gate.only_offering(), (lessons.BEARS, facts.BLOCKED)),
        prompt_builder=parts.prompts,
        generator=parts.looking_drafts,
        # The host's model does not draft lessons from answers of another model.
        listener=call_all(*parts.listeners, replace(parts.learn, note_taker=None)),
        fit=lambda model: short if is_small(model) else {},
    )


def _until_loaded(parts: _AppParts, connected: TurnParts) -> TurnParts:
    """Return the parts of a Space with a local model: the embedded one answers while it is loading."""
    loading: TurnParts = {**_embedded(parts), "model": EmbeddedModel(LANGUAGES, parts.used.here)}
    fit, model = connected["fit"], parts.model
    if not (parts.settings.on_spaces and isinstance(model, LocalModel)):
        return connected
    return {**connected, "fit": lambda one: loading if one is model and model.engine.is_loading else fit(one)}


def _runner(parts: _AppParts, connected: TurnParts) -> TurnRunner:
    """Return the turn runner for the model in use."""
    settings = parts.settings
    chosen: TurnParts = {
        **(_embedded(parts) if parts.is_embedded else _until_loaded(parts, connected)),
        "model": parts.model,
        "recall": parts.store.recall,
        "listener": call_all(*parts.listeners, parts.learn),
        "memory": parts.memory,
        "turn_store": parts.turns,
        "limits": parts.limits,
        "clock": parts.clock,
    }
    runner = TurnRunner(**chosen)
    if not settings.think_through or parts.is_embedded:
        return runner
    think = ThinkThrough(runner.find, parts.memory, runner.generator, parts.allowance, LANGUAGES)
    return replace(runner, generator=think)


def _models(parts: _AppParts, runner: TurnRunner, connected: TurnParts) -> Models:
    """Return the model in use, and the ways to connect another one."""
    settings, is_private = parts.settings, not parts.settings.on_spaces
    suited: TurnParts = {**connected}
    if parts.is_embedded:
        suited["listener"] = runner.listener  # rules may draft lessons
    else:
        suited["generator"] = runner.generator
    return Models(
        name=Sentence("embedded.name") if parts.is_embedded else plain(parts.model.name),
        note=partial(model_note, settings),
        connected=suited,
        own=partial(own_model, settings, parts.calls, parts.model.writes_keys) if settings.own_models else None,
        local=parts.local if is_private else None,
        find_servers=find_servers if is_private else None,
        measure=lambda own: measure_soon(own, parts.prompts),
    )


def _assistant(parts: _AppParts, runner: TurnRunner) -> Assistant:
    # Other models show only by their answer whether they follow a correction.
    follows = [parts.model.follows] if isinstance(parts.model, EmbeddedModel) else []
    return Assistant(
        runner,
        parts.memory,
        ProposedReach(QuestionSimilarity(), *follows),
        parts.allowance,
        partial(facts.triples_in, reasoner=parts.reasoner),
        partial(is_own_question, languages=LANGUAGES),
        partial(parts.reasoner.completed, corrects=True),
    )


def _card_parts(parts: _AppParts, assistant: Assistant) -> Sequence[CardPart]:
    return CardParts(
        assistant=assistant,
        triples=parts.triples,
        lessons=parts.lessons,
        is_drafting=parts.is_drafting,
        told=parts.facts.told,
        shared_words=shared_words,
        settings=parts.settings,
    ).all()


def _services(parts: _AppParts, assistant: Assistant, models: Models) -> Services:
    """Return everything that the page, the API and the command line use."""
    settings, store = parts.settings, parts.store
    runs = Runs(settings.answers_at_once, is_known=parts.allowance.knows)
    return Services(
        assistant=assistant,
        models=models,
        triples=parts.triples,
        lessons=parts.lessons,
        is_drafting=parts.is_drafting,
        sheet=store.sheet,
        sheet_editing=SheetEditing(parts.memory, parts.reasoner.words),
        reads=parts.reads,
        keep_fact=parts.facts.keep,
        practice=Practice(assistant, store.conversations.erase, parts.note_taker, LANGUAGES, parts.matches),
        study=Study(parts.model, parts.prompts, LANGUAGES.fold, parts.allowance, can_write=not parts.is_embedded),
        parts=Parts(store.recall, parts.gate, parts.used.embedder),
        runs=runs,
        work=WorkPool(runs, parts.allowance),
        memory_note=partial(memory_note, settings),
        notices=partial(notices, settings),
        embedder_note=lambda: store.embedder_note(parts.used.choice.why),
        visitor_key=store.ledger.secret_for("visitors"),
        store=store,
        memory=store.memory,
        tokens=store.tokens,
        conversations=store.conversations,
        sharing=store.sharing(sharing_rules(settings)),
        insights=partial(overview, store.ledger),
        keep_turns_days=settings.keep_turns_days,
        start=parts.start,
        settle=parts.settle,
        close=parts.close,
        card_parts=_card_parts(parts, assistant),
        has_several_users=has_several_users(settings),
    )


def compose(settings: Settings, clock: Clock = utc_now) -> Services:
    """Build the services for these settings. Loads nothing heavy before `start` or the first question."""
    parts = _AppParts(settings, clock)
    connected = _connected(parts)
    runner = _runner(parts, connected)
    if parts.tracing:
        runner = traced(runner, parts.tracing.get_tracer("noted"), os.environ)
    return _services(parts, _assistant(parts, runner), _models(parts, runner, connected))


@dataclass(frozen=True, slots=True)
class Library:
    """A home for one user, without page and server; see `open_noted`. Methods raise as those of `Assistant`."""

    services: Services
    scope: Scope

    def ask(self, question: str, conversation: str = "") -> Turn:
        """Return the answered turn of a question; if the message corrects the one before, that question's."""
        return RunState().after(self.services.assistant.ask(question, self.scope, conversation)).turn

    def correct(self, turn: Turn, text: str) -> Turn:
        """Save what the question of a turn meant, and return the turn that answers it again."""
        return RunState().after(self.services.assistant.clarify(turn.id, text, self.scope)).turn

    def entries(self, search: str = "") -> Sequence[Entry]:
        """Return the newest entries."""
        return self.services.memory.entries(self.scope, search)


@contextmanager
def open_noted(home: str | Path | None = None, user: str = LOCAL_PERSON) -> Iterator[Library]:
    """Open a data directory, by default that of the settings, for one user."""
    with closing(compose(Settings.load(home=home))) as services:
        yield Library(services, Scope(user))


def _serve(settings: Settings) -> None:
    # Imported late: Gradio takes seconds, more with its MCP server and type stubs, and only the page needs it.
    with import_gradio_lightly():
        from ui.serve import serve

    serve(compose(settings), settings)


def _serve_mcp(services: Services, person: str) -> None:
    from ui.programs.mcp_api import serve_standard_streams  # imported late: it takes half a second

    asyncio.run(serve_standard_streams(services, person))


def main() -> None:
    """Run the command line; the entry point `noted`."""
    command_line(compose, _serve, restore_backup, pull, _serve_mcp)()


if __name__ == "__main__":
    main()
