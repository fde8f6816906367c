"""Tells of which label a text is, by how alike it is to each of many known texts: kernel ridge regression.

Saunders, Gammerman and Vovk (1998), with radial basis functions; the aim is 1 for a text's own label and 0 for each
other. What was found for the texts that come with Noted, for its embedder and for none, is kept in a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FILE = Path(__file__).parent / "data" / "said_slopes.npz"
_RIDGE = 0.3  # how much a single text is distrusted


class Comparison(Protocol):
    """How alike texts are to n known ones, in (0, 1], as arrays; 1 of a text and itself."""

    labels: Sequence[str]  # of the known texts
    digest: str  # tells them, and what compares them, from all others
    balance: float  # how much less a text of a label that has many counts: 0 as much, 1 so that all labels count alike

    def to_each(self, text: str, vector: Any) -> Any:
        """A text, with the vector of its meaning, to each of them, shape (n,)."""

    def among_each_other(self) -> Any:
        """Each of them to each, shape (n, n)."""


class Classifier:
    """See the module. Raises OSError where the file cannot be read."""

    def __init__(self, comparison: Comparison, file: Path = FILE) -> None:
        import numpy as np

        self._comparison = comparison
        self._labels = sorted(set(comparison.labels))
        with np.load(file) as kept:
            is_kept = comparison.digest in kept.files
            self._slopes = kept[comparison.digest].astype(np.float32) if is_kept else _slopes(comparison)

    def __call__(self, text: str, vector: Any) -> dict[str, float]:
        """How much a text is of each label; `vector` is of its meaning, as `Comparison.to_each` needs it."""
        return dict(zip(self._labels, (self._comparison.to_each(text, vector) @ self._slopes).tolist(), strict=True))


def save(comparisons: Iterable[Comparison], file: Path = FILE) -> None:
    """Keep what was found, in half precision."""
    import numpy as np

    found = {comparison.digest: _slopes(comparison).astype(np.float16) for comparison in comparisons}
    np.savez_compressed(file, allow_pickle=False, **found)


def _slopes(comparison: Comparison) -> Any:
    """How much each known text speaks for each label, shape (n, number of labels), these in alphabetical order."""
    import numpy as np

    _, which, count = np.unique(comparison.labels, return_inverse=True, return_counts=True)
    ridge = count[which] ** comparison.balance
    ridge *= _RIDGE * np.mean(1 / ridge)
    aims = np.eye(len(count), dtype=np.float32)[which]
    return np.linalg.solve(comparison.among_each_other() + np.diag(ridge).astype(np.float32), aims)
