"""The loop: ask, say what was meant, react, undo.

    question -> recall -> gate -> prompting -> model -> reply -> feedback -> remember -> answer again

Plain generators of typed events. Closing one stops the model; the turn is then recorded as stopped. What happens within
one turn is in `assistant.turn`, how a clarification is saved in `assistant.feedback`.
"""

import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from assistant.errors import InputError, NotedError, NotFound
from assistant.events import Event, Finished, Noted
from assistant.feedback.clarifications import Clarifications, FurtherKeys, without
from assistant.feedback.corrections import correctable, is_closing
from assistant.limits import UNLIMITED
from assistant.ports import Allowance, Learn
from assistant.text.cleaning import checked
from assistant.turn import TurnRunner
from assistant.types import Decision, Entry, Reaction, Scope, Turn, TurnState

_HISTORY = 12
_LONGEST_CONVERSATION = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant(TurnRunner):
    """The whole loop behind every door: the page, the command line, the experiments.

    Raises, of every method:
        InputError: a text is empty, too long, or holds what is not kept; nothing has happened.
        TooOften: the person has asked or saved too often just now; nothing has happened.
        NotFound: there is no such turn or entry, for this person.
        StoreError: the memory cannot be read, or it is not saved.
    """

    learn: Learn
    further_keys: FurtherKeys = lambda _turn, _words: ()
    # told the id of a clarification when the turn in which it was saved is over; must return at once
    afterwards: Callable[[str], None] = lambda _entry_id: None
    allowance: Allowance = UNLIMITED

    def ask(self, question: str, scope: Scope, conversation: str = "", seen: str = "") -> Iterator[Event]:
        """Answer a question; or, if the message puts the turn before right, note that and answer that one again.

        An empty `conversation` begins a new one. `seen` is the last turn that the person sees, which they put right;
        later ones may have been added elsewhere. Empty, it is the last there is.
        """
        question = checked(question, self.limits.question)
        self.allowance.turn(scope)
        turn = self._new_turn(question, scope, conversation or str(uuid.uuid4()))
        earlier = list(self.turn_store.turns(turn.conversation, scope, _HISTORY))
        while seen in {other.id for other in earlier[:-1]}:
            earlier.pop()
        yield from self._asked(turn, scope, earlier)

    def edit(self, turn_id: str, question: str, scope: Scope) -> Iterator[Event]:
        """Answer another question in the place of that of a turn. The turn stays; what came after it does not count."""
        question = checked(question, self.limits.question)
        turn = self._question(turn_id, scope)
        self.allowance.turn(scope)
        edited = replace(self._new_turn(question, scope, turn.conversation), answers_again=turn.id)
        yield from self._asked(edited, scope, self._before(turn, scope))

    def clarify(self, turn_id: str, words: str, scope: Scope, *, only_here: bool = False) -> Iterator[Event]:
        """Save what the person meant by the question of a turn, and answer that question again at once.

        `only_here`: it counts in this conversation alone, and takes the place of nothing that counts everywhere.
        """
        words = checked(words, self.limits.clarification)
        turn = self.turn_store.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("This message was a correction itself. Please correct the answer below it.")
        self.allowance.turn(scope)
        yield from self._note(turn, words, scope, only_in=turn.conversation if only_here else "")

    def react(self, turn_id: str, reaction: Reaction, scope: Scope, entry_id: str = "") -> Iterator[Event]:
        """Take in that an answer is right (`CONFIRM`), or answer again without (`LEAVE_OUT`) or with (`USE`) an entry.

        Only an entry that was used can be left out, and only a note that was found and not used can be used.
        """
        turn = self.turn_store.turn(turn_id, scope)
        if reaction is Reaction.CONFIRM:
            self.allowance.save(scope)
            self.learn(turn, reaction, turn.used, scope)
            turn = replace(turn, confirmed=True)
            self.turn_store.mark(turn, scope)
            yield Finished(turn)
            return
        again = _with_it(turn, entry_id) if reaction is Reaction.USE else _without_it(turn, entry_id)
        self.allowance.turn(scope)
        self.learn(turn, reaction, [entry_id], scope)
        yield from self._again(again, scope)

    def retry(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Try a turn again under the same conditions: the clarification it had, what was left out, what came before."""
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

        Returns the turns that changed, in their order.
        """
        entry = self.memory.entry(entry_id, scope)
        gone = set()
        while (current := self.memory.current(entry_id, scope)) is not None:
            gone.add(self.memory.retract(current.id, scope).id)
        restored = self.memory.current(entry.supersedes, scope) if entry.supersedes else None
        try:
            conversation = self.turn_store.turn(entry.turn, scope).conversation
        except NotFound:
            return ()
        turns = self.turns(conversation, scope)
        changed = [after for turn in turns if (after := without(turn, gone, restored, entry)) != turn]
        for turn in changed:
            self.turn_store.mark(turn, scope)
            if turn.state is TurnState.UNDONE and (kept := self.memory.kept(turn.id, scope)):
                self.memory.retract(kept.id, scope)
        return tuple(changed)

    def remember(self, question: str, words: str, scope: Scope) -> Entry:
        """Save what the person means by a question, without answering it. The same words save once."""
        question, words = checked(question, self.limits.question), checked(words, self.limits.clarification)
        entry = self._clarifications.save(Turn("", "", scope.person, question), words, scope)
        self.afterwards(entry.id)
        return entry

    def preview(self, question: str, scope: Scope) -> Sequence[Decision]:
        """What a question would find in memory, and what would become of it, as in a turn that begins a conversation.

        The model is not asked, and nothing is kept.
        """
        question = checked(question, self.limits.question)
        self.allowance.turn(scope)
        return self.decided(self._new_turn(question, scope, ""), scope)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn. Raises NotFound."""
        return self.turn_store.turn(turn_id, scope)

    def turns(self, conversation: str, scope: Scope) -> Sequence[Turn]:
        """The turns of a conversation, oldest first."""
        return self.turn_store.turns(conversation, scope, _LONGEST_CONVERSATION)

    def _asked(self, turn: Turn, scope: Scope, earlier: Sequence[Turn]) -> Generator[Event, None, None]:
        """A message: a question, or a correction of the turn before."""
        previous = None if is_closing(turn.question) else correctable(earlier)
        turn = yield from self.run(turn, scope, earlier, previous=previous)
        if turn.state is not TurnState.CORRECTION or previous is None:
            return
        try:
            words = checked(turn.question, self.limits.clarification)
            yield from self._note(previous, words, scope, message=turn)
        except NotedError as error:
            yield Finished(self.recorded(replace(turn, state=TurnState.FAILED, error=str(error)), scope))

    def _note(
        self, corrected: Turn, words: str, scope: Scope, message: Turn | None = None, only_in: str = ""
    ) -> Generator[Event, None, None]:
        """Remember a clarification (durably, before it is said), then answer the corrected question again."""
        entry = self._clarifications.save(corrected, words, scope, only_in)
        if corrected.corrected_by == entry.id:  # the same words, sent twice: the answer that they gave stands
            for turn in self.turns(corrected.conversation, scope):
                if turn.clarified_with == entry.id and turn.state is TurnState.ANSWERED:
                    yield Noted(entry, corrected)
                    yield Finished(turn)
                    return
        corrected = replace(corrected, corrected_by=entry.id)
        if message:
            message = replace(self.recorded(message, scope), corrected_by=entry.id)
            self.turn_store.mark(message, scope)
            yield Finished(message)
        try:
            yield Noted(entry, corrected)
            answered = yield from self._again(corrected, scope, entry)
            self._clarifications.add_keys(entry, corrected, answered, words, scope)
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
        return (yield from self.run(again, scope, self._before(turn, scope), clarified=clarified))

    def _question(self, turn_id: str, scope: Scope) -> Turn:
        """A turn that asks something, or could not be noted."""
        turn = self.turn_store.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION and turn.corrected_by:
            raise InputError("This correction is noted. Please try the answer below it again.")
        return turn

    def _before(self, turn: Turn, scope: Scope) -> Sequence[Turn]:
        turns = self.turns(turn.conversation, scope)
        return list(takewhile(lambda other: other.id != turn.id, turns))[-_HISTORY:]

    @property
    def _clarifications(self) -> Clarifications:
        return Clarifications(self.memory, self.allowance, self.further_keys, self.model.writes_keys)

    def _new_turn(self, question: str, scope: Scope, conversation: str) -> Turn:
        return Turn(str(uuid.uuid4()), conversation, scope.person, question, model=self.model.name)


def _without_it(turn: Turn, entry_id: str) -> Turn:
    """The turn, with an entry that was used in it left out."""
    if entry_id not in turn.used:
        raise NotFound
    return replace(turn, left_out=(*turn.left_out, entry_id), chosen=None if turn.chosen == entry_id else turn.chosen)


def _with_it(turn: Turn, entry_id: str) -> Turn:
    """The turn, with a note that was found for it, and not used, chosen."""
    notes = {decision.entry.id for decision in turn.decisions if decision.entry.kind.is_note}
    if entry_id not in notes or entry_id in turn.used:
        raise NotFound
    return replace(turn, left_out=tuple(left for left in turn.left_out if left != entry_id), chosen=entry_id)
