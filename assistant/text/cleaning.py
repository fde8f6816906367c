"""Clean a text of a user or a model: for storage, prompts, and terminals.

Prompts must not have invisible characters, which models read and people do not see: tags, direction marks, variation
selectors and the like could hide text for a model. Some are needed: Hindi needs joiners next to a virama, Persian and
Urdu between letters, emoji between two pictures. Terminals must not get escape sequences.
"""

import re
import unicodedata

from assistant.errors import EmptyText, TooLong

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
# Escape sequences of ECMA-48: control sequences, control strings, and short ones.
_COMMAND = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-OQ-WYZ`-~]"
)
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

# Maximum marks on one letter: Hebrew with points and accents has up to six; more only hide the text below.
_MOST_MARKS = 6
_MOST_TO_ORDER = 60
_INVISIBLE_CATEGORIES = {"Cf", "Co", "Cn", "Cs"}
# Blank characters in visible categories: fillers of Hangul, inherent vowels of Khmer, selectors.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
}
# Visible format characters: signs before Arabic, Syriac and Kaithi numbers, the end of a verse.
_SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
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


def check_text(text: str, limit: int) -> str:
    """Return a user's text for storage. Raises EmptyText, or TooLong if it has more than `limit` characters."""
    if len(text) > limit:
        raise TooLong(len(text), limit)
    text = clean_text(text).strip()
    if not clean_for_prompt(text):
        raise EmptyText
    return text


def clean_text(text: str) -> str:
    """Clean a text for storage: lone surrogates become U+FFFD; control characters go, except line feeds and tabs."""
    if text.isprintable():
        return text
    return _CONTROL.sub("", _LINE_ENDS.sub("\n", join_halves(text)))


def join_halves(text: str) -> str:
    """Join surrogate pairs in a text, and replace lone surrogates by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_for_terminal(text: str) -> str:
    """Clean a text for a terminal: without escape sequences and direction marks."""
    return _DIRECTION.sub("", clean_text(_COMMAND.sub("", text)))


def clean_for_prompt(text: str) -> str:
    """Clean a text for a prompt: without invisible characters, in composed form (NFC)."""
    text, before = clean_text(text), ""
    while not text.isascii() and text != before:  # a removal may create a new sequence to remove
        before, text = text, _without_invisible(text)
    return text.strip()


def _without_invisible(text: str) -> str:
    """Remove the invisible characters of a text once."""
    characters = set(text)
    hidden = [
        character
        for character in characters - _DECIDED_BY_NEIGHBOURS - _SEEN
        # Newer pictures are unassigned to an older Python.
        if not "\U0001f000" <= character <= "\U0001faff"
        and (character in _BLANK or unicodedata.category(character) in _INVISIBLE_CATEGORIES)
    ]
    if hidden:
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
