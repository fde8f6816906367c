"""Prompt scores: a model judges a sample, in two calls for each dimension (Yuan et al., 2023, section 3, figure 1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from pydantic import BaseModel

from assistant.papers.calls import UNUSABLE_REPLY, Calls
from assistant.papers.selection.drafts import LONGEST_TEXT
from assistant.papers.selection.scoring import Sample
from assistant.prompt.prompt import PromptBuilder
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Message, MessageRole

APS, OPS = "aps", "ops"
"""Averaged prompt score, overall prompt score."""
_OVERALL = "overall"  # name of the dimension of OPS; APS averages the others


class Dimension(BaseModel):
    """A question about the quality of a sample (a meta-question of the paper)."""

    name: str
    asked: str  # open question of the first step
    options: tuple[str, str, str]  # worst first


def read_dimensions(path: Path) -> list[Dimension]:
    """Read dimensions from a JSON Lines file."""
    return [Dimension.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]


def prompt_scores(
    samples: Sequence[Sample], dimensions: Sequence[Dimension], prompt_builder: PromptBuilder, calls: Calls
) -> Mapping[str, Sequence[float]]:
    """Return APS and OPS of each sample: the mean of the options that a model chooses, 0 (worst) to 1 (best).

    A dimension without a choice for every sample is ignored; without any left, all score 0. Raises ModelError.
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
        # The number of an option at the start; a longer number, or a second number, is not a choice.
        found = re.match(r"\W*(?:option\s*)?([1-3])(?!\d)(?![^\d\n]{0,4}\d)", reply.strip(), re.IGNORECASE)
        return (int(found[1]) - 1) / 2 if found else None

    choices = calls.all_of([partial(choose, dimension, sample) for dimension in dimensions for sample in samples])
    found = {APS: list[Sequence[float]](), OPS: list[Sequence[float]]()}
    for at, dimension in enumerate(dimensions):
        chosen = [one for one in choices[at * len(samples) : (at + 1) * len(samples)] if one is not None]
        if len(chosen) == len(samples):
            found[OPS if dimension.name == _OVERALL else APS].append(chosen)
    return {name: [fmean(some) for some in zip(*by, strict=True)] or [0.0] * len(samples) for name, by in found.items()}
