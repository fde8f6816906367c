"""LETS, by the rule of the paper (appendix A): letters at given places of three words, spliced together."""

from __future__ import annotations

from random import Random

from assistant.language.lexicon import lexicon
from evaluation.expnote.tasks.task import Item, Split

_WORDS, _NAMED = 100, 3
_SHORTEST, _LONGEST = 4, 10
_FREQUENT = 5_000
_ENDS = {1: "st", 2: "nd", 3: "rd"}


def letters(seed: int, cases: int, tests: int) -> Split:
    """Implements `MakeSplit`. No test is a case."""
    chance = Random(f"letters {seed}")  # noqa: S311  a repeatable choice is wanted
    known = words(seed)
    items: dict[str, Item] = {}
    while len(items) < cases + tests:
        item = _item(chance, known)
        items.setdefault(item.question, item)
    every = [*items.values()]
    return Split(every[:cases], every[cases:])


def words(seed: int) -> list[str]:
    """The vocabulary: 100 words of 4 to 10 letters."""
    frequent = [word.text for word in lexicon().frequent(_FREQUENT)]
    fit = [word for word in frequent if _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()]
    return Random(f"vocabulary {seed}").sample(fit, _WORDS)  # noqa: S311


def _item(chance: Random, known: list[str]) -> Item:
    named = [(word, chance.randint(1, len(word))) for word in chance.sample(known, _NAMED)]
    *first, last = [f'the {_ordinal(place)} letter of "{word}"' for word, place in named]
    question = f"Splice {', '.join(first)}, and {last} together."
    return Item(question, "".join(word[place - 1] for word, place in named))


def _ordinal(number: int) -> str:
    return f"{number}{_ENDS.get(number, 'th')}"
