"""Split a question into words, and find those that it marks by brackets or quotes."""

import re

LONGEST_SLOT = 3  # words of the subject
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
