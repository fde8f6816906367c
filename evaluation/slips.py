"""The same question as people really type it: with a slip, in another case, with a word around it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

WORD = "{word}"
_LONG = 4  # letters from which a slip leaves a word readable


@dataclass(frozen=True, slots=True)
class Around:
    """What people of one language put around a question, and how they spell.

    Args:
        before: words in front of it.
        after: words behind it.
        slips: usual spellings of single words.
    """

    before: Sequence[str]
    after: Sequence[str]
    slips: Mapping[str, Sequence[str]]


def askings(template: str, around: Around, random: Random) -> tuple[str, ...]:
    """The question in eight ways, `{word}` still in it: as it is, without its mark, with slips, words around it."""
    bare = template.removesuffix("?").rstrip()
    first, last = random.choice(around.before), random.choice(around.after)
    return (
        template,
        bare,
        mistyped(template, random),
        respelled(mistyped(bare, random), around, random),
        f"{first} {template}",
        f"{bare} {last}",
        f"{first}, {respelled(bare, around, random)}",
        capitalised(template) if random.random() < 0.5 else shouted(template),
    )


def mistyped(template: str, random: Random) -> str:
    """One of its longer words with two letters swapped, one left out or one doubled; its first letter stays."""
    words = template.split()
    places = [place for place, word in enumerate(words) if word.isalpha() and len(word) >= _LONG]
    if not places:
        return template
    place = random.choice(places)
    word = words[place]
    at = random.randrange(1, len(word) - 1)
    slips = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + 2 * word[at] + word[at + 1 :],
    )
    return " ".join([*words[:place], random.choice(slips), *words[place + 1 :]])


def respelled(template: str, around: Around, random: Random) -> str:
    """Its first word that has a usual other spelling, in that."""
    words = template.split()
    for place, word in enumerate(words):
        if word in around.slips:
            return " ".join([*words[:place], random.choice(around.slips[word]), *words[place + 1 :]])
    return template


def capitalised(template: str) -> str:
    """With a large first letter."""
    return template if template.startswith(WORD) else template[:1].upper() + template[1:]


def shouted(template: str) -> str:
    """In large letters, but for the word asked about, which is filled in later."""
    return template.upper().replace(WORD.upper(), WORD)
