"""After a person said something of an answer, one lesson is drafted of it, or none: in the background.

Nothing waits for it, and what is not drafted when the process ends is not drafted at all.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from assistant.background import BackgroundJobs
from assistant.errors import NotedError
from assistant.events import Happening
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.papers.expnote.drafts import has_draft, with_draft
from assistant.papers.expnote.drawing import Draw
from assistant.papers.expnote.learning import Drawn
from assistant.papers.expnote.reactions import Reacted, reacted
from assistant.ports import Memory, Recall, Turns
from assistant.text.content_rules import check_private
from assistant.types import Entry, Question, Scope

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DraftLessons:
    """Implements `Learn`."""

    draw: Draw
    memory: Memory
    turn_store: Turns
    recall: Recall
    languages: Languages
    background: BackgroundJobs = field(default_factory=lambda: BackgroundJobs("lessons"))
    _under_way: Counter[str] = field(default_factory=Counter)  # ids of turns
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, happening: Happening, scope: Scope) -> None:
        found = reacted(happening, self.turn_store, scope)
        if found is None or has_draft(found.turn.reply):
            return
        self._count(found.turn.id, 1)
        if not self.background.soon(scope.person, lambda is_stopped: self._do(found, scope, is_stopped)):
            self._count(found.turn.id, -1)

    def is_drafting(self, turn_id: str) -> bool:
        """Whether one is being drafted of a turn."""
        return self._under_way[turn_id] > 0

    def _do(self, found: Reacted, scope: Scope, is_stopped: Callable[[], bool]) -> None:
        try:
            drawn = self.draw(found, scope, is_stopped)
            if drawn is not None and not is_stopped() and self._is_new(drawn.lesson, found, scope):
                self._put(drawn, found, scope)
        except NotedError as error:  # the next thing that is said may teach the same
            _log.info("No lesson was drafted of the turn %s: %s", found.turn.id, error)
        finally:
            self._count(found.turn.id, -1)

    def _is_new(self, lesson: Lesson, found: Reacted, scope: Scope) -> bool:
        """Whether nothing says it yet; a lesson that does is confirmed. Raises InputError: it may not be kept."""
        for text in (lesson.key, lesson.rule):
            check_private(text)
        says = self._folded(lesson.rule)
        candidates = self.recall(Question(f"{lesson.key} {lesson.rule}"), scope)
        recalled = (one.entry for one in candidates if one.entry.counts_in(found.turn.conversation))
        near: Iterable[Entry] = (*filter(None, [found.told]), *recalled)
        same = next((entry for entry in near if entry.kind.is_note and self._folded(entry.shown) == says), None)
        if same and same.kind is LESSON and found.told is None:
            self.memory.count(same.id, "helped", found.turn.id, scope)
        return same is None

    def _put(self, drawn: Drawn, found: Reacted, scope: Scope) -> None:
        """On its turn, as that is by now."""
        turn = self.turn_store.turn(found.turn.id, scope)
        seen = (*drawn.lesson.in_view, *found.before.used)
        for entry_id in seen:
            self.memory.entry(entry_id, scope)  # raises NotFound: its words are not to come back
        if turn.reply.says_the_same(found.turn.reply) and not has_draft(turn.reply):
            self.turn_store.record(replace(turn, reply=with_draft(turn.reply, drawn, seen)), scope)

    def _folded(self, text: str) -> tuple[str, ...]:
        return tuple(word.folded for word in self.languages.words(text))

    def _count(self, turn_id: str, more: int) -> None:
        with self._counting:
            self._under_way[turn_id] += more
            if not self._under_way[turn_id]:
                del self._under_way[turn_id]
