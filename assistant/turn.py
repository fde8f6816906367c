"""One turn, from the question to its record: recall, choose, demonstrate, prompt, respond, learn."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Self, TypedDict

from assistant import life
from assistant.errors import ContextFull, NotedError
from assistant.events import Answered, Event, Finished, Recalled, Started
from assistant.feedback.corrections import correction_in, corrects
from assistant.gate.gate import LEFT_OUT, just_told, with_chosen, with_told
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.ports import (
    ChatModel,
    Choose,
    Demonstrate,
    Learn,
    Memory,
    Recall,
    Request,
    Respond,
    Retriever,
    SoFar,
    Turns,
)
from assistant.prompt.prompt import Prompting, good_history
from assistant.prompt.sections import Asking
from assistant.respond.respond import ms_since
from assistant.sentences import Sentence
from assistant.sharing import at_most_one_shared
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


class SuitedParts(TypedDict):
    """The parts of a turn that suit a kind of model, by the names of the fields of `TurnRunner`."""

    retrievers: Sequence[Retriever]
    choose: Choose
    prompting: Prompting
    respond: Respond


class TurnParts(TypedDict, total=False):
    """Parts of a turn that stand in for others, by the names of the fields of `TurnRunner`."""

    model: ChatModel
    recall: Recall
    retrievers: Sequence[Retriever]
    choose: Choose
    demonstrate: Demonstrate
    prompting: Prompting
    respond: Respond
    learn: Learn
    memory: Memory
    turn_store: Turns
    limits: Limits
    clock: Clock
    fit: Callable[[ChatModel], TurnParts]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRunner:
    """Runs one turn after another, whatever they have to do with each other; that is `assistant.conversation`'s."""

    model: ChatModel
    recall: Recall
    retrievers: Sequence[Retriever] = ()  # each adds to what those before it found
    choose: Choose
    demonstrate: Demonstrate
    prompting: Prompting
    respond: Respond
    learn: Learn
    memory: Memory
    turn_store: Turns
    limits: Limits = DEFAULT_LIMITS
    clock: Clock = utc_now
    fit: Callable[[ChatModel], TurnParts] = lambda _: {}  # parts in place of others, which suit the model

    def run(
        self,
        turn: Turn,
        scope: Scope,
        earlier: Sequence[Turn],
        *,
        previous: Turn | None = None,
        clarified: Entry | None = None,
        told: Sequence[Entry] = (),
        before: Turn | None = None,
    ) -> Generator[Event, None, Turn]:
        """Answer the question of a new turn, or find that it is none. It comes back as it ended, recorded.

        `earlier` turns, oldest first, are those before it; `previous` is the one that the message may correct, and
        `clarified` what it is answered again with, in the place of `before`; `told` is offered before all other notes.
        Only a turn that ended as a `correction` is left to the caller to record, together with what it corrects, and
        has no `Finished` event yet.
        """
        began, so_far = perf_counter(), SoFar()
        turn = self.recorded(turn, scope)
        try:
            yield Started(turn)
            fitted = self._fitted()
            turn = fitted._decide(turn, scope, earlier, clarified, told)
            turn, prompt = fitted._prompt(turn, scope, earlier, previous, clarified)
            yield Recalled(turn)
            turn = replace(turn, ms={**turn.ms, "prompt": round(ms_since(began) - sum(turn.ms.values()), 1)})
            is_one = corrects(turn.question, previous)
            request = Request(turn, prompt, fitted.prompting, self.model, is_one, scope, so_far, before)
            turn = yield from fitted.respond(request)
        except GeneratorExit:
            self.recorded(_timed(life.stopped(turn, so_far.reply, so_far.named), began, so_far), scope)
            raise
        except NotedError as error:
            turn = life.failed(turn, error.sentence)
        except Exception:  # whatever broke, the turn must not look as if it were still being answered
            self.recorded(life.failed(turn, NotedError().sentence), scope)
            raise
        if previous and turn.state is TurnState.FAILED and correction_in(turn.question):
            turn = life.correction(turn, turn.reply)  # the feedback counts even where the model cannot be reached
        turn = _timed(turn, began, so_far)
        if turn.state is not TurnState.CORRECTION:
            turn = self.recorded(turn, scope)
            yield Finished(turn)
        return turn

    def find(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        """Return the candidates of all retrievers. Implements `Recall`."""
        return find_all(self.recall, self.retrievers, question, scope)

    def decided(self, turn: Turn, scope: Scope) -> tuple[Decision, ...]:
        """What would become of what the question of a turn finds, were it the first of a conversation."""
        fitted = self._fitted()
        return fitted._prompt(fitted._decide(turn, scope, (), None), scope, (), None, None)[0].decisions

    def _fitted(self) -> Self:
        return replace(self, **self.fit(self.model))

    def recorded(self, turn: Turn, scope: Scope) -> Turn:
        """The turn, kept; where it cannot be kept, the person gets the answer all the same, and is told."""
        try:
            self.turn_store.record(turn, scope)
            if turn.state is TurnState.ANSWERED:
                self.learn(Answered(turn), scope)
        except NotedError as error:
            return replace(turn, error=turn.error or error.sentence)
        return turn

    def _decide(
        self, turn: Turn, scope: Scope, earlier: Sequence[Turn], clarified: Entry | None, told: Sequence[Entry] = ()
    ) -> Turn:
        """Recall and choose. Beside a clarification that was just given stand facts alone, since other notes misled."""
        began = perf_counter()
        question = Question(turn.question, turn.conversation, tuple(earlier), turn.left_out)
        found = self.find(question, scope)
        candidates = [candidate for candidate in found if candidate.entry.counts_in(turn.conversation)]
        if clarified:
            asserted = [one for one in candidates if one.entry.kind.asserts and one.entry.id != clarified.id]
            facts = self.choose(asserted, scope)
            return replace(turn, decisions=(just_told(clarified), *facts))
        recalled = ms_since(began)
        shown = self.demonstrate(candidates, question, scope)
        # An example says what an answer looked like, not what a question means, so the gate never sees one.
        notes = [found for found in candidates if found.entry.kind.is_note]
        kept = self.choose([found for found in notes if found.entry.id not in turn.left_out], scope)
        kept = with_chosen(with_told(kept, told), turn, self.memory, scope)
        removed = [Decision(one, Action.LEAVE, 0.0, LEFT_OUT) for one in candidates if one.entry.id in turn.left_out]
        ms = {"recall": recalled, "gate": round(ms_since(began) - recalled, 1)}
        return replace(turn, decisions=(*at_most_one_shared((*kept, *shown)), *removed), ms=ms)

    def _prompt(
        self, turn: Turn, scope: Scope, earlier: Sequence[Turn], previous: Turn | None, clarified: Entry | None
    ) -> tuple[Turn, Prompt]:
        """The prompt, and the turn with the decisions that it really holds."""

        def prompt(turn: Turn) -> Prompt:
            today = day_of(self.clock(), scope.zone)
            asking = Asking(turn.question, scope, turn.decisions, good_history(earlier), previous, today)
            return self.prompting.answer(asking, self.model.window)

        try:
            made = prompt(turn)
        except ContextFull:
            if clarified:
                raise
            # Something long in memory must not make a question unanswerable.
            turn = life.leaving(turn, Action.USE, (), NO_ROOM)
            made = prompt(turn)
        stands = {name for ids in made.sections.values() for name in ids}
        for action in (Action.USE, Action.OFFER, Action.SHOW):
            turn = life.leaving(turn, action, stands, NO_ROOM)
        used = (*turn.entries_to(Action.USE), *turn.entries_to(Action.SHOW))
        history = tuple(dict.fromkeys((*made.sections["history"], *made.sections["previous"])))
        return replace(turn, used=used, history=history), made


def find_all(recall: Recall, retrievers: Sequence[Retriever], question: Question, scope: Scope) -> Sequence[Candidate]:
    """Return the candidates of all retrievers, one per entry: each adds to what those before it found, or marks it."""
    found = recall(question, scope)
    for retriever in retrievers:
        found = retriever(question, scope, found)
    return found


def _timed(turn: Turn, began: float, so_far: SoFar) -> Turn:
    """The turn, with how long it took and what it took of the model."""
    return replace(turn, ms={**turn.ms, "total": ms_since(began)}, usage=so_far.meter.sum)
