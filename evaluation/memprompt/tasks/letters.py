"""Letters at positions: which letters of a word are asked for, when nobody says from which end to count.

x   pick 2 and 5 from < window >
u   You want the symbols taken out of "window".
fb  the letters at these positions
u   You want the letters at positions 2 and 5 of "window".
y   i, o
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from assistant.conversation import Assistant
from assistant.models.lexicon import Lexicon
from assistant.types import Reply, Scope, Turn
from evaluation.memprompt.tasks.brackets import Brackets, in_brackets
from evaluation.memprompt.tasks.task import ENGLISH, Item, Judge, Lesson, Verdict, clarify
from evaluation.memprompt.tasks.written import Written

_JUDGE = Judge(
    {
        "back": r"letters?\b.*\bfrom the (end|back|right)|positions?\b.*\bfrom the (end|back|right)",
        "front": r"letters?\b.*\bpositions?|positions?\b.*\bletter",
    }
)
_FREQUENT = 8_000
_LENGTHS = range(6, 11)


@dataclass(frozen=True)
class Letters:
    """Implements `Task`."""

    brackets: Brackets = Brackets.HALF
    lexicon: Lexicon = field(default_factory=Lexicon, repr=False, compare=False)
    name: str = "letters"

    @property
    def langs(self) -> Sequence[str]:
        return (ENGLISH,)

    def items(self, lang: str, seed: int) -> Iterator[Item]:
        random = Random(f"{self.name} {lang} {seed}")  # noqa: S311  a repeatable choice is wanted
        for kind, name, template in self._written.drawn(random):
            word = random.choice(self._words)
            first, second = sorted(random.sample(range(1, len(word) + 1), 2))
            places = {"first": first, "second": second}
            question = template.format(word=in_brackets(word, self.brackets, random), **places)
            phrase = " ".join(template.format(word=" ", **places).replace("?", " ").split())
            counted = word if kind == "front" else word[::-1]
            yield Item(question, kind, lang, name, phrase, word, (counted[first - 1], counted[second - 1]))

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        return Verdict(_JUDGE(reply.understanding, item.about) == item.type, self._answered(item, reply.answer))

    def teach(self, item: Item, turn: Turn, said: str, assistant: Assistant, scope: Scope) -> Lesson:
        return clarify(item, turn, said, assistant, scope)

    def _answered(self, item: Item, answer: str) -> bool:
        """Both letters, in their order, and no other single letter."""
        return tuple(re.findall(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])", answer.casefold())) == item.answers

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        return self._written.says(item, random, wrongly=wrongly)

    @cached_property
    def _written(self) -> Written:
        return Written.read(self.name)

    @cached_property
    def _words(self) -> list[str]:
        words = (word.text for word in self.lexicon.frequent(_FREQUENT) if len(word.text) in _LENGTHS)
        return [word for word in words if word.isalpha()]
