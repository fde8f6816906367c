"""Take another draft than the one shown, and learn from it which scores the user goes by.

An addition to the paper, which weighs all scores alike (section 4). Each choice is stored as an entry with the gains of
the scores, and the weights are computed from these entries, so that undo needs no arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.conversation import Assistant
from assistant.errors import InputError, NotFound
from assistant.events import Answered, Event
from assistant.feedback.clarifications import remember_anew
from assistant.feedback.learning import CountReactions
from assistant.kinds import PREFERENCE, Preference
from assistant.papers.selection.drafts import KeptDraft, KeptDrafts, kept_drafts
from assistant.papers.selection.scores import scaled
from assistant.papers.teachme.thinking import in_ways
from assistant.ports import Memory
from assistant.reports.listing import EntryFilter
from assistant.types import Draft, Entry, Scope, Status, Turn, TurnState

WAYS = 3
"""Drafts that are written where the user asks for other answers."""
LEAST, MOST = 0.25, 4.0
"""Bounds of every weight."""

_RATE = 0.35  # in favour four times, a score comes to count four times as much
_MOST_COUNTED = 100  # choices, the newest


def gains_of(scores: Sequence[Mapping[str, float]], taken: int, shown: int) -> dict[str, float]:
    """Return for each scorer how much higher it scores the taken draft than the shown one, in [-1, 1].

    `scores` are those of each draft, by name of the scorer; `taken` and `shown` are places of drafts.
    """
    by_name = {name: scaled([one[name] for one in scores]) for name in scores[taken]}
    return {name: of[taken] - of[shown] for name, of in by_name.items()}


def weights_after(choices: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the weights of the scores after these choices, by name; a score that is missing has the weight 1.

    Each choice, given by its gains, multiplies a weight by e^(rate * gain), within the bounds (multiplicative weights).
    """
    weights: dict[str, float] = {}
    for gains in choices:
        for name, gain in gains.items():
            weights[name] = min(MOST, max(LEAST, weights.get(name, 1.0) * math.exp(_RATE * gain)))
    return weights


@dataclass(frozen=True, slots=True)
class Preferences:
    """The choices of each user. Raises as `Memory` does."""

    memory: Memory

    def weights(self, scope: Scope) -> dict[str, float]:
        """Return the weights of the scores that a choice has moved, by name."""
        bodies = (entry.body for entry in reversed(self.kept(scope)))
        return weights_after(body.gains for body in bodies if isinstance(body, Preference))

    def count(self, scope: Scope) -> int:
        """Return the number of choices."""
        return self.memory.find(scope, EntryFilter(kind=PREFERENCE.name), 1).total

    def kept(self, scope: Scope, turn: str = "") -> Sequence[Entry]:
        """Return the choices that count, newest first; of a turn, if its id is given."""
        return self.memory.find(scope, EntryFilter(kind=PREFERENCE.name, turn=turn), _MOST_COUNTED).entries

    def keep(self, turn: Turn, gains: Mapping[str, float], scope: Scope) -> None:
        """Store a choice, which replaces an earlier one of the same turn."""
        self.reset(scope, turn.id)
        line = ", ".join(f"{name} {gain:+.2f}" for name, gain in gains.items()) or "-"
        body = Preference(gains=dict(gains), line=line)
        key = PREFERENCE.idempotency_key(turn.id, body)
        draft = Draft(PREFERENCE, turn.question, body, key, turn=turn.id, model=turn.model)
        remember_anew(draft, self.memory, scope, Status.RETRACTED)

    def reset(self, scope: Scope, turn: str = "") -> None:
        """Retract all choices, or that of a turn, if its id is given. The answers that were taken stay."""
        while kept := self.kept(scope, turn):
            for entry in kept:
                self.memory.retract(entry.id, scope)


@dataclass(frozen=True, slots=True)
class Taking:
    """Commands on drafts, for every interface. Every method raises what those of `Assistant` do."""

    assistant: Assistant

    @property
    def preferences(self) -> Preferences:
        """The earlier choices."""
        return Preferences(self.assistant.memory)

    def several_ways(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Answer the question of a turn again, with several drafts. Raises InputError: the model has one way only."""
        respond = in_ways(self.assistant.runner.respond, WAYS)
        return self.assistant.with_parts(respond=respond).retry(turn_id, scope)

    def take(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Make a draft, by its number from 1, the answer of its turn, and store the choice. Return the changed turn.

        To take the draft that was shown at first removes the choice. Raises NotFound, and InputError where the turn has
        no drafts.
        """
        turn, drafts = self._drafted(turn_id, scope)
        if not 0 < number <= len(drafts.all):
            raise NotFound("drafts.unknown")
        taken = number - 1
        if taken == drafts.shown:
            return turn
        self.assistant.allowance.save(scope)
        if taken == drafts.best:
            self.preferences.reset(scope, turn.id)
        else:
            self.preferences.keep(turn, gains_of([one.scores for one in drafts.all], taken, drafts.best), scope)
        before = turn.reply
        put_away = KeptDraft.of(turn, drafts.all[drafts.shown].scores)  # with what was added since, such as reasons
        kept = [put_away if at == drafts.shown else one for at, one in enumerate(drafts.all)]
        turn = KeptDrafts(kept, drafts.best, taken).onto(self._unconfirmed(turn, scope))
        turn = replace(turn, reply=turn.reply.in_place_of(before))
        self.assistant.runner.turn_store.record(turn, scope)
        CountReactions(self.assistant.memory)(Answered(turn), scope)  # count the entries that only this draft rests on
        return turn

    def undo(self, turn_id: str, scope: Scope) -> Turn:
        """Make the draft that was shown at first the answer again."""
        return self.take(turn_id, self._drafted(turn_id, scope)[1].best + 1, scope)

    def _drafted(self, turn_id: str, scope: Scope) -> tuple[Turn, KeptDrafts]:
        turn = self.assistant.turn(turn_id, scope)
        drafts = kept_drafts(turn)
        if drafts is None or turn.state is not TurnState.ANSWERED:
            raise InputError("drafts.none")
        return turn, drafts

    def _unconfirmed(self, turn: Turn, scope: Scope) -> Turn:
        """Take back that the user confirmed the answer, which was another one."""
        if not turn.confirmed:
            return turn
        if kept := self.assistant.memory.kept(turn.id, scope):
            self.assistant.memory.retract(kept.id, scope)
        turn = replace(turn, confirmed=False)
        self.assistant.runner.turn_store.mark(turn, scope)
        return turn
