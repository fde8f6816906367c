"""Split a text into sentences by punctuation, and search it for whole words."""

import re

_ENDS = re.compile(r"(?<=[.!?।॥…])[^\S\n]+|\n\s*")
_LONGEST = 1_000  # characters
_LONGEST_WORD = 40
# Short forms before a name, whose full stop ends no sentence ("Dr. Mehta"), in English, Hindi and Punjabi.
_ABBREVIATIONS = frozenset(
    {
        *("dr", "mr", "mrs", "ms", "prof", "st", "sgt", "capt", "col", "gen", "lt", "rev", "hon", "fr", "sr", "vs"),
        *("e.g", "i.e", "a.m", "p.m", "smt", "shri", "kum", "adv", "डॉ", "डा", "प्रो", "श्री", "कु", "पं"),
        *("ਡਾ", "ਪ੍ਰੋ", "ਸ੍ਰੀ", "ਸ", "ਸ੍ਰ", "ਗਿ", "ਐਡ"),
    }
)


def sentences_of(text: str) -> list[str]:
    """Split a text into sentences, and very long sentences into pieces."""
    told, begin = [], 0
    for end in _ENDS.finditer(text):
        if "\n" in end[0] or not _is_before_name(text[max(begin, end.start() - _LONGEST_WORD) : end.start()]):
            told.append(text[begin : end.start()].strip())
            begin = end.end()
    told.append(text[begin:].strip())
    return [part[at : at + _LONGEST] for part in told for at in range(0, len(part), _LONGEST)]


def _is_before_name(said: str) -> bool:
    """Return True if a text ends in an abbreviation or an initial ("J.", but not the pronoun "I")."""
    word = said.rsplit(maxsplit=1)[-1].lstrip("\"'“‘(")
    short = word.removesuffix(".")
    return short != word and (short.lower() in _ABBREVIATIONS or re.fullmatch(r"[A-HJ-Z]", short) is not None)


def as_words(thing: str) -> re.Pattern[str]:
    """Compile a pattern that finds a thing in a folded text as whole words."""
    return re.compile(rf"(?<!\w){re.escape(thing.casefold())}(?!\w)")
