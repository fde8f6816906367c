"""What a person does with drafts: has some drawn, takes another, takes that back. For every door."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assistant.conversation import Assistant
from assistant.errors import InputError, NotedError, NotFound, ReadOnly
from assistant.events import Event
from assistant.feedback.learning import CountReactions
from assistant.happenings import Answered
from assistant.papers.teachme.thinking import in_ways
from assistant.reply.fields import DRAFTS
from assistant.selection.drafts import KeptDrafts, kept_drafts
from assistant.selection.preferences import Preferences, gains_of
from assistant.types import Scope, Turn, TurnState

WAYS = 3
"""So many are drawn where a person asks for more than one."""


@dataclass(frozen=True, slots=True)
class Taking:
    """Raises, of every method, what those of `Assistant` do."""

    assistant: Assistant

    @property
    def preferences(self) -> Preferences:
        """What was taken before."""
        return Preferences(self.assistant.memory)

    def is_possible(self, scope: Scope) -> bool:
        """Whether anything can be taken: where nothing is saved, retracting even what is not there is refused."""
        try:
            self.assistant.memory.retract("", scope)
        except ReadOnly:
            return False
        except NotedError:
            pass
        return True

    def several_ways(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Answer the question of a turn again, in several ways at once. InputError: this model has one way only."""
        respond = in_ways(self.assistant.runner.respond, WAYS)
        return self.assistant.with_parts(respond=respond).retry(turn_id, scope)

    def take(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Let the draft of a turn with this number, from 1, be its answer; that it was taken is remembered.

        The one that was shown at first is taken by taking that back. Returns the turn as it is then.
        """
        turn, drafts = self._drafted(turn_id, scope)
        if not 0 < number <= len(drafts.all):
            raise NotFound("drafts.unknown")
        taken = number - 1
        if taken == drafts.shown:
            return turn
        self.assistant.allowance.save(scope)
        if taken == drafts.best:
            self.preferences.take_back(turn, scope)
        else:
            gains = gains_of([draft.scores for draft in drafts.all], taken, drafts.best)
            self.preferences.keep(turn, gains, scope)
        before = turn.reply
        turn = replace(_as_it_is(drafts, turn), shown=taken).onto(self._unconfirmed(turn, scope))
        turn = replace(turn, reply=turn.reply.in_place_of(before))
        self.assistant.runner.turn_store.record(turn, scope)
        CountReactions(self.assistant.memory)(Answered(turn), scope)  # what only this one rests on was used as well
        return turn

    def undo(self, turn_id: str, scope: Scope) -> Turn:
        """Let the draft be the answer that was shown at first."""
        return self.take(turn_id, self._drafted(turn_id, scope)[1].best + 1, scope)

    def _drafted(self, turn_id: str, scope: Scope) -> tuple[Turn, KeptDrafts]:
        turn = self.assistant.turn(turn_id, scope)
        drafts = kept_drafts(turn)
        if drafts is None or turn.state is not TurnState.ANSWERED:
            raise InputError("drafts.none")
        return turn, drafts

    def _unconfirmed(self, turn: Turn, scope: Scope) -> Turn:
        """What was said to be right was another answer."""
        if not turn.confirmed:
            return turn
        if kept := self.assistant.memory.kept(turn.id, scope):
            self.assistant.memory.retract(kept.id, scope)
        turn = replace(turn, confirmed=False)
        self.assistant.runner.turn_store.mark(turn, scope)
        return turn


def _as_it_is(drafts: KeptDrafts, turn: Turn) -> KeptDrafts:
    """The drafts, with what came to stand on the one that is shown since it was drawn."""
    reply = turn.reply.with_fields(**{DRAFTS: None})
    shown = replace(drafts.all[drafts.shown], reply=reply, used=turn.used)
    return replace(drafts, all=[*drafts.all[: drafts.shown], shown, *drafts.all[drafts.shown + 1 :]])
