"""Study questions that a language model writes, and answers again from the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from assistant.papers.calls import Calls
from assistant.ports import ChatModel
from assistant.prompt.envelope import Row
from assistant.prompt.prompt import Prompting
from assistant.reply.grammar import Grammar, Tag
from assistant.reply.parser import parse_reply
from assistant.selection.draft_scores import ROUND_TRIP, SIZE
from assistant.selection.drafts import Drafting
from assistant.selection.ngram import Fold, NGrams, likeness
from assistant.selection.prompt_scores import OF_ONE_CALL, Dimension, by_prompts
from assistant.selection.round_trip import Allow, RoundTrip, heard
from assistant.selection.scorer import Sample, Scorer
from assistant.selection.study.passages import Passage
from assistant.text.cleaning import for_prompt
from assistant.types import Message

NGRAMS = "ngrams"
"""Name of the score by n-grams."""
_LONGEST = 500  # characters of a question, or of its answer
_QUESTION, _ANSWER = Tag("question"), Tag("answer")
_WRITTEN, _ANSWERED = Grammar((_QUESTION, _ANSWER)), Grammar((_ANSWER,))


@dataclass(frozen=True, slots=True)
class WritesByModel:
    """Write questions: one greedily, the others at a temperature, side by side; one call each.

    As in the paper, the model reads the text, asks a question, and answers it, unless the answer is given. One more
    call answers each question from the text; how like that answer is, is F1 of the words.
    """

    model: ChatModel
    prompting: Prompting
    fold: Fold
    dimensions: Sequence[Dimension] = ()

    def calls(self, count: int) -> int:
        """Return the most calls that so many questions about a passage need."""
        return 2 * count if count > 1 else 1  # of one, nothing has to be compared

    def judging(self, count: int) -> int:
        """Return how many calls are made besides, where so many are allowed."""
        return 2 * len(self.dimensions) * count if count > 1 else 0

    def __call__(self, passage: Passage, count: int, calls: Calls) -> Sequence[tuple[str, str]]:
        """Return at most so many different questions, each with its answer, the likeliest first. Raises ModelError."""
        models = self.model.drafting(count) if isinstance(self.model, Drafting) and count > 1 else [self.model]
        written = calls.all_of([partial(self._written, passage, model, calls) for model in models])
        different: dict[str, tuple[str, str]] = {}
        for pair in written:
            if pair:
                different.setdefault(self.fold(pair[0]), pair)
        return [*different.values()]

    def scorers(self, calls: Calls, allow: Allow) -> Mapping[str, Scorer]:
        """Return by name those by which the questions of one passage are scored."""
        back = RoundTrip(lambda samples: self._answers(samples, calls), self._alike)
        judged = by_prompts(self.dimensions, self.prompting, calls, allow)
        return {NGRAMS: NGrams(SIZE, self.fold), ROUND_TRIP: back, **judged}

    def _written(self, passage: Passage, model: ChatModel, calls: Calls) -> tuple[str, str] | None:
        about: list[Row] = [
            {"answer": passage.answer} if passage.answer else {"sentence": for_prompt(passage.sentence)}
        ]
        prompt = self.prompting.call("selection/question", text=[{"text": for_prompt(passage.context)}], about=about)
        try:
            fields = parse_reply(calls.hear(prompt, model), _WRITTEN).fields
        except OF_ONE_CALL:
            return None
        question, answer = (_line(fields.get(tag.name)) for tag in (_QUESTION, _ANSWER))
        answer = passage.answer or answer
        return (question, answer) if question and answer else None

    def _answers(self, samples: Sequence[Sample], calls: Calls) -> Sequence[str]:
        def prompt(sample: Sample) -> Sequence[Message]:
            asked: list[Row] = [{"question": for_prompt(sample.text)}]
            return self.prompting.call("selection/answer", text=[{"text": for_prompt(sample.context)}], asked=asked)

        replies = heard(prompt, samples, calls, lambda _: None)  # they are allowed with those that they answer
        return [_line(parse_reply(reply, _ANSWERED).fields.get(_ANSWER.name)) or reply for reply in replies]

    def _alike(self, answer: str, wanted: str) -> float:
        return likeness(self.fold(answer), self.fold(wanted))


def _line(said: object) -> str:
    """What stands between tags, in one line; empty where that is nothing, or too long."""
    line = " ".join(said.split()) if isinstance(said, str) else ""
    return line if len(line) <= _LONGEST else ""
