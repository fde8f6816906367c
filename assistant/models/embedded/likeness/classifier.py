"""Tells of which label a text is, by how alike it is to each of many known texts: kernel ridge regression.

Saunders, Gammerman and Vovk (1998), with radial basis functions of wording and meaning together; the aim is 1 for a
text's own label and 0 for each other. What was found for the texts that come with Noted, for its embedder and for
none, is kept in a file, with all that is needed of the texts, so that none of them has to be read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.models.embedded.likeness.wording import Known, WordingIndex, tokens_of

if TYPE_CHECKING:
    from assistant.language.languages import Languages
    from assistant.models.embedded.likeness.wording import Tokens

FILE = Path(__file__).parents[1] / "data" / "said.npz"
_INDEX = ("tokens", "rarity", "ends", "places", "shares")  # what is kept of the wording of texts
WORDING = 0.4  # weight of wording beside meaning
_RIDGE = 0.3  # how much a single text is distrusted
# How much less a text of a label that has many counts: 0 as much, 1 so that all labels count alike. By a single word,
# what it says most often is meant: "ulta".
_BALANCE, _BALANCE_BY_WORDING = 0.5, 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """See the module."""

    labels: Sequence[str]  # in alphabetical order
    index: WordingIndex  # of the n known texts
    vectors: Any  # of their meaning, shape (n, dimension); no columns where wording alone counts
    slopes: Any  # how much each known text speaks for each label, shape (n, number of labels)

    @classmethod
    def fitted(cls, languages: Languages, known: Sequence[Known], vectors: Any) -> Classifier:
        """By these texts and the vectors of their meaning, as `Classifier.vectors`; seconds for thousands of them."""
        tokens = [tokens_of(languages, each.text) for each in known]
        index = WordingIndex.of(tokens, (each.label for each in known))
        alike = _kernel(index.among_each_other(tokens), vectors @ vectors.T, vectors)
        return cls(_labels(known), index, vectors, _slopes(alike, known, has_meaning=vectors.shape[1] > 0))

    def __call__(self, told: Tokens, vector: Any) -> dict[str, float]:
        """How much a text is of each label, by its tokens and the vector of its meaning, shape (dimension,)."""
        alike = _kernel(self.index.near(told), self.vectors @ vector, self.vectors)
        return dict(zip(self.labels, (alike @ self.slopes).tolist(), strict=True))


def digest_of(known: Iterable[Known], fingerprint: str) -> str:
    """What tells these texts, and the embedder that compares them, from all others; "" for none."""
    told = "\0".join([fingerprint, *(part for each in known for part in (each.label, each.text, str(each.trust)))])
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=8)
def kept(known: Sequence[Known], fingerprint: str, file: Path = FILE) -> Classifier | None:
    """What was found for these texts before, if it is kept. Raises OSError where the file cannot be read."""
    import numpy as np

    digest, texts = digest_of(known, fingerprint), digest_of(known, "texts")
    with np.load(file) as arrays:
        if f"{digest}.slopes" not in arrays.files:
            return None
        vectors, slopes = (arrays[f"{digest}.{name}"].astype(np.float32) for name in ("vectors", "slopes"))
        tokens, rarity, ends, places, shares = (arrays[f"{texts}.{name}"] for name in _INDEX)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) if vectors.size else 1
    names, at = tokens.tolist(), ends.tolist()
    rows = dict(zip(names, map(slice, at, at[1:]), strict=True))
    index = WordingIndex(len(known), dict(zip(names, rarity.tolist(), strict=True)), rows, places, shares)
    return Classifier(_labels(known), index, vectors, slopes)


def save(known: Sequence[Known], by_fingerprint: Mapping[str, Classifier], file: Path = FILE) -> None:
    """Keep what was found for these texts with each embedder, vectors and slopes in half precision."""
    import numpy as np

    arrays: dict[str, Any] = {}
    for fingerprint, classifier in by_fingerprint.items():
        digest, index = digest_of(known, fingerprint), classifier.index
        arrays |= {f"{digest}.{name}": getattr(classifier, name).astype(np.float16) for name in ("vectors", "slopes")}
    ends = [0, *(row.stop for row in index.rows.values())]
    rarity = [index.rarity[token] for token in index.rows]
    found = list(index.rows), rarity, np.array(ends, np.int32), index.places, index.shares.astype(np.float32)
    texts = digest_of(known, "texts")
    arrays |= {f"{texts}.{name}": np.array(values) for name, values in zip(_INDEX, found, strict=True)}
    np.savez_compressed(file, allow_pickle=False, **arrays)


def _labels(known: Iterable[Known]) -> list[str]:
    return sorted({each.label for each in known})


def _kernel(worded: Any, meant: Any, vectors: Any) -> Any:
    """How alike texts are, in (0, 1], by the likeness of wording and the cosine of meaning; 1 of a text and itself."""
    import numpy as np

    if not vectors.shape[1]:
        return np.exp((worded - 1).astype(np.float32))
    return np.exp((WORDING * worded + meant - 1 - WORDING).astype(np.float32))


def _slopes(alike: Any, known: Sequence[Known], *, has_meaning: bool) -> Any:
    import numpy as np

    balance = _BALANCE if has_meaning else _BALANCE_BY_WORDING
    _, which, count = np.unique([each.label for each in known], return_inverse=True, return_counts=True)
    ridge = count[which] ** balance
    ridge *= _RIDGE * np.mean(1 / ridge) / np.array([each.trust for each in known])
    alike[np.diag_indices_from(alike)] += ridge
    return np.linalg.solve(alike, np.eye(len(count), dtype=np.float32)[which])
