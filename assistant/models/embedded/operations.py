"""What the embedded model can do with a word: operations, and two of them one after the other.

`data/operations.toml` defines those that people ask for by name; the others are only ever learnt from examples
(`induction`). An operation leads from what is asked about to all of its answers, the best first.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from assistant.language.lexicon import Sense, lexicon
from assistant.models.embedded import relations
from assistant.models.embedded.phrases import Phrases

_FILE = Path(__file__).with_name("data") / "operations.toml"
_VOWELS = frozenset("aeiou")
LANGUAGES = {"english": "en", "hindi": "hi", "punjabi": "pa"}
_MOST = 8  # answers of the first of two operations with which the second is tried


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about."""

    word: str  # or phrase, number, jumbled letters; as written
    places: tuple[int, ...] = ()  # of letters, as question or clarification name them; -1 is the last
    count: int = 0  # how many letters are wanted; 0 where nobody says
    letters: tuple[str, ...] = ()  # single ones that they name
    sense: Sense | None = None  # the meaning that was chosen


Solve = Callable[[Subject, Phrases], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One, or two that were put together."""

    names: tuple[str, ...]  # of the defined operations that it is made of, in their order; none where it was learnt
    solve: Solve
    is_exact: bool = True  # whether its answers are the only right ones, so that examples can show it

    def explains(self, subject: Subject, answer: str, phrases: Phrases) -> bool:
        """Whether it leads from the subject to just this answer."""
        return answer in self.solve(subject, phrases)

    def at_best(self) -> Operation:
        """This one, with its best answer only."""
        return replace(self, solve=lambda subject, phrases: self.solve(subject, phrases)[:1])

    def then(self, other: Operation) -> Operation:
        """This one, and the other on its answers."""

        def solve(subject: Subject, phrases: Phrases) -> Sequence[str]:
            found = self.solve(subject, phrases)[:_MOST]
            return [answer for word in found for answer in other.solve(replace(subject, word=word), phrases)]

        names = (*self.names, *other.names) if self.names and other.names else ()
        return Operation(names, solve, is_exact=self.is_exact and other.is_exact)


@dataclass(frozen=True, slots=True)
class Definition:
    """How people explain an operation."""

    name: str
    english: tuple[str, ...]
    others: tuple[str, ...]  # in Hindi and Punjabi
    says: tuple[str, ...]  # the thing that is wanted, in the order of `phrases.VOICES`
    takes: str  # the arguments it needs: "numbers", "letters" or nothing
    on: str  # what it is about: "word", "phrase" or "number"


@cache
def definitions() -> Mapping[str, Definition]:
    """Return the definitions by name."""
    return {name: _definition(name, **row) for name, row in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}


def _definition(name: str, **row: Any) -> Definition:
    return Definition(
        name,
        english=tuple(row.get("en", ())),
        others=(*row.get("hi", ()), *row.get("pa", ())),
        says=tuple(row.get("says", ())),
        takes=row.get("takes", ""),
        on=row.get("on", "word"),
    )


def text_operation(change: Callable[[str], str], *names: str) -> Operation:
    """An operation that makes one text of another; an empty one is no answer."""
    return Operation(names, lambda subject, _: [made] if (made := change(subject.word)) else [])


def letters_of(text: str) -> str:
    """Only the letters of a text, lower case."""
    return "".join(character for character in text.lower() if character.isalpha())


def vowels(word: str) -> str:
    """The vowels of a word, in their order."""
    return "".join(letter for letter in word if letter.lower() in _VOWELS)


def consonants(word: str) -> str:
    """All but the vowels of a word."""
    return "".join(letter for letter in word if letter.lower() not in _VOWELS)


def swapped_ends(word: str) -> str:
    """The first and the last letter in each other's place."""
    return word[-1] + word[1:-1] + word[0] if len(word) > 1 else word


def _swapped_pairs(word: str) -> str:
    return "".join(word[at : at + 2][::-1] for at in range(0, len(word), 2))


def _middle(word: str) -> str:
    return word[(len(word) - 1) // 2 : len(word) // 2 + 1]


def _alternating(word: str) -> str:
    return "".join(letter.upper() if at % 2 == 0 else letter.lower() for at, letter in enumerate(word))


def _alphabet(word: str) -> list[int]:
    return [ord(letter) - ord("a") + 1 for letter in letters_of(word) if letter.isascii()]


def _digits(text: str) -> list[int]:
    return [int(digit) for digit in text if digit.isdecimal()]


def _counted(items: Sequence[object]) -> str:
    return str(len(items)) if items else ""


def _of_words(change: Callable[[list[str]], str]) -> Callable[[str], str]:
    """A change of a phrase of two words or more."""
    return lambda text: change(text.split()) if len(text.split()) > 1 else ""


def _positions(subject: Subject, _: Phrases) -> Sequence[str]:
    word = subject.word
    places = [number - 1 if number > 0 else len(word) + number for number in subject.places]
    if not places or any(not 0 <= place < len(word) for place in places):
        return []
    return [", ".join(word[place] for place in places)]


def _part(cut: Callable[[str, int], str]) -> Solve:
    return lambda subject, _: [cut(subject.word, subject.count)] if 0 < subject.count <= len(subject.word) else []


def _count_of(subject: Subject, _: Phrases) -> Sequence[str]:
    return [str(sum(map(subject.word.lower().count, subject.letters)))] if subject.letters else []


def _without(subject: Subject, _: Phrases) -> Sequence[str]:
    left = "".join(letter for letter in subject.word if letter.lower() not in subject.letters)
    return [left] if subject.letters and left and left != subject.word else []


def _unscrambled(fixed: int) -> Solve:
    """Anagrams that keep the first and last `fixed` letters in place."""

    def solve(subject: Subject, _: Phrases) -> Sequence[str]:
        letters = letters_of(subject.word)
        ends = (letters[:fixed], letters[len(letters) - fixed :])
        found = lexicon().spelled_with(letters)
        return [word for word in found if word != letters and (word[:fixed], word[len(word) - fixed :]) == ends]

    return solve


def _unrotated(subject: Subject, _: Phrases) -> Sequence[str]:
    letters = letters_of(subject.word)
    rotations = {letters[at:] + letters[:at] for at in range(1, len(letters))}
    return [word for word in lexicon().spelled_with(letters) if word in rotations]


def _without_symbols(subject: Subject, _: Phrases) -> Sequence[str]:
    letters = letters_of(subject.word)
    return [letters] if letters != subject.word.lower() else []


CHANGES: Mapping[str, Callable[[str], str]] = {
    "count": lambda word: _counted(letters_of(word)),
    "vowels": vowels,
    "count_vowels": lambda word: str(len(vowels(word))) if letters_of(word) else "",
    "consonants": consonants,
    "upper": str.upper,
    "lower": str.lower,
    "capitalised": str.capitalize,
    "reversed": lambda word: word[::-1],
    "sorted": lambda word: "".join(sorted(word)),
    "doubled": lambda word: "".join(2 * letter for letter in word),
    "repeated": lambda word: f"{word} {word}",
    "spelled_out": "-".join,
    "count_words": lambda text: _counted(text.split()),
    "first_word": _of_words(lambda words: words[0]),
    "last_word": _of_words(lambda words: words[-1]),
    "words_reversed": _of_words(lambda words: " ".join(reversed(words))),
    "initials": _of_words(lambda words: "".join(word[0] for word in words).upper()),
    "digit_sum": lambda text: str(sum(_digits(text))) if _digits(text) else "",
    "digit_count": lambda text: _counted(_digits(text)),
}
_SOLVERS: Mapping[str, Solve] = {
    "letters_at": _positions,
    "beginning": _part(lambda word, number: word[:number]),
    "ending": _part(lambda word, number: word[-number:]),
    "count_of": _count_of,
    "without": _without,
    "unrotated": _unrotated,
    "unscrambled": _unscrambled(0),
    "unscrambled_1": _unscrambled(1),
    "unscrambled_2": _unscrambled(2),
    "without_symbols": _without_symbols,
}


def _of_word(solve: Callable[[str], Sequence[str]]) -> Solve:
    return lambda subject, _: solve(subject.word)


def _translated(language: str) -> Solve:
    """Translate a word, where there is a usual word for it that leads back to the same."""

    def solve(subject: Subject, phrases: Phrases) -> Sequence[str]:
        english = phrases.english(subject.word) or subject.word
        found = english if language == "en" else phrases.native_in(english, language)
        return [found] if found and found.casefold() != subject.word.casefold() else []

    return solve


NAMED: Mapping[str, Operation] = (
    {name: Operation((name,), _of_word(solve)) for name, solve in relations.FORMS.items()}
    | {name: Operation((name,), solve) for name, solve in (
        ("antonym", lambda subject, _: relations.antonyms(subject.word, subject.sense)),
        ("synonym", lambda subject, _: relations.synonyms(subject.word, subject.sense)),
    )}
    | {name: Operation((name,), solve, is_exact=False) for name, solve in (
        ("homophone", lambda subject, phrases: relations.homophones(subject.word, phrases)),
        ("definition", lambda subject, phrases: relations.definition(subject.word, subject.sense, phrases)),
        ("sentence", lambda subject, _: relations.sentence(subject.word)),
        *((f"in_{name}", _translated(language)) for name, language in LANGUAGES.items()),
    )}
    | {name: text_operation(change, name) for name, change in CHANGES.items()}
    | {name: Operation((name,), solve) for name, solve in _SOLVERS.items()}
)  # fmt: skip
"""The operations that are defined, by name."""

UNNAMED: Sequence[Operation] = tuple(
    map(
        text_operation,
        (
            swapped_ends,
            _swapped_pairs,
            _middle,
            _alternating,
            str.title,
            str.swapcase,
            lambda word: word + word[::-1],
            lambda word: word[::-1] + word,
            lambda word: word + word[::-1][1:],
            lambda word: word[:1] + word,
            lambda word: word + word[-1:],
            lambda word: word[len(word) // 2 :] + word[: len(word) // 2],
            lambda word: "".join(dict.fromkeys(word)),
            lambda word: "".join(sorted(word, reverse=True)),
            lambda word: consonants(word) + vowels(word),
            lambda word: vowels(word) + consonants(word),
            lambda word: word[0] + word[-1] if word else "",
            lambda word: _counted(consonants(letters_of(word))),
            lambda word: _counted([*set(letters_of(word))]),
            lambda word: max(word, key=word.count, default=""),
            lambda word: max(letters_of(word), default=""),
            lambda word: min(letters_of(word), default=""),
            lambda word: " ".join(map(str, _alphabet(word))),
            lambda word: str(sum(_alphabet(word))) if _alphabet(word) else "",
            _of_words(lambda words: max(words, key=len)),
            _of_words(lambda words: min(words, key=len)),
            _of_words(lambda words: " ".join(sorted(words))),
            _of_words(lambda words: " ".join(word[::-1] for word in words)),
            _of_words("".join),
            _of_words("-".join),
            _of_words("_".join),
            _of_words(lambda words: "".join(word[0] for word in words)),
            _of_words(lambda words: "".join(word[-1] for word in words)),
            _of_words(lambda words: " ".join([*words[1:], words[0]])),
            _of_words(lambda words: " ".join([words[-1], *words[1:-1], words[0]])),
            lambda text: str(max(_digits(text))) if _digits(text) else "",
            lambda text: str(min(_digits(text))) if _digits(text) else "",
            lambda text: "".join(digit for digit in text if digit.isdecimal()),
        ),
    )
)
"""Further operations on texts; examples can show them."""


def plain(operation: Operation) -> bool:
    """Whether an operation is about nothing but the letters, words or digits of a text."""
    return not operation.names or operation.names[0] in CHANGES or operation.names[0] in _SOLVERS
