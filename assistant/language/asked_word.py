"""Which word a question asks about, as far as people say so. Pure.

They mark it with brackets or quotes; or they put an answer right and repeat the question but for that word ("by take
for a walk I mean a sentence"); or the earlier question that was put right differs in that word only.
"""

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

LONGEST_SLOT = 3  # words that are asked about
_FEWEST_SHARED = 2  # words
_LONGEST_COMPARED = 80  # words
EDGES = "\"'“”‘’«»()[]{}<>,;:?!.…।॥`"  # signs that stand around a word
MARKED = re.compile(
    r"""<[^<>\n]{1,60}>|“[^”\n]{1,60}”|"[^"\n]{1,60}"|«[^»\n]{1,60}»|`[^`\n]{1,60}`"""
    r"""|‘[^’\n]{1,60}’(?!\w)|(?<!\w)'[^'\n]{1,60}'(?!\w)"""
)
"""A word or a few in brackets or quotes, each of which is one sign."""


def words_in(text: str) -> list[str]:
    """The words of a text as they are written, without the signs around them."""
    return [stripped for word in text.split() if (stripped := word.strip(EDGES))]


def marked_words(text: str) -> list[str]:
    """What stands in brackets or quotes."""
    return [inside for found in MARKED.findall(text) if (inside := found[1:-1].strip())]


def told_places(words: Sequence[Collection[str]], said: Collection[str]) -> range:
    """The one place of a question that a person leaves out who repeats all the rest; empty where nobody does.

    Each of its words is given as what it is compared by, as is each that was said; one of signs only is none.
    """
    repeated = frozenset(said)
    left_out = [place for place, parts in enumerate(words) if parts and not repeated.issuperset(parts)]
    is_one_place = bool(left_out) and left_out[-1] - left_out[0] < min(LONGEST_SLOT, len(left_out))
    if not is_one_place or sum(map(bool, words)) - len(left_out) < _FEWEST_SHARED:
        return range(0)
    return range(left_out[0], left_out[-1] + 1)


def differing_places(question: Sequence[str], about: Sequence[str]) -> range:
    """The one place where two questions have other words, where they share as many as that at least."""
    matcher = SequenceMatcher(None, about, question, autojunk=False)
    replaced = [range(first, last) for tag, _, _, first, last in matcher.get_opcodes() if tag == "replace"]
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if len(replaced) != 1 or shared < max(_FEWEST_SHARED, (len(question) - len(replaced[0])) / 2):
        return range(0)
    return replaced[0]


def repeated_places(question: Sequence[str], said: Sequence[str]) -> range:
    """The places of what was said where a question is repeated, but for a word or a few; empty where it is not."""
    if max(len(question), len(said)) > _LONGEST_COMPARED:
        return range(0)
    matcher = SequenceMatcher(None, question, said, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    shared = sum(block.size for block in blocks)
    if shared < max(_FEWEST_SHARED, len(question) / 2):
        return range(0)
    places = range(blocks[0].b, blocks[-1].b + blocks[-1].size)
    return places if len(places) - shared <= LONGEST_SLOT else range(0)
