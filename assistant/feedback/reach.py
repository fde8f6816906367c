"""Propose the reach of a correction: its own question, or all questions with similar wording.

"What does light mean?", corrected to its opposite, must not change every later "what does … mean?"; but a user who says
"akin to" for a synonym will say it again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assistant.feedback.corrections import parse_correction
from assistant.feedback.cues import cue_pattern, fold_for_cues
from assistant.kinds import Reach
from assistant.types import Action, Turn, TurnState

_CUES_FILE = Path(__file__).with_name("reach_cues.toml")
_ONCE, _ALWAYS = (cue_pattern(_CUES_FILE, name) for name in ("once", "always"))

ProposeReach = Callable[[Turn, str, Sequence[Turn]], Reach]
"""Proposes a reach for a corrected turn, the words of the correction, and the turns of its conversation."""


class QuestionComparer(Protocol):
    """Comparison of the wording of questions."""

    def alike(self, question: str, other: str) -> bool:
        """Return True if both have the same wording about two words of one kind."""

    def is_about_words(self, text: str) -> bool:
        """Return True if a text names a task about words: a synonym, a meaning."""

    def is_common(self, question: str) -> bool:
        """Return True if a question about a word names its task."""

    def begins_with(self, question: str, said: str) -> bool:
        """Return True if a statement starts with a thing that the question is about."""


@dataclass(frozen=True, slots=True)
class ProposedReach:
    """Implements `ProposeReach` by rules.

    `follows` returns True if the correction gives the model a task that it did not understand in the question.
    """

    ways: QuestionComparer
    follows: Callable[[Turn, str], bool] = lambda _turn, _said: False

    def __call__(self, corrected: Turn, said: str, turns: Sequence[Turn]) -> Reach:
        text, question = fold_for_cues(said), corrected.question
        if _ONCE.search(text):
            return Reach.QUESTION
        if _ALWAYS.search(text):
            return Reach.WAY
        understood = [decision.entry.question for decision in corrected.decisions if decision.entry.kind.confirms]
        for turn in turns:
            if turn.state is TurnState.ANSWERED and not (turn.corrected_by or had_note(turn)):
                understood += [turn.question] if turn.question != question else []
        if any(self.ways.alike(question, other) for other in understood):
            return Reach.QUESTION
        found = parse_correction(said)
        # An explanation of the user's own word starts with it: "the brick is my old phone".
        explains = self.ways.begins_with(question, found.meant if found else said)
        is_about_words = self.ways.is_about_words(text) or self.ways.is_about_words(question)
        is_wide = not self.ways.is_common(question) if is_about_words else explains
        # Called last: it takes longer than the rest of saving.
        return Reach.WAY if is_wide or self.follows(corrected, said) else Reach.QUESTION


def had_note(turn: Turn) -> bool:
    """Return True if the answer is based on a note."""
    notes = (decision for decision in turn.decisions if decision.action is not Action.SHOW)
    return any(decision.entry.id in turn.used for decision in notes)
