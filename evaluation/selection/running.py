"""How often each scorer of the app, and their ensemble, finds the question that belongs to a text and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from assistant.papers.selection.scores import Sample, Scorer, best, combined, ngram_similarity, word_f1
from assistant.ports import Embedder
from assistant.text.sentences import sentences_of
from evaluation.gate.fitting import encoded
from evaluation.selection.questions import GROUPS, SIZES, Asked, Choice, choices
from memory_store.language.normalize import fold


def measured(asked: Sequence[Asked], embedder: Embedder, rounds: int, seed: int) -> dict[str, dict[str, float]]:
    """Return the shares that are right, by where the others come from and name of a scorer. Raises BadInput."""
    by_name = scorers(asked, embedder)
    return {name: _shares(asked, choices(asked, group, rounds, seed), by_name) for name, group in GROUPS.items()}


def scorers(asked: Sequence[Asked], embedder: Embedder) -> Mapping[str, Scorer]:
    """Return the scorers that need no model. For a round trip, the nearest sentence of the text is the answer."""
    folded, parts = cache(fold), cache(lambda text: sentences_of(" ".join(text.split())))
    each = list(dict.fromkeys(text for one in asked for text in (one.question, *one.answers, *parts(one.text))))
    row, encoded_texts = {text: at for at, text in enumerate(each)}, encoded(embedder, each)

    def vectors(some: Sequence[str]) -> NDArray[np.float32]:
        return encoded_texts[[row[text] for text in some]]

    @cache
    def nearest(sample: Sample) -> str:
        sentences = parts(sample.context)
        return sentences[int((vectors(sentences) @ vectors([sample.text])[0]).argmax())]

    def by_words(samples: Sequence[Sample]) -> list[float]:
        return [word_f1(nearest(sample), sample.answer, folded) for sample in samples]

    def by_meaning(samples: Sequence[Sample]) -> list[float]:
        pairs = [vectors([nearest(sample), sample.answer]) for sample in samples]
        return [float(answered @ wanted) for answered, wanted in pairs]

    ngrams = {f"{size}-grams": partial(ngram_similarity, size=size, fold=folded) for size in SIZES}
    return {**ngrams, "round trip, by words": by_words, "round trip, by meaning": by_meaning}


def _shares(asked: Sequence[Asked], made: Sequence[Choice], by_name: Mapping[str, Scorer]) -> dict[str, float]:
    right: dict[str, list[bool]] = {name: [] for name in (*by_name, "all, weighed alike", "any scorer (oracle)")}
    for choice in made:
        own, place = asked[choice.right], choice.among.index(choice.right)
        samples = [Sample(asked[at].question, own.text, own.answers[0]) for at in choice.among]
        scores = {name: score(samples) for name, score in by_name.items()}
        found = {name: best(some) == place for name, some in scores.items()}
        found |= {"all, weighed alike": best(combined([*scores.values()])) == place}
        found |= {"any scorer (oracle)": any(found[name] for name in by_name)}
        for name, is_right in found.items():
            right[name].append(is_right)
    return {name: float(np.mean(some)) for name, some in right.items()}
