"""Build texts on which a pattern may be slow from its own parts, and measure them.

A backtracking search is slow if a repeat runs far and then fails, from many positions. So each repeat of a pattern is
pumped with each character and text that it matches, after its possible prefix, alone and next to every other repeat,
and followed by something that it does not match.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise, product
from re import _constants as codes  # type: ignore[attr-defined]  # not in the stubs of `re`
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MOST_GROWTH = 2.6
"""Growth of processor time for twice the length, above which it is measured closely."""
MOST_GROWTH_OF_FOUR = 7.0
"""Growth for four times the length: 4 for linear, 16 for quadratic; load on the machine blurs both."""
_FAR = 16  # repeats that can run this often are pumped
_FIRST, _SHORT, _LONGEST, _FARTHEST = 8, 2_000, 16_000, 256_000  # characters
_EXPLODES = 64.0  # growth for four times the length of a cubic search
_MOST_FORMS = 120
_ENOUGH = 10_000_000  # nanoseconds that can be measured reliably
_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}
_ONE_SIGN = {codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY}
_PROBES = "aZ0_ \n\t,.-:!'\"<[(/@é\u0915\u0a15।\u0301\u200d”–"
_ENDS = ("\0", "", "\n", "a")


class Form(NamedTuple):
    """Form of a text: a beginning, two repeated parts, and an end."""

    begin: str
    first: str
    second: str
    end: str

    def text(self, length: int) -> str:
        room = length // 2 if self.second else length
        return self.begin + self.first * (room // len(self.first)) + self._rest(room) + self.end

    def _rest(self, room: int) -> str:
        return self.second * (room // len(self.second)) if self.second else ""


class Parts:
    """Parts of a pattern: characters that its classes distinguish, and matches of its repeats."""

    def __init__(self, pattern: str, flags: int) -> None:
        tree = _parser.parse(pattern, flags)
        self.flags: int = tree.state.flags
        self._one: dict[str, re.Pattern[str]] = {}
        nodes = list(_nodes(tree))
        signs = sorted({*_PROBES, *(chr(sign) for node in nodes for sign in _read_characters(node))})
        classes = [set(self._taken(node, signs)) for node in nodes if node[0] in _ONE_SIGN - {codes.LITERAL}]
        classes += [
            {"\n"},
            {sign for sign in signs if sign.isalnum() or sign == "_"},
        ]  # as ^, $ and \b distinguish them
        alike = {tuple(sign in taken for taken in classes): sign for sign in reversed(signs)}
        self.signs = list(alike.values())
        bounds = [most for name, told in nodes if name in _REPEATS and _FAR <= (most := told[1]) < codes.MAXREPEAT]
        self.longest_bound = max(bounds, default=0)
        self.repeats: list[tuple[str, list[str]]] = []  # prefix and matches of each far-running repeat
        self._walk(tree, "")

    def forms(self) -> Iterator[Form]:
        """Yield the texts to try, the most effective first."""
        pumps = dict.fromkeys(pump for _, pumps in self.repeats for pump in pumps)
        yield from (Form("", pump, "", end) for pump in pumps for end in (_ENDS if len(pump) == 1 else _ENDS[:1]))
        yield from (Form(before, pumps[-1], "", "\0") for before, pumps in self.repeats if before)
        yield from (Form("", before, "", "\0") for before, _ in self.repeats if before)
        yield from (Form("", before + pump, "", "\0") for before, pumps in self.repeats for pump in pumps if before)
        yield from (Form(before, pump, "", "\0") for before, pumps in self.repeats for pump in pumps if before)
        for (before, firsts), (_, seconds) in pairwise(self.repeats):
            yield from (Form(before, *both, "\0") for both in product(firsts, seconds) if len({*both}) > 1)

    def _walk(self, nodes: Any, before: str) -> None:
        for node in nodes:
            if node[0] in _REPEATS and node[1][1] >= _FAR:
                inner = node[1][2]
                signs = self._taken(inner[0], self.signs) if len(inner) == 1 and inner[0][0] in _ONE_SIGN else []
                if pumps := [text for text in dict.fromkeys([*self._samples(inner), *signs]) if text]:
                    self.repeats.append((before, pumps))
            for inner in _read_inner(node):
                self._walk(inner, before)
            before += self._samples([node])[0]

    def _samples(self, nodes: Any) -> list[str]:
        """Return texts that a part of a pattern matches, one per alternative."""
        each = [self._samples_of(node) for node in nodes]
        firsts = [texts[0] for texts in each]
        other = [
            "".join([*firsts[:at], text, *firsts[at + 1 :]]) for at, texts in enumerate(each) for text in texts[1:]
        ]
        return ["".join(firsts), *other]

    def _samples_of(self, node: Any) -> list[str]:
        name, told = node
        if name is codes.LITERAL:
            return [chr(told)]
        if name in _ONE_SIGN:
            return [next(iter(self._taken(node, self.signs)), "")]
        if name in _REPEATS:
            return [text * max(told[0], min(1, told[1])) for text in self._samples(told[2])]
        if name is codes.BRANCH:
            return [text for inner in told[1] for text in self._samples(inner)]
        return self._samples(told[-1]) if name is codes.SUBPATTERN else [""]

    def _taken(self, node: Any, signs: Sequence[str]) -> list[str]:
        single = _parser.SubPattern(_parser.State(), [node])
        single.state.flags = self.flags
        matches = _compile_tree(single, self.flags).match
        return [sign for sign in signs if matches(sign)]


def _compile_tree(tree: Any, flags: int) -> re.Pattern[str]:
    import _sre  # type: ignore[import-not-found]  # the compiler of `re`; it has no stub

    code = re._compiler._code(tree, flags)  # type: ignore[attr-defined]
    return _sre.compile("", flags, code, 0, {}, (None,))  # type: ignore[no-any-return]


def _read_inner(node: Any) -> list[Any]:
    name, told = node
    if name is codes.BRANCH:
        return list(told[1])
    if name in _REPEATS or name in {codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT}:
        return [told[-1]]
    return [told] if name is codes.ATOMIC_GROUP else []


def _nodes(tree: Any) -> Iterator[Any]:
    for node in tree:
        yield node
        for inner in _read_inner(node):
            yield from _nodes(inner)


def _read_characters(node: Any) -> Iterator[int]:
    """Yield the characters that a node names."""
    name, told = node
    if name in {codes.LITERAL, codes.NOT_LITERAL}:
        yield told
    for inner, sign in told if name is codes.IN else ():
        if inner is codes.LITERAL:
            yield sign
        elif inner is codes.RANGE:
            yield from sign


def find_slow_text(pattern: str, flags: int, is_bytes: bool, ways: Sequence[str]) -> str:
    """Return a description of a text that takes too long as it grows; empty if there is none."""
    compiled: re.Pattern[Any] = re.compile(pattern.encode("latin-1") if is_bytes else pattern, flags)
    parts = Parts(pattern, flags)
    for form in islice(parts.forms(), _MOST_FORMS):
        for way in ways:
            apply = getattr(compiled, way)

            def cost(length: int, form: Form = form, apply: Callable[[Any], Any] = apply, way: str = way) -> int:
                text: Any = form.text(length).encode("utf-8", "replace") if is_bytes else form.text(length)
                begin = time.thread_time_ns()
                deque(apply(text), 0) if way == "finditer" else apply(text)
                return time.thread_time_ns() - begin

            if growth := _measure_growth(cost, min(8 * parts.longest_bound, _LONGEST)):
                return f"{way} {form!r}: {growth:.1f} times at four times the length"
    return ""


def _measure_growth(cost: Callable[[int], int], least: int) -> float:
    """Return the growth of the cost up to a length of at least `least`, if it is too much; else 0."""
    length, before, is_suspect = _FIRST, cost(_FIRST), False
    while length < _LONGEST or (is_suspect and before <= _ENOUGH and length < _FARTHEST):
        # Double short lengths until growth shows: an exponential search would not end on long ones.
        length *= 2
        after = cost(length)
        is_suspect = after > MOST_GROWTH * before and after > 100_000
        is_measured = length >= least and (after > _ENOUGH or length >= _FARTHEST)
        if is_suspect and (is_measured or after > 8 * before):
            growth = min(_measure_ratio(cost, length) for _ in range(6))
            if growth > MOST_GROWTH_OF_FOUR and (is_measured or growth > _EXPLODES):
                return growth
        if not is_suspect and length >= 2 * _SHORT:
            return 0
        before = after
    return 0


def _measure_ratio(cost: Callable[[int], int], length: int) -> float:
    """Return the ratio of the costs of a length and of a quarter of it, each the minimum of some runs."""
    short, long = (min(cost(each) for _ in range(3)) for each in (length // 4, length))
    return long / max(short, 1)
