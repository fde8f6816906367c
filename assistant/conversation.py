"""The loop: ask, say what was meant, react, undo.

    question -> recall -> gate -> prompting -> model -> reply -> feedback -> remember -> answer again

Everything is written once, as plain generators of typed events. Closing a generator stops the model; the turn is then
recorded as stopped. What happens within one turn is in `assistant.turn_runner`, how a clarification is saved in
`assistant.remembering`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from assistant.errors import InputError, NotedError, NotFound
from assistant.events import Event, Finished, Noted
from assistant.examples import NEAREST_EXAMPLES, NearestExamples
from assistant.feedback import is_closing
from assistant.history import correctable
from assistant.limits import DEFAULT_LIMITS, UNLIMITED, Limits
from assistant.ports import Allowance, ChatModel, Choose, Journal, Learn, Memory, Recall
from assistant.prompting import Prompting
from assistant.remembering import FurtherKeys, Remembering, no_further_keys
from assistant.text import checked
from assistant.turn_runner import TurnRunner
from assistant.types import Decision, Entry, Kind, Reaction, Scope, Turn, TurnState
from assistant.undoing import without

_HISTORY = 12
_LONGEST_CONVERSATION = 1000


def no_more_to_do(_entry_id: str) -> None:
    """Nothing happens with an entry after the turn in which it was saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
        examples: which confirmed examples stand in a prompt.
        afterwards: told the id of a clarification when the turn in which it was saved is over. Must return at once.
        limits: lengths.
        allowance: how much each person may ask for.
    """

    model: ChatModel
    recall: Recall
    choose: Choose
    learn: Learn
    memory: Memory
    journal: Journal
    prompting: Prompting
    further_keys: FurtherKeys = no_further_keys
    examples: NearestExamples = NEAREST_EXAMPLES
    afterwards: Callable[[str], None] = no_more_to_do
    limits: Limits = DEFAULT_LIMITS
    allowance: Allowance = UNLIMITED

    def ask(self, question: str, scope: Scope, conversation: str = "", seen: str = "") -> Iterator[Event]:
        """Answer a question; or, if the message puts the turn before right, note that and answer that one again.

        Args:
            question: what the person wrote.
            scope: who asks.
            conversation: id of the conversation; empty begins a new one.
            seen: id of the last turn that the person sees, where later ones may have been added elsewhere; what they
                put right is that one. Empty for the last there is.

        Raises:
            InputError: the question is empty or too long; nothing has happened.
            TooOften: the person has asked too often just now; nothing has happened.
            StoreError: the memory cannot be read.
        """
        question = checked(question, self.limits.question)
        self.allowance.turn(scope)
        turn = self._new_turn(question, scope, conversation or str(uuid.uuid4()))
        earlier = list(self.journal.turns(turn.conversation, scope, _HISTORY))
        while seen in {other.id for other in earlier[:-1]}:
            earlier.pop()
        yield from self._asked(turn, scope, earlier)

    def edit(self, turn_id: str, question: str, scope: Scope) -> Iterator[Event]:
        """Answer another question in the place of that of a turn. The turn stays; what came after it does not count.

        Raises:
            InputError: the question is empty or too long, or the turn was a correction, and is noted.
            TooOften: the person has asked too often just now; nothing has happened.
            NotFound: there is no such turn.
            StoreError: the memory cannot be read.
        """
        question = checked(question, self.limits.question)
        turn = self._question(turn_id, scope)
        self.allowance.turn(scope)
        edited = replace(self._new_turn(question, scope, turn.conversation), answers_again=turn.id)
        yield from self._asked(edited, scope, self._before(turn, scope))

    def clarify(self, turn_id: str, words: str, scope: Scope, *, only_here: bool = False) -> Iterator[Event]:
        """Save what the person meant by the question of a turn, and answer that question again at once.

        Args:
            turn_id: of the turn that was misunderstood.
            words: what the person meant, in their own words.
            scope: who says it.
            only_here: it counts in this conversation alone, and takes the place of nothing that counts everywhere.

        Raises:
            InputError: the words are empty or too long, or the turn was no question.
            TooOften: the person has asked or saved too often just now; nothing has happened.
            NotFound: there is no such turn.
            StoreError: it is not saved.
        """
        words = checked(words, self.limits.clarification)
        turn = self.journal.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("This message was a correction itself. Please correct the answer below it.")
        self.allowance.turn(scope)
        yield from self._note(turn, words, scope, only_in=turn.conversation if only_here else "")

    def react(self, turn_id: str, reaction: Reaction, scope: Scope, entry_id: str = "") -> Iterator[Event]:
        """Take in that an answer is right (`CONFIRM`), or answer again without (`LEAVE_OUT`) or with (`USE`) an entry.

        Raises:
            NotFound: there is no such turn; or the entry was not used in it, or, to use it, not found for it or used.
            TooOften: the person has asked or saved too often just now; nothing has happened.
            StoreError: it is not saved.
        """
        turn = self.journal.turn(turn_id, scope)
        if reaction is Reaction.CONFIRM:
            self.allowance.save(scope)
            self.learn(turn, reaction, turn.used, scope)
            turn = replace(turn, confirmed=True)
            self.journal.mark(turn, scope)
            yield Finished(turn)
            return
        again = _with_it(turn, entry_id) if reaction is Reaction.USE else _without_it(turn, entry_id)
        self.allowance.turn(scope)
        self.learn(turn, reaction, [entry_id], scope)
        yield from self._again(again, scope)

    def retry(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Try a turn again, under the same conditions: the clarification it had, what was left out, what came before.

        Raises:
            InputError: the turn was a correction, and is noted.
            TooOften: the person has asked too often just now.
            NotFound: there is no such turn.
            StoreError: the memory cannot be read.
        """
        turn = self._question(turn_id, scope)
        self.allowance.turn(scope)
        if turn.answers_again:
            clarified = self.memory.current(turn.clarified_with, scope) if turn.clarified_with else None
            yield from self._again(turn, scope, clarified)
            return
        again = replace(self._new_turn(turn.question, scope, turn.conversation), answers_again=turn.id)
        yield from self._asked(again, scope, self._before(turn, scope))

    def undo(self, entry_id: str, scope: Scope) -> tuple[Turn, ...]:
        """Take a clarification back, with what it was edited or corrected to since, and the answers made with them.

        Returns:
            The turns that changed, in their order.

        Raises:
            NotFound: there is no such entry.
            StoreError: it is not taken back.
        """
        entry = self.memory.entry(entry_id, scope)
        gone = set()
        while (current := self.memory.current(entry_id, scope)) is not None:
            gone.add(self.memory.retract(current.id, scope).id)
        restored = self.memory.current(entry.supersedes, scope) if entry.supersedes else None
        try:
            conversation = self.journal.turn(entry.turn, scope).conversation
        except NotFound:
            return ()
        turns = self.journal.turns(conversation, scope, _LONGEST_CONVERSATION)
        changed = [after for turn in turns if (after := without(turn, gone, restored, entry)) != turn]
        for turn in changed:
            self.journal.mark(turn, scope)
            if turn.state is TurnState.UNDONE and (kept := self.memory.kept(turn.id, scope)):
                self.memory.retract(kept.id, scope)
        return tuple(changed)

    def remember(self, question: str, words: str, scope: Scope) -> Entry:
        """Save what the person means by a question, without answering it. The same words save once.

        Raises:
            InputError: the question or the words are empty or too long, or hold what is not kept.
            TooOften: the person has saved too often just now.
            StoreError: it is not saved.
        """
        question, words = checked(question, self.limits.question), checked(words, self.limits.clarification)
        entry = self._remembering.remember(Turn("", "", scope.person, question), words, scope)
        self.afterwards(entry.id)
        return entry

    def consider(self, question: str, scope: Scope) -> Sequence[Decision]:
        """What a question would find in memory, and what would become of it, as in a turn that begins a conversation.

        The model is not asked, and nothing is kept.

        Raises:
            InputError: the question is empty or too long.
            TooOften: the person has asked too often just now.
        """
        question = checked(question, self.limits.question)
        self.allowance.turn(scope)
        return self._run.considered(self._new_turn(question, scope, ""), scope)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn. Raises NotFound."""
        return self.journal.turn(turn_id, scope)

    def turns(self, conversation: str, scope: Scope) -> Sequence[Turn]:
        """The turns of a conversation, oldest first."""
        return self.journal.turns(conversation, scope, _LONGEST_CONVERSATION)

    def _asked(self, turn: Turn, scope: Scope, earlier: Sequence[Turn]) -> Generator[Event, None, None]:
        """A message: a question, or a correction of the turn before."""
        previous = None if is_closing(turn.question) else correctable(earlier)
        turn = yield from self._run(turn, scope, earlier, previous=previous)
        if turn.state is not TurnState.CORRECTION or previous is None:
            return
        try:
            words = checked(turn.question, self.limits.clarification)
            yield from self._note(previous, words, scope, message=turn)
        except NotedError as error:
            yield Finished(self._run.recorded(replace(turn, state=TurnState.FAILED, error=str(error)), scope))

    def _note(
        self, corrected: Turn, words: str, scope: Scope, message: Turn | None = None, only_in: str = ""
    ) -> Generator[Event, None, None]:
        """Remember a clarification (durably, before it is said), then answer the corrected question again."""
        entry = self._remembering.remember(corrected, words, scope, only_in)
        if corrected.corrected_by == entry.id and (answer := self._answer_with(entry, corrected, scope)):
            yield Noted(entry, corrected)
            yield Finished(answer)
            return
        corrected = replace(corrected, corrected_by=entry.id)
        if message:
            message = replace(self._run.recorded(message, scope), corrected_by=entry.id)
            self.journal.mark(message, scope)
            yield Finished(message)
        try:
            yield Noted(entry, corrected)
            answered = yield from self._again(corrected, scope, entry)
            self._remembering.learn_keys(entry, corrected, answered, words, scope)
        finally:
            self.afterwards(entry.id)

    def _again(self, turn: Turn, scope: Scope, clarified: Entry | None = None) -> Generator[Event, None, Turn]:
        """Answer the question of a turn once more."""
        again = replace(
            self._new_turn(turn.question, scope, turn.conversation),
            answers_again=turn.id,
            clarified_with=clarified.id if clarified else None,
            left_out=turn.left_out,
            chosen=None if clarified else turn.chosen,
        )
        return (yield from self._run(again, scope, self._before(turn, scope), clarified=clarified))

    def _question(self, turn_id: str, scope: Scope) -> Turn:
        """A turn that asks something, or could not be noted."""
        turn = self.journal.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION and turn.corrected_by:
            raise InputError("This correction is noted. Please try the answer below it again.")
        return turn

    def _answer_with(self, entry: Entry, corrected: Turn, scope: Scope) -> Turn | None:
        """The answer that was already given with a clarification, where the same words are sent twice."""
        for turn in self.journal.turns(corrected.conversation, scope, _LONGEST_CONVERSATION):
            if turn.clarified_with == entry.id and turn.state is TurnState.ANSWERED:
                return turn
        return None

    def _before(self, turn: Turn, scope: Scope) -> Sequence[Turn]:
        turns = self.journal.turns(turn.conversation, scope, _LONGEST_CONVERSATION)
        return list(takewhile(lambda other: other.id != turn.id, turns))[-_HISTORY:]

    @property
    def _run(self) -> TurnRunner:
        return TurnRunner(
            self.model, self.recall, self.choose, self.memory, self.journal, self.prompting, self.examples
        )

    @property
    def _remembering(self) -> Remembering:
        return Remembering(self.memory, self.allowance, self.further_keys, self.model.writes_keys)

    def _new_turn(self, question: str, scope: Scope, conversation: str) -> Turn:
        return Turn(str(uuid.uuid4()), conversation, scope.person, question, model=self.model.name)


def _without_it(turn: Turn, entry_id: str) -> Turn:
    """The turn, with an entry that was used in it left out."""
    if entry_id not in turn.used:
        raise NotFound
    return replace(turn, left_out=(*turn.left_out, entry_id), chosen=None if turn.chosen == entry_id else turn.chosen)


def _with_it(turn: Turn, entry_id: str) -> Turn:
    """The turn, with a note that was found for it, and not used, chosen."""
    notes = {decision.entry.id for decision in turn.decisions if decision.entry.kind is Kind.CLARIFICATION}
    if entry_id not in notes or entry_id in turn.used:
        raise NotFound
    return replace(turn, left_out=tuple(left for left in turn.left_out if left != entry_id), chosen=entry_id)
