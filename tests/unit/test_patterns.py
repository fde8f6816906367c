"""Every regular expression of the product takes linear time on any text.

A backtracking search is slow if a repeat runs far and then fails, from many positions. So each repeat of a pattern is
pumped with each character and text that it matches, after its possible prefix, alone and next to another repeat, and
followed by something that it does not match.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise, product
from re import _constants as codes  # type: ignore[attr-defined]  # not in the stubs of `re`
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import pytest

from tests.support.collect_patterns import ROOT

pytestmark = pytest.mark.promise("pattern-time-is-bounded")

FAR = 16  # repeats that can run this often are pumped
FIRST, SHORT, LONGEST, FARTHEST = 8, 4_000, 16_000, 256_000  # characters
MOST_GROWTH = 2.6  # of processor time for twice the length, above which it is measured closely
MOST_GROWTH_OF_FOUR = 7.0  # for four times the length: 4 for linear, 16 for quadratic; load on the machine blurs both
EXPLODES = 64.0  # growth for four times the length of a cubic search
ENOUGH = 10_000_000  # nanoseconds that can be measured reliably
REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}
ONE_SIGN = {codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY}
ENDS = ("\0", "", "\n", "a")
PROBES = "aZ0_ \n\t,.-:!'\"<[(/@é\u0915\u0a15।\u0301\u200d”–"


class Form(NamedTuple):
    """Form of a text: a beginning, one or two repeated parts, and an end."""

    begin: str
    first: str
    second: str = ""
    end: str = "\0"

    def text(self, length: int) -> str:
        room = length // 2 if self.second else length
        second = self.second * (room // len(self.second)) if self.second else ""
        return self.begin + self.first * (room // len(self.first)) + second + self.end


class Parts:
    """Parts of a pattern: characters that its classes distinguish, and matches of its repeats."""

    def __init__(self, pattern: str, flags: int) -> None:
        tree = _parser.parse(pattern, flags)
        self.flags: int = tree.state.flags
        nodes = list(walk(tree))
        signs = sorted({*PROBES, *pattern})
        classes = [set(self.taken(node, signs)) for node in nodes if node[0] in ONE_SIGN - {codes.LITERAL}]
        classes += [{"\n"}, {sign for sign in signs if sign.isalnum() or sign == "_"}]  # as ^, $ and \b distinguish
        alike = {tuple(sign in taken for taken in classes): sign for sign in reversed(signs)}
        self.signs = list(alike.values())
        bounds = [most for name, told in nodes if name in REPEATS and FAR <= (most := told[1]) < codes.MAXREPEAT]
        self.longest_bound = max(bounds, default=0)
        self.repeats: list[tuple[str, list[str]]] = []  # prefix and matches of each far-running repeat
        self.find_repeats(tree, "")

    def forms(self) -> Iterator[Form]:
        """Yield the texts to try, the most effective first."""
        pumps = dict.fromkeys(pump for _, pumps in self.repeats for pump in pumps)
        yield from (Form("", pump, end=end) for pump in pumps for end in (ENDS if len(pump) == 1 else ENDS[:1]))
        prefixed = [(before, pumps) for before, pumps in self.repeats if before]
        yield from (Form(before, pumps[-1]) for before, pumps in prefixed)
        yield from (Form("", before) for before, _ in prefixed)
        yield from (Form("", before + pump) for before, pumps in prefixed for pump in pumps)
        yield from (Form(before, pump) for before, pumps in prefixed for pump in pumps)
        for (before, firsts), (_, seconds) in pairwise(self.repeats):
            yield from (Form(before, *both) for both in product(firsts, seconds) if len({*both}) > 1)

    def find_repeats(self, nodes: Any, before: str) -> None:
        for node in nodes:
            if node[0] in REPEATS and node[1][1] >= FAR:
                inner = node[1][2]
                signs = self.taken(inner[0], self.signs) if len(inner) == 1 and inner[0][0] in ONE_SIGN else []
                if pumps := [text for text in dict.fromkeys([*self.samples(inner), *signs]) if text]:
                    self.repeats.append((before, pumps))
            for inner in parts_of(node):
                self.find_repeats(inner, before)
            before += self.samples([node])[0]

    def samples(self, nodes: Any) -> list[str]:
        """Return texts that a part of a pattern matches, one per alternative."""
        each = [self.samples_of(*node) for node in nodes]
        firsts = [texts[0] for texts in each]
        others = [[*firsts[:at], text, *firsts[at + 1 :]] for at, texts in enumerate(each) for text in texts[1:]]
        return ["".join(texts) for texts in (firsts, *others)]

    def samples_of(self, name: Any, told: Any) -> list[str]:
        if name is codes.LITERAL:
            return [chr(told)]
        if name in ONE_SIGN:
            return [next(iter(self.taken((name, told), self.signs)), "")]
        if name in REPEATS:
            return [text * max(told[0], min(1, told[1])) for text in self.samples(told[2])]
        if name is codes.BRANCH:
            return [text for inner in told[1] for text in self.samples(inner)]
        return self.samples(told[-1]) if name is codes.SUBPATTERN else [""]

    def taken(self, node: Any, signs: Sequence[str]) -> list[str]:
        """Return the characters that a node for one character matches."""
        import _sre  # type: ignore[import-not-found]  # the compiler of `re`; it has no stub

        single = _parser.SubPattern(_parser.State(), [node])
        single.state.flags = self.flags
        code = re._compiler._code(single, self.flags)  # type: ignore[attr-defined]
        matches = _sre.compile("", self.flags, code, 0, {}, (None,)).match
        return [sign for sign in signs if matches(sign)]


def parts_of(node: Any) -> list[Any]:
    name, told = node
    if name is codes.BRANCH:
        return list(told[1])
    if name in REPEATS or name in {codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT}:
        return [told[-1]]
    return [told] if name is codes.ATOMIC_GROUP else []


def walk(tree: Any) -> Iterator[Any]:
    for node in tree:
        yield node
        for inner in parts_of(node):
            yield from walk(inner)


def find_slow_text(pattern: str, flags: int, is_bytes: bool, ways: Sequence[str]) -> str:
    """Return a description of a text that takes too long as it grows; empty if there is none."""
    compiled: re.Pattern[Any] = re.compile(pattern.encode("latin-1") if is_bytes else pattern, flags)
    parts = Parts(pattern, flags)
    for form, way in product(islice(parts.forms(), 120), ways):

        def cost(length: int, form: Form = form, way: str = way) -> int:
            text: Any = form.text(length).encode("utf-8", "replace") if is_bytes else form.text(length)
            begin = time.thread_time_ns()
            found = getattr(compiled, way)(text)
            if way == "finditer":
                deque(found, 0)
            return time.thread_time_ns() - begin

        if growth := measure_growth(cost, min(8 * parts.longest_bound, LONGEST)):
            return f"{way} {form!r}: {growth:.1f} times at four times the length"
    return ""


def measure_growth(cost: Callable[[int], int], least: int) -> float:
    """Return the growth of the cost up to a length of at least `least`, if it is too much; else 0."""
    length, before, is_suspect = FIRST, cost(FIRST), False
    while length < LONGEST or (is_suspect and before <= ENOUGH and length < FARTHEST):
        # Double short lengths until growth shows: an exponential search would not end on long ones.
        length *= 2
        after = cost(length)
        is_suspect = after > MOST_GROWTH * before and after > 100_000
        is_measured = length >= least and (after > ENOUGH or length >= FARTHEST)
        if is_suspect and (is_measured or after > 8 * before):
            growth = min(
                min(cost(length) for _ in range(3)) / max(min(cost(length // 4) for _ in range(3)), 1) for _ in range(6)
            )
            if growth > MOST_GROWTH_OF_FOUR and (is_measured or growth > EXPLODES):
                return growth
        if not is_suspect and length >= SHORT:
            return 0
        before = after
    return 0


# Earlier patterns: each blocked the interpreter on a text of 60,000 characters.
SQUARES = {
    "polite": (r"[\s,.!]*\b(?:please|plz|pls|yaar|bhai|ji|जी|ਜੀ)\W*\Z", re.IGNORECASE, "finditer"),
    "wrapped": (r"([^\n]{50,})\n(?=\S)", 0, "finditer"),
    "label": (r"^(\s*)((?:example )?question)\s*:", re.IGNORECASE | re.MULTILINE, "finditer"),
    "role": (r"\[(?=\s*/?\s*(?:INST|SYSTEM_PROMPT)\b)", re.IGNORECASE, "finditer"),
    "opening": (r"<(?=\s*/?\s*(?:answer|note)\b|[|｜][^<>\n]{1,40}[|｜]>|<?/?SYS>>)", re.IGNORECASE, "finditer"),
    "mail": (r"[\w.+-]+(?:@|\s?(?:\[at\]|\(at\))\s?)[a-z][\w-]*|\w\s@\s\w+\.\w", re.IGNORECASE, "finditer"),
    "link": (r"\b\w[\w-]*(?:\s?(?:\[dot\]|\(dot\))\s?|\.)(?:com|org)|\b\w[\w.-]*\.(?:ai|in)/\w", 0, "finditer"),
    "picture": (r"!\[[^\]]*\]\s?[(\[]", 0, "finditer"),
    "lead_in": (r"(?:(?:oh\s+sorry|sorry|oh)[\s,]+)*no", 0, "match"),
    "gap": (r"\S+\s*=\s*;?\s*\Z", 0, "match"),
}
LINES = {
    "run": (r"(?<![\w.])[\w.]+@", 0, "finditer"),
    "bounded": (r"<[^<>\n]{1,60}>|\$.{1,500}?\$", re.DOTALL, "finditer"),
    "at_one_place": (r"[\w.]+@", 0, "match"),
}


def test_no_pattern_takes_long() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.collect_patterns"]
    found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    assert len(found) > 150
    slow = {where: text for where, *told in found if (text := find_slow_text(*told))}
    assert slow == {}


@pytest.mark.parametrize("name", SQUARES)
def test_a_slow_pattern_is_found(name: str) -> None:
    pattern, flags, way = SQUARES[name]
    assert find_slow_text(pattern, flags, is_bytes=False, ways=[way])


@pytest.mark.parametrize("name", LINES)
def test_a_fast_pattern_passes(name: str) -> None:
    pattern, flags, way = LINES[name]
    assert not find_slow_text(pattern, flags, is_bytes=False, ways=[way])
