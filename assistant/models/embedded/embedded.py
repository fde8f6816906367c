"""The embedded model: an in-context learner for questions about words. It is no language model, and says so.

It reads the very prompt that a remote model would get, takes the task of the example that is closest to the question
(`example_matcher`), puts the new word into that example's understanding, and performs the task with a lexicon. So it
misunderstands where a question is unlike its examples, and a clarification that is like one puts it right: MemPrompt,
section 3.4, without a trained model. It knows no question by heart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from assistant.feedback.corrections import correction_in
from assistant.model_usage import Count, not_counted
from assistant.models.embedded.example_matcher import NOT_UNDERSTOOD, Demonstration, ExampleMatcher
from assistant.models.embedded.phrases import LATIN, Phrases, phrases_for, script_of
from assistant.models.embedded.prompt_reader import read_question, reply_pairs
from assistant.models.embedded.similarity import Meanings
from assistant.models.embedded.word_tasks import Subject, WordTask
from assistant.sentences import Sentence

if TYPE_CHECKING:
    from assistant.ports import Embedder
    from assistant.types import Message

_LONGEST_QUESTION = 400  # characters; a longer question is not one about a word
WHAT_I_AM = str(Sentence("embedded.what_i_am"))
_PIECES = re.compile(r"\S+\s*|\s+")


class EmbeddedModel:
    """The embedded example-follower, a `ChatModel`. Safe to share between threads.

    Args:
        fold: brings spellings and scripts of a text together (`memory_store.language.normalize.fold`).
        embedder: for similarity of meaning. Without one, or while it fails, it goes by wording alone.
    """

    name = "embedded"
    writes_keys = False
    window = 32_768

    def __init__(self, fold: Callable[[str], str], embedder: Embedder | None = None) -> None:
        self._matcher = ExampleMatcher(fold, Meanings(embedder))

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
        if asked.previous and (corrected := correction_in(asked.question)):
            return f"<correction>{corrected.meant}</correction>"
        demos = self._matcher.demos(reply_pairs(messages))
        if self._matcher.puts_right(asked, demos):
            return f"<correction>{asked.question}</correction>"
        subject = self._matcher.subject(asked, demos)
        demo = self._matcher.closest(asked, subject, demos) if subject else None
        if subject is None or demo is None or demo.subject is None or demo.task is None:
            return _tagged(NOT_UNDERSTOOD, WHAT_I_AM)
        answer = demo.task.answer(subject, phrases_for(asked.question))
        return _tagged(_understanding(asked.question, demo, demo.task, demo.subject, subject), answer)


def _understanding(question: str, demo: Demonstration, task: WordTask, shown: Subject, subject: Subject) -> str:
    """That of the example, about the new word; in words of its own where the example is in another script."""
    script = script_of(question)
    if script in (LATIN, script_of(demo.example.asked.question)):
        return _followed(demo.example.understanding, shown, subject)
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
