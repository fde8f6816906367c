"""Where an entry does not count, however probable it is that it applies: bounds, and no features among others. Pure."""

from assistant.sentences import Sentence
from assistant.types import Candidate

OTHER_QUESTION = Sentence("left_out.other_question")
EXCEPTED = Sentence("left_out.excepted")
RESTS_SHARED = Sentence("left_out.rests_for_you")
RESTS = Sentence("left_out.rests")
RESTS_AS_IT_HURT = Sentence("left_out.rests_as_it_hurt")
KEPT_BACK = (EXCEPTED, RESTS_SHARED, RESTS, RESTS_AS_IT_HURT)
"""Why an entry is not used that the person can have used again."""


def out_of_bounds(candidate: Candidate) -> Sentence | None:
    """Why an entry does not count for a question; None where nothing keeps it from that."""
    entry, scores = candidate.entry, candidate.scores
    if scores.get("other_question"):
        return OTHER_QUESTION
    if entry.resting and entry.kind.keyed and entry.hurt > entry.helped:
        return RESTS_AS_IT_HURT  # by itself: a lesson is a model's
    if entry.resting:
        return RESTS_SHARED if entry.shared else RESTS
    return EXCEPTED if scores.get("excepted") else None
