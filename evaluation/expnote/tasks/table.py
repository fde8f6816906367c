"""Values by key: emoji for words, and short forms, asked in two ways each; a part of the keys is in no case."""

from __future__ import annotations

import unicodedata
from functools import cache
from random import Random

from assistant.language.lexicon import lexicon
from evaluation.expnote.tasks.task import UNKNOWN, Item, Split

_EMOJI = range(0x1F300, 0x1F700)
_KEYS = 40  # of each sort that the cases are about
_UNSEEN = 0.3  # share of the tests
_FREQUENT = 3_000
_ASKED = {
    "emoji": ("Which emoji goes with {key}?", "What is the emoji for {key}?"),
    "short": ('What does "{key}" stand for?', 'What is "{key}" short for?'),
}


def table(seed: int, cases: int, tests: int) -> Split:
    """Implements `MakeSplit`."""
    chance = Random(f"table {seed}")  # noqa: S311  a repeatable choice is wanted
    found = {"emoji": _emoji(), "short": _short_forms(chance)}
    values = {(sort, key): value for sort, pairs in found.items() for key, value in pairs.items()}
    keys = {sort: chance.sample(sorted(pairs), len(pairs)) for sort, pairs in found.items()}
    seen = [(sort, key) for sort, some in keys.items() for key in some[:_KEYS]]
    learnt = [*seen, *chance.choices(seen, k=max(0, cases - len(seen)))]
    chance.shuffle(learnt)
    unseen = [(sort, key) for sort, some in keys.items() for key in some[_KEYS : _KEYS + tests]]
    new = chance.sample(unseen, round(_UNSEEN * tests))
    known = chance.choices([*dict.fromkeys(learnt[:cases])], k=tests - len(new))
    asked = [
        *(Item(_question(chance, *one), values[one], "seen") for one in known),
        *(Item(_question(chance, *one), UNKNOWN, "unseen") for one in new),
    ]
    return Split([Item(_question(chance, *one), values[one]) for one in learnt[:cases]], asked)


def _question(chance: Random, sort: str, key: str) -> str:
    return chance.choice(_ASKED[sort]).format(key=key)


@cache
def _emoji() -> dict[str, str]:
    """Emoji that are called by one word that people use, and that word."""
    named = {unicodedata.name(chr(code), "").lower(): chr(code) for code in _EMOJI}
    frequent = {word.text for word in lexicon().frequent(20_000) if word.parts[:1] == "n"}
    return {name: emoji for name, emoji in named.items() if name in frequent}


def _short_forms(chance: Random) -> dict[str, str]:
    """Three words each, and their first letters, which are no word."""
    words = [word.text for word in lexicon().frequent(_FREQUENT) if word.parts and word.text.isalpha()]
    found: dict[str, str] = {}
    while len(found) < 4 * _KEYS:
        said = chance.sample(words, 3)
        key = "".join(word[0] for word in said)
        if lexicon().find(key) is None:
            found.setdefault(key, " ".join(said))
    return found
