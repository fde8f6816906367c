"""Why?, and what is said of the reasons: each act is remembered, and the question answered again at once."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from assistant import life
from assistant.conversation import Assistant
from assistant.errors import InputError, NotFound, StoreError
from assistant.events import Event, Finished, Noted
from assistant.feedback.clarifications import remember_anew
from assistant.feedback.telling import told_in
from assistant.gate.by_person import JUST_TOLD, just_told
from assistant.kinds import texts_in
from assistant.language.languages import Languages
from assistant.model_usage import Meter
from assistant.models.embedded.phrases import small_talk
from assistant.papers.teachme.acts import Act, Said, taught
from assistant.papers.teachme.reasons import Reasons, has_reasons, reasons_of
from assistant.papers.teachme.thinking import InSeveralWays, ThinkThrough
from assistant.papers.teachme.told import Told, is_answer, told_of
from assistant.papers.teachme.why import ask_why
from assistant.ports import Allowance, Choose, OwnEntries, Respond
from assistant.reply.fields import THOUGHT, WHY
from assistant.sentences import Sentence
from assistant.text.cleaning import checked
from assistant.text.content_rules import check_private
from assistant.turn import TurnRunner
from assistant.types import Action, Candidate, Decision, Entry, Scope, Status, Turn, TurnState

_HISTORY = 12


@dataclass(frozen=True, slots=True)
class Teaching:
    """What goes beyond understanding: the reasons for an answer, and putting them right. For every door.

    Raises, of every method, what those of `Assistant` do; a model that fails while it says why raises ModelError.
    """

    assistant: Assistant

    def why(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Find out why an answer was given: by one call, unless it is known. The last event has the turn with it."""
        turn = self.assistant.turn(turn_id, scope)
        if turn.state is not TurnState.ANSWERED or not turn.reply.answer:
            raise InputError("why.no_answer")
        if not has_reasons(turn.reply):
            self.assistant.allowance.turn(scope)
            turn = yield from self._asked(turn, scope)
        yield Finished(turn)

    def reasons(self, turn: Turn, scope: Scope) -> Reasons | None:
        """The reasons for an answer, as they are known by now; None where nobody asked for them."""
        return reasons_of(turn, self._told(turn, scope))

    def dispute(self, turn_id: str, act: Act, scope: Scope, premise: int = 0, words: str = "") -> Iterator[Event]:
        """Take in what is said of the reasons for an answer, and answer its question again at once.

        `premise` is the number of the one that is meant, as in `Reasons`; some acts need one, some need words.
        """
        words = checked(words, self.assistant.limits.clarification) if words.strip() else ""
        turn = self.assistant.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("correction.itself")
        come = taught(act, Said(turn, self.reasons(turn, scope), premise, words))
        for text in (text for draft in come.drafts for text in texts_in(draft.body.stored())):
            check_private(text)  # of all of it, before anything is kept
        self.assistant.allowance.turn(scope)
        self.assistant.allowance.save(scope)
        gone = (Status.SUPERSEDED, Status.RETRACTED)
        entries = [remember_anew(draft, self.assistant.memory, scope, *gone) for draft in come.drafts]
        turns = self.assistant.turns(turn.conversation, scope)
        answered = turn.corrected_by == entries[0].id and _answered_with(entries[-1], turns)
        if not answered:
            turn = life.clarified(turn, entries[0])
            self.assistant.runner.turn_store.mark(turn, scope)
        for entry in entries:
            yield Noted(entry, turn)
        if answered:  # the same, sent twice: the answer that it gave stands
            yield Finished(answered)
            return
        runner = self.assistant.runner
        again = life.disputed(turn, scope, runner.model.name, entries[-1], come.left_out)
        told = (*entries, *self._told_before(turn, again.left_out, scope))
        respond = self.thinking() if THOUGHT in turn.reply.fields else runner.respond
        runner = replace(runner, choose=WithTold(runner.choose, told), respond=respond)
        before = list(takewhile(lambda other: other.id != turn.id, turns))[-_HISTORY:]
        yield from runner.run(again, scope, before)

    def asks_back(self, turn: Turn) -> Sentence | None:
        """What is asked where the person told the answer, and not yet what makes it so."""
        told = told_of(turn)
        return Sentence("why.core_fact") if told and is_answer(told) else None

    def undo(self, entry_id: str, scope: Scope) -> tuple[Turn, ...]:
        """As `Assistant.undo`; what was told in the same act is taken back with it.

        Where it was said otherwise since, InputError: nobody was shown what would go with it.
        """
        entry = self.assistant.noted(entry_id, scope)
        if entry.status is Status.SUPERSEDED:
            raise InputError("undo.said_otherwise")
        acts = (_told_in(turn) for turn in self._conversation_of(entry, scope))
        together = next((told for told in acts if entry_id in told), (entry_id,))
        changed = {turn.id: turn for told in together for turn in self.assistant.undo(told, scope)}
        return tuple(changed.values())

    def thinking(self) -> ThinkThrough:
        """What has the assistant think a question through, as its part `respond`."""
        runner = self.assistant.runner
        if isinstance(runner.respond, ThinkThrough):
            return runner.respond
        memory, allowance = self.assistant.memory, self.assistant.allowance
        return ThinkThrough(runner.find, memory, runner.prompting, _in_one_way(runner.respond), allowance)

    def _asked(self, turn: Turn, scope: Scope) -> Generator[Event, None, Turn]:
        runner, meter = self.assistant.runner, Meter()
        why = yield from ask_why(turn, runner.model, runner.prompting, self._told(turn, scope), meter)
        turn = self.assistant.turn(turn.id, scope)  # something else may have come to stand on it meanwhile
        turn = replace(turn, reply=turn.reply.with_fields(**{WHY: why}))
        if meter.sum is not None:
            turn = replace(turn, usage=turn.usage + meter.sum if turn.usage else meter.sum)
        try:
            runner.turn_store.record(turn, scope)
        except StoreError as error:  # they are shown all the same
            return replace(turn, error=error.sentence)
        return turn

    def _told(self, turn: Turn, scope: Scope) -> Told:
        return Told(self.assistant.memory, scope, [decision.entry for decision in turn.decisions])

    def _told_before(self, turn: Turn, left_out: Sequence[str], scope: Scope) -> Iterator[Entry]:
        """What was told of this question in earlier acts, as it counts by now."""
        for decision in turn.decisions:
            if decision.reason == JUST_TOLD and decision.action is Action.OFFER:
                entry = self.assistant.memory.current(decision.entry.id, scope)
                if entry is not None and entry.kind is decision.entry.kind and entry.id not in left_out:
                    yield entry

    def _conversation_of(self, entry: Entry, scope: Scope) -> Sequence[Turn]:
        try:
            conversation = self.assistant.turn(entry.turn, scope).conversation
        except NotFound:
            return ()
        return self.assistant.turns(conversation, scope)


def thinking_always(runner: TurnRunner, memory: OwnEntries, allowance: Allowance, languages: Languages) -> ThinkThrough:
    """Return what thinks each question through, but not what tells something or greets."""

    def asks(message: str) -> bool:
        return not (told_in(message, languages) or small_talk(message))

    return ThinkThrough(runner.find, memory, runner.prompting, _in_one_way(runner.respond), allowance, asks=asks)


def _in_one_way(respond: Respond) -> Respond:
    return respond.in_one_way() if isinstance(respond, InSeveralWays) else respond


@dataclass(frozen=True, slots=True)
class WithTold:
    """Implements `Choose`: what was told a moment ago stands before all else, whatever another thinks of the rest."""

    choose: Choose
    told: Sequence[Entry]

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        told = {entry.id: replace(just_told(entry), action=Action.OFFER) for entry in self.told}
        rest = (decision for decision in self.choose(candidates, scope) if decision.entry.id not in told)
        return (*told.values(), *rest)


def _told_in(turn: Turn) -> tuple[str, ...]:
    """Ids of what was told in the act with which a turn was answered again."""
    told = (decision.entry for decision in turn.decisions if decision.reason == JUST_TOLD)
    return tuple(entry.id for entry in told if entry.turn == turn.answers_again)


def _answered_with(entry: Entry, turns: Sequence[Turn]) -> Turn | None:
    """The answer that was given with it."""
    with_it = (turn for turn in turns if turn.clarified_with == entry.id and turn.state is TurnState.ANSWERED)
    return next(with_it, None)
