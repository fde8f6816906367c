"""Writes Brahmic scripts in Latin letters, the way people type them in chats.

Transliteration packages keep every written vowel ("matalaba") or none ("mtlb"); people write what they say ("matlab").
So the letters come from one table, and the silent vowel is left out by the rule of Ohala (Aspects of Hindi Phonology,
1983): an inherent a is silent at the end of a word, and between vowel + consonant and consonant + vowel.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_DEVANAGARI = 0x0900
_BLOCK_SIZE = 0x80
_BRAHMIC = re.compile("[\u0900-\u0d7f]+")

# Places in a block, the same in each of them.
_BINDI = 0x02
_NASALS = frozenset({0x00, 0x01, _BINDI, 0x70})  # candrabindu, anusvara, Gurmukhi tippi
_SILENT_SIGNS = frozenset({0x03, 0x3D, 0x71})  # visarga, avagraha, Gurmukhi addak: they say nothing that is kept
_NUKTA = 0x3C
_VIRAMA = 0x4D
_SIGN_TO_VOWEL = 0x38  # a vowel sign stands this far behind its vowel
_FIRST_SIGN, _LAST_SIGN = 0x3E, 0x4C
_SHORT_I = 0x3F
_FIRST_DIGIT = 0x66

_GURMUKHI = 0x0A00
_VOWEL_FALLS_SILENT = frozenset({0x0900, 0x0980, _GURMUKHI, 0x0A80})  # Devanagari, Bengali, Gurmukhi, Gujarati
_KEEPS_LAST_VOWEL = ("y", "r", "v")  # after another consonant: vakya, mitra


@dataclass(slots=True)
class _Syllable:
    onset: str
    vowel: str = "a"
    inherent: bool = True  # the vowel is not written, only implied
    short: bool = False  # the vowel is written with the letter or the sign for a short i
    place: int = -1  # of the consonant
    nasal: bool = False
    nasal_at_end: bool = False  # whether people write the n even where nothing follows


class Romanizer:
    """Writes runs of Brahmic script in Latin letters and leaves all else as it is. Expects NFKC.

    The tables lead from Devanagari to Latin; `dotted` are consonants whose sound changes with a nukta.
    """

    def __init__(self, consonants: Mapping[str, str], vowels: Mapping[str, str], dotted: Mapping[str, str]) -> None:
        self._consonants, self._vowels, self._dotted = (
            {ord(letter) - _DEVANAGARI: latin for letter, latin in table.items()}
            for table in (consonants, vowels, dotted)
        )
        self._word = lru_cache(maxsize=65_536)(self._spell)

    def __call__(self, text: str) -> str:
        return _BRAHMIC.sub(lambda found: self._word(found[0]), text)

    def _spell(self, word: str) -> str:
        block = ord(word[0]) - (ord(word[0]) - _DEVANAGARI) % _BLOCK_SIZE
        pieces: list[str] = []
        syllables: list[_Syllable] = []
        for letter in word:
            place = (ord(letter) - _DEVANAGARI) % _BLOCK_SIZE
            if place in self._consonants:
                syllables.append(_Syllable(self._consonants[place], place=place))
            elif place in self._vowels:
                short = place == _SHORT_I - _SIGN_TO_VOWEL
                syllables.append(_Syllable("", self._vowels[place], inherent=False, short=short))
            elif place not in _SILENT_SIGNS and not (syllables and self._modify(syllables[-1], place, block)):
                digit = place - _FIRST_DIGIT
                pieces += [_spoken(syllables, block), str(digit) if 0 <= digit <= 9 else " "]
                syllables = []
        return "".join([*pieces, _spoken(syllables, block)])

    def _modify(self, syllable: _Syllable, place: int, block: int) -> bool:
        """Apply a sign to a syllable. False where it is no sign."""
        if place == _NUKTA:
            syllable.onset = self._dotted.get(syllable.place, syllable.onset)
        elif place == _VIRAMA:
            syllable.vowel, syllable.inherent = "", False
        elif _FIRST_SIGN <= place <= _LAST_SIGN:
            syllable.vowel, syllable.inherent = self._vowels.get(place - _SIGN_TO_VOWEL, ""), False
            syllable.short = place == _SHORT_I
        elif place in _NASALS:
            syllable.nasal = True
            syllable.nasal_at_end = block == _GURMUKHI and place == _BINDI  # ton, kadon; but nahi, mai in Hindi
        else:
            return False
        return True


def _spoken(syllables: Sequence[_Syllable], block: int) -> str:
    if block == _GURMUKHI:
        _lower_before_h(syllables)
        if len(syllables) == 1 and syllables[0].onset == "ch":
            return "ch"  # ਚ is short for ਵਿੱਚ
    if block in _VOWEL_FALLS_SILENT:
        _drop_silent_vowels(syllables)
    spoken = []
    for number, syllable in enumerate(syllables):
        last = number + 1 == len(syllables)
        nasal = ""
        if syllable.nasal and (syllable.nasal_at_end or not last):
            nasal = "n" if last or not syllables[number + 1].onset.startswith(("p", "b", "m")) else "m"
        spoken.append(syllable.onset + syllable.vowel + nasal)
    return "".join(spoken)


def _lower_before_h(syllables: Sequence[_Syllable]) -> None:
    """Gurmukhi writes i where an e is spoken: ਕਿਹੜਾ is kehda, and ਰਹਿਣ is rehn."""
    for before, syllable in pairwise(syllables):
        if syllable.onset != "h":
            continue
        if before.vowel == "i" and before.short:
            before.vowel = "e"
        elif before.inherent and syllable.short and syllable.vowel == "i":
            before.vowel, before.inherent = "e", False
            syllable.vowel, syllable.inherent = ("", False) if syllable.nasal else ("a", True)


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
