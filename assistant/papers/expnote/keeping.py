"""What a person says of a drafted lesson: keep, change, drop; each can be taken back. For every door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.conversation import Assistant
from assistant.errors import InputError, NotFound
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import LESSON
from assistant.papers.expnote.drafts import OPEN, LessonDraft, State, decided, draft_of, has_draft
from assistant.papers.expnote.noting import Drawn
from assistant.ports import Turns
from assistant.reports.listing import EntryFilter
from assistant.text.cleaning import checked
from assistant.types import Entry, Scope, Status, Turn

_MOST_OPEN = 50


@dataclass(frozen=True, slots=True)
class Lessons:
    """See the module. Raises, of every method, what those of `Assistant` do."""

    assistant: Assistant
    turn_store: Turns
    is_drafting: Callable[[str], bool] = lambda _turn: False

    def draft(self, turn: Turn) -> LessonDraft | None:
        """The draft on a turn, with what became of it; None where there is none."""
        return draft_of(turn, self._kept(turn)) if has_draft(turn.reply) else None

    def open(self, scope: Scope) -> Sequence[tuple[Turn, LessonDraft]]:
        """The last drafts of which nothing was said yet, newest first, each with its turn."""
        turns = self.turn_store.having(OPEN, scope, _MOST_OPEN)
        return [(turn, draft) for turn in turns if (draft := draft_of(turn, None))]

    def decide(self, act: str, turn_id: str, scope: Scope, words: str = "") -> Turn:
        """`keep`, `drop` or `undo`, by name. Raises InputError where it is none of these."""
        match act:
            case "keep":
                return self.keep(turn_id, scope, words)
            case "drop":
                return self.drop(turn_id, scope)
            case "undo":
                return self.undo(turn_id, scope)
        raise InputError

    def keep(self, turn_id: str, scope: Scope, words: str = "") -> Turn:
        """Let the draft of a turn count from now on; with words, as they say."""
        turn, draft = self._found(turn_id, scope)
        rule = checked(words, self.assistant.limits.clarification) if words.strip() else draft.shown
        if draft.entry and rule == draft.shown:
            return turn
        self.assistant.allowance.save(scope)
        memory = self.assistant.memory
        if draft.entry:
            memory.edit(draft.entry.id, rule, scope)
        else:
            lesson = Drawn(draft.lesson.model_copy(update={"rule": rule})).draft(turn.model, turn.id)
            lesson = replace(lesson, supersedes=self._there(draft.refutes, scope))
            remember_anew(lesson, memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        return self._said(turn, State.KEPT, scope)

    def drop(self, turn_id: str, scope: Scope) -> Turn:
        """Propose it no more, and keep it no more."""
        turn, _ = self._found(turn_id, scope)
        self.assistant.allowance.save(scope)
        return self._said(self._unkept(turn, scope), State.DROPPED, scope)

    def undo(self, turn_id: str, scope: Scope) -> Turn:
        """Take back what was said of it: it is open again, and what counted before it counts again."""
        turn, _ = self._found(turn_id, scope)
        self.assistant.allowance.save(scope)
        return self._said(self._unkept(turn, scope), State.PROPOSED, scope)

    def _unkept(self, turn: Turn, scope: Scope) -> Turn:
        while entry := self._kept(turn):  # what it said in other words comes back first
            self.assistant.memory.retract(entry.id, scope)
        return turn

    def _found(self, turn_id: str, scope: Scope) -> tuple[Turn, LessonDraft]:
        turn = self.assistant.turn(turn_id, scope)
        draft = self.draft(turn)
        if draft is None:
            raise NotFound("lesson.unknown")
        return turn, draft

    def _kept(self, turn: Turn) -> Entry | None:
        """The entry that counts of a turn's draft."""
        wanted = EntryFilter(kind=LESSON.name, turn=turn.id)
        return next(iter(self.assistant.memory.find(Scope(turn.person), wanted, 1).entries), None)

    def _there(self, entry_id: str, scope: Scope) -> str | None:
        """The id of an entry that is still there: what came with a file may name one that is not."""
        with suppress(NotFound):
            return self.assistant.memory.entry(entry_id, scope).id if entry_id else None
        return None

    def _said(self, turn: Turn, state: State, scope: Scope) -> Turn:
        turn = replace(turn, reply=decided(turn.reply, state))
        self.turn_store.record(turn, scope)
        return turn
