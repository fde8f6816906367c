"""Sampled questions by their round trip: each is answered, and its answer compared with the one that it is to have.

After Yuan et al., 2023, section 3, equation 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.selection.scorer import Against


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Scores a question by how alike its answer and the wanted answer are.

    `answer` gets the question and the context; `alike` gets the answer that it gave and the wanted one. Both may call
    a model; what they raise comes through.
    """

    answer: Callable[[str, str], str]
    alike: Callable[[str, str], float]

    def __call__(self, samples: Sequence[str], against: Against) -> Sequence[float]:
        """The likenesses, as `alike` measures them."""
        return [self.alike(self.answer(sample, against.context), against.answer) for sample in samples]
