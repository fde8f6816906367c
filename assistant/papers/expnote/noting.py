"""A lesson from a case, as a language model writes it: the actions of ExpNote (section 3.2), a line each.

    THINK: the brother of a mother is an uncle
    RECALL[mother, brother]
    NOTE[mother, brother]: If B is the mother of A and C is the brother of B, then C is an uncle of A.

Where it recalls, what was found comes back as data, and it goes on. It takes four actions at most and notes once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from assistant.kinds import Lesson
from assistant.papers.expnote.learning import Case, Drawn
from assistant.ports import ChatModel
from assistant.prompt.prompt import Prompting
from assistant.reply.filter import ReplyFilter, visible
from assistant.text.cleaning import for_prompt
from assistant.types import Entry, Message, Role

MOST_ACTIONS, MOST_RECALLED = 4, 3
LONGEST_KEY, LONGEST_RULE = 80, 300
"""Characters."""
_LONGEST_REPLY = 4_000
_LONGEST_TEXT = 2_000
_ACTION = re.compile(
    r"^[^\w\n]{0,6}(THINK|RECALL|NOTE)\b[^\w\n\[]{0,6}(?:\[([^\]\n]*)\])?[ \t:*]*([^\n]*)$", re.M | re.I
)
_BEGUN = re.compile(r"^[^\w\n]{0,6}(?:RECALL|NOTE)\b", re.M | re.I)
_JOB = "expnote/note"

Recalled = Callable[[str], Sequence[Entry]]
"""The lessons for some words, the most fitting first. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class _Action:
    name: str
    key: str
    said: str


@dataclass(frozen=True, slots=True)
class Noting:
    """Has a model write lessons."""

    model: ChatModel
    prompting: Prompting
    recalled: Recalled

    def __call__(self, case: Case, is_stopped: Callable[[], bool] = lambda: False) -> Drawn | None:
        """The lesson that the model notes of a case; None where it notes none. `is_stopped` is asked now and then.

        Raises ModelError and StoreError.
        """
        lessons = {entry.id: entry for entry in self.recalled(case.question)[:MOST_RECALLED]}
        texts = {"question": case.question, "right answer": case.answer, "answered": case.answered}
        texts |= {"said": case.told} if case.told else {}
        row = {name: for_prompt(text)[:_LONGEST_TEXT] for name, text in texts.items()}
        messages = self.prompting.call(_JOB, case=[row], lessons=_rows([*lessons.values()]))
        left = MOST_ACTIONS
        while True:
            reply = self._heard(messages, is_stopped)
            if is_stopped():
                return None
            actions = [*_actions(reply)][:left]
            left -= len(actions)
            noted = next((drawn for action in actions if (drawn := _drawn(action, case, [*lessons.values()]))), None)
            asks = actions[-1] if actions and actions[-1].name == "recall" else None
            if noted or asks is None or not left:
                return noted
            found = {entry.id: entry for entry in self.recalled(asks.key or asks.said)[:MOST_RECALLED]}
            lessons |= found
            rows = _rows([*found.values()]) or [{"lesson": "none"}]
            messages = (*messages, Message(Role.ASSISTANT, reply), self.prompting.call(_JOB, lessons=rows)[-1])

    def _heard(self, messages: Sequence[Message], is_stopped: Callable[[], bool]) -> str:
        """The reply, up to where it recalls something, or is longer than any that is one."""
        reply = ""
        with closing(visible(self.model.stream(messages), ReplyFilter(_BEGUN))) as stream:
            for piece in stream:
                reply += piece
                *whole, _ = reply.split("\n")
                asked = next((at for at, line in enumerate(whole) if _is_recall(line)), None)
                if asked is not None:
                    return "\n".join(whole[: asked + 1])
                if len(reply) > _LONGEST_REPLY or is_stopped():
                    break
        return reply[:_LONGEST_REPLY]


def _is_recall(line: str) -> bool:
    return any(action.name == "recall" for action in _actions(line))


def _actions(reply: str) -> Iterator[_Action]:
    for found in _ACTION.finditer(reply):
        yield _Action(found[1].lower(), _line(found[2] or ""), _line(found[3]))


def _drawn(action: _Action, case: Case, lessons: Sequence[Entry]) -> Drawn | None:
    """The lesson of a note; none of one that is malformed, too long, or known."""
    key, rule = action.key, action.said
    is_note = action.name == "note" and 0 < len(key) <= LONGEST_KEY and 0 < len(rule) <= LONGEST_RULE
    if (
        not is_note
        or not any(map(str.isalnum, key))
        or any(entry.shown.casefold() == rule.casefold() for entry in lessons)
    ):
        return None
    refuted = next((entry for entry in lessons if entry.question.casefold() == key.casefold()), None)
    wrong = refuted.shown if refuted else ""
    seen = tuple(entry.id for entry in lessons)
    lesson = Lesson(key=key, rule=rule, from_right=case.was_right, wrong_understanding=wrong, in_view=seen)
    return Drawn(lesson, refuted)


def _rows(lessons: Sequence[Entry]) -> list[Mapping[str, str]]:
    return [{"key": entry.question, "lesson": entry.shown} for entry in lessons]


def _line(text: str) -> str:
    return " ".join(for_prompt(text).split())
