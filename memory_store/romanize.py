"""Writes Brahmic scripts in Latin letters, the way people type them in chats.

Transliteration packages keep every written vowel ("matalaba") or none ("mtlb"); people write what they say ("matlab").
So the letters come from one table, and the silent vowel is left out by the rule of Ohala (Aspects of Hindi Phonology,
1983): an inherent a is silent at the end of a word, and between vowel + consonant and consonant + vowel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_DEVANAGARI = 0x0900
_BLOCK_SIZE = 0x80
_LAST_BLOCK = 0x0D00  # Malayalam
_BRAHMIC = re.compile("[\u0900-\u0d7f]+")

# Places in a block, the same in each of them.
_NASALS = frozenset({0x00, 0x01, 0x02, 0x70})  # candrabindu, anusvara, Gurmukhi tippi
_NUKTA = 0x3C
_VIRAMA = 0x4D
_SIGN_TO_VOWEL = 0x38  # a vowel sign stands this far behind its vowel
_FIRST_SIGN, _LAST_SIGN = 0x3E, 0x4C
_FIRST_DIGIT = 0x66
_DOTTED = {0x58: 0x15, 0x59: 0x16, 0x5A: 0x17, 0x5B: 0x1C, 0x5C: 0x21, 0x5D: 0x22, 0x5E: 0x2B, 0x5F: 0x2F}
# Scripts in which the inherent vowel falls silent: Devanagari, Bengali, Gurmukhi, Gujarati.
_SILENT = frozenset({0x0900, 0x0980, 0x0A00, 0x0A80})
_KEEPS_LAST_VOWEL = ("y", "r", "v")  # after another consonant: vakya, mitra


@dataclass(slots=True)
class _Syllable:
    onset: str
    vowel: str = "a"
    inherent: bool = True  # the vowel is not written, only implied
    nasal: bool = False


class Romanizer:
    """Writes runs of Brahmic script in Latin letters and leaves all else as it is.

    Args:
        consonants: Devanagari consonant to Latin.
        vowels: Devanagari independent vowel to Latin.
        dotted: consonants whose sound changes with a nukta.
    """

    def __init__(self, consonants: Mapping[str, str], vowels: Mapping[str, str], dotted: Mapping[str, str]) -> None:
        self._consonants = {ord(letter) - _DEVANAGARI: latin for letter, latin in consonants.items()}
        self._vowels = {ord(letter) - _DEVANAGARI: latin for letter, latin in vowels.items()}
        self._dotted = {ord(letter) - _DEVANAGARI: latin for letter, latin in dotted.items()}

    def __call__(self, text: str) -> str:
        """The text, with every Brahmic word in Latin letters."""
        return _BRAHMIC.sub(lambda found: self._word(found[0]), text)

    def _word(self, word: str) -> str:
        block = (ord(word[0]) - _DEVANAGARI) // _BLOCK_SIZE * _BLOCK_SIZE + _DEVANAGARI
        pieces: list[str] = []
        syllables: list[_Syllable] = []
        for letter in word:
            place = (ord(letter) - _DEVANAGARI) % _BLOCK_SIZE
            place, dotted = (_DOTTED[place], True) if place in _DOTTED else (place, False)
            if place in self._consonants:
                latin = self._dotted.get(place, self._consonants[place]) if dotted else self._consonants[place]
                syllables.append(_Syllable(latin))
            elif place in self._vowels:
                syllables.append(_Syllable("", self._vowels[place], inherent=False))
            elif not self._modify(syllables, place):
                pieces.append(_spoken(syllables, silent=block in _SILENT))
                pieces.append(str(place - _FIRST_DIGIT) if 0 <= place - _FIRST_DIGIT <= 9 else " ")
                syllables = []
        pieces.append(_spoken(syllables, silent=block in _SILENT))
        return "".join(pieces)

    def _modify(self, syllables: Sequence[_Syllable], place: int) -> bool:
        """Apply a sign to the last syllable. False where it is no sign, or stands alone."""
        if place in {0x03, 0x3D, 0x71}:  # visarga, avagraha and addak say nothing that is kept
            return True
        if not syllables:
            return False
        last = syllables[-1]
        if place == _NUKTA:
            plain = {latin: letter for letter, latin in self._consonants.items()}
            last.onset = self._dotted.get(plain.get(last.onset, -1), last.onset)
        elif place == _VIRAMA:
            last.vowel, last.inherent = "", False
        elif _FIRST_SIGN <= place <= _LAST_SIGN:
            last.vowel, last.inherent = self._vowels.get(place - _SIGN_TO_VOWEL, ""), False
        elif place in _NASALS:
            last.nasal = True
        else:
            return False
        return True


def _spoken(syllables: Sequence[_Syllable], *, silent: bool) -> str:
    if silent:
        _drop_silent_vowels(syllables)
    spoken = []
    for number, syllable in enumerate(syllables):
        following = syllables[number + 1].onset if number + 1 < len(syllables) else ""
        nasal = "n" if syllable.nasal and following else ""  # at the end of a word it is seldom written
        spoken.append(syllable.onset + syllable.vowel + ("m" if nasal and following[0] in "pbm" else nasal))
    return "".join(spoken)


def _drop_silent_vowels(syllables: Sequence[_Syllable]) -> None:
    if len(syllables) < 2:
        return
    last, before = syllables[-1], syllables[-2]
    cluster = not before.vowel and last.onset in _KEEPS_LAST_VOWEL
    if last.inherent and not last.nasal and not cluster:
        last.vowel = ""
    for number in range(len(syllables) - 2, 0, -1):
        syllable, following = syllables[number], syllables[number + 1]
        between_vowels = syllables[number - 1].vowel and following.onset and following.vowel
        if syllable.inherent and between_vowels and not syllable.nasal:
            syllable.vowel = ""
