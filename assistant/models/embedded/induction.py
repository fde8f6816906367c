"""Infers from examples what turns the thing asked about into the answer: the smallest operation that fits them all.

Single operations come first, those with a definition before the others; then those with a part that the examples tell
(letters at fixed places, what is added, how far letters are moved); then two operations, one after the other. What the
examples call it does not matter.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, product
from operator import itemgetter, methodcaller, mul

from assistant.models.embedded.operations import (
    CHANGES,
    NAMED,
    UNNAMED,
    Operation,
    Subject,
    consonants,
    text_operation,
    vowels,
)
from assistant.models.embedded.phrases import Phrases

Pair = tuple[Subject, str]
_SHORT = 3  # characters; so short an answer fits by chance what has many answers
_LONGER = 4  # times; what makes so much of a word is no pair of operations
_PLACES = (None, 1, 2, 3, 4, -1, -2, -3, -4)
_SEPARATORS = ("", ", ", " ", "-", ",")
_FEW = 8  # letters that are taken one by one

_EXACT = tuple(operation for operation in NAMED.values() if operation.is_exact)
_TEXT = (*(NAMED[name] for name in CHANGES), *UNNAMED)
_RELATIONS = tuple(operation for operation in _EXACT if operation.names[0] not in CHANGES)


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
        yield from (first.at_best().then(second) for first, second in product((*_RELATIONS, *_TEXT), _TEXT))
        return
    for others, ones in product((_TEXT, _RELATIONS), (_RELATIONS, _TEXT)):
        yield from (one.then(other) for one, other in product(ones, others))
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
        yield text_operation(itemgetter(slice(first, last, step)))


def _rotations() -> Iterator[Operation]:
    return (text_operation(partial(_rotated, by)) for by in (1, -1, 2, -2, 3, -3))


def _rotated(by: int, word: str) -> str:
    return word[by:] + word[:by] if len(word) > abs(by) else ""


def _shifted(by: int) -> Callable[[str], str]:
    small = string.ascii_lowercase
    moved = small[by:] + small[:by]
    return methodcaller("translate", str.maketrans(small + small.upper(), moved + moved.upper()))


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
            yield partial(_taken, separator, [place for place in places if place is not None])


def _taken(separator: str, places: Sequence[int], word: str) -> str:
    return separator.join(word[place : place + 1 or None] for place in places)


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
    for step in (1, -1):
        if answer.startswith(word) and answer.endswith(word[::step]) and len(answer) > 2 * len(word):
            yield partial(_with_itself, answer[len(word) : -len(word)], step)
    for times in (2, 3, 4):
        yield partial(mul, times)
        yield partial(_each_repeated, times)


def _with_itself(between: str, step: int, word: str) -> str:
    return word + between + word[::step]


def _each_repeated(times: int, word: str) -> str:
    return "".join(letter * times for letter in word)


def _affixed(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """What stands before or after it; one example does not tell that from anything else that holds the word."""
    word, answer = texts[0]
    if (at := answer.find(word)) >= 0 and len(texts) > 1:
        before, after = answer[:at], answer[at + len(word) :]
        yield lambda word: f"{before}{word}{after}"


def _replaced(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """Vowels, consonants, all letters or one of them by one sign, or by none."""
    word, answer = texts[0]
    classes: list[Callable[[str], str]] = [
        vowels,
        consonants,
        str,
        *(partial(_just, letter) for letter in dict.fromkeys(word)),
    ]
    for chosen, sign in product(classes, ["", *dict.fromkeys(answer)]):
        yield partial(_signed, chosen, sign)


def _signed(chosen: Callable[[str], str], sign: str, word: str) -> str:
    return "".join(sign if chosen(letter) else letter for letter in word)


def _just(letter: str, other: str) -> str:
    return other if other == letter else ""


def _calculated(texts: Sequence[tuple[str, str]]) -> Iterator[Callable[[str], str]]:
    """Numbers with the same one added, or so many times."""
    word, answer = texts[0]
    if not all(text.lstrip("-").isdecimal() for pair in texts for text in pair):
        return
    before, after = int(word), int(answer)
    yield partial(_of_number, lambda number: number + after - before)
    if before and after % before == 0:
        yield partial(_of_number, lambda number: number * after // before)
    yield partial(_of_number, lambda number: number**2)


def _of_number(change: Callable[[int], int], text: str) -> str:
    return str(change(int(text))) if text.lstrip("-").isdecimal() else ""
