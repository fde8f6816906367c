"""What is asked about in a text: each answer that a question is to have, or else each of its sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.selection.ngram import Fold, ngrams, share
from assistant.text.sentences import sentences_of

MOST_PASSAGES = 500
"""Of a text."""
_LONGEST_CONTEXT = 6_000  # characters
_WRAPPED = re.compile(r"(?<=[^\n]{50})\n(?=\S)")  # a line that goes on in the next one
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
    answers = [answer.strip() for answer in answers if answer.strip()]
    if answers and sentences:
        found = [(nearest(answer, sentences, fold), answer) for answer in answers]
    else:
        found = [(at, "") for at, sentence in enumerate(sentences) if len(sentence.split()) >= _FEWEST]
    return [Passage(sentences[at], _around(sentences, at), answer) for at, answer in found[:MOST_PASSAGES]]


def nearest(text: str, sentences: Sequence[str], fold: Fold) -> int:
    """The place of the sentence that has most of the words of a text, the first of several."""
    words = ngrams(fold(text), 1)
    return max(range(len(sentences)), key=lambda at: share(words, ngrams(fold(sentences[at]), 1)))


def _around(sentences: Sequence[str], at: int) -> str:
    """So many sentences on both sides of one that they are not too long."""
    first, last = at, at + 1
    length = len(sentences[at])
    while first or last < len(sentences):
        more = [place for place in (first - 1, last) if 0 <= place < len(sentences)]
        length += sum(len(sentences[place]) + 1 for place in more)
        if length > _LONGEST_CONTEXT:
            break
        first, last = max(0, first - 1), min(len(sentences), last + 1)
    return " ".join(sentences[first:last])
