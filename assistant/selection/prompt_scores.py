"""Samples by what a model itself says of them, in two steps (Yuan et al., 2023, section 3 and figure 1).

First it answers a question about a sample openly, and says why; then, with that before it, it chooses among three
options. Without the first step it tends to choose the same for every sample. The mean over seven dimensions is the
paper's APS; the one dimension `overall` alone is its OPS.

The paper does not say what becomes of a reply that is no choice. Here a dimension of which any sample has no choice
counts for none of them, so that all are compared by the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

from assistant.errors import BadReply, ContentRefused, EmptyReply, PromptError, StreamCut
from assistant.papers.calls import Calls
from assistant.prompt.envelope import Row
from assistant.prompt.prompt import Prompting
from assistant.selection.round_trip import Allow
from assistant.selection.scorer import Sample, Scorer
from assistant.text.cleaning import for_prompt
from assistant.types import Message, Role

APS, OPS = "aps", "ops"
"""Names of the two scores of the paper: of seven dimensions, and overall."""
OVERALL = "overall"
"""Name of the dimension of OPS; the others are those of APS."""

_JOB = "selection/score"
_OPTIONS = 3
_LONGEST_TEXT = 8_000  # characters
# The number of an option, at the beginning of a reply; a longer number, or a second one, is no choice.
_CHOICE = re.compile(r"\W*(?:option\s*)?([1-9])(?!\d)(?![^\d\n]{0,4}\d)", re.IGNORECASE)
OF_ONE_CALL = (BadReply, ContentRefused, EmptyReply, StreamCut)
"""What is wrong with one reply only, and leaves the others."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is asked about each sample."""

    name: str
    asked: str  # openly, in the first step
    options: Sequence[str]  # three, the worst first


def read_dimensions(path: Path) -> Sequence[Dimension]:
    """The dimensions of a file: on each line a JSON object with `name`, `asked` and `options`. Raises PromptError."""
    try:
        found = [Dimension(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError, TypeError) as error:
        raise PromptError(f"The file {path.name} holds no dimensions: {error}") from error
    if any(len(each.options) != _OPTIONS for each in found):
        raise PromptError(f"A dimension of {path.name} has not {_OPTIONS} options.")
    return found


@dataclass(frozen=True, slots=True)
class PromptScores:
    """Scores a sample by the mean of the options that a model chooses for it: 0 the worst, 1 the best.

    It takes two calls for each dimension and sample. What ends one of them in vain (ModelError) ends all, but for a
    reply that cannot be used, which is no choice.
    """

    dimensions: Sequence[Dimension]
    prompting: Prompting
    calls: Calls
    allow: Allow = lambda _: None

    def __call__(self, samples: Sequence[Sample]) -> Sequence[float]:
        """The means, each in [0, 1]; all 0 where no dimension has a choice for every sample.

        Raises ModelError, and what `allow` does.
        """
        jobs = [partial(self._chosen, each, sample) for each in self.dimensions for sample in samples]
        self.allow(len(jobs))
        choices = self.calls.all_of(jobs)
        by_dimension = [choices[at : at + len(samples)] for at in range(0, len(choices), len(samples))]
        read = [[one for one in some if one is not None] for some in by_dimension]
        whole = [some for some in read if len(some) == len(samples)]
        return [fmean(scores) for scores in zip(*whole, strict=True)] or [0.0] * len(samples)

    def _chosen(self, dimension: Dimension, sample: Sample) -> float | None:
        """The score of the chosen option; None where the reply is no choice."""
        asked = self.prompting.call(
            _JOB,
            context=[{"context": _cut(sample.context)}],
            sample=[{"sample": _cut(sample.text), **({"answer": _cut(sample.answer)} if sample.answer else {})}],
            asked=[{"asked": dimension.asked}],
        )
        rows: list[Row] = [{"option": number, "says": says} for number, says in enumerate(dimension.options, 1)]
        try:
            opinion = Message(Role.ASSISTANT, _cut(self.calls.hear(asked)))
            choose = Message(Role.USER, self.prompting.data({"options": rows}).rstrip("\n"))
            return choice(self.calls.hear((*asked, opinion, choose)))
        except OF_ONE_CALL:
            return None


def by_prompts(
    dimensions: Sequence[Dimension], prompting: Prompting, calls: Calls, allow: Allow
) -> Mapping[str, Scorer]:
    """APS and OPS of the paper, of these dimensions, if any. Two calls for each of them and each sample."""
    parts = [each for each in dimensions if each.name != OVERALL]
    whole = [each for each in dimensions if each.name == OVERALL]
    named = {APS: parts, OPS: whole} if dimensions else {}
    return {name: PromptScores(some, prompting, calls, allow) for name, some in named.items()}


def choice(reply: str) -> float | None:
    """What the option that a reply names is worth: 0, 1/2 or 1; None where it names none, or more than one."""
    found = _CHOICE.match(reply.strip())
    number = int(found[1]) if found else 0
    return (number - 1) / (_OPTIONS - 1) if 1 <= number <= _OPTIONS else None


def _cut(text: str) -> str:
    return for_prompt(text)[:_LONGEST_TEXT]
