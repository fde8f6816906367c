"""The embedded model: a small in-context learner for words, letters and told facts, without a language model.

It reads the prompt of a remote model, infers an operation from each example (`induction`), finds the task and the
subject of the question (`reader`), and answers with a lexicon. It applies clarifications as in MemPrompt, section 3.4,
without a trained model; one that it does not understand changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain, islice
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING

from assistant.feedback.corrections import (
    DENIES,
    denies,
    parse_correction,
    remove_denied,
    replace_denied_word,
    shows_correction,
)
from assistant.feedback.fact_messages import asks, speaks_of_words
from assistant.feedback.learning import had_note
from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.model_usage import Count, ignore_usage
from assistant.models.embedded.facts import FactAnswers
from assistant.models.embedded.following import Correction, is_of_form, names_task, understand
from assistant.models.embedded.lessons import LessonBook, Noted
from assistant.models.embedded.operations import LANGUAGES, Demonstration
from assistant.models.embedded.phrases import say, small_talk, voice, write_tags
from assistant.models.embedded.prompt_reader import PromptQuestion, read_question
from assistant.models.embedded.reader import NOT_UNDERSTOOD, RequestReader, WordRequest
from assistant.models.embedded.tasks import TOLD, TaskFinder, mask_word
from assistant.reply.parser import NONE_FOLLOWED
from assistant.sentences import Sentence

if TYPE_CHECKING:
    from assistant.ports import ChatModel, Embedder
    from assistant.types import Message, Turn

_LONGEST_QUESTION = 400  # characters; longer questions are not about a word
_PIECES = re.compile(r"\S+\s*|\s+")
_FEW_WORDS = 2
_LINK = "link"  # kind of words
_SURELY_TOLD = 0.6  # minimum probability of a fact in any form
_SHOWN_BY = frozenset({"sense", "wrong", "another"})  # kinds of corrections
_LEAST_SHOWN = 0.75  # minimum probability of one; "talk about harbor" has .59


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
        self._languages, self._tasks = languages, TaskFinder(languages, embedder)
        self._reader = RequestReader(self._tasks)
        self._facts, self._lessons = FactAnswers(languages), LessonBook(languages)
        self._place = 0  # index among its drafts

    def start(self) -> None:
        """Load the probes in the background, so that the first question does not wait for them."""
        Thread(target=self._tasks.asked, args=("", ""), name="load-probes", daemon=True).start()

    def close(self) -> None:
        """Do nothing; part of the interface of models."""

    def follows(self, corrected: Turn, said: str) -> bool:
        """Return True if a correction names a task, and its question was declined, unclear or answered by a wrong note.

        Questions that this model does not understand count as declined, even if another model answered them.
        """
        asked = PromptQuestion(corrected.question)
        is_declined = corrected.reply.understanding == NOT_UNDERSTOOD or had_note(corrected)
        is_read = not is_declined and (request := self._reader.alone(asked)) and self._reader.is_sure(asked, request)
        return not is_read and names_task(self._reader, said)

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:  # noqa: ARG002
        """Yield the reply, word by word. Deterministic; counts no tokens."""
        further = self._next_best(messages) if self._place else iter([self._reply(messages)])
        yield from _PIECES.findall(next(islice(further, max(self._place - 1, 0), None), ""))

    def drafting(self, count: int) -> Sequence[ChatModel]:
        """Return itself, and models that give its next-best readings and answers, in place of sampling."""
        models = [copy(self) for _ in range(count)]
        for place, model in enumerate(models):
            model._place = place
        return models

    def _next_best(self, messages: Sequence[Message]) -> Iterator[str]:
        """Yield replies by other readings of a question without notes about a word, then other answers to it."""
        asked, demos = read_question(messages[-1].content), self._reader.demos(messages)
        request = None if asked.said else self._reader.alone(asked, demos)
        if request and self._reader.written(asked.question, request) in self._reply(messages):
            answers = self._reader.answers(asked.question, request.operation, request.subject)
            further = (replace(request, given=[answer]) for answer in answers[1:])
            for one in chain(self._reader.others(asked, request), further):
                yield self._reader.written(asked.question, one)

    def _reply(self, messages: Sequence[Message]) -> str:
        asked, demos = read_question(messages[-1].content), self._reader.demos(messages)
        if len(asked.question) > _LONGEST_QUESTION:
            return self._declined(asked)
        if correction := self._correction(asked, demos):
            return f"<correction>{correction}</correction>"
        if asked.instead:
            return self._facts.corrected(asked)
        return next(filter(None, (self._corrected if asked.said else self._answered)(asked, demos)))

    def _answered(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> Iterator[str]:
        """Yield replies to a message without notes, best first; an empty one means that its rule does not apply."""
        facts, request = self._facts, self._reader.alone(asked, demos)
        yield facts.forgotten(asked) or self._small_talk(asked)
        is_of_words = request and (request.demo or speaks_of_words(asked.question, self._languages))
        yield "" if is_of_words else facts.settled(asked)
        yield self._learnt(asked)
        likely = self._tasks.asked(asked.question, asked.question)
        # After a question about a word, "without dashes" is not a fact.
        is_after_word = bool(asked.previous and self._reader.alone(PromptQuestion(asked.previous)))
        is_no_fact = is_of_words or (is_after_word and not facts.reasoner.triples(asked.question))
        yield facts.told(asked, likely=0.0 if is_no_fact else likely[TOLD])
        is_told = not is_no_fact and likely[TOLD] >= _SURELY_TOLD and facts.may_state(asked.question)
        is_about_noted = small_talk(asked.question, likely) == "asked_who"  # "how can you help me?" is about no fact
        if not (is_told or is_of_words or is_about_noted):
            yield facts.unsettled(asked)
        if request:
            yield self._reader.written(asked.question, request, readings=True)
        yield facts.noted(asked, asked.question) if is_told else ""
        is_talk = not speaks_of_words(asked.question, self._languages)  # "translate hello to French" is none
        yield (self._small_talk(asked, likely) if is_talk else "") or self._declined(asked)

    def _corrected(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> Iterator[str]:
        """Yield replies to a question with notes: by the first note with a clear effect, else as without notes."""
        facts, is_form = self._facts, any(is_of_form(self._reader, said) for said in asked.said)
        settled, put_right = facts.settled(asked), "" if is_form else facts.put_right(asked)
        yield (put_right or settled) if settled else self._learnt(asked)
        unsettled = facts.unsettled(asked)
        alone = None if unsettled else self._reader.alone(asked, demos)
        if not self._small_talk(asked):
            for said, about in zip(asked.said, asked.about, strict=True):
                if request := self._followed(asked, said, about, alone, demos):
                    yield self._reader.written(asked.question, request)
        if alone:
            yield f"{NONE_FOLLOWED}\n{self._reader.written(asked.question, alone)}"
        # "In Delhi" adds to a question about the weather; it is not an answer.
        first = [word for said in asked.said for word in self._languages.words(said)[:1]]
        is_detail = not unsettled and any(word.kind == _LINK for word in first)
        yield "" if is_detail else put_right
        yield f"{NONE_FOLLOWED}\n{unsettled}" if unsettled else self._declined(asked)

    def _followed(
        self, asked: PromptQuestion, said: str, about: str, alone: WordRequest | None, demos: Sequence[Demonstration]
    ) -> WordRequest | None:
        if alone:
            return Correction(self._reader, asked, alone, said, about).changed()
        return understand(self._reader, asked, said, self._reader.words(asked, demos))

    def _declined(self, asked: PromptQuestion) -> str:
        is_short = len(words_in(asked.question)) <= _FEW_WORDS  # the language of "bas ek" is unclear
        at = voice(self._reader.spoken, f"{asked.previous} {asked.question}" if is_short else asked.question)
        answer = say("what_i_am", at) or str(Sentence("embedded.what_i_am"))
        return (f"{NONE_FOLLOWED}\n" if asked.said else "") + write_tags(understanding=NOT_UNDERSTOOD, answer=answer)

    def _small_talk(self, asked: PromptQuestion, likely: Mapping[str, float] = MappingProxyType({})) -> str:
        if not (kind := small_talk(asked.question, likely)):
            return ""
        at = voice(self._reader.spoken, asked.question)
        answer = say(f"{kind}_answer", at) or str(Sentence(f"embedded.{kind}_answer"))
        return write_tags(understanding=str(Sentence(f"embedded.{kind}")), answer=answer)

    def _learnt(self, asked: PromptQuestion) -> str:
        solved = self._lessons.solve(asked.question, [Noted(one.key, one.rule) for one in asked.lessons])
        if solved is None:
            return ""
        understanding = say("asked", voice(self._reader.spoken, asked.question), question=asked.question)
        return write_tags(notes=str(asked.lessons[solved[1]].note), understanding=understanding, answer=solved[0])

    def _correction(self, asked: PromptQuestion, demos: Sequence[Demonstration]) -> str:
        """Return the meaning given by this message if it corrects the one before it, else an empty text."""
        if not asked.previous:
            return ""
        if (
            replace_denied_word(asked.question, asked.previous)
            or self._facts.picks(asked)
            or self._facts.gives_value(asked)
        ):
            return asked.question
        if corrected := parse_correction(asked.question):
            return corrected.meant
        message, facts = asked.question, self._facts
        is_of_facts = facts.reasoner.tells(asked.previous) or facts.unsettled(PromptQuestion(asked.previous))
        if is_of_facts or asks(message, self._languages) or self._small_talk(asked):
            return ""
        return message if self._corrects_word(message, asked.previous, demos) else ""

    def _corrects_word(self, message: str, previous: str, demos: Sequence[Demonstration]) -> bool:
        """Return True if a message, which asks nothing, corrects a question about a word."""
        first, own = (self._reader.alone(PromptQuestion(text), demos) for text in (previous, remove_denied(message)))
        word, shows = own.subject.word if own else "", shows_correction(message)
        is_task = names_task(self._reader, message)
        others = {*self._reader.content_words(message)} - {*words_in(previous)}  # "want" is none
        asks_task = own and (own.name in LANGUAGES or names_task(self._reader, mask_word(message, word)))
        if asks_task and word in others and not shows:
            return False  # "meaning of gift" is a question, "a gift" may be a sense
        is_other = word in others and not self._reader.subjects.explains(word)
        if first is None:  # it must name a task and nothing else
            is_bare = not self._reader.new_words(message, (previous, *DENIES))
            return is_task and not is_other and (is_bare or shows)
        changed = Correction(self._reader, PromptQuestion(previous), first, message, previous).changed()
        if changed is not None and changed is not first:
            return True
        if is_other or (word == first.subject.word and not shows):
            return False  # it may ask the same again
        kind, near = next(iter(self._tasks.said(message).items()))
        is_shown = (kind in _SHOWN_BY and near >= _LEAST_SHOWN) or is_of_form(self._reader, message)
        is_denial = denies(message) and not self._facts.reasoner.triples(message)
        return is_denial or is_task or is_shown
