"""What is asked about in a text: each answer that a question is to have, or else each of its sentences. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from assistant.papers.selection.ngram import Fold
from assistant.text.sentences import sentences_of

MOST_PASSAGES = 500
"""Of a text."""
_LONGEST_CONTEXT = 6_000  # characters
_WRAPPED = re.compile(r"\n(?<=[^\n]{50}\n)(?=\S)")  # the end of a line that goes on in the next one
_FEWEST = 3  # words of a sentence that says something


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a text that a question is wanted for."""

    sentence: str  # that it is about
    context: str  # the text, as much of it around the sentence as a model is shown
    answer: str = ""  # that the question is to have; empty where any will do


def passages_of(text: str, answers: Sequence[str], fold: Fold) -> list[Passage]:
    """The places of a text: the sentence with most of the words of each answer, or else each that says something."""
    sentences = sentences_of(_WRAPPED.sub(" ", text))
    answers = list(islice((answer.strip() for answer in answers if answer.strip()), MOST_PASSAGES))
    if answers and sentences:
        found = [*zip(nearest(answers, sentences, fold), answers, strict=True)]
    else:
        found = [(at, "") for at, sentence in enumerate(sentences) if len(sentence.split()) >= _FEWEST]
    ends = [0, *accumulate(len(sentence) + 1 for sentence in sentences)]
    return [Passage(sentences[at], _around(sentences, at, ends), answer) for at, answer in found[:MOST_PASSAGES]]


def nearest(texts: Sequence[str], sentences: Sequence[str], fold: Fold) -> list[int]:
    """Return for each text the place of the sentence that has most of its words, the first of several."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    of_words = {frozenset(fold(sentences[at]).split()): at for at in reversed(range(len(sentences)))}
    for words, at in of_words.items():  # only the first of those with the same words can be the nearest
        for word in words:
            places[word].append(at)
    found = []
    for text in texts:
        shared = Counter(at for word in set(fold(text).split()) for at in places.get(word, ()))
        most = max(shared.values(), default=0)
        found.append(min((at for at, count in shared.items() if count == most), default=0))
    return found


def _around(sentences: Sequence[str], at: int, ends: Sequence[int]) -> str:
    """Return as many sentences on both sides of one as are not too long together; each ends at one of `ends`."""

    def length(beside: int) -> int:
        first, last = max(0, at - beside), min(len(sentences), at + beside + 1)
        return ends[last] - ends[first] - 1

    beside = max(0, bisect_right(range(len(sentences)), _LONGEST_CONTEXT, key=length) - 1)
    return " ".join(sentences[max(0, at - beside) : at + beside + 1])
