"""Tasks of the ExpNote experiment: cases with right answers, and held-out questions.

`letters` is LETS by the rule of the paper (appendix A): letters at given positions of three words, spliced together.
`table` asks for values by key, emoji for words and short forms, in two wordings each; some keys occur in no case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from assistant.language.lexicon import lexicon
from evaluation.harness.scorer import ALL

UNKNOWN = ""
"""Right answer to a question that no case covers: it is not known."""
_VOCABULARY, _NAMED = 100, 3
_SHORTEST, _LONGEST = 4, 10
_ENDS = {1: "st", 2: "nd", 3: "rd"}
_EMOJI = range(0x1F300, 0x1F700)
_KEYS = 40  # per sort, in the cases
_UNSEEN = 0.3  # share of the tests with keys in no case
_ASKED = {
    "emoji": ("Which emoji goes with {key}?", "What is the emoji for {key}?"),
    "short": ('What does "{key}" stand for?', 'What is "{key}" short for?'),
}


@dataclass(frozen=True, slots=True)
class TaskItem:
    """A question with its right answer and its group."""

    question: str
    answer: str
    group: str = ALL


@dataclass(frozen=True, slots=True)
class TaskSplit:
    """Cases to learn from, in order, and tests."""

    cases: Sequence[TaskItem]
    tests: Sequence[TaskItem]


def make_letters(seed: int, cases: int, tests: int) -> TaskSplit:
    """Return letters to splice; cases and tests differ."""
    chance = Random(f"letters {seed}")  # noqa: S311
    known = choose_vocabulary(seed)
    items: dict[str, TaskItem] = {}
    while len(items) < cases + tests:
        named = [(word, chance.randint(1, len(word))) for word in chance.sample(known, _NAMED)]
        *first, last = [f'the {at}{_ENDS.get(at, "th")} letter of "{word}"' for word, at in named]
        question = f"Splice {', '.join(first)}, and {last} together."
        items.setdefault(question, TaskItem(question, "".join(word[at - 1] for word, at in named)))
    every = [*items.values()]
    return TaskSplit(every[:cases], every[cases:])


def choose_vocabulary(seed: int) -> list[str]:
    """Return 100 frequent words of 4 to 10 letters."""
    frequent = [word.text for word in lexicon().frequent(5_000)]
    fit = [word for word in frequent if _SHORTEST <= len(word) <= _LONGEST and word.isascii() and word.isalpha()]
    return Random(f"vocabulary {seed}").sample(fit, _VOCABULARY)  # noqa: S311


def make_table(seed: int, cases: int, tests: int) -> TaskSplit:
    """Return keys and values; 30 % of the tests have keys that are in no case."""
    chance = Random(f"table {seed}")  # noqa: S311
    found = {"emoji": _choose_emoji(), "short": _make_acronyms(chance)}
    values = {(sort, key): value for sort, pairs in found.items() for key, value in pairs.items()}
    keys = {sort: chance.sample(sorted(pairs), len(pairs)) for sort, pairs in found.items()}
    seen = [(sort, key) for sort, some in keys.items() for key in some[:_KEYS]]
    learnt = [*seen, *chance.choices(seen, k=max(0, cases - len(seen)))]
    chance.shuffle(learnt)
    unseen = [(sort, key) for sort, some in keys.items() for key in some[_KEYS : _KEYS + tests]]
    new = chance.sample(unseen, round(_UNSEEN * tests))
    known = chance.choices([*dict.fromkeys(learnt[:cases])], k=tests - len(new))

    def question(sort: str, key: str) -> str:
        return chance.choice(_ASKED[sort]).format(key=key)

    asked = [
        *(TaskItem(question(*one), values[one], "seen") for one in known),
        *(TaskItem(question(*one), UNKNOWN, "unseen") for one in new),
    ]
    return TaskSplit([TaskItem(question(*one), values[one]) for one in learnt[:cases]], asked)


@cache
def _choose_emoji() -> dict[str, str]:
    """Return emoji whose name is a frequent word, by name."""
    named = {unicodedata.name(chr(code), "").lower(): chr(code) for code in _EMOJI}
    frequent = {word.text for word in lexicon().frequent(20_000) if word.parts[:1] == "n"}
    return {name: emoji for name, emoji in named.items() if name in frequent}


def _make_acronyms(chance: Random) -> dict[str, str]:
    """Return three words each by their initials, skipping initials that are a word."""
    words = [word.text for word in lexicon().frequent(3_000) if word.parts and word.text.isalpha()]
    found: dict[str, str] = {}
    while len(found) < 4 * _KEYS:
        said = chance.sample(words, 3)
        key = "".join(word[0] for word in said)
        if lexicon().find(key) is None:
            found.setdefault(key, " ".join(said))
    return found


TASKS: Mapping[str, Callable[[int, int, int], TaskSplit]] = {"letters": make_letters, "table": make_table}
"""Functions of a seed, a number of cases and a number of tests."""
