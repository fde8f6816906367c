"""Multiple-choice questions out of EntailmentBank, which has the right answer of each question and no wrong ones.

The wrong options of a question are answers of other questions: of all that differ from its own in their words, and that
are right of no question that asks the same, the three whose number of words is nearest to that of its own answer; of
those that are equally near, and for the place of the right one, the seed decides. So an option can be told by what it
says, and not by how long it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from assistant.papers.teachme.thinking import options_of
from evaluation.facts.bank import BankQuestion, words_of

LETTERS = "ABCD"
_MARK = re.compile(r"\(([A-D])\)")


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with its options."""

    text: str  # as it is asked: "… (A) … (B) … (C) … (D) …"
    right: str  # the letter of the right one
    core: tuple[str, ...]  # the facts on which that rests

    def is_right(self, answer: str) -> bool:
        """Whether an answer is the right option: by its first letter in brackets, else by the one that it names."""
        if marked := _MARK.search(answer):
            return marked[1] == self.right
        said = f" {words_of(answer)} "
        options = dict(zip(LETTERS, options_of(self.text), strict=False))
        named = [letter for letter, option in options.items() if f" {words_of(option)} " in said]
        return named == [self.right]


def choices(questions: Sequence[BankQuestion], seed: int) -> list[Choice]:
    """Each question with four options."""
    return [_choice(one, questions, Random(f"{seed} {one.question}")) for one in questions]  # noqa: S311


def _choice(one: BankQuestion, questions: Sequence[BankQuestion], chance: Random) -> Choice:
    asked = words_of(one.question)
    own = {words_of(other.answer) for other in questions if words_of(other.question) == asked}
    others = {words: other.answer for other in questions if (words := words_of(other.answer)) and words not in own}
    shuffled = chance.sample(sorted(others), len(others))
    length = len(words_of(one.answer).split())
    wrong = sorted(shuffled, key=lambda words: abs(len(words.split()) - length))[: len(LETTERS) - 1]
    options = [others[words] for words in wrong]
    place = chance.randrange(len(options) + 1)
    options.insert(place, one.answer)
    listed = " ".join(f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))
    return Choice(f"{one.question} {listed}", LETTERS[place], one.core)
