"""The turn: recall, gate, prompt, model, reply; then what the person does next.

    question -> recall -> gate -> prompting -> model -> reply -> feedback -> remember -> answer again

Everything is written once, as plain generators of typed events. Closing a generator stops the model; the turn is then
recorded as stopped.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from time import perf_counter

from assistant.answering import Answering
from assistant.errors import InputError, NotedError, NotFound, StoreError
from assistant.feedback import clarification, correction_in, is_closing
from assistant.history import JUST_TOLD, LEFT_OUT, correctable, given, good_history, left_out
from assistant.ports import ChatModel, Choose, Journal, Learn, Memory, Recall
from assistant.prompting import Prompting
from assistant.reply import ReplyParser
from assistant.text import checked
from assistant.types import (
    Action,
    Candidate,
    Decision,
    Entry,
    Event,
    Finished,
    Key,
    Noted,
    Prompt,
    Reaction,
    Recalled,
    Scope,
    Started,
    Status,
    Turn,
    TurnState,
)

_HISTORY = 12
_LONGEST_CONVERSATION = 1000


@dataclass(frozen=True, slots=True)
class Limits:
    """Most characters of a question and of a clarification."""

    question: int = 8000
    clarification: int = 2000


DEFAULT_LIMITS = Limits()


def no_further_keys(_turn: Turn, _words: str) -> tuple[Key, ...]:
    """An entry is found by its question alone."""
    return ()


class Assistant:
    """The whole loop behind every door: the page, the command line, the experiments.

    Args:
        model: answers.
        recall: question to candidates.
        choose: candidates to decisions.
        learn: what is drawn from reactions.
        memory: the entries.
        journal: the turns.
        prompting: makes prompts.
        further_keys: turn and what was said about it to the keys, beside the question, under which the clarification
            is to be found.
        limits: lengths.
    """

    def __init__(
        self,
        *,
        model: ChatModel,
        recall: Recall,
        choose: Choose,
        learn: Learn,
        memory: Memory,
        journal: Journal,
        prompting: Prompting,
        further_keys: Callable[[Turn, str], tuple[Key, ...]] = no_further_keys,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.model = model
        self.memory = memory
        self._recall = recall
        self._choose = choose
        self._learn = learn
        self._journal = journal
        self._prompting = prompting
        self._answering = Answering(model, prompting)
        self._further_keys = further_keys
        self._limits = limits

    def ask(self, question: str, scope: Scope, conversation: str = "") -> Iterator[Event]:
        """Answer a question; or, if the message puts the turn before right, note that and answer that one again.

        Args:
            question: what the person wrote.
            scope: who asks.
            conversation: id of the conversation; empty begins a new one.

        Raises:
            InputError: the question is empty or too long; nothing has happened.
            StoreError: the memory cannot be read or written.
        """
        question = checked(question, self._limits.question)
        turn = _new_turn(question, scope, conversation or str(uuid.uuid4()), self.model)
        earlier = self._journal.turns(turn.conversation, scope, _HISTORY)
        previous = None if is_closing(question) else correctable(earlier)
        turn = yield from self._run(turn, scope, earlier, previous=previous)
        if turn.state is TurnState.CORRECTION and previous:
            try:
                yield from self._note(previous, question, scope, message=turn)
            except StoreError as error:
                yield Finished(replace(turn, state=TurnState.FAILED, error=str(error)))

    def clarify(self, turn_id: str, words: str, scope: Scope) -> Iterator[Event]:
        """Save what the person meant by the question of a turn, and answer that question again at once.

        Raises:
            InputError: the words are empty or too long, or the turn was no question.
            NotFound: there is no such turn.
            StoreError: it is not saved.
        """
        words = checked(words, self._limits.clarification)
        turn = self._journal.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("This message was a correction itself. Please correct the answer below it.")
        yield from self._note(turn, words, scope)

    def react(self, turn_id: str, reaction: Reaction, scope: Scope, entry_id: str = "") -> Iterator[Event]:
        """Take in that an answer is right (`CONFIRM`), or answer again without one entry (`LEAVE_OUT`).

        Raises:
            NotFound: there is no such turn, or the entry was not used in it.
        """
        turn = self._journal.turn(turn_id, scope)
        if reaction is Reaction.CONFIRM:
            self._learn(turn, reaction, turn.used, scope)
            turn = replace(turn, confirmed=True)
            self._journal.record(turn, scope)
            yield Finished(turn)
            return
        if entry_id not in turn.used:
            raise NotFound
        self._learn(turn, reaction, [entry_id], scope)
        yield from self._again(turn, scope, without={entry_id, *left_out(turn)})

    def retry(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Ask the question of a turn again, with the clarification that it was being answered with, if any.

        Raises:
            NotFound: there is no such turn.
        """
        turn = self._journal.turn(turn_id, scope)
        yield from self._again(turn, scope, clarified=self._clarification_of(turn, scope))

    def undo(self, entry_id: str, scope: Scope) -> tuple[Turn, ...]:
        """Take a clarification back, and the answer that was made with it.

        Returns:
            The turns that changed: the one that had been corrected first.

        Raises:
            NotFound: there is no such entry.
        """
        entry = self.memory.retract(entry_id, scope)
        try:
            conversation = self._journal.turn(entry.turn, scope).conversation
        except NotFound:
            return ()
        changed = []
        for turn in self._journal.turns(conversation, scope, _LONGEST_CONVERSATION):
            if turn.id == entry.turn and turn.corrected_by == entry_id:
                changed.append(replace(turn, corrected_by=None))
            elif turn.state is not TurnState.UNDONE and (
                (turn.answers_again == entry.turn and entry_id in given(turn))
                or (turn.state is TurnState.CORRECTION and turn.corrected_by == entry_id)
            ):
                changed.append(replace(turn, state=TurnState.UNDONE))
        for turn in changed:
            self._journal.record(turn, scope)
        return tuple(changed)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn. Raises NotFound."""
        return self._journal.turn(turn_id, scope)

    def turns(self, conversation: str, scope: Scope) -> Sequence[Turn]:
        """The turns of a conversation, oldest first."""
        return self._journal.turns(conversation, scope, _LONGEST_CONVERSATION)

    def _note(self, corrected: Turn, words: str, scope: Scope, message: Turn | None = None) -> Iterator[Event]:
        """Remember a clarification (durably, before it is said), then answer the corrected question again."""
        earlier = self._clarification_of(corrected, scope)
        draft = clarification(
            corrected, words, self._further_keys(corrected, words), supersedes=earlier.id if earlier else None
        )
        entry = self.memory.remember(draft, scope)
        while entry.status is not Status.ACTIVE:
            # The same words were saved and taken back before; saying them again is a new entry.
            draft = replace(draft, idempotency_key=f"{draft.idempotency_key}:{entry.id}"[-200:])
            entry = self.memory.remember(draft, scope)
        if corrected.corrected_by == entry.id and (answer := self._answer_with(entry, corrected, scope)):
            yield Noted(entry, corrected)
            yield Finished(answer)
            return
        corrected = replace(corrected, corrected_by=entry.id)
        self._journal.record(corrected, scope)
        if message:
            message = replace(message, corrected_by=entry.id)
            self._journal.record(message, scope)
            yield Finished(message)
        yield Noted(entry, corrected)
        yield from self._again(corrected, scope, clarified=entry)

    def _again(
        self, turn: Turn, scope: Scope, *, clarified: Entry | None = None, without: Collection[str] = ()
    ) -> Iterator[Event]:
        """Answer the question of a turn once more."""
        turns = self._journal.turns(turn.conversation, scope, _LONGEST_CONVERSATION)
        earlier = list(takewhile(lambda other: other.id != turn.id, turns))[-_HISTORY:]
        again = replace(_new_turn(turn.question, scope, turn.conversation, self.model), answers_again=turn.id)
        yield from self._run(again, scope, earlier, clarified=clarified, without=without)

    def _run(
        self,
        turn: Turn,
        scope: Scope,
        earlier: Sequence[Turn],
        *,
        previous: Turn | None = None,
        clarified: Entry | None = None,
        without: Collection[str] = (),
    ) -> Generator[Event, None, Turn]:
        """One turn, from the question to its record."""
        began = perf_counter()
        plainly = bool(previous and correction_in(turn.question))

        def is_correction(parser: ReplyParser) -> bool:
            return bool(previous) and (parser.correction is not None or (plainly and not parser.may_become_correction))

        parser = ReplyParser()
        turn = self._recorded(turn, scope)
        try:
            yield Started(turn)
            turn = self._decide(turn, scope, clarified, without)
            yield Recalled(turn)
            prompt = self._prompt(turn, scope, earlier, previous)
            turn = replace(turn, ms={**turn.ms, "prompt": round(_since(began) - sum(turn.ms.values()), 1)})
            turn = yield from self._answering(turn, prompt, parser, is_correction)
        except GeneratorExit:
            stopped = replace(turn, state=TurnState.STOPPED, reply=parser.finish()[1])
            self._recorded(replace(stopped, ms={**turn.ms, "total": _since(began)}), scope)
            raise
        except NotedError as error:
            turn = replace(turn, state=TurnState.FAILED, error=str(error))
        if plainly and turn.state is TurnState.FAILED:
            # The feedback counts even where the model cannot be reached.
            turn = replace(turn, state=TurnState.CORRECTION, error="")
        turn = self._recorded(replace(turn, ms={**turn.ms, "total": _since(began)}), scope)
        if turn.state is not TurnState.CORRECTION:
            yield Finished(turn)
        return turn

    def _recorded(self, turn: Turn, scope: Scope) -> Turn:
        """The turn, kept; where it cannot be kept, the person gets the answer all the same, and is told."""
        try:
            self._journal.record(turn, scope)
            for entry_id in turn.used:
                self.memory.count(entry_id, "used", turn.id, scope)
        except StoreError as error:
            return replace(turn, error=turn.error or str(error))
        return turn

    def _decide(self, turn: Turn, scope: Scope, clarified: Entry | None, without: Collection[str]) -> Turn:
        """Recall and gate. A clarification that was just given stands alone: it was given because the rest misled."""
        if clarified:
            decision = Decision(Candidate(clarified, clarified.keys[0]), Action.USE, 1.0, JUST_TOLD)
            return replace(turn, decisions=(decision,))
        began = perf_counter()
        candidates = self._recall(turn.question, scope)
        recalled = _since(began)
        kept = self._choose([candidate for candidate in candidates if candidate.entry.id not in without], scope)
        removed = [Decision(c, Action.LEAVE, 0.0, LEFT_OUT) for c in candidates if c.entry.id in without]
        ms = {"recall": recalled, "gate": round(_since(began) - recalled, 1)}
        return replace(turn, decisions=(*kept, *removed), ms=ms)

    def _prompt(self, turn: Turn, scope: Scope, earlier: Sequence[Turn], previous: Turn | None) -> Prompt:
        entries = {action: [d.entry for d in turn.decisions if d.action is action] for action in Action}
        return self._prompting.answer(
            turn.question,
            scope,
            used=entries[Action.USE],
            offered=entries[Action.OFFER] if self.model.chooses_notes else (),
            history=good_history(earlier),
            previous=previous,
            window=self.model.window,
        )

    def _answer_with(self, entry: Entry, corrected: Turn, scope: Scope) -> Turn | None:
        """The answer that was already given with a clarification, where the same words are sent twice."""
        for turn in self._journal.turns(corrected.conversation, scope, _LONGEST_CONVERSATION):
            if turn.answers_again == corrected.id and turn.state is TurnState.ANSWERED and entry.id in given(turn):
                return turn
        return None

    def _clarification_of(self, turn: Turn, scope: Scope) -> Entry | None:
        """The clarification with which a turn was being answered again, if it still counts."""
        for entry_id in (*given(turn), turn.corrected_by):
            if entry_id is None:
                continue
            try:
                entry = self.memory.entry(entry_id, scope)
            except NotFound:
                continue
            if entry.status is Status.ACTIVE:
                return entry
        return None


def _new_turn(question: str, scope: Scope, conversation: str, model: ChatModel) -> Turn:
    return Turn(
        id=str(uuid.uuid4()), conversation=conversation, person=scope.person, question=question, model=model.name
    )


def _since(began: float) -> float:
    return round((perf_counter() - began) * 1000, 1)
