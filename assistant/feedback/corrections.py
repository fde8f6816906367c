"""Words of a person: what they put right, and whether a chat message puts anything right at all.

A model is asked whether a message corrects the turn before (prompts/answer/system.txt). What stands here are rules over
cues, which are data (`correction_cues.toml`), in two degrees: `plain_correction_in` knows only what is certain ("no, I
meant …", "nahi, mera matlab …", "ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ …") and overrules a model; `correction_in` also knows what is likely,
and is what the embedded model goes by, and what counts where no model can be reached.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from assistant.text import for_prompt
from assistant.types import Draft, Key, Kind, Turn

_CUES_FILE = Path(__file__).with_name("correction_cues.toml")
_BREAK = r"[\s,;:.!…—–\-।]+"
_EDGES = " \t\n,;:.!?…—–-।\"'“”‘’"
_FLAGS = re.IGNORECASE | re.DOTALL
# "no, I meant thank you so much" is no correction, however it goes on.
_THANKS = re.compile(r"(?:to say |to )?(?:thanks?|thx|shukriya|dhanyavaa?d|meharbani)\b.{0,30}\Z", re.IGNORECASE)
_POLITE = re.compile(r"[\s,.!]*\b(?:please|plz|pls|yaar|bhai|ji|जी|ਜੀ)\W*\Z", re.IGNORECASE)


def plain_correction_in(message: str) -> str | None:
    """What the person meant, where a message denies and says what was meant; else None.

    >>> plain_correction_in("No, I meant a synonym.")
    'a synonym'
    """
    return _first_match(_plain_patterns(), _comparable(message))


def correction_in(message: str) -> str | None:
    """What the person meant, where a message most likely puts the turn before right; else None.

    >>> correction_in("nahi, ulta chahiye tha")
    'ulta'
    >>> correction_in("no, that's all, thanks") is None
    True
    """
    text = _comparable(message)
    return _first_match(_plain_patterns(), text) or (
        None if text.endswith("?") else _first_match(_likely_patterns(), text)
    )


def is_closing(message: str) -> bool:
    """Whether a message only ends the matter ("no, that's all, thanks"), so that it puts nothing right.

    >>> is_closing("No, that's all, thanks!")
    True
    """
    return _meant(_comparable(message)) is None


def clarification(
    turn: Turn, words: str, further_keys: tuple[Key, ...] = (), supersedes: str | None = None, only_in: str = ""
) -> Draft:
    """The entry that a person's words about a turn amount to.

    Args:
        turn: the turn that was misunderstood; without an id, a question that nobody has asked yet.
        words: what the person said they meant, as they wrote it.
        further_keys: texts beside the question under which it can be found.
        supersedes: id of an earlier clarification of the same question that this one replaces.
        only_in: id of the conversation in which alone it is to count.
    """
    said = " ".join(for_prompt(words).casefold().split())
    named = ("clarification", turn.id or turn.question, said, *([only_in] if only_in else []))
    return Draft(
        kind=Kind.CLARIFICATION,
        question=turn.question,
        text=words,
        idempotency_key=hashlib.sha256("\0".join(named).encode()).hexdigest(),
        wrong_understanding=turn.reply.understanding,
        turn=turn.id,
        model=turn.model,
        further_keys=further_keys,
        supersedes=supersedes,
        only_in=only_in,
    )


def _comparable(message: str) -> str:
    return unicodedata.normalize("NFC", for_prompt(message)).replace("’", "'")


def _first_match(patterns: Iterable[re.Pattern[str]], text: str) -> str | None:
    for pattern in patterns:
        if (found := pattern.match(text)) and (meant := _meant(found["meant"])):
            return meant
    return None


def _meant(rest: str) -> str | None:
    """What is said, less the politeness around it; None where nothing but closing words is left."""
    rest = rest.strip(_EDGES)
    bare = rest
    while (shorter := _POLITE.sub("", bare).strip(_EDGES)) != bare:
        bare = shorter
    parts = [part.strip(_EDGES).casefold() for part in re.split(r"[,;.!।]+", bare)]
    nothing = _cues()["closings"] | _cues()["denials"]
    if all(part in nothing or not re.search(r"\w", part) for part in parts) or _THANKS.match(bare):
        return None
    return rest


@cache
def _cues() -> dict[str, frozenset[str]]:
    lists = tomllib.loads(_CUES_FILE.read_text(encoding="utf-8"))
    return {name: frozenset(unicodedata.normalize("NFC", cue) for cue in cues) for name, cues in lists.items()}


@cache
def _plain_patterns() -> tuple[re.Pattern[str], ...]:
    denial, meant = _any_of(_cues()["denials"]), _any_of(_cues()["meant"])
    return (re.compile(rf"{_lead_in()}{denial}{_BREAK}.{{0,40}}?(?<!\w){meant}{_BREAK}(?P<meant>.+)", _FLAGS),)


@cache
def _likely_patterns() -> tuple[re.Pattern[str], ...]:
    cues = _cues()
    denial, meant = _any_of(cues["denials"]), _any_of(cues["meant"])
    wanted, after, wisher = _any_of(cues["wanted"]), _any_of(cues["wanted_after"]), _any_of(cues["wishers"])
    lead_in = _lead_in()
    return (
        re.compile(rf"{lead_in}{meant}{_BREAK}(?P<meant>.+)", _FLAGS),
        re.compile(rf"{lead_in}(?:{denial}{_BREAK})+(?:{wisher}\s+)?(?P<meant>.+?)\s+{after}[\s.!।]*\Z", _FLAGS),
        re.compile(rf"{lead_in}(?:{denial}{_BREAK})+{wanted}{_BREAK}(?P<meant>.+)", _FLAGS),
    )


@cache
def _lead_in() -> str:
    """A word or two before the point ("oops,", "arre yaar"), which say nothing by themselves."""
    return rf"(?:{_any_of(_cues()['lead_ins'])}{_BREAK})*"


def _any_of(cues: Iterable[str]) -> str:
    longest_first = sorted(cues, key=lambda cue: (-len(cue), cue))
    return "(?:" + "|".join(re.escape(cue).replace(r"\ ", r"\s+") for cue in longest_first) + r")(?!\w)"
