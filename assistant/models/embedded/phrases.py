"""Replies of the embedded model in the language and script of the question, and its small talk.

Data: phrases in `data/phrases.toml`, patterns of greetings, thanks and the like in `data/small_talk.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assistant.feedback.corrections import fold_for_cues
from assistant.feedback.fact_messages import strip_lead_in
from assistant.language.lexicon import lexicon
from assistant.sentences import Sentence

LATIN = "latin"
# Languages and scripts of a reply, in the order of the texts in `phrases.toml`.
VOICES = (("en", LATIN), ("hi", LATIN), ("pa", LATIN), ("hi", "devanagari"), ("pa", "gurmukhi"))
# Without the danda, which is in the block of Devanagari but used in both scripts.
_SCRIPTS = {"devanagari": re.compile("[\u0900-\u0963\u0966-\u097f]"), "gurmukhi": re.compile("[\u0a00-\u0a7f]")}
_SIGNS = str.maketrans(dict.fromkeys(".,;:!?…।॥-–—'\"“”"))
_EMOJI = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")
_KINDS = ("greeted", "thanked", "bye", "asked_who", "asked_known", "asked_to_forget")
SMALL_TALK = {str(Sentence(f"embedded.{kind}")): kind for kind in _KINDS}
"""Kinds of small talk by the English understanding of their reply."""
OF_MEMORY = frozenset({"asked_known", "asked_to_forget"})  # kinds whose reply refers to the page *Memory*
_SURE = 0.6  # minimum probability of a kind for messages without a pattern


@cache
def load_table(name: str) -> Mapping[str, Any]:
    """Load a data file of this package."""
    return tomllib.loads((Path(__file__).with_name("data") / f"{name}.toml").read_text(encoding="utf-8"))


DEFINITIONS: Mapping[str, Mapping[str, Any]] = load_table("operations")
"""Wordings of each operation: `english`, `others` (Hindi and Punjabi), `says` (the wanted thing, in the order of
`VOICES`), and `takes` if it has arguments: "numbers" or "letters"."""


def script_of(text: str) -> str:
    """Return "devanagari", "gurmukhi" or "latin"."""
    return next((name for name, letter in _SCRIPTS.items() if letter.search(text)), LATIN)


def voice(language: Callable[[str], str], text: str) -> int:
    """Return the index in `VOICES` for the language and script of a text."""
    spoken = language(text), script_of(text)
    if spoken == ("hi", LATIN) and not _punjabi_words().isdisjoint(text.casefold().translate(_SIGNS).split()):
        spoken = "pa", LATIN
    return VOICES.index(spoken) if spoken in VOICES else 0


@cache
def _punjabi_words() -> frozenset[str]:
    return frozenset(load_table("phrases")["languages"]["punjabi"])


def say(name: str, at: int, **values: str) -> str:
    """Format a phrase in the language and script with this index in `VOICES`."""
    return str(load_table("phrases")["sentences"][name][at]).format(**values)


def write_tags(**fields: str | Sequence[str]) -> str:
    """Write a reply with these tags, in order, one per text."""
    parts = ((name, text) for name, said in fields.items() for text in ([said] if isinstance(said, str) else said))
    return "\n".join(f"<{name}>{text}</{name}>" for name, text in parts)


def small_talk(message: str, likely: Mapping[str, float] = MappingProxyType({})) -> str:
    """Return the kind of small talk of a message, empty for any other message.

    Args:
        message: the original text.
        likely: probability of each kind, by name, if known.
    """
    said = " ".join(_EMOJI.sub(" ", fold_for_cues(message).casefold()).translate(_SIGNS).split())
    cues = load_table("small_talk")
    for kind in _KINDS:
        begins = tuple(f"{cue} " for cue in cues["begins"].get(kind, ()))
        is_whole = said in cues["whole"].get(kind, ())
        if is_whole or strip_lead_in(said).startswith(begins) or said.endswith(tuple(cues["ends"].get(kind, ()))):
            return kind
    is_word = " " not in said and bool(lexicon().find(said))  # "happy" is asked about
    return next((kind for kind in _KINDS if likely.get(kind, 0.0) >= _SURE and not is_word), "")
