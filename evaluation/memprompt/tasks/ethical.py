"""Ethical reasoning (MemPrompt, section 3.3 and table 5): what a situation is about, and whether it is acceptable.

    x   checked out my high school ex girlfriends instagram
    u   This is about looking at someone's social media.
    fb  judging people based on physical attributes                  (in words, ERT-NL)
    fb  authority                                                    (by category, ERT-CAT)
    y   bad

The data (Social-Chemistry-101, or that of Delphi) is not part of this repository. It is read as lines with `situation`
(or `question`), `about` (or `rot`, `rule`), `category` (or `rot-moral-foundations`) and `label` (or `judgment`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from assistant.types import Reply
from evaluation.memprompt.tasks.records import field, in_some_order, records
from evaluation.memprompt.tasks.task import Item, Task, Verdict, has_answer
from memory_store.language.normalize import fold

_WHAT = "situations with what they are about and how they are judged, such as Social-Chemistry-101"
_SHARED = 0.5  # so much of the words of the reference an understanding has to share (F1), for it is never the same
_CATEGORY_WORDS = 3  # a reference of no more words is a category, and has to be named


class Feedback(StrEnum):
    """How a person says what a situation is about."""

    CATEGORY = "category"
    WORDS = "words"


@dataclass(frozen=True)
class Ethical(Task):
    """Situations, and what each is about."""

    path: Path
    feedback: Feedback = Feedback.WORDS
    name: str = "ethical"

    def items(self, lang: str, seed: int) -> Iterator[Item]:
        for record in in_some_order(self._records, seed):
            situation = field(record, self.path, "situation", "question")
            label = str(field(record, self.path, "label", "judgment"))
            yield Item(situation, self._about(record), lang, situation, answers=(label,))

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        """An understanding names the category, or shares enough words with what the situation is about."""
        return Verdict(shared(item.type, reply.understanding) >= _SHARED, has_answer(item, reply.answer))

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        return f"it is about {self._about(random.choice(self._records)) if wrongly else item.type}"

    def _about(self, record: Mapping[str, Any]) -> str:
        if self.feedback is Feedback.CATEGORY:
            return str(field(record, self.path, "category", "rot-moral-foundations"))
        return str(field(record, self.path, "about", "rot", "rule"))

    @cached_property
    def _records(self) -> list[Mapping[str, Any]]:
        return records(self.path, _WHAT)


def shared(reference: str, text: str) -> float:
    """How much of the reference a text says: the recall of its words where that is short, else F1."""
    wanted, found = set(fold(reference).split()), set(fold(text).split())
    common = len(wanted & found)
    if not common:
        return 0.0
    recall, precision = common / len(wanted), common / len(found)
    return recall if len(wanted) <= _CATEGORY_WORDS else 2 * precision * recall / (precision + recall)
