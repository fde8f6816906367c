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

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from assistant.types import Reply
from evaluation.memprompt.tasks.data_task import DataTask, Record
from evaluation.memprompt.tasks.task import Item, Verdict, has_answer
from memory_store.language.normalize import fold

_SHARED = 0.5  # so much of the words of the reference an understanding has to share (F1), for it is never the same
_CATEGORY_WORDS = 3  # a reference of no more words is a category, and has to be named


class Feedback(StrEnum):
    """How a person says what a situation is about."""

    CATEGORY = "category"
    WORDS = "words"


@dataclass(frozen=True)
class Ethical(DataTask):
    """Situations, and what each is about."""

    what = "situations with what they are about and how they are judged, such as Social-Chemistry-101"
    feedback: Feedback = Feedback.WORDS
    name: str = "ethical"

    def item(self, record: Record, lang: str) -> Item:
        situation = self.field(record, "situation", "question")
        label = str(self.field(record, "label", "judgment"))
        return Item(situation, self._about(record), lang, situation, answers=(label,))

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        """An understanding names the category, or shares enough words with what the situation is about."""
        return Verdict(shared(item.type, reply.understanding) >= _SHARED, has_answer(item, reply.answer))

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        return f"it is about {self._about(random.choice(self.records)) if wrongly else item.type}"

    def _about(self, record: Record) -> str:
        if self.feedback is Feedback.CATEGORY:
            return str(self.field(record, "category", "rot-moral-foundations"))
        return str(self.field(record, "about", "rot", "rule"))


def shared(reference: str, text: str) -> float:
    """How much of the reference a text says: the recall of its words where that is short, else F1."""
    wanted, found = set(fold(reference).split()), set(fold(text).split())
    common = len(wanted & found)
    if not common:
        return 0.0
    recall, precision = common / len(wanted), common / len(found)
    return recall if len(wanted) <= _CATEGORY_WORDS else 2 * precision * recall / (precision + recall)
