"""Compose Noted from its settings: parts, servers, command line. No other module chooses parts.

`noted` serves the page; `noted ask "…"` answers on the command line (see --help).
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from assistant import Assistant, Limits
from assistant.background import BackgroundJobs
from assistant.feedback.completing import complete_change
from assistant.feedback.fact_messages import is_own_question
from assistant.feedback.learning import CountReactions, KeepExamples, Listeners, WriteKeys
from assistant.feedback.reach import ProposedReach
from assistant.gate.gate import FittedGate
from assistant.gate.marks import OfferByRules
from assistant.generate.generate import AnswerGenerator, OneCall
from assistant.keys.worker import KeyWorker
from assistant.keys.writer import ModelKeyWriter
from assistant.kinds import Lesson, Triple
from assistant.models.choice import Model, choose_model, local_model
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.lessons import LessonBook
from assistant.models.local.models import LocalModels
from assistant.models.measure import is_small, measure_soon
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.own_model import own_model
from assistant.models.remote.server_discovery import find_servers
from assistant.papers.expnote.feedback import DraftLessons, LessonProposals, WeighLessons
from assistant.papers.expnote.lesson_writing import (
    BEARS,
    FindLessons,
    NoteByModel,
    NoteByRule,
    NoteTaker,
    select_by_key,
    select_by_solving,
)
from assistant.papers.expnote.practice import Practice
from assistant.papers.memllm.editing import SheetEditing
from assistant.papers.memllm.lookups import AnswerWithLookups, lookup_hint
from assistant.papers.memllm.writing import (
    PROPOSED,
    ReadByModel,
    TripleProposals,
    TripleReader,
    keep_hint,
    read_by_rule,
)
from assistant.papers.selection.drafts import DraftSelection
from assistant.papers.selection.preferences import Preferences
from assistant.papers.selection.scores import Dimension, read_dimensions
from assistant.papers.selection.study import Study
from assistant.papers.teachme.facts import (
    BLOCKED,
    LINKED,
    fact_hints,
    find_steps,
    link_facts,
    telling_hint,
    triples_in,
)
from assistant.papers.teachme.keep_facts import KeepFacts
from assistant.papers.teachme.thinking import ThinkThrough
from assistant.ports import Listener, Memory
from assistant.prompt.prompt import PromptBuilder
from assistant.prompt.sections import readings_hint
from assistant.proposals import KeepAtOnce, ProposalContent, Proposals, ProposedType
from assistant.reasoning.reasoner import Reasoner
from assistant.sentences import Sentence, plain
from assistant.settings import EMBEDDED, MEASURED, Settings
from assistant.turn import TurnParts, TurnRunner
from assistant.types import Clock, utc_now
from memory_store.embedding.embedder_setup import EmbedderSetup, set_up_embedder
from memory_store.embedding.hub import pull
from memory_store.language.languages import LANGUAGES
from memory_store.language.question_similarity import QuestionSimilarity
from memory_store.language.word_translation import READINGS
from memory_store.maintenance.backup import restore_backup
from memory_store.read_only import Ports, read_only, writable
from memory_store.retrieval.shared_words import shared_words
from memory_store.store import Store, open_home
from ui.page.card_parts import CardParts
from ui.server.bounds.work import WorkPool
from ui.server.identity import VISITOR
from ui.server.process import hide_package, skip_type_stubs
from ui.server.rate_limit import RateLimit, has_several_users, sharing_rules
from ui.server.services import Models, Parts, Services, Upkeep
from ui.server.status import memory_note, model_note, notices
from ui.streaming.runs import Runs
from ui.terminal.command_line import command_line

PROMPTS = Path(__file__).with_name("prompts")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """Parts that the turns of every mode share."""

    settings: Settings
    used: EmbedderSetup
    store: Store
    ports: Ports
    limits: Limits
    allowance: RateLimit
    model: Model
    worker: KeyWorker
    local: LocalModels
    calls: EventLoopThread = field(default_factory=EventLoopThread)  # of users' own models
    gate: FittedGate = field(default_factory=FittedGate.from_file)
    book: LessonBook = field(default_factory=lambda: LessonBook(LANGUAGES))  # of the embedded model
    reasoner: Reasoner = field(default_factory=lambda: Reasoner(LANGUAGES))

    @property
    def is_embedded(self) -> bool:
        return self.settings.model == EMBEDDED

    @property
    def memory(self) -> Memory:
        return self.ports.memory

    def dimensions(self, name: str) -> Sequence[Dimension]:
        return read_dimensions(PROMPTS / "selection" / f"{name}.jsonl") if self.settings.draft_judging else ()

    def drafts(self, generator: AnswerGenerator, **scoring: Any) -> DraftSelection:
        weights, count = Preferences(self.memory).weights, self.settings.drafts
        return DraftSelection(
            generator, fold=LANGUAGES.fold, count=count, allowance=self.allowance, weights=weights, **scoring
        )

    def looking_drafts(self, prompt_builder: PromptBuilder) -> DraftSelection:
        looking = AnswerWithLookups(OneCall(self.limits.reply), self.store.sheet, prompt_builder, self.allowance)
        return self.drafts(looking, prompt_builder=prompt_builder, dimensions=self.dimensions("answers"))

    def prompt_builder(self, name: str, **tags: Any) -> PromptBuilder:
        return PromptBuilder(PROMPTS, self.store.ledger.secret(), name, **tags)

    def proposals(self, of_type: ProposedType[ProposalContent]) -> Proposals[ProposalContent]:
        return Proposals(of_type, self.ports.turn_store, self.allowance, self.limits.clarification)


def _base(settings: Settings, clock: Clock) -> _Base:
    used = set_up_embedder(settings)
    limits = Limits(settings.question_characters, settings.clarification_characters)
    store = open_home(settings, used, READINGS, VISITOR, limits, clock)
    spending = store.spending(settings.spend_per_day)
    used.limit(spending)
    model = choose_model(settings, LANGUAGES, used.here, spending)
    return _Base(
        settings=settings,
        used=used,
        store=store,
        ports=read_only(store) if settings.read_only else writable(store, limits),
        limits=limits,
        allowance=RateLimit(settings.turns_per_minute, settings.saves_per_minute),
        model=model,
        worker=KeyWorker(ModelKeyWriter(model, PROMPTS, store.ledger.secret()), store.key_work),
        local=LocalModels(settings.models, partial(local_model, settings)),
    )


def _embedded(base: _Base) -> TurnParts:
    """Return the parts for the embedded model, which chains facts, applies lessons and gets only certain notes."""
    links, steps = partial(link_facts, base.memory, base.reasoner), partial(find_steps, base.memory)
    return TurnParts(
        retrievers=(links, steps, FindLessons(base.memory, partial(select_by_solving, base.book), LANGUAGES)),
        gate=OfferByRules(base.gate.only_certain(), (BEARS, LINKED, BLOCKED)),
        prompt_builder=base.prompt_builder("memprompt", grammar=PROPOSED),
        generator=base.drafts(OneCall(base.limits.reply)),
    )


def _connected(base: _Base) -> TurnParts:
    """Return the parts for a language model, which can decline notes and look up facts."""
    hints = (partial(fact_hints, LANGUAGES), keep_hint(LANGUAGES), lookup_hint(base.store.sheet), readings_hint)
    prompt_builder = base.prompt_builder("connected", grammar=PROPOSED, hints=hints)
    return TurnParts(
        retrievers=(
            partial(find_steps, base.memory),
            FindLessons(base.memory, partial(select_by_key, LANGUAGES), LANGUAGES),
        ),
        gate=OfferByRules(base.gate.only_offering(), (BEARS, BLOCKED)),
        prompt_builder=prompt_builder,
        generator=base.looking_drafts(prompt_builder),
    )


def _short(base: _Base) -> TurnParts:
    """Return the replacement parts for a small language model, which recites a long prompt."""
    return TurnParts(
        gate=base.gate.only_likeliest(),
        prompt_builder=base.prompt_builder("short", labels=True, hints=[partial(telling_hint, LANGUAGES)]),
        generator=base.drafts(OneCall(base.limits.reply)),
    )


@dataclass(frozen=True, slots=True)
class _Papers:
    """Parts of the papers that learn from turns and other texts of users."""

    facts: KeepFacts
    triples: Proposals[Triple]
    lessons: Proposals[Lesson]
    draft: DraftLessons
    reads: TripleReader
    study: Study
    listeners: Sequence[Listener]  # in call order, without `draft`


def _papers(base: _Base, prompt_builder: PromptBuilder) -> _Papers:
    memory, turns, model, allowance = base.memory, base.ports.turn_store, base.model, base.allowance
    facts = KeepFacts(memory, turns, LANGUAGES, base.limits.clarification)
    triples = base.proposals(TripleProposals(memory, turns, base.reasoner, facts.told))
    by_itself = [KeepAtOnce(triples)] if base.settings.keep_triples else []
    counting = CountReactions(memory), KeepExamples(memory), WriteKeys(base.worker.soon)
    dimensions, can_write = base.dimensions("questions"), not base.is_embedded
    reads: TripleReader = read_by_rule(base.reasoner)
    note_taker: NoteTaker = NoteByRule(base.book)
    if not base.is_embedded:
        reads = ReadByModel(model, prompt_builder, base.reasoner.words, allowance)
        note_taker = NoteByModel(model, prompt_builder, LANGUAGES, allowance)
    return _Papers(
        facts=facts,
        triples=triples,
        lessons=base.proposals(LessonProposals(memory)),
        draft=DraftLessons(note_taker, memory, turns, base.store.recall, LANGUAGES),
        reads=reads,
        study=Study(model, prompt_builder, LANGUAGES.fold, allowance, dimensions, can_write),
        listeners=(*counting, facts, WeighLessons(memory, turns), *by_itself),
    )


def _runner(base: _Base, connected: TurnParts, papers: _Papers, clock: Clock) -> TurnRunner:
    """Return the turn runner for the model in use."""
    settings, memory, short = base.settings, base.memory, _short(base)
    # Lessons of small models are useless.
    drafts = settings.propose_lessons and not settings.read_only and not is_small(base.model)
    parts: TurnParts = {
        **(_embedded(base) if base.is_embedded else connected),
        "model": base.model,
        "recall": base.store.recall,
        "listener": Listeners(*papers.listeners, *([papers.draft] if drafts else [])),
        "memory": memory,
        "turn_store": base.ports.turn_store,
        "limits": base.limits,
        "clock": clock,
        "fit": lambda model: short if is_small(model) else {},
    }
    runner = TurnRunner(**parts)
    if not settings.think_through or base.is_embedded:
        return runner
    think = ThinkThrough(runner.find, memory, runner.prompt_builder, runner.generator, base.allowance, LANGUAGES)
    return replace(runner, generator=think)


def _models(base: _Base, connected: TurnParts) -> Models:
    """Return the model in use, and the ways to connect another one."""
    settings, is_private = base.settings, not base.settings.on_spaces
    return Models(
        name=Sentence("embedded.name") if base.is_embedded else plain(base.model.name),
        note=model_note(settings),
        connected=connected,
        own=partial(own_model, settings, base.calls, base.model.writes_keys) if settings.own_models else None,
        local=base.local if is_private else None,
        find_servers=find_servers if is_private else None,
        measure=lambda own: measure_soon(own, connected["prompt_builder"]),
    )


@dataclass(frozen=True, slots=True)
class _Running:
    """Parts with a lifecycle: start and stop with the process."""

    base: _Base
    prompt_builder: PromptBuilder
    drafting: BackgroundJobs

    def start(self) -> None:
        """Start slow loading and background work."""
        base = self.base
        base.store.start()
        base.used.start()
        base.model.start()
        if base.settings.prompt == MEASURED:
            measure_soon(base.model, self.prompt_builder)
        if base.model.writes_keys and not base.settings.read_only:
            base.worker.start()

    def settle(self) -> None:
        self.base.worker.settle()
        self.drafting.settle()

    def close(self) -> None:
        """Close every part, even if another one fails, the store last."""
        base = self.base
        with ExitStack() as closing:
            for part in (base.store, base.model, base.local, base.calls, base.worker, self.drafting):
                closing.callback(part.close)


def _services(base: _Base, assistant: Assistant, models: Models, papers: _Papers) -> Services:
    """Return the services of the page, the API and the command line."""
    settings, store, ports, draft = base.settings, base.store, base.ports, papers.draft
    prompt_builder = models.connected["prompt_builder"]
    runs = Runs(settings.answers_at_once, is_known=base.allowance.knows)
    running = _Running(base, prompt_builder, draft.background)
    card_parts = CardParts(
        assistant=assistant,
        triples=papers.triples,
        lessons=papers.lessons,
        is_drafting=draft.is_drafting,
        drafting=base.looking_drafts(prompt_builder),
        told=papers.facts.told,
        shared_words=partial(shared_words, readings=READINGS),
        settings=settings,
    )
    return Services(
        assistant=assistant,
        models=models,
        triples=papers.triples,
        lessons=papers.lessons,
        is_drafting=draft.is_drafting,
        sheet=store.sheet,
        sheet_editing=SheetEditing(base.memory, base.reasoner.words),
        reads=papers.reads,
        keep_fact=papers.facts.keep,
        practice=Practice(assistant, ports.conversations, draft.note_taker, LANGUAGES),
        study=papers.study,
        parts=Parts(store.recall, base.gate, assistant.propose_reach, base.used.embedder, store.key_work),
        runs=runs,
        work=WorkPool(runs, base.allowance),
        memory_note=memory_note(settings),
        notices=notices(settings, sends_texts=base.used.choice.is_remote),
        embedder_note=lambda: store.embedder_note(base.used.choice.why),
        visitor_key=store.ledger.secret_for("visitors"),
        tokens=store.tokens,
        conversations=ports.conversations,
        sharing=store.sharing(sharing_rules(settings)),
        insights=store.insights(),
        keep_turns_days=settings.keep_turns_days,
        export=store.export,
        upkeep=Upkeep(store.verify, store.indexer.rebuild, ports.take_in, store.backup),
        check=store.ledger.check,
        start=running.start,
        settle=running.settle,
        close=running.close,
        card_parts=card_parts.all(),
        has_several_users=has_several_users(settings),
    )


def compose(settings: Settings, clock: Clock = utc_now) -> Services:
    """Build the services for these settings. Loads nothing heavy before `start` or the first question."""
    base = _base(settings, clock)
    connected = _connected(base)
    papers = _papers(base, connected["prompt_builder"])
    runner = _runner(base, connected, papers, clock)
    suited = TurnParts(
        retrievers=connected["retrievers"],
        gate=connected["gate"],
        prompt_builder=connected["prompt_builder"],
        generator=connected["generator"] if base.is_embedded else runner.generator,
        fit=runner.fit,
        # The host's model does not draft lessons from answers of another model; rules may.
        listener=runner.listener if base.is_embedded else Listeners(*papers.listeners),
    )
    # Other models show only by their answer whether they follow a correction.
    follows = [base.model.follows] if isinstance(base.model, EmbeddedModel) else []
    reach = ProposedReach(QuestionSimilarity(), *follows)
    assistant = Assistant(
        runner,
        base.memory,
        reach,
        base.allowance,
        partial(complete_change, reasoner=base.reasoner),
        partial(triples_in, reasoner=base.reasoner),
        partial(is_own_question, languages=LANGUAGES),
    )
    return _services(base, assistant, _models(base, suited), papers)


def _serve(settings: Settings) -> None:
    # Imported late: Gradio takes seconds, more with its MCP server and type stubs, and only the page needs it.
    with hide_package("mcp"), skip_type_stubs():
        from ui.serve import serve

    serve(compose(settings), settings)


def main() -> None:
    """Run the command line; the entry point `noted`."""
    command_line(compose, _serve, restore_backup, pull)()


if __name__ == "__main__":
    main()
