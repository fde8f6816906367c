"""Compose Noted from its settings: parts, servers, command line. The only place where parts are chosen.

`noted` serves the page; `noted ask "…"` is the same loop on the command line (see --help).
"""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from assistant import Assistant, Limits
from assistant.expnote.drafting import DraftLessons
from assistant.expnote.drawing import DrawByModel, DrawByRule
from assistant.expnote.finding import by_key, by_solving, finding_lessons
from assistant.expnote.keeping import Lessons
from assistant.expnote.practice import Practice, by_noting, by_rule, says
from assistant.expnote.weighing import WeighLessons
from assistant.feedback.completing import complete_change
from assistant.feedback.learning import CountReactions, KeepExamples, LearnAll, WriteKeys
from assistant.feedback.reach import ProposedReach
from assistant.gate.gate import Gate
from assistant.keys.worker import KeyWorker
from assistant.keys.writer import ModelKeyWriter
from assistant.memllm.keeping import KeepByItself, Keeper, Keeping
from assistant.memllm.learning import ReadByRule
from assistant.memllm.looking import LookAndGoOn, LookHints
from assistant.memllm.proposing import PROPOSED, KeepHints
from assistant.models.choice import choose_model, local_model
from assistant.models.embedded.embedded import EmbeddedModel
from assistant.models.embedded.lessons import LessonBook, is_same
from assistant.models.local.models import LocalModels
from assistant.models.measure import is_small, measure_soon
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.found import find_servers
from assistant.models.remote.own import own_model
from assistant.prompt.examples import NearestExamples
from assistant.prompt.forms import LABELS
from assistant.prompt.prompt import Prompting
from assistant.prompt.sections import asks_readings
from assistant.respond.respond import OneCall
from assistant.selection.draft_scores import Choosing
from assistant.selection.study.study import Study
from assistant.sentences import Sentence, plain
from assistant.settings import EMBEDDED, MEASURED, Settings
from assistant.teachme.blocked_steps import minding_steps
from assistant.teachme.facts import FactHints, KeepFacts, TellingHint
from assistant.teachme.linked_facts import linking_facts
from assistant.teachme.teaching import thinking_always
from assistant.turn import TurnRunner
from assistant.types import Clock, utc_now
from memory_store.embedding.hub import pull
from memory_store.embedding.in_use import embedder_in_use
from memory_store.language.languages import LANGUAGES
from memory_store.language.questions import WordedWays
from memory_store.language.word_translation import READINGS
from memory_store.read_only import read_only, writable
from memory_store.store import open_home, restore_home
from ui.page.card_parts import card_parts
from ui.server.bounds.work import Work
from ui.server.identity import VISITOR
from ui.server.permissions import PerMinute, sharing_rules
from ui.server.process import without, without_type_stubs
from ui.server.services import Parts, Services, Upkeep
from ui.server.status import memory_note, model_note, notices
from ui.streaming.runs import Runs
from ui.terminal.command_line import command_line

PROMPTS = Path(__file__).with_name("prompts")


def compose(settings: Settings, clock: Clock = utc_now) -> Services:
    """The parts, chosen by the settings. Nothing heavy is loaded before `start` or the first question."""
    is_embedded = settings.model == EMBEDDED
    used = embedder_in_use(settings, lambda: store.spending(settings.spend_per_day))
    limits = Limits(settings.question_characters, settings.clarification_characters)
    store = open_home(settings, used, READINGS, VISITOR, limits, clock)
    ports = read_only(store) if settings.read_only else writable(store, limits)
    book = LessonBook(LANGUAGES)
    model = choose_model(settings, LANGUAGES, used.here, store.spending(settings.spend_per_day))
    worker = KeyWorker(ModelKeyWriter(model, PROMPTS, store.ledger.secret()), store.key_work)
    local = LocalModels(settings.models, partial(local_model, settings))
    calls, allowance = EventLoopThread(), PerMinute(settings.turns_per_minute, settings.saves_per_minute)
    recall, gate = store.recall, Gate.from_file()
    ways, prompts = WordedWays(), partial(Prompting, PROMPTS, store.ledger.secret())
    facts, answer = KeepFacts(ports.memory, ports.journal, LANGUAGES, limits.clarification), OneCall(limits.reply)
    hints = (FactHints(LANGUAGES), KeepHints(LANGUAGES), LookHints(store.sheet), asks_readings)
    speaking = prompts("connected", PROPOSED, hints=hints)
    connected = minding_steps({"recall": recall, "choose": gate.only_offering(), "prompting": speaking}, ports.memory)
    judging = PROMPTS / "selection" if settings.draft_judging else None
    choosing = Choosing(LANGUAGES.fold, ports.memory, allowance, settings.drafts)
    looking, keyed = LookAndGoOn(answer, store.sheet, speaking, allowance), by_key(LANGUAGES)
    connected["respond"] = drafting = choosing.by_model(looking, speaking, judging)
    connected = finding_lessons(connected, ports.memory, LANGUAGES, keyed)
    connected |= thinking_always(connected, ports.memory, allowance, LANGUAGES) if settings.think_through else {}
    short: dict[str, Any] = {"choose": gate.only_certain(), "respond": choosing.by_rule(answer)}
    short["prompting"] = prompts("short", form=LABELS, hints=[TellingHint(LANGUAGES)])
    connected["fit"] = lambda model: short if is_small(model) else {}
    embedded: dict[str, Any] = linking_facts(recall, gate.only_certain(), ports.memory, LANGUAGES)
    embedded |= {"respond": choosing.by_rule(answer), "prompting": prompts("memprompt", PROPOSED)}
    embedded = finding_lessons(embedded, ports.memory, LANGUAGES, by_solving(book))
    suiting = {**(embedded if is_embedded else connected), "demonstrate": NearestExamples()}
    follows = [model.follows] if isinstance(model, EmbeddedModel) else []  # other models say so once they answer
    memory, reach = ports.memory, ProposedReach(ways, suiting["prompting"].shown, *follows)
    reads = (keeper := Keeper.of(memory, store.sheet_lines(), ports.journal, LANGUAGES)).proposing
    learns = (CountReactions(memory), KeepExamples(memory), WriteKeys(worker.soon), facts)
    draw = DrawByRule(memory, book) if is_embedded else DrawByModel(model, speaking, connected["recall"], allowance)
    draft = DraftLessons(draw, memory, ports.journal, recall, LANGUAGES)
    later: list[Any] = [WeighLessons(memory, ports.journal), *([KeepByItself(keeper)] if settings.keep_triples else [])]
    connected |= {} if is_embedded else {"learn": LearnAll(*learns, *later)}  # ours reads no other's answers
    drafts = settings.draft_lessons and not settings.read_only and not is_small(model)  # which drafts nothing of use
    later += [draft] if drafts else []
    suiting |= {"model": model, "learn": LearnAll(*learns, *later), "memory": memory, "turn_store": ports.journal}
    complete = partial(complete_change, reasoner=reads.reasoner)
    assistant = Assistant(TurnRunner(**suiting, limits=limits, clock=clock), memory, reach, allowance, complete)
    measuring: list[Any] = [partial(measure_soon, model, speaking)] if settings.prompt == MEASURED else []
    writing = [worker.start] if model.writes_keys and not settings.read_only else []
    closing = ExitStack()  # in the reverse order of this one
    for close in (store.close, model.close, local.close, calls.close, worker.close, draft.background.close):
        closing.callback(close)
    draws = (by_rule(book), is_same) if is_embedded else (by_noting(model, speaking, keyed, allowance), says)
    return Services(
        assistant=assistant,
        keeping=(keeping := Keeping(assistant, keeper)),
        lessons=(lessons := Lessons(assistant, ports.journal, draft.is_drafting)),
        sheet=store.sheet_lines(),
        reads=ReadByRule(reads.reasoner) if is_embedded else keeping.read_by(model, speaking),
        practice=Practice(assistant, ports.conversations, keyed, *draws),
        study=Study(LANGUAGES.fold, allowance=allowance, judging=judging).with_parts({} if is_embedded else suiting),
        parts=Parts(recall, gate, reach, used.embedder, store.key_work),
        runs=(runs := Runs(settings.answers_at_once, is_known=allowance.knows)),
        work=Work(runs, allowance),
        measure=lambda own: measure_soon(own, speaking),
        own_models=partial(own_model, settings, calls, model.writes_keys) if settings.own_models else None,
        local_models=None if settings.on_spaces else local,
        find_servers=None if settings.on_spaces else find_servers,
        connected=connected,
        model_name=Sentence("embedded.name") if is_embedded else plain(model.name),
        model_note=model_note(settings),
        memory_note=memory_note(settings),
        notices=notices(settings, sends_texts=used.choice.is_remote),
        embedder_note=lambda: store.embedder_note(used.choice.why),
        visitor_key=store.ledger.secret_for("visitors"),
        tokens=store.tokens,
        conversations=ports.conversations,
        sharing=store.sharing(sharing_rules(settings)),
        insights=store.insights(),
        keep_turns_days=settings.keep_turns_days,
        export=store.export,
        upkeep=Upkeep(store.verify, store.indexer.rebuild, ports.take_in, store.backup),
        check=store.check,
        start=lambda: [start() for start in (store.start, used.start, model.start, *measuring, *writing)],
        settle=lambda: [settle() for settle in (worker.settle, draft.background.settle)],
        close=closing.close,
        card_parts=card_parts(assistant, keeping, lessons, drafting, facts.told, by_itself=settings.keep_triples),
    )


def _serve(settings: Settings) -> None:
    # Gradio takes seconds to import, and only the page needs it; and more for an MCP server and for files of its own.
    with without("mcp"), without_type_stubs():
        from ui.serve import serve

    serve(compose(settings), settings)


def main() -> None:
    """Run the command line; the entry point `noted`."""
    command_line(compose, _serve, restore_home, pull)()


if __name__ == "__main__":
    main()
