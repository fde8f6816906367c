"""How near questions are to those of people: BLEU-4 of all together, ROUGE-L of each. By rouge-score and its NLTK."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from typing import Any

from evaluation.reading import BadInput

_NEARLY_NONE = 1e-300  # in the place of no n-gram at all, of which NLTK would not count the size


def bleu_4(written: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU with n-grams up to four words, from 0 to 1; 0 where no four words are the same."""
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    if not any(map(_tokens, written)):
        return 0.0
    told, smoothing = [[_tokens(one)] for one in references], SmoothingFunction(epsilon=_NEARLY_NONE)
    return float(corpus_bleu(told, [*map(_tokens, written)], smoothing_function=smoothing.method1))


def rouge_l(written: str, reference: str) -> float:
    """F1 of the longest common subsequence of words, from 0 to 1."""
    return float(_rouge().score(reference, written)["rougeL"].fmeasure)


def check_that_there_are_metrics() -> None:
    """Raises BadInput: what computes them is not installed."""
    if importlib.util.find_spec("rouge_score") is None:
        install = "python -m pip install --group experiments"
        raise BadInput(
            f"BLEU and ROUGE are computed by rouge-score, which is not installed; install it with: {install}"
        )


def _tokens(text: str) -> list[str]:
    from rouge_score.tokenize import tokenize

    return list(tokenize(text, None))


@cache
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"])
