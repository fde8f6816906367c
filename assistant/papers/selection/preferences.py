"""Which scorers a person goes by, learnt from the drafts that they took in the place of the one that was shown.

Each such draft is remembered as an entry of its own, with by how much each scorer liked it better. The weights are
worked out anew of all that count, so that taking one back takes back what it did.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.feedback.clarifications import remember_anew
from assistant.kinds import PREFERENCE, Preference
from assistant.papers.selection.ensemble import scaled
from assistant.ports import OwnEntries
from assistant.reports.listing import EntryFilter
from assistant.types import Draft, Entry, Scope, Status, Turn

LEAST, MOST = 0.25, 4.0
"""Between these every weight stays; one that nothing has moved is 1."""

_RATE = 0.35  # in favour four times, a scorer comes to count four times as much
_MOST_COUNTED = 100  # preferences, the newest


def moved(weights: Mapping[str, float], gains: Mapping[str, float]) -> dict[str, float]:
    """The weights after one preference: each times e^(rate · gain), within the bounds (multiplicative weights).

    Args:
        weights: by name of the scorer; one that is missing is 1.
        gains: by name, the scaled score of the draft that was taken, less that of the one that was shown; in [-1, 1].

    Returns:
        The weights of all that either names, each in [LEAST, MOST].
    """
    names = [*weights, *(name for name in gains if name not in weights)]
    grown = {name: weights.get(name, 1.0) * math.exp(_RATE * gains.get(name, 0.0)) for name in names}
    return {name: min(MOST, max(LEAST, weight)) for name, weight in grown.items()}


def gains_of(scores: Sequence[Mapping[str, float]], taken: int, shown: int) -> dict[str, float]:
    """By how much each scorer likes the draft that was taken better than the one that was shown, from -1 to 1."""
    by_name = {name: scaled([one[name] for one in scores]) for name in scores[taken]}
    return {name: of[taken] - of[shown] for name, of in by_name.items()}


@dataclass(frozen=True, slots=True)
class Preferences:
    """Those of each person. Raises as `OwnEntries` does."""

    memory: OwnEntries

    def weights(self, scope: Scope) -> Mapping[str, float]:
        """Of the scorers that some preference has moved, by name; the others have the weight 1."""
        weights: Mapping[str, float] = {}
        for entry in reversed(self.kept(scope)):
            weights = moved(weights, _gains(entry))
        return weights

    def count(self, scope: Scope) -> int:
        """How often another draft was taken in all."""
        return self.memory.find(scope, EntryFilter(kind=PREFERENCE.name), 1).total

    def kept(self, scope: Scope) -> Sequence[Entry]:
        """What counts, newest first."""
        return self.memory.find(scope, EntryFilter(kind=PREFERENCE.name), _MOST_COUNTED).entries

    def keep(self, turn: Turn, gains: Mapping[str, float], scope: Scope) -> None:
        """Remember of a turn that another draft was taken; in the place of what was remembered of it before."""
        self.take_back(turn, scope)
        body = Preference(gains=dict(gains), line=line_of(gains))
        key = PREFERENCE.idempotency_key(turn.id, body)
        draft = Draft(PREFERENCE, turn.question, body, key, turn=turn.id, model=turn.model)
        remember_anew(draft, self.memory, scope, Status.RETRACTED)

    def of(self, turn: Turn, scope: Scope) -> Sequence[Entry]:
        """What counts of a turn: one entry, or none."""
        return self.memory.find(scope, EntryFilter(kind=PREFERENCE.name, turn=turn.id)).entries

    def take_back(self, turn: Turn, scope: Scope) -> None:
        """Remember it of a turn no more."""
        self._retract(self.of(turn, scope), scope)

    def reset(self, scope: Scope) -> None:
        """Let every scorer count alike again. The answers that were taken stay."""
        while kept := self.kept(scope):
            self._retract(kept, scope)

    def _retract(self, entries: Iterable[Entry], scope: Scope) -> None:
        for entry in entries:
            self.memory.retract(entry.id, scope)


def line_of(gains: Mapping[str, float]) -> str:
    """Gains as they are read: "round_trip +0.40, notes -0.20"."""
    return ", ".join(f"{name} {gain:+.2f}" for name, gain in gains.items()) or "-"


def _gains(entry: Entry) -> Mapping[str, float]:
    return entry.body.gains if isinstance(entry.body, Preference) else {}
