"""The embedded model: an in-context learner for questions about words. It is no language model, and says so.

It reads the very prompt that a remote model would get, infers from its examples which operation each stands for
(`demonstrations`, `induction`), finds the operation that a question, or what was said about it, asks for (`matching`),
and performs it with a lexicon. A clarification is one more thing that it is told: MemPrompt, section 3.4, without a
trained model. Below a margin it says that it cannot do this.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING

from assistant.feedback.corrections import correction_in, shows_correction
from assistant.feedback.reach import had_note
from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.model_usage import Count, not_counted
from assistant.models.embedded.demonstrations import Demonstration
from assistant.models.embedded.from_facts import FromFacts
from assistant.models.embedded.lessons.book import LessonBook
from assistant.models.embedded.lessons.from_lessons import FromLessons
from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.matching import Match, Matcher
from assistant.models.embedded.operations import NAMED, Subject, definitions
from assistant.models.embedded.prompt_reader import PromptQuestion, read_question
from assistant.models.embedded.question_reader import NOT_UNDERSTOOD, QuestionReader
from assistant.models.embedded.small_talk import small_talk
from assistant.models.embedded.subjects import SubjectFinder
from assistant.reply.grammar import ANSWER, GRAMMAR, NONE_FOLLOWED, READINGS, UNDERSTANDING
from assistant.sentences import Sentence

if TYPE_CHECKING:
    from assistant.ports import ChatModel, Embedder
    from assistant.types import Message, Turn

_LONGEST_QUESTION = _LONGEST_SAID = 400  # characters; a longer question is not one about a word
WHAT_I_AM = str(Sentence("embedded.what_i_am"))
_NOTHING_FOLLOWED = f"{NONE_FOLLOWED}\n"
_PIECES = re.compile(r"\S+\s*|\s+")
_FURTHER = 2  # answers to what a question asks for
_LESS_LIKELY = 0.9  # as sure at most as what it takes a question for itself


class EmbeddedModel:
    """The embedded example-follower, a `ChatModel`. Safe to share between threads.

    Args:
        languages: what it knows of the languages in which people ask.
        embedder: for similarity of meaning. Without one, or while it fails, it goes by wording alone.
    """

    name = "embedded"
    writes_keys = False
    window = 32_768

    def __init__(self, languages: Languages, embedder: Embedder | None = None) -> None:
        told = [text for each in definitions().values() for text in (*each.english, *each.others)]
        self._subjects = SubjectFinder(
            languages, frozenset(word.folded for text in told for word in languages.words(text))
        )
        self._facts = FromFacts(languages)
        self._matcher = Matcher(languages, Likeness(languages, embedder))
        self._lessons = FromLessons(LessonBook.of(languages, embedder), languages)
        self._reader = QuestionReader(languages, self._subjects, self._matcher)

    def start(self) -> None:
        """Encode the definitions in the background, so that the first question does not wait for that."""
        Thread(target=self._matcher.warm, name="encode-definitions", daemon=True).start()

    def close(self) -> None:
        """Nothing has to be ended."""

    def follows(self, corrected: Turn, said: str) -> bool:
        """Whether what was said tells what was wanted of a question that was declined, or a note about it misread.

        What another model answered counts as declined where this one makes nothing of the question.
        """
        is_declined = corrected.reply.understanding == NOT_UNDERSTOOD or had_note(corrected)
        # What was asked has just been read, and is known; what was said has not.
        if not is_declined and self._reader.wanted(PromptQuestion(corrected.question), ())[0] is not None:
            return False
        return self._matcher.said(said[:_LONGEST_SAID], (), ()) is not None

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        """The reply, word by word. The same messages give the same reply. It has no tokens that could be counted."""
        yield from _PIECES.findall(self._reply(messages))

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """It does not draw: the others go by its next-best readings and answers."""
        return [self, *(NextReading(self, place) for place in range(count - 1))]

    def next_best(self, messages: Sequence[Message]) -> Iterator[str]:
        """The replies by what else a question may ask for, or may be answered; none where something was said of it.

        First what is near enough to be meant, then further answers to what is, then what is less likely meant.
        """
        asked = read_question(messages[-1].content)
        if len(asked.question) > _LONGEST_QUESTION or asked.said or self._from_facts(asked):
            return
        demos = self._reader.demos(messages)
        match, _, subject = self._reader.wanted(asked, demos)
        if match is None or subject is None:
            return

        def written(understanding: str, answer: str) -> str:
            return GRAMMAR.written({UNDERSTANDING.name: understanding, ANSWER.name: answer})

        for reading, other, about in self._reader.other_readings(asked, match, subject, demos):
            yield written(reading, self._reader.answer(asked, other.operation, about))
        understood = self._reader.understood(asked, match, subject)
        for answer in self._reader.solved(match.operation, subject, asked)[1 : 1 + _FURTHER]:
            yield written(understood, answer)
        known = {match.operation, *match.others}
        farther = tuple(each for each in self._reader.ranked(asked, subject) if each not in known)
        for reading, other, about in self._reader.other_readings(asked, replace(match, others=farther), subject, demos):
            yield written(reading, self._reader.answer(asked, other.operation, about))

    def sureness(self, messages: Sequence[Message], understanding: str, answer: str) -> float:
        """How near a question is to what it was taken for, less for each answer that is better; 1 the first of all."""
        asked, match, subject, is_likeliest = self._taken_for(messages, understanding)
        if match is None or subject is None:
            return 0.0
        near = 1.0 if is_likeliest else _LESS_LIKELY * self._reader.ranked(asked, subject).get(match.operation, 0.0)
        answers = self._reader.solved(match.operation, subject, asked)
        return near / (1 + answers.index(answer)) if answer in answers else 0.0

    def _taken_for(
        self, messages: Sequence[Message], understanding: str
    ) -> tuple[PromptQuestion, Match | None, Subject | None, bool]:
        """A question, what it asks for and of what where that is what is meant, and whether that is the likeliest."""
        asked, demos = read_question(messages[-1].content), self._reader.demos(messages)
        match, _, subject = self._reader.wanted(asked, demos)
        if match and subject and self._reader.understood(asked, match, subject) == understanding:
            return asked, match, subject, True
        said = replace(asked, said=(understanding[:_LONGEST_SAID],), about=(asked.question,))
        match, _, subject = self._reader.wanted(said, demos)
        return asked, match, subject, False

    def comes_back(self, messages: Sequence[Message], understanding: str, answer: str) -> float:
        """Whether, from an answer about what a question names, one would guess its understanding: 1, or else 0.

        One guesses the operation that gives this answer and the fewest others. It comes back no better than those
        that are better answers.
        """
        asked, match, subject, _ = self._taken_for(messages, understanding)
        if match is None or subject is None:
            return 0.0
        answers = self._reader.solved(match.operation, subject, asked)
        others = [self._reader.solved(each, subject, asked) for each in NAMED.values()]
        better = answers[: answers.index(answer) + 1] if answer in answers else ()
        fewest = [min(len(found) for found in (*others, answers) if one in found) for one in better]
        return float(bool(fewest) and len(answers) <= min(fewest))

    def _reply(self, messages: Sequence[Message]) -> str:
        asked = read_question(messages[-1].content)
        if len(asked.question) > _LONGEST_QUESTION:
            return _declined(asked)
        demos = self._reader.demos(messages)
        if correction := self._correction(asked, demos):
            return f"<correction>{correction}</correction>"
        talk = "" if asked.said else small_talk(asked.question)
        if at_once := talk or self._from_facts(asked):
            return at_once
        match, is_followed, subject = self._reader.wanted(asked, demos)
        if asked.said and not is_followed and (learnt := self._lessons(asked)):
            return learnt  # what was said of it tells nothing to do
        if match is None or subject is None:
            return ("" if asked.said else self._facts.untold(asked)) or _declined(asked)
        unused = _NOTHING_FOLLOWED if asked.said and not is_followed else ""
        understood = self._reader.understood(asked, match, subject)
        told = {UNDERSTANDING.name: understood, ANSWER.name: self._reader.answer(asked, match.operation, subject)}
        others = [] if asked.said else self._reader.other_readings(asked, match, subject, demos)
        readings = [reading for reading, *_ in others]
        return unused + GRAMMAR.written(told | ({READINGS.name: "\n".join(readings)} if readings else {}))

    def _from_facts(self, asked: PromptQuestion) -> str:
        """The reply that goes by what was told, or notes it; empty where something is wanted of a word."""
        if asked.instead:
            return self._facts.kept(asked)
        corrects = bool(asked.previous) and shows_correction(asked.question)
        if (settled := self._facts.settled(asked)) or asked.said or corrects:
            return settled
        if learnt := self._lessons(asked):
            return learnt
        if (kept := self._facts.kept(asked)) or self._facts.is_about_words(asked.question):
            return kept
        return self._facts.untold(asked) or self._facts.told(asked)

    def _correction(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> str:
        """What a message says was meant by the one before it; empty where it says nothing like that."""
        if not asked.previous:
            return ""
        if corrected := correction_in(asked.question):
            return corrected.meant
        if asked.question.endswith("?") or not shows_correction(asked.question):
            return ""
        known = {*self._reader.phrasing(demos), *self._subjects.folded(words_in(asked.previous))}
        return (
            ""
            if self._subjects.asks(asked.question, known) or self._matcher.said(asked.question, demos, ()) is None
            else asked.question
        )


@dataclass(frozen=True, slots=True)
class NextReading:
    """A `ChatModel`: the embedded one, which takes a question for what it asks for less likely."""

    model: EmbeddedModel
    place: int  # among those readings, from 0
    name = EmbeddedModel.name
    writes_keys = EmbeddedModel.writes_keys
    window = EmbeddedModel.window

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        """The reply, word by word; nothing where there is no such reading."""
        yield from _PIECES.findall(next(islice(self.model.next_best(messages), self.place, None), ""))


def _declined(asked: PromptQuestion) -> str:
    told = {UNDERSTANDING.name: NOT_UNDERSTOOD, ANSWER.name: WHAT_I_AM}
    return (_NOTHING_FOLLOWED if asked.said else "") + GRAMMAR.written(told)
