"""Parse the denial and the new value in a correction: "not Dana, Priya", "it moved to 8 pm"."""

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
_MOST = 3  # words of a value, and of a correction that is only a value
_WRONG = frozenset({"wrong", "incorrect", "galat", "galt", "गलत", "ग़लत", "ਗਲਤ", "ਗ਼ਲਤ"})
_THAT_ONE = frozenset({"wala", "wali", "wale", "vala", "vali", "vale", "वाला", "वाली", "वाले", "ਵਾਲਾ", "ਵਾਲੀ", "ਵਾਲੇ"})
# "that's" and the like, also where the apostrophe is left out.
_CONTRACTION = re.compile(
    "['’](?:s|m|re|ll|ve|d|t)$|^(?:that|what|it|he|she|there)s$|^(?:im|ive|youre|theyre)$", re.IGNORECASE
)
_CONTENT = "content"  # kind of content words


def remove_denied(said: str) -> str:
    """Remove the denied parts of a text: "not money, side of a river", "ulta nahi, matlab".

    In a clause, an English denial applies to the words after it, one in Hindi or Punjabi to the words before it.
    """
    left = list[str]()
    for clause in _CLAUSES.split(said):
        words = [word for word in clause.split() if word.lower() not in _NO]
        at = next((at for at, word in enumerate(words) if word.lower() in _DENIES_AFTER | _DENIES_BEFORE), len(words))
        is_english = at == len(words) or words[at].lower() in _DENIES_AFTER
        left += [" ".join(words[:at] if is_english else words[at + 1 :])]
    return ", ".join(filter(None, left))


def find_new_value(said: str, old: str, question: str, languages: Languages) -> str:
    """Return the new value in a correction, empty if unclear: a number for a number, else names, else few new words.

    Args:
        said: the correction.
        old: the value in the answer, empty if it had none.
        question: the question.
        languages: word lists.
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
    content = {word.written.casefold() for word in languages.words(" ".join(words)) if word.kind == _CONTENT}
    new = [word.casefold() in content - known for word in words]
    named = [is_new and is_name(word, languages) for is_new, word in zip(new, words, strict=True)]
    # The first word of a sentence has a capital letter anyway, unless the next one has one, too.
    are_names = any(word[0].isupper() for word in words[1:2])
    large = [new[at] and word[0].isupper() and (at > 0 or named[at] or are_names) for at, word in enumerate(words)]
    wanted = next((found for found in (large, named) if any(found)), None)
    if wanted and (old or len(words) <= _MOST):
        return _only_run(words, wanted)
    is_all = len(words) < _MOST or (len(words) == _MOST and any(named))
    return _only_run(words, new) if is_all else ""


def is_name(text: str, languages: Languages) -> bool:
    """Return True for a text that is not in the lexicon, or an English one with a capital letter."""
    english = languages.english(text).split()
    return not any(map(lexicon().find, english)) or (text[0].isupper() and english == text.split())


def _has_digit(text: str) -> bool:
    return any(map(str.isdecimal, text))


def _only_run(words: Sequence[str], wanted: Sequence[bool]) -> str:
    """Return the wanted words if they are few and adjacent, else an empty text."""
    pairs = groupby(zip(words, wanted, strict=True), key=lambda pair: pair[1])
    runs = [[word for word, _ in group] for is_wanted, group in pairs if is_wanted]
    return " ".join(runs[0]) if len(runs) == 1 and len(runs[0]) <= _MOST else ""
