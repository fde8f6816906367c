"""Finds the example of a prompt that a question is closest to.

A question is compared with the questions and understandings of the examples. A question with a clarification is not:
there, what was said is compared with what was said in the examples and with their understandings, since it tells what
was meant. On both sides the word that is asked about is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.models.asked_word import Kind, marked_word, positions_in, words_in
from assistant.models.glossary import Glossary, Tokens, words_of
from assistant.models.lexicon import Lexicon
from assistant.models.likeness import Meanings, token_weights, wording
from assistant.models.phrases import script_of
from assistant.models.prompt_reader import Asked, Example, read_example
from assistant.models.word_finder import WordFinder
from assistant.models.word_tasks import Subject, WordTask, task_named_in, task_shown_by
from assistant.retelling import retelling

# How close the closest example has to be: by wording, or else by meaning. Where the question marks its word (brackets,
# quotes) it is about that word for certain, so less will do.
_LEAST = (0.18, 0.6)
_LEAST_WITH_MARKED_WORD = (0.05, 0.25)
_LEAST_OF_SAID = (0.3, 0.6)
_MEANING_WEIGHT = 0.5
NOT_UNDERSTOOD = "Something for which I have no example, so I do not know what you mean."
_MEANS = frozenset(["meaning", "means", "mean"])
_LONGEST_SAID = 400  # characters that are read of a clarification


@dataclass(frozen=True, slots=True)
class Lesson:
    """An example, ready to be compared and followed.

    Args:
        example: as it stands in the prompt.
        subject: what it asks about; None where that is no word.
        task: what it shows how to do; None where that is nothing that can be done with a word.
        language: of its question, and its script.
        phrasing: the words with which it asks, folded; none where it does not ask about a word.
        questions: what a question is compared with, as tokens.
        explanations: what the words of a clarification are compared with, as tokens.
    """

    example: Example
    subject: Subject | None
    task: WordTask | None
    language: str
    phrasing: frozenset[str]
    questions: tuple[Tokens, ...]
    explanations: tuple[Tokens, ...]


class Learner:
    """Learns from the examples of a prompt, for as long as it reads it.

    Args:
        lexicon: the words it knows.
        fold: brings spellings and scripts of a text together.
        glossary: words for asking about words.
        meanings: likeness of meaning.
    """

    def __init__(self, lexicon: Lexicon, fold: Callable[[str], str], glossary: Glossary, meanings: Meanings) -> None:
        self._lexicon = lexicon
        self._glossary = glossary
        self._words = WordFinder(lexicon, fold, glossary)
        self._meanings = meanings
        self._lesson = lru_cache(maxsize=256)(self._read_lesson)

    def lessons(self, pairs: Sequence[tuple[str, str]]) -> list[Lesson]:
        """What pairs of user message and reply teach; pairs that are no examples are passed over."""
        return [lesson for pair in pairs if (lesson := self._lesson(*pair)) is not None]

    def subject(self, asked: Asked, lessons: Sequence[Lesson]) -> Subject | None:
        """The word a question asks about, if any."""

        def meant() -> WordTask | None:
            lesson = self._meant(asked, (), lessons)
            return lesson.task if lesson else None

        word = self._words.find(asked, _phrasing(lessons), meant)
        return Subject(word, positions_in(asked.question, word)) if word else None

    def puts_right(self, asked: Asked, lessons: Sequence[Lesson]) -> bool:
        """Whether a message says how the question before it was meant, and asks about no other word."""
        if not asked.previous or asked.question.endswith("?"):
            return False
        known = _phrasing(lessons) | self._folded_words(asked.previous)
        word = self._words.likeliest(asked.question, known)
        kind = self._words.kind(word, known) if word else Kind.EVERYDAY
        if kind is Kind.CONTENT:
            return False
        # "define wrong" denies nothing.
        marked = self._folded_words(word) if word and kind is Kind.PHRASING else ()
        if not self._glossary.puts_right(asked.question, marked):
            return False
        return self._explained(asked.question, (), lessons) is not None

    def closest(self, asked: Asked, subject: Subject, lessons: Sequence[Lesson]) -> Lesson | None:
        """The lesson to follow; None where no example is close. What was said decides, where it is like anything.

        Where the closest is in another language than the question, and one for the same task is not, it is that one.
        """
        lesson = self._closest(asked, subject, lessons)
        language = self._language(asked.question)
        if lesson is None or lesson.task is None or lesson.language == language:
            return lesson
        return next((other for other in lessons if (other.task, other.language) == (lesson.task, language)), lesson)

    def _closest(self, asked: Asked, subject: Subject, lessons: Sequence[Lesson]) -> Lesson | None:
        if lesson := self._meant(asked, self._folded_words(subject.word), lessons):
            return lesson
        least = _LEAST_WITH_MARKED_WORD if marked_word(asked.question) else _LEAST
        known = [(lesson, text) for lesson in lessons for text in lesson.questions]
        return self._best(self._glossary.question(asked.question, self._folded_words(subject.word)), known, least)

    def _meant(self, asked: Asked, word: Collection[str], lessons: Sequence[Lesson]) -> Lesson | None:
        """The lesson whose task people said they meant, if any. What only repeats the question is left out first."""
        for said, about in zip(asked.said, asked.about, strict=True):
            rest = self._less_repeated(said, (asked.question, about))
            for text in dict.fromkeys((rest, said)):
                if lesson := self._explained(text, word, lessons):
                    return lesson
        return None

    def _less_repeated(self, said: str, questions: Sequence[str]) -> str:
        """What was said, less where it repeats one of the questions."""
        words = words_of(said)
        told = self._words.folded(words)
        repeated = next(filter(None, (retelling(self._words.folded(words_in(text)), told) for text in questions)), None)
        if repeated is None:
            return said
        first, last = repeated.told
        spans = _spans(said)
        # "take for a walk means a sentence": that it means something is not what it means.
        last += last < len(words) and self._glossary.says(words[last], _MEANS)
        return f"{said[: spans[first][0]]} | {said[spans[last - 1][1] :]}"

    def _explained(self, said: str, leave_out: Collection[str], lessons: Sequence[Lesson]) -> Lesson | None:
        """The lesson whose task a person's words explain, if any."""
        tokens = self._glossary.clarification(said[:_LONGEST_SAID], leave_out)
        explained = [(lesson, text) for lesson in lessons if lesson.task for text in lesson.explanations]
        return self._best(tokens, explained, _LEAST_OF_SAID)

    def _best(
        self, tokens: Tokens, known: Sequence[tuple[Lesson, Tokens]], least: tuple[float, float]
    ) -> Lesson | None:
        if not tokens or not known:
            return None
        weights = token_weights(_by_task(known), self._glossary.is_filler)
        by_wording = [wording(tokens, text, weights) for _, text in known]
        by_meaning = self._meanings.likeness(" ".join(tokens), [" ".join(text) for _, text in known])
        by_meaning = by_meaning or [0.0] * len(known)
        total = [ours + _MEANING_WEIGHT * meant for ours, meant in zip(by_wording, by_meaning, strict=True)]
        best = max(range(len(known)), key=total.__getitem__)
        if by_wording[best] < least[0] and by_meaning[best] < least[1]:
            return None
        return known[best][0]

    def _read_lesson(self, content: str, reply: str) -> Lesson | None:
        example = read_example(content, reply)
        # That it once understood nothing, and a person said that this was right, shows how nothing is done.
        if example is None or example.understanding == NOT_UNDERSTOOD:
            return None
        question = example.asked.question
        language = self._language(question)
        word = self._word_shown(example)
        if word is None:
            texts = tuple(self._glossary.question(text) for text in (question, example.understanding))
            return Lesson(example, None, None, language, frozenset(), texts, ())
        subject = Subject(word, positions_in(question, word))
        task = task_named_in(example.understanding) or task_shown_by(subject, example.answer, self._lexicon)
        about = self._folded_words(word)
        phrasing = self._folded_words(question) - about
        questions = [self._glossary.question(example.understanding, about)]
        if not example.asked.said:
            questions.append(self._glossary.question(question, about))
        said = (*example.asked.said, example.understanding)
        explanations = tuple(self._glossary.clarification(text, about) for text in said)
        return Lesson(example, subject, task, language, phrasing, tuple(questions), explanations)

    def _language(self, question: str) -> str:
        return f"{self._glossary.language(words_of(question))} in {script_of(question)}"

    def _word_shown(self, example: Example) -> str | None:
        """The word an example is about: it stands in question and understanding, and one of them marks it.

        Another model, whose answer was confirmed, may not quote it; then the task must show in the understanding.
        """
        question, understanding = example.asked.question, example.understanding
        if (word := marked_word(understanding)) is not None:
            return word if word in question else None
        word = self._words.likeliest(question, ())
        return word if word and word in understanding and task_named_in(understanding) else None

    def _folded_words(self, text: str) -> frozenset[str]:
        return frozenset(self._words.folded(words_of(text)))


def _phrasing(lessons: Sequence[Lesson]) -> frozenset[str]:
    return frozenset(word for lesson in lessons for word in lesson.phrasing)


def _by_task(known: Sequence[tuple[Lesson, Tokens]]) -> list[list[Tokens]]:
    groups: dict[str, list[Tokens]] = {}
    for lesson, text in known:
        groups.setdefault(lesson.task.name if lesson.task else lesson.example.understanding, []).append(text)
    return list(groups.values())


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each word of a text stands."""
    spans, end = [], 0
    for word in words_of(text):
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return spans
