"""Select confirmed examples for a prompt: the nearest to the question.

As in MemPrompt, section 4.2, half of the few-shot examples are fixed, and the others may come from memory. Only
confirmed answers are stored as examples, so the model never sees its own wrong output again.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from assistant.sentences import Sentence
from assistant.sharing import find_exclusion
from assistant.types import Action, Candidate, Decision, Question, Scope

CONFIRMED = Sentence("example.confirmed")
CONFIRMED_BY_OTHERS = Sentence("example.confirmed_by_others")
LONGEST_EXAMPLE = 1_200  # characters of question, understanding and answer; longer ones are not cut but omitted
_SIMILARITIES = ("meaning", "letters", "way")


@dataclass(frozen=True, slots=True)
class NearestExamples:
    """Example selector by similarity."""

    most: int = 4  # maximum number; the prompt has at least as many fixed ones
    least: float = 0.5  # minimum similarity

    def __call__(self, candidates: Sequence[Candidate], question: Question, scope: Scope) -> list[Decision]:
        """Return the examples, the nearest last. The user's own are preferred to shared ones."""
        usable = [candidate for candidate in candidates if self._is_usable(candidate, question.left_out, scope)]
        usable.sort(key=lambda candidate: (candidate.entry.owner != scope.person, *_order(candidate)))
        return [_shown(candidate, scope) for candidate in sorted(usable[: self.most], key=_order, reverse=True)]

    def _is_usable(self, candidate: Candidate, left_out: Collection[str], scope: Scope) -> bool:
        entry = candidate.entry
        if entry.kind.is_note or entry.id in left_out or not scope.may_read(entry) or find_exclusion(candidate):
            return False
        length = len(entry.question) + sum(map(len, entry.prompted.values()))
        return length <= LONGEST_EXAMPLE and similarity(candidate) >= self.least


def similarity(candidate: Candidate) -> float:
    """Return the similarity to the question, 0 to 1: of the wording ("what is akin to …"), or the mean, if higher."""
    scores = candidate.scores
    present = [scores[name] for name in _SIMILARITIES if name in scores]
    mean = sum(present) / len(present) if present else 0.0
    return max(mean, scores.get("way", 0.0))


def _order(candidate: Candidate) -> tuple[float, int, str]:
    """Return the sort key: nearest first, then newest."""
    return -similarity(candidate), -candidate.entry.sequence, candidate.entry.id


def _shown(candidate: Candidate, scope: Scope) -> Decision:
    own = candidate.entry.owner == scope.person
    return Decision(candidate, Action.SHOW, min(1.0, similarity(candidate)), CONFIRMED if own else CONFIRMED_BY_OTHERS)
