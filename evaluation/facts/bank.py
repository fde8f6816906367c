"""Finding the facts that a question of EntailmentBank rests on (Dalvi et al., 2021), as Table A1 of TeachMe asks.

Memory is all core facts of the questions, or those among all sentences. Asked is the question alone, with its answer,
or the hypothesis that states both. A sentence counts as a core fact where it has the same words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from assistant.ports import Embedder
from evaluation.gate.fitting import encoded
from evaluation.reading import BadInput, read_all
from memory_store.arrays import Floats
from memory_store.language.word_translation import READINGS
from memory_store.retrieval.letters import Letters

Ranks: TypeAlias = NDArray[np.int64]  # of the nearest right one of each question, 0 for the first; shape (questions,)
Cell: TypeAlias = tuple[str, str]  # what is asked, and which memory
AMONG = 5
_WORD = re.compile(r"[^\W_]+")


class BankQuestion(BaseModel):
    """A question with what its answer rests on."""

    question: str
    answer: str
    hypothesis: str
    core: tuple[str, ...]


@dataclass(frozen=True)
class Bank:
    """The questions that rest on something, and all sentences: the core facts among them."""

    questions: Sequence[BankQuestion]
    sentences: Sequence[str]

    @classmethod
    def read(cls, folder: Path) -> Bank:
        """From `dev.jsonl` and `facts.txt` of a folder. Raises BadInput."""
        asked = [one for one in read_all(folder / "dev.jsonl", BankQuestion) if one.core]
        try:
            lines = (folder / "facts.txt").read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise BadInput(f"{folder / 'facts.txt'} cannot be read: {error}.") from error
        core = [fact for one in asked for fact in one.core]
        by_words = {words: text for text in (*core, *lines) if (words := words_of(text))}
        return cls(asked, tuple(by_words.values()))

    def asked(self) -> dict[str, list[str]]:
        """What is asked in each way, a text for each question."""
        return {
            "question": [one.question for one in self.questions],
            "with answer": [f"{one.question} {one.answer}" for one in self.questions],
            "hypothesis": [one.hypothesis for one in self.questions],
        }

    def right(self) -> NDArray[np.bool_]:
        """Whether a question rests on a sentence. Shape (questions, sentences)."""
        place = {words_of(text): at for at, text in enumerate(self.sentences)}
        found = np.zeros((len(self.questions), len(self.sentences)), dtype=bool)
        for row, one in enumerate(self.questions):
            found[row, [place[words_of(fact)] for fact in one.core if words_of(fact) in place]] = True
        return found


@dataclass(frozen=True)
class Compared:
    """How alike each question is to each sentence, by what is asked and in each way; and which is right."""

    alike: Mapping[str, Mapping[str, Floats]]  # shape (questions, sentences)
    right: NDArray[np.bool_]

    @classmethod
    def of(cls, bank: Bank, embedder: Embedder) -> Compared:
        """Compare as the app finds facts that were told out of the blue, by letters, and by BM25."""
        alike = {
            name: {
                "Noted": meaning(texts, bank.sentences, embedder),
                "letters": letters(texts, bank.sentences),
                "BM25": bm25(texts, bank.sentences),
            }
            for name, texts in bank.asked().items()
        }
        return cls(alike, bank.right())

    def ranks(self, way: str) -> dict[Cell, Ranks]:
        """Return where the nearest right sentence stands, by what is asked and which memory."""
        found: dict[Cell, Ranks] = {}
        for name, ways in self.alike.items():
            for memory, members in (("core", np.flatnonzero(self.right.any(axis=0))), ("all", slice(None))):
                found[name, memory] = _ranks(ways[way][:, members], self.right[:, members])
        return found


def meaning(asked: Sequence[str], texts: Sequence[str], embedder: Embedder) -> Floats:
    """Return the cosine of each question with each text, by which the app finds facts; shape (questions, texts)."""
    found: Floats = encoded(embedder, asked) @ encoded(embedder, texts).T
    return found


def letters(asked: Sequence[str], texts: Sequence[str]) -> Floats:
    """Return how alike each question and each text are in letters; shape (questions, texts)."""
    kept = Letters([READINGS.fold(text) for text in texts])
    return np.array([kept.similarity(READINGS.fold(text)) for text in asked])


def hits(ranks: Ranks) -> tuple[float, float]:
    """The share of the questions with a right one first, and with one among five."""
    return float((ranks < 1).mean()), float((ranks < AMONG).mean())


def bm25(asked: Sequence[str], texts: Sequence[str], k1: float = 1.5, b: float = 0.75) -> Floats:
    """Okapi BM25 (Robertson and Zaragoza, 2009) of each question and text, with its usual parameters."""
    numbers: dict[str, int] = {}
    tokens = [[numbers.setdefault(word, len(numbers)) for word in words_of(text).split()] for text in texts]
    counts = np.zeros((len(texts), len(numbers)), dtype=np.float32)
    for row, some in enumerate(tokens):
        np.add.at(counts[row], some, 1.0)
    lengths = counts.sum(axis=1, keepdims=True)
    having = (counts > 0).sum(axis=0)
    rarity = np.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
    counts *= rarity * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / lengths.mean()))
    rows = [[numbers[word] for word in words_of(text).split() if word in numbers] for text in asked]
    return np.array([counts[:, row].sum(axis=1) for row in rows])


def _ranks(scores: Floats, right: NDArray[np.bool_]) -> Ranks:
    best = np.where(right, scores, -np.inf).max(axis=1, keepdims=True)
    return np.asarray((scores > best).sum(axis=1))


def words_of(text: str) -> str:
    """The words of a text, by which a sentence is known again."""
    return " ".join(_WORD.findall(text.casefold()))
