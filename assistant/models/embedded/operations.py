"""Operations on a word, a phrase or a number: functions from a subject to all answers, best first.

`data/operations.toml` defines the named ones; the `UNNAMED` ones are learnt from examples only (`induction`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from assistant.language.lexicon import Sense, lexicon
from assistant.models.embedded import relations
from assistant.models.embedded.phrases import Phrases

_FILE = Path(__file__).with_name("data") / "operations.toml"
VOWELS = "aeiouAEIOU"
LANGUAGES = {"english": "en", "hindi": "hi", "punjabi": "pa"}
_MOST = 8  # answers of the first of two operations that are input of the second


@dataclass(frozen=True, slots=True)
class Subject:
    """A word, phrase, number or jumbled letters, with the letters and places that the question names."""

    word: str
    places: tuple[int, ...] = ()  # of letters; -1 is the last
    count: int = 0  # of letters; 0 if not named
    letters: tuple[str, ...] = ()
    sense: Sense | None = None  # the chosen sense


Solve = Callable[[Subject, Phrases], Sequence[str]]
Change = Callable[[str], str]  # an empty text is no answer


@dataclass(frozen=True, slots=True)
class WordOperation:
    """One operation, or two in sequence."""

    names: tuple[str, ...]  # of its defined operations, in order; empty if learnt
    solve: Solve
    is_exact: bool = True  # False if other answers are right, too, so that examples cannot teach it

    def explains(self, subject: Subject, answer: str, phrases: Phrases) -> bool:
        """Return True if the operation has this answer for the subject."""
        return answer in self.solve(subject, phrases)

    def at_best(self) -> WordOperation:
        """Return the operation limited to its best answer."""
        return replace(self, solve=lambda subject, phrases: self.solve(subject, phrases)[:1])

    def then(self, other: WordOperation) -> WordOperation:
        """Return the composition with another operation, applied to each answer."""

        def solve(subject: Subject, phrases: Phrases) -> Sequence[str]:
            found = self.solve(subject, phrases)[:_MOST]
            return [answer for word in found for answer in other.solve(replace(subject, word=word), phrases)]

        names = (*self.names, *other.names) if self.names and other.names else ()
        return WordOperation(names, solve, is_exact=self.is_exact and other.is_exact)


@dataclass(frozen=True, slots=True)
class Definition:
    """Wordings of an operation."""

    name: str
    english: Sequence[str]
    others: Sequence[str]  # in Hindi and Punjabi
    says: Sequence[str]  # the wanted thing, in the order of `phrases.VOICES`
    takes: str = ""  # its arguments: "numbers", "letters" or none
    on: str = "word"  # or "phrase" or "number"


@cache
def definitions() -> Mapping[str, Definition]:
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {name: Definition(name, **row) for name, row in rows.items()}


def text_operation(change: Change, *names: str) -> WordOperation:
    """Return an operation that applies `change` to the text."""
    return WordOperation(names, lambda subject, _: [made] if (made := change(subject.word)) else [])


def plain(operation: WordOperation) -> bool:
    """Return True if an operation works on the letters, words or digits of any text."""
    return not operation.names or operation.names[0] in {*CHANGES, *_OF_LETTERS, *_ANAGRAMS}


def only(is_wanted: Callable[[str], bool], text: str) -> str:
    """Keep the characters of a text for which `is_wanted` is True."""
    return "".join(filter(is_wanted, text))


def _of_words(change: Callable[[list[str]], Sequence[str]]) -> Change:
    """Return a change of a phrase of two words or more."""
    return lambda text: " ".join(change(words)) if len(words := text.split()) > 1 else ""


CHANGES: Mapping[str, Change] = {
    "count": lambda word: str(len(only(str.isalpha, word)) or ""),
    "vowels": lambda word: only(VOWELS.__contains__, word),
    "count_vowels": lambda word: str(len(only(VOWELS.__contains__, word))) if word.isalpha() else "",
    "consonants": lambda word: only(lambda letter: letter not in VOWELS, word),
    "upper": str.upper,
    "lower": str.lower,
    "reversed": lambda word: word[::-1],
    "spelled_out": "-".join,
}

# Changes without a name, learnt from examples.
UNNAMED: Sequence[Change] = (
    str.capitalize,
    lambda word: "".join(sorted(word)),
    lambda word: "".join(2 * letter for letter in word),
    lambda word: f"{word} {word}",
    lambda text: str(len(text.split()) or ""),
    _of_words(lambda words: words[:1]),
    _of_words(lambda words: words[-1:]),
    _of_words(lambda words: words[::-1]),
    _of_words(lambda words: ["".join(word[0] for word in words).upper()]),
    lambda text: str(sum(map(int, only(str.isdecimal, text))) or ""),
    lambda word: word[:1],
    lambda word: word[:1] + word[-1:],
    lambda word: word[1:] + word[:1],
    lambda word: word[-1:] + word[:-1],
    lambda word: word[::2],
    lambda word: word[1::2],
    lambda word: "".join(dict.fromkeys(word)),
    lambda word: " ".join(str(ord(letter) - 96) for letter in word.lower() if letter.isalpha()),
    lambda word: str(sum(letter.isalpha() and letter not in VOWELS for letter in word) or ""),
    str.title,
    _of_words(lambda words: [max(words, key=len)]),
)


def _letters_at(subject: Subject, _: Phrases) -> str:
    try:
        return ", ".join(subject.word[place - 1 if place > 0 else place] for place in subject.places)
    except IndexError:
        return ""


def _native(word: str, phrases: Phrases, language: str) -> str:
    """Translate a word, as an English word if possible: "mango" is no "maango"."""
    return phrases.native_in(word.lower(), language) or phrases.native_in(phrases.english(word), language)


# One answer each, different from the word.
_OF_LETTERS: Mapping[str, Callable[[Subject, Phrases], str]] = {
    "letters_at": _letters_at,
    "beginning": lambda it, _: it.word[: it.count],
    "ending": lambda it, _: it.word[-it.count :] if it.count else "",
    "count_of": lambda it, _: str(sum(map(it.word.lower().count, it.letters))) if it.letters else "",
    "without": lambda it, _: only(lambda letter: letter.lower() not in it.letters, it.word),
    "without_symbols": lambda it, _: only(str.isalpha, it.word),
}
_TRANSLATIONS: Mapping[str, Callable[[Subject, Phrases], str]] = {
    "in_english": lambda it, phrases: phrases.english(it.word),
    "in_hindi": lambda it, phrases: _native(it.word, phrases, "hi"),
    "in_punjabi": lambda it, phrases: _native(it.word, phrases, "pa"),
}
# Conditions on a word with the same letters as the jumbled ones.
_ANAGRAMS: Mapping[str, Callable[[str, str], bool]] = {
    "unrotated": lambda word, letters: word in 2 * letters,
    "unscrambled": lambda *_: True,
    "unscrambled_1": lambda word, letters: word[0] + word[-1] == letters[0] + letters[-1],
    "unscrambled_2": lambda word, letters: word[:2] + word[-2:] == letters[:2] + letters[-2:],
}
_RELATIONS = ("antonym", "synonym", "general", "special")
_INFLECTIONS = ("plural", "singular", "past", "ing", "comparative", "superlative")
_FREE: Mapping[str, Solve] = {
    "homophone": lambda it, phrases: relations.homophones(it.word, phrases),
    "definition": lambda it, phrases: relations.definition(it.word, it.sense, phrases),
    "sentence": lambda it, _: relations.sentence(it.word),
}


def _relation(name: str) -> Solve:
    return lambda it, _: relations.relatives(name, it.word, it.sense)


def _inflection(name: str) -> Solve:
    return lambda it, _: relations.inflect(name, it.word)


def _another(change: Callable[[Subject, Phrases], str]) -> Solve:
    return lambda *about: [made] if (made := change(*about)) and made.casefold() != about[0].word.casefold() else []


def _unscramble(is_right: Callable[[str, str], bool]) -> Solve:
    def solve(subject: Subject, _: Phrases) -> Sequence[str]:
        letters = only(str.isalpha, subject.word).lower()
        return [word for word in lexicon().spelled_with(letters) if word != letters and is_right(word, letters)]

    return solve


NAMED: Mapping[str, WordOperation] = {
    **{name: text_operation(change, name) for name, change in CHANGES.items()},
    **{name: WordOperation((name,), _another(change)) for name, change in _OF_LETTERS.items()},
    **{name: WordOperation((name,), _unscramble(is_right)) for name, is_right in _ANAGRAMS.items()},
    **{name: WordOperation((name,), _relation(name)) for name in _RELATIONS},
    **{name: WordOperation((name,), _inflection(name)) for name in _INFLECTIONS},
    "rhyme": WordOperation(("rhyme",), lambda it, _: relations.rhymes(it.word)),
    **{name: WordOperation((name,), _another(change), is_exact=False) for name, change in _TRANSLATIONS.items()},
    **{name: WordOperation((name,), solve, is_exact=False) for name, solve in _FREE.items()},
}
"""The defined operations, by name."""
