"""Infers from examples what turns the thing asked about into the answer: the smallest operation that fits them all.

Single operations come first, those with a definition before the others; then those with a part that the examples tell
(letters at fixed places, what is added, how far letters are moved); then two operations, one after the other. What the
examples call it does not matter.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product

from assistant.models.embedded.operations import (
    NAMED,
    UNNAMED,
    Operation,
    Subject,
    consonants,
    pairs_of,
    plain,
    text_operation,
    vowels,
)
from assistant.models.embedded.phrases import Phrases

Pair = tuple[Subject, str]
_SHORT = 3  # characters; so short an answer fits by chance what has many answers
_LONGER = 4  # times; what makes so much of a word is no pair of operations
_PLACES = (None, 1, 2, 3, 4, -1, -2, -3, -4)
_SEPARATORS = ("", ", ", " ", "-", ",")
_AGAIN: Sequence[Callable[[str], str]] = (lambda word: word, lambda word: word[::-1])
_FEW = 8  # letters that are taken one by one

_EXACT = tuple(operation for operation in NAMED.values() if operation.is_exact)
_TEXT = (*(operation for operation in _EXACT if plain(operation)), *UNNAMED)
_RELATIONS = tuple(operation for operation in _EXACT if not plain(operation))


def infer(pairs: Sequence[Pair], phrases: Phrases) -> Operation | None:
    """The smallest operation that leads from each subject to its answer; None where none does."""
    if not pairs or any(not subject.word or not answer for subject, answer in pairs):
        return None

    def fits(operation: Operation) -> bool:
        return all(operation.explains(subject, answer, phrases) for subject, answer in pairs)

    texts = [(subject.word, answer) for subject, answer in pairs]
    single = chain(_EXACT, learned(texts), UNNAMED)
    return next(filter(fits, chain(single, _composed(pairs, phrases))), None) or _in_other_case(pairs, phrases)


def _in_other_case(pairs: Sequence[Pair], phrases: Phrases) -> Operation | None:
    """For an answer that is written as a sentence, "Cold."."""
    lowered = [(subject, answer[:1].lower() + answer[1:].rstrip(".")) for subject, answer in pairs]
    return infer(lowered, phrases) if all(one != other for one, other in zip(lowered, pairs, strict=True)) else None


def _composed(pairs: Sequence[Pair], phrases: Phrases) -> Iterator[Operation]:
    if any(len(answer) > _LONGER * len(subject.word) + _SHORT for subject, answer in pairs):
        return
    if any(len(answer) < _SHORT for _, answer in pairs):
        yield from pairs_of([operation.at_best() for operation in (*_RELATIONS, *_TEXT)], _TEXT)
        return
    yield from pairs_of(_RELATIONS, _TEXT)
    yield from pairs_of(_TEXT, _TEXT)
    yield from pairs_of(_RELATIONS, _RELATIONS)
    yield from pairs_of(_TEXT, _RELATIONS)
    shifts = [*_slices(), *_rotations()]
    for first in (*_TEXT, *_RELATIONS, *shifts):
        made = [list(first.solve(subject, phrases))[:1] for subject, _ in pairs]
        if all(made) and len({text for (text,) in made}) == len(pairs):
            answers = [answer for _, answer in pairs]
            texts = [(text, answer) for (text,), answer in zip(made, answers, strict=True)]
            yield from map(first.then, learned(texts))


def learned(texts: Sequence[tuple[str, str]]) -> Iterator[Operation]:
    """Operations on texts with a part that the examples tell; each may fit them."""
    for change in (*_letters(texts), *_joined(texts), *_affixed(texts), *_replaced(texts), *_calculated(texts)):
        yield text_operation(change)
    yield from _slices()
    yield from _rotations()
    for by in range(1, 26):
        yield text_operation(_shifted(by))


def _slices() -> Iterator[Operation]:
    for step, first, last in product((1, 2, 3, -2), _PLACES, _PLACES):
        yield text_operation(lambda word, part=slice(first, last, step): word[part])  # type: ignore[misc]


def _rotations() -> Iterator[Operation]:
    for by in (1, -1, 2, -2, 3, -3):
        yield text_operation(lambda word, by=by: word[by:] + word[:by] if len(word) > abs(by) else "")  # type: ignore[misc]


def _shifted(by: int) -> Callable[[str], str]:
    small = string.ascii_lowercase
    moved = small[by:] + small[:by]
    return lambda word: word.translate(str.maketrans(small + small.upper(), moved + moved.upper()))


def _letters(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """Letters at places of which each is counted from one of the ends."""
    for separator in _SEPARATORS:
        split = [answer.split(separator) if separator else list(answer) for _, answer in texts]
        count = len(split[0])
        if all(count == len(word) for word, _ in texts):
            continue  # another order of all letters goes by a rule that holds for words of any length
        if count > _FEW or any(len(pieces) != count for pieces in split):
            continue
        places = [_place(texts, [pieces[at] for pieces in split]) for at in range(count)]
        if None not in places:
            yield lambda word, at=places, by=separator: by.join(word[place : place + 1 or None] for place in at)  # type: ignore[misc]


def _place(texts: Sequence[tuple[str, str]], letters: Sequence[str]) -> int | None:
    shortest = min(len(word) for word, _ in texts)
    places: tuple[int, ...] = (*range(shortest), *range(-1, -shortest - 1, -1))
    for place in places:
        if all(word[place] == letter for (word, _), letter in zip(texts, letters, strict=True)):
            return place
    return None


def _joined(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """All letters, or the word and itself again, with something between."""
    word, answer = texts[0]
    if len(word) > 1 and answer.startswith(word[0]) and word[1] in answer[1:]:
        yield answer[1 : answer.index(word[1], 1)].join
    for again in _AGAIN:
        if answer.startswith(word) and answer.endswith(again(word)) and len(answer) > 2 * len(word):
            between = answer[len(word) : -len(word)]
            yield lambda word, by=between, again=again: word + by + again(word)  # type: ignore[misc]
    for times in (2, 3, 4):
        yield lambda word, times=times: word * times  # type: ignore[misc]
        yield lambda word, times=times: "".join(letter * times for letter in word)  # type: ignore[misc]


def _affixed(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """What stands before or after it; one example does not tell that from anything else that holds the word."""
    word, answer = texts[0]
    if (at := answer.find(word)) >= 0 and len(texts) > 1:
        before, after = answer[:at], answer[at + len(word) :]
        yield lambda word: f"{before}{word}{after}"


def _replaced(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """Vowels, consonants, all letters or one of them by one sign, or by none."""
    word, answer = texts[0]
    classes = [vowels, consonants, str, *(_just(letter) for letter in dict.fromkeys(word))]
    for chosen, sign in product(classes, ["", *dict.fromkeys(answer)]):
        yield lambda word, chosen=chosen, sign=sign: "".join(sign if chosen(letter) else letter for letter in word)  # type: ignore[misc]


def _just(letter: str) -> Callable[[str], str]:
    return lambda other: other if other == letter else ""


def _calculated(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """Numbers with the same one added, or so many times."""
    word, answer = texts[0]
    if not all(text.lstrip("-").isdecimal() for pair in texts for text in pair):
        return
    added = int(answer) - int(word)
    yield lambda text: str(int(text) + added) if text.lstrip("-").isdecimal() else ""
    if int(word) and int(answer) % int(word) == 0:
        times = int(answer) // int(word)
        yield lambda text: str(int(text) * times) if text.lstrip("-").isdecimal() else ""
    yield lambda text: str(int(text) ** 2) if text.lstrip("-").isdecimal() else ""
