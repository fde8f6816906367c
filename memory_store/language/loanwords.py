"""Find the English word that somebody wrote by ear in another script: मैसेज, ਮੈਸੇਜ, মেসেজ and மெசேஜ் are "message".

A spelling is looked up as it sounds, then by its consonants alone, where the nearest vowels decide. These scripts tell
their own t and d from the English ones, and have letters that no English word needs: what is written with them is no
loanword. `tools/lists/words/loanwords.txt` says how English words sound; the file of word lists is asked. Pure.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

import Levenshtein

from assistant.language.text_table import TextTable, open_tables
from memory_store.language.normalize import latin, respell
from memory_store.language.word_lists import KEPT, Texts

SOUNDS, CONSONANTS = "sounds", "consonants"  # tables: word by its sound, sounds by their consonants
_PARALLEL = (0x0000, 0x0080, 0x0100)  # Bengali and Gurmukhi have their letters this far behind Devanagari

# Least likeness. A word with a letter that hardly any but English words have may be spelled more freely.
_FLOOR, _CLEAR_FLOOR = 0.88, 0.74
_FEWEST = 3  # consonants; fewer say little

_VOWELS = frozenset("aeiou")
_NO_VOWELS = str.maketrans("", "", "aeiouy")
_DIPHTHONG = re.compile("(?<=[aou])y(?![aeiou])")  # vayras, vairas
_GLIDE = re.compile("(?<=[ei])y(?=[aeiou])")  # sheyar, shear; midiya, midia


def _letters(devanagari: str) -> str:
    """Return these letters and their like in Bengali and Gurmukhi, for a set in a regular expression."""
    return "".join(chr(ord(letter) + behind) for behind in _PARALLEL for letter in devanagari)


# Of decomposed letters. Aspirates, ñ, ṛ and the flaps; bh, which is v in Bengali; n with a dot at the end.
_FOREIGN = re.compile(
    f"[{_letters('ऋृखघङछझञठढधळ')}\u092d\u0a2d\u0a5c\u0b9e\u0bb3\u0bb4]|[कखगडढਕਖਗডঢ][\u093c\u09bc\u0a3c]"
    f"|[{_letters('ण')}\u0ba3](?![{_letters('्')}\u0bcd])|[{_letters('ँं')}]$|[حخصضطظعغقثذھںے]"
)
_FLAT_A = re.compile(f"[{_letters('ऐै')}]")  # of bank and flat; in Latin letters it would be the i of bike
_DENTAL = re.compile(f"[{_letters('तथद')}\u0ba4دت]")  # th in English words, hardly ever t or d
_CLEAR = re.compile(f"[{_letters('टडॉऑॅऍ')}ஸஜஷஃٹڈ]|[जफਜਫ][\u093c\u0a3c]|\u09cd\u09af\u09be|^ட|ட்(?!ட)|[கசபற]்$")


def sound_of(word: str) -> str:
    """Return the comparable spelling with sh kept apart from s, and no y that only bridges vowels."""
    return _GLIDE.sub("", _DIPHTHONG.sub("i", respell(latin(word).replace("sh", "x")).replace("x", "sh")))


class Loanwords:
    """English words by how they come out of `sound_of`, the most frequent words first."""

    def __init__(self, tables: Mapping[str, Texts]) -> None:
        """Take the tables that `tools.lists.build_word_lists` makes."""
        self._tables = tables

    def english(self, word: str) -> str | None:
        """Return the English word that a word in a Brahmic or Arabic script stands for; None where it is hardly one."""
        word = unicodedata.normalize("NFKC", word)
        # ए for ऐ, and the sign of the one for that of the other: in each script, they stand one behind the other.
        with_e = _FLAT_A.sub(lambda found: chr(ord(found[0]) - 1), word)
        if with_e != word and (found := self._english(with_e)) and "a" in found:
            return found
        return self._english(word)

    def _english(self, word: str) -> str | None:
        sound = sound_of(word)
        if not sound or _FOREIGN.search(word):
            return None
        is_clear = bool(_CLEAR.search(word))
        found = self._known(sound) or self._nearest(coarse(sound), _CLEAR_FLOOR if is_clear else _FLOOR)
        if found is None or ("th" not in found and _DENTAL.search(word) and not is_clear):
            return None
        return found

    def _nearest(self, sound: str, floor: float) -> str | None:
        """Return the word with the same consonants and the most similar vowels, if they are similar enough."""
        consonants = consonants_of(sound)
        if len(consonants.replace("a", "")) < _FEWEST:
            return None
        known = (self._tables[CONSONANTS].get(consonants) or "").split()
        alike = {other: Levenshtein.ratio(sound, coarse(other)) for other in known}
        best = max(alike, key=lambda other: alike[other], default="")
        return self._known(best) if best and alike[best] > floor else None

    def _known(self, sound: str) -> str:
        """Return the most frequent word of a sound, or nothing."""
        return self._tables[SOUNDS].get(sound) or ""


@cache
def loanwords() -> Loanwords:
    """Return the words that come with Noted."""
    file = open_tables(KEPT)
    return Loanwords({name: TextTable(file, name) for name in (SOUNDS, CONSONANTS)})


def coarse(sound: str) -> str:
    """Return a sound without the differences that not every script writes."""
    return sound.replace("sh", "s").replace("ch", "c")


def consonants_of(sound: str) -> str:
    """Return the consonants, and whether there is a vowel before and behind them."""
    before, behind = ("a" if end in _VOWELS else "" for end in (sound[:1], sound[-1:]))
    return before + sound.translate(_NO_VOWELS) + behind
