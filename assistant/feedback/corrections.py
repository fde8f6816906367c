"""Detect a message that corrects the turn before it, and extract the intended meaning.

The model also judges this (prompts/). These rules over cues (`correction_cues.toml`) are certain, and overrule the
model, if the message contains a denial ("no, I meant …"). Otherwise they apply only if no model is reachable.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assistant.feedback.cues import fold_for_cues, join_cues, load_cues, words_of
from assistant.language.asked_word import words_in
from assistant.types import Corrects, Turn, TurnState

_CUES_FILE = Path(__file__).with_name("correction_cues.toml")
_BREAK = r"[\s,;:.!…—–\-।]++"
_EDGES = " \t\n,;:.!?…—–-।\"'“”‘’"
_FLAGS = re.IGNORECASE | re.DOTALL
# "no, I meant thank you so much" is no correction.
_THANKS = re.compile(r"(?:to say |to )?(?:thanks?|thx|shukriya|dhanyavaa?d|meharbani)\b.{0,30}\Z", re.IGNORECASE)
_POLITE_END = re.compile(r"\b(?:(?:please|plz|pls|yaar|bhai|ji|जी|ਜੀ)(?!\w)\W*+){1,6}+\Z", re.IGNORECASE)
_LETTER = re.compile(r"\w")


def classify_correction(message: str, previous: Turn | None) -> Corrects:
    """Judge if a message corrects the turn before it, by the rules alone."""
    found = parse_correction(message) if previous else None
    # Without a reply, a model has nothing to compare the message with.
    if previous and found and (found.is_certain or not _shows_reply(previous)):
        return Corrects.CERTAINLY
    return Corrects.MAYBE if previous else Corrects.NO


class Correction(NamedTuple):
    """Intended meaning in a message; `is_certain` if it also denies the understanding."""

    meant: str
    is_certain: bool


def parse_correction(message: str) -> Correction | None:
    """Extract the intended meaning from a message that probably corrects the turn before; else None.

    >>> correction_in("nahi, ulta chahiye tha")
    Correction(meant='ulta', is_certain=False)
    """
    text = fold_for_cues(message)
    certain, likely, _ = _patterns()
    for pattern in certain if text.endswith("?") else (*certain, *likely):
        if (found := pattern.match(text)) and (meant := _meant(found["meant"])):
            return Correction(meant, is_certain=pattern in certain)
    return None


def replace_denied_word(message: str, text: str) -> str:
    """Replace the word of a text that a message denies by its new word; else return an empty text.

    >>> swapped("no wait, not Alvarez, Alvarado", "my dentist is dr Alvarez")
    "my dentist is dr Alvarado"
    """
    cues = load_cues(_CUES_FILE)
    small = {word for cue in (*cues["lead_ins"], *cues["denials"], *cues["not"]) for word in cue.split()}
    said, known = words_in(fold_for_cues(message)), {word.casefold() for word in words_in(fold_for_cues(text))}
    # A "no" before a statement denies no word of it: "nahi, mera boss Sumit hai".
    first = next((at for at, word in enumerate(said) if word.casefold() not in cues["denials"]), 0)
    denied = [at for at, word in enumerate(said) if at >= first and word.casefold() in cues["not"]]
    sides = [[said[place] for place in (at - 1, at + 1) if 0 <= place < len(said)] for at in denied]
    old = [*{word: "" for side in sides for word in side if word.casefold() in known - small}]
    beside = [word for side in sides for word in side if word.casefold() not in known | small and set(side) & {*old}]
    new = beside or [word for word in dict.fromkeys(said) if word.casefold() not in known | small]
    if len(old) != 1 or len(new) != 1 or said.count(old[0]) > 1:
        return ""
    return re.sub(rf"(?<!\w){re.escape(old[0])}(?!\w)", lambda _: new[0], fold_for_cues(text), flags=re.IGNORECASE)


def is_dictated(correction: str, message: str, notes: Iterable[str]) -> bool:
    """Return True if a note dictated a model's correction (prompt injection): its words are in a note only."""
    said = words_of(correction)
    return said.isdisjoint(words_of(message)) and any(said <= words_of(note) for note in notes)


def shows_correction(message: str) -> bool:
    """Return True if a message has any sign of a correction: a "no" first, "I mean", a past wish."""
    text = fold_for_cues(message)
    return any(pattern.search(text) for pattern in _patterns()[2])


def denies(message: str) -> bool:
    """Return True if a message has a sign of a correction, or denies a word: "not the money kind"."""
    return shows_correction(message) or not words_of(message).isdisjoint(load_cues(_CUES_FILE)["not"])


def find_corrected_turn(message: str, turns: Sequence[Turn]) -> Turn | None:
    """Return the turn that a message may correct; one without a reply only if a rule matches."""
    is_closing = _meant(fold_for_cues(message)) is None  # "no, that's all, thanks"
    turn = None if is_closing else find_correctable_turn(turns)
    return turn if turn is None or _shows_reply(turn) or parse_correction(message) else None


def find_correctable_turn(turns: Sequence[Turn]) -> Turn | None:
    """Return the last valid turn, answered or not, which the next message may correct; or None."""
    standing = [turn for turn in turns if turn.state not in {TurnState.UNDONE, TurnState.CORRECTION}]
    while standing and not _shows_reply(standing[-1]) and parse_correction(standing[-1].question):
        standing.pop()  # a correction that was stopped before its detection
    unfit = {TurnState.RUNNING, TurnState.DELETED}
    is_over = standing and not standing[-1].corrected_by and standing[-1].state not in unfit
    return standing[-1] if is_over else None


def _shows_reply(turn: Turn) -> bool:
    """Return True if the turn has an understanding or an answer."""
    return bool(turn.reply.understanding or turn.reply.answer)


def _meant(rest: str) -> str | None:
    """Strip a text; return None if it has only closing or polite words."""
    rest = rest.strip(_EDGES)
    bare = _POLITE_END.sub("", rest).strip(_EDGES)
    parts = [part.strip(_EDGES).casefold() for part in re.split(r"[,;.!।]+", bare)]
    cues = load_cues(_CUES_FILE)
    nothing = cues["closings"] | cues["denials"]
    if all(part in nothing or not _LETTER.search(part) for part in parts) or _THANKS.match(bare):
        return None
    return rest


@cache
def _patterns() -> tuple[list[re.Pattern[str]], ...]:
    """Compile the patterns of certain corrections, of likely ones, and of signs of either."""
    cues = {name: join_cues(known) for name, known in load_cues(_CUES_FILE).items()}
    denial, meant, after = cues["denials"], cues["meant"], cues["wanted_after"]
    # Leading interjections ("oops,", "arre yaar").
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
