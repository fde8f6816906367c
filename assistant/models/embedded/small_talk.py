"""What the embedded model says to who greets or thanks it, asks who it is, or asks of memory itself."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from assistant.feedback.cues import comparable
from assistant.models.embedded.phrases import say
from assistant.reply.grammar import ANSWER, GRAMMAR, UNDERSTANDING
from assistant.sentences import Sentence

_FILE = Path(__file__).with_name("data") / "small_talk.toml"
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
"""How each kind is understood, in English, to its name."""
_SURE = 0.6  # how likely a message is of a kind that is not in the list
OF_MEMORY = frozenset({"asked_known", "asked_to_forget"})
"""The kinds that are answered on the page *Memory*."""


def small_talk(message: str, likely: Mapping[str, float] = MappingProxyType({})) -> str:
    """Return the kind of small talk that a message is; empty where it is none.

    Args:
        message: as the person wrote it.
        likely: how likely it is of each kind, by name, where that is known.
    """
    said = " ".join(comparable(message).casefold().translate(_SIGNS).split())
    listed = (kind for kind in _KINDS if _is(kind, said))
    return next(listed, "") or next((kind for kind in _KINDS if likely.get(kind, 0.0) >= _SURE), "")


def reply_to(kind: str, at: int) -> str:
    """Return the reply to a kind of small talk, in a voice. English ones are shown in the language of the page."""
    understood, answer = (Sentence(code) for code in _KINDS[kind])
    told = {UNDERSTANDING.name: str(understood), ANSWER.name: say(f"{kind}_answer", at) if at else str(answer)}
    return GRAMMAR.written(told)


def _is(kind: str, said: str) -> bool:
    whole, begins, ends = (_cues()[place].get(kind, ()) for place in ("whole", "begins", "ends"))
    return said in whole or said.startswith(tuple(f"{cue} " for cue in begins)) or said.endswith(tuple(ends))


@cache
def _cues() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
