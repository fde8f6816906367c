"""What the lexicon knows of a word: relations, forms, and a definition and a sentence composed of them."""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from assistant.language.lexicon import Word, lexicon, rhyming
from assistant.models.embedded.phrases import Phrases, phrases_for

_FORMS = Path(__file__).with_name("data") / "forms.toml"
_SIBILANT = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


def _base(text: str) -> Word | None:
    word = lexicon().find(text)
    return lexicon().base_of(word) if word else None


def _synonyms(text: str) -> Sequence[str]:
    word = _base(text)
    return word.synonyms if word else ()


def _antonyms(text: str) -> Sequence[str]:
    word = _base(text)
    return word.antonyms if word else ()


def _general(text: str) -> Sequence[str]:
    word = _base(text)
    return [word.general] if word and word.general else []


def _special(text: str) -> Sequence[str]:
    word = _base(text)
    return lexicon().special(word.text) if word else ()


def homophones(text: str, phrases: Phrases) -> Sequence[str]:
    """Words that sound the same; else the sentence that one comes close."""
    word = lexicon().find(text)
    if word is None:
        return ()
    near = [phrases.say("near_homophone", word=word.text, near=word.near)] if word.near else []
    return [*word.homophones, *near]


def definition(text: str, phrases: Phrases) -> Sequence[str]:
    """What the relations of a word tell of its meaning, in one sentence."""
    word, base = lexicon().find(text), _base(text)
    if word is None or base is None:
        return ()
    letter = base.parts[:1]
    part = phrases.part(letter)
    facts = []
    general = _said([base.general], letter, phrases)[0] if base.general else ""
    if general:
        facts.append(phrases.say("way" if letter == "v" else "kind", base=base.text, general=general))
    others = [other for other in base.synonyms if other != base.general][:2]
    if synonyms := [other for other in _said(others, letter, phrases) if other != general]:
        name = "called" if facts and letter == "n" else "same"
        facts.append(phrases.say(name, words=phrases.say("or").join(synonyms)))
    if base.antonyms:
        facts.append(phrases.say("opposite", word=_said(base.antonyms[:1], letter, phrases)[0]))
    if not facts:
        return [phrases.say("no_definition", word=word.text, part=part)]
    form = phrases.say("form", base=base.text) if base.text != word.text else ""
    return [phrases.say("definition", word=word.text, part=part, form=form, facts="; ".join(facts))]


def _said(words: Sequence[str], part: str, phrases: Phrases) -> Sequence[str]:
    """Words as they are called among the phrases, those of which that is known; where it is of none, as they are.

    What a word is called is what it most often is, so it has to be of that part of speech as a rule.
    """
    of_part = [word for word in words if (known := lexicon().find(word)) and known.parts[:1] == part]
    return list(dict.fromkeys(filter(None, map(phrases.native, of_part)))) or words


def sentence(text: str) -> Sequence[str]:
    """An English sentence with the word."""
    word = lexicon().find(text)
    if word is None:
        return ()
    english = phrases_for("").table
    patterns: Sequence[str] = ()
    if word.base:
        endings = english["sentences_with_ending"]
        patterns = next((known for ending, known in endings.items() if word.text.endswith(ending)), ())
    if not patterns:
        patterns = english["sentences"][("" if word.base else word.parts[:1]) or "other"]
    # A checksum, not hash(): the same sentence in every process.
    made = patterns[zlib.crc32(word.text.encode()) % len(patterns)].format(word=word.text)
    return [re.sub(r"\ba (?=[aeiou])", "an ", made)]


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(_SIBILANT) else "s")


def _with_ending(ending: str) -> Callable[[str], str]:
    """The regular form with an ending that begins with a vowel: tried, stopped, baked, biggest."""

    def form(word: str) -> str:
        if word.endswith("y") and word[-2:-1] not in _VOWELS and ending[0] != "i":
            return word[:-1] + "i" + ending
        if word.endswith("e") and not (ending[0] == "i" and word.endswith(("ee", "oe", "ye"))):
            return word[:-1] + ending
        short = sum(letter in _VOWELS for letter in word) == 1
        if short and word[-1:] not in "aeiouwxy" and word[-2:-1] in tuple(_VOWELS) and len(word) > 2:
            return word + word[-1] + ending
        return word + ending

    return form


def _graded(ending: str, before: str) -> Callable[[str], str]:
    regular = _with_ending(ending)

    def form(word: str) -> str:
        syllables = len(re.findall("[aeiouy]+", word.removesuffix("e")))
        return regular(word) if syllables < 2 or word.endswith("y") else f"{before} {word}"

    return form


def _form(name: str, regular: Callable[[str], str]) -> Callable[[str], Sequence[str]]:
    """The irregular form that is listed, else the regular one; of words of the lexicon only."""

    def solve(text: str) -> Sequence[str]:
        word = text.lower()
        return [_irregular(name).get(word) or regular(word)] if lexicon().find(word) else []

    return solve


def _singular(text: str) -> Sequence[str]:
    word = text.lower()
    listed = {plural: one for one, plural in _irregular("plural").items()}
    candidates = [listed.get(word, ""), word.removesuffix("ies") + "y", word.removesuffix("es"), word.removesuffix("s")]
    return [one for one in candidates if one != word and lexicon().find(one) and word in _form("plural", _plural)(one)]


@cache
def _irregular(name: str) -> Mapping[str, str]:
    rows = tomllib.loads(_FORMS.read_text(encoding="utf-8"))[name]
    return dict(row.split() for row in rows.split(", "))


RELATIONS: Mapping[str, Callable[[str], Sequence[str]]] = {
    "antonym": _antonyms,
    "synonym": _synonyms,
    "rhyme": rhyming,
    "general": _general,
    "special": _special,
    "plural": _form("plural", _plural),
    "singular": _singular,
    "past": _form("past", _with_ending("ed")),
    "ing": _form("ing", _with_ending("ing")),
    "comparative": _form("comparative", _graded("er", "more")),
    "superlative": _form("superlative", _graded("est", "most")),
}
"""The relations and forms of which there is nothing to say but words, by the names of their definitions."""
