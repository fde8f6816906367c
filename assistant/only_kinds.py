"""A `Recall` that finds some kinds of entries only, so that what each kind is worth can be measured by itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.ports import Recall
    from assistant.types import Candidate, Kind, Scope


@dataclass(frozen=True, slots=True)
class OnlyKinds:
    """Implements the port `Recall`.

    Args:
        recall: finds candidates of any kind.
        kinds: those that are let through; none for a memory that is not used at all.
    """

    recall: Recall
    kinds: Collection[Kind]

    def __call__(self, question: str, scope: Scope) -> Sequence[Candidate]:
        """The candidates of these kinds. Without any, nothing is searched."""
        found = self.recall(question, scope) if self.kinds else ()
        return [candidate for candidate in found if candidate.entry.kind in self.kinds]
