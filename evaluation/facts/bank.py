"""Finding the facts that a question of EntailmentBank rests on (Dalvi et al., 2021), as Table A1 of TeachMe asks.

Memory is all core facts of the questions, or those among all sentences. Asked is the question alone, with its answer,
or the hypothesis that states both. A sentence counts as a core fact where it has the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from assistant.ports import Embedder
from evaluation.facts.sets import ToldFact, entry_of
from evaluation.gate.data import Remembered
from evaluation.gate.fitting import matrix_of, queries
from evaluation.reading import BadInput, read_all
from memory_store.ledger.indexed_keys import TextRole
from memory_store.recall.facts import NEAREST, RELEVANCE, fused, similarities

Floats: TypeAlias = NDArray[np.float32]
Ranks: TypeAlias = NDArray[np.int64]  # of the nearest right one of each question, 0 for the first; shape (questions,)
Cell: TypeAlias = tuple[str, str]  # what is asked, and which memory
AMONG = 5
FOLDS = 10
# What the nearness in meaning to the last sentence, and in letters, may be worth beside that in meaning to the whole.
FOCUS, LETTERS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4), (0.0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2)
_UNSURE = 2.0  # standard errors
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
        """By the app's own index of the sentences, as facts that were told out of the blue."""
        asked = bank.asked()
        found = ways_alike(list(asked.values()), bank.sentences, embedder)
        alike = dict(zip(asked, found, strict=True))
        for name, texts in asked.items():
            alike[name]["BM25"] = bm25(texts, bank.sentences)
        return cls(alike, bank.right())

    def ranks(self, way: str) -> dict[Cell, Ranks]:
        """Where the nearest right sentence stands, by one way alone."""
        found: dict[Cell, Ranks] = {}
        for cell, members in self._cells():
            found[cell] = _ranks(self.alike[cell[0]][way][:, members], self.right[:, members])
        return found

    def nearest(self) -> Nearest:
        """What is nearest in meaning, by what is asked and which memory."""
        found: Nearest = {}
        for cell, members in self._cells():
            meaning = self.alike[cell[0]]["meaning"][:, members]
            places = members[np.argsort(-meaning, axis=1, kind="stable")[:, :NEAREST]]
            ways = {way: np.take_along_axis(self.alike[cell[0]][way], places, 1) for way in ("meaning", *RELEVANCE)}
            found[cell] = ways, np.take_along_axis(self.right, places, 1)
        return found

    def _cells(self) -> Iterator[tuple[Cell, Ranks]]:
        """What is asked and which memory, with the places of the sentences of that."""
        for name in self.alike:
            yield (name, "core"), np.flatnonzero(self.right.any(axis=0))
            yield (name, "all"), np.arange(self.right.shape[1])


Nearest: TypeAlias = dict[Cell, tuple[Mapping[str, Floats], NDArray[np.bool_]]]
"""Of each question the sentences that are nearest in meaning: how alike they are in each way, and which are right."""


def fused_ranks(nearest: Nearest, weights: Mapping[str, float]) -> dict[Cell, Ranks]:
    """Where the nearest right sentence stands as the app orders facts, with these weights."""
    found: dict[Cell, Ranks] = {}
    for cell, (ways, right) in nearest.items():
        rows = [fused({way: values[at] for way, values in ways.items()}, weights) for at in range(len(right))]
        found[cell] = np.where(right.any(axis=1), _ranks(np.array(rows), right), right.shape[1])
    return found


def ways_alike(asked: Sequence[Sequence[str]], facts: Sequence[str], embedder: Embedder) -> list[dict[str, Floats]]:
    """How alike texts that are asked, of several sets, and facts are, in each way; shape (texts, facts)."""
    told = [ToldFact(id=str(at), text=text, asked="", lang="en") for at, text in enumerate(facts)]
    matrix = matrix_of(Remembered("EntailmentBank", [entry_of(fact) for fact in told], ()), embedder)
    found = []
    for texts in asked:
        parts = [similarities(matrix.compare(query), TextRole.ASSERTED) for query in queries(texts, embedder)]
        found.append({way: np.array([part[way] for part in parts]) for way in ("meaning", *RELEVANCE)})
    return found


def hits(ranks: Ranks) -> tuple[float, float]:
    """The share of the questions with a right one first, and with one among five."""
    return float((ranks < 1).mean()), float((ranks < AMONG).mean())


def cross_fitted(nearest: Nearest) -> tuple[dict[Cell, Ranks], dict[str, float]]:
    """Each question ranked by weights that were fitted on the others, in ten parts; and the weights fitted on all.

    The fit takes the weights that surely gain most over meaning alone: the mean gain in right ones first and among
    five, over all that is asked and both memories, less two standard errors. Where none does, it takes none.
    """
    grid = {(focus, letters): _weights(focus, letters) for focus, letters in product(FOCUS, LETTERS)}
    ranked = {at: fused_ranks(nearest, weights) for at, weights in grid.items()}
    gained = {at: _right(ranks) - _right(ranked[0.0, 0.0]) for at, ranks in ranked.items()}
    part = np.random.default_rng(0).permutation(gained[0.0, 0.0].size) % FOLDS
    chosen = [_surest({at: gain[part != fold] for at, gain in gained.items()}) for fold in range(FOLDS)]
    others = {cell: np.choose(part, [ranked[at][cell] for at in chosen]) for cell in nearest}
    return others, grid[_surest(gained)]


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


def _weights(focus: float, letters: float) -> dict[str, float]:
    return {"focus": focus, "ngrams": letters}


def _right(ranks: Mapping[Cell, Ranks]) -> NDArray[np.float64]:
    """Of each question, how often its first is right, and one among five."""
    return np.asarray(np.mean([one < most for one in ranks.values() for most in (1, AMONG)], axis=0))


def _surest(gained: Mapping[tuple[float, float], NDArray[np.float64]]) -> tuple[float, float]:
    return max(gained, key=lambda at: gained[at].mean() - _UNSURE * gained[at].std() / np.sqrt(gained[at].size))


def words_of(text: str) -> str:
    """The words of a text, by which a sentence is known again."""
    return " ".join(_WORD.findall(text.casefold()))
