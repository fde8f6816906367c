"""Compose Noted from its settings: parts, servers, command line. The only place where parts are chosen.

`noted` serves the page; `noted ask "…"` is the same loop on the command line (see --help).
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
from assistant.feedback.learning import CountReactions, KeepExamples, LearnAll, WriteKeys
from assistant.feedback.reach import ProposedReach
from assistant.gate.gate import Gate
from assistant.gate.marks import OfferMarked
from assistant.keys.worker import KeyWorker
from assistant.keys.writer import ModelKeyWriter
from assistant.kinds import Lesson, Triple
from assistant.models.choice import Model, choose_model, local_model
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.lessons import LessonBook
from assistant.models.local.models import LocalModels
from assistant.models.measure import is_small, measure_soon
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.found import find_servers
from assistant.models.remote.own import own_model
from assistant.papers.expnote.drafts import LessonProposals
from assistant.papers.expnote.feedback import DraftLessons, WeighLessons
from assistant.papers.expnote.noting import NoteByModel, NoteByRule, NoteTaker
from assistant.papers.expnote.practice import Practice
from assistant.papers.expnote.retrieval import BEARS, FindLessons, by_key, by_solving
from assistant.papers.memllm.editing import SheetEditing
from assistant.papers.memllm.lookups import LookAndGoOn, LookHints
from assistant.papers.memllm.writing import PROPOSED, KeepHints, ReadByModel, Reads, TripleProposals, read_by_rule
from assistant.papers.selection.drafts import Drafts
from assistant.papers.selection.scores import Dimension, read_dimensions
from assistant.papers.selection.study import Study
from assistant.papers.selection.taking import Preferences
from assistant.papers.teachme.facts import FactHints, KeepFacts, TellingHint
from assistant.papers.teachme.retrieval import BLOCKED, LINKED, FindSteps, LinkFacts
from assistant.papers.teachme.thinking import ThinkThrough
from assistant.ports import Learn, Memory
from assistant.prompt.forms import LABELS
from assistant.prompt.prompt import Prompting
from assistant.prompt.sections import asks_readings
from assistant.proposals import KeepAtOnce, Proposals, ProposedType, Said
from assistant.reasoning.reasoner import Reasoner
from assistant.respond.respond import OneCall, Respond
from assistant.sentences import Sentence, plain
from assistant.settings import EMBEDDED, MEASURED, Settings
from assistant.turn import TurnParts, TurnRunner
from assistant.types import Clock, utc_now
from memory_store.custody.backup import restore_backup
from memory_store.embedding.hub import pull
from memory_store.embedding.in_use import EmbedderInUse, embedder_in_use
from memory_store.language.languages import LANGUAGES
from memory_store.language.questions import WordedWays
from memory_store.language.word_translation import READINGS
from memory_store.read_only import Ports, read_only, writable
from memory_store.store import Store, open_home
from ui.page.card_parts import card_parts
from ui.server.bounds.work import Work
from ui.server.identity import VISITOR
from ui.server.permissions import PerMinute, sharing_rules
from ui.server.process import without, without_type_stubs
from ui.server.services import Models, Parts, Services, Upkeep
from ui.server.status import memory_note, model_note, notices
from ui.streaming.runs import Runs
from ui.terminal.command_line import command_line

PROMPTS = Path(__file__).with_name("prompts")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """The parts that the turns of every mode share."""

    settings: Settings
    used: EmbedderInUse
    store: Store
    ports: Ports
    limits: Limits
    allowance: PerMinute
    model: Model
    worker: KeyWorker
    local: LocalModels
    calls: EventLoopThread = field(default_factory=EventLoopThread)  # of models that users bring
    gate: Gate = field(default_factory=Gate.from_file)
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

    def drafts(self, respond: Respond, **scoring: Any) -> Drafts:
        weights, count = Preferences(self.memory).weights, self.settings.drafts
        return Drafts(respond, fold=LANGUAGES.fold, count=count, allowance=self.allowance, weights=weights, **scoring)

    def looking_drafts(self, prompting: Prompting) -> Drafts:
        looking = LookAndGoOn(OneCall(self.limits.reply), self.store.sheet, prompting, self.allowance)
        return self.drafts(looking, prompting=prompting, dimensions=self.dimensions("answers"))

    def prompting(self, name: str, **tags: Any) -> Prompting:
        return Prompting(PROMPTS, self.store.ledger.secret(), name, **tags)

    def proposals(self, of_type: ProposedType[Said]) -> Proposals[Said]:
        return Proposals(of_type, self.ports.journal, self.allowance, self.limits.clarification)


def _base(settings: Settings, clock: Clock) -> _Base:
    used = embedder_in_use(settings)
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
        allowance=PerMinute(settings.turns_per_minute, settings.saves_per_minute),
        model=model,
        worker=KeyWorker(ModelKeyWriter(model, PROMPTS, store.ledger.secret()), store.key_work),
        local=LocalModels(settings.models, partial(local_model, settings)),
    )


def _embedded(base: _Base) -> TurnParts:
    """Return the parts for the embedded model, which chains facts, solves by lessons and gets what is certain."""
    links = LinkFacts(base.memory, base.reasoner)
    return TurnParts(
        retrievers=(links, FindSteps(base.memory), FindLessons(base.memory, partial(by_solving, base.book), LANGUAGES)),
        choose=OfferMarked(base.gate.only_certain(), (BEARS, LINKED, BLOCKED)),
        prompting=base.prompting("memprompt", grammar=PROPOSED),
        respond=base.drafts(OneCall(base.limits.reply)),
    )


def _connected(base: _Base) -> TurnParts:
    """Return the parts for a language model, which may decline what it is offered and look facts up."""
    hints = (FactHints(LANGUAGES), KeepHints(LANGUAGES), LookHints(base.store.sheet), asks_readings)
    prompting = base.prompting("connected", grammar=PROPOSED, hints=hints)
    return TurnParts(
        retrievers=(FindSteps(base.memory), FindLessons(base.memory, partial(by_key, LANGUAGES), LANGUAGES)),
        choose=OfferMarked(base.gate.only_offering(), (BEARS, BLOCKED)),
        prompting=prompting,
        respond=base.looking_drafts(prompting),
    )


def _short(base: _Base) -> TurnParts:
    """Return the replacements for a small language model, which recites a long prompt."""
    return TurnParts(
        choose=base.gate.only_certain(),
        prompting=base.prompting("short", form=LABELS, hints=[TellingHint(LANGUAGES)]),
        respond=base.drafts(OneCall(base.limits.reply)),
    )


@dataclass(frozen=True, slots=True)
class _Papers:
    """The parts of the papers that learn from turns, or from what users write elsewhere."""

    facts: KeepFacts
    triples: Proposals[Triple]
    lessons: Proposals[Lesson]
    draft: DraftLessons
    reads: Reads
    study: Study
    listeners: Sequence[Learn]  # in the order in which they hear of a turn, without `draft`


def _papers(base: _Base, prompting: Prompting) -> _Papers:
    memory, turns, model, allowance = base.memory, base.ports.journal, base.model, base.allowance
    facts = KeepFacts(memory, turns, LANGUAGES, base.limits.clarification)
    triples = base.proposals(TripleProposals(memory, turns, base.reasoner))
    by_itself = [KeepAtOnce(triples)] if base.settings.keep_triples else []
    counting = CountReactions(memory), KeepExamples(memory), WriteKeys(base.worker.soon)
    study = Study(LANGUAGES.fold, allowance, base.dimensions("questions"))
    reads: Reads = read_by_rule(base.reasoner)
    note_taker: NoteTaker = NoteByRule(base.book)
    if not base.is_embedded:
        reads = ReadByModel(model, prompting, base.reasoner.words, allowance)
        note_taker = NoteByModel(model, prompting, LANGUAGES, allowance)
        study = study.with_parts({"model": model, "prompting": prompting})
    return _Papers(
        facts=facts,
        triples=triples,
        lessons=base.proposals(LessonProposals(memory)),
        draft=DraftLessons(note_taker, memory, turns, base.store.recall, LANGUAGES),
        reads=reads,
        study=study,
        listeners=(*counting, facts, WeighLessons(memory, turns), *by_itself),
    )


def _runner(base: _Base, connected: TurnParts, papers: _Papers, clock: Clock) -> TurnRunner:
    """Return the runner of turns of the model in use."""
    settings, memory, short = base.settings, base.memory, _short(base)
    # A small model drafts nothing of use.
    drafts = settings.draft_lessons and not settings.read_only and not is_small(base.model)
    parts: TurnParts = {
        **(_embedded(base) if base.is_embedded else connected),
        "model": base.model,
        "recall": base.store.recall,
        "learn": LearnAll(*papers.listeners, *([papers.draft] if drafts else [])),
        "memory": memory,
        "turn_store": base.ports.journal,
        "limits": base.limits,
        "clock": clock,
        "fit": lambda model: short if is_small(model) else {},
    }
    runner = TurnRunner(**parts)
    if not settings.think_through or base.is_embedded:
        return runner
    think = ThinkThrough(runner.find, memory, runner.prompting, runner.respond, base.allowance, LANGUAGES)
    return replace(runner, respond=think)


def _models(base: _Base, connected: TurnParts) -> Models:
    """Return the model in use, and how to bring another one."""
    settings, is_private = base.settings, not base.settings.on_spaces
    return Models(
        name=Sentence("embedded.name") if base.is_embedded else plain(base.model.name),
        note=model_note(settings),
        connected=connected,
        own=partial(own_model, settings, base.calls, base.model.writes_keys) if settings.own_models else None,
        local=base.local if is_private else None,
        find_servers=find_servers if is_private else None,
        measure=lambda own: measure_soon(own, connected["prompting"]),
    )


@dataclass(frozen=True, slots=True)
class _Running:
    """What starts and ends with the process."""

    base: _Base
    prompting: Prompting
    drafting: BackgroundJobs

    def start(self) -> None:
        """Begin to load and to do what takes long, in the background."""
        base = self.base
        base.store.start()
        base.used.start()
        base.model.start()
        if base.settings.prompt == MEASURED:
            measure_soon(base.model, self.prompting)
        if base.model.writes_keys and not base.settings.read_only:
            base.worker.start()

    def settle(self) -> None:
        self.base.worker.settle()
        self.drafting.settle()

    def close(self) -> None:
        """Close every part, each one also where another fails, the store last."""
        base = self.base
        with ExitStack() as closing:
            for part in (base.store, base.model, base.local, base.calls, base.worker, self.drafting):
                closing.callback(part.close)


def _services(base: _Base, assistant: Assistant, models: Models, papers: _Papers) -> Services:
    """Return what the page, programs and the command line get."""
    settings, store, ports, draft = base.settings, base.store, base.ports, papers.draft
    prompting, runs = models.connected["prompting"], Runs(settings.answers_at_once, is_known=base.allowance.knows)
    running, drafts = _Running(base, prompting, draft.background), base.looking_drafts(prompting)
    triples, lessons, told = papers.triples, papers.lessons, papers.facts.told
    return Services(
        assistant=assistant,
        models=models,
        triples=triples,
        lessons=lessons,
        is_drafting=draft.is_drafting,
        sheet=store.sheet_lines(),
        sheet_editing=SheetEditing(base.memory, base.reasoner.words),
        reads=papers.reads,
        practice=Practice(assistant, ports.conversations, draft.note_taker, LANGUAGES),
        study=papers.study,
        parts=Parts(store.recall, base.gate, assistant.propose_reach, base.used.embedder, store.key_work),
        runs=runs,
        work=Work(runs, base.allowance),
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
        check=store.check,
        start=running.start,
        settle=running.settle,
        close=running.close,
        card_parts=card_parts(assistant, triples, lessons, draft.is_drafting, drafts, told, settings),
    )


def compose(settings: Settings, clock: Clock = utc_now) -> Services:
    """Return the app of these settings. Nothing heavy is loaded before `start` or the first question."""
    base = _base(settings, clock)
    connected = _connected(base)
    papers = _papers(base, connected["prompting"])
    runner = _runner(base, connected, papers, clock)
    suited = TurnParts(
        retrievers=connected["retrievers"],
        choose=connected["choose"],
        prompting=connected["prompting"],
        respond=connected["respond"] if base.is_embedded else runner.respond,
        fit=runner.fit,
        # A host's model is not asked to draft lessons of what another model answered; rules may.
        learn=runner.learn if base.is_embedded else LearnAll(*papers.listeners),
    )
    # Other models say that they follow a correction once they answer.
    follows = [base.model.follows] if isinstance(base.model, EmbeddedModel) else []
    reach = ProposedReach(WordedWays(), *follows)
    complete = partial(complete_change, reasoner=base.reasoner)
    assistant = Assistant(runner, base.memory, reach, base.allowance, complete)
    return _services(base, assistant, _models(base, suited), papers)


def _serve(settings: Settings) -> None:
    # Gradio takes seconds to import, and only the page needs it; and more for an MCP server and for files of its own.
    with without("mcp"), without_type_stubs():
        from ui.serve import serve

    serve(compose(settings), settings)


def main() -> None:
    """Run the command line; the entry point `noted`."""
    command_line(compose, _serve, restore_backup, pull)()


if __name__ == "__main__":
    main()
