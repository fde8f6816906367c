"""Propose for which questions a correction counts: its own, or all that are asked in this way. Pure.

"what does light mean?", corrected to the opposite of it, must not turn every later "what does … mean?" around; but who
says "akin to" for a synonym will say so again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assistant.feedback.corrections import correction_in
from assistant.feedback.cues import comparable, cue_pattern
from assistant.kinds import Reach
from assistant.types import Action, Turn, TurnState

_CUES_FILE = Path(__file__).with_name("reach_cues.toml")
_ONCE, _ALWAYS = (cue_pattern(_CUES_FILE, name) for name in ("once", "always"))

ProposeReach = Callable[[Turn, str, Sequence[Turn]], Reach]
"""Turn that was corrected, what was said about it, and the turns of its conversation, to the reach that is proposed."""


class WaysOfAsking(Protocol):
    """What the wording of questions tells of how they are asked."""

    def alike(self, question: str, other: str) -> bool:
        """Whether both are asked in the same way, about two words of one sort."""

    def is_about_words(self, text: str) -> bool:
        """Whether a text names what can be wanted of a word: a synonym, its meaning."""

    def is_common(self, question: str) -> bool:
        """Whether a question about a word names what is wanted of it."""

    def begins_with(self, question: str, said: str) -> bool:
        """Whether the first thing that it is about is something that the question is about."""


@dataclass(frozen=True, slots=True)
class ProposedReach:
    """Implements `ProposeReach` by rules over what is known.

    `follows` says whether what was said tells a model what it could not understand of a turn by itself.
    """

    ways: WaysOfAsking
    follows: Callable[[Turn, str], bool] = lambda _turn, _said: False

    def __call__(self, corrected: Turn, said: str, turns: Sequence[Turn]) -> Reach:
        text, question = comparable(said), corrected.question
        if _ONCE.search(text):
            return Reach.QUESTION
        if _ALWAYS.search(text):
            return Reach.WAY
        if any(self.ways.alike(question, other) for other in _understood(corrected, turns)):
            return Reach.QUESTION
        found = correction_in(said)
        # What a person says of a word of theirs begins with it: "the brick is my old phone".
        explains = self.ways.begins_with(question, found.meant if found else said)
        is_about_words = self.ways.is_about_words(text) or self.ways.is_about_words(question)
        is_wide = not self.ways.is_common(question) if is_about_words else explains
        # What a model follows is asked last: it takes longer than all else of saving.
        return Reach.WAY if is_wide or self.follows(corrected, said) else Reach.QUESTION


def _understood(corrected: Turn, turns: Iterable[Turn]) -> list[str]:
    """Questions that were answered and not put right, or whose answers were confirmed, without a note about them."""
    confirmed = [decision.entry.question for decision in corrected.decisions if decision.entry.kind.confirms]
    answered = [
        turn.question
        for turn in turns
        if turn.state is TurnState.ANSWERED and not turn.corrected_by and not had_note(turn)
        if turn.question != corrected.question
    ]
    return [*confirmed, *answered]


def had_note(turn: Turn) -> bool:
    """Whether an answer rests on what was said earlier."""
    notes = (decision for decision in turn.decisions if decision.action is not Action.SHOW)
    return any(decision.entry.id in turn.used for decision in notes)
