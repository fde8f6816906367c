"""Find the word that a question asks about: by brackets or quotes, or by comparison with another question."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

LONGEST_SLOT = 3  # words of the subject
_FEWEST_SHARED = 2  # words
EDGES = "\"'“”‘’«»()[]{}<>,;:?!.…।॥`"  # punctuation around a word
MARKED = re.compile(
    r"""<[^<>\n]{1,60}>|“[^”\n]{1,60}”|"[^"\n]{1,60}"|«[^»\n]{1,60}»|`[^`\n]{1,60}`"""
    r"""|‘[^’\n]{1,60}’(?!\w)|(?<!\w)'[^'\n]{1,60}'(?!\w)"""
)
"""Words in brackets or quotes of one character."""


def words_in(text: str) -> list[str]:
    """Split a text into words, without punctuation around them."""
    return [stripped for word in text.split() if (stripped := word.strip(EDGES))]


def marked_words(text: str) -> list[str]:
    """Return the texts in brackets or quotes."""
    return [inside for found in MARKED.findall(text) if (inside := found[1:-1].strip())]


def find_differing_places(question: Sequence[str], about: Sequence[str]) -> range:
    """Return the places in `question` that differ from `about`, if it is one run and at least half is shared."""
    matcher = SequenceMatcher(None, about, question, autojunk=False)
    replaced = [range(first, last) for tag, _, _, first, last in matcher.get_opcodes() if tag == "replace"]
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if len(replaced) != 1 or shared < max(_FEWEST_SHARED, (len(question) - len(replaced[0])) / 2):
        return range(0)
    return replaced[0]
