"""Questions that a model writes for a text and an answer, and how near the one that is chosen is to a person's own.

Yuan et al., 2023, table 3: BLEU-4 and ROUGE-L of the greedy one, of one at random, of the best by each scorer and
ensemble, and of the best that there is (oracle). As the app draws them, the greedy one is among the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from assistant.papers.selection.scores import APS, OPS, ROUND_TRIP, Sample, best, combined, ngram_similarity
from assistant.papers.selection.study import Study
from assistant.types import Scope
from evaluation.selection.metrics import bleu_4, rouge_l
from evaluation.selection.questions import SIZES, Asked
from evaluation.streams.step_log import StepLog
from memory_store.language.normalize import fold

ENSEMBLES = (
    (APS, ROUND_TRIP), ("2-grams", ROUND_TRIP), ("3-grams", ROUND_TRIP), ("2-grams", APS), ("3-grams", APS),
    ("2-grams", APS, ROUND_TRIP), ("3-grams", APS, ROUND_TRIP), ("2-grams", ROUND_TRIP, APS, OPS),
)  # fmt: skip
"""Those of the paper, and the mean of all."""
_ME = Scope("asker")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The samples of one text and answer, the greedy one first, with what the scorers that may ask say of each."""

    questions: tuple[str, ...]
    scores: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """How near the questions that one way chooses are to those of people, from 0 to 1."""

    way: str
    bleu: float
    rouge: float


def drawn(study: Study, asked: Sequence[Asked], count: int, path: Path, told: Callable[[int], object]) -> list[Drawn]:
    """So many samples for each; what was done before is read. Raises ModelError: then what was done is kept."""
    log = StepLog(path, Drawn, told)
    return [log.of(str(number), lambda one=one: _drawn(study, one, count)) for number, one in enumerate(asked)]  # type: ignore[misc]


def _drawn(study: Study, asked: Asked, count: int) -> Drawn:
    passages = study.passages(asked.text, asked.answers[:1])
    made = [one for one in study.questions(passages, count, _ME) if one]
    written = made[0].all if made else ()
    names = written[0].scores if written else ()
    scores = {name: tuple(one.scores[name] for one in written) for name in names}
    return Drawn(tuple(one.question for one in written), scores)


def table(asked: Sequence[Asked], samples: Sequence[Drawn]) -> Iterator[Row]:
    """Of the texts and answers for which there is any sample, each way with how near what it chooses is."""
    pairs = [(one, some) for one, some in zip(asked, samples, strict=True) if some.questions]
    if not pairs:
        return
    references = [one.question for one, _ in pairs]
    near = cache(rouge_l)

    def row(way: str, picked: Sequence[str]) -> Row:
        both = zip(picked, references, strict=True)
        return Row(way, bleu_4(picked, references), fmean(near(question, reference) for question, reference in both))

    def chosen(*names: str) -> Iterator[str]:
        for one, some in pairs:
            scores = _scores(one, some)
            known = [scores[name] for name in names if name in scores]
            yield some.questions[best(combined(known)) if known else 0]

    yield row("greedy", [some.questions[0] for _, some in pairs])
    yield _at_random(row, [some.questions for _, some in pairs])
    scorers = [*(f"{size}-grams" for size in SIZES), ROUND_TRIP, APS, OPS]
    known = {name for one, some in pairs for name in _scores(one, some)}
    for names in (*((name,) for name in scorers), *ENSEMBLES):
        if known.issuperset(names):
            yield row(" + ".join(names), [*chosen(*names)])
    told = zip(pairs, references, strict=True)
    yield row("oracle, by ROUGE-L", [max((near(one, to), one) for one in some.questions)[1] for (_, some), to in told])


def _at_random(row: Callable[[str, Sequence[str]], Row], questions: Sequence[Sequence[str]]) -> Row:
    """The mean over the samples: of so many choices, of which each takes the next sample of every text."""
    rows = [row("", [some[place % len(some)] for some in questions]) for place in range(max(map(len, questions)))]
    return Row("random (mean of all)", fmean(one.bleu for one in rows), fmean(one.rouge for one in rows))


def _scores(asked: Asked, samples: Drawn) -> Mapping[str, Sequence[float]]:
    texts = [Sample(question, asked.text, asked.answers[0]) for question in samples.questions]
    return {f"{size}-grams": ngram_similarity(texts, size, _folded) for size in SIZES} | dict(samples.scores)


_folded = cache(fold)
