"""The model that is taught: how it draws lessons from cases, and when an answer of it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assistant.conversation import Assistant
from assistant.models.embedded.lessons import LessonBook
from assistant.models.embedded.phrases import say
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.papers.expnote.noting import NoteByModel, NoteByRule, NoteTaker
from assistant.settings import EMBEDDED
from assistant.types import Turn
from evaluation.expnote.tasks.task import Item
from evaluation.replies import KeptReplies
from memory_store.language.languages import LANGUAGES
from ui.server.services import Services


@dataclass(frozen=True, slots=True)
class Taught:
    """See the module."""

    assistant: Assistant
    note_taker: NoteTaker
    declines: Callable[[Turn], bool]  # whether a turn says that the answer is unknown

    def is_right(self, turn: Turn, item: Item) -> bool:
        """Return True if a turn has the right answer, or says so where that is unknown."""
        return self.note_taker.is_right(item.answer, turn.reply.answer) if item.answer else self.declines(turn)


def taught(services: Services, folder: Path) -> Taught:
    """The model of the app; what a connected one replies is kept in the folder, and not paid for twice."""
    runner = services.assistant.runner
    if runner.model.name == EMBEDDED:
        return Taught(services.assistant, NoteByRule(LessonBook(LANGUAGES)), _says_unknown)
    model = KeptReplies(runner.model, folder / "replies.sqlite3")
    notes = NoteByModel(model, runner.prompt_builder, LANGUAGES)
    return Taught(services.assistant.with_parts(model=model), notes, _uses_no_lesson)


def _uses_no_lesson(turn: Turn) -> bool:
    """Return True if a language model, which answers in sentences, has its answer from no lesson."""
    return not turn.used


def _says_unknown(turn: Turn) -> bool:
    unknown = tuple(say(name, 0, word="\0").partition("\0")[0] for name in ("unknown", "nothing"))
    return turn.reply.understanding == NOT_UNDERSTOOD or turn.reply.answer.startswith(unknown)
