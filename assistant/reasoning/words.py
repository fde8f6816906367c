"""Split sentences into words with their roles, features of meaning, and the keys by which they are compared.

`data/words.toml` has the roles and signs of words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon

ENGLISH, INDIC = "english", "indic"
ME, WE, YOU = "#me", "#we", "#you"
"""Keys of the speaker, and of the addressee."""
PERSONS = {"me": ME, "we": WE, "you": YOU}  # roles of the words for them
SPEAKERS = {ME: "I", WE: "we"}  # the speaker in triples
OWNS = "\u02bcs"  # the possessive 's as a separate word
STEM_MARKS = "-|"  # at the end of a key that is a stem
SYNONYMS = "="  # between the words of a key for two synonyms
LONGEST = 300  # characters of a sentence
_CACHED = 8_192
_AS_WORDS = (
    (re.compile(r"(?<=\w)['’]s\b|(?<=s)['’](?=\s)"), f" {OWNS}"),
    (re.compile(r"\b[iI]['’]?m\b"), "I am"),
    (re.compile(r"(?<=\w)['’]ve\b"), " have"),
    (re.compile(r"\bwent (?:up|down)\b"), "increased"),
    (re.compile(r"(?<=\w )(?<!is )(?<!are )(?<!have )(?<!has )no\.?(?= (?:is|was|hai|aa|ae)\b| \d)"), "number"),
)
_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_VERB_ENDS = (  # finite ending, infinitive ending
    (re.compile(r"(?<=..)(?:nd|t|d)[aie]\Z"), "na"),
    (re.compile(r"(?<=..)[तद][ाीे]\Z"), "ना"),
    (re.compile(r"(?<=..)[ੰਂ]ਦ[ਾੀੇ]\Z"), "ਣਾ"),
    (re.compile(r"(?<=..)ਦ[ਾੀੇ]\Z"), "ਨਾ"),
)


@dataclass(frozen=True, slots=True)
class SentenceWord:
    written: str  # without punctuation
    roles: frozenset[str] = frozenset()  # as named in the data; empty for a content word
    signs: frozenset[str] = frozenset()  # features of meaning, such as time and place
    keys: frozenset[str] = frozenset()
    glosses: frozenset[str] = frozenset()  # English translations
    counts: bool = False  # a number
    named: bool = False  # written like a name

    @property
    def is_name(self) -> bool:
        """Return True if it is a name, a number or no known word; names in other scripts are often words, too."""
        known = self.keys | self.glosses if self.written.isascii() else self.keys
        return self.named or self.counts or not any(map(lexicon().find, known))

    @property
    def is_verb(self) -> bool:
        """Return True if a Hindi or Punjabi word is a finite verb: "rehta", "pinda"."""
        is_form = not self.named and infinitive(self.written) != self.written
        return is_form and any("v" in parts_of_speech(gloss) for gloss in self.glosses)


class Words:
    """Tokenizer of sentences. `read` returns the words of a sentence."""

    def __init__(self, languages: Languages) -> None:
        self.languages = languages
        self._roles = {ENGLISH: _by_word(ENGLISH, str), INDIC: _by_word(INDIC, languages.fold)}
        self._signs = {ENGLISH: _by_word("english_signs", str), INDIC: _by_word("indic_signs", languages.fold)}
        self.lead_in = re.compile(rf"\A(?:{_table()['lead_ins']['english']})\b", re.IGNORECASE)
        self.read = lru_cache(maxsize=_CACHED)(self._read)

    def language(self, text: str) -> str:
        """Return the language of the function words: ENGLISH, or INDIC for Hindi and Punjabi."""
        words = {word.lower().replace("’", "'").removesuffix("'s").replace("'", "") for word in words_in(text)}
        english = {word for word in words if self._find(self._roles, word, ENGLISH)}
        indic = {word for word in words - english if self._find(self._roles, word, INDIC)}
        is_english = len(english) > len(indic) or (len(english) == len(indic) and self.languages.language(text) == "en")
        return ENGLISH if is_english else INDIC

    def spoken(self, text: str) -> str:
        """Return the language code for the answer to a text: "en", "hi" or "pa"."""
        spoken = self.languages.language(text)
        return "en" if self.language(text) == ENGLISH else "hi" if spoken == "en" else spoken

    def mirrored(self, text: str) -> str:
        """Swap first and second person: "my dog" becomes "your dog"."""
        table = _table()["mirrored"] | (_table()["mirrored_in_punjabi"] if self.spoken(text) == "pa" else {})
        language, words = self.language(text), text.split()
        for at, word in enumerate(words):
            other = table.get(word.lower(), "")
            if other and "in" not in self._find(self._roles, word.lower(), language):  # "me" is "in" in Hindi
                words[at] = other.capitalize() if word[:1].isupper() and len(word) > 1 else other
        return " ".join(words)

    def _read(self, text: str) -> tuple[SentenceWord, ...]:
        language, text = self.language(text), text[:LONGEST]
        for pattern, words_for in _AS_WORDS:
            text = pattern.sub(words_for, text)
        words = [written for written in words_in(text) if any(map(str.isalnum, written))]
        for at in range(len(words) - 1, 0, -1):
            if self._find(self._roles, pair := f"{words[at - 1]} {words[at]}".lower(), language):
                words[at - 1 : at + 1] = [pair]  # "no longer" is one
        return tuple(self._word(words, at, language) for at in range(len(words)))

    def _word(self, words: Sequence[str], at: int, language: str) -> SentenceWord:
        written, last = words[at], len(words) - 1
        plain = written.lower().replace("’", "'")
        is_name = language == INDIC and written[:1].isupper() and at > 0  # "mera dost Veer hai"
        plain = plain if is_name else self._same(plain, language)
        roles = self._find(self._roles, plain.replace("'", ""), language)
        signs = self._find(self._signs, plain, language)
        if "closing" in roles:  # a Punjabi word for "is", before another verb for "come"
            rest = words[at + 1].lower() if at < last else ""
            leads = self._find(self._roles, rest, language) & {"does", "can"} or self._find(self._signs, rest, language)
            roles = roles - {"closing"} if rest and leads else frozenset({"is"})
        if "tell" in roles and 0 < at < last - 1:  # "das" is also "ten"
            roles = frozenset()
        if roles:
            keys = frozenset(key for role, key in PERSONS.items() if role in roles)
            return SentenceWord(written, roles, signs - {"helping"}, keys)
        folded = self.languages.fold(plain)
        keys = english_forms(plain if plain.isascii() else folded) | {plain, folded}
        english, glosses = self.languages.english(plain).lower().split(), frozenset[str]()
        if language == INDIC:
            keys |= _stems(folded)
            glosses = frozenset(form for one in english if one != plain for form in english_forms(one))
        is_number = "numbers" in signs | self._signs[ENGLISH].get("".join(english[:1]) or plain, frozenset())
        keys |= _synonyms(plain) if language == ENGLISH and not written[:1].isupper() else frozenset()
        counts = plain[:1].isdecimal() or (is_number and at < last)  # "do" is "two", but "give" at the end
        named = written[:1].isupper() and bool(at or not (glosses or any(map(lexicon().find, english_forms(plain)))))
        return SentenceWord(written, roles, signs, keys, glosses, counts, named)

    def _same(self, word: str, language: str) -> str:
        """Return the usual word for another one for the same: "dad" is "father"."""
        same = _table()["same"]
        if language == INDIC and word not in same and not self._find(self._roles, word, INDIC):
            return _same_words(self.languages.fold).get(self.languages.fold(word), word)
        return same.get(word) or same.get(word.removesuffix("s"), word)

    def _find(self, table: Mapping[str, Mapping[str, frozenset[str]]], word: str, language: str) -> frozenset[str]:
        return table[language].get(word if language == ENGLISH else self.languages.fold(word), frozenset())


@lru_cache(maxsize=_CACHED)
def english_forms(word: str) -> frozenset[str]:
    """Return a word with its possible base forms, by the lexicon and by rule: lives, live, life."""
    known = lexicon().find(word)
    found = {word, *([known.base] if known and known.base else [])}
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        found |= {word[:-1], *([word[:-2]] if word.removesuffix("es").endswith(_SIBILANTS) else [])}
    for ending in ("ing", "ed"):  # also of those that the lexicon has as nouns or adjectives: "playing", "parked"
        stem = word.removesuffix(ending)
        if stem != word:
            found |= {form for form in (stem, f"{stem}e") if (verb := lexicon().find(form)) and "v" in verb.parts}
    return frozenset(form for form in found if len(form) > 1 or form == word)


@lru_cache(maxsize=_CACHED)
def _synonyms(word: str) -> frozenset[str]:
    """Return a key for each word that is a synonym of this one, and this one of it: "begin" and "start"."""
    bases = [record for form in english_forms(word) if (record := lexicon().find(form)) and not record.base]
    pairs = ((base.text, other) for base in bases for other in base.synonyms)
    return frozenset(
        SYNONYMS.join(sorted((base, other))) for base, other in pairs
        if (record := lexicon().find(other)) and base in record.synonyms
    )  # fmt: skip


def parts_of_speech(written: str) -> str:
    """Return the possible parts of speech of an English word: n(oun), v(erb), a(djective), most common first."""
    return "".join(record.parts for form in english_forms(written.lower()) if (record := lexicon().find(form)))


def third_person(written: str) -> str:
    """Return the third person singular of an English verb; empty for other words and for the past tense."""
    word, known = written.lower(), lexicon().find(written)
    if word.endswith("s") and not word.endswith("ss"):
        return word if "v" in parts_of_speech(word) else ""
    if known is None or "v" not in known.parts or known.base not in {"", word}:
        return ""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return word + ("es" if word.endswith(_SIBILANTS) else "s")


def is_past(written: str) -> bool:
    """Return True for the past tense of an English verb: "parked", "bought"."""
    word = written.lower()
    is_form = not word.endswith(("s", "ing")) and any(
        "v" in parts_of_speech(one) for one in english_forms(word) - {word}
    )
    return is_form or word in _table()["english_signs"]["past"].split()


def infinitive(written: str) -> str:
    """Return the infinitive of a Hindi or Punjabi verb; the word itself if it has no ending of a verb."""
    for pattern, ending in _VERB_ENDS:
        if pattern.search(written.lower()):
            return pattern.sub(ending, written.lower())
    return written


def _stems(folded: str) -> set[str]:
    """Return the stems of a Hindi or Punjabi word, without endings of gender and number."""
    stems = {f"{folded}|"}
    for name, mark, fewest in (("vowels", "-", 2), ("all", "|", 3)):
        ends = sorted(_table()["endings"][name].split(), key=len, reverse=True)
        end = next((end for end in ends if folded.endswith(end) and len(folded) - len(end) >= fewest), "")
        stems |= {folded.removesuffix(end) + mark} if end else set()
    return stems


@cache
def _by_word(section: str, form: Callable[[str], str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in _table()[section].items():
        for word in words.split():
            found.setdefault(form(word.replace("_", " ")), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


@cache
def _same_words(form: Callable[[str], str]) -> Mapping[str, str]:
    return {form(word): usual for word, usual in _table()["same"].items()}


@cache
def _table() -> Mapping[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).with_name("data") / "words.toml").read_text(encoding="utf-8"))
