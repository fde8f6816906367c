"""The frame of a question: what is left of it without the word that it asks about.

"what is akin to quick ?" and "what is akin to enormous ?" share the frame "what is akin to ▢ ?", and a clarification given
for one is wanted for the other. "what is unlike quick ?" looks nearly the same and has another frame. So frames are
compared word by word: small words may differ, the others must be there, in order, and negations and question words must
agree. `words.toml` says which words are small; nothing here knows any particular question. Pure.
"""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from rapidfuzz.distance import OSA

from memory_store.surface import SLOT, fold

_WORDS = Path(__file__).with_name("words.toml")
LONGEST_FRAME = 32  # words; a longer text has no frame
LONGEST_SLOT = 3  # words
_LONGEST_TEXT = 500  # characters; a longer one is no short question with one word asked about
_MARKED = re.compile(
    r"""<\s*([^<>\n]{1,60}?)\s*>|“([^”\n]{1,60})”|"([^"\n]{1,60})"|«([^»\n]{1,60})»|`([^`\n]{1,60})`"""
    r"""|‘([^’\n]{1,60})’(?!\w)|(?<!\w)'([^'\n]{1,60})'(?!\w)"""
)
_VOWELS = re.compile("[aeiou]")

# What one difference costs; the similarity is exp(-sum of costs). A missing word that matters brings it to 0.22.
_COST = {"negation": 2.0, "asking": 1.5, "content": 1.5, "common": 0.9, "link": 0.4, "person": 0.3, "question": 0.12, "light": 0.04, SLOT: 1.5}
_CLASH = 1.2  # two question words, persons or links that do not mean the same
_RESPELLED = 0.1
_RESPELLED_SHORT = 0.25  # a word of three letters, which may well be another word
_EQUIVALENT = 0.02
_LONGER_SLOT = (0.0, 0.0, 0.15, 0.5)  # by how many words of content are in it
_SLOT_WORD = {"content": 0.0, "common": 0.2, "asking": 0.1, "light": 0.6}  # a slot may hold such a word, at this cost
# How much a word tells about the way of asking. A frame that tells little ("what is ▢") is none.
_TELLS = {"negation": 1.0, "asking": 1.0, "content": 1.0, "common": 0.5, "link": 0.3, "person": 0.0, "question": 0.3, "light": 0.1, SLOT: 0.0}
_MATTERS = frozenset({"negation", "asking", "content"})
_TELLS_ENOUGH = 1.0
_TELLS_ENOUGH_WITH_HINT = 0.5


def mask_slot(question: str, hint: str = "", said: str = "") -> str | None:
    """The question with `SLOT` in place of the word it asks about, or None where that word cannot be told.

    The word is: what stands in brackets or quotes; else what the hint also names in quotes; else the only word that is not
    one of asking; else the only such word that a linking word marks ("of ▢", "▢ ka"). A word that the person repeats when
    they correct ("by kal I mean tomorrow") is what was misunderstood, not what was asked about, unless the hint names it.

    Args:
        question: a question as a person wrote it.
        hint: the understanding that was wrong; it often names the word in quotes.
        said: what the person said to correct it.
    """
    if len(question) > _LONGEST_TEXT or len(hint) > _LONGEST_TEXT or len(said) > _LONGEST_TEXT:
        return None
    return _mask_slot(question, hint, said)


def frame_similarity(question: str, key: str, hint: str = "", said: str = "") -> float:
    """How alike two questions are beside the word that each asks about, in [0, 1]. 1 for the same frame.

    Args:
        question: the new question. Its slot need not be marked.
        key: a question that was asked before, or a masked one.
        hint: helps to find the slot of the key, see `mask_slot`.
        said: helps as well.
    """
    masked = key if SLOT in key else mask_slot(key, hint, said)
    forms = [(_tokens(question), _tokens(key))] if SLOT not in key else []
    if masked is not None:
        forms += [(_tokens(question), _tokens(masked)), (_tokens(_mask_marked(question)), _tokens(masked))]
    return max((_aligned(asked, known) for asked, known in dict.fromkeys(forms)), default=0.0)


def shared_words(known: str, said: str, question: str) -> float:
    """Of the words that a correction repeats from the question it corrects, the share that a new question has too.

    What a person repeats ("by shabd batao I mean …") is what was misunderstood. 0 where nothing is repeated.

    Args:
        known: the question that was corrected.
        said: what the person said about it.
        question: the new question.
    """
    repeated = {token for token in _trigger(known, said) if _kind(token) in _MATTERS}
    asked = set(_tokens(question))
    return len(repeated & asked) / len(repeated) if repeated else 0.0


@lru_cache(maxsize=16_384)
def _trigger(known: str, said: str) -> frozenset[str]:
    return frozenset(_tokens(known)) & frozenset(_tokens(said))


@lru_cache(maxsize=16_384)
def _mask_slot(question: str, hint: str, said: str) -> str | None:
    marked = _mask_marked(question)
    if marked != question:
        return marked
    pieces = question.split()
    if len(pieces) > LONGEST_FRAME:
        return None
    named = list(_named_in(hint, pieces))
    repeated = frozenset(_tokens(said))
    runs = list(_runs_of_content(pieces, repeated))
    linked = [run for run in runs if _is_linked(pieces, run)]
    # What is left beside repeated words need not be what was asked about, unless a linking word says so.
    alone = runs if runs == list(_runs_of_content(pieces, frozenset())) else []
    chosen = next((choice[0] for choice in (named, alone, linked) if len(choice) == 1), None)
    if chosen is None:
        return None
    masked = _replace(pieces, chosen)
    told = [_TELLS[_kind(token)] for token in _tokens(masked)]
    enough = sum(told) >= _TELLS_ENOUGH_WITH_HINT if named else max(told) >= _TELLS_ENOUGH
    return masked if enough else None


def _replace(pieces: Sequence[str], run: tuple[int, int]) -> str:
    """The words with one run of them masked; punctuation around it stays."""
    first, last = run
    start = _strip_punctuation(pieces[first])
    end = _strip_punctuation(pieces[last - 1])
    before, after = pieces[first].partition(start)[0], pieces[last - 1].rpartition(end)[2]
    return " ".join([*pieces[:first], f"{before}{SLOT}{after}", *pieces[last:]])


def _strip_punctuation(piece: str) -> str:
    outside = "".join({letter for letter in piece if unicodedata.category(letter)[0] in "PS"})
    return piece.strip(outside)


def _mask_marked(question: str) -> str:
    """Brackets and quotes with at most a few words in them become slots."""

    def mask(found: re.Match[str]) -> str:
        inside = _tokens(_inside(found))
        return SLOT if 0 < len(inside) <= LONGEST_SLOT else found[0]

    return _MARKED.sub(mask, question)


def _runs_of_content(pieces: Sequence[str], repeated: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where neighbouring words that are about something stand, as (first, one past the last)."""
    about = [
        all(_kind(token) == "content" and token not in repeated for token in tokens) if (tokens := _tokens(piece)) else False
        for piece in pieces
    ]
    for is_about, group in groupby(range(len(pieces)), key=about.__getitem__):
        places = list(group)
        if is_about and len(places) <= LONGEST_SLOT:
            yield places[0], places[-1] + 1


def _named_in(hint: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where words stand that the hint names in quotes and that are about something, each phrase once."""
    words = [_tokens(piece) for piece in pieces]
    for phrase in dict.fromkeys(_tokens(_inside(found)) for found in _MARKED.finditer(hint)):
        if not phrase or any(_kind(token) != "content" for token in phrase):
            continue
        for first in range(len(words) - len(phrase) + 1):
            if words[first : first + len(phrase)] == [(token,) for token in phrase]:
                yield first, first + len(phrase)
                break


def _inside(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


def _is_linked(pieces: Sequence[str], run: tuple[int, int]) -> bool:
    first, last = run
    before = [token for piece in pieces[:first] for token in fold(piece).split()]
    while before and before[-1] in _lexicon().articles:
        before.pop()
    after = fold(pieces[last]).split() if last < len(pieces) else []
    return bool((before and before[-1] in _lexicon().before) or (after and after[0] in _lexicon().after))


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(fold(text).split())


@lru_cache(maxsize=16_384)
def _aligned(asked: tuple[str, ...], known: tuple[str, ...]) -> float:
    """Similarity of two token rows by their cheapest alignment (Needleman and Wunsch, 1970); `known` may hold slots."""
    if not asked or not known or max(len(asked), len(known)) > LONGEST_FRAME:
        return 0.0
    if (missing := _missing(asked, known)) >= _COST["content"]:
        return math.exp(-missing)
    drop = [_COST[_kind(token)] for token in known]
    add = [_COST[_kind(token)] for token in asked]
    # Each cell: cost so far, and the words that found no partner, of `known` and of `asked`.
    Cell = tuple[float, tuple[str, ...], tuple[str, ...]]
    above: list[Cell] = [(0.0, (), ())]
    for column, token in enumerate(asked):
        cost, left, right = above[-1]
        above.append((cost + add[column], left, (*right, token)))
    rows = [above]
    for row, expected in enumerate(known):
        above = rows[-1]
        cost, left, right = above[0]
        current: list[Cell] = [(cost + drop[row], (*left, expected), right)]
        for column, token in enumerate(asked):
            up, back, across = above[column + 1], current[column], above[column]
            options = [
                (up[0] + drop[row], (*up[1], expected), up[2]),
                (back[0] + add[column], back[1], (*back[2], token)),
            ]
            if expected == SLOT:
                options += _slot_options(above, asked, column)
            elif (changed := _change(expected, token)) is not None:
                options.append((across[0] + changed, across[1], across[2]))
            current.append(min(options, key=lambda cell: cell[0]))
        rows.append(current)
    cost, left, right = rows[-1][-1]
    return math.exp(-cost - _CLASH * _lexicon().clashes(left, right))


def _missing(asked: tuple[str, ...], known: tuple[str, ...]) -> float:
    """What the words of `known` that matter and have no partner anywhere in `asked` cost: most keys end here."""
    return sum(
        _COST[_kind(expected)]
        for expected in known
        if expected != SLOT
        and _COST[_kind(expected)] >= _COST["content"]
        and expected not in asked
        and all(_change(expected, token) is None for token in asked)
    )


def _slot_options(
    above: Sequence[tuple[float, tuple[str, ...], tuple[str, ...]]], asked: Sequence[str], column: int
) -> Iterator[tuple[float, tuple[str, ...], tuple[str, ...]]]:
    """The slot holds the word at `column`, and perhaps one or two before it."""
    cost, words = 0.0, 0
    for first in range(column, max(-1, column - LONGEST_SLOT), -1):
        token = asked[first]
        allowed = 0.0 if token == SLOT else _SLOT_WORD.get(_kind(token))
        if allowed is None:
            return
        cost += allowed
        words += _kind(token) == "content"
        yield above[first][0] + cost + _LONGER_SLOT[words], above[first][1], above[first][2]


@lru_cache(maxsize=65_536)
def _change(expected: str, token: str) -> float | None:
    """What it costs to read one word as the other; None where they are different words."""
    if expected == token:
        return 0.0
    if _lexicon().groups(expected) & _lexicon().groups(token):
        return _EQUIVALENT
    if _lexicon().knows(expected) and _lexicon().knows(token):
        return None
    if not _is_respelled(expected, token):
        return None
    return _RESPELLED if min(len(expected), len(token)) > 3 else _RESPELLED_SHORT


def _is_respelled(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    if shorter[0] != longer[0] or len(shorter) < 3 or len(longer) < 4 or not (first + second).isalpha():
        return False
    consonants = _VOWELS.sub("", shorter)
    if len(consonants) >= 3 and consonants == _VOWELS.sub("", longer) and _is_within(shorter, longer):
        return True
    allowed = 1 if len(shorter) < 10 else 2
    return OSA.distance(first, second, score_cutoff=allowed) <= allowed


def _is_within(shorter: str, longer: str) -> bool:
    letters = iter(longer)
    return all(letter in letters for letter in shorter)


@lru_cache(maxsize=65_536)
def _kind(token: str) -> str:
    return SLOT if token == SLOT else _lexicon().kind(token)


class _Lexicon:
    """The table of `words.toml`, folded."""

    def __init__(self, path: Path) -> None:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        flat = {kind: _folded(table[kind].values()) for kind in ("negation", "asking", "common", "light")}
        self._kinds = {word: kind for kind in ("light", "common", "asking", "negation") for word in flat[kind]}
        self._groups: dict[str, frozenset[tuple[str, str]]] = {}
        for kind, name in (("questions", "question"), ("persons", "person"), ("before", "link"), ("after", "link")):
            for group, words in table[kind].items():
                for word in _folded([words]):
                    self._groups[word] = self._groups.get(word, frozenset()) | {(name, group)}
        self.before = _folded(table["before"].values())
        self.after = _folded(table["after"].values())
        self.articles = _folded([["a", "an", "the", "word", "term"]])

    def kind(self, word: str) -> str:
        if (kind := self._kinds.get(word)) is not None:
            return kind
        kinds = {kind for kind, _ in self.groups(word)}
        return min(kinds, default="content")  # of two kinds, always the same one

    def knows(self, word: str) -> bool:
        return self.kind(word) != "content"

    def groups(self, word: str) -> frozenset[tuple[str, str]]:
        return self._groups.get(word, frozenset())

    def clashes(self, left: Sequence[str], right: Sequence[str]) -> int:
        """How many of question word, person and link are unmatched on both sides."""
        ours = {kind for word in left for kind, _ in self.groups(word)}
        theirs = {kind for word in right for kind, _ in self.groups(word)}
        return len(ours & theirs)


def _folded(rows: object) -> frozenset[str]:
    return frozenset(token for row in rows for word in row for token in fold(word).split())  # type: ignore[attr-defined]


@cache
def _lexicon() -> _Lexicon:
    return _Lexicon(_WORDS)
