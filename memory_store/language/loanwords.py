"""Find the English word that somebody wrote by ear in another script: मैसेज, ਮੈਸੇਜ, মেসেজ and மெசேஜ் are "message".

A spelling is looked up as it sounds, then by its consonants alone, where the nearest vowels decide. These scripts tell
their own t and d from the English ones, and have letters that no English word needs: what is written with them is no
loanword. `tools/lists/words/loanwords.txt` says how English words sound; the file of word lists is asked. Pure.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from string import ascii_lowercase

import Levenshtein

from assistant.language.text_table import TextTable, open_tables
from memory_store.language.normalize import latin, respell
from memory_store.language.word_lists import KEPT, Texts

SOUNDS = "sounds"
NUMBER = "#"  # stands in their table for how many there are
_BLOCKS = {0x0600: "ar", 0x0680: "ar", 0x0980: "bn", 0x0B80: "ta"}  # scripts with habits of their own, or no word list
SCRIPTS = ("ar", "bn", "ta")
_PARALLEL = (0x0000, 0x0080, 0x0100)  # Bengali and Gurmukhi have their letters this far behind Devanagari

# Least likeness. A word with a letter that hardly any but English words have may be spelled more freely.
_FLOOR, _CLEAR_FLOOR = 0.88, 0.74
_RARE = 0.25  # share of the list behind which a short word is too rare to be meant
_SHORT = 4  # letters, where no word list takes care of the language's own words
_CONSONANTS = 3  # fewer say little

_VOWELS = frozenset("aeiou")
_NO_VOWELS = str.maketrans("", "", "aeiouy")
_DIPHTHONG = re.compile("(?<=[aou])y(?![aeiou])")  # vayras, vairas
_GLIDE = re.compile("(?<=[ei])y(?=[aeiou])")  # sheyar, shear; midiya, midia
_MERGED = {"bn": str.maketrans("v", "b"), "ta": str.maketrans("bfgdjc", "ppktss")}
_BENGALI_V = re.compile("o?y(?=[ae])")  # oyeb, pasoyard


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

# The names of the letters from a to z, as Devanagari writes them and, moved there, as Gurmukhi does.
_NAMES = (
    "ए बी सी डी ई एफ,ऐफ जी एच,ऐच आई,आइ जे के एल,ऐल एम,ऐम एन,ऐन ओ पी क्यू,किऊ आर एस,ऐस टी यू वी डब्ल्यू,डब्लू एक्स,ऐकस वाई जेड,जैड"
)
_NAMED = {name: letter for letter, row in zip(ascii_lowercase, _NAMES.split(), strict=True) for name in row.split(",")}
_NAME = re.compile("|".join(sorted(_NAMED, key=len, reverse=True)))
_INITIALS = re.compile(f"(?:{_NAME.pattern}){{2,}}")
_UNSPOKEN = re.compile("[\u093c\u0971\u200c\u200d]")  # the dot, the addak, joiners


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
        if letters := _initials(word):
            return letters
        # ए for ऐ, and the sign of the one for that of the other: in each script, they stand one behind the other.
        with_e = _FLAT_A.sub(lambda found: chr(ord(found[0]) - 1), word)
        if with_e != word and (found := self._english(with_e)) and "a" in found:
            return found
        return self._english(word)

    def _english(self, word: str) -> str | None:
        script = _BLOCKS.get(ord(word[0]) // 0x80 * 0x80, "")
        sound = sound_of(word.replace("্যা", "ে"))
        sound = _BENGALI_V.sub("v", sound) if script == "bn" else sound
        if not sound or _FOREIGN.search(word):
            return None
        is_clear = bool(_CLEAR.search(word))
        th_only = bool(_DENTAL.search(word)) and not is_clear
        found, rank = self._known(sound)
        # Where no letter speaks for an English word, it has to be a long or a frequent one.
        is_likely = len(sound) > (_SHORT if script else _SHORT + 1) or (not script and rank < _RARE)
        if found and (is_clear or is_likely) and ("th" in found or not th_only):
            return found
        if script and not is_clear:
            return None
        return self._nearest(coarse(sound, script), script, _CLEAR_FLOOR if is_clear else _FLOOR, th_only=th_only)

    def _nearest(self, sound: str, script: str, floor: float, *, th_only: bool) -> str | None:
        """Return the word with the same consonants and the most similar vowels, if they are similar enough."""
        best = None
        consonants = consonants_of(sound)
        if len(consonants.replace("a", "")) < _CONSONANTS:
            return None
        for known in (self._tables[by_consonants(script)].get(consonants) or "").split():
            word, _ = self._known(known)
            alike = Levenshtein.ratio(sound, coarse(known, script))
            if alike > floor and ("th" in word or not th_only):
                best, floor = word, alike
        return best

    def _known(self, sound: str) -> tuple[str, float]:
        """Return the word of a sound, and the share of the sounds of more frequent words; of no word, "" and 1."""
        word, _, place = (self._tables[SOUNDS].get(sound) or "").partition(" ")
        return word, int(place) / int(self._tables[SOUNDS].get(NUMBER) or 1) if place else 1.0


@cache
def loanwords() -> Loanwords:
    """Return the words that come with Noted."""
    file = open_tables(KEPT)
    names = (SOUNDS, *map(by_consonants, ("", *SCRIPTS)))
    return Loanwords({name: TextTable(file, name) for name in names})


def by_consonants(script: str) -> str:
    """Return the name of the table of words by consonants that a script has."""
    return f"consonants {script}"


def coarse(sound: str, script: str) -> str:
    """Return a sound without the differences that a script does not write."""
    return sound.replace("sh", "s").replace("ch", "c").translate(_MERGED.get(script, {}))


def consonants_of(sound: str) -> str:
    """Return the consonants, and whether there is a vowel before and behind them."""
    before, behind = ("a" if end in _VOWELS else "" for end in (sound[:1], sound[-1:]))
    return before + sound.translate(_NO_VOWELS) + behind


def _initials(word: str) -> str:
    """Return the letters that a word in Devanagari or Gurmukhi names one by one: एटीएम is "atm"; empty for others."""
    letters = (chr(ord(each) - 0x100) if "\u0a00" <= each < "\u0a80" else each for each in word)
    plain = _UNSPOKEN.sub("", unicodedata.normalize("NFKD", "".join(letters)))
    return "".join(_NAMED[name[0]] for name in _NAME.finditer(plain)) if _INITIALS.fullmatch(plain) else ""
