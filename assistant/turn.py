"""Run one turn: retrieve, gate, choose examples, prompt, generate, record."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TypedDict

from assistant import turn_changes
from assistant.errors import ContextFull, NotedError
from assistant.events import Answered, Event, Finished, Retrieved, Started
from assistant.feedback.corrections import classify_correction, parse_correction
from assistant.gate.gate import CHOSEN, LEFT_OUT, use_stated
from assistant.generate.generate import AnswerGenerator, GenerationRequest, PartialReply
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.model_usage import ms_since
from assistant.ports import ChatModel, Gate, Listener, Memory, Recall, Retriever, TurnStore
from assistant.prompt.prompt import NearestExamples, PromptBuilder, PromptInput, select_history
from assistant.sentences import Sentence
from assistant.sharing import limit_shared
from assistant.types import (
    Action,
    Candidate,
    Clock,
    Decision,
    Entry,
    Prompt,
    Question,
    Scope,
    Turn,
    TurnState,
    day_of,
    utc_now,
)

NO_ROOM = Sentence("left_out.no_room")


class TurnParts(TypedDict, total=False):
    """Replacements for parts of a `TurnRunner`, by the names of its fields."""

    model: ChatModel
    recall: Recall
    retrievers: Sequence[Retriever]
    gate: Gate
    examples: NearestExamples
    prompt_builder: PromptBuilder
    generator: AnswerGenerator
    listener: Listener
    memory: Memory
    turn_store: TurnStore
    limits: Limits
    clock: Clock
    fit: Callable[[ChatModel], TurnParts]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRunner:
    """Runner of single turns; `assistant.conversation` relates them to each other."""

    model: ChatModel
    recall: Recall
    retrievers: Sequence[Retriever] = ()  # in order, each with the candidates so far
    gate: Gate
    examples: NearestExamples = field(default_factory=NearestExamples)
    prompt_builder: PromptBuilder
    generator: AnswerGenerator
    listener: Listener
    memory: Memory
    turn_store: TurnStore
    limits: Limits = DEFAULT_LIMITS
    clock: Clock = utc_now
    fit: Callable[[ChatModel], TurnParts] = lambda _: {}  # returns replacement parts for a model
    records: bool = True  # False: turns are not stored and teach nothing

    def run(
        self,
        turn: Turn,
        scope: Scope,
        earlier: Sequence[Turn],
        *,
        may_correct: Turn | None = None,
        clarified: Entry | None = None,
        told: Sequence[Entry] = (),
        instead_of: Turn | None = None,
    ) -> Generator[Event, None, Turn]:
        """Answer the question of a new turn, or detect a correction; return the finished turn.

        Records the turn, except a correction, which has no `Finished` event either: the caller records it together with
        the corrected turn.

        Args:
            turn: the new turn.
            scope: of its user.
            earlier: the turns before it, oldest first.
            may_correct: the turn that the message may correct.
            clarified: the clarification that it is answered again with.
            told: entries to offer before all others.
            instead_of: the turn that it answers again.
        """
        began, so_far = perf_counter(), PartialReply()
        turn = self.recorded(turn, scope)
        try:
            yield Started(turn)
            fitted = replace(self, **self.fit(self.model))
            turn = replace(fitted._decide(turn, scope, clarified, told), model=fitted.model.name)
            turn, prompt = fitted._prompt(turn, scope, earlier, may_correct, clarified)
            yield Retrieved(turn)
            is_one = classify_correction(turn.question, may_correct)
            builder = fitted.prompt_builder
            request = GenerationRequest(turn, prompt, builder, fitted.model, is_one, scope, so_far, instead_of)
            turn = yield from fitted.generator(request)
        except GeneratorExit:
            turn = turn_changes.stop_turn(turn, so_far.reply, so_far.named)
            self.recorded(replace(turn, ms={**turn.ms, "total": ms_since(began)}, usage=so_far.meter.sum), scope)
            raise
        except NotedError as error:
            turn = turn_changes.fail_turn(turn, error.sentence)
        except Exception:  # the turn must not stay `running`
            self.recorded(turn_changes.fail_turn(turn, NotedError().sentence), scope)
            raise
        if may_correct and turn.state is TurnState.FAILED and parse_correction(turn.question):
            turn = turn_changes.mark_correction(turn, turn.reply)  # keep the feedback if the model is unreachable
        turn = replace(turn, ms={**turn.ms, "total": ms_since(began)}, usage=so_far.meter.sum)
        if turn.state is not TurnState.CORRECTION:
            turn = self.recorded(turn, scope)
            yield Finished(turn)
        return turn

    def find(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        """Return the candidates of all retrievers, one per entry. Implements `Recall`."""
        found = self.recall(question, scope)
        for retriever in self.retrievers:
            found = retriever(question, scope, found)
        return found

    def decided(self, turn: Turn, scope: Scope) -> tuple[Decision, ...]:
        """Return the decisions for a turn in a new conversation, without calling the model."""
        fitted = replace(self, **self.fit(self.model))
        return fitted._prompt(fitted._decide(turn, scope, None, ()), scope, (), None, None)[0].decisions

    def recorded(self, turn: Turn, scope: Scope) -> Turn:
        """Record a turn; if that fails, return it with the error, so that the user still gets the answer."""
        try:
            if self.records:
                self.turn_store.record(turn, scope)
            if self.records and turn.state is TurnState.ANSWERED:
                self.listener(Answered(turn), scope)
        except NotedError as error:
            return replace(turn, error=turn.error or error.sentence)
        return turn

    def _decide(self, turn: Turn, scope: Scope, clarified: Entry | None, told: Sequence[Entry]) -> Turn:
        """Retrieve and gate. With a new clarification, only facts are offered in addition: other notes misled."""
        question = Question(turn.question, turn.conversation, turn.left_out)
        found = [one for one in self.find(question, scope) if one.entry.counts_in(turn.conversation)]
        if clarified:
            # The correction may name what the question is about: "where does she live?", "Kim".
            others = self.find(replace(question, text=f"{clarified.shown} {question.text}"), scope)
            by_id = {one.entry.id: one for one in (*found, *others) if one.entry.counts_in(turn.conversation)}
            asserted = [one for one in by_id.values() if one.entry.kind.asserts and one.entry.id != clarified.id]
            return replace(turn, decisions=(use_stated(clarified), *self.gate(asserted, scope)))
        shown = self.examples(found, question, scope)
        # Examples explain no meaning, so the gate never sees one.
        notes = [one for one in found if one.entry.kind.is_note and one.entry.id not in turn.left_out]
        chosen = self.memory.current(turn.chosen, scope) if turn.chosen else None
        kept = _add_forced(self.gate(notes, scope), told, chosen)
        removed = [Decision(one, Action.SKIP, 0.0, LEFT_OUT) for one in found if one.entry.id in turn.left_out]
        return replace(turn, decisions=(*limit_shared((*kept, *shown)), *removed))

    def _prompt(
        self, turn: Turn, scope: Scope, earlier: Sequence[Turn], may_correct: Turn | None, clarified: Entry | None
    ) -> tuple[Turn, Prompt]:
        """Build the prompt, and return it with the turn, whose decisions skip entries that did not fit."""
        today, history = day_of(self.clock(), scope.zone), select_history(earlier)
        asking = PromptInput(turn.question, scope, turn.decisions, history, may_correct, today)
        try:
            prompt = self.prompt_builder.answer(asking, self.model.window)
        except ContextFull:
            if clarified:
                raise
            # A long entry must not make a question unanswerable.
            turn = turn_changes.skip_entries(turn, {Action.USE}, (), NO_ROOM)
            prompt = self.prompt_builder.answer(replace(asking, decisions=turn.decisions), self.model.window)
        stands = {name for ids in prompt.sections.values() for name in ids}
        turn = turn_changes.skip_entries(turn, {Action.USE, Action.OFFER, Action.SHOW}, stands, NO_ROOM)
        used = (*turn.entries_to(Action.USE), *turn.entries_to(Action.SHOW))
        earlier_ids = tuple(dict.fromkeys((*prompt.sections["history"], *prompt.sections["previous"])))
        return replace(turn, used=used, history=earlier_ids), prompt


def _add_forced(kept: Sequence[Decision], told: Sequence[Entry], chosen: Entry | None) -> Sequence[Decision]:
    """Put the use of the note that the user chose, then offers of what they just told, before the other decisions."""
    forced = {entry.id: replace(use_stated(entry), action=Action.OFFER) for entry in told}
    if chosen:
        found = {decision.entry.id: decision.candidate for decision in kept}
        candidate = found.get(chosen.id, Candidate(chosen, chosen.keys[0]))
        forced.pop(chosen.id, None)
        forced = {chosen.id: Decision(candidate, Action.USE, 1.0, CHOSEN), **forced}
    return (*forced.values(), *(decision for decision in kept if decision.entry.id not in forced))
