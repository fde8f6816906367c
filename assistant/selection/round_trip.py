"""Sampled questions by their round trip: each is answered, and its answer compared with the one that it is to have.

After Yuan et al., 2023, section 3, equation 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from assistant.papers.calls import Calls
from assistant.selection.scorer import Sample
from assistant.types import Message

Allow = Callable[[int], None]
"""Counts so many more calls of a model, or none of them. Raises TooOften."""


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Scores a question by how alike its answer and the wanted answer are.

    `answers` gives the answer to each; `alike` gets the answer that was given and the wanted one. Both may call a
    model; what they raise comes through.
    """

    answers: Callable[[Sequence[Sample]], Sequence[str]]
    alike: Callable[[str, str], float]

    def __call__(self, samples: Sequence[Sample]) -> Sequence[float]:
        """The likenesses, as `alike` measures them."""
        answered = zip(self.answers(samples), samples, strict=True)
        return [self.alike(answer, sample.answer) for answer, sample in answered]


def heard(
    prompt: Callable[[Sample], Sequence[Message]], samples: Sequence[Sample], calls: Calls, allow: Allow
) -> Sequence[str]:
    """What a model replies about each sample, one call each, side by side. Raises ModelError, and what `allow` does."""
    allow(len(samples))
    return calls.all_of([partial(calls.hear, prompt(sample)) for sample in samples])
