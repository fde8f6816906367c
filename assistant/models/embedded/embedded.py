"""The embedded model: a small in-context learner for words, letters and told facts, without a language model.

It reads the prompt of a remote model, infers an operation from each example (`induction`), finds the task and the
subject of the question (`tasks`, `reader`), and answers with a lexicon. It applies clarifications as in MemPrompt,
section 3.4, without a trained model; one that it does not understand changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING

from assistant.feedback.completing import complete_change
from assistant.feedback.corrections import parse_correction, shows_correction
from assistant.feedback.fact_messages import asks
from assistant.feedback.reach import had_note
from assistant.language.asked_word import marked_words, words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.model_usage import Count, ignore_usage
from assistant.models.embedded.answers import WordRequest
from assistant.models.embedded.corrections import CorrectionReader
from assistant.models.embedded.facts import FactAnswers, write_tags
from assistant.models.embedded.induction import Demonstration
from assistant.models.embedded.lessons import LessonBook, Noted
from assistant.models.embedded.phrases import reply_to, say, small_talk, voice
from assistant.models.embedded.prompt_reader import PromptQuestion, read_question
from assistant.models.embedded.reader import NOT_UNDERSTOOD, RequestReader
from assistant.models.embedded.relations import SensePicker
from assistant.models.embedded.tasks import TOLD, TaskFinder
from assistant.reply.grammar import ANSWER, GRAMMAR, NONE_FOLLOWED, READINGS, UNDERSTANDING
from assistant.sentences import Sentence

if TYPE_CHECKING:
    from assistant.ports import ChatModel, Embedder
    from assistant.types import Message, Turn

_LONGEST_QUESTION = 400  # characters; longer questions are not about a word
_PIECES = re.compile(r"\S+\s*|\s+")
_READINGS = 3  # other possible operations
_SURELY_TOLD, _HARDLY_TOLD = 0.6, 0.05  # minimum probability of a fact: in any form, and in the form of a statement


class EmbeddedModel:
    """`ChatModel` without a language model. Thread-safe.

    Args:
        languages: word lists of the languages of questions.
        embedder: for similarity of meaning. Without one, or if it fails, only the wording counts.
    """

    name = "embedded"
    writes_keys = False
    window = 32_768

    def __init__(self, languages: Languages, embedder: Embedder | None = None) -> None:
        tasks = TaskFinder(languages, embedder)
        self._languages, self._tasks = languages, tasks
        self._reader = RequestReader(languages, tasks)
        self._answers = self._reader.answers
        self._corrections = CorrectionReader(languages, tasks, SensePicker(languages, embedder), self._reader)
        self._facts, self._lessons = FactAnswers(languages), LessonBook(languages)

    def start(self) -> None:
        """Load the probes in the background, so that the first question does not wait for them."""
        Thread(target=self._tasks.asked, args=("", ""), name="load-probes", daemon=True).start()

    def close(self) -> None:
        """Do nothing; part of the interface of models."""

    def follows(self, corrected: Turn, said: str) -> bool:
        """Return True if a correction names the task of a question that was declined, or answered with a wrong note.

        A question that this model does not understand counts as declined, even if another model answered it.
        """
        is_declined = corrected.reply.understanding == NOT_UNDERSTOOD or had_note(corrected)
        if not is_declined and self._reader.alone(PromptQuestion(corrected.question), ()):
            return False
        return self._corrections.names_task(said)

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:  # noqa: ARG002
        """Yield the reply, word by word. Deterministic; counts no tokens."""
        yield from _PIECES.findall(self._reply(messages))

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """Return itself, and models that give its next-best readings and answers, in place of sampling."""
        return [self, *(NextReading(self, place) for place in range(count - 1))]

    def next_best(self, messages: Sequence[Message]) -> Iterator[str]:
        """Yield replies by other readings of a question and other answers; none if it has notes."""
        asked = read_question(messages[-1].content)
        if asked.said or len(asked.question) > _LONGEST_QUESTION or self._at_once(asked):
            return
        if request := self._reader.alone(asked, self._reader.demos(messages)):
            answers = self._answers.all(asked.question, request.operation, request.subject)
            further = (replace(request, skip=place) for place in range(1, len(answers)))
            for one in chain(self._reader.others(asked, request), further):
                yield self._written(asked, one)

    def _reply(self, messages: Sequence[Message]) -> str:
        asked = read_question(messages[-1].content)
        if len(asked.question) > _LONGEST_QUESTION:
            return self._declined(asked)
        demos = self._reader.demos(messages)
        if correction := self._correction(asked, demos):
            return f"<correction>{correction}</correction>"
        return self._at_once(asked) or (self._corrected(asked, demos) if asked.said else self._answered(asked, demos))

    def _corrected(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> str:
        """Apply the first note that can be followed; else answer without notes, and say so."""
        told = self._facts.unsettled(asked)
        alone = None if told else self._reader.alone(asked, demos)
        if not told and not self._small_talk(asked):
            for said, about in zip(asked.said, asked.about, strict=True):
                if request := self._corrections.followed(asked, said, about, alone, demos):
                    return self._written(asked, request)
        if alone:
            return f"{NONE_FOLLOWED}\n{self._written(asked, alone)}"
        return self._put_right(asked) or (f"{NONE_FOLLOWED}\n{told}" if told else self._declined(asked))

    def _answered(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> str:
        likely = self._tasks.asked(asked.question, asked.question)
        reasoner = self._facts.reasoner
        is_asking = asks(asked.question, self._languages) or reasoner.read(asked.question).is_question
        is_asking = is_asking or reasoner.wishes(asked.question) or bool(marked_words(asked.question))
        is_told = likely[TOLD] >= _SURELY_TOLD and not is_asking
        if not is_told and (told := self._facts.unsettled(asked)):
            return told
        request = self._reader.alone(asked, demos)
        if request is None:
            kept = self._facts.noted(asked, asked.question) if is_told else ""
            return kept or self._small_talk(asked, likely) or self._declined(asked)
        others = (self._answers.understood(asked.question, one) for one in self._reader.others(asked, request))
        understood = chain(self._answers.by_sense(asked.question, request), others)
        readings = islice((one for one in understood if self._is_followed(asked, one, request, demos)), _READINGS)
        return self._written(asked, request, [*readings])

    def _is_followed(
        self, asked: PromptQuestion, reading: str, request: WordRequest, demos: Sequence[Demonstration]
    ) -> bool:
        """Return True if a reading, given as a correction, is understood as that reading."""
        followed = self._corrections.followed(asked, reading, asked.question, request, demos)
        return followed is not None and self._answers.understood(asked.question, followed) == reading

    def _declined(self, asked: PromptQuestion) -> str:
        at = voice(self._languages.language, asked.question)
        answer = say("what_i_am", at) if at else str(Sentence("embedded.what_i_am"))
        told = {UNDERSTANDING.name: NOT_UNDERSTOOD, ANSWER.name: answer}
        return (f"{NONE_FOLLOWED}\n" if asked.said else "") + GRAMMAR.written(told)

    def _small_talk(self, asked: PromptQuestion, likely: Mapping[str, float] = MappingProxyType({})) -> str:
        kind = small_talk(asked.question, likely)
        return reply_to(kind, voice(self._languages.language, asked.question)) if kind else ""

    def _written(self, asked: PromptQuestion, request: WordRequest, readings: Sequence[str] = ()) -> str:
        told = {
            UNDERSTANDING.name: self._answers.understood(asked.question, request),
            ANSWER.name: self._answers.said(asked.question, request),
        }
        return GRAMMAR.written(told | ({READINGS.name: "\n".join(readings)} if readings else {}))

    def _at_once(self, asked: PromptQuestion) -> str:
        """Return the reply of small talk, facts or lessons, or one that stores a fact; else an empty text."""
        if asked.instead:
            return self._facts.kept(asked)
        if not asked.said and (talk := self._facts.forgotten(asked) or self._small_talk(asked)):
            return talk
        told = self._facts.told_otherwise(asked) if asked.previous and not asked.said else ""
        settled = told or self._facts.settled(asked)
        if settled or (asked.previous and shows_correction(asked.question)):
            return (self._put_right(asked) if settled and asked.said else "") or settled
        if (learnt := self._learnt(asked)) or asked.said:
            return learnt
        kept = self._facts.kept(asked)
        if kept or self._facts.is_about_words(asked.question):
            return kept
        likely = self._tasks.asked(asked.question, asked.question)
        said = self._facts.reasoner.read(asked.question)
        is_over = said.negative and said.says_now  # "I don't like tea any more"
        return self._facts.told(asked) if is_over or likely[TOLD] >= _HARDLY_TOLD else ""

    def _put_right(self, asked: PromptQuestion) -> str:
        """Return the reply to a question whose value a correction gives; else an empty text."""
        if any(map(self._corrections.is_of_form, asked.said)):
            return ""
        return self._facts.put_right(asked)

    def _learnt(self, asked: PromptQuestion) -> str:
        solved = self._lessons.solve(asked.question, [Noted(one.key, one.rule) for one in asked.lessons])
        if solved is None:
            return ""
        at, note = voice(self._languages.language, asked.question), str(asked.lessons[solved.rests_on].note)
        return write_tags(
            notes=note, understanding=say("asked_learnt", at, question=asked.question), answer=solved.answer
        )

    def _correction(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> str:
        """Return the meaning of the message before, if this one corrects it; else an empty text."""
        if not asked.previous:
            return ""
        is_change = complete_change(asked.question, asked.previous, self._facts.reasoner)
        if is_change or self._facts.picks(asked):
            return asked.question
        if corrected := parse_correction(asked.question):
            return corrected.meant
        if asked.question.endswith("?") or not shows_correction(asked.question):
            return ""
        restated = self._reader.alone(PromptQuestion(asked.question), demos)
        word = restated.subject.word if restated else ""
        is_known = not lexicon().find(word) or word in words_in(asked.previous)
        is_new = not is_known and not self._reader.subjects.explains(word)
        return "" if is_new or not self._corrections.names_task(asked.question) else asked.question


@dataclass(frozen=True, slots=True)
class NextReading:
    """`ChatModel` that gives one of the next-best readings of the embedded model."""

    model: EmbeddedModel
    place: int  # index of the reading
    name = EmbeddedModel.name
    writes_keys = EmbeddedModel.writes_keys
    window = EmbeddedModel.window

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:  # noqa: ARG002
        """Yield the reply, word by word; nothing if there is no such reading."""
        yield from _PIECES.findall(next(islice(self.model.next_best(messages), self.place, None), ""))
