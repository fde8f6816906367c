"""The embedded model: an in-context learner for questions about words. It is no language model, and says so.

It reads the very prompt that a remote model would get, takes the task of the example that is closest to the question
(`assistant.models.learner`), puts the new word into that example's understanding, and performs the task with a lexicon.
So it misunderstands where a question is unlike its examples, and a clarification that is like one puts it right:
MemPrompt, section 3.4, without a trained model. It knows no question by heart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from assistant.models.glossary import Glossary
from assistant.models.learner import NOT_UNDERSTOOD, Learner, Lesson
from assistant.models.lexicon import Lexicon
from assistant.models.likeness import Meanings
from assistant.models.phrases import LATIN, Phrases, phrases_for, script_of
from assistant.models.prompt_reader import read_question, reply_pairs
from assistant.models.word_tasks import TASKS, Subject, WordTask
from assistant.usage import Count, not_counted

if TYPE_CHECKING:
    from assistant.ports import Embedder
    from assistant.types import Message

_LONGEST_QUESTION = 400  # characters; a longer question is not one about a word
WHAT_I_AM = (
    "I am a small embedded example-follower, not a language model. I can help with words: "
    + ", ".join(task.name for task in TASKS)
    + ". To talk about anything else, connect a language model: set NOTED_MODEL (and NOTED_API_KEY, where it needs a "
    "key) and start Noted again."
)
_PIECES = re.compile(r"\S+\s*|\s+")


class OfflineModel:
    """The embedded example-follower, a `ChatModel`. Safe to share between threads.

    Args:
        lexicon: the words it knows.
        fold: brings spellings and scripts of a text together (`memory_store.surface.fold`).
        find_correction: what the person meant, where a message plainly corrects the turn before, else None
            (`assistant.feedback.correction_in`).
        embedder: for likeness of meaning. Without one, or while it fails, it goes by wording alone.
    """

    name = "embedded"
    chooses_notes = False
    writes_keys = False
    window = 32_768

    def __init__(
        self,
        lexicon: Lexicon,
        fold: Callable[[str], str],
        find_correction: Callable[[str], str | None],
        embedder: Embedder | None = None,
    ) -> None:
        self._lexicon = lexicon
        self._find_correction = find_correction
        self._learner = Learner(lexicon, fold, Glossary(fold, lexicon.is_frequent), Meanings(embedder))

    def start(self) -> None:
        """Nothing has to be loaded; the first question reads the words."""

    def close(self) -> None:
        """Nothing has to be ended."""

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        """The reply, word by word. The same messages give the same reply. It has no tokens that could be counted."""
        yield from _PIECES.findall(self._reply(messages))

    def _reply(self, messages: Sequence[Message]) -> str:
        asked = read_question(messages[-1].content)
        if len(asked.question) > _LONGEST_QUESTION:
            return _tagged(NOT_UNDERSTOOD, WHAT_I_AM)
        if asked.previous and (meant := self._find_correction(asked.question)) is not None:
            return f"<correction>{meant}</correction>"
        lessons = self._learner.lessons(reply_pairs(messages))
        if self._learner.puts_right(asked, lessons):
            return f"<correction>{asked.question}</correction>"
        subject = self._learner.subject(asked, lessons)
        lesson = self._learner.closest(asked, subject, lessons) if subject else None
        if subject is None or lesson is None or lesson.subject is None or lesson.task is None:
            return _tagged(NOT_UNDERSTOOD, WHAT_I_AM)
        answer = lesson.task.answer(subject, self._lexicon, phrases_for(asked.question))
        return _tagged(_understanding(asked.question, lesson, lesson.task, lesson.subject, subject), answer)


def _understanding(question: str, lesson: Lesson, task: WordTask, shown: Subject, subject: Subject) -> str:
    """That of the example, about the new word; in words of its own where the example is in another script."""
    script = script_of(question)
    if script in (LATIN, script_of(lesson.example.asked.question)):
        return _followed(lesson.example.understanding, shown, subject)
    phrases = phrases_for(question)
    return phrases.understood(task.name, word=subject.word, positions=_listed(subject, phrases))


def _followed(understanding: str, shown: Subject, subject: Subject) -> str:
    phrases = phrases_for(understanding)
    ours, theirs = _listed(subject, phrases), _listed(shown, phrases)

    def with_positions(text: str) -> str:
        return text.replace(theirs, ours) if theirs and ours else text

    before, word, after = understanding.partition(shown.word)
    return with_positions(before) + (word and subject.word) + with_positions(after)


def _listed(subject: Subject, phrases: Phrases) -> str:
    return phrases.say("and").join(map(str, subject.positions))


def _tagged(understanding: str, answer: str) -> str:
    return f"<understanding>{understanding}</understanding>\n<answer>{answer}</answer>"
