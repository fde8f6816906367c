"""The model that is taught: how it draws lessons from cases, and when an answer of it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assistant.conversation import Assistant
from assistant.models.embedded.lessons import LessonBook, is_same
from assistant.models.embedded.phrases import say
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.papers.expnote.finding import by_key
from assistant.papers.expnote.practice import Draw, by_noting, by_rule, says
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
    draw: Draw
    is_right: Callable[[Turn, Item], bool]  # where the right answer is unknown: whether a turn says so


def taught(services: Services, folder: Path) -> Taught:
    """The model of the app; what a connected one replies is kept in the folder, and not paid for twice."""
    runner = services.assistant.runner
    if runner.model.name == EMBEDDED:
        return Taught(services.assistant, by_rule(LessonBook(LANGUAGES)), _is_right)
    model = KeptReplies(runner.model, folder / "replies.sqlite3")
    draw = by_noting(model, runner.prompting, by_key(LANGUAGES))
    return Taught(services.assistant.with_parts(model=model), draw, _has_right)


def _is_right(turn: Turn, item: Item) -> bool:
    return is_same(turn.reply.answer, item.answer) if item.answer else _declines(turn)


def _has_right(turn: Turn, item: Item) -> bool:
    """A language model answers in sentences; what it should not know, it should have from no lesson."""
    return says(item.answer, turn.reply.answer) if item.answer else not turn.used


def _declines(turn: Turn) -> bool:
    unknown = tuple(say(name, 0, word="\0").partition("\0")[0] for name in ("unknown", "nothing"))
    return turn.reply.understanding == NOT_UNDERSTOOD or turn.reply.answer.startswith(unknown)
