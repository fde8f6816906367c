"""Stories of relatives, after CLUTRR (Sinha et al., 2019): who two people are to each other, over two to four others.

The truth is worked out from relations without sex, which are composed from left to right where only one answer is
possible; the last of them tells the sex. Nobody of the tests is in a case.
"""

from __future__ import annotations

from random import Random

from evaluation.expnote.tasks.task import Item, Split

_NAMED = {
    "parent": ("father", "mother"), "child": ("son", "daughter"), "sibling": ("brother", "sister"),
    "spouse": ("husband", "wife"), "grandparent": ("grandfather", "grandmother"), "cousin": ("cousin", "cousin"),
    "grandchild": ("grandson", "granddaughter"), "aunt": ("uncle", "aunt"), "niece": ("nephew", "niece"),
    "parent-in-law": ("father-in-law", "mother-in-law"), "child-in-law": ("son-in-law", "daughter-in-law"),
    "sibling-in-law": ("brother-in-law", "sister-in-law"),
}  # fmt: skip
_STEPS = ("parent", "child", "sibling", "spouse")
_COMPOSED = {
    "parent": {"parent": "grandparent", "sibling": "aunt", "child": "sibling", "spouse": "parent"},
    "child": {"child": "grandchild", "sibling": "child", "spouse": "child-in-law"},
    "sibling": {"parent": "parent", "sibling": "sibling", "child": "niece", "spouse": "sibling-in-law"},
    "spouse": {"parent": "parent-in-law", "sibling": "sibling-in-law", "child": "child"},
    "grandparent": {"spouse": "grandparent"},
    "grandchild": {"sibling": "grandchild"},
    "aunt": {"child": "cousin", "spouse": "aunt"},
    "cousin": {"sibling": "cousin"},
    "niece": {"sibling": "niece"},
    "parent-in-law": {"spouse": "parent-in-law"},
    "child-in-law": {"child": "grandchild", "spouse": "child"},
}  # fmt: skip
_TOLD = ("{b} is {a}'s {r}.", "{a}'s {r} is {b}.", "The {r} of {a} is {b}.", "{a} has a {r} called {b}.")
_ASKED = ("How is {z} related to {a}?", "What is {z} to {a}?", "What relation is {z} to {a}?")
_LENGTHS = (2, 3, 4)
_FIRST, _VOWELS, _SECOND = "BDFGKLMNPRSTVZ", "aeiou", "bdklmnprstvz"


def kinship(seed: int, cases: int, tests: int) -> Split:
    """Implements `MakeSplit`. Each length is as frequent as the others."""
    chance = Random(f"kinship {seed}")  # noqa: S311  a repeatable choice is wanted
    names = [*{_name(chance): None for _ in range(2_000)}]
    chance.shuffle(names)
    half = len(names) // 2
    learnt = [_item(chance, names[:half], _LENGTHS[at % len(_LENGTHS)]) for at in range(cases)]
    return Split(learnt, [_item(chance, names[half:], _LENGTHS[at % len(_LENGTHS)]) for at in range(tests)])


def _item(chance: Random, names: list[str], length: int) -> Item:
    steps, answer = _chain(chance, length)
    people = chance.sample(names, length + 1)
    told = [
        chance.choice(_TOLD).format(a=owner, r=step, b=value)
        for owner, step, value in zip(people, steps, people[1:], strict=False)
    ]
    chance.shuffle(told)
    asked = chance.choice(_ASKED).format(a=people[0], z=people[-1])
    return Item(" ".join((*told, asked)), answer, "length 2" if length == _LENGTHS[0] else "length 3 and 4")


def _chain(chance: Random, length: int) -> tuple[list[str], str]:
    """Relations that lead from one person to another, and what they come to."""
    while True:
        steps: list[str] = []
        reached, sex = "", chance.randrange(2)
        for _ in range(length):
            step = chance.choice(_STEPS)
            composed = _COMPOSED.get(reached, {}).get(step, "") if reached else step
            if not composed or (steps and step == "spouse" and steps[-1] in _NAMED["spouse"]):
                break
            sex = 1 - sex if step == "spouse" else chance.randrange(2)
            reached = composed
            steps.append(_NAMED[step][sex])
        if len(steps) == length:
            return steps, _NAMED[reached][sex]


def _name(chance: Random) -> str:
    syllables = [chance.choice(_SECOND) + chance.choice(_VOWELS) for _ in range(chance.choice((1, 2)))]
    return chance.choice(_FIRST) + chance.choice(_VOWELS) + "".join(syllables)
