"""Interaction (section 3.2 of the paper): the reasons for an answer, and how users correct them.

Each act of the dialog tree (figure 3) is remembered as facts or a blocked step, and the question is answered again at
once. A correction is taken back as any other entry.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from assistant import life
from assistant.conversation import Assistant
from assistant.errors import EmptyText, InputError, NotFound, StoreError
from assistant.events import Event, Finished, Noted
from assistant.feedback.clarifications import remember_anew
from assistant.gate.gate import JUST_TOLD
from assistant.kinds import STEP, Step, texts_in
from assistant.model_usage import Meter
from assistant.papers.teachme.facts import Assertions, fact, is_answer, is_denied, told_of
from assistant.papers.teachme.reasons import Premise, Reasons, ask_why, has_reasons, reasons_of
from assistant.papers.teachme.thinking import ThinkThrough
from assistant.reply.fields import THOUGHT, WHY
from assistant.sentences import Sentence
from assistant.text.cleaning import checked
from assistant.text.content_rules import check_private
from assistant.types import Action, Draft, Entry, Scope, Status, Turn, TurnState

_HISTORY = 12


class Act(StrEnum):
    """A correction of the reasons for an answer."""

    WRONG = "wrong"  # a premise is not so; with words, these are so instead
    DOES_NOT_MATTER = "does not matter"  # a premise has nothing to do with the question
    DOES_NOT_FOLLOW = "does not follow"  # the premises do not lead to the answer
    MISSING = "missing"  # a fact is missing, in these words
    ANSWER = "answer"  # the answer is another one, in these words
    TRUE = "true"  # a premise that the model does not believe is so


def _corrections(
    act: Act, turn: Turn, reasons: Reasons | None, number: int, words: str
) -> tuple[list[Draft], tuple[str, ...]]:
    """Return the entries that an act stores, and ids of those that the next answer leaves out.

    Args:
        act: the kind of correction.
        turn: the turn whose answer it is about.
        reasons: the reasons for that answer; None where nobody asked for them.
        number: the number of the premise that is meant, from 1; 0 for none.
        words: a fact or an answer, for the acts that tell one.

    Raises InputError: the act says too little, or is about nothing that there is.
    """
    told = partial(fact, turn, told_at=turn.question)
    if act in {Act.MISSING, Act.ANSWER}:
        if not words:
            raise EmptyText
        return [told(words, only_its_question=act is Act.ANSWER)], ()
    if reasons is None or not reasons.premises:
        raise InputError("why.no_reasons")
    if act is Act.DOES_NOT_FOLLOW:
        return [_step(turn, reasons.believed or reasons.premises, reasons.claim)], ()
    if not 1 <= number <= len(reasons.premises):
        raise InputError("why.which_premise", count=len(reasons.premises))
    premise = reasons.premises[number - 1]
    entry = premise.entry
    left_out = (entry.id,) if entry else ()
    if act is Act.DOES_NOT_MATTER:
        return [_step(turn, (premise,), reasons.claim, only_in=turn.conversation)], left_out
    instead = [told(words)] if words and act is Act.WRONG else []
    if entry is None:
        return [told(premise.text, denied=act is Act.WRONG), *instead], ()
    is_turned = premise.opposed is (act is Act.TRUE)  # else the user told the same before
    correction = told(entry.shown, denied=is_denied(entry) is not is_turned)
    if is_turned and entry.shared:
        return [correction, *instead], left_out
    # The user's own fact is replaced, and comes back with an undo.
    return [replace(correction, supersedes=entry.id if is_turned else None), *instead], ()


def _step(turn: Turn, premises: Sequence[Premise], claim: str, only_in: str = "") -> Draft:
    """Return the entry of a blocked step, or of a premise that is set aside in one conversation."""
    texts = tuple(premise.text for premise in premises)
    quoted = tuple(premise.entry.id for premise in premises if premise.entry)
    body = Step(premises=texts, conclusion=claim, only_in=only_in, in_view=quoted)
    return Draft(STEP, turn.question, body, STEP.idempotency_key(turn.id, body), turn=turn.id, model=turn.model)


@dataclass(frozen=True, slots=True)
class Teaching:
    """The reasons for answers, and their corrections, for every interface.

    Methods raise the errors of `Assistant`; `why` raises ModelError too.
    """

    assistant: Assistant

    def why(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Find out why an answer was given: by one call, unless it is known. The last event has the turn with it."""
        turn = self.assistant.turn(turn_id, scope)
        if turn.state is not TurnState.ANSWERED or not turn.reply.answer:
            raise InputError("why.no_answer")
        if has_reasons(turn.reply):
            yield Finished(turn)
            return
        self.assistant.allowance.turn(scope)
        runner, meter = self.assistant.runner, Meter()
        why = yield from ask_why(turn, runner.model, runner.prompting, self._known(turn, scope), meter)
        turn = self.assistant.turn(turn.id, scope)  # its record may have changed meanwhile
        turn = replace(turn, reply=turn.reply.with_fields(**{WHY: why}))
        if meter.sum is not None:
            turn = replace(turn, usage=turn.usage + meter.sum if turn.usage else meter.sum)
        try:
            runner.turn_store.record(turn, scope)
        except StoreError as error:  # the reasons are shown all the same
            turn = replace(turn, error=error.sentence)
        yield Finished(turn)

    def reasons(self, turn: Turn, scope: Scope) -> Reasons | None:
        """Return the reasons for an answer, as they are known by now; None where nobody asked for them."""
        return reasons_of(turn, self._known(turn, scope))

    def dispute(self, turn_id: str, act: Act, scope: Scope, premise: int = 0, words: str = "") -> Iterator[Event]:
        """Remember a correction of the reasons for an answer, and answer its question again at once.

        `premise` is the number of the one that is meant, as in `Reasons`; some acts need one, some need words.
        """
        words = checked(words, self.assistant.limits.clarification) if words.strip() else ""
        turn = self.assistant.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("correction.itself")
        drafts, left_out = _corrections(act, turn, self.reasons(turn, scope), premise, words)
        for text in (text for draft in drafts for text in texts_in(draft.body.stored())):
            check_private(text)  # of all of it, before anything is kept
        self.assistant.allowance.turn(scope)
        self.assistant.allowance.save(scope)
        gone = (Status.SUPERSEDED, Status.RETRACTED)
        entries = [remember_anew(draft, self.assistant.memory, scope, *gone) for draft in drafts]
        turns = self.assistant.turns(turn.conversation, scope)
        is_repeated = turn.corrected_by == entries[0].id  # the same, sent twice: the answer that it gave is kept
        with_it = (one for one in turns if is_repeated and one.clarified_with == entries[-1].id)
        answered = next((one for one in with_it if one.state is TurnState.ANSWERED), None)
        if not answered:
            turn = life.clarified(turn, entries[0])
            self.assistant.runner.turn_store.mark(turn, scope)
        for entry in entries:
            yield Noted(entry, turn)
        if answered:
            yield Finished(answered)
            return
        before = self.assistant.runner.turn_store.turns(turn.conversation, scope, _HISTORY, before=turn.id)
        yield from self._answer_again(turn, entries, left_out, before, scope)

    def asks_back(self, turn: Turn) -> Sentence | None:
        """Return the question for the core fact, where the user told the answer without it."""
        told = told_of(turn)
        return Sentence("why.core_fact") if told and is_answer(told) else None

    def undo(self, entry_id: str, scope: Scope) -> tuple[Turn, ...]:
        """Take an entry back as `Assistant.undo` does, with the others of the same act.

        Raises InputError where a later act replaced it, since the user was not shown that the later one goes too.
        """
        entry = self.assistant.noted(entry_id, scope)
        if entry.status is Status.SUPERSEDED:
            raise InputError("undo.said_otherwise")
        try:
            conversation = self.assistant.turn(entry.turn, scope).conversation
        except NotFound:
            turns: Sequence[Turn] = ()
        else:
            turns = self.assistant.turns(conversation, scope)
        acts = ([one.id for one in _just_told(turn) if one.turn == turn.answers_again] for turn in turns)
        together = next((act for act in acts if entry_id in act), [entry_id])
        changed = {turn.id: turn for told in together for turn in self.assistant.undo(told, scope)}
        return tuple(changed.values())

    def thinking(self) -> ThinkThrough:
        """Return the generator that thinks a question through, for the part `respond` of the assistant."""
        runner = self.assistant.runner
        if isinstance(runner.respond, ThinkThrough):
            return runner.respond
        memory, allowance = self.assistant.memory, self.assistant.allowance
        return ThinkThrough(runner.find, memory, runner.prompting, runner.respond, allowance)

    def _answer_again(
        self, turn: Turn, entries: Sequence[Entry], left_out: Sequence[str], before: Sequence[Turn], scope: Scope
    ) -> Generator[Event, None, Turn]:
        """Answer the question of a turn with these entries in the prompt, and those of earlier acts as they are now."""
        runner = self.assistant.runner
        again = life.disputed(turn, scope, runner.model.name, entries[-1], left_out)
        told = [*entries]
        for earlier in _just_told(turn):
            current = self.assistant.memory.current(earlier.id, scope)
            if current and current.kind is earlier.kind and current.id not in again.left_out:
                told.append(current)
        if THOUGHT in turn.reply.fields:
            runner = replace(runner, respond=self.thinking())
        return (yield from runner.run(again, scope, before, told=told))

    def _known(self, turn: Turn, scope: Scope) -> Assertions:
        return Assertions(self.assistant.memory, scope, [decision.entry for decision in turn.decisions])


def _just_told(turn: Turn) -> list[Entry]:
    """Return the entries that the user told of the reasons before a turn answered again."""
    return [one.entry for one in turn.decisions if one.reason == JUST_TOLD and one.action is Action.OFFER]
