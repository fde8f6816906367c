"""Fits the probes of the embedded model: `python -m tools.lists.fit_tasks` writes `tasks.npz`.

They learn from wordings that people wrote who had seen neither the model nor its lists, in `tools/data/tasks`:
`questions.tsv` (task, language, word, question) and `corrections.tsv` (task or kind, correction), and from the
definitions of the tasks. How good they are on others, says `python -m evaluation described`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from assistant.models.embedded.demonstrations import masked
from assistant.models.embedded.operations import definitions
from assistant.models.embedded.tasks import FILE, plain_english
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.language.languages import LANGUAGES

DATA = Path(__file__).parents[1] / "data" / "tasks"
PENALTY = 0.15  # of the squares of the weights
AT_ONCE = 64  # texts that are embedded

Labelled = tuple[str, str]
"""A label, and a text of it."""


def lines(name: str) -> list[list[str]]:
    """Return the columns of each line of a file."""
    return [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def defined() -> Iterator[Labelled]:
    """Yield the definitions of the tasks."""
    for each in definitions().values():
        yield from ((each.name, text) for text in (*each.english, *each.others))


def questions() -> list[Labelled]:
    """Return questions, the word that each asks about left out."""
    return [(label, masked(text, word)) for label, _language, word, text in lines("questions.tsv")]


def fitted(labelled: Sequence[Labelled], vectors: Any) -> tuple[list[str], Any]:
    """Return the labels in order, and the weights of a multinomial logistic regression, the bias in the last row."""
    labels, which = np.unique([label for label, _ in labelled], return_inverse=True)
    inputs = np.hstack([vectors, np.ones((len(vectors), 1))])
    shape = inputs.shape[1], len(labels)
    is_right = np.eye(len(labels))[which]

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(shape)
        scores = inputs @ weights
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        slopes = inputs.T @ (likely - is_right)
        slopes[:-1] += PENALTY * weights[:-1]
        value = -np.log(likely[is_right > 0] + 1e-12).sum() + PENALTY * (weights[:-1] ** 2).sum() / 2
        return float(value), slopes.ravel()

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return labels.tolist(), found.x.reshape(shape)


def main() -> None:
    """Fit both probes and keep them."""
    embedder = SentenceEmbedder(choose_embedder(BUNDLED))

    def embedded(labelled: Sequence[Labelled]) -> Any:
        texts = [plain_english(LANGUAGES, text) for _, text in labelled]
        return np.concatenate([embedder.encode(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)])

    corrections = [(label, text) for label, text in lines("corrections.tsv")]
    arrays: dict[str, Any] = {"fingerprint": embedder.fingerprint}
    for name, labelled in (("asked", [*questions(), *defined()]), ("said", [*corrections, *defined()])):
        labels, weights = fitted(labelled, embedded(labelled))
        arrays |= {f"{name}.labels": np.array(labels), f"{name}.weights": weights.astype(np.float16)}
    np.savez_compressed(FILE, **arrays)
    print(f"{FILE.name}: {FILE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
