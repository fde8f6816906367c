"""Find the word that a question asks about, by marks or by comparison.

It is in brackets or quotes; or a correction repeats the question without it ("by take for a walk I mean a sentence");
or the question of an earlier correction differs in that word only.
"""

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

LONGEST_SLOT = 3  # words of the subject
_FEWEST_SHARED = 2  # words
_LONGEST_COMPARED = 80  # words
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


def find_said_places(words: Sequence[Collection[str]], said: Collection[str]) -> range:
    """Return the places of the words that a correction omits when it repeats a question; empty if it does not.

    Words are given as collections of comparison keys; a word of punctuation only has none.
    """
    repeated = frozenset(said)
    left_out = [place for place, parts in enumerate(words) if parts and not repeated.issuperset(parts)]
    is_one_place = bool(left_out) and left_out[-1] - left_out[0] < min(LONGEST_SLOT, len(left_out))
    if not is_one_place or sum(map(bool, words)) - len(left_out) < _FEWEST_SHARED:
        return range(0)
    return range(left_out[0], left_out[-1] + 1)


def find_differing_places(question: Sequence[str], about: Sequence[str]) -> range:
    """Return the places in `question` that differ from `about`, if it is one run and at least half is shared."""
    matcher = SequenceMatcher(None, about, question, autojunk=False)
    replaced = [range(first, last) for tag, _, _, first, last in matcher.get_opcodes() if tag == "replace"]
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if len(replaced) != 1 or shared < max(_FEWEST_SHARED, (len(question) - len(replaced[0])) / 2):
        return range(0)
    return replaced[0]


def find_repeated_places(question: Sequence[str], said: Sequence[str]) -> range:
    """Return the places in `said` that repeat a question, except for a few words; empty if there are none."""
    if max(len(question), len(said)) > _LONGEST_COMPARED:
        return range(0)
    matcher = SequenceMatcher(None, question, said, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    shared = sum(block.size for block in blocks)
    if shared < max(_FEWEST_SHARED, len(question) / 2):
        return range(0)
    places = range(blocks[0].b, blocks[-1].b + blocks[-1].size)
    return places if len(places) - shared <= LONGEST_SLOT else range(0)
