"""Whether the scorers of samples would choose better than nearness what is shown to a model: examples.

A question is the context; what may be shown are the samples. The example that is right is the one whose note the
question needs, so that both are of one kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from assistant.papers.selection.scores import Sample, best, combined, ngram_similarity, word_f1
from assistant.ports import Embedder
from evaluation.reading import decision_set
from evaluation.selection.texts import Vectors
from memory_store.language.normalize import fold

_SETS = ("second", "third")


Shown = tuple[str, Sequence[str], int]
"""A question, what may be shown with it, and the place of what is right."""


def measured(embedder: Embedder) -> dict[str, dict[str, float]]:
    """Of the questions the share for which the right one comes first, by where they are from and what chooses."""
    kinds = {f"examples, {name} set": _examples(name) for name in _SETS}
    return {name: first_shares(shown, embedder) for name, shown in kinds.items()}


def _examples(name: str) -> list[Shown]:
    benchmark = decision_set(name)
    texts = [entry.questions[0] for entry in benchmark.entries]
    place = {entry.id: at for at, entry in enumerate(benchmark.entries)}
    return [(case.question, texts, place[case.applies]) for case in benchmark.questions if case.applies in place]


def first_shares(shown: Sequence[Shown], embedder: Embedder) -> dict[str, float]:
    """Of so many questions, by what chooses."""
    texts = (text for question, some, _ in shown for text in (question, *some))
    vectors, folded = Vectors(embedder, texts), cache(fold)
    right: dict[str, int] = {}
    for question, some, place in shown:
        samples = [Sample(text, question, question) for text in some]
        nearness = (vectors(some) @ vectors([question])[0]).tolist()
        back = [word_f1(text, question, folded) for text in some]  # it leads back to what it says itself
        scores = {"nearness": nearness, "n-grams (2)": ngram_similarity(samples, 2, folded), "round trip (F1)": back}
        ensembles = {
            "n-grams + round trip": combined([scores["n-grams (2)"], scores["round trip (F1)"]]),
            "nearness + round trip": combined([nearness, scores["round trip (F1)"]]),
            "all three": combined([*scores.values()]),
        }
        for name, of in {**scores, **ensembles}.items():
            right[name] = right.get(name, 0) + (best(of) == place)
    return {name: count / len(shown) for name, count in right.items()} | {"questions": len(shown)}
