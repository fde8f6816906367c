"""Fit the linear models of the embedded model: `python -m tools.lists.fit_tasks` writes `tasks.npz`.

They learn from the definitions of the tasks and from wordings in `tools/data/tasks`, nearly all by people who knew
neither the model nor its lists: `questions.tsv` (task, language, word, question) and `corrections.tsv` (task or kind,
correction). `python -m evaluation run labelled described` measures them on other wordings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from assistant.models.embedded.phrases import DEFINITIONS
from assistant.models.embedded.tasks import (
    BUCKETS,
    FILE,
    OUTSIDE,
    PRESENT,
    STEP,
    SubjectFinder,
    mask_word,
    parts_of,
    stems_of,
)
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.language.languages import LANGUAGES

DATA = Path(__file__).parents[1] / "data" / "tasks"
PENALTY = 0.3  # on squared weights of the task classifiers
WORD_PENALTY = 0.3  # on squared weights of the word ranking
AT_ONCE = 64  # texts per batch of the embedder
SEEN = 5  # least number of texts with a known stem

Labelled = tuple[str, str]
"""A label and a text."""


def read_lines(name: str) -> list[list[str]]:
    """Return the columns of each line of a file."""
    return [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def read_definitions() -> Iterator[Labelled]:
    """Yield the definitions of the tasks."""
    for name, each in DEFINITIONS.items():
        yield from ((name, text) for text in (*each["english"], *each["others"]))


def generate_named() -> Iterator[Labelled]:
    """Yield corrections that name a task by its definition: "I want the opposite of the word"."""
    for name, each in DEFINITIONS.items():
        texts = [text.removesuffix(" of the word").removesuffix(" of it") for text in each["english"]]
        yield from ((name, f"{wants} {text}") for text in texts for wants in ("I want", "I meant"))
        yield from ((name, f"{text} chahiye") for text in each["others"])


def fit_ranking() -> Any:
    """Return the weights for ranking the words of a question, of shape (buckets,): a softmax over its words."""
    finder, cases = SubjectFinder(LANGUAGES), []
    for _label, _language, word, text in read_lines("questions.tsv"):
        words = [part.lower() for part in parts_of(text)]
        if word and word.lower() in words:
            last = len(words) - 1 - words[::-1].index(word.lower())
            cases.append((finder.features(parts_of(text)), last))

    def loss(weights: Any) -> tuple[float, Any]:
        value, slopes = WORD_PENALTY * float(weights @ weights) / 2, WORD_PENALTY * weights
        for features, asked in cases:
            scores = np.array([weights[each].sum() for each in features])
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            value -= float(np.log(likely[asked] + 1e-12))
            for at, each in enumerate(features):
                np.add.at(slopes, each, likely[at] - (at == asked))
        return value, slopes

    start = np.zeros(BUCKETS)
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x


def read_questions(ranked: Any) -> list[Labelled]:
    """Return each question twice: unchanged, and with the word that it asks about masked.

    An out-of-scope question asks about no word; its most likely one is masked. `ranked` are the weights of the ranking.
    """
    found: list[Labelled] = []
    for label, _language, word, text in read_lines("questions.tsv"):
        words = parts_of(text)
        scores = [ranked[each].sum() for each in SubjectFinder(LANGUAGES).features(words)]
        likeliest = words[int(np.argmax(scores))] if words and label == OUTSIDE else ""
        found += [(label, each) for each in dict.fromkeys((text, mask_word(text, word or likeliest)))]
    return found


def fit_classifier(labelled: Sequence[Labelled], vectors: Any) -> tuple[list[str], Any]:
    """Return the sorted labels and the weights of a multinomial logistic regression; the last row is the bias."""
    labels, which = np.unique([label for label, _ in labelled], return_inverse=True)
    inputs = np.hstack([vectors, np.ones((len(vectors), 1))]).astype(np.float32)
    shape = inputs.shape[1], len(labels)
    is_right = np.eye(len(labels), dtype=np.float32)[which]

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(shape).astype(np.float32)
        scores = inputs @ weights
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        slopes = inputs.T @ (likely - is_right)
        slopes[:-1] += PENALTY * weights[:-1]
        value = -np.log(likely[is_right > 0] + 1e-12).sum() + PENALTY * (weights[:-1] ** 2).sum() / 2
        return float(value), slopes.ravel().astype(np.float64)

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 150})
    return labels.tolist(), found.x.reshape(shape)


def find_known_stems(texts: Sequence[str]) -> list[str]:
    """Return the sorted stems that occur in several texts."""
    counts = Counter(stem for text in texts for stem in stems_of(LANGUAGES, text))
    return sorted(stem for stem, count in counts.items() if count >= SEEN)


def encode_bags(texts: Sequence[str], known: Sequence[str]) -> Any:
    """Return which known stems each text has, as numbers of shape (texts, stems), like `tasks.bag`."""
    found = [stems_of(LANGUAGES, text) for text in texts]
    rows = [[stem in stems for stem in known] for stems in found]
    return PRESENT * np.array(rows, np.float32)


def main() -> None:
    """Fit all models and save them."""
    embedder = SentenceEmbedder(choose_embedder(BUNDLED))
    ranked = fit_ranking()
    corrections = [(label, text) for label, text in read_lines("corrections.tsv")]
    asked = read_questions(ranked)
    # Tasks without questions learn from their corrections.
    further = [one for one in corrections if one[0] in DEFINITIONS.keys() - {label for label, _ in asked}]
    sets = {
        "asked": [*asked, *further, *read_definitions()],
        "said": [*corrections, *generate_named(), *read_definitions()],
    }
    known = find_known_stems([text for labelled in sets.values() for _, text in labelled])
    arrays: dict[str, Any] = {"fingerprint": embedder.fingerprint, "stems": np.array(known), "word.weights": ranked}
    for name, labelled in sets.items():
        texts = [text for _, text in labelled]
        plain = [LANGUAGES.in_plain_english(text) for text in texts]
        vectors = [embedder.encode(plain[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)]
        found = np.hstack([np.concatenate(vectors), encode_bags(texts, known)])
        # Add each text without its vector, so that stems alone suffice while the embedder fails.
        unseen = np.where(np.arange(found.shape[1]) < embedder.dimension, 0.0, found)
        labels, arrays[f"{name}.weights"] = fit_classifier([*labelled, *labelled], np.vstack([found, unseen]))
        arrays[f"{name}.labels"] = np.array(labels)
    for name in [name for name in arrays if name.endswith(".weights")]:
        arrays[name] = np.round(np.clip(arrays[name] / STEP, -127, 127)).astype(np.int8)
    np.savez_compressed(FILE, **arrays)
    print(f"{FILE.name}: {FILE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
