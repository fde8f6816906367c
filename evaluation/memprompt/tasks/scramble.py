"""Word scrambling (MemPrompt, section 3.3 and table 4): find the word that was scrambled, in one of five ways.

    x   < nglea > went round, bring it home
    u   You want "nglea" spelled backwards.
    fb  its letters were shifted round, it is a rotated word
    u   You want the word of which "nglea" is a rotation.
    y   angle

The paper's questions say how the word was scrambled and are misread seldom; these do not say it (`data/scramble.toml`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from assistant.conversation import Assistant
from assistant.models.lexicon import Lexicon
from assistant.types import Reply, Scope, Turn
from evaluation.memprompt.tasks.brackets import Brackets, in_brackets
from evaluation.memprompt.tasks.task import ENGLISH, Item, Judge, Lesson, Verdict, clarify, has_answer
from evaluation.memprompt.tasks.written import Written

_JUDGE = Judge(
    {
        "anag2": r"first two|anagram 2",
        "anag1": r"first and (the |its )?last|anagram 1",
        "cyc": r"rotat|cycl|shift",
        "rand": r"symbol|punctuation",
        "rev": r"backward|revers",
    }
)
_FREQUENT = 8_000
_LENGTHS = range(6, 11)
_SYMBOLS = ".!/-"


@dataclass(frozen=True)
class Scramble:
    """Implements `Task`."""

    brackets: Brackets = Brackets.HALF
    lexicon: Lexicon = field(default_factory=Lexicon, repr=False, compare=False)
    name: str = "scramble"

    @property
    def langs(self) -> Sequence[str]:
        return (ENGLISH,)

    def items(self, lang: str, seed: int) -> Iterator[Item]:
        random = Random(f"{self.name} {lang} {seed}")  # noqa: S311  a repeatable choice is wanted
        for kind, name, template in self._written.drawn(random):
            word = random.choice(self._words)
            asked = _SCRAMBLED[kind](word, random)
            question = template.format(word=in_brackets(asked, self.brackets, random))
            phrase = " ".join(template.replace("{word}", " ").replace("?", " ").split())
            yield Item(question, kind, lang, name, phrase, asked, (word,))

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        return Verdict(_JUDGE(reply.understanding, item.about) == item.type, self._answered(item, reply.answer))

    def teach(self, item: Item, turn: Turn, said: str, assistant: Assistant, scope: Scope) -> Lesson:
        return clarify(item, turn, said, assistant, scope)

    def _answered(self, item: Item, answer: str) -> bool:
        return has_answer(item, answer)

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        return self._written.says(item, random, wrongly=wrongly)

    @cached_property
    def _written(self) -> Written:
        return Written.read(self.name)

    @cached_property
    def _words(self) -> list[str]:
        """Words that nothing else is made of, so that there is one answer."""
        words = (word.text for word in self.lexicon.frequent(_FREQUENT) if len(word.text) in _LENGTHS)
        return [word for word in words if _is_unique(word, self.lexicon)]


def _is_unique(word: str, lexicon: Lexicon) -> bool:
    return word.isalpha() and len(set(word[2:-2])) > 1 and lexicon.spelled_with(word) == (word,)


def shuffled(word: str, random: Random, kept: int) -> str:
    """With the letters between the first and the last `kept` ones in another order. They must not all be the same."""
    middle = list(word[kept : len(word) - kept])
    while "".join(middle) == word[kept : len(word) - kept]:
        random.shuffle(middle)
    return word[:kept] + "".join(middle) + word[len(word) - kept :]


def rotated(word: str, random: Random) -> str:
    """With some letters moved from its front to its end."""
    at = random.randrange(1, len(word))
    return word[at:] + word[:at]


def peppered(word: str, random: Random) -> str:
    """With a symbol after some letters."""
    places = set(random.sample(range(1, len(word)), len(word) // 2))
    return "".join((random.choice(_SYMBOLS) if place in places else "") + letter for place, letter in enumerate(word))


_SCRAMBLED: Mapping[str, Callable[[str, Random], str]] = {
    "anag1": lambda word, random: shuffled(word, random, 1),
    "anag2": lambda word, random: shuffled(word, random, 2),
    "cyc": rotated,
    "rand": peppered,
    "rev": lambda word, _random: word[::-1],
}
