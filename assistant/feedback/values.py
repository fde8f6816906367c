"""Read what a correction denies, and which value it gives: "not Dana, Priya", "it moved to 8 pm". Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from assistant.language.asked_word import words_in
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon

_CLAUSES = re.compile(r"[,;.!।]|\bbut\b|(?<=\w )(?=i want|just )|(?<=\w )(?<!not )(?=it'?s )", re.IGNORECASE)
_NO = frozenset({"no", "nope", "nah"})
_DENIES_AFTER = frozenset({"not", "didn't", "didnt", "isn't", "isnt", "don't", "dont", "doesn't", "doesnt"})
_DENIES_BEFORE = frozenset({"nahi", "nahin", "nhi", "nai", "ni", "नहीं", "ਨਹੀਂ"})
DENIES = _NO | _DENIES_AFTER | _DENIES_BEFORE
_MOST = 3  # words of a value
_SHORT = 3  # words of a correction that is nothing but a value
_WRONG = frozenset({"wrong", "incorrect", "galat", "galt", "गलत", "ग़लत", "ਗਲਤ", "ਗ਼ਲਤ"})
_THAT_ONE = frozenset({"wala", "wali", "wale", "vala", "vali", "vale", "वाला", "वाली", "वाले", "ਵਾਲਾ", "ਵਾਲੀ", "ਵਾਲੇ"})
_CONTRACTION = re.compile("['’](?:s|m|re|ll|ve|d|t)$")
_CONTENT = "content"  # the kind of words that say something by themselves


def undenied(said: str) -> str:
    """Return what is said without what it denies: "not money, side of a river", "ulta nahi, matlab"; or nothing.

    English denies what follows within a clause, Hindi and Punjabi what goes before.
    """
    left = list[str]()
    for clause in _CLAUSES.split(said):
        words = [word for word in clause.split() if word.lower() not in _NO]
        at = next((at for at, word in enumerate(words) if word.lower() in _DENIES_AFTER | _DENIES_BEFORE), len(words))
        is_english = at == len(words) or words[at].lower() in _DENIES_AFTER
        left += [" ".join(words[:at] if is_english else words[at + 1 :])]
    return ", ".join(filter(None, left))


def new_value(said: str, old: str, question: str, languages: Languages) -> str:
    """Return the value that stands in a correction in the place of another one; empty where that is not clear.

    Args:
        said: the correction.
        old: the value that was answered; empty where none was.
        question: what was asked.
        languages: what is known of words.
    """
    words = [word for word in words_in(undenied(said)) if not _CONTRACTION.search(word)]
    if words and words[-1].lower() in _THAT_ONE:
        return ""
    known, before = ({word.casefold() for word in words_in(text)} for text in (question, old))
    if any(map(str.isdecimal, old)):
        return _number(words, old.casefold())
    content = {word.written.casefold() for word in languages.words(" ".join(words)) if str(word.kind) == _CONTENT}
    new = [word.casefold() in content - known - before - _WRONG for word in words]
    named = [is_new and is_name(word, languages) for is_new, word in zip(new, words, strict=True)]
    # The first word of a sentence begins large by itself.
    large = [new[at] and word[0].isupper() and (at > 0 or named[at]) for at, word in enumerate(words)]
    wanted = next((found for found in (large, named) if any(found)), None)
    if wanted and (old or len(words) <= _SHORT):
        return _only_run(words, wanted)
    is_all = len(words) < _SHORT or (len(words) == _SHORT and any(named))
    return _only_run(words, new) if is_all else ""


def is_name(word: str, languages: Languages) -> bool:
    """Return True for a word that no list knows: a name, as a rule. One of the lexicon has to begin large."""
    english = languages.english(word).split()
    return not any(map(lexicon().find, english)) or (word[0].isupper() and english == [word])


def _number(words: Sequence[str], old: str) -> str:
    """Return the only new number, with the words behind it that stood with the old one: "8 pm"."""
    told = {word for word in old.split() if any(map(str.isdecimal, word))}
    at = [place for place, word in enumerate(words) if any(map(str.isdecimal, word)) and word not in told]
    if len(at) != 1:
        return ""
    rest = words[at[0] + 1 :]
    unit = next((place for place, word in enumerate(rest) if word.casefold() not in old), len(rest))
    return " ".join(words[at[0] : at[0] + 1 + unit])


def _only_run(words: Sequence[str], wanted: Sequence[bool]) -> str:
    """Return the words that are wanted, if they are few and stand side by side; else nothing."""
    pairs = groupby(zip(words, wanted, strict=True), key=lambda pair: pair[1])
    runs = [[word for word, _ in group] for is_wanted, group in pairs if is_wanted]
    return " ".join(runs[0]) if len(runs) == 1 and len(runs[0]) <= _MOST else ""
