"""Tell whether a message states a fact to keep, or wants one forgotten.

"Remember that …" is certain, whichever model answers. What only states something may be a fact: a connected model is
asked, and the embedded one goes by what it can read. The words are data (`telling_cues.toml`).
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assistant.feedback.corrections import correction_in
from assistant.feedback.cues import any_of, comparable, cue_pattern, cues_in
from assistant.language.languages import Languages

_CUES_FILE = Path(__file__).with_name("telling_cues.toml")
_BREAK = r"[\s,;:.!…—–\-।]*"
_EDGES = " \t\n,;.!…—–-।"
_FLAGS = re.IGNORECASE | re.DOTALL
_QUOTED = re.compile(r"[:\"“”?]")
_ASKING, _CONTENT = {"question", "request"}, "content"  # kinds of words
_I_AM = re.compile(r"\A(?:im|i'm)\s", re.IGNORECASE)
_LIKES = re.compile(r"\A\W*(?:i|we)\s(?:really\s|also\s)?like\s", re.IGNORECASE)
_ABOUT_WORDS = "asking"  # the kind of words with which one asks about words
_MOST_FILLERS = 6
_EARLY = 7  # words of a message among which a statement has its verb


class Told(NamedTuple):
    """What a message tells; `is_certain` where it says that this is to be kept."""

    fact: str
    is_certain: bool


def told_in(message: str, languages: Languages) -> Told | None:
    """What a message tells, or may tell; None where it asks."""
    text = comparable(message).strip()
    if "?" in text:
        return None
    if found := _patterns()[0].match(text):
        return Told(found["fact"].strip(_EDGES), is_certain=True)
    rest = without_lead_in(text)
    if asks(rest, languages) or correction_in(message) or not _states(rest):
        return None
    return Told(rest.strip(_EDGES), is_certain=False)


def without_lead_in(text: str) -> str:
    """Return a message without what says nothing by itself before and behind a statement: "by the way, …", "… lol"."""
    _, lead_in, fillers_behind = _patterns()
    text = text[found.end() :] if (found := lead_in.match(text)) else text
    return _I_AM.sub("I am ", fillers_behind.sub("", text))


def forgotten_in(message: str, languages: Languages) -> frozenset[str] | None:
    """Return the folded words of content of what a message wants forgotten, none for "that"; None if it wants nothing.

    >>> forgotten_in("please forget my locker code", languages)
    frozenset({"loker", "kod"})
    """
    cues, text = cues_in(_CUES_FILE), comparable(message)
    if "?" in text or _patterns()[0].match(text):
        return None
    said = [*languages.words(without_lead_in(text))]
    folded = [word.folded for word in said]
    for phrase in cues["forget"] | cues["forget_behind"]:
        cue = [word.folded for word in languages.words(phrase)]
        is_first = phrase in cues["forget"] and folded[: len(cue)] == cue
        if is_first or (phrase in cues["forget_behind"] and folded[-len(cue) :] == cue):
            rest = said[len(cue) :] if is_first else said[: -len(cue)]
            small = {word.folded for phrase in cues["forget_small"] for word in languages.words(phrase)}
            everything = {word.folded for phrase in cues["everything"] for word in languages.words(phrase)}
            named = frozenset(word.folded for word in rest if word.kind == _CONTENT) - small - everything
            is_all = not everything.isdisjoint(word.folded for word in rest)
            return None if is_all and not named else named
    return None


def asks(text: str, languages: Languages) -> bool:
    """Return True if a text has a question mark, or a word with which one asks or requests."""
    return "?" in text or any(word.kind in _ASKING for word in languages.words(text))


def _states(text: str) -> bool:
    """Return True if a text has the form of a statement: a verb soon after its beginning, or at its end."""
    if _QUOTED.search(text) or _inverted().search(text):
        return False
    cues, words = cues_in(_CUES_FILE), re.findall(r"[^\s,;.!…।]+", text.casefold())
    verbs = (at for at, word in enumerate(words[:_EARLY]) if word in cues["finite"] or word.endswith("'s"))
    at = next(verbs, 0)
    ends = len(words) > 2 and (words[-1] in cues["last"] or words[-2] in cues["denies"])
    return ends or (at > 0 and cues["within"].isdisjoint(words[1:at]))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of what is to be kept, and of what may stand before a statement and behind it."""
    cues = {name: any_of(known) for name, known in cues_in(_CUES_FILE).items()}
    lead_in = rf"\A\s*(?:{cues['lead_ins']}{_BREAK})*"
    keep = rf"{lead_in}{cues['keep']}{_BREAK}(?:{cues['links']}{_BREAK})*(?P<fact>\S.*)"
    behind = rf"(?<=[^\s,.!])(?:[\s,.!]++{cues['fillers']}){{1,{_MOST_FILLERS}}}+[\s,.!]*+\Z"
    return tuple(re.compile(pattern, _FLAGS) for pattern in (keep, lead_in, behind))


def speaks_of_words(text: str, languages: Languages) -> bool:
    """Return True if a text has a word with which one asks about words; "I like tea" has none."""
    rest = _LIKES.sub("", text)
    return any(str(word.kind) == _ABOUT_WORDS for word in languages.words(rest))


def fillers() -> frozenset[str]:
    """Return the words that people end a message with, or begin it, and that say nothing: "bhai", "lol"."""
    return cues_in(_CUES_FILE)["fillers"]


@cache
def change_cues() -> tuple[re.Pattern[str], ...]:
    """Return what finds a sign of a change in a message: that it is so now, was wrong, changed, or is not so."""
    return tuple(cue_pattern(_CUES_FILE, name) for name in ("now", "puts_right", "changed", "denied"))


@cache
def _inverted() -> re.Pattern[str]:
    """Return what asks without a word that asks: "is it", "should i"."""
    cues = cues_in(_CUES_FILE)
    return re.compile(rf"(?<!\w){any_of(cues['finite'])}\s+{any_of(cues['subjects'])}", re.IGNORECASE)
