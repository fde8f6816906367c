"""Phrases of the embedded model, in the language and script of the question, and its small talk.

Data: phrases in `data/phrases.toml`, names of tasks in `data/operations.toml`, patterns of greetings, thanks and the
like in `data/small_talk.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assistant.feedback.cues import fold_for_cues
from assistant.reply.grammar import ANSWER, GRAMMAR, UNDERSTANDING
from assistant.sentences import Sentence

LATIN = "latin"
_FILE = Path(__file__).with_name("data") / "phrases.toml"
# Without the danda, which is in the block of Devanagari but used in both scripts.
_SCRIPTS = {"devanagari": re.compile("[\u0900-\u0963\u0966-\u097f]"), "gurmukhi": re.compile("[\u0a00-\u0a7f]")}
VOICES = (("en", LATIN), ("hi", LATIN), ("pa", LATIN), ("hi", "devanagari"), ("pa", "gurmukhi"))

_TALK = Path(__file__).with_name("data") / "small_talk.toml"
_SIGNS = str.maketrans(dict.fromkeys(".,;:!?…।॥-–—'\"“”"))
_KINDS = {
    "greeted": ("embedded.greeted", "embedded.greeted_answer"),
    "thanked": ("embedded.thanked", "embedded.thanked_answer"),
    "bye": ("embedded.bye", "embedded.bye_answer"),
    "asked_who": ("embedded.asked_who", "embedded.asked_who_answer"),
    "asked_known": ("embedded.asked_known", "embedded.asked_known_answer"),
    "asked_to_forget": ("embedded.asked_to_forget", "embedded.asked_to_forget_answer"),
}
SMALL_TALK = {str(Sentence(understood)): kind for kind, (understood, _) in _KINDS.items()}
"""English understanding of each kind, to its name."""
_SURE = 0.6  # minimum probability of a kind for messages without a pattern
OF_MEMORY = frozenset({"asked_known", "asked_to_forget"})
"""The kinds that refer to the page *Memory*."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases in one script: English in Latin, Hindi in Devanagari, Punjabi in Gurmukhi."""

    table: Mapping[str, Any]  # by name
    native: Callable[[str], str] = str  # translates an English word to their language, or to an empty text
    english: Callable[[str], str] = str  # translates a word to English, or to an empty text
    native_in: Callable[[str, str], str] = lambda _word, _language: ""  # translates an English word to a language

    def say(self, name: str, **values: str) -> str:
        """Format a phrase."""
        return str(self.table[name]).format(**values)


def script_of(text: str) -> str:
    """Return "devanagari", "gurmukhi" or "latin"."""
    return next((name for name, letter in _SCRIPTS.items() if letter.search(text)), LATIN)


def phrases_for(text: str) -> Phrases:
    """Return the phrases in the script of a text."""
    return phrases_in(script_of(text))


def phrases_in(script: str) -> Phrases:
    """Return the phrases in a script."""
    return Phrases(_tables()[script])


def voice(language: Callable[[str], str], text: str) -> int:
    """Return the index in `VOICES` for the language and script of a text."""
    return VOICES.index(spoken) if (spoken := (language(text), script_of(text))) in VOICES else 0


def wanted(thing: str, at: int) -> str:
    """Return the understanding of a request for this thing, in a voice."""
    return str(_tables()["wanted"][at]).format(thing=thing)


def say(name: str, at: int, **values: str) -> str:
    """Format a whole sentence in a voice."""
    return str(_tables()["sentences"][name][at]).format(**values)


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def small_talk(message: str, likely: Mapping[str, float] = MappingProxyType({})) -> str:
    """Return the kind of small talk of a message, empty for any other message.

    Args:
        message: the original text.
        likely: probability of each kind, by name, if known.
    """
    said = " ".join(fold_for_cues(message).casefold().translate(_SIGNS).split())
    listed = (kind for kind in _KINDS if _is(kind, said))
    return next(listed, "") or next((kind for kind in _KINDS if likely.get(kind, 0.0) >= _SURE), "")


def reply_to(kind: str, at: int) -> str:
    """Return the reply to a kind of small talk, in a voice. The page translates English ones to its own language."""
    understood, answer = (Sentence(code) for code in _KINDS[kind])
    told = {UNDERSTANDING.name: str(understood), ANSWER.name: say(f"{kind}_answer", at) if at else str(answer)}
    return GRAMMAR.written(told)


def _is(kind: str, said: str) -> bool:
    whole, begins, ends = (_cues()[place].get(kind, ()) for place in ("whole", "begins", "ends"))
    return said in whole or said.startswith(tuple(f"{cue} " for cue in begins)) or said.endswith(tuple(ends))


@cache
def _cues() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(_TALK.read_text(encoding="utf-8"))
