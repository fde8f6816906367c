"""Study questions, for every door: for each passage several are written, each is scored, and the best is kept.

Yuan et al., 2023. A question comes with its answer, so that both can be practised. One generator: whoever takes no more
from it, or closes it, ends the calls that are under way, and has what came before.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from assistant.errors import InputError
from assistant.events import Waiting
from assistant.limits import UNLIMITED
from assistant.model_usage import not_counted
from assistant.papers.calls import Calls
from assistant.ports import Allowance
from assistant.selection.ensemble import best, combined
from assistant.selection.ngram import Fold
from assistant.selection.prompt_scores import read_dimensions
from assistant.selection.round_trip import Allow
from assistant.selection.scorer import Sample, all_scores
from assistant.selection.study.by_model import WritesByModel
from assistant.selection.study.passages import Passage, passages_of
from assistant.settings import MOST_DRAFTS
from assistant.turn import TurnParts
from assistant.types import Scope

SAMPLES = 3
"""So many are written for a passage unless somebody says otherwise; at most `MOST_DRAFTS`."""


class Pair(NamedTuple):
    """A question with its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Scored:
    """A question that was written."""

    pair: Pair
    scores: Mapping[str, float]  # by name of the scorer
    score: float = 0.0  # of the ensemble, in [0, 1]


@dataclass(frozen=True, slots=True)
class StudyQuestion:
    """The questions for one passage; none where nothing could be asked."""

    passage: Passage
    all: Sequence[Scored] = ()  # in the order in which they were written
    best: int = 0

    @property
    def kept(self) -> Pair | None:
        """The best."""
        return self.all[self.best].pair if self.all else None


@dataclass(frozen=True, slots=True)
class Study:
    """Makes them by a language model. Without one (`writes` is None), each method raises InputError."""

    fold: Fold
    writes: WritesByModel | None = None
    allowance: Allowance = UNLIMITED
    judging: Path | None = None  # folder of what a language model judges questions by; None where it does not

    def with_parts(self, parts: TurnParts) -> Study:
        """Return the same with a language model and its prompts, by the names of parts of the loop."""
        if not parts:
            return self
        dimensions = read_dimensions(self.judging / "questions.jsonl") if self.judging else ()
        return replace(self, writes=WritesByModel(parts["model"], parts["prompting"], self.fold, dimensions))

    def passages(self, text: str, answers: Sequence[str] = ()) -> list[Passage]:
        """Return what is asked about."""
        self._writer()
        return passages_of(text, answers, self.fold)

    def most_calls(self, passages: int, count: int) -> int:
        """How many calls of the model so many passages take at most."""
        writes = self._writer()
        return passages * (writes.calls(count) + writes.judging(count))

    def questions(self, passages: Iterable[Passage], count: int, scope: Scope) -> Iterator[StudyQuestion | None]:
        """Those of each passage, in their order; None while nothing has come yet.

        Each question that is written, and each that is answered for its round trip, counts as an answer. Raises
        ModelError and TooOften: then nothing of that passage was made.
        """
        for passage in passages:
            yield (yield from self._about(passage, min(count, MOST_DRAFTS), scope))

    def _about(self, passage: Passage, count: int, scope: Scope) -> Generator[None, None, StudyQuestion]:
        writes, allow = self._writer(), partial(self.allowance.turn, scope)
        calls = Calls(writes.model, not_counted, MOST_DRAFTS)
        allow(writes.calls(count))
        coming = calls.results([partial(_made, writes, passage, count, calls, allow)], Waiting(""))
        with closing(coming):
            while True:
                try:
                    next(coming)
                except StopIteration as done:
                    made: list[StudyQuestion] = done.value
                    return made[0]
                yield None

    def _writer(self) -> WritesByModel:
        if self.writes is None:
            raise InputError("study.needs_model")
        return self.writes


def _made(writes: WritesByModel, passage: Passage, count: int, calls: Calls, allow: Allow) -> StudyQuestion:
    pairs = [Pair(*one) for one in writes(passage, count, calls)]
    samples = [Sample(pair.question, passage.context, pair.answer) for pair in pairs]
    scores = all_scores(samples, writes.scorers(calls, allow))
    means = combined([*scores.values()]) if scores else [0.0] * len(pairs)
    told = [
        Scored(pair, {name: of[place] for name, of in scores.items()}, means[place]) for place, pair in enumerate(pairs)
    ]
    return StudyQuestion(passage, told, best(means) if told else 0)
