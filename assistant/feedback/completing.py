"""A change that names only the new value, completed from the fact that was told before it.

my landlord is Mr Okafor    landlord changed, its Mrs Bell now    my landlord is Mrs Bell
main chah pinda             hun coffee pinda                      main coffee pinda
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.feedback.corrections import correction_in, swapped
from assistant.feedback.cues import comparable
from assistant.feedback.telling import change_cues, without_lead_in
from assistant.feedback.values import new_value
from assistant.reasoning.reading import Sentence
from assistant.reasoning.reasoner import Reasoner
from assistant.reasoning.words import ENGLISH, OWNS, PERSONS, Word, is_verb_form, parts_of_speech

_CLAUSES = re.compile(r"[,.;!।]\s+")
_MOST = 4  # words of a value
_ASKING = frozenset({"question", "request"})  # kinds of words
_LINKS = frozenset({"in", "of", "other", "owns", "article"})  # roles of words that a value may have
_PRONOUNS = frozenset({"it", "its", "this", "that", "yeh", "ye", "voh", "woh", "wo", "eh", "oh"})


def complete_change(message: str, told: str, reasoner: Reasoner) -> str:
    """Return the fact that a message puts in the place of the one told; nothing where it is not clear which.

    Args:
        message: what was said after the fact.
        told: the fact, in the words in which it was told.
        reasoner: reads both.
    """
    text, said = comparable(message), reasoner.read(without_lead_in(comparable(told)).strip(" .!।"))
    asks = any(str(word.kind) in _ASKING for word in reasoner.languages.words(text))
    if "?" in text or asks or reasoner.read(text).is_question or not reasoner.tells(told) or not said.value:
        return ""
    now, *cues = change_cues()
    is_sure = any(pattern.search(text) for pattern in cues)
    clauses = [*filter(None, _CLAUSES.split(text))] if is_sure or now.search(text) else []
    for at, clause in sorted(enumerate(clauses), key=lambda one: (not now.search(one[1]), -one[0])):
        words = _bare_words(clause, reasoner, is_english=said.is_english, is_first=at == 0)
        names = (said.words[0], said.value[-1].word)
        if words and words[0].is_name and not words[0].roles and _stands_in(words[0], names):
            break  # "Dana is in Delhi now" is no change of what Dana likes, or of who the boss is
        speaks = any(word.roles & PERSONS.keys() and "in" not in word.roles for word in words)
        if speaks and not (is_sure and _stands_in(words[1 % len(words)], said.words)):
            break  # it says by itself of what it is so
        if new := _new_value(words, said, is_sure=is_sure):
            return _with_value(said, " ".join(word.written for word in new), reasoner)
    else:
        old, corrected = " ".join(part.word.written for part in said.value), correction_in(message)
        is_whole = corrected is not None and reasoner.tells(corrected.meant)  # "no, I meant Asha is my boss"
        is_value = (is_sure or corrected) and not is_whole
        if value := new_value(text, old, told, reasoner.languages) if is_value else "":
            return _with_value(said, value, reasoner)
    return swapped(text, told)


def _with_value(said: Sentence, value: str, reasoner: Reasoner) -> str:
    """Return a sentence with another value; nothing where that tells nothing."""
    begin, end = said.value[0].at, said.value[-1].at + 1
    before, after = ([word.written for word in words] for words in (said.words[:begin], said.words[end:]))
    fact = " ".join((*before, value, *after)).replace(f" {OWNS}", "'s")
    return fact if reasoner.tells(fact) else ""


def _new_value(words: Sequence[Word], said: Sentence, *, is_sure: bool) -> Sequence[Word]:
    """Return which of these words take the place of the value of a fact; none where they say more, or less."""
    before, after = said.words[: said.value[0].at], said.words[said.value[-1].at + 1 :]
    first = 0
    while first < len(words) and (_stands_in(words[first], before) or (first and "other" in words[first].roles)):
        first += 1
    shared, new = words[:first], [*words[first:]]
    is_shared = any(not word.roles for word in shared) or any(_stands_in(word, after) for word in new if not word.roles)
    while new and (
        _stands_in(new[-1], after)
        or new[-1].roles & {"is", "does", "closing", "in", "other", "owns"}
        or "helping" in new[-1].signs
        or (len(new) > 1 and is_verb_form(new[-1]))
    ):
        new.pop()
    old = [part.word for part in said.value]
    is_plain = 0 < len(new) <= _MOST and all(not word.roles or word.roles & _LINKS for word in new)
    is_other = is_plain and "me" not in new[0].roles and not all(_stands_in(word, said.words) for word in new)
    return new if is_other and _is_value(new, old, is_sure=is_sure or is_shared) else ()


def _bare_words(clause: str, reasoner: Reasoner, *, is_english: bool, is_first: bool) -> list[Word]:
    """Return the words of a clause without signs of a change, and without pronouns before it.

    It is read in the language of the fact. A capital letter tells a name in a clause that is not the first one.
    """
    now, puts_right, changed, _ = change_cues()
    clause = now.sub(" ", changed.sub(" ", clause)).strip()
    while (found := puts_right.match(clause)) and found.end():
        clause = clause[found.end() :].strip(" ,:-")
    is_read = is_first and (reasoner.words.language(clause) == ENGLISH) is is_english
    before = "" if is_read else "is " if is_english else "hai "
    words = [word for word in reasoner.words.read(before + clause)[bool(before) :] if "filler" not in word.roles]
    while words and (words[0].roles & {"he", "is", "has"} or words[0].written.lower() in {*_PRONOUNS, OWNS}):
        del words[0]
    return words


def _is_value(new: Sequence[Word], old: Sequence[Word], *, is_sure: bool) -> bool:
    """Return True if words can stand for others: a number for a number, a name for a name."""
    first, before = next((word for word in new if not word.roles), new[0]), old[0]
    counts = [any(word.counts for word in words) for words in (new, old)]
    if counts[0] is not counts[1] or (not is_sure and first.is_adjective is not before.is_adjective):
        return False
    if not first.written.isascii():
        return is_sure or not (first.glosses or before.glosses)
    parts = parts_of_speech(first.written)
    is_alike = (first.is_name or not before.is_name) and parts[:1] != "v"
    return is_alike and (is_sure or first.is_name or (first.is_adjective and "n" in parts))


def _stands_in(word: Word, words: Sequence[Word]) -> bool:
    return any(
        word.written.casefold() == other.written.casefold() or not word.keys.isdisjoint(other.keys) for other in words
    )
