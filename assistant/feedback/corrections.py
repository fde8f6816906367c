"""Tell whether a message puts the turn before it right, and what it says was meant.

A model is asked too (prompts/). These rules over cues (`correction_cues.toml`) are certain where the message also
denies ("no, I meant …"), and overrule a model; else they are likely, and count where no model can be reached.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assistant.feedback.cues import any_of, comparable, cues_in, words_of
from assistant.language.asked_word import words_in
from assistant.types import Corrects, Turn, TurnState

_CUES_FILE = Path(__file__).with_name("correction_cues.toml")
_BREAK = r"[\s,;:.!…—–\-।]++"
_EDGES = " \t\n,;:.!?…—–-।\"'“”‘’"
_FLAGS = re.IGNORECASE | re.DOTALL
# "no, I meant thank you so much" is no correction, however it goes on.
_THANKS = re.compile(r"(?:to say |to )?(?:thanks?|thx|shukriya|dhanyavaa?d|meharbani)\b.{0,30}\Z", re.IGNORECASE)
_POLITE_END = re.compile(r"\b(?:(?:please|plz|pls|yaar|bhai|ji|जी|ਜੀ)(?!\w)\W*+){1,6}+\Z", re.IGNORECASE)
_LETTER = re.compile(r"\w")


def corrects(message: str, previous: Turn | None) -> Corrects:
    """Return how surely a message corrects the turn before it, by the rules alone."""
    if previous is None:
        return Corrects.NO
    found = correction_in(message)
    # Where nothing is shown, a model has nothing to compare the message with.
    is_certain = found and (found.is_certain or not _shows_reply(previous))
    return Corrects.CERTAINLY if is_certain else Corrects.MAYBE


class Correction(NamedTuple):
    """What a message says was meant; `is_certain` where it also denies what was understood."""

    meant: str
    is_certain: bool


def correction_in(message: str) -> Correction | None:
    """What the person meant, where a message most likely puts the turn before right; else None.

    >>> correction_in("nahi, ulta chahiye tha")
    Correction(meant='ulta', is_certain=False)
    """
    text = comparable(message)
    certain, likely, _ = _patterns()
    if meant := _first_match(certain, text):
        return Correction(meant, is_certain=True)
    meant = None if text.endswith("?") else _first_match(likely, text)
    return Correction(meant, is_certain=False) if meant else None


def swapped(message: str, text: str) -> str:
    """Return a text with the word in it that a message denies replaced by the one it says instead; else nothing.

    >>> swapped("no wait, not Alvarez, Alvarado", "my dentist is dr Alvarez")
    "my dentist is dr Alvarado"
    """
    cues = cues_in(_CUES_FILE)
    small = {word for cue in (*cues["lead_ins"], *cues["denials"], *cues["not"]) for word in cue.split()}
    said, known = words_in(comparable(message)), {word.casefold() for word in words_in(comparable(text))}
    denied = [at for at, word in enumerate(said) if word.casefold() in cues["not"]]
    sides = [[said[place] for place in (at - 1, at + 1) if 0 <= place < len(said)] for at in denied]
    old = [*{word: "" for side in sides for word in side if word.casefold() in known - small}]
    beside = [word for side in sides for word in side if word.casefold() not in known | small and set(side) & {*old}]
    new = beside or [word for word in dict.fromkeys(said) if word.casefold() not in known | small]
    if len(old) != 1 or len(new) != 1 or said.count(old[0]) > 1:
        return ""
    return re.sub(rf"(?<!\w){re.escape(old[0])}(?!\w)", lambda _: new[0], comparable(text), flags=re.IGNORECASE)


def is_dictated(correction: str, message: str, notes: Iterable[str]) -> bool:
    """Whether a note ordered what a model calls a correction: it has no word of the message, and stands in a note."""
    said = words_of(correction)
    return said.isdisjoint(words_of(message)) and any(said <= words_of(note) for note in notes)


def shows_correction(message: str) -> bool:
    """Whether a message has a sign that it puts something right, wherever: a "no" first, "I mean", a past wish."""
    text = comparable(message)
    return any(pattern.search(text) for pattern in _patterns()[2])


def is_closing(message: str) -> bool:
    """Whether a message only ends the matter ("no, that's all, thanks"), so that it puts nothing right."""
    return _meant(comparable(message)) is None


def turn_to_correct(message: str, turns: Sequence[Turn]) -> Turn | None:
    """Return the turn that a message may put right; one that shows no reply only where a rule says so."""
    turn = None if is_closing(message) else correctable(turns)
    return turn if turn is None or _shows_reply(turn) or correction_in(message) else None


def correctable(turns: Sequence[Turn]) -> Turn | None:
    """The turn that the next message may put right: the last one that still stands, whether it was answered or not."""
    standing = [turn for turn in turns if turn.state not in {TurnState.UNDONE, TurnState.CORRECTION}]
    while standing and not _shows_reply(standing[-1]) and correction_in(standing[-1].question):
        standing.pop()  # a correction that was stopped before it was taken as one
    unfit = {TurnState.RUNNING, TurnState.DELETED}
    is_over = standing and not standing[-1].corrected_by and standing[-1].state not in unfit
    return standing[-1] if is_over else None


def _shows_reply(turn: Turn) -> bool:
    """Return True if something of a reply came."""
    return bool(turn.reply.understanding or turn.reply.answer)


def _first_match(patterns: Iterable[re.Pattern[str]], text: str) -> str | None:
    for pattern in patterns:
        if (found := pattern.match(text)) and (meant := _meant(found["meant"])):
            return meant
    return None


def _meant(rest: str) -> str | None:
    """What is said, less the politeness around it; None where nothing but closing words is left."""
    rest = rest.strip(_EDGES)
    bare = _POLITE_END.sub("", rest).strip(_EDGES)
    parts = [part.strip(_EDGES).casefold() for part in re.split(r"[,;.!।]+", bare)]
    cues = cues_in(_CUES_FILE)
    nothing = cues["closings"] | cues["denials"]
    if all(part in nothing or not _LETTER.search(part) for part in parts) or _THANKS.match(bare):
        return None
    return rest


@cache
def _patterns() -> tuple[list[re.Pattern[str]], ...]:
    """Return the patterns of what is certain, of what is likely, and of signs of either."""
    cues = {name: any_of(known) for name, known in cues_in(_CUES_FILE).items()}
    denial, meant, after = cues["denials"], cues["meant"], cues["wanted_after"]
    # A word or two before the point ("oops,", "arre yaar"), which say nothing by themselves.
    lead_in = rf"\A(?:{cues['lead_ins']}{_BREAK})*+"
    plain = [rf"{denial}{_BREAK}.{{0,40}}?(?<!\w){meant}{_BREAK}(?P<meant>.+)"]
    likely = [
        rf"{meant}{_BREAK}(?P<meant>.+)",
        rf"(?:{denial}{_BREAK})++(?:{cues['wishers']}\s+)?(?P<meant>.+?)(?<!\s)\s+{after}[\s.!।]*\Z",
        rf"(?:{denial}{_BREAK})++{cues['wanted']}{_BREAK}(?P<meant>.+)",
    ]
    signs = [rf"\A\W*{denial}", rf"(?<!\w){meant}", rf"(?<!\w){after}[\s.!।]*\Z"]
    led = ([lead_in + pattern for pattern in patterns] for patterns in (plain, likely))
    return tuple([re.compile(pattern, _FLAGS) for pattern in patterns] for patterns in (*led, signs))
