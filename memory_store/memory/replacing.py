"""Whether a person says that something counts instead of what they said before of the same thing. Pure.

They say so ("from now on", "not bowls any more"), give another value of the same wish ("usual is 6:15", then "usual is
7"), or want something else of the same word. Else both may hold, each in its place: "doubt" is a question in class,
and a suspicion at home.
"""

from __future__ import annotations

from pathlib import Path

from assistant.feedback.cues import comparable, cue_pattern
from memory_store.language.function_words import WordKind, folded_words, function_words

_CUES_FILE = Path(__file__).parents[1] / "language" / "lists" / "replacing.toml"
_INSTEAD, _NOW = cue_pattern(_CUES_FILE, "instead"), cue_pattern(_CUES_FILE, "now")
_TELLS = {WordKind.CONTENT, WordKind.ASKING}
_MOST_OTHER = 2  # words that differ where the same is said with another value


def says_instead(new: str) -> bool:
    """Whether a person says that this counts from now on."""
    return bool(_INSTEAD.search(comparable(new)))


def takes_back(new: str, old: str, question: str) -> bool:
    """Whether what is said of a question, or of a word in it, takes back what was said of it before."""
    return bool(_NOW.search(comparable(new))) or _denies(new, old, question)


def is_another_value(new: str, old: str) -> bool:
    """Whether both, said of one question, wish for the same thing in another way: another time, number or word."""
    words, before = folded_words(new), folded_words(old)
    about_words = function_words().is_about_words
    if about_words(words) and about_words(before):
        return True
    return (_names_amount(words) and _names_amount(before)) or _differ_in_one_place(words, before)


def _denies(new: str, old: str, question: str) -> bool:
    """Whether it negates something that was said then, other than what is asked about."""
    words = folded_words(new)
    if not any(function_words().kind(word) is WordKind.NEGATION for word in words):
        return False
    told = {word for word in folded_words(old) if function_words().kind(word) is WordKind.CONTENT}
    told -= set(folded_words(question))
    # Whoever repeats all of it says it once more.
    return not told.isdisjoint(words) and not told.issubset(words)


def _names_amount(words: tuple[str, ...]) -> bool:
    return any(word.isdecimal() or function_words().is_time(word) for word in words)


def _differ_in_one_place(words: tuple[str, ...], before: tuple[str, ...]) -> bool:
    shorter = min(len(words), len(before))
    start = next((place for place in range(shorter) if words[place] != before[place]), shorter)
    end = next((place for place in range(shorter - start) if words[-1 - place] != before[-1 - place]), shorter - start)
    other = max(len(words), len(before)) - start - end
    kinds = {function_words().kind(word) for word in (*words[:start], *words[len(words) - end :])}
    return not kinds.isdisjoint(_TELLS) and other <= _MOST_OTHER
