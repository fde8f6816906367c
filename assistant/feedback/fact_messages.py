"""Detect messages that state a fact to keep, or ask to forget one.

"Remember that …" is certain. A plain statement may be a fact: a connected model decides, the embedded one keeps what it
can parse. The cues are data (`telling_cues.toml`).
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assistant.feedback.corrections import (
    CORRECTION_CUES,
    cue_pattern,
    denies,
    fold_for_cues,
    join_cues,
    load_cues,
    parse_correction,
)
from assistant.language.languages import Languages

_CUES_FILE = Path(__file__).with_name("telling_cues.toml")
_BREAK = r"[\s,;:.!…—–\-।]*"
_EDGES = " \t\n,;.!…—–-।"
_ASKING = {"question", "request"}  # kinds of words
_FEWEST_OF_A_QUESTION = 4  # words
_PASSWORD = re.compile(  # passwords of the user; a wifi password is told to be remembered
    r"(?<!\w)(?:my|mera|मेरा|ਮੇਰਾ)\s+(?:password|passcode|पासवर्ड|ਪਾਸਵਰਡ)\s+(?:is(?!\w)|\S+\s+(?:hai|aa|ae|है|ਹੈ|ਆ)(?!\w))",
    re.IGNORECASE,
)
_LIKES = re.compile(  # a verb, which asks for no similar word: "I like tea", "what does Sam like"
    r"\A\W*(?:i|we)\s(?:really\s|also\s|don'?t\s|do not\s)?like\s|\b(?:do|does|did)\s(?:\w+\s){1,3}like\b",
    re.IGNORECASE,
)
_EARLY = 7  # first words of a message, which contain the verb of a statement


class FactMessage(NamedTuple):
    """A fact in a message; `is_certain` if the message asks to keep it."""

    fact: str
    is_certain: bool


def parse_fact_message(message: str, languages: Languages) -> FactMessage | None:
    """Return the fact that a message states, or may state; None for a question."""
    text = fold_for_cues(message).strip()
    if "?" in text:
        return None
    if found := _patterns()[0].match(text):
        return FactMessage(found["fact"].strip(_EDGES), is_certain=True)
    rest = strip_lead_in(text)
    if asks(rest, languages) or is_joke(text) or parse_correction(message) or not _states(rest):
        return None
    return FactMessage(rest.strip(_EDGES), is_certain=False)


def strip_lead_in(text: str) -> str:
    """Strip phrases without content before and after a statement: "by the way, …", "… lol"."""
    _, lead_in, fillers_behind, _ = _patterns()
    text = text[found.end() :] if (found := lead_in.match(text)) else text
    return re.sub(r"\A(?:im|i'm)\s", "I am ", fillers_behind.sub("", text), flags=re.IGNORECASE)


def without_denial(text: str) -> str:
    """Strip a denial before a statement: "no, my boss is Kim"."""
    text = re.sub(r"\A(?:no|nah|nope)\s+(?=(?:i|my|we|our|he|she|it|its|the)\b)", "", text, flags=re.IGNORECASE)
    while (found := _patterns()[3].match(text)) and found.end():
        text = text[found.end() :].lstrip(_EDGES)
    return text


def is_joke(message: str) -> bool:
    """Return True if a message says that it jokes: "my cat is the president haha jk"."""
    return bool(cue_pattern(_CUES_FILE, "jokes").search(fold_for_cues(message)))


def tells_password(text: str) -> bool:
    """Return True if a text tells a password of the user, which is not remembered."""
    return bool(_PASSWORD.search(text))


def parse_forget_message(message: str, languages: Languages) -> frozenset[str] | None:
    """Return the folded content words of the fact to forget, none for "that"; None if the message does not ask for it.

    >>> parse_forget_message("please forget my locker code", languages)
    frozenset({"loker", "kod"})
    """
    cues, text = load_cues(_CUES_FILE), fold_for_cues(message)
    if "?" in text or _patterns()[0].match(text):
        return None
    small = {word.folded for phrase in cues["forget_small"] for word in languages.words(phrase)}
    said = [*languages.words(strip_lead_in(text))]
    while said and said[-1].folded in small:
        said.pop()  # "bhul ja hun"
    folded = [word.folded for word in said]
    for phrase in cues["forget"] | cues["forget_behind"]:
        cue = [word.folded for word in languages.words(phrase)]
        is_first = folded[: len(cue)] == cue
        if is_first or (phrase in cues["forget_behind"] and folded[-len(cue) :] == cue):
            rest = said[len(cue) :] if is_first else said[: -len(cue)]
            everything = {word.folded for phrase in cues["everything"] for word in languages.words(phrase)}
            named = frozenset(word.folded for word in rest if word.kind == "content") - small - everything
            is_all = not everything.isdisjoint(word.folded for word in rest)
            return None if is_all and not named else named
    return None


def asks(text: str, languages: Languages) -> bool:
    """Return True if a text has a question mark, or a question or request word."""
    return "?" in text or any(word.kind in _ASKING for word in languages.words(text))


def is_own_question(message: str, languages: Languages) -> bool:
    """Return True if a message is a whole question of its own, without any word of a correction.

    In Hindi and Punjabi the word that asks may stand anywhere; in English a later one often asks nothing ("when I say
    quick", "the place where I park").

    >>> is_own_question("which bank is best for a picnic", languages)
    True
    >>> is_own_question("no, which river bank?", languages)
    False
    """
    whole = fold_for_cues(message).strip()
    text = strip_lead_in(whole).strip()
    words = [*languages.words(text)]
    kinds = [word.kind for word in words]
    if len(words) < _FEWEST_OF_A_QUESTION or re.search(r"[.!?।]\s", text) or denies(text):
        return False
    is_anywhere = text.endswith("?") or (languages.language(text) != "en" and not re.search(r"[.,;:!?।–—]\s", text))
    is_first = kinds[0] in _ASKING and kinds[1] != "person"  # not "what I want"
    is_inverted = any(map(_inverted().match, (whole, text)))  # "could you" is also a lead-in
    return is_first or (is_anywhere and not _ASKING.isdisjoint(kinds)) or is_inverted


def _states(text: str) -> bool:
    """Return True if a text has the form of a statement: a verb near its start, or at its end."""
    if re.search(r"[:\"“”?]", text) or _inverted().search(text):
        return False
    cues, words = load_cues(_CUES_FILE), re.findall(r"[^\s,;.!…।]+", text.casefold())
    verbs = (at for at, word in enumerate(words[:_EARLY]) if word in cues["finite"] or word.endswith("'s"))
    at = next(verbs, 0)
    ends = len(words) > 2 and (words[-1] in cues["last"] or words[-2] in cues["denies"])
    return ends or (at > 0 and cues["within"].isdisjoint(words[1:at]))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compile the patterns of facts to keep, of phrases before and after a statement, and of denials before one."""
    cues = {name: join_cues(known) for name, known in load_cues(_CUES_FILE).items()}
    lead_in = rf"\A\s*(?:{cues['lead_ins']}{_BREAK})*"
    keep = rf"{lead_in}{cues['keep']}{_BREAK}(?:{cues['links']}{_BREAK})*(?P<fact>\S.*)"
    denials = {cue for cue in load_cues(CORRECTION_CUES)["denials"] if " " in cue}
    no = join_cues(load_cues(CORRECTION_CUES)["not"])
    other = rf"(?<!\w)\w++\s++(?:\w++\s++)?{no},|{no}\s++\w++(?:\s++\w++)?+,"  # "Priya nahi, …", "not Priya, …"
    puts_right = rf"(?:{other}|{join_cues(denials)}|{cues['puts_right']})"
    behind = rf"(?<=[^\s,.!])(?:[\s,.!]++{cues['fillers']}){{1,6}}+[\s,.!]*+\Z"
    return tuple(re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in (keep, lead_in, behind, puts_right))


def speaks_of_words(text: str, languages: Languages) -> bool:
    """Return True if a text has a word of questions about words; "I like tea" has none."""
    return any(word.kind == "asking" for word in languages.words(_LIKES.sub("", text)))


@cache
def _inverted() -> re.Pattern[str]:
    """Compile the pattern of questions by inversion: "is it", "should i"."""
    cues = load_cues(_CUES_FILE)
    return re.compile(rf"(?<!\w){join_cues(cues['finite'])}\s+{join_cues(cues['subjects'])}", re.IGNORECASE)
