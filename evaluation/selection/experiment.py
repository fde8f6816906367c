"""Choose the best question for a text and an answer (Yuan et al., 2023, Selecting Better Samples).

Table 3: a model writes several questions (samples). BLEU-4 and ROUGE-L compare a person's question with the greedy
sample, a random sample, the best sample by each scorer and ensemble, and the nearest sample (oracle). As in the app,
the greedy question is one of the samples. Decision 47 evaluates the scorers without a model.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated, Any

import typer
from pydantic import BaseModel, Field

from app import PROMPTS
from assistant.model_usage import ignore_usage
from assistant.papers.calls import Calls
from assistant.papers.selection.scoring import ROUND_TRIP, Sample, combine_scores, ngram_similarity
from assistant.papers.selection.study import Study
from assistant.types import Scope
from evaluation.harness.dataset import BadInput, Dataset
from evaluation.harness.options import MODELS, RUNS, Data, Out
from evaluation.harness.report import Report, Table, mean, publish
from evaluation.harness.runner import Runner
from evaluation.selection.prompt_scores import APS, OPS, Dimension, prompt_scores, read_dimensions
from memory_store.language.normalize import fold

SIZES = range(1, 6)
"""Sizes of the paper's n-grams, in words."""
ENSEMBLES = (
    (APS, ROUND_TRIP), ("2-grams", ROUND_TRIP), ("3-grams", ROUND_TRIP), ("2-grams", APS), ("3-grams", APS),
    ("2-grams", APS, ROUND_TRIP), ("3-grams", APS, ROUND_TRIP), ("2-grams", ROUND_TRIP, APS, OPS),
)  # fmt: skip
"""Ensembles of the paper, and the mean of all scorers."""
_ME = Scope("asker")
_NEARLY_NONE = 1e-300  # replaces a count of no n-grams, for which NLTK would skip the size


class StoryQuestion(BaseModel):
    """A person's question about a text, with people's answers."""

    story: str
    sections: tuple[str, ...]
    text: str
    question: str
    answers: Annotated[tuple[str, ...], Field(min_length=1)]


FAIRYTALE_QA = Dataset(
    "fairytaleqa", StoryQuestion, ("val",), "{split}.jsonl", "Apache-2.0", "the repository uci-soe/FairytaleQAData"
)


@dataclass(frozen=True, slots=True)
class QuestionSamples:
    """Samples for one text and answer, the greedy one first, with the scores that need model calls."""

    questions: tuple[str, ...]
    scores: Mapping[str, tuple[float, ...]]


def selection(
    context: typer.Context,
    data: Data,
    model: Annotated[str, typer.Option(help=f"Writes questions: {MODELS}. The embedded one writes none.")],
    *,
    out: Out = RUNS / "selection",
    samples: Annotated[int, typer.Option(min=1, max=5, help="Questions that are written each time.")] = 5,
    limit: Annotated[int, typer.Option(min=0, help="So many texts and answers; 0 for all.")] = 0,
    judged: Annotated[bool, typer.Option("--judged", help="Prompt scores too: 16 calls for each question.")] = False,
) -> None:
    """Choose the best of a model's questions about a text and its answer (Selecting Better Samples).

    BLEU-4 and ROUGE-L compare the chosen one with a person's.
    """
    asked = FAIRYTALE_QA.lines("val", data)
    asked = asked[: limit or len(asked)]
    settings = {"samples": samples, "judged": judged}
    if importlib.util.find_spec("rouge_score") is None:
        raise BadInput("This needs rouge-score; install it with: python -m pip install --group experiments")
    runner = Runner(out, context.params, model)
    with runner.app() as services, runner.asking(services, len(asked), "texts") as tell:
        dimensions = read_dimensions(PROMPTS / "selection" / "questions.jsonl") if judged else ()
        study = replace(services.study, model=services.assistant.runner.model)
        log = runner.log(QuestionSamples, tell)
        found = [
            log.of(str(at), partial(sample_questions, study, one, samples, dimensions)) for at, one in enumerate(asked)
        ]
    answered = sum(bool(one.questions) for one in found)
    table = Table.of(f"{answered:,} of {len(asked):,} asked about", dict(build_rows(asked, found)))
    publish(Report(name="selection", tables=(table,), model=model, settings=settings), out)


def sample_questions(
    study: Study, asked: StoryQuestion, count: int, dimensions: Sequence[Dimension] = ()
) -> QuestionSamples:
    """Let the model write `count` questions, and judge them by the dimensions. Raises ModelError."""
    passages = study.passages(asked.text, asked.answers[:1])
    made = [one for one in study.questions(passages, count, _ME) if one]
    written = made[0].all if made else ()
    names = written[0].scores if written else ()
    scores: dict[str, Sequence[float]] = {name: [one.scores[name] for one in written] for name in names}
    if dimensions and scores:
        samples = [Sample(one.question, passages[0].context, one.answer) for one in written]
        scores |= prompt_scores(samples, dimensions, study.prompt_builder, Calls(study.model, ignore_usage))
    return QuestionSamples(tuple(one.question for one in written), {name: tuple(some) for name, some in scores.items()})


def build_rows(
    asked: Sequence[StoryQuestion], samples: Sequence[QuestionSamples]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each method with the similarity of its choices, for the texts and answers that have samples."""
    pairs = [(one, some) for one, some in zip(asked, samples, strict=True) if some.questions]
    if not pairs:
        return
    references = [one.question for one, _ in pairs]
    near = cache(rouge_l)

    def row(picked: Sequence[str]) -> dict[str, float]:
        rouge = mean(near(one, reference) for one, reference in zip(picked, references, strict=True))
        return {"BLEU-4": bleu_4(picked, references), "ROUGE-L": rouge}

    yield "greedy", row([some.questions[0] for _, some in pairs])
    most = max(len(some.questions) for _, some in pairs)
    # Each round takes the next sample of every text.
    rows = [row([some.questions[place % len(some.questions)] for _, some in pairs]) for place in range(most)]
    yield "random (mean of all)", {name: mean(one[name] for one in rows) for name in rows[0]}
    scores = [_compute_scores(one, some) for one, some in pairs]
    known = {name for one in scores for name in one}
    scorers = [*(f"{size}-grams" for size in SIZES), ROUND_TRIP, APS, OPS]
    for names in (*((name,) for name in scorers), *ENSEMBLES):
        if known.issuperset(names):
            picked = []
            for (_, some), each in zip(pairs, scores, strict=True):
                parts = [each[name] for name in names if name in each]
                means = combine_scores(parts) if parts else [0.0]
                picked.append(some.questions[means.index(max(means))])
            yield " + ".join(names), row(picked)
    nearest = [max(some.questions, key=partial(near, reference=one.question)) for one, some in pairs]
    yield "oracle, by ROUGE-L", row(nearest)


def _compute_scores(asked: StoryQuestion, samples: QuestionSamples) -> Mapping[str, Sequence[float]]:
    texts = [Sample(question, asked.text, asked.answers[0]) for question in samples.questions]
    return {f"{size}-grams": ngram_similarity(texts, size, _folded) for size in SIZES} | dict(samples.scores)


_folded = cache(fold)


def bleu_4(written: Sequence[str], references: Sequence[str]) -> float:
    """Return corpus BLEU with n-grams up to four words, in [0, 1]; 0 without a common 4-gram."""
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    if not any(map(_tokenize, written)):
        return 0.0
    told, smoothing = [[_tokenize(one)] for one in references], SmoothingFunction(epsilon=_NEARLY_NONE)
    return float(corpus_bleu(told, [*map(_tokenize, written)], smoothing_function=smoothing.method1))


def rouge_l(written: str, reference: str) -> float:
    """Return F1 of the longest common subsequence of words, in [0, 1]."""
    return float(_rouge().score(reference, written)["rougeL"].fmeasure)


def _tokenize(text: str) -> list[str]:
    from rouge_score.tokenize import tokenize

    return list(tokenize(text, None))


@cache
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"])
