"""The words of a sentence: what each does in it, and by which keys it is the same as a word of another sentence.

Two words are one thing where they share a key: the written form, the forms that rules and the lexicon tell of an
English word (dogs, dog), the stem of a Hindi or Punjabi one (kutte, kutta), in any spelling or script.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon

_FILE = Path(__file__).with_name("data") / "words.toml"
ENGLISH, INDIC = "english", "hindi"
_FEWEST = 2  # letters of a stem
_LONGEST = 300  # characters of a sentence
_CACHED = 8_192
_SCRIPTS = range(0x0900, 0x0A80)  # Devanagari to Gurmukhi
_DANDAS = "\u0964\u0965"  # of both scripts, and written by some behind any sentence
_NO_VOWELS = str.maketrans("", "", "aeiouyh ")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence."""

    written: str  # without the signs around it
    roles: frozenset[str]  # what it may do, by the names of the data; empty for what the sentence is about
    keys: frozenset[str]  # what it has in common with the same word elsewhere
    glosses: frozenset[str] = frozenset()  # English words for one of another language, which English ones have as keys
    owns: bool = False  # "Meena's"
    sound: str = ""  # its consonants, by which it is the same in another script; empty where they say little
    counts: bool = False  # it is a number

    def __bool__(self) -> bool:
        return not self.roles


@dataclass(eq=False)
class Words:
    """Takes sentences apart. `read` gives the words of one."""

    languages: Languages
    _roles: Mapping[str, Mapping[str, frozenset[str]]] = field(init=False, repr=False)
    _hindi: frozenset[str] = field(init=False, repr=False)  # words of the one language and not of the other
    _punjabi: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._roles = _roles(self.languages.fold)
        only = [frozenset(map(self.languages.fold, words.split())) for words in _table()["only"].values()]
        self._hindi, self._punjabi = only[0] - only[1], only[1] - only[0]
        self.read = lru_cache(maxsize=_CACHED)(self._read)

    def language(self, text: str) -> str:
        """Whose words hold a sentence together: those of English, or of Hindi and Punjabi."""
        words = [word.lower() for word in words_in(text)]
        if any(ord(letter) in _SCRIPTS and letter not in _DANDAS for letter in text):
            return INDIC
        english = len({word for word in words if self._held(word, ENGLISH)})
        indic = len({word for word in words if self._held(word, INDIC) and not self._held(word, ENGLISH)})
        if english != indic:
            return ENGLISH if english > indic else INDIC
        return ENGLISH if self.languages.language(text) == "en" else INDIC

    def is_punjabi(self, text: str) -> bool:
        """Whether a text in one of these languages is Punjabi, by the words of the one and of the other that it has."""
        if any(ord(letter) in _SCRIPTS and letter not in _DANDAS for letter in text):
            return self.languages.language(text) == "pa"
        words, ends = [*map(self.languages.fold, words_in(text))], tuple(_endings()["punjabi"])
        hindi = sum(word in self._hindi for word in words)
        punjabi = sum(word in self._punjabi or word.endswith(ends) for word in words)
        return punjabi > hindi or (punjabi == hindi and self.languages.language(text) == "pa")

    def spoken(self, text: str) -> str:
        """The code of the language in which a text is to be answered."""
        return "en" if self.language(text) == ENGLISH else "pa" if self.is_punjabi(text) else "hi"

    def mirrored(self, text: str) -> str:
        """What somebody said of themselves as one says it to them: "my dog" is "your dog"."""
        language, in_punjabi = self.language(text), self.spoken(text) == "pa"
        table = {**_table()["mirrored"], **(_table()["mirrored_in_punjabi"] if in_punjabi else {})}
        words = text.split()
        for at, word in enumerate(words):
            plain = word.lower()
            if plain in table and "in" not in self._roles_of(plain, language):  # "me" is "in" in Hindi
                words[at] = table[plain].capitalize() if word[:1].isupper() and len(word) > 1 else table[plain]
        return " ".join(words)

    def _held(self, word: str, language: str) -> bool:
        return bool(self._roles_of(word.replace("’", "'").removesuffix("'s").replace("'", ""), language))

    def _read(self, text: str) -> tuple[Word, ...]:
        text = _HYPHEN.sub(" ", text[:_LONGEST])
        language = self.language(text)
        words = [written for written in words_in(text) if any(map(str.isalnum, written))]
        for at in range(len(words) - 1, 0, -1):
            if self._roles_of(pair := f"{words[at - 1].lower()} {words[at].lower()}", language):  # "no longer" is one
                words[at - 1 : at + 1] = [pair]
        last = len(words) - 1
        return tuple(self._word(written, language, begins=not at, ends=at == last) for at, written in enumerate(words))

    def _word(self, written: str, language: str, *, begins: bool, ends: bool) -> Word:
        plain = written.lower().replace("’", "'")
        bare, is_owner = (plain[:-2], True) if plain.endswith("'s") else (plain, False)
        if plain.endswith("s'"):
            bare, is_owner = plain[:-1], True
        roles = self._roles_of(plain.replace("'", ""), language)
        if "closing" in roles:  # in Punjabi one word is "is" where it stands last, and "come"
            roles = roles - {"closing"} | ({"is"} if ends else set())
        if "can" in roles and written.istitle() and not begins:  # Will, 5 May
            roles = frozenset()
        elif is_owner and not roles:
            roles = self._roles_of(bare, language)
            if roles:  # who's, what's, he's
                return Word(written, roles | {"is"}, frozenset())
        if roles and "folk" not in roles:
            return Word(written, roles, frozenset())
        folded = self.languages.fold(bare)
        keys = {bare, folded, *english_forms(bare if bare.isascii() else folded)}
        sound = folded.replace("x", "ks").translate(_NO_VOWELS)
        sound = sound if len(sound) >= _FEWEST else ""
        if language == ENGLISH:
            counts = bare.isdecimal() or bare in numbers()
            return Word(written, roles, frozenset(keys), owns=is_owner, sound=sound, counts=counts)
        glosses = self._glosses(bare)
        # A form that no rule tells (gaan, gaavan) begins as the others do and says the same.
        alike = {f"{start}:{gloss}" for gloss in glosses for start in {folded[:_FEWEST], sound[:_FEWEST]} if start}
        counts = bare.isdecimal() or self.languages.english(bare).lower().partition(" ")[0] in numbers()
        return Word(written, roles, frozenset({*keys, *_stems(folded), *alike}), glosses, is_owner, sound, counts)

    def _roles_of(self, plain: str, language: str) -> frozenset[str]:
        if language == ENGLISH:
            return self._roles[ENGLISH].get(plain, frozenset())
        return self._roles[INDIC].get(self.languages.fold(plain), frozenset())

    def _glosses(self, written: str) -> frozenset[str]:
        english = self.languages.english(written).lower().split()
        found = {form for word in english if word != written for form in english_forms(word)}
        return frozenset(found.difference(self._roles[ENGLISH]))


@cache
def numbers() -> frozenset[str]:
    """English words for numbers."""
    return frozenset(_table()["numbers"][ENGLISH].split())


def is_noun(written: str) -> bool:
    """Whether a word may be a noun: those are that the lexicon does not know."""
    known = lexicon().find(written)
    return known is None or not known.parts or "n" in known.parts


def is_verb(written: str) -> bool:
    """Whether a word may be a form of an English verb."""
    return any("v" in record.parts for form in english_forms(written.lower()) if (record := lexicon().find(form)))


def is_acronym(name: str) -> bool:
    """Whether a name is a few capitals, as no place's is but a firm's may be: TCS."""
    return name.isascii() and name.isalpha() and name.isupper() and len(name) >= _FEWEST


def is_adjective(forms: Iterable[str]) -> bool:
    """Whether one of these English words is an adjective before it is anything else."""
    return any(record.parts[:1] == "a" for form in forms if (record := lexicon().find(form)))


@lru_cache(maxsize=_CACHED)
def english_forms(word: str) -> frozenset[str]:
    """A word, and what it may be a form of by the lexicon and by rule: lives, live, life."""
    found, known = {word}, lexicon()
    if (record := known.find(word)) and record.base:
        found.add(record.base)
    endings = [("ies", "y"), ("ves", "f"), ("ves", "fe"), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("d", "")]
    found |= {
        word.removesuffix(ending) + base
        for ending, base in endings
        if word.endswith(ending) and known.find(word.removesuffix(ending) + base)
    }
    if word.endswith("s") and not word.endswith("ss") and len(word) > _FEWEST + 1:
        if word.removesuffix("es").endswith(_SIBILANTS):
            found.add(word.removesuffix("es"))
        found.add(word[:-1])
    return frozenset(form for form in found if len(form) >= _FEWEST or form == word)


def _stems(folded: str) -> set[str]:
    """What stays of a Hindi or Punjabi word as it agrees with others; marked as what it is the stem of."""
    endings = _endings()
    stems = {f"{folded}|"}
    for ending in endings["vowels"]:
        if folded.endswith(ending) and len(folded) - len(ending) >= _FEWEST:
            stems.add(f"{folded.removesuffix(ending)}-")
            break
    for ending in endings["all"]:
        if folded.endswith(ending) and len(folded) - len(ending) > _FEWEST:
            stems.add(f"{folded.removesuffix(ending)}|")
            break
    return stems


@cache
def _endings() -> Mapping[str, list[str]]:
    return {name: sorted(ends.split(), key=len, reverse=True) for name, ends in _table()["endings"].items()}


@cache
def _roles(fold: Callable[[str], str]) -> Mapping[str, Mapping[str, frozenset[str]]]:
    return {ENGLISH: _by_word(_table()[ENGLISH], str), INDIC: _by_word(_table()[INDIC], fold)}


def _by_word(rows: Mapping[str, str], form: Callable[[str], str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for role, words in rows.items():
        for word in words.split():
            found.setdefault(form(word.replace("_", " ")), set()).add(role)
    return {word: frozenset(roles) for word, roles in found.items()}


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def is_known_word(written: str, among: Collection[str] = ()) -> bool:
    """Whether a word is a usual English one rather than a name."""
    return written.lower() in among or any(lexicon().find(form) for form in english_forms(written.lower()))
