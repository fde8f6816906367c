"""Tells of which label a text is, by how alike it is to each of many known texts: kernel ridge regression.

Saunders, Gammerman and Vovk (1998), with radial basis functions; the aim is 1 for a text's own label and 0 for each
other. What was found for the texts and the embedder that come with Noted is kept in a file, since it takes seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = Path(__file__).parent / "data" / "said_slopes.npz"
_RIDGE = 0.3  # how much a single text is distrusted


class Comparison(Protocol):
    """How alike texts are to n known ones, in (0, 1], as arrays; 1 of a text and itself."""

    labels: Sequence[str]  # of the known texts
    digest: str  # tells them, and what compares them, from all others

    def to_each(self, text: str) -> Any:
        """A text to each of them, shape (n,)."""

    def among_each_other(self) -> Any:
        """Each of them to each, shape (n, n)."""


class Classifier:
    """See the module. Raises OSError where the file cannot be read."""

    def __init__(self, comparison: Comparison, file: Path = FILE) -> None:
        import numpy as np

        self._comparison = comparison
        self._labels = sorted(set(comparison.labels))
        with np.load(file) as kept:
            is_known = str(kept["digest"]) == comparison.digest
            self._slopes = kept["slopes"].astype(np.float32) if is_known else _slopes(comparison)

    def __call__(self, text: str) -> dict[str, float]:
        """How much a text is of each label."""
        return dict(zip(self._labels, (self._comparison.to_each(text) @ self._slopes).tolist(), strict=True))


def save(comparison: Comparison, file: Path = FILE) -> None:
    """Keep what was found, in half precision."""
    import numpy as np

    np.savez_compressed(file, digest=comparison.digest, slopes=_slopes(comparison).astype(np.float16))


def _slopes(comparison: Comparison) -> Any:
    """How much each known text speaks for each label, shape (n, number of labels), these in alphabetical order."""
    import numpy as np

    _, which, count = np.unique(comparison.labels, return_inverse=True, return_counts=True)
    ridge = np.sqrt(count[which])  # a text of a label that has many counts less
    ridge *= _RIDGE * np.mean(1 / ridge)
    aims = np.eye(len(count), dtype=np.float32)[which]
    return np.linalg.solve(comparison.among_each_other() + np.diag(ridge).astype(np.float32), aims)
