"""Words of a person: what they put right, and whether a chat message puts anything right at all.

A model is asked whether a message corrects the turn before (prompts/answer/system.txt). What stands here knows only the
plain cases ("no, I meant …", "nahi, mera matlab …", "ਨਹੀਂ, ਮੇਰਾ ਮਤਲਬ …"), and those for certain: it is what the embedded
model goes by, and what catches a plain correction that another model overlooks. The cues are data:
`correction_cues.toml`.
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
_POLITE = re.compile(r"[\s,.!]*\b(?:please|plz|pls|yaar|bhai|ji|जी|ਜੀ)\W*\Z", re.IGNORECASE)


def correction_in(message: str) -> str | None:
    """What the person meant, where a message plainly puts the turn before right; else None.

    >>> correction_in("No, I meant a synonym.")
    'a synonym'
    >>> correction_in("no, that's all, thanks") is None
    True
    """
    text = unicodedata.normalize("NFC", for_prompt(message)).replace("’", "'")
    for pattern in _patterns():
        if (found := pattern.match(text)) and (meant := _meant(found["meant"])):
            return meant
    return None


def is_closing(message: str) -> bool:
    """Whether a message only ends the matter ("no, that's all, thanks"), so that it puts nothing right.

    >>> is_closing("No, that's all, thanks!")
    True
    """
    return _meant(unicodedata.normalize("NFC", for_prompt(message)).replace("’", "'")) is None


def clarification(turn: Turn, words: str, further_keys: tuple[Key, ...] = (), supersedes: str | None = None) -> Draft:
    """The entry that a person's words about a turn amount to.

    Args:
        turn: the turn that was misunderstood.
        words: what the person said they meant, as they wrote it.
        further_keys: texts beside the question under which it can be found.
        supersedes: id of an earlier clarification of the same question that this one replaces.
    """
    said = " ".join(for_prompt(words).casefold().split())
    return Draft(
        kind=Kind.CLARIFICATION,
        question=turn.question,
        text=words,
        idempotency_key=hashlib.sha256(f"clarification\0{turn.id}\0{said}".encode()).hexdigest(),
        wrong_understanding=turn.reply.understanding,
        turn=turn.id,
        model=turn.model,
        further_keys=further_keys,
        supersedes=supersedes,
    )


def _meant(rest: str) -> str | None:
    rest = rest.strip(_EDGES)
    bare = rest
    while (shorter := _POLITE.sub("", bare).strip(_EDGES)) != bare:
        bare = shorter
    parts = [part.strip(_EDGES).casefold() for part in re.split(r"[,;.!।]+", bare)]
    nothing = _cues()["closings"] | _cues()["denials"]
    if all(part in nothing or not re.search(r"\w", part) for part in parts):
        return None
    return rest


@cache
def _cues() -> dict[str, frozenset[str]]:
    lists = tomllib.loads(_CUES_FILE.read_text(encoding="utf-8"))
    return {name: frozenset(unicodedata.normalize("NFC", cue) for cue in cues) for name, cues in lists.items()}


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    cues = _cues()
    denial, meant = _any_of(cues["denials"]), _any_of(cues["meant"])
    wanted, after = _any_of(cues["wanted"]), _any_of(cues["wanted_after"])
    flags = re.IGNORECASE | re.DOTALL
    # One word ("mujhe", "main") is enough only where the sentence also ends like a wish.
    wish = _any_of(cue for cue in cues["wanted"] if " " in cue)
    return (
        re.compile(rf"(?:{denial}{_BREAK})*{meant}{_BREAK}(?P<meant>.+)", flags),
        re.compile(rf"(?:{denial}{_BREAK})+(?:{wanted}\s+)?(?P<meant>.+?)\s+{after}[\s.!।]*\Z", flags),
        re.compile(rf"(?:{denial}{_BREAK})+{wish}{_BREAK}(?P<meant>.+)", flags),
    )


def _any_of(cues: Iterable[str]) -> str:
    longest_first = sorted(cues, key=lambda cue: (-len(cue), cue))
    return "(?:" + "|".join(re.escape(cue).replace(r"\ ", r"\s+") for cue in longest_first) + r")(?!\w)"
