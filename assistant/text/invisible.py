"""Remove the invisible characters of a text, except those that a script or an emoji needs.

Tags, direction marks, variation selectors and the like could hide text for a model from people. Hindi needs joiners
next to a virama, Persian and Urdu between letters, emoji between two pictures.
"""

import re
import unicodedata

# Maximum marks on one letter: Hebrew with points and accents has up to six; more only hide the text below.
_MOST_MARKS = 6
_INVISIBLE_CATEGORIES = {"Cf", "Co", "Cn", "Cs"}
# Blank characters in visible categories: fillers of Hangul, inherent vowels of Khmer, selectors.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
}
# Visible format characters: signs before Arabic, Syriac and Kaithi numbers, the end of a verse.
_SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")

_MOST_TO_ORDER = 60
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_TAGS = "\U000e0000-\U000e007f"
_DECIDED_BY_NEIGHBOURS = frozenset(_JOINERS + _SELECTORS) | {chr(code) for code in range(0xE0000, 0xE0080)}

_PICTURE = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_VIRAMAS = "".join(filter(lambda mark: unicodedata.combining(mark) == 9, map(chr, range(0x0900, 0x0E00))))
_BRAHMIC = "\u0900-\u0dff"
_ARABIC = "\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06df-\u06ef\u06fa-\u06ff\u0710-\u07ff\u0840-\u08e1\u08e3-\u08ff"
_FLAGS = "|".join(  # England, Scotland, Wales
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_NEEDED = re.compile(
    f"({_FLAGS}"
    f"|(?<=[{_VIRAMAS}])[{_JOINERS}]|(?<=[{_BRAHMIC}])[{_JOINERS}](?=[{_VIRAMAS}])"
    f"|(?<=[{_ARABIC}])\u200d|(?<![{_JOINERS}])\u200d(?=[{_ARABIC}])"
    f"|(?<=[{_ARABIC}])\u200c(?=\\w)|(?<=\\w)\u200c(?=[{_ARABIC}])"
    f"|(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])"
    f"|(?<=[{_PICTURE}])[{_SELECTORS}]|(?<=[0-9#*])\ufe0f(?=\u20e3))"
    f"|[{_JOINERS}{_SELECTORS}{_TAGS}]"
)


def remove_invisible(text: str) -> str:
    """Return the visible text, in composed form (NFC), without control characters except tabs and line feeds."""
    if text.isascii():
        return text
    before = ""
    while text != before:  # a removal may create a new sequence to remove
        before, text = text, _once(text)
    return text


def _once(text: str) -> str:
    characters = set(text)
    if hidden := [character for character in characters if _is_hidden(character)]:
        text = text.translate(dict.fromkeys(map(ord, hidden)))
    if characters & _DECIDED_BY_NEIGHBOURS:
        text = _NEEDED.sub(lambda found: found[1] or "", text)
    # Normalising many marks takes quadratic time.
    text = unicodedata.normalize("NFC", _with_marks(text, _MOST_TO_ORDER))
    return _with_marks(text, _MOST_MARKS)


def _with_marks(text: str, most: int) -> str:
    """Limit the number of adjacent marks in a text."""
    marks = sorted(mark for mark in set(text) if unicodedata.category(mark) in {"Mn", "Me"})
    one = f"[{''.join(map(re.escape, marks))}{_JOINERS}]"
    return re.sub(f"({one}{{{most}}}){one}+", r"\1", text) if marks else text


def _is_hidden(character: str) -> bool:
    if character in _DECIDED_BY_NEIGHBOURS or character in _SEEN:
        return False
    if "\U0001f000" <= character <= "\U0001faff":
        return False  # kept for pictures; newer ones are unassigned to an older Python
    return character in _BLANK or unicodedata.category(character) in _INVISIBLE_CATEGORIES
