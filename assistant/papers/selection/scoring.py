"""Select the best of several samples of a model (Yuan et al., 2023).

    section 2               `select`: the sample with the greatest score, S(Q) = arg max M(q)
    section 3, equation 1   `ngram_similarity`: share of a sample's n-grams that occur in its context
    section 3, equation 2   `round_trip`: a model answers the sample, and the answer is compared with the wanted one
    section 4               `combine_scores`: the mean of the scores, each scaled over the samples

The samples are questions about a text (`study.py`, as in the paper), or answers to a question (`drafts.py`). The
evaluation adds the prompt scores of section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from assistant.errors import NotedError
from assistant.papers.calls import Calls
from assistant.reply.parser import Grammar, Tag, parse_reply
from assistant.types import Message

ROUND_TRIP = "round_trip"
"""Name of that scorer."""
SIZE = 2
"""Words of an n-gram: the best size with a round trip (table 1)."""
_ANSWERED = Grammar((Tag("answer"),))


@dataclass(frozen=True, slots=True)
class Sample:
    """A text of a model, with the references for its scores."""

    text: str
    context: str  # the text that it is about
    answer: str = ""  # the wanted answer of a question, or the understanding that an answer was written with


Scorer = Callable[[Sequence[Sample]], Sequence[float]]
"""Returns one finite score per sample, higher is better. Raises NotedError if a call of a model fails."""
Fold = Callable[[str], str]
"""Normalises a text for comparison: words separated by one space."""


def select(
    samples: Sequence[Sample], scorers: Mapping[str, Scorer], weights: Mapping[str, float] | None = None
) -> tuple[int, list[dict[str, float]]]:
    """Return the index of the best sample, the first of equals, and the scores of each sample by name.

    A single sample is not scored. A scorer that fails ends the scoring. `weights` default to 1.
    """
    found, weights = dict[str, Sequence[float]](), weights or {}
    with suppress(NotedError):
        for name, score in scorers.items() if len(samples) > 1 else ():
            found[name] = score(samples)
    means = combine_scores([*found.values()], [weights.get(name, 1.0) for name in found]) if found else [0.0]
    return means.index(max(means)), [{name: of[at] for name, of in found.items()} for at in range(len(samples))]


def combine_scores(scores: Sequence[Sequence[float]], weights: Sequence[float] = ()) -> list[float]:
    """Return the weighted mean of the scaled scores of each sample (there with equal weights).

    `scores` has a list per scorer, with a score per sample; `weights` one per scorer, at least 0.
    """
    weights = weights or [1.0] * len(scores)
    total = sum(weights) or 1.0
    by_sample = zip(*map(scale_scores, scores), strict=True)
    return [sum(weight * one for weight, one in zip(weights, some, strict=True)) / total for some in by_sample]


def scale_scores(scores: Sequence[float]) -> list[float]:
    """Scale scores to [0, 1] from least to greatest; all 0 if they are equal."""
    least, spread = min(scores), max(scores) - min(scores)
    return [(score - least) / spread if spread else 0.0 for score in scores]


def ngram_similarity(samples: Sequence[Sample], size: int, fold: Fold) -> list[float]:
    """Return the share of each sample's unique n-grams that occur in its context; 0 for fewer than `size` words."""

    def ngrams(text: str) -> set[tuple[str, ...]]:
        words = fold(text).split()
        return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}

    known = {context: ngrams(context) for context in {sample.context for sample in samples}}
    pairs = [(ngrams(sample.text), known[sample.context]) for sample in samples]
    return [len(own & of_context) / len(own) if own else 0.0 for own, of_context in pairs]


def round_trip(
    samples: Sequence[Sample], prompts: Sequence[Sequence[Message]], calls: Calls, fold: Fold
) -> list[float]:
    """Let a model reply to the prompt of each sample, and compare with its answer by F1 of unique words.

    Raises ModelError.
    """
    scores = []
    for reply, sample in zip(calls.all_of([partial(calls.hear, one) for one in prompts]), samples, strict=True):
        texts = parse_reply(reply, _ANSWERED).answer, sample.answer
        given, wanted = (set(fold(text).split()) for text in texts)
        scores.append(2 * len(given & wanted) / (len(given) + len(wanted) or 1))
    return scores
