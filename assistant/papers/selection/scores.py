"""Score samples and select the best (Yuan et al., 2023).

section 2               `select`: take the sample with the highest score, S(Q) = argmax M(q)
section 4               `combine_scores`: scale each score to [0, 1] over the samples, and take the mean
section 3, equation 1   `ngram_similarity`: share of a sample's n-grams that occur in its context
section 3, equation 2   `round_trip`: a model answers the sample, and the answer is compared with the wanted one
section 3, figure 1     `prompt_scorers`: a model judges the sample, in two calls for each dimension
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

from pydantic import BaseModel

from assistant.errors import NotedError, PromptError
from assistant.papers.calls import UNUSABLE_REPLY, Calls
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.parser import Grammar, Tag, parse_reply
from assistant.text.cleaning import clean_for_prompt
from assistant.types import NO_SCORES, Message, MessageRole

ROUND_TRIP, APS, OPS = "round_trip", "aps", "ops"
"""Names of the scores that need a model: round trip, averaged prompt score, overall prompt score."""
SIZE = 2
"""Words of an n-gram: the best size with a round trip (table 1)."""
LONGEST_TEXT = 8_000
"""Characters of a text in a prompt."""
_OVERALL = "overall"  # name of the dimension of OPS; APS averages the others
_ANSWERED = Grammar((Tag("answer"),))


@dataclass(frozen=True, slots=True)
class Sample:
    """A text of a model, with the references for its scores."""

    text: str
    context: str  # the text that it is about
    answer: str = ""  # the wanted answer of a question, or the understanding that an answer was written with


class Dimension(BaseModel):
    """A question about the quality of a sample (a meta-question of the paper)."""

    name: str
    asked: str  # open question of the first step
    options: tuple[str, str, str]  # worst first


Scorer = Callable[[Sequence[Sample]], Sequence[float]]
"""Returns one finite score per sample, higher is better. Raises NotedError if a call of a model fails."""
Fold = Callable[[str], str]
"""Normalises a text for comparison: words separated by one space."""


def select(
    samples: Sequence[Sample], scorers: Mapping[str, Scorer], weights: Mapping[str, float] = NO_SCORES
) -> tuple[int, list[dict[str, float]]]:
    """Return the index of the best sample, the first of equals, and the scores of each sample by name (section 2).

    A single sample is not scored. A scorer that fails ends the scoring. `weights` default to 1.
    """
    found: dict[str, Sequence[float]] = {}
    for name, score in scorers.items() if len(samples) > 1 else ():
        try:
            found[name] = score(samples)
        except NotedError:
            break
    means = combine_scores([*found.values()], [weights.get(name, 1.0) for name in found]) if found else [0.0]
    return means.index(max(means)), [{name: of[at] for name, of in found.items()} for at in range(len(samples))]


def combine_scores(scores: Sequence[Sequence[float]], weights: Sequence[float] = ()) -> list[float]:
    """Return the weighted mean of the scaled scores of each sample (section 4, there with equal weights).

    `scores` has a list per scorer, with a score per sample; `weights` one per scorer, at least 0.
    """
    weights = weights or [1.0] * len(scores)
    total = sum(weights) or 1.0
    by_sample = zip(*map(scale_scores, scores), strict=True)
    return [sum(weight * one for weight, one in zip(weights, some, strict=True)) / total for some in by_sample]


def scale_scores(scores: Sequence[float]) -> list[float]:
    """Scale scores to [0, 1] from least to greatest; all 0 if they are equal (section 4)."""
    least, spread = min(scores), max(scores) - min(scores)
    return [(score - least) / spread if spread else 0.0 for score in scores]


def ngram_similarity(samples: Sequence[Sample], size: int, fold: Fold) -> list[float]:
    """Return the share of each sample's unique n-grams that occur in its context (section 3, equation 1).

    A sample of fewer than `size` words scores 0.
    """

    def ngrams(text: str) -> set[tuple[str, ...]]:
        words = fold(text).split()
        return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}

    known = {context: ngrams(context) for context in {sample.context for sample in samples}}
    pairs = [(ngrams(sample.text), known[sample.context]) for sample in samples]
    return [len(own & of_context) / len(own) if own else 0.0 for own, of_context in pairs]


def round_trip(
    samples: Sequence[Sample], prompt: Callable[[Sample], Sequence[Message]], calls: Calls, fold: Fold
) -> list[float]:
    """Let a model answer each sample, and score it by F1 with the wanted answer: a' = a (section 3, equation 2).

    Each sample takes one call, with the prompt of `prompt`. Raises ModelError.
    """
    replies = calls.all_of([partial(calls.hear, prompt(sample)) for sample in samples])
    answers = [parse_reply(reply, _ANSWERED).answer for reply in replies]
    return [word_f1(answer, sample.answer, fold) for answer, sample in zip(answers, samples, strict=True)]


def word_f1(given: str, wanted: str, fold: Fold) -> float:
    """Return F1 of the unique words of two texts, the paper's comparison of answers."""
    ours, theirs = (set(fold(text).split()) for text in (given, wanted))
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours & theirs else 0.0


def read_dimensions(path: Path) -> list[Dimension]:
    """Read dimensions from a JSON Lines file. Raises PromptError."""
    try:
        return [Dimension.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise PromptError(f"The file {path.name} holds no dimensions: {error}") from error


def prompt_scorers(dimensions: Sequence[Dimension], prompt_builder: PromptBuilder, calls: Calls) -> dict[str, Scorer]:
    """Return the scorers APS and OPS, if there are dimensions (section 3, figure 1).

    A scorer returns the mean of the options that a model chooses, from 0 (worst) to 1 (best). A dimension without a
    choice for every sample is ignored; without any dimension left, all score 0. Raises ModelError.
    """

    def choose(dimension: Dimension, sample: Sample) -> float | None:
        """Let the model judge in words, then choose. Asked only for a number, it tends to choose the same for all."""
        texts = {"sample": sample.text, **({"answer": sample.answer} if sample.answer else {})}
        openly = prompt_builder.call(
            "selection/score",
            context=[{"context": sample.context[:LONGEST_TEXT]}],
            sample=[{name: text[:LONGEST_TEXT] for name, text in texts.items()}],
            asked=[{"asked": dimension.asked}],
        )
        options = prompt_builder.data(
            {"options": [{"option": n, "says": s} for n, s in enumerate(dimension.options, 1)]}
        )
        try:
            opinion = Message(MessageRole.ASSISTANT, clean_for_prompt(calls.hear(openly))[:LONGEST_TEXT])
            reply = calls.hear((*openly, opinion, Message(MessageRole.USER, options.rstrip("\n"))))
        except UNUSABLE_REPLY:
            return None
        # The number of an option at the start; a longer number, or a second one, is no choice.
        found = re.match(r"\W*(?:option\s*)?([1-3])(?!\d)(?![^\d\n]{0,4}\d)", reply.strip(), re.IGNORECASE)
        return (int(found[1]) - 1) / 2 if found else None

    def score(samples: Sequence[Sample], asked: Sequence[Dimension]) -> list[float]:
        choices = calls.all_of([partial(choose, dimension, sample) for dimension in asked for sample in samples])
        by_dimension = [choices[at : at + len(samples)] for at in range(0, len(choices), len(samples))]
        complete = [[one for one in some if one is not None] for some in by_dimension if None not in some]
        return [fmean(some) for some in zip(*complete, strict=True)] or [0.0] * len(samples)

    parts = [one for one in dimensions if one.name != _OVERALL]
    whole = [one for one in dimensions if one.name == _OVERALL]
    return {APS: partial(score, asked=parts), OPS: partial(score, asked=whole)} if dimensions else {}
