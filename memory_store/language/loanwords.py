"""Finds the English word that somebody wrote by ear in another script: मैसेज, ਮੈਸੇਜ, মেসেজ and மெசேஜ் are "message".

A spelling is looked up as it sounds, then by its consonants alone, where the nearest vowels decide. These scripts tell
their own t and d from the English ones, and have letters that no English word needs: what is written with them is no
loanword. `tools/lists/words/loanwords.txt` says how English words sound; the file of word lists is asked. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

import Levenshtein

from assistant.language.text_table import TextTable, open_tables
from memory_store.language.normalize import latin, respell
from memory_store.language.word_lists import KEPT, Texts

SOUNDS = "sounds"
NUMBER = "#"  # stands in their table for how many there are
SCRIPTS = {"ar": range(0x0600, 0x0700), "bn": range(0x0980, 0x0A00), "ta": range(0x0B80, 0x0C00)}
_PARALLEL = (0x0000, 0x0080, 0x0100)  # Bengali and Gurmukhi have their letters this far behind Devanagari

# Of 100. A word with a letter that hardly any but English words have may be spelled more freely.
_FLOOR = 88.0
_CLEAR_FLOOR = 74.0
_SAME, _NEVER = 96.0, 101.0  # where the consonants say little
_RAREST = 4.0  # what the rarest word loses against the most frequent one
_RARE = 0.25  # share of the list behind which a short word is too rare to be meant
_SHORT = 4  # letters, where no word list takes care of the language's own words
_CONSONANTS = 3  # fewer say little

_VOWELS = frozenset("aeiou")
_NO_VOWELS = str.maketrans("", "", "aeiouy")
_DIPHTHONG = re.compile("(?<=[aou])y(?![aeiou])")  # vayras, vairas
_GLIDE = re.compile("(?<=[ei])y(?=[aeiou])")  # sheyar, shear; midiya, midia
_MERGED = {"bn": str.maketrans("v", "b"), "ta": str.maketrans("bfgdjc", "ppktss")}
_BENGALI_V = re.compile("o?y(?=[ae])")  # oyeb, pasoyard
_TAMIL_U = re.compile("(?<=..)u$|(?<=a)v(?=u)")  # kardu, akavunt


def _letters(devanagari: str) -> str:
    """These letters and their like in Bengali and Gurmukhi, for a set in a regular expression."""
    return "".join(chr(ord(letter) + behind) for behind in _PARALLEL for letter in devanagari)


# Of decomposed letters. Aspirates, ñ, ṛ and the flaps; bh, which is v in Bengali; n with a dot at the end.
_FOREIGN = re.compile(
    f"[{_letters('ऋृखघङछझञठढधळ')}\u092d\u0a2d\u0a5c\u0b9e\u0bb3\u0bb4]|[कखगडढਕਖਗডঢ][\u093c\u09bc\u0a3c]"
    f"|[{_letters('ण')}\u0ba3](?![{_letters('्')}\u0bcd])|[{_letters('ँं')}]$|[حخصضطظعغقثذھںے]"
)
_FLAT_A = re.compile(f"[{_letters('ऐै')}]")  # of bank and flat; in Latin letters it would be the i of bike
_DENTAL = re.compile(f"[{_letters('तथद')}\u0ba4دت]")  # th in English words, hardly ever t or d
_CLEAR = re.compile(f"[{_letters('टडॉऑॅऍ')}ஸஜஷஃٹڈ]|[जफਜਫ][\u093c\u0a3c]|\u09cd\u09af\u09be|^ட|ட்(?!ட)|[கசபற]்$")


_UNSPOKEN = re.compile("[\u093c\u0a3c\u0a71\u200c\u200d]")  # the dots, the addak, joiners
_NAMED = {
    "a": "ए", "b": "बी", "c": "सी", "d": "डी", "e": "ई", "f": "एफ ऐफ", "g": "जी", "h": "एच ऐच", "i": "आई आइ",
    "j": "जे", "k": "के", "l": "एल ऐल", "m": "एम ऐम", "n": "एन ऐन", "o": "ओ", "p": "पी", "q": "क्यू किऊ", "r": "आर",
    "s": "एस ऐस", "t": "टी", "u": "यू", "v": "वी", "w": "डब्ल्यू डब्लू", "x": "एक्स ऐकस", "y": "वाई", "z": "जेड जैड",
}  # fmt: skip
_LETTER_NAMES = {
    "".join(chr(ord(sign) + behind) for sign in name): letter
    for letter, names in _NAMED.items()
    for name in names.split()
    for behind in (0x0000, 0x0100)
}
_LETTER_NAME = re.compile("|".join(sorted(_LETTER_NAMES, key=len, reverse=True)))
_INITIALS = re.compile(f"(?:{_LETTER_NAME.pattern}){{2,}}")


def sound_of(word: str) -> str:
    """The comparable spelling (`surface.respell`) with sh kept apart from s, and no y that only bridges vowels."""
    return _GLIDE.sub("", _DIPHTHONG.sub("i", respell(latin(word).replace("sh", "x")).replace("x", "sh")))


class Loanwords:
    """English words by how they come out of `sound_of`, the most frequent words first."""

    def __init__(self, tables: Mapping[str, Texts]) -> None:
        """Take the tables that `tools.lists.build_word_lists` makes."""
        self._tables = tables
        self._sounds = tables[SOUNDS]

    def english(self, word: str) -> str | None:
        """The English word that a word in a Brahmic or Arabic script stands for, None where it is probably none."""
        word = unicodedata.normalize("NFKC", word)
        if letters := _initials(word):
            return letters
        # ए for ऐ, and the sign of the one for that of the other: in each script, they stand one behind the other.
        with_e = _FLAT_A.sub(lambda found: chr(ord(found[0]) - 1), word)
        if with_e != word and (found := self._english(with_e)) and "a" in found:
            return found
        return self._english(word)

    def _english(self, word: str) -> str | None:
        script = _script(word)
        sound = _heard(word, script)
        if not sound or _FOREIGN.search(word):
            return None
        clear = bool(_CLEAR.search(word))
        th_only = bool(_DENTAL.search(word)) and not clear
        found, rank = self._known(sound)
        # Where no letter speaks for an English word, it has to be a long or a frequent one.
        is_likely = len(sound) > (_SHORT if script else _SHORT + 1) or (not script and rank < _RARE)
        if found and (clear or is_likely) and ("th" in found or not th_only):
            return found
        return self._nearest(sound, script, clear=clear, th_only=th_only) if clear or not script else None

    def _nearest(self, sound: str, script: str, *, clear: bool, th_only: bool) -> str | None:
        """The word with the same consonants and the most similar vowels, if they are similar enough."""
        sound = coarse(sound, script)
        consonants = consonants_of(sound)
        if len(consonants.replace("a", "")) < _CONSONANTS:
            floor = _SAME if clear else _NEVER
        else:
            floor = _CLEAR_FLOOR if clear else _FLOOR
        best, closest = None, floor
        for known in (self._tables[by_consonants(script)].get(consonants) or "").split():
            word, rank = self._known(known)
            close = 100 * Levenshtein.ratio(sound, coarse(known, script)) - _RAREST * rank
            if close > closest and ("th" in word or not th_only):
                best, closest = word, close
        return best

    def _known(self, sound: str) -> tuple[str, float]:
        """The word of a sound, and the share of all sounds that are of more frequent words; of no word, "" and 1."""
        word, _, place = (self._sounds.get(sound) or "").partition(" ")
        return word, int(place) / int(self._sounds.get(NUMBER) or 1) if place else 1.0


@cache
def loanwords() -> Loanwords:
    """The words that come with Noted."""
    file = open_tables(KEPT)
    names = (SOUNDS, *map(by_consonants, ("", *SCRIPTS)))
    return Loanwords({name: TextTable(file, name) for name in names})


def by_consonants(script: str) -> str:
    return f"consonants {script}"


def _initials(word: str) -> str:
    """The Latin letters that a word in Devanagari or Gurmukhi names one by one: एटीएम is "atm"; empty for any other."""
    plain = _UNSPOKEN.sub("", unicodedata.normalize("NFKD", word))
    if _script(word) or not _INITIALS.fullmatch(plain):
        return ""
    return "".join(_LETTER_NAMES[found[0]] for found in _LETTER_NAME.finditer(plain))


def _script(word: str) -> str:
    """The script where it has habits of its own, or no word list; empty for Devanagari and Gurmukhi."""
    code = ord(word[0])
    return next((script for script, block in SCRIPTS.items() if code in block), "")


def _heard(word: str, script: str) -> str:
    """`sound_of`, with what Bengali and Tamil writers do where they have no letter."""
    if script == "bn":
        return _BENGALI_V.sub("v", sound_of(word.replace("্যা", "ে")))
    return _TAMIL_U.sub("", sound_of(word)) if script == "ta" else sound_of(word)


def coarse(sound: str, script: str) -> str:
    """A sound without the differences that a script does not write."""
    return sound.replace("sh", "s").replace("ch", "c").translate(_MERGED.get(script, {}))


def consonants_of(sound: str) -> str:
    """The consonants, and whether there is a vowel before and behind them."""
    before, behind = ("a" if end in _VOWELS else "" for end in (sound[:1], sound[-1:]))
    return before + sound.translate(_NO_VOWELS) + behind
