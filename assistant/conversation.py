"""The loop: ask, say what was meant, react, undo.

    question -> recall -> choose -> demonstrate -> prompt -> respond -> learn -> remember -> answer again

Plain generators of typed events. Closing one stops the model; the turn is then recorded as stopped. What happens within
one turn is in `assistant.turn`, what a turn may become in `assistant.life`, how a clarification is saved and what is
learnt in `assistant.feedback`.
"""

import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Unpack

from assistant import life
from assistant.errors import InputError, NotedError, NotFound
from assistant.events import Chosen, Clarified, Confirmed, Event, Finished, LeftOut, Noted
from assistant.feedback.clarifications import Clarifications, Complete
from assistant.feedback.corrections import corrected_by, swapped
from assistant.feedback.reach import ProposeReach
from assistant.kinds import Place, Reach
from assistant.limits import UNLIMITED, Limits
from assistant.ports import Allowance, Memory
from assistant.text.cleaning import checked
from assistant.turn import TurnParts, TurnRunner
from assistant.types import Decision, Entry, Reaction, Scope, Status, Turn, TurnState

_HISTORY = 12
_LONGEST_CONVERSATION = 1000


@dataclass(frozen=True, slots=True)
class Assistant:
    """The whole loop behind every door: the page, the command line, the experiments.

    Raises, of every method:
        InputError: a text is empty, too long, or holds what is not kept; nothing has happened.
        TooOften: the person has asked or saved too often just now; nothing has happened.
        NotFound: there is no such turn or entry, for this person.
        StoreError: the memory cannot be read, or it is not saved.
    """

    runner: TurnRunner
    memory: Memory
    propose_reach: ProposeReach = lambda _turn, _words, _turns: Reach.WAY
    allowance: Allowance = UNLIMITED
    complete: Complete = swapped

    @property
    def limits(self) -> Limits:
        """How long what is sent may be."""
        return self.runner.limits

    def with_parts(self, suited: TurnParts | None = None, **parts: Unpack[TurnParts]) -> "Assistant":
        """Return the same assistant with parts in the place of others: those that suit a model, then these."""
        others: TurnParts = {**(suited or {}), **parts}
        return replace(self, runner=replace(self.runner, **others))

    def ask(self, question: str, scope: Scope, conversation: str = "", seen: str = "") -> Iterator[Event]:
        """Answer a question; or, if the message puts the turn before right, note that and answer that one again.

        An empty `conversation` begins a new one. `seen` is the last turn that the person sees, which they put right;
        later ones may have been added elsewhere. Empty, it is the last there is.
        """
        question = checked(question, self.limits.question)
        self.allowance.turn(scope)
        turn = life.asked(question, scope, conversation or str(uuid.uuid4()), self.runner.model.name)
        earlier = list(self.runner.turn_store.turns(turn.conversation, scope, _HISTORY))
        while seen in {other.id for other in earlier[:-1]}:
            earlier.pop()
        yield from self._asked(turn, scope, earlier)

    def edit(self, turn_id: str, question: str, scope: Scope) -> Iterator[Event]:
        """Answer another question in the place of that of a turn. The turn stays; what came after it does not count."""
        question = checked(question, self.limits.question)
        turn = self._question(turn_id, scope)
        self.allowance.turn(scope)
        edited = life.asked(question, scope, turn.conversation, self.runner.model.name, instead_of=turn.id)
        yield from self._asked(edited, scope, self._before(turn, scope))

    def clarify(self, turn_id: str, words: str, scope: Scope, reach: Reach | None = None) -> Iterator[Event]:
        """Save what the person meant by the question of a turn, and answer that question again at once.

        `reach`: for which questions it counts; None as is proposed. What counts in this conversation alone takes the
        place of nothing that counts elsewhere.
        """
        turn, words = self._clarifiable(turn_id, words, scope)
        self.allowance.turn(scope)
        yield from self._note(turn, words, scope, reach=reach)

    def note(self, turn_id: str, words: str, scope: Scope) -> Noted:
        """Save what the person meant by the question of a turn. `clarify` with the same words answers it later."""
        turn, words = self._clarifiable(turn_id, words, scope)
        entry = self._clarifications.save(turn, words, scope, turns=self._before(turn, scope))
        return Noted(entry, life.clarified(turn, entry))

    def react(self, turn_id: str, reaction: Reaction, scope: Scope, entry_id: str = "") -> Iterator[Event]:
        """Take in that an answer is right (`CONFIRM`), or answer again without (`LEAVE_OUT`) or with (`USE`) an entry.

        Only an entry that was used can be left out; only one that was left out, or a note that was found and not used,
        can be used. That is for this turn; for others an entry is kept from use by `EXCEPT` or `PAUSE`, until `RESUME`.
        """
        turn = self.runner.turn_store.turn(turn_id, scope)
        if reaction in {Reaction.EXCEPT, Reaction.PAUSE, Reaction.RESUME}:
            yield self._limited(turn, reaction, scope, entry_id)
            return
        if reaction is Reaction.CONFIRM:
            self.allowance.save(scope)
            self.runner.learn(Confirmed(turn), scope)
            turn = life.confirmed(turn)
            self.runner.turn_store.mark(turn, scope)
            yield Finished(turn)
            return
        is_chosen = reaction is Reaction.USE
        changed = life.choosing(turn, entry_id) if is_chosen else life.without(turn, entry_id)
        self.allowance.turn(scope)
        self.runner.learn(Chosen(turn, entry_id) if is_chosen else LeftOut(turn, entry_id), scope)
        yield from self._again(changed, scope)

    def retry(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Try a turn again under the same conditions: the clarification it had, what was left out, what came before."""
        turn = self._question(turn_id, scope)
        self.allowance.turn(scope)
        if turn.answers_again:
            clarified = self.memory.current(turn.clarified_with, scope) if turn.clarified_with else None
            yield from self._again(turn, scope, clarified)
            return
        again = life.asked(turn.question, scope, turn.conversation, self.runner.model.name, instead_of=turn.id)
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
            conversation = self.runner.turn_store.turn(entry.turn, scope).conversation
        except NotFound:
            return ()
        turns = self.turns(conversation, scope)
        changed = [after for turn in turns if (after := life.taken_back(turn, gone, restored, entry)) != turn]
        for turn in changed:
            self.runner.turn_store.mark(turn, scope)
            if turn.state is TurnState.UNDONE and (kept := self.memory.kept(turn.id, scope)):
                self.memory.retract(kept.id, scope)
        return tuple(changed)

    def remember(self, question: str, words: str, scope: Scope, reach: Reach | None = None) -> Entry:
        """Save what the person means by a question, without answering it. The same words save once.

        There is no conversation in which alone it could count: InputError.
        """
        if reach is Reach.CONVERSATION:
            raise InputError("reach.no_conversation")
        question, words = checked(question, self.limits.question), checked(words, self.limits.clarification)
        turn = Turn("", "", scope.person, question)
        entry = self._clarifications.save(turn, words, scope, reach)
        self.runner.learn(Clarified(turn, words, entry), scope)
        return entry

    def set_reach(self, entry_id: str, reach: Reach, scope: Scope) -> Entry:
        """Let a clarification count for other questions, as the person chose."""
        entry = self.memory.entry(entry_id, scope)
        self.allowance.save(scope)
        conversation = ""
        if reach is Reach.CONVERSATION:
            try:
                conversation = entry.only_in or self.runner.turn_store.turn(entry.turn, scope).conversation
            except NotFound:
                raise InputError("reach.no_conversation") from None
        return self.memory.set_reach(entry_id, reach, scope, conversation)

    def others(self, entry: Entry, scope: Scope) -> Sequence[Entry]:
        """What else the person said of the same question: what counts beside an entry, then what it took the place of.

        Nothing rather than fail.
        """
        if entry.status is not Status.ACTIVE or entry.owner != scope.person:
            return []
        found: list[Entry] = []
        with suppress(NotedError):
            found += self.memory.beside(entry.id, scope)
        with suppress(NotedError):
            older = self.memory.entry(entry.supersedes, scope) if entry.supersedes else entry
            # What only puts it in other words is no other meaning.
            found += [older] if (older.turn, older.question) != (entry.turn, entry.question) else []
        return found

    def put(self, entry_id: str, place: Place, other_id: str, scope: Scope, why_both: str = "") -> Entry:
        """Say what a clarification is to an earlier one; see the port `Memory`."""
        why_both = checked(why_both, self.limits.clarification) if why_both.strip() else ""
        self.allowance.save(scope)
        return self.memory.put(entry_id, place, other_id, scope, why_both)

    def preview(self, question: str, scope: Scope) -> Sequence[Decision]:
        """What a question would find in memory, and what would become of it, as in a turn that begins a conversation.

        The model is not asked, and nothing is kept.
        """
        question = checked(question, self.limits.question)
        self.allowance.turn(scope)
        return self.runner.decided(life.asked(question, scope, "", self.runner.model.name), scope)

    def noted(self, entry_id: str, scope: Scope) -> Entry:
        """An entry, as it is where only its reach was changed since."""
        entry = self.memory.entry(entry_id, scope)
        current = self.memory.current(entry_id, scope)
        is_same = current is not None and (current.turn, current.text) == (entry.turn, entry.text)
        return current if current and is_same else entry

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn. Raises NotFound."""
        return self.runner.turn_store.turn(turn_id, scope)

    def turns(self, conversation: str, scope: Scope) -> Sequence[Turn]:
        """The turns of a conversation, oldest first."""
        return self.runner.turn_store.turns(conversation, scope, _LONGEST_CONVERSATION)

    def _limited(self, turn: Turn, reaction: Reaction, scope: Scope, entry_id: str) -> Finished:
        """Keep an entry from being used beyond a turn, or let it be used again; the turn as it is then."""
        if reaction is Reaction.PAUSE:
            self.allowance.save(scope)
            self.memory.pause(entry_id, scope)
        elif reaction is Reaction.EXCEPT:
            self.allowance.save(scope)
            self.memory.except_for(entry_id, turn.id, scope)
        else:
            entry = self.memory.entry(entry_id, scope)
            is_of_turn = turn.question in entry.not_for and not entry.resting
            self.memory.resume(entry_id, scope, turn.id if is_of_turn else None)
        return Finished(self.runner.turn_store.turn(turn.id, scope))

    def _asked(self, turn: Turn, scope: Scope, earlier: Sequence[Turn]) -> Generator[Event, None, None]:
        """A message: a question, or a correction of the turn before."""
        previous = corrected_by(turn.question, earlier)
        turn = yield from self.runner.run(turn, scope, earlier, previous=previous)
        if turn.state is not TurnState.CORRECTION or previous is None:
            return
        try:
            words = checked(turn.question, self.limits.clarification)
            yield from self._note(previous, words, scope, message=turn)
        except NotedError as error:
            yield Finished(self.runner.recorded(life.failed(turn, error.sentence), scope))

    def _note(
        self, corrected: Turn, words: str, scope: Scope, message: Turn | None = None, reach: Reach | None = None
    ) -> Generator[Event, None, None]:
        """Remember a clarification (durably, before it is said), then answer the corrected question again."""
        before = self._before(corrected, scope)
        entry = self._clarifications.save(corrected, words, scope, reach, before)
        if corrected.corrected_by == entry.id:  # the same words, sent twice: the answer that they gave stands
            for turn in self.turns(corrected.conversation, scope):
                if turn.clarified_with == entry.id and turn.state is TurnState.ANSWERED:
                    yield Noted(entry, corrected)
                    yield Finished(turn)
                    return
        corrected = life.clarified(corrected, entry)
        if message:
            message = life.clarified(self.runner.recorded(message, scope), entry)
            self.runner.turn_store.mark(message, scope)
            yield Finished(message)
        answered = None
        try:
            yield Noted(entry, corrected)
            answered = yield from self._again(corrected, scope, entry)
        finally:
            self.runner.learn(Clarified(corrected, words, entry, answered), scope)

    def _again(self, turn: Turn, scope: Scope, clarified: Entry | None = None) -> Generator[Event, None, Turn]:
        """Answer the question of a turn once more."""
        again = life.again(turn, scope, self.runner.model.name, clarified)
        return (yield from self.runner.run(again, scope, self._before(turn, scope), clarified=clarified, before=turn))

    def _clarifiable(self, turn_id: str, words: str, scope: Scope) -> tuple[Turn, str]:
        """A turn, and what was said of it, where that can be noted."""
        words = checked(words, self.limits.clarification)
        turn = self.runner.turn_store.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("correction.itself")
        return turn, words

    def _question(self, turn_id: str, scope: Scope) -> Turn:
        """A turn that asks something, or could not be noted."""
        turn = self.runner.turn_store.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION and turn.corrected_by:
            raise InputError("correction.noted")
        return turn

    def _before(self, turn: Turn, scope: Scope) -> Sequence[Turn]:
        turns = self.turns(turn.conversation, scope)
        return list(takewhile(lambda other: other.id != turn.id, turns))[-_HISTORY:]

    @property
    def _clarifications(self) -> Clarifications:
        parts = (self.memory, self.allowance, self.propose_reach)
        return Clarifications(*parts, self.runner.model.writes_keys, self.complete)
