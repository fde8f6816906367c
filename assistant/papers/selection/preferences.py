"""Replace the answer by another draft, and learn the weights of the scores from these choices.

An addition to the paper, which weighs all scores alike (section 4). Each choice is stored as an entry with the gain of
each score. The weights are computed from these entries, so undo needs no arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.conversation import Assistant
from assistant.errors import InputError, NotFound
from assistant.events import Answered, Event
from assistant.feedback.clarifications import restore_or_remember
from assistant.feedback.learning import CountReactions
from assistant.kinds import PREFERENCE, Preference
from assistant.papers.selection.drafts import DraftSelection, build_draft, show
from assistant.papers.selection.scores import scale_scores
from assistant.papers.teachme.thinking import ThinkThrough
from assistant.ports import Memory
from assistant.reports.listing import EntryFilter, EntryPage
from assistant.types import NewEntry, Scope, Status, Turn, TurnState

WAYS = 3
"""Drafts that are written if the user asks for other answers."""
LEAST, MOST = 0.25, 4.0
"""Bounds of every weight."""
_RATE = 0.35  # four choices in favour of a score multiply its weight by four
_MOST_COUNTED = 100  # newest choices


def gains_of(scores: Sequence[Mapping[str, float]], taken: int, shown: int) -> dict[str, float]:
    """Return the scaled score of the taken draft minus that of the shown draft, per scorer, in [-1, 1].

    `scores` has the scores of each draft by name of the scorer; `taken` and `shown` are indices of drafts.
    """
    by_name = {name: scale_scores([one[name] for one in scores]) for name in scores[taken]}
    return {name: of[taken] - of[shown] for name, of in by_name.items()}


def weights_after(choices: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the weights of the scores after these choices, by name; a missing score has the weight 1.

    Each choice, given by its gains, multiplies a weight by e^(rate * gain), within the bounds (multiplicative weights).
    """
    weights: dict[str, float] = {}
    for gains in choices:
        for name, gain in gains.items():
            weights[name] = min(MOST, max(LEAST, weights.get(name, 1.0) * math.exp(_RATE * gain)))
    return weights


@dataclass(frozen=True, slots=True)
class Preferences:
    """Stored choices of each user. Raises as `Memory` does."""

    memory: Memory

    def weights(self, scope: Scope) -> dict[str, float]:
        """Return the weights of the scores that a choice changed, by name."""
        bodies = (entry.body for entry in reversed(self.kept(scope).entries))
        return weights_after(body.gains for body in bodies if isinstance(body, Preference))

    def kept(self, scope: Scope, turn: str = "") -> EntryPage:
        """Return the newest choices and the number of all, of one turn if its id is given."""
        return self.memory.find(scope, EntryFilter(kind=PREFERENCE.name, turn=turn), _MOST_COUNTED)

    def reset(self, scope: Scope, turn: str = "") -> None:
        """Retract all choices, or the choice of one turn if its id is given. The answers stay."""
        while kept := self.kept(scope, turn).entries:
            for entry in kept:
                self.memory.retract(entry.id, scope)

    def prefer(self, turn: Turn, gains: dict[str, float], scope: Scope) -> None:
        """Store a choice among the drafts of a turn."""
        line = ", ".join(f"{name} {gain:+.2f}" for name, gain in gains.items()) or "-"
        body = Preference(gains=gains, line=line)
        key = PREFERENCE.idempotency_key(turn.id, body)
        draft = NewEntry(PREFERENCE, turn.question, body, key, turn=turn.id, model=turn.model)
        restore_or_remember(draft, self.memory, scope, Status.RETRACTED)


@dataclass(frozen=True, slots=True)
class DraftChoice:
    """Commands on drafts, for every interface. Methods raise the errors of `Assistant`."""

    assistant: Assistant

    @property
    def preferences(self) -> Preferences:
        return Preferences(self.assistant.memory)

    def several_ways(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Answer the question of a turn again, with several drafts. Raises InputError if the model cannot draft."""
        generator = self.assistant.runner.generator
        generator = generator.otherwise if isinstance(generator, ThinkThrough) else generator
        if not isinstance(generator, DraftSelection):
            raise InputError("drafts.cannot")
        drafts = replace(generator, count=max(WAYS, generator.count))
        return self.assistant.with_parts(generator=drafts).retry(turn_id, scope)

    def take(self, turn_id: str, number: int | None, scope: Scope) -> Turn:
        """Make a draft the answer of its turn, store the choice, and return the changed turn.

        Drafts are numbered from 1; None restores the best one and removes the choice. Raises NotFound, and InputError
        if the turn has no drafts.
        """
        memory, turn_store = self.assistant.memory, self.assistant.runner.turn_store
        turn = self.assistant.turn(turn_id, scope)
        drafts = turn.reply.fields.get("drafts")
        if drafts is None or turn.state is not TurnState.ANSWERED:
            raise InputError("drafts.none")
        drafted, best, shown = [*drafts["all"]], drafts["best"], drafts["shown"]
        taken = best if number is None else number - 1
        if not 0 <= taken < len(drafted):
            raise NotFound("drafts.unknown")
        if taken == shown:
            return turn
        self.assistant.allowance.save(scope)
        self.preferences.reset(scope, turn.id)
        if taken != best:
            self.preferences.prefer(turn, gains_of([one["scores"] for one in drafted], taken, best), scope)
        before = turn.reply
        drafted[shown] = build_draft(turn, drafted[shown]["scores"])  # with later additions, such as reasons
        if turn.confirmed:  # the confirmation was of another answer
            if example := memory.kept(turn.id, scope):
                memory.retract(example.id, scope)
            turn = replace(turn, confirmed=False)
            turn_store.mark(turn, scope)
        turn = show(turn, {"all": tuple(drafted), "best": best, "shown": taken})
        turn = replace(turn, reply=turn.reply.in_place_of(before))
        turn_store.record(turn, scope)
        CountReactions(memory)(Answered(turn), scope)  # count the entries that only this draft rests on
        return turn
