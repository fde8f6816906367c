"""What drafts of an answer are scored by: their notes, the way back to the question, and what a model says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from assistant.papers.calls import Calls
from assistant.ports import Allowance, OwnEntries, Request, Respond
from assistant.prompt.prompt import Prompting
from assistant.selection.drafts import Drafts, DraftScorers, Weights
from assistant.selection.ngram import Fold, NGrams, likeness
from assistant.selection.preferences import Preferences
from assistant.selection.prompt_scores import APS, OPS, Dimension, by_prompts, read_dimensions
from assistant.selection.round_trip import Allow, RoundTrip, heard
from assistant.selection.scorer import Sample, Scorer
from assistant.text.cleaning import for_prompt
from assistant.types import Action, Message

NOTES, ROUND_TRIP, SURE = "notes", "round_trip", "sure"
SCORERS = (NOTES, SURE, ROUND_TRIP, APS, OPS)
"""Names of the scorers, in the order in which they are shown."""

_LONGEST_ANSWER = 8_000  # characters
SIZE = 2
"""Words of the n-grams: of those of the paper the ones that do best beside a round trip."""


def _by_notes(request: Request, fold: Fold) -> dict[str, Scorer]:
    """By the share of an answer's n-grams that question and notes have, if there are notes."""
    in_prompt = {Action.USE, Action.OFFER}
    notes = [one.entry.shown for one in request.turn.decisions if one.action in in_prompt]
    known, share = "\n".join([request.turn.question, *notes]), NGrams(SIZE, fold)
    return {NOTES: lambda samples: share([replace(one, context=known) for one in samples])} if notes else {}


@dataclass(frozen=True, slots=True)
class ScoredByModel:
    """Implements `DraftScorers` for a language model, which is asked back: one call for each draft.

    From the answer alone it says what was asked; how like the understanding that is, is F1 of the words, as in the
    paper. Where there are dimensions, there are their prompt scores too.
    """

    fold: Fold
    prompting: Prompting
    dimensions: Sequence[Dimension] = ()

    @property
    def calls(self) -> int:
        return 1 + 2 * len(self.dimensions)

    def __call__(self, request: Request, calls: Calls, allow: Allow) -> Mapping[str, Scorer]:
        back = RoundTrip(lambda samples: heard(self._prompt, samples, calls, allow), self._alike)
        judged = by_prompts(self.dimensions, self.prompting, calls, allow)
        of_answers = {name: partial(_by_text, score) for name, score in judged.items()}
        return {**_by_notes(request, self.fold), ROUND_TRIP: back, **of_answers}

    def _alike(self, back: str, wanted: str) -> float:
        return likeness(self.fold(back), self.fold(wanted))

    def _prompt(self, sample: Sample) -> Sequence[Message]:
        answer = for_prompt(sample.text)[:_LONGEST_ANSWER]
        return self.prompting.call("selection/round_trip", answer=[{"answer": answer}])


def _by_text(score: Scorer, samples: Sequence[Sample]) -> Sequence[float]:
    return score([replace(one, answer="") for one in samples])


@dataclass(frozen=True, slots=True)
class ScoredByRule:
    """Implements `DraftScorers` for a model that drafts its likeliest answer first. It takes no call."""

    fold: Fold
    calls = 0

    def __call__(self, request: Request, calls: Calls, allow: Allow) -> Mapping[str, Scorer]:  # noqa: ARG002
        return {**_by_notes(request, self.fold), SURE: lambda samples: [1 / (1 + at) for at in range(len(samples))]}


@dataclass(frozen=True, slots=True)
class Choosing:
    """How drafts are drawn and chosen, for every model alike."""

    fold: Fold
    memory: OwnEntries  # where preferences are kept
    allowance: Allowance
    count: int  # of the drafts of every question

    @property
    def weights(self) -> Weights:
        """What the scorers weigh for a person."""
        return Preferences(self.memory).weights

    def by_model(self, respond: Respond, prompting: Prompting, judging: Path | None = None) -> Drafts:
        """For a language model, which is asked back; and by the dimensions of a folder too, if any."""
        dimensions = read_dimensions(judging / "answers.jsonl") if judging else ()
        return self._drafts(respond, ScoredByModel(self.fold, prompting, dimensions))

    def by_rule(self, respond: Respond) -> Drafts:
        """For a model that can tell by itself what an answer leads back to."""
        return self._drafts(respond, ScoredByRule(self.fold))

    def _drafts(self, respond: Respond, scorers: DraftScorers) -> Drafts:
        return Drafts(respond, scorers, self.count, self.weights, self.allowance)
