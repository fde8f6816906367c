"""Write study questions about a text: several for each passage, of which the best is kept (Yuan et al., 2023).

section 2         `Study.passages`: the context c, and the answer a or, if none is given, a sentence
appendix A        `Study._write`: a model asks a question, and answers it unless the answer is given
sections 2 to 4   `Study._make`: each question is answered again from the text, scored, and the best is selected
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from assistant.errors import InputError
from assistant.limits import UNLIMITED, Allowance
from assistant.model_usage import ignore_usage
from assistant.papers.calls import UNUSABLE_REPLY, Calls
from assistant.papers.selection import scoring
from assistant.papers.selection.scoring import ROUND_TRIP, Fold, Sample, Scorer
from assistant.ports import ChatModel, Drafting
from assistant.prompt.prompt import PromptBuilder
from assistant.reply.parser import Grammar, Tag, parse_reply
from assistant.settings import MOST_DRAFTS
from assistant.text.sentences import sentences_of
from assistant.turn import TurnParts
from assistant.types import Scope

SAMPLES = 3
"""Default number of questions per passage; the maximum is `MOST_DRAFTS`."""
_MOST_PASSAGES = 500  # of one text
_LONGEST_CONTEXT, _LONGEST_PAIR = 6_000, 1_000  # characters of a context; of a question and its answer
_FEWEST = 3  # minimum words of a sentence that gets a question
_WRITTEN = Grammar((Tag("question"), Tag("answer")))
# Small local models ignore the form and the request in the system text, so both are repeated: the form as GBNF.
_FORM = r'root ::= "<question>" [^<>\n?]{8,200} "?</question>\n<answer>" [^<>\n]{1,300} "</answer>"'
_WRITE = "Now write the question that has this answer."


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence that gets a question."""

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
    """The questions for one passage. There may be none."""

    passage: Passage
    all: Sequence[StudyCandidate]  # in the order of their models
    kept: StudyCandidate | None  # the best


@dataclass(frozen=True, slots=True)
class Study:
    """Generator of study questions with a language model."""

    model: ChatModel
    prompt_builder: PromptBuilder
    fold: Fold
    allowance: Allowance = UNLIMITED
    can_write: bool = True  # the embedded model cannot

    def with_parts(self, parts: TurnParts) -> Self:
        """Return a copy with the language model and the prompt builder of `parts`; self if they are empty."""
        if not parts:
            return self
        return replace(self, model=parts["model"], prompt_builder=parts["prompt_builder"], can_write=True)

    def passages(self, text: str, answers: Sequence[str] = ()) -> list[Passage]:
        """Return a passage for each answer: the sentence that shares most words with it.

        Without answers, return a passage for each sentence of three words or more.
        Raises InputError if the model cannot write.
        """
        if not self.can_write:
            raise InputError("study.needs_model")
        sentences = sentences_of(re.sub(r"\n(?<=[^\n]{50}\n)(?=\S)", " ", text))  # joins hard-wrapped lines
        wanted = [answer.strip() for answer in answers if answer.strip()][:_MOST_PASSAGES]
        if wanted and sentences:
            words = [(sentence, frozenset(self.fold(sentence).split())) for sentence in sentences]
            owns = [frozenset(self.fold(answer).split()) for answer in wanted]
            found = [max(words, key=lambda one: len(own & one[1]))[0] for own in owns]
        else:
            found = [sentence for sentence in sentences if len(sentence.split()) >= _FEWEST][:_MOST_PASSAGES]
            wanted = [""] * len(found)
        whole, passages = " ".join(sentences), []
        for sentence, answer in zip(found, wanted, strict=True):
            start = max(0, min(whole.index(sentence) - _LONGEST_CONTEXT // 2, len(whole) - _LONGEST_CONTEXT))
            passages.append(Passage(sentence, whole[start : start + _LONGEST_CONTEXT], answer))
        return passages

    def most_calls(self, passages: int, count: int) -> int:
        """Return the maximum number of calls for `passages` passages with `count` questions each.

        Each question takes a call to write and a call to answer. A single question is not scored, so it takes one.
        """
        return passages * count * 2 if count > 1 else passages

    def questions(
        self, passages: Iterable[Passage], count: int, scope: Scope
    ) -> Generator[StudyQuestion | None, None, None]:
        """Yield `count` scored questions for each passage, and None while a model writes.

        Closing the generator ends all calls. Each call is rate-limited like an answer. Raises ModelError and TooOften,
        after yielding the questions of earlier passages.
        """
        count = min(count, MOST_DRAFTS)
        for passage in passages:
            calls = Calls(self.model, ignore_usage, MOST_DRAFTS)
            self.allowance.turn(scope, self.most_calls(1, count))
            (made,) = yield from calls.results([partial(self._make, passage, count, calls)], None)
            yield made

    def _make(self, passage: Passage, count: int, calls: Calls) -> StudyQuestion:
        """Write the questions for a passage, score them, and select the best."""
        models = self.model.drafting(count) if isinstance(self.model, Drafting) and count > 1 else [self.model]
        calls = replace(calls, model=models[0])  # questions are answered greedily (appendix D)
        pairs: dict[str, tuple[str, str]] = {}  # by folded question
        writing = [partial(self._write, passage, replace(calls, model=one)) for one in models]
        for pair in filter(None, calls.all_of(writing)):
            pairs.setdefault(self.fold(pair[0]), pair)

        def by_round_trip(samples: Sequence[Sample]) -> Sequence[float]:
            build, text = self.prompt_builder.call, [{"text": passage.context}]
            prompts = [build("selection/answer", text=text, asked=[{"question": one.text}]) for one in samples]
            return scoring.round_trip(samples, prompts, calls, self.fold)

        by_ngrams = partial(scoring.ngram_similarity, size=scoring.SIZE, fold=self.fold)
        scorers: dict[str, Scorer] = {"ngrams": by_ngrams, ROUND_TRIP: by_round_trip}
        best, scores = scoring.select(
            [Sample(asked, passage.context, answer) for asked, answer in pairs.values()], scorers
        )
        written = [StudyCandidate(*pair, scored) for pair, scored in zip(pairs.values(), scores, strict=True)]
        return StudyQuestion(passage, written, written[best] if written else None)

    def _write(self, passage: Passage, calls: Calls) -> tuple[str, str] | None:
        """Return a question with its answer; None if the reply is unusable. Raises ModelError."""
        about = {"answer": passage.answer} if passage.answer else {"sentence": passage.sentence}
        system, user = self.prompt_builder.call("selection/question", text=[{"text": passage.context}], about=[about])
        asked = f"{user.content}\n{_WRITE}" if passage.answer else user.content
        prompt = system, replace(user, content=asked, grammar=_FORM)
        try:
            fields = parse_reply(calls.hear(prompt), _WRITTEN).fields
        except UNUSABLE_REPLY:
            return None
        question, answer = (" ".join(str(fields.get(name, "")).split()) for name in ("question", "answer"))
        answer = passage.answer or answer
        return (question, answer) if question and answer and len(question + answer) <= _LONGEST_PAIR else None
