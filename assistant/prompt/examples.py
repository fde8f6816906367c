"""Select confirmed examples for a prompt: the nearest to the question.

As in MemPrompt, section 4.2, half of the few-shot examples are fixed, and the others may come from memory. Only
confirmed answers are stored as examples, so the model never sees its own wrong output again.
"""

from collections.abc import Sequence
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
        """Return the examples, the nearest last. The user's own are preferred to shared ones, then newer ones."""
        usable: list[tuple[bool, float, int, str, Candidate]] = []
        for candidate in candidates:
            entry, near = candidate.entry, similarity(candidate)
            length = len(entry.question) + sum(map(len, entry.prompted.values()))
            is_left_out = entry.id in question.left_out or bool(find_exclusion(candidate))
            is_shown = near >= self.least and length <= LONGEST_EXAMPLE and scope.may_read(entry)
            if is_shown and not (entry.kind.is_note or is_left_out):
                usable.append((entry.owner != scope.person, -near, -entry.sequence, entry.id, candidate))
        chosen = sorted(sorted(usable)[: self.most], key=lambda one: one[1:4], reverse=True)
        return [
            Decision(candidate, Action.SHOW, min(1.0, -near), CONFIRMED_BY_OTHERS if is_shared else CONFIRMED)
            for is_shared, near, _, _, candidate in chosen
        ]


def similarity(candidate: Candidate) -> float:
    """Return the similarity to the question, 0 to 1: of the wording ("what is akin to …"), or the mean, if higher."""
    scores = candidate.scores
    present = [scores[name] for name in _SIMILARITIES if name in scores]
    mean = sum(present) / len(present) if present else 0.0
    return max(mean, scores.get("way", 0.0))
