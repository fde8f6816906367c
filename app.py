"""Compose Noted from its settings: parts, servers, command line. The only place where parts are chosen.

`noted` serves the page; `noted ask "…"` is the same loop on the command line (see --help).
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from assistant import Assistant, Limits
from assistant.feedback.completing import complete_change
from assistant.feedback.learning import CountReactions, KeepExamples, LearnAll, WriteKeys
from assistant.feedback.reach import ProposedReach
from assistant.gate.gate import Gate
from assistant.gate.marks import OfferMarked
from assistant.keys.worker import KeyWorker
from assistant.keys.writer import ModelKeyWriter
from assistant.kinds import Triple
from assistant.models.choice import Model, choose_model, local_model
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.lessons import LessonBook
from assistant.models.local.models import LocalModels
from assistant.models.measure import is_small, measure_soon
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.found import find_servers
from assistant.models.remote.own import own_model
from assistant.papers.expnote.feedback import DraftLessons, LessonProposals, WeighLessons
from assistant.papers.expnote.noting import BEARS, FindLessons, NoteByModel, NoteByRule, NoteTaker, by_key, by_solving
from assistant.papers.expnote.practice import Practice
from assistant.papers.memllm.editing import SheetEditing
from assistant.papers.memllm.lookups import AnswerWithLookups, lookup_hint
from assistant.papers.memllm.writing import PROPOSED, ReadByModel, TripleProposals, keep_hint, read_by_rule
from assistant.papers.selection.drafts import Drafts
from assistant.papers.selection.scores import Dimension, read_dimensions
from assistant.papers.selection.study import Study
from assistant.papers.selection.taking import Preferences
from assistant.papers.teachme.facts import BLOCKED, LINKED, KeepFacts, fact_hints, find_steps, link_facts, telling_hint
from assistant.papers.teachme.thinking import ThinkThrough
from assistant.ports import Learn, OwnEntries, Respond
from assistant.prompt.envelope import LABELS
from assistant.prompt.examples import NearestExamples
from assistant.prompt.prompt import Prompting
from assistant.prompt.sections import asks_readings
from assistant.proposals import KeepAtOnce, Proposals, ProposedType, Said
from assistant.reasoning.reasoner import Reasoner
from assistant.respond.respond import OneCall
from assistant.sentences import Sentence, plain
from assistant.settings import EMBEDDED, MEASURED, Settings
from assistant.turn import SuitedParts, TurnParts, TurnRunner
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
    """What the parts of every mode are made of."""

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

    @property
    def is_embedded(self) -> bool:
        return self.settings.model == EMBEDDED

    @property
    def memory(self) -> OwnEntries:
        return self.ports.memory

    def dimensions(self, name: str) -> Sequence[Dimension]:
        return read_dimensions(PROMPTS / "selection" / f"{name}.jsonl") if self.settings.draft_judging else ()

    def drafts(self, respond: Respond, **scoring: Any) -> Drafts:
        weights, count = Preferences(self.memory).weights, self.settings.drafts
        return Drafts(respond, fold=LANGUAGES.fold, count=count, allowance=self.allowance, weights=weights, **scoring)

    def prompting(self, name: str, **tags: Any) -> Prompting:
        return Prompting(PROMPTS, self.store.ledger.secret(), name, **tags)


def _base(settings: Settings, clock: Clock) -> _Base:
    used = embedder_in_use(settings, lambda: store.spending(settings.spend_per_day))
    limits = Limits(settings.question_characters, settings.clarification_characters)
    store = open_home(settings, used, READINGS, VISITOR, limits, clock)
    model = choose_model(settings, LANGUAGES, used.here, store.spending(settings.spend_per_day))
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


def _embedded(base: _Base) -> SuitedParts:
    """Return the parts for the embedded model, which chains facts, solves by lessons and gets what is certain."""
    links, steps = partial(link_facts, base.memory, Reasoner(LANGUAGES)), partial(find_steps, base.memory)
    return SuitedParts(
        retrievers=(links, steps, FindLessons(base.memory, partial(by_solving, base.book), LANGUAGES)),
        choose=OfferMarked(base.gate.only_certain(), (BEARS, LINKED, BLOCKED)),
        prompting=base.prompting("memprompt", grammar=PROPOSED),
        respond=base.drafts(OneCall(base.limits.reply)),
    )


def _connected(base: _Base) -> SuitedParts:
    """Return the parts for a language model, which may decline what it is offered and look facts up."""
    hints = (partial(fact_hints, LANGUAGES), keep_hint(LANGUAGES), lookup_hint(base.store.sheet), asks_readings)
    prompting = base.prompting("connected", grammar=PROPOSED, hints=hints)
    return SuitedParts(
        retrievers=(partial(find_steps, base.memory), FindLessons(base.memory, partial(by_key, LANGUAGES), LANGUAGES)),
        choose=OfferMarked(base.gate.only_offering(), (BEARS, BLOCKED)),
        prompting=prompting,
        respond=_drafts(base, prompting),
    )


def _drafts(base: _Base, prompting: Prompting) -> Drafts:
    looking = AnswerWithLookups(OneCall(base.limits.reply), base.store.sheet, prompting, base.allowance)
    return base.drafts(looking, prompting=prompting, dimensions=base.dimensions("answers"))


def _short(base: _Base) -> TurnParts:
    """Return what stands in where a language model is small: it recites a long prompt."""
    return TurnParts(
        choose=base.gate.only_certain(),
        prompting=base.prompting("short", form=LABELS, hints=[partial(telling_hint, LANGUAGES)]),
        respond=base.drafts(OneCall(base.limits.reply)),
    )


def _proposals(base: _Base, of_type: ProposedType[Said]) -> Proposals[Said]:
    return Proposals(of_type, base.ports.journal, base.allowance, base.limits.clarification)


def _listeners(base: _Base, facts: KeepFacts, triples: Proposals[Triple]) -> tuple[Learn, ...]:
    """Return what learns from a turn, in the order in which it hears of it."""
    memory, by_itself = base.memory, [KeepAtOnce(triples)] if base.settings.keep_triples else []
    counting = CountReactions(memory), KeepExamples(memory), WriteKeys(base.worker.soon)
    return (*counting, facts, WeighLessons(memory, base.ports.journal), *by_itself)


def _note_taker(base: _Base, prompting: Prompting) -> NoteTaker:
    """Return what notes lessons, of what users say of answers and in practice."""
    if base.is_embedded:
        return NoteByRule(base.book)
    return NoteByModel(base.model, prompting, LANGUAGES, base.allowance)


@dataclass(frozen=True, slots=True)
class _Running:
    """How the parts start and end with the process, as `Services` says it."""

    start: Callable[[], object]
    settle: Callable[[], object]
    close: Callable[[], None]


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


def _running(base: _Base, draft: DraftLessons, prompting: Prompting) -> _Running:
    """Return what starts and ends with the process."""
    settings, model, worker = base.settings, base.model, base.worker
    starts: list[Callable[[], object]] = [base.store.start, base.used.start, model.start]
    starts += [partial(measure_soon, model, prompting)] if settings.prompt == MEASURED else []
    starts += [worker.start] if model.writes_keys and not settings.read_only else []
    closing = ExitStack()  # in the reverse order of this one
    for close in (
        base.store.close,
        model.close,
        base.local.close,
        base.calls.close,
        worker.close,
        draft.background.close,
    ):
        closing.callback(close)
    settles = (worker.settle, draft.background.settle)
    return _Running(lambda: [start() for start in starts], lambda: [settle() for settle in settles], closing.close)


def _services(
    base: _Base, assistant: Assistant, models: Models, triples: Proposals[Triple], facts: KeepFacts, draft: DraftLessons
) -> Services:
    """Return what the page, programs and the command line get."""
    settings, store, ports, prompting = base.settings, base.store, base.ports, models.connected["prompting"]
    lessons, reasoner = _proposals(base, LessonProposals(base.memory)), Reasoner(LANGUAGES)
    by_model = ReadByModel(base.model, prompting, reasoner.words, base.allowance)
    dimensions, can_write = base.dimensions("questions"), not base.is_embedded
    runs, running = Runs(settings.answers_at_once, is_known=base.allowance.knows), _running(base, draft, prompting)
    return Services(
        assistant=assistant,
        models=models,
        triples=triples,
        lessons=lessons,
        is_drafting=draft.is_drafting,
        sheet=store.sheet,
        sheet_editing=SheetEditing(base.memory, reasoner.words),
        reads=read_by_rule(reasoner) if base.is_embedded else by_model,
        practice=Practice(assistant, ports.conversations, draft.note_taker, LANGUAGES),
        study=Study(base.model, prompting, LANGUAGES.fold, base.allowance, dimensions, can_write),
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
        card_parts=card_parts(
            assistant, triples, lessons, draft.is_drafting, _drafts(base, prompting), facts.told, settings
        ),
    )


def compose(settings: Settings, clock: Clock = utc_now) -> Services:
    """Return the app of these settings. Nothing heavy is loaded before `start` or the first question."""
    base = _base(settings, clock)
    memory, turns, model, limits = base.memory, base.ports.journal, base.model, base.limits
    connected, short = _connected(base), _short(base)
    facts = KeepFacts(memory, turns, LANGUAGES, limits.clarification)
    triples = _proposals(base, TripleProposals(memory, turns, Reasoner(LANGUAGES)))
    listeners, note_taker = _listeners(base, facts, triples), _note_taker(base, connected["prompting"])
    draft = DraftLessons(note_taker, memory, turns, base.store.recall, LANGUAGES)
    drafts = settings.draft_lessons and not settings.read_only and not is_small(model)  # which drafts nothing of use
    runner = TurnRunner(
        **(_embedded(base) if base.is_embedded else connected),
        model=model,
        recall=base.store.recall,
        demonstrate=NearestExamples(),
        learn=LearnAll(*listeners, *([draft] if drafts else [])),
        memory=memory,
        turn_store=turns,
        limits=limits,
        clock=clock,
        fit=lambda model: short if is_small(model) else {},
    )
    if settings.think_through and not base.is_embedded:
        connected["respond"] = ThinkThrough(
            runner.find, memory, runner.prompting, runner.respond, base.allowance, LANGUAGES
        )
        runner = replace(runner, respond=connected["respond"])
    suited = TurnParts(
        retrievers=connected["retrievers"],
        choose=connected["choose"],
        prompting=connected["prompting"],
        respond=connected["respond"],
        fit=runner.fit,
        # A host's model is not asked to draft lessons of what another model answered; rules may.
        learn=runner.learn if base.is_embedded else LearnAll(*listeners),
    )
    complete = partial(complete_change, reasoner=Reasoner(LANGUAGES))
    follows = [model.follows] if isinstance(model, EmbeddedModel) else []  # other models say so once they answer
    reach = ProposedReach(WordedWays(), *follows)
    assistant = Assistant(runner, memory, reach, base.allowance, complete)
    return _services(base, assistant, _models(base, suited), triples, facts, draft)


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
