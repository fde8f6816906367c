"""Romanize Brahmic scripts as people type them in chats.

Transliteration packages keep every inherent vowel ("matalaba") or none ("mtlb"); people type what they say ("matlab").
So letters come from one table, and the inherent vowel is dropped by the rule of Ohala (Aspects of Hindi Phonology,
1983): at the end of a word, and between vowel + consonant and consonant + vowel.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

_DEVANAGARI, _GURMUKHI, _BLOCK_SIZE = 0x0900, 0x0A00, 0x80
_DROPS_VOWELS = frozenset({_DEVANAGARI, 0x0980, _GURMUKHI, 0x0A80})  # with Bengali and Gujarati
_SIGN_TO_VOWEL = 0x38  # offset of a vowel sign from its vowel in Unicode
_BRAHMIC = re.compile("[\u0900-\u0d7f]+")

# For Devanagari, to which other scripts are mapped first; ə is an inherent vowel, ñ a nasal.
_CONSONANT, _SIGN, _VIRAMA = "[\u0915-\u0939\u095czf]", "[\u093e-\u094c]", "\u094d"
_VOWEL = "[\u0905-\u0914\u093e-\u094cə]"
_WORD = re.compile(f"(?:{_CONSONANT}|{_VOWEL}|[{_VIRAMA}ñŋ])+")
_SILENT = re.compile("[\u0903\u093d\u0971]")  # visarga, avagraha, addak
_DOTTED = re.compile("(.)\u093c")
_NASAL = re.compile("[\u0900-\u0902\u0970]+")  # candrabindu, anusvara, tippi
_LAST_BINDI = re.compile("\u0902(?![\u0904-\u0963])")  # ton, kadon in Punjabi; but nahi, mai in Hindi
_CARRIER = re.compile(f"अ(?={_SIGN}|{_VIRAMA})")  # letter that only carries a sign: Marathi अे, Bengali অ্যা
_BARE = re.compile(f"({_CONSONANT})(?!{_SIGN}|{_VIRAMA})")
_LAST = re.compile(f"(?<=.{_CONSONANT})(?<!{_VIRAMA}[यरव])ə$")  # vakya and mitra keep it
_BETWEEN_BACKWARDS = re.compile(f"({_VOWEL}{_CONSONANT})ə(?={_CONSONANT}ñ?{_VOWEL})")


class Romanizer:
    """Converts runs of Brahmic script to Latin letters and leaves the rest unchanged. Expects NFKC.

    The tables map Devanagari to Latin; `dotted` are consonants whose sound changes with a nukta.
    """

    def __init__(self, consonants: Mapping[str, str], vowels: Mapping[str, str], dotted: Mapping[str, str]) -> None:
        signs = {chr(ord(vowel) + _SIGN_TO_VOWEL): latin for vowel, latin in vowels.items()}
        digits = {chr(_DEVANAGARI + 0x66 + digit): str(digit) for digit in range(10)}
        marks = {"ə": "a", "ñ": "n", "ŋ": "n", _VIRAMA: ""}
        self._latin = str.maketrans({**consonants, **vowels, **signs, **digits, **marks})
        self._dotted = dotted
        self._run = lru_cache(maxsize=65_536)(self._romanize)

    def __call__(self, text: str) -> str:
        return _BRAHMIC.sub(lambda found: self._run(found[0]), text)

    def _romanize(self, run: str) -> str:
        block = ord(run[0]) - ord(run[0]) % _BLOCK_SIZE
        run = "".join(chr(_DEVANAGARI + ord(letter) % _BLOCK_SIZE) for letter in run)
        run = _DOTTED.sub(lambda found: self._dotted.get(found[1], found[1]), _SILENT.sub("", run))
        run = _LAST_BINDI.sub("ŋ", run) if block == _GURMUKHI else run
        run = _BARE.sub(r"\1ə", _CARRIER.sub("", _NASAL.sub("ñ", run)))
        latin = _WORD.sub(lambda word: _drop_unspoken(word[0], block), run).translate(self._latin)
        return "".join(letter if letter.isascii() else " " for letter in latin)  # dandas and similar signs


def _drop_unspoken(word: str, block: int) -> str:
    """Return a word without unspoken vowels and nasals."""
    if block == _GURMUKHI:
        if word == "चə":
            return "च्"  # ਚ is short for ਵਿੱਚ
        # Gurmukhi writes i for a spoken e before h: ਕਿਹੜਾ is kehda, and ਰਹਿਣ is rehn.
        word = re.sub("[इि](?=ह)", "े", word)
        word = re.sub("əहि(?=[ñŋ])", "ेह", word)
        word = re.sub("əहि", "ेहə", word)
    if block in _DROPS_VOWELS:
        word = _BETWEEN_BACKWARDS.sub(r"\1", _LAST.sub("", word)[::-1])[::-1]
    word = re.sub("ñ(?=[पफबभम])", "म्", word)
    return word.removesuffix("ñ")
