"""What drafts of an answer are scored by: their notes, the way back to the question, and what a model says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

from assistant.ports import Allowance, OwnEntries, Request, Respond
from assistant.prompt.prompt import Prompting
from assistant.selection.drafts import Allow, Drafts, ScoreDrafts, Weights
from assistant.selection.ngram import Fold, NGrams, likeness
from assistant.selection.preferences import Preferences
from assistant.selection.prompt_scores import OVERALL, Dimension, PromptScores
from assistant.selection.round_trip import RoundTrip
from assistant.selection.scorer import Against
from assistant.teachme.calls import Calls
from assistant.text.cleaning import for_prompt
from assistant.types import Action, Message, Reply

NOTES, ROUND_TRIP, APS, OPS = SCORERS = ("notes", "round_trip", "aps", "ops")
"""Names of the scorers, in the order in which they are shown."""

_LONGEST_ANSWER = 8_000  # characters
_SIZE = 2  # words; of the n-grams of the paper those that do best beside a round trip


@dataclass(frozen=True, slots=True)
class ByNotes:
    """Implements `ScoreDrafts`: the share of an answer's n-grams that question and notes have, if any."""

    fold: Fold
    calls = 0

    def __call__(self, request: Request, drafts: Sequence[Reply], calls: Calls, allow: Allow) -> Sequence[float]:  # noqa: ARG002
        in_prompt = {Action.USE, Action.OFFER}
        notes = [one.entry.shown for one in request.turn.decisions if one.action in in_prompt]
        if not notes:
            return []
        score = NGrams(_SIZE, self.fold, lambda against: against.context)
        return score([draft.answer for draft in drafts], Against("\n".join([request.turn.question, *notes])))


@dataclass(frozen=True, slots=True)
class ByAskingBack:
    """Implements `ScoreDrafts`: from an answer alone, a model says what was asked; how like the understanding that is.

    One call for each draft. The likeness is the paper's: F1 of the words.
    """

    prompting: Prompting
    fold: Fold
    calls = 1

    def __call__(self, request: Request, drafts: Sequence[Reply], calls: Calls, allow: Allow) -> Sequence[float]:
        def back(answer: str, _context: str) -> str:
            return calls.hear(self._prompt(answer))

        round_trip = RoundTrip(back, lambda back, wanted: likeness(self.fold(back), self.fold(wanted)))
        wanted = [draft.understanding or request.turn.question for draft in drafts]
        allow(len(drafts))
        pairs = zip(drafts, wanted, strict=True)
        jobs = [partial(round_trip, [draft.answer], Against("", understood)) for draft, understood in pairs]
        return [score for (score,) in calls.all_of(jobs)]

    def _prompt(self, answer: str) -> Sequence[Message]:
        return self.prompting.call("selection/round_trip", answer=[{"answer": for_prompt(answer)[:_LONGEST_ANSWER]}])


@runtime_checkable
class ComesBack(Protocol):
    """A model that can tell without a call whether an answer leads back to its understanding."""

    def comes_back(self, messages: Sequence[Message], reply: Reply) -> float:
        """1 where it does, 0 where it does not, or anything between; `messages` are those that it replies to."""


@dataclass(frozen=True, slots=True)
class ByRule:
    """Implements `ScoreDrafts`: whether an answer leads back, by the model that wrote it, where that can tell."""

    calls = 0

    def __call__(self, request: Request, drafts: Sequence[Reply], calls: Calls, allow: Allow) -> Sequence[float]:  # noqa: ARG002
        model = request.model
        return (
            [model.comes_back(request.prompt.messages, one) for one in drafts] if isinstance(model, ComesBack) else []
        )


@dataclass(frozen=True, slots=True)
class ByPrompt:
    """Implements `ScoreDrafts`: prompt scores of these dimensions. Two calls for each of them and each draft."""

    prompting: Prompting
    dimensions: Sequence[Dimension]

    @property
    def calls(self) -> int:
        return 2 * len(self.dimensions)

    def __call__(self, request: Request, drafts: Sequence[Reply], calls: Calls, allow: Allow) -> Sequence[float]:
        score = PromptScores(self.dimensions, self.prompting, calls, allow)
        return score([draft.answer for draft in drafts], Against(request.turn.question))


def by_prompts(prompting: Prompting, dimensions: Sequence[Dimension]) -> Mapping[str, ScoreDrafts]:
    """APS and OPS of the paper, of these dimensions."""

    def of(is_wanted: Callable[[str], bool]) -> ByPrompt:
        return ByPrompt(prompting, [each for each in dimensions if is_wanted(each.name)])

    return {APS: of(lambda name: name != OVERALL), OPS: of(lambda name: name == OVERALL)}


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

    def by_model(self, respond: Respond, prompting: Prompting, dimensions: Sequence[Dimension] = ()) -> Drafts:
        """For a language model, which is asked back; and of these dimensions too, if any."""
        scorers: dict[str, ScoreDrafts] = {NOTES: ByNotes(self.fold), ROUND_TRIP: ByAskingBack(prompting, self.fold)}
        further = by_prompts(prompting, dimensions) if dimensions else {}
        return Drafts(respond, {**scorers, **further}, self.count, self.weights, self.allowance)

    def by_rule(self, respond: Respond) -> Drafts:
        """For a model that can tell by itself what an answer leads back to."""
        scorers: dict[str, ScoreDrafts] = {NOTES: ByNotes(self.fold), ROUND_TRIP: ByRule()}
        return Drafts(respond, scorers, self.count, self.weights, self.allowance)
