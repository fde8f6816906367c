"""Write study questions about a text: several for each passage, of which the best is kept (Yuan et al., 2023).

section 2         `passages_of`: the context c and the answer a; if no answers are given, each sentence is a passage
appendix A        `Study._write`: a model asks a question, and answers it unless the answer is given
sections 2 to 4   `Study._make`: one question is written greedily, the others at a temperature; each is answered
                  again from the text, and they are scored and selected by `scores.py`
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Self

from assistant.errors import InputError
from assistant.limits import UNLIMITED
from assistant.model_usage import ignore_usage
from assistant.papers.calls import UNUSABLE_REPLY, Calls
from assistant.papers.selection import scores
from assistant.papers.selection.scores import Dimension, Fold, Sample, Scorer
from assistant.ports import Allowance, ChatModel, Drafting
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.parser import Grammar, Tag, parse_reply
from assistant.settings import MOST_DRAFTS
from assistant.text.sentences import sentences_of
from assistant.turn import TurnParts
from assistant.types import Message, Scope

SAMPLES = 3
"""Default number of questions for a passage; at most `MOST_DRAFTS`."""
_MOST_PASSAGES = 500  # of one text
_LONGEST_CONTEXT = 6_000  # characters
_LONGEST = 500  # characters of a question, or of its answer
_FEWEST = 3  # words of a sentence that gets a question


def _line(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= _LONGEST else ""


_WRITTEN = Grammar((Tag("question", read=_line), Tag("answer", read=_line)))


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence that gets a question, with the text around it."""

    sentence: str
    context: str  # the text around the sentence, as the model reads it
    answer: str = ""  # the wanted answer; empty for any


@dataclass(frozen=True, slots=True)
class StudyCandidate:
    question: str
    answer: str
    scores: Mapping[str, float]  # by name of the scorer


@dataclass(frozen=True, slots=True)
class StudyQuestion:
    """Questions for one passage, possibly none."""

    passage: Passage
    all: Sequence[StudyCandidate]  # in the order of their models
    best: int

    @property
    def kept(self) -> StudyCandidate | None:
        return self.all[self.best] if self.all else None


def passages_of(text: str, answers: Sequence[str], fold: Fold) -> list[Passage]:
    """Return the sentence that shares most words with each answer; without answers, all sentences of three words up."""
    sentences = sentences_of(re.sub(r"\n(?<=[^\n]{50}\n)(?=\S)", " ", text))  # joins hard-wrapped lines
    wanted = [answer.strip() for answer in answers if answer.strip()][:_MOST_PASSAGES]
    if wanted and sentences:
        words = [frozenset(fold(sentence).split()) for sentence in sentences]
        owns = [frozenset(fold(answer).split()) for answer in wanted]
        found = [max(range(len(words)), key=lambda at: len(own & words[at])) for own in owns]
    else:
        found = [at for at, sentence in enumerate(sentences) if len(sentence.split()) >= _FEWEST][:_MOST_PASSAGES]
        wanted = [""] * len(found)
    whole = " ".join(sentences)
    starts = [0, *accumulate(len(sentence) + 1 for sentence in sentences)]
    passages = []
    for at, answer in zip(found, wanted, strict=True):
        middle = starts[at] + len(sentences[at]) // 2
        start = max(0, min(middle - _LONGEST_CONTEXT // 2, len(whole) - _LONGEST_CONTEXT))
        passages.append(Passage(sentences[at], whole[start : start + _LONGEST_CONTEXT], answer))
    return passages


@dataclass(frozen=True, slots=True)
class Study:
    """Generator of study questions, by a language model."""

    model: ChatModel
    prompt_builder: PromptBuilder
    fold: Fold
    allowance: Allowance = UNLIMITED
    dimensions: Sequence[Dimension] = ()  # of the prompt scores
    can_write: bool = True  # the embedded model cannot

    def with_parts(self, parts: TurnParts) -> Self:
        """Return a copy with the language model and the prompt builder of `parts`; self if they are empty."""
        if not parts:
            return self
        return replace(self, model=parts["model"], prompt_builder=parts["prompt_builder"], can_write=True)

    def passages(self, text: str, answers: Sequence[str] = ()) -> list[Passage]:
        """Return the passages that get a question; see `passages_of`. Raises InputError if the model cannot write."""
        if not self.can_write:
            raise InputError("study.needs_model")
        return passages_of(text, answers, self.fold)

    def most_calls(self, passages: int, count: int) -> int:
        """Return the maximum number of calls for `passages` passages with `count` questions each.

        A question takes one call to write and one to answer, and two per dimension; a single one is not scored.
        """
        return passages * count * (2 + 2 * len(self.dimensions)) if count > 1 else passages

    def questions(
        self, passages: Iterable[Passage], count: int, scope: Scope
    ) -> Generator[StudyQuestion | None, None, None]:
        """Yield `count` scored questions for each passage, and None while a model writes. Closing it ends all calls.

        Each question counts as an answer of the allowance, and so does each of its scores. Raises ModelError and
        TooOften, after the questions of earlier passages.
        """
        count = min(count, MOST_DRAFTS)
        for passage in passages:
            calls = Calls(self.model, ignore_usage, MOST_DRAFTS)
            self.allowance.turn(scope, count * (2 + len(self.dimensions)) if count > 1 else 1)
            (made,) = yield from calls.results([partial(self._make, passage, count, calls)], None)
            yield made

    def _make(self, passage: Passage, count: int, calls: Calls) -> StudyQuestion:
        """Write the questions for a passage, score them, and select the best."""
        models = self.model.drafting(count) if isinstance(self.model, Drafting) and count > 1 else [self.model]
        pairs: dict[str, tuple[str, str]] = {}  # by the question as it is compared
        for pair in filter(None, calls.all_of([partial(self._write, passage, one, calls) for one in models])):
            pairs.setdefault(self.fold(pair[0]), pair)

        def prompt(sample: Sample) -> Sequence[Message]:
            text, asked = [{"text": sample.context}], [{"question": sample.text}]
            return self.prompt_builder.call("selection/answer", text=text, asked=asked)

        scorers: dict[str, Scorer] = {
            "ngrams": partial(scores.ngram_similarity, size=scores.SIZE, fold=self.fold),
            scores.ROUND_TRIP: partial(scores.round_trip, prompt=prompt, calls=calls, fold=self.fold),
            **scores.prompt_scorers(self.dimensions, self.prompt_builder, calls),
        }
        samples = [Sample(question, passage.context, answer) for question, answer in pairs.values()]
        best, by_name = scores.select(samples, scorers)
        written = [StudyCandidate(*pair, scored) for pair, scored in zip(pairs.values(), by_name, strict=True)]
        return StudyQuestion(passage, written, best)

    def _write(self, passage: Passage, model: ChatModel, calls: Calls) -> tuple[str, str] | None:
        """Return a question with its answer; None if the reply is unusable. Raises ModelError."""
        about = {"answer": passage.answer} if passage.answer else {"sentence": passage.sentence}
        prompt = self.prompt_builder.call("selection/question", text=[{"text": passage.context}], about=[about])
        try:
            fields = parse_reply(calls.hear(prompt, model), _WRITTEN).fields
        except UNUSABLE_REPLY:
            return None
        question, answer = fields.get("question"), passage.answer or fields.get("answer")
        return (question, answer) if question and answer else None
