"""Select the confirmed examples of a prompt: the nearest to the question.

As in MemPrompt, section 4.2: half of the few-shot examples are fixed, the others may come from memory. Only confirmed
answers are kept as examples, so the model never sees its own wrong output again. Pure.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from assistant.sentences import Sentence
from assistant.sharing import out_of_bounds
from assistant.types import Action, Candidate, Decision, Question, Scope

CONFIRMED = Sentence("example.confirmed")
CONFIRMED_BY_OTHERS = Sentence("example.confirmed_by_others")
LONGEST_EXAMPLE = 1_200  # characters of question, understanding and answer; half an answer would teach to give one
_SIMILARITIES = ("meaning", "letters", "way")


@dataclass(frozen=True, slots=True)
class NearestExamples:
    """Selects examples."""

    most: int = 4  # so many at most; the prompt has at least as many that are fixed
    least: float = 0.5  # similarity from which one is near enough

    def __call__(self, candidates: Sequence[Candidate], question: Question, scope: Scope) -> list[Decision]:
        """Return the examples, the nearest last. The person's own come before shared ones."""
        usable = [candidate for candidate in candidates if self._is_usable(candidate, question.left_out, scope)]
        usable.sort(key=lambda candidate: (candidate.entry.owner != scope.person, *_order(candidate)))
        return [_shown(candidate, scope) for candidate in sorted(usable[: self.most], key=_order, reverse=True)]

    def _is_usable(self, candidate: Candidate, left_out: Collection[str], scope: Scope) -> bool:
        entry = candidate.entry
        if entry.kind.is_note or entry.id in left_out or not scope.may_read(entry) or out_of_bounds(candidate):
            return False
        length = len(entry.question) + sum(map(len, entry.prompted.values()))
        return length <= LONGEST_EXAMPLE and similarity(candidate) >= self.least


def similarity(candidate: Candidate) -> float:
    """Return how near an example is to the question, 0 to 1: its way of asking ("what is akin to …"), or the mean."""
    scores = candidate.scores
    present = [scores[name] for name in _SIMILARITIES if name in scores]
    mean = sum(present) / len(present) if present else 0.0
    return max(mean, scores.get("way", 0.0))


def _order(candidate: Candidate) -> tuple[float, int, str]:
    """Sort the nearest first, then the newest."""
    return -similarity(candidate), -candidate.entry.sequence, candidate.entry.id


def _shown(candidate: Candidate, scope: Scope) -> Decision:
    own = candidate.entry.owner == scope.person
    return Decision(candidate, Action.SHOW, min(1.0, similarity(candidate)), CONFIRMED if own else CONFIRMED_BY_OTHERS)
