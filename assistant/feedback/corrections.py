"""Detect a message that corrects the turn before it, and extract the intended meaning or the new value.

The model also judges this (prompts/). These rules are certain, and overrule the model, if the message contains a denial
("no, I meant …"). Otherwise they apply only if no model is reachable. The cue words and phrases are data files that
native speakers can extend (`*_cues.toml`).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Corrects, Turn, TurnState

CORRECTION_CUES = Path(__file__).with_name("correction_cues.toml")
_BREAK = r"[\s,;:.!…—–\-।]++"
_EDGES = " \t\n,;:.!?…—–-।\"'“”‘’"
# "no, I meant thank you so much" is not a correction.
_THANKS = re.compile(r"(?:to say |to )?(?:thanks?|thx|shukriya|dhanyavaa?d|meharbani)\b.{0,30}\Z", re.IGNORECASE)
_POLITE_END = re.compile(r"\b(?:(?:please|plz|pls|yaar|bhai|ji|जी|ਜੀ)(?!\w)\W*+){1,6}+\Z", re.IGNORECASE)
_CLAUSES = re.compile(r"[,;.!।]|\bbut\b|(?<=\w )(?=i want|just )|(?<=\w )(?<!not )(?=it'?s )", re.IGNORECASE)
_NO = frozenset({"no", "nope", "nah"})
_DENIES_AFTER = frozenset({"not", "didn't", "didnt", "isn't", "isnt", "don't", "dont", "doesn't", "doesnt"})
DENIES = _NO | _DENIES_AFTER | {"nahi", "nahin", "nhi", "nai", "ni", "नहीं", "ਨਹੀਂ"}
_MOST = 3  # words of a value, and of a correction that is only a value
_WRONG = frozenset({"wrong", "incorrect", "galat", "galt", "गलत", "ग़लत", "ਗਲਤ", "ਗ਼ਲਤ"})
_THAT_ONE = frozenset({"wala", "wali", "wale", "vala", "vali", "vale", "वाला", "वाली", "वाले", "ਵਾਲਾ", "ਵਾਲੀ", "ਵਾਲੇ"})
# "that's" and the like, also where the apostrophe is left out.
_CONTRACTION = re.compile(
    "['’](?:s|m|re|ll|ve|d|t)$|^(?:that|what|it|he|she|there)s$|^(?:im|ive|youre|theyre)$", re.IGNORECASE
)


def fold_for_cues(text: str) -> str:
    """Normalise a text for comparison with cues."""
    return unicodedata.normalize("NFC", clean_for_prompt(text)).replace("’", "'")


def words_of(text: str) -> set[str]:
    """Return the set of casefolded words of a text."""
    return set(re.findall(r"\w+", fold_for_cues(text).casefold()))


@cache
def load_cues(file: Path) -> Mapping[str, frozenset[str]]:
    """Load the lists of a file of cues, by name."""
    lists = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: frozenset(unicodedata.normalize("NFC", cue) for cue in cues) for name, cues in lists.items()}


def join_cues(cues: Iterable[str]) -> str:
    """Return a regular expression for any of the cues, the longest first, up to the end of a word."""
    longest_first = sorted(cues, key=lambda cue: (-len(cue), cue))
    return "(?:" + "|".join(re.escape(cue).replace(r"\ ", r"\s+") for cue in longest_first) + r")(?!\w)"


@cache
def cue_pattern(file: Path, name: str) -> re.Pattern[str]:
    """Compile the pattern that finds a cue of one list in a text."""
    return re.compile(rf"(?<!\w){join_cues(load_cues(file)[name])}", re.IGNORECASE)


class Correction(NamedTuple):
    """Intended meaning in a message; `is_certain` if it also denies the understanding."""

    meant: str
    is_certain: bool


def parse_correction(message: str) -> Correction | None:
    """Extract the intended meaning from a message that probably corrects the turn before it; else None.

    >>> parse_correction("nahi, ulta chahiye tha")
    Correction(meant='ulta', is_certain=False)
    """
    text = fold_for_cues(message)
    certain, likely, _ = _patterns()
    for pattern in certain if text.endswith("?") else (*certain, *likely):
        if (found := pattern.match(text)) and (meant := _meant(found["meant"])):
            return Correction(meant, is_certain=pattern in certain)
    return None


def classify_correction(message: str, previous: Turn | None) -> Corrects:
    """Judge if a message corrects the turn before it, by the rules alone."""
    found = parse_correction(message) if previous else None
    # Without a reply, a model has nothing to compare the message with.
    if previous and found and (found.is_certain or not _shows_reply(previous)):
        return Corrects.CERTAINLY
    return Corrects.MAYBE if previous else Corrects.NO


def shows_correction(message: str) -> bool:
    """Return True if a message has any sign of a correction: a "no" first, "I mean", a past wish."""
    text = fold_for_cues(message)
    return any(pattern.search(text) for pattern in _patterns()[2])


def denies(message: str) -> bool:
    """Return True if a message has a sign of a correction, or denies a word: "not the money kind"."""
    return shows_correction(message) or not words_of(message).isdisjoint(load_cues(CORRECTION_CUES)["not"])


def is_dictated(correction: str, message: str, notes: Iterable[str]) -> bool:
    """Return True if a note dictated a model's correction (prompt injection): its words are in a note only."""
    said = words_of(correction)
    return said.isdisjoint(words_of(message)) and any(said <= words_of(note) for note in notes)


def find_corrected_turn(message: str, turns: Sequence[Turn]) -> Turn | None:
    """Return the turn that a message may correct; one without a reply only if a rule matches."""
    if _meant(fold_for_cues(message)) is None:  # "no, that's all, thanks"
        return None
    turn = find_correctable_turn(turns)
    return turn if turn is None or _shows_reply(turn) or parse_correction(message) else None


def find_correctable_turn(turns: Sequence[Turn]) -> Turn | None:
    """Return the last valid turn, answered or not, which the next message may correct; or None."""
    standing = [turn for turn in turns if turn.state not in {TurnState.UNDONE, TurnState.CORRECTION}]
    while standing and not _shows_reply(standing[-1]) and parse_correction(standing[-1].question):
        standing.pop()  # a correction that was stopped before its detection
    unfit = {TurnState.RUNNING, TurnState.DELETED}
    return standing[-1] if standing and not standing[-1].corrected_by and standing[-1].state not in unfit else None


def replace_denied_word(message: str, text: str) -> str:
    """Replace the word of a text that a message denies by its new word; else return an empty text.

    >>> replace_denied_word("no wait, not Alvarez, Alvarado", "my dentist is dr Alvarez")
    'my dentist is dr Alvarado'
    """
    cues = load_cues(CORRECTION_CUES)
    small = {word for cue in (*cues["lead_ins"], *cues["denials"], *cues["not"]) for word in cue.split()}
    said, known = words_in(fold_for_cues(message)), {word.casefold() for word in words_in(fold_for_cues(text))}
    # A "no" before a statement denies no word of it: "nahi, mera boss Sumit hai".
    first = next((at for at, word in enumerate(said) if word.casefold() not in cues["denials"]), 0)
    denied = [at for at, word in enumerate(said) if at >= first and word.casefold() in cues["not"]]
    sides = [[said[place] for place in (at - 1, at + 1) if 0 <= place < len(said)] for at in denied]
    # English denies the word behind, Hindi and Punjabi the word before: "not Dana", "Dana nahi".
    places = (at + 1 if said[at].casefold() in _DENIES_AFTER else at - 1 for at in denied)
    denied_words = (said[place] for place in places if 0 <= place < len(said))
    old = [*dict.fromkeys(word for word in denied_words if word.casefold() in known - small)]
    beside = [word for side in sides for word in side if word.casefold() not in known | small and set(side) & {*old}]
    new = beside or [word for word in dict.fromkeys(said) if word.casefold() not in known | small]
    if len(old) != 1 or len(new) != 1 or said.count(old[0]) > 1:
        return ""
    return re.sub(rf"(?<!\w){re.escape(old[0])}(?!\w)", lambda _: new[0], fold_for_cues(text), flags=re.IGNORECASE)


def remove_denied(said: str) -> str:
    """Remove the denied parts of a text: "not money, side of a river", "ulta nahi, matlab".

    In a clause, an English denial applies to the words after it, one in Hindi or Punjabi to the words before it.
    """
    left = list[str]()
    for clause in _CLAUSES.split(said):
        words = [word for word in clause.split() if word.lower() not in _NO]
        at = next((at for at, word in enumerate(words) if word.lower() in DENIES), len(words))
        is_english = at == len(words) or words[at].lower() in _DENIES_AFTER
        left += [" ".join(words[:at] if is_english else words[at + 1 :])]
    return ", ".join(filter(None, left))


def find_new_value(said: str, old: str, question: str, languages: Languages) -> str:
    """Return the new value in a correction, empty if unclear: a number for a number, else names, else few new words.

    `old` is the value in the answer to the question, if any: "not Dana, Priya", "it moved to 8 pm".
    """
    words = [word for word in words_in(remove_denied(said)) if not _CONTRACTION.search(word)]
    if words and words[-1].lower() in _THAT_ONE:
        return ""
    known = {word.casefold() for word in words_in(f"{question} {old}")} | _WRONG
    numbers = [at for at, word in enumerate(words) if _has_digit(word) and word.casefold() not in known]
    if _has_digit(old) or (numbers and not old):
        unit = next(iter(words[numbers[0] + 1 :]), "") if len(numbers) == 1 else ""
        is_unit = unit.casefold() in known or not old
        value = words if not old and len(words) <= _MOST else [words[at] for at in numbers] + [unit] * is_unit
        return " ".join(filter(None, value)) if len(numbers) == 1 else ""
    content = {word.written.casefold() for word in languages.words(" ".join(words)) if word.kind == "content"}
    new = [word.casefold() in content - known for word in words]
    named = [is_new and _is_name(word, languages) for is_new, word in zip(new, words, strict=True)]
    # The first word of a sentence is capitalised anyway, so its capital letter counts only if the next has one, too.
    are_names = any(word[0].isupper() for word in words[1:2])
    large = [new[at] and word[0].isupper() and (at > 0 or named[at] or are_names) for at, word in enumerate(words)]
    wanted = next((found for found in (large, named) if any(found)), None)
    if wanted is None or not (old or len(words) <= _MOST):
        is_all = len(words) < _MOST or (len(words) == _MOST and any(named))
        wanted = new if is_all else []
    # Only few adjacent words are a value.
    pairs = groupby(zip(words, wanted, strict=False), key=lambda pair: pair[1])
    runs = [[word for word, _ in group] for is_wanted, group in pairs if is_wanted]
    return " ".join(runs[0]) if len(runs) == 1 and len(runs[0]) <= _MOST else ""


def _has_digit(text: str) -> bool:
    return any(map(str.isdecimal, text))


def _is_name(text: str, languages: Languages) -> bool:
    """Return True for a text that is not in the lexicon, or an English one with a capital letter."""
    english = languages.english(text).split()
    return not any(map(lexicon().find, english)) or (text[0].isupper() and english == text.split())


def _shows_reply(turn: Turn) -> bool:
    return bool(turn.reply.understanding or turn.reply.answer)


def _meant(rest: str) -> str | None:
    """Strip a text; return None if it has only closing or polite words."""
    rest = rest.strip(_EDGES)
    bare = _POLITE_END.sub("", rest).strip(_EDGES)
    parts = [part.strip(_EDGES).casefold() for part in re.split(r"[,;.!।]+", bare)]
    cues = load_cues(CORRECTION_CUES)
    nothing = cues["closings"] | cues["denials"]
    if all(part in nothing or not re.search(r"\w", part) for part in parts) or _THANKS.match(bare):
        return None
    return rest


@cache
def _patterns() -> tuple[list[re.Pattern[str]], ...]:
    """Compile the patterns of certain corrections, of likely ones, and of signs of either."""
    cues = {name: join_cues(known) for name, known in load_cues(CORRECTION_CUES).items()}
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
    return tuple([re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in patterns] for patterns in (*led, signs))
