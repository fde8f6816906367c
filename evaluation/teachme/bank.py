"""EntailmentBank (Dalvi et al., 2021) as multiple choice.

EntailmentBank has only the right answer to each question. Wrong options are the three answers to other questions with
the closest number of words, excluding answers with the same words and right answers to the same question. The seed
decides ties and the position of the right option. So options differ in content, not in length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import BaseModel

from assistant.papers.teachme.thinking import options_of
from evaluation.harness.dataset import Dataset

LETTERS = "ABCD"
_MARK = re.compile(r"\(([A-D])\)")
_WORD = re.compile(r"[^\W_]+")


class BankLine(BaseModel):
    """A question with the facts that support its answer."""

    question: str
    answer: str
    core: tuple[str, ...]


ENTAILMENT_BANK = Dataset(
    "entailmentbank", BankLine, ("dev",), "{split}.jsonl", "CC BY 4.0", "the repository allenai/entailment_bank"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with options: "… (A) … (B) … (C) … (D) …"; `right` is the letter of the right option."""

    text: str
    right: str
    facts: tuple[str, ...]  # core facts, which support the answer

    def is_right(self, answer: str) -> bool:
        """Return True if an answer is the right option, by its first letter in brackets, else by its words."""
        if marked := _MARK.search(answer):
            return marked[1] == self.right
        said = f" {split_words(answer)} "
        options = dict(zip(LETTERS, options_of(self.text), strict=False))
        named = [letter for letter, option in options.items() if f" {split_words(option)} " in said]
        return named == [self.right]


def read_choices(folder: Path, seed: int) -> list[Choice]:
    """Return the questions of a folder that have core facts, with options. Raises BadInput."""
    return build_choices([line for line in ENTAILMENT_BANK.lines("dev", folder) if line.core], seed)


def build_choices(lines: Sequence[BankLine], seed: int) -> list[Choice]:
    """Return each question with four options."""
    found = []
    for line in lines:
        chance = Random(f"{seed} {line.question}")  # noqa: S311  a repeatable choice is wanted
        asked = split_words(line.question)
        own = {split_words(other.answer) for other in lines if split_words(other.question) == asked}
        others = {words: other.answer for other in lines if (words := split_words(other.answer)) and words not in own}
        length = len(split_words(line.answer).split())
        shuffled = chance.sample(sorted(others), len(others))
        wrong = sorted(shuffled, key=lambda words: abs(len(words.split()) - length))[: len(LETTERS) - 1]
        options = [others[words] for words in wrong]
        place = chance.randrange(len(options) + 1)
        options.insert(place, line.answer)
        listed = " ".join(f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))
        found.append(Choice(f"{line.question} {listed}", LETTERS[place], line.core))
    return found


def split_choices(questions: Sequence[Choice], seed: int, most: int) -> tuple[list[Choice], list[Choice]]:
    """Return the questions to teach and those to hide.

    Of questions with a common core fact, the first is taught, so that some hidden questions depend on taught facts (the
    paper splits QuaRTz again for the same reason).
    """
    shuffled = [*questions]
    Random(seed).shuffle(shuffled)  # noqa: S311
    shuffled = shuffled[: most or len(shuffled)]
    told, taught, hidden = set[str](), list[Choice](), list[Choice]()
    shared = Counter(fact for one in shuffled for fact in set(normalize_facts(one)))
    for one in sorted(shuffled, key=lambda each: max(shared[fact] for fact in normalize_facts(each)) < 2):
        some = hidden if not told.isdisjoint(normalize_facts(one)) or len(taught) > len(hidden) else taught
        some.append(one)
        told.update(normalize_facts(one) if some is taught else ())
    return taught, hidden


def normalize_facts(one: Choice) -> list[str]:
    """Return the normalised words of its core facts, by which facts are compared."""
    return [split_words(fact) for fact in one.facts]


def split_words(text: str) -> str:
    """Return the words of a text, in lower case without punctuation."""
    return " ".join(_WORD.findall(text.casefold()))
