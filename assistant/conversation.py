"""Ask, clarify, retry, react and undo: the operations on conversations.

    question -> retrieve -> gate -> examples -> prompt -> generate -> listen -> clarify -> answer again

Plain generators of typed events. Closing one stops the model and records the turn as stopped. `assistant.turn` runs a
turn, `assistant.turn_changes` changes its state, `assistant.feedback` saves clarifications and learns.
"""

import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Unpack

from assistant import turn_changes
from assistant.errors import InputError, NotedError, NotFound
from assistant.events import Clarified, Event, Finished, Reacted, Saved
from assistant.feedback.corrections import find_corrected_turn
from assistant.feedback.learning import ProposeReach, build_clarification, build_corrected_fact, restore_or_remember
from assistant.kinds import Place, Reach, Triple
from assistant.limits import UNLIMITED, Allowance, Limits
from assistant.ports import Memory
from assistant.text.cleaning import check_text
from assistant.turn import TurnParts, TurnRunner
from assistant.types import Decision, Entry, Reaction, Scope, Status, Turn, TurnState

_HISTORY = 12
_LONGEST_CONVERSATION = 1000


@dataclass(frozen=True, slots=True)
class Assistant:
    """Operations behind the page, the command line, the API and the experiments.

    Every method may raise these errors, with nothing saved:
        InputError: a text is empty, too long, or has content that is not stored.
        TooOften: rate limit.
        NotFound: the user has no such turn or entry.
        StoreError: the memory cannot be read or written.

    Example:
        turn = RunState().after(assistant.ask("What is akin to quick?", scope)).turn
        events = assistant.clarify(turn.id, "I want a synonym", scope)  # saves it and answers again
    """

    runner: TurnRunner
    memory: Memory
    propose_reach: ProposeReach = lambda _turn, _words, _turns: Reach.WAY
    allowance: Allowance = UNLIMITED
    triples_in: Callable[[str], tuple[Triple, ...]] = lambda _text: ()  # of a sentence, stored with its fact
    is_own_question: Callable[[str], bool] = lambda _message: False  # which corrects nothing
    completes: Callable[[str, str], str] = lambda words, _statement: words  # makes a statement of its correction

    @property
    def limits(self) -> Limits:
        return self.runner.limits

    def with_parts(self, suited: TurnParts | None = None, **parts: Unpack[TurnParts]) -> "Assistant":
        """Return a copy with other parts: those for another model (`suited`), updated with `parts`."""
        changed: TurnParts = {**(suited or {}), **parts}
        return replace(self, runner=replace(self.runner, **changed))

    def ask(self, question: str, scope: Scope, conversation: str = "", seen: str = "") -> Iterator[Event]:
        """Answer a question; or, if the message corrects the turn before, save the correction and answer that again.

        An empty `conversation` begins a new one. `seen` is the last turn that the user sees, and the one that they may
        correct: another tab may have added later ones. If empty, it is the last turn.
        """
        question = check_text(question, self.limits.question)
        self.allowance.turn(scope)
        turn = turn_changes.create_turn(question, scope, conversation or str(uuid.uuid4()), self.runner.model.name)
        earlier = list(self.runner.turn_store.turns(conversation, scope, _HISTORY)) if conversation else []
        while seen in {other.id for other in earlier[:-1]}:
            earlier.pop()
        yield from self._asked(turn, scope, earlier)

    def edit(self, turn_id: str, question: str, scope: Scope) -> Iterator[Event]:
        """Replace the question of a turn and answer it, ignoring later turns."""
        question = check_text(question, self.limits.question)
        turn = self._question(turn_id, scope)
        self.allowance.turn(scope)
        yield from self._ask_again(turn, question, scope)

    def clarify(self, turn_id: str, words: str, scope: Scope, reach: Reach | None = None) -> Iterator[Event]:
        """Save a clarification of the question of a turn, and answer it again.

        `reach` defaults to the proposed one. A clarification for one conversation replaces none with another reach.
        """
        turn, words = self._clarifiable(turn_id, words, scope)
        self.allowance.turn(scope)
        yield from self._save_and_answer(turn, words, scope, reach=reach)

    def save_clarification(self, turn_id: str, words: str, scope: Scope) -> Saved:
        """Save a clarification without answering again; `clarify` with the same words does that later."""
        turn, words = self._clarifiable(turn_id, words, scope)
        entry = self._save(turn, words, scope, self._before(turn, scope))
        return Saved(entry, replace(turn, corrected_by=entry.id))

    def react(self, turn_id: str, reaction: Reaction, scope: Scope, entry_id: str = "") -> Iterator[Event]:
        """Record a reaction to an answer; for `EXCLUDE` and `USE` answer again without or with an entry.

        `EXCLUDE` needs an entry that was used; `USE` an excluded one, or a note that was found and not used. `EXCEPT`,
        `PAUSE` and `RESUME` affect later turns only.
        """
        turn = self.turn(turn_id, scope)
        if reaction in {Reaction.EXCLUDE, Reaction.USE}:
            current = self.memory.current(entry_id, scope)  # it may have been changed since
            changed = turn_changes.choose_entry(turn, entry_id, reaction, current.id if current else entry_id)
            self.allowance.turn(scope)
            self.runner.listener(Reacted(turn, reaction, entry_id), scope)
            yield from self._again(changed, scope)
            return
        self.allowance.save(scope)
        match reaction:
            case Reaction.CONFIRM:
                self.runner.listener(Reacted(turn, reaction), scope)
                self.runner.turn_store.mark(replace(turn, confirmed=True), scope)
            case Reaction.EXCEPT:
                self.memory.except_for(entry_id, turn.id, scope)
            case Reaction.PAUSE:
                self.memory.pause(entry_id, scope)
            case Reaction.RESUME:
                entry = self.memory.entry(entry_id, scope)
                is_of_turn = turn.question in entry.not_for and not entry.resting
                self.memory.resume(entry_id, scope, turn.id if is_of_turn else None)
        yield Finished(self.turn(turn.id, scope))

    def retry(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Answer a turn again, with the same clarification, excluded entries and history."""
        turn = self._question(turn_id, scope)
        self.allowance.turn(scope)
        if turn.answers_again:
            clarified = self.memory.current(turn.clarified_with, scope) if turn.clarified_with else None
            yield from self._again(turn, scope, clarified)
        else:
            yield from self._ask_again(turn, turn.question, scope)

    def undo(self, entry_id: str, scope: Scope) -> tuple[Turn, ...]:
        """Retract a clarification, with its later versions and the answers based on them.

        Returns the changed turns, oldest first.
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
        changed = [after for turn in turns if (after := turn_changes.undo_entry(turn, gone, restored, entry)) != turn]
        for turn in changed:
            self.runner.turn_store.mark(turn, scope)
            if turn.state is TurnState.UNDONE and (kept := self.memory.kept(turn.id, scope)):
                self.memory.retract(kept.id, scope)
        return tuple(changed)

    def remember(self, question: str, words: str, scope: Scope, reach: Reach | None = None) -> Entry:
        """Save a clarification of a question outside of a conversation. Idempotent.

        Raises InputError for `Reach.CONVERSATION`.
        """
        if reach is Reach.CONVERSATION:
            raise InputError("reach.no_conversation")
        question, words = check_text(question, self.limits.question), check_text(words, self.limits.clarification)
        turn = Turn("", "", scope.person, question)
        entry = self._save(turn, words, scope, (), reach)
        self.runner.listener(Clarified(turn, words, entry), scope)
        return entry

    def set_reach(self, entry_id: str, reach: Reach, scope: Scope) -> Entry:
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
        """Return other clarifications of the same question: active ones, then the replaced one. Never raises."""
        if entry.status is not Status.ACTIVE or entry.owner != scope.person:
            return []
        found: list[Entry] = []
        with suppress(NotedError):
            found += self.memory.beside(entry.id, scope)
            if entry.supersedes:
                older = self.memory.entry(entry.supersedes, scope)
                is_rewording = (older.turn, older.question) == (entry.turn, entry.question)
                found += [] if is_rewording else [older]
        return found

    def put(self, entry_id: str, place: Place, other_id: str, scope: Scope, why_both: str = "") -> Entry:
        """Set the relation of a clarification to an earlier one, see `Memory.put`."""
        why_both = check_text(why_both, self.limits.clarification) if why_both.strip() else ""
        self.allowance.save(scope)
        return self.memory.put(entry_id, place, other_id, scope, why_both)

    def preview(self, question: str, scope: Scope) -> Sequence[Decision]:
        """Return the decisions for a question in a new conversation, without calling the model or storing anything."""
        question = check_text(question, self.limits.question)
        self.allowance.turn(scope)
        return self.runner.decided(turn_changes.create_turn(question, scope, "", self.runner.model.name), scope)

    def current_entry(self, entry_id: str, scope: Scope) -> Entry:
        """Return an entry, or its current version if only the reach was changed."""
        entry = self.memory.entry(entry_id, scope)
        current = self.memory.current(entry_id, scope)
        is_same = current is not None and (current.turn, current.text) == (entry.turn, entry.text)
        return current if current and is_same else entry

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        return self.runner.turn_store.turn(turn_id, scope)

    def turns(self, conversation: str, scope: Scope) -> Sequence[Turn]:
        """Return the turns of a conversation, oldest first."""
        return self.runner.turn_store.turns(conversation, scope, _LONGEST_CONVERSATION)

    def find_answer(self, corrected: Turn, first: Entry, last: Entry, scope: Scope) -> Turn | None:
        """Return the first answer of a repeated request, which stored these entries before; else None."""
        if corrected.corrected_by != first.id:
            return None
        answered = (one for one in self.turns(corrected.conversation, scope) if one.state is TurnState.ANSWERED)
        return next((one for one in answered if one.clarified_with == last.id), None)

    def _ask_again(self, turn: Turn, question: str, scope: Scope) -> Iterator[Event]:
        model = self.runner.model.name
        again = turn_changes.create_turn(question, scope, turn.conversation, model, instead_of=turn.id)
        yield from self._asked(again, scope, self._before(turn, scope))

    def _asked(self, turn: Turn, scope: Scope, earlier: Sequence[Turn]) -> Generator[Event, None, None]:
        """Answer a message: a question, or a correction of the turn before."""
        previous = None if self.is_own_question(turn.question) else find_corrected_turn(turn.question, earlier)
        turn = yield from self.runner.run(turn, scope, earlier, may_correct=previous)
        if turn.state is not TurnState.CORRECTION or previous is None:
            return
        try:
            words = check_text(turn.question, self.limits.clarification)
            yield from self._save_and_answer(previous, words, scope, message=turn)
        except NotedError as error:
            yield Finished(self.runner.recorded(turn_changes.fail_turn(turn, error.sentence), scope))

    def _save(
        self, corrected: Turn, words: str, scope: Scope, turns: Sequence[Turn], reach: Reach | None = None
    ) -> Entry:
        """Save a clarification of the question of a turn, with the given or proposed reach. Idempotent.

        `turns` are the turns of its conversation. Where the turn told a fact, save the corrected fact.
        """
        self.allowance.save(scope)
        draft = build_corrected_fact(corrected, words, self.memory, scope, self.triples_in, self.completes)
        if draft is None:
            proposed = reach or self.propose_reach(corrected, words, turns)
            fields = {**proposed.fields(corrected.conversation), "reach_chosen": reach is not None}
            known = corrected.corrected_by or corrected.clarified_with
            earlier = self.memory.current(known, scope) if known else None
            # The earlier entry may be a fact, which is kept.
            is_replaced = earlier and earlier.kind.corrects and earlier.only_in == fields["only_in"]
            replaced = earlier.id if earlier and is_replaced else None
            draft = build_clarification(corrected, words, (), replaced, **fields)
            draft = replace(draft, wants_keys=self.runner.model.writes_keys)
        return restore_or_remember(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def _save_and_answer(
        self, corrected: Turn, words: str, scope: Scope, message: Turn | None = None, reach: Reach | None = None
    ) -> Generator[Event, None, None]:
        """Save a clarification, yield `Saved` after the commit, then answer the corrected question again."""
        entry = self._save(corrected, words, scope, self._before(corrected, scope), reach)
        if answered := self.find_answer(corrected, entry, entry, scope):
            yield Saved(entry, corrected)
            yield Finished(answered)
            return
        corrected = replace(corrected, corrected_by=entry.id)
        if message:
            message = replace(self.runner.recorded(message, scope), corrected_by=entry.id)
            self.runner.turn_store.mark(message, scope)
            yield Finished(message)
        try:
            yield Saved(entry, corrected)
            answered = yield from self._again(corrected, scope, entry)
        finally:
            self.runner.listener(Clarified(corrected, words, entry, answered), scope)

    def _again(self, turn: Turn, scope: Scope, clarified: Entry | None = None) -> Generator[Event, None, Turn]:
        again = turn_changes.repeat_turn(turn, scope, self.runner.model.name, clarified)
        earlier = self._before(turn, scope)
        return (yield from self.runner.run(again, scope, earlier, clarified=clarified, instead_of=turn))

    def _clarifiable(self, turn_id: str, words: str, scope: Scope) -> tuple[Turn, str]:
        """Return a turn that can be clarified, and the checked words."""
        words = check_text(words, self.limits.clarification)
        turn = self.runner.turn_store.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("correction.itself")
        return turn, words

    def _question(self, turn_id: str, scope: Scope) -> Turn:
        """Return a turn, unless it is a correction that was saved."""
        turn = self.runner.turn_store.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION and turn.corrected_by:
            raise InputError("correction.noted")
        return turn

    def _before(self, turn: Turn, scope: Scope) -> Sequence[Turn]:
        return self.runner.turn_store.turns(turn.conversation, scope, _HISTORY, before=turn.id)
