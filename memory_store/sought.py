"""What a person searches for: found in a text as it is written, or in any script."""

from __future__ import annotations

from collections.abc import Callable

_SHORTEST_FOLDED = 3  # folding shortens ("zzzz" to one letter), and one or two letters are in everything


class Sought:
    """A text that is searched for.

    Args:
        search: as the person typed it.
        fold: makes texts comparable across scripts.
    """

    def __init__(self, search: str, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._written = search.casefold()
        folded = fold(search)
        self._folded = folded if len(folded) >= _SHORTEST_FOLDED or not search.isascii() else ""

    def is_in(self, *texts: str) -> bool:
        """Whether one of the texts contains it."""
        return any(self._written in text.casefold() or self._is_folded_in(text) for text in texts)

    def _is_folded_in(self, text: str) -> bool:
        return self._folded != "" and self._folded in self._fold(text)
