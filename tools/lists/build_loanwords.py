"""Builds the list of English words by sound: `tools/lists/words/loanwords.txt`.

    python -m tools.lists.build_loanwords node_modules/cmu-pronouncing-dictionary/index.js

Needs the CMU Pronouncing Dictionary (npm: `cmu-pronouncing-dictionary`), which Noted itself does not. The words are
those of `english.txt` and the next most frequent ones of the lexicon. Each is written in Devanagari the way it is heard
in India; what `sound_of` makes of that stands in the file, so a message is compared like with like.
A line is a word and its spellings; the most frequent words stand first.
"""

import itertools
import math
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from rapidfuzz import fuzz

from assistant.language.lexicon import lexicon
from memory_store.language.word_translation import sound_of
from tools.lists.sources import read_pronunciations

_LISTS = Path(__file__).with_name("words")
TARGET = _LISTS / "loanwords.txt"
MORE_WORDS = 5_000
MOST_SPELLINGS = 4
SHORT = 3  # letters; so short a spelling may be many things: only frequent words, and only their first spelling
SHORT_RANK = 5_000
# In doublings of a word's frequency rank: what a second spelling costs, and one that has no letter of the word.
VARIANT = 20.0
UNLIKE = 8.0
HEADING = "# English word, and what `sound_of` of Noted makes of it when Devanagari writes it as heard.\n"

_CONSONANTS = {
    "P": "प", "B": "ब", "T": "ट", "D": "ड", "K": "क", "G": "ग", "CH": "च", "JH": "ज", "F": "फ", "V": "व", "W": "व",
    "TH": "थ", "DH": "द", "S": "स", "Z": "ज", "SH": "श", "ZH": "ज", "M": "म", "N": "न", "L": "ल", "R": "र", "Y": "य",
    "HH": "ह",
}  # fmt: skip
_SIGNS = {"अ": "", "आ": "ा", "इ": "ि", "ई": "ी", "उ": "ु", "ऊ": "ू", "ए": "े", "ऐ": "ै", "ऑ": "ॉ", "ओ": "ो"}
_VOWELS = {
    "AA": "आ", "AO": "ऑ", "IH": "इ", "IY": "ई", "UH": "उ", "UW": "ऊ", "OW": "ओ", "EY": "ए", "AH": "अ", "EH": "ए",
    "AW": "आउ", "AY": "आइ", "OY": "ऑइ",
}  # fmt: skip
_BEFORE_VOWEL = {"AW": "आव", "AY": "आय", "OY": "ऑय", "EY": "एय", "IY": "इय"}  # power, fire, royal, player, media
_BEFORE_LAST_R = {"EH": "एय", "IH": "इय"}  # share, beer
_VIRAMA, _NASAL = "्", "ं"
_NASAL_BEFORE = {("N", hard) for hard in ("P", "B", "T", "D", "K", "G", "CH", "JH", "F", "V", "S", "Z", "SH")}
_NASAL_BEFORE |= {("M", "P"), ("M", "B")}
_LETTERS = re.compile("[aeiouy]+")
_BROADENS = frozenset({"N", "S", "TH", "F"})
# Unstressed e and a that sound like e, by what follows: market, business, student; package, restaurant.
_AS_E = {"e": {("T",), ("S",), ("JH",), ("N", "T"), ("N", "S"), ("N", "D")}, "a": {("JH",), ("N", "T"), ("N", "S")}}

Phones = Sequence[str]


def spellings(word: str, phones: Phones) -> list[str]:
    """How a word comes out when it is written as heard, the likeliest first."""
    heard = _adapted(word, phones)
    chosen: dict[str, None] = {}
    endings = "SZ" if word.endswith("s") else "ZS"
    for front, back, broad, last in itertools.product("एऐ", "ऑआ", (False, True), endings):
        chosen[sound_of(_devanagari(_with_last(_broad(heard) if broad else heard, last), front, back))] = None
    return list(chosen)[:MOST_SPELLINGS]


def _with_last(phones: Phones, last: str) -> Phones:
    """The plural of fees, jeans and the like is heard or spelled."""
    return [*phones[:-1], last] if phones[-1] == "Z" else phones


def _broad(phones: Phones) -> list[str]:
    """With the a of British class, bath, plan."""
    pairs = itertools.zip_longest(phones, phones[1:])
    return ["AA" if phone == "AE" and following in _BROADENS else phone for phone, following in pairs]


def _adapted(word: str, phones: Phones) -> list[str]:
    """The sounds as Indian English has them: unstressed vowels follow the letters."""
    letters = _vowel_letters(word, sum(phone[-1].isdigit() for phone in phones))
    heard: list[str] = []
    number, spelled = -1, ""
    for place, phone in enumerate(phones):
        sound, after = phone.rstrip("012"), [other.rstrip("012") for other in phones[place + 1 :]]
        if phone[-1].isdigit():
            number += 1
            spelled = letters[number] if letters else ""
            sound = _vowel(sound, spelled, after, stressed=phone[-1] != "0")
        if word.endswith("ile") and after == ["L"]:
            sound = "AY"  # mobile
        if sound == "AH" and spelled == "u" and heard[-1:] == ["Y"]:
            sound = "UW"  # document
        if sound == "UW" and heard and heard[-1] in {"N", "D"} and spelled[:1] in {"u", "e"}:
            heard.append("Y")  # news, duty
        heard += sound.split()
    return heard


def _vowel_letters(word: str, sounds: int) -> list[str]:
    """The letters of each vowel sound, nothing where they cannot be told."""
    spelled = re.sub(r"(?<=[^aeiouy])le(s?)$", r"al\1", word)
    spelled = re.sub(r"(?<=[aeiou])w|^y(?=[aeiou])", "", spelled)
    for attempt in (spelled, re.sub(r"e([sd]?)$", r"\1", spelled), re.sub(r"e(?=[^aeiouy]+$)", "", spelled)):
        found = _LETTERS.findall(attempt)
        if len(found) == sounds:
            return found
    return []


def _vowel(sound: str, letters: str, after: Phones, *, stressed: bool) -> str:
    """The vowel, or vowels, as heard in India."""
    if sound == "AA" and "o" in letters:
        return "AO"
    if stressed or sound not in {"AH", "IH"}:
        return "AH R" if sound == "ER" else sound
    if not after:
        return "AA"  # camera
    if letters == "e" and after[1:2] and after[1] not in _CONSONANTS:
        return "IY"  # television
    if tuple(after[:1]) in _AS_E.get(letters, ()) or tuple(after[:2]) in _AS_E.get(letters, ()):
        return "EY"
    return "IH" if letters == "i" else sound


def _devanagari(phones: Phones, front: str, back: str) -> str:
    written: list[str] = []
    open_consonant = False  # the last letter is a consonant that has no vowel yet
    for place, phone in enumerate(phones):
        following = phones[place + 1] if place + 1 < len(phones) else ""
        if phone == "NG":
            open_consonant = following not in {"K", "G"}
            written.append(_NASAL + ("ग" if open_consonant else ""))
        elif written and not open_consonant and (phone, following) in _NASAL_BEFORE:
            written.append(_NASAL)
        elif phone in _CONSONANTS:
            written.append((_VIRAMA if open_consonant else "") + _CONSONANTS[phone])
            open_consonant = True
        else:
            before_r = following == "R" and (place + 2 == len(phones) or phones[place + 2] in _CONSONANTS)
            letters = _written_vowel(phone, following, front, back, before_r=before_r)
            written.append((_SIGNS[letters[0]] if open_consonant else letters[0]) + letters[1:])
            open_consonant = letters[-1] in "वय" and not before_r
    return "".join(written)


def _written_vowel(phone: str, following: str, front: str, back: str, *, before_r: bool) -> str:
    if before_r and phone in _BEFORE_LAST_R:
        return _BEFORE_LAST_R[phone]
    if phone in _BEFORE_VOWEL and following and following not in _CONSONANTS and following != "NG":
        return _BEFORE_VOWEL[phone]
    return {**_VOWELS, "AE": front, "EH": front, "AO": back}[phone]


def choose_words(sounds: Mapping[str, object]) -> list[str]:
    """The words of `english.txt` and the next of the lexicon, from frequent to rare; names last."""
    listed = set((_LISTS / "english.txt").read_text(encoding="utf-8").split())
    frequent = [word.text for word in lexicon().frequent(sys.maxsize)]
    more = [word for word in frequent if word not in listed and word in sounds and len(word) > 3][:MORE_WORDS]
    known = listed | set(more)
    ordered = [word for word in frequent if word in known]
    return [word for word in [*ordered, *sorted(listed - set(ordered))] if word in sounds and len(word) > 1]


def by_word(words: Sequence[str], sounds: Mapping[str, Sequence[Phones]]) -> dict[str, list[str]]:
    """Word to the spellings that mean it rather than another one."""
    claims: dict[str, tuple[float, str]] = {}
    for rank, word in enumerate(words):
        for place, spelling in enumerate(spellings(word, sounds[word][0])):
            if len(spelling) <= SHORT and (place or rank > SHORT_RANK):
                continue
            # Of words that sound alike, the likeliest spelling counts, then how often they are used and look like it.
            unlike = 1 - fuzz.ratio(spelling, word) / 100
            claim = (bool(place) * VARIANT + math.log2(rank + 50) + UNLIKE * unlike, word)
            claims[spelling] = min(claims.get(spelling, claim), claim)
    chosen: dict[str, list[str]] = {word: [] for word in words}
    for spelling, (_, word) in claims.items():
        chosen[word].append(spelling)
    return {word: spelled for word, spelled in chosen.items() if spelled}


def main(pronunciations: Path) -> None:
    """Build the list of English words by sound, of the index.js of cmu-pronouncing-dictionary."""
    heard = read_pronunciations(pronunciations)
    sounds = {
        word: [list(itertools.takewhile("#".__ne__, phones)) for phones in found] for word, found in heard.items()
    }
    chosen = by_word(choose_words(sounds), sounds)
    lines = [f"{word}\t{','.join(spelled)}\n" for word, spelled in chosen.items()]
    TARGET.write_text(HEADING + "".join(lines), encoding="utf-8")
    print(f"{TARGET.name}: {len(lines):,} words, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    typer.run(main)
