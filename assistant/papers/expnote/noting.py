"""NOTE: what a case teaches, as a lesson with a key (ExpNote, sections 3.1 and 3.2).

A case is a question, the answer that a model gave (equation 1) and the right one, which is all the feedback. From these
the model notes one lesson (equation 2), or none. A language model writes it in the actions of the paper, a line each:

    THINK: the brother of a mother is an uncle
    NOTE[mother, brother]: If B is the mother of A and C is the brother of B, then C is an uncle of A.

RECALL is done for it. The embedded model notes by rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from assistant.errors import StreamCut
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED
from assistant.models.embedded.lessons import LessonBook, is_same
from assistant.papers.expnote.retrieval import as_noted, by_key
from assistant.ports import Allowance, ChatModel
from assistant.prompt.prompt import Prompting
from assistant.reply.filter import ReplyFilter, visible
from assistant.text.cleaning import for_prompt
from assistant.text.words import as_words
from assistant.types import Draft, Entry, Scope

MOST_ACTIONS, MOST_RECALLED = 4, 3
"""`n` and `k` of appendix B."""
LONGEST_KEY, LONGEST_RULE = 80, 300
"""Characters."""
_LONGEST_REPLY, _LONGEST_TEXT = 4_000, 2_000
_ACTION = re.compile(r"^[^\w\n]{0,6}(THINK|NOTE)\b[^\w\n\[]{0,6}(?:\[([^\]\n]*)\])?[ \t:*]*([^\n]*)$", re.M | re.I)
_FIRST_NOTE = re.compile(r"^[^\w\n]{0,6}NOTE\b", re.M | re.I)

IsStopped = Callable[[], bool]
"""Asked now and then while a lesson is written; if it returns True, StreamCut is raised."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its right answer, and what the model answered before it was told that one."""

    question: str
    answer: str
    answered: str
    told: str = ""  # what the user said of that, where they said something other than the right answer

    @property
    def was_right(self) -> bool:
        """Return True if the model answered as is right."""
        return is_same(self.answer, self.answered)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A lesson that a case teaches, and the one that the case speaks against, which it replaces."""

    lesson: Lesson
    refuted: Entry | None = None

    @classmethod
    def of(cls, case: Case, key: str, rule: str, refuted: Entry | None, in_view: tuple[str, ...] = ()) -> Drawn:
        """Return the lesson of a case; `in_view` are ids of the entries that the model read."""
        wrong = refuted.shown if refuted else ""
        lesson = Lesson(key=key, rule=rule, from_right=case.was_right, wrong_understanding=wrong, in_view=in_view)
        return cls(lesson, refuted)

    def draft(self, model: str, turn: str = "") -> Draft:
        """Return the entry to be stored; `turn` is the id of the turn that the case is of."""
        body, key = self.lesson, LESSON.idempotency_key(turn or self.lesson.key, self.lesson)
        supersedes = self.refuted.id if self.refuted else None
        return Draft(LESSON, body.key, body, key, turn=turn, model=model, supersedes=supersedes)


@dataclass(frozen=True, slots=True)
class NoteByRule:
    """How the embedded model learns. A known lesson gives way only where it hurt more than it helped.

    A right answer teaches it nothing, and a correction says what was meant, which is remembered already.
    """

    book: LessonBook

    def note(self, case: Case, known: Sequence[Entry], _scope: Scope, _is_stopped: IsStopped) -> Drawn | None:
        """Return the lesson that a case teaches; see `NoteByModel.note`."""
        if case.was_right or case.told:
            return None
        found = self.book.explain(case.question, case.answer, as_noted(known))
        if found is None:
            return None
        lesson, place = found
        return Drawn.of(case, lesson.key, lesson.rule, None if place is None else known[place])

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the model said just the right `answer`."""
        return is_same(answer, said)


@dataclass(frozen=True, slots=True)
class NoteByModel:
    """How a language model learns: by a call of its own, which counts as an answer that the user asked for."""

    model: ChatModel
    prompting: Prompting
    languages: Languages
    allowance: Allowance = UNLIMITED

    def note(self, case: Case, known: Sequence[Entry], scope: Scope, is_stopped: IsStopped) -> Drawn | None:
        """Return the lesson that a case teaches (equation 2); None where it teaches nothing new.

        Args:
            case: from a right or a wrong answer.
            known: the user's lessons, with what was counted for and against each, this case included.
            scope: whose lessons they are.
            is_stopped: ends the call where it returns True.

        Raises ModelError and TooOften.
        """
        self.allowance.turn(scope)
        lessons = by_key(self.languages, case.question, known)[:MOST_RECALLED]
        texts = {"question": case.question, "right answer": case.answer, "answered": case.answered}
        texts |= {"said": case.told} if case.told else {}
        row = {name: for_prompt(text)[:_LONGEST_TEXT] for name, text in texts.items()}
        rows = [{"key": entry.question, "lesson": entry.shown} for entry in lessons]
        messages, reply = self.prompting.call("expnote/note", case=[row], lessons=rows), ""
        with closing(visible(self.model.stream(messages), ReplyFilter(_FIRST_NOTE))) as stream:
            for piece in stream:
                reply += piece
                if is_stopped():
                    raise StreamCut
                if len(reply) > _LONGEST_REPLY:
                    break
        for action in islice(_ACTION.finditer(reply[:_LONGEST_REPLY]), MOST_ACTIONS):
            key, rule = (" ".join(for_prompt(text or "").split()) for text in action.group(2, 3))
            is_lesson = any(map(str.isalnum, key)) and len(key) <= LONGEST_KEY and 0 < len(rule) <= LONGEST_RULE
            is_known = any(entry.shown.casefold() == rule.casefold() for entry in lessons)
            if action[1].lower() == "note" and is_lesson and not is_known:
                refuted = next((entry for entry in lessons if entry.question.casefold() == key.casefold()), None)
                return Drawn.of(case, key, rule, refuted, tuple(entry.id for entry in lessons))
        return None

    def is_right(self, answer: str, said: str) -> bool:
        """Return True if the model, which answers in a sentence, said the right `answer` in it."""
        return bool(as_words(answer.strip(" .!") or answer).search(said.casefold()))


NoteTaker = NoteByRule | NoteByModel
"""How a model learns from cases."""
