"""Whether one word is another one, mistyped or in another form. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

_SHORTEST = 4  # letters of the longer word; three are soon another word
_LONG = 8  # letters from which two slips leave a word readable
_VOWELS = re.compile("[aeiou]")
_CONSONANTS = 3  # fewer say little
_REQUEST = re.compile("([a-z]{3,}?)(?:iye|ie|o|na|en|e|io|ia)")  # in Hindi or Punjabi


@lru_cache(maxsize=65_536)
def is_typo(typed: str, meant: str) -> bool:
    """Whether a folded word is a slip or two away from another, or has the same consonants with vowels left out.

    The first letter stays, for "legal" and "illegal" are two words, or changes places with the second.
    """
    shorter, longer = sorted((typed, meant), key=len)
    if len(shorter) < _SHORTEST - 1 or len(longer) < _SHORTEST or not (typed + meant).isalpha():
        return False
    if typed[0] != meant[0]:
        return typed[1] + typed[0] + typed[2:] == meant
    allowed = 2 if len(shorter) >= _LONG else 1
    if OSA.distance(typed, meant, score_cutoff=allowed) <= allowed:
        return True
    if (stem := _REQUEST.fullmatch(typed)) and (other := _REQUEST.fullmatch(meant)) and stem[1] == other[1]:
        return True  # likho, likhie, likhna
    consonants = _VOWELS.sub("", shorter)
    return len(consonants) >= _CONSONANTS and shorter == consonants == _VOWELS.sub("", longer)
