"""What the lexicon knows of a word: relations, forms, and a definition and a sentence composed of them."""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from assistant.language.lexicon import Sense, Word, lexicon, rhyming
from assistant.models.embedded.phrases import Phrases, phrases_for

_FORMS = Path(__file__).with_name("data") / "forms.toml"
_SIBILANT = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


_SHOWN = 3  # senses of a word
_NAMED = 2  # words by which a sense is told


def _base(text: str) -> Word | None:
    word = lexicon().find(text)
    return lexicon().base_of(word) if word else None


def synonyms(text: str, sense: Sense | None) -> Sequence[str]:
    """Return words that mean the same, in one sense where it was chosen."""
    word = _base(text)
    return sense.synonyms or ((sense.general,) * bool(sense.general)) if sense else word.synonyms if word else ()


def antonyms(text: str, sense: Sense | None) -> Sequence[str]:
    """Return words that mean the opposite; of a sense, also the opposites of its synonyms."""
    word = _base(text)
    if sense is None:
        return word.antonyms if word else ()
    return sense.antonyms or [each for other in sense.synonyms for each in antonyms(other, None)]


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


def definition(text: str, sense: Sense | None, phrases: Phrases) -> Sequence[str]:
    """Return what the relations of a word tell of its meaning: one sense, or up to three, a line each."""
    word = lexicon().find(text)
    if word is None:
        return ()
    told = (tell_sense(each, phrases) for each in ([sense] if sense else lexicon().senses(text)))
    lines = [*dict.fromkeys(filter(None, told))][:_SHOWN]
    if len(lines) > 1:
        lines = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
    form = phrases.say("form", base=word.base) if word.base else ""
    return [("\n" if len(lines) > 1 else " ").join([f"{word.text}: {form}".strip(), *lines])] if lines else ()


def tell_sense(sense: Sense, phrases: Phrases) -> str:
    """Return one meaning in a line: "a kind of slope, such as riverbank"; empty where nothing tells it."""

    def known(words: Sequence[str]) -> list[str]:
        return [said for word in words if (said := phrases.native(word))][:_NAMED]

    names, general, examples = known(sense.synonyms), known([sense.general]), known(sense.examples)
    told = [phrases.say("or").join(names)] if names else []
    if general and general[0] not in names:
        told.append(phrases.say("way" if sense.part == "v" else "kind", general=general[0]))
    if examples and general and not names:
        told.append(phrases.say("such_as", words=phrases.say("or").join(examples)))
    if opposite := known(sense.antonyms[:1]):
        told.append(phrases.say("opposite", word=opposite[0]))
    return ", ".join(told)


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
        word = _base(text)
        return [_irregular(name).get(word.text) or regular(word.text)] if word else []

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


FORMS: Mapping[str, Callable[[str], Sequence[str]]] = {
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
"""The relations and forms that no sense changes, by the names of their definitions."""
