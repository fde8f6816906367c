"""Every regular expression of the product takes linear time on any text."""

import json
import re
import subprocess
import sys

import pytest

from tests.support.patterns.collect import ROOT
from tests.support.patterns.strings import find_slow_text

pytestmark = pytest.mark.promise("pattern-time-is-bounded")

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
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.patterns.collect"]
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
