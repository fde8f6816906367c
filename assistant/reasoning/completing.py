"""A change that names only the new value, completed from the fact that was told before it.

my landlord is Mr Okafor    landlord changed, its Mrs Bell now    my landlord is Mrs Bell
main chah pinda             hun coffee pinda                      main coffee pinda

Words that the change and the fact share show where the value stands; else it is the last thing that the fact names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.feedback.corrections import swapped
from assistant.feedback.cues import comparable
from assistant.feedback.telling import change_cues, without_lead_in
from assistant.reasoning.reasoner import Reasoner
from assistant.reasoning.sentence import Sentence
from assistant.reasoning.words import ENGLISH, OWNS, Word, is_verb_form, parts_of_speech

_CLAUSES = re.compile(r"[,.;!।]\s+")
_MOST = 4  # words of a value
_SPEAKS = frozenset({"me", "we", "you"})
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
    if "?" in text or asks or reasoner.read(text).is_question or not reasoner.tells(told):
        return ""
    now, puts_right, changed, denied = change_cues()
    is_sure = any(pattern.search(text) for pattern in (puts_right, changed, denied))
    clauses = [*filter(None, _CLAUSES.split(text))] if is_sure or now.search(text) else []
    for at, clause in sorted(enumerate(clauses), key=lambda one: (not now.search(one[1]), -one[0])):
        words = _bare_words(clause, reasoner, is_english=said.is_english, is_first=at == 0)
        if any("owner" in word.roles or (word.roles & _SPEAKS and "in" not in word.roles) for word in words):
            break  # it says by itself of what it is so
        if words and words[0].is_name and not words[0].roles and _is_same(words[0], said.words[0]):
            break  # "Dana is in Delhi now" is no change of what Dana likes
        if new := _completed(words, said, is_sure=is_sure):
            return new if reasoner.tells(new) else ""
    return swapped(text, told)


def _completed(words: Sequence[Word], said: Sentence, *, is_sure: bool) -> str:
    """Return a fact with the value that these words name; nothing where they say more, or less."""
    told, (begin, end) = said.words, _value_places(said)
    subject = frozenset[str]().union(*(word.keys for word in told[:begin] if not word.roles))
    words = [word for word in words if word.roles or subject.isdisjoint(word.keys)]
    while words and (words[-1].roles & {"is", "does", "closing"} or "helping" in words[-1].signs):
        words.pop()
    tail = next((size for size in range(len(words) - 1, 0, -1) if _find(words[-size:], told, begin)), 0)
    head = next((size for size in range(len(words) - tail - 1, 0, -1) if _find(words[:size], told, 1)), 0)
    new = words[head : len(words) - tail]
    while new and new[-1].roles & {"in", "other", "owns"}:
        new.pop()
    begin = _find(words[:head], told, 1) + head if head else begin
    end = _find(words[len(words) - tail :], told, begin) if tail else end
    numbers = [at for at in range(begin, end) if told[at].counts] if new and new[0].counts and not head else []
    if len(numbers) == 1:
        begin, end = numbers[0], end if tail else min(end, numbers[0] + len(new))
    old = told[begin:end]
    is_shared = any(not word.roles for word in (*words[:head], *words[len(words) - tail :]))
    if not (old and 0 < len(new) <= _MOST) or not (
        is_shared or _is_value(new, old, is_sure=is_sure or head + tail > 0)
    ):
        return ""
    if (
        any(word.roles.isdisjoint(_LINKS) for word in words if word.roles)
        or "me" in new[0].roles
        or _find(new, told, 0)
    ):
        return ""
    return " ".join(word.written for word in (*told[:begin], *new, *told[end:])).replace(f" {OWNS}", "'s")


def _value_places(said: Sentence) -> tuple[int, int]:
    """Return the places at which the value of a fact begins and ends."""
    words, things = said.words, [thing for thing in said.things if thing.at >= 0]
    is_verb = said.is_english and not said.roles
    split = (said.split or 1) + (is_verb or (not said.is_english and "quality" in things[0].word.signs))
    place = said.span(things[split:])
    begin, end = (place.start, place.stop) if place else (0, 0)
    while not said.is_english and end > begin + 1 and is_verb_form(words[end - 1]):
        end -= 1
    while begin < end and words[end - 1].roles:
        end -= 1
    if said.is_english:  # "I wake up at 6"
        begin = max([begin, *(at + 1 for at in range(begin, end - 1) if words[at].roles & {"in", "other"})])
    return begin, end


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
    while words and (words[0].roles & {"he", "is"} or words[0].written.lower() in {*_PRONOUNS, OWNS}):
        del words[0]
    return words


def _is_value(new: Sequence[Word], old: Sequence[Word], *, is_sure: bool) -> bool:
    """Return True if words can stand for others: a number for a number, a name for a name."""
    first, before = next((word for word in new if not word.roles), new[0]), old[0]
    if first.counts is not before.counts or (not is_sure and first.is_adjective is not before.is_adjective):
        return False
    if not first.written.isascii():
        return is_sure or not (first.glosses or before.glosses)
    is_alike = first.is_name or not before.is_name
    parts = parts_of_speech(first.written)
    return is_alike and parts[:1] != "v" and (is_sure or first.is_name or (first.is_adjective and "n" in parts))


def _find(some: Sequence[Word], words: Sequence[Word], begin: int) -> int:
    """Return the place from `begin` on at which words stand among others; 0 where they do not."""
    places = range(begin, len(words) - len(some) + 1)
    return next((at for at in places if all(map(_is_same, some, words[at : at + len(some)]))), 0)


def _is_same(one: Word, other: Word) -> bool:
    return one.written.casefold() == other.written.casefold() or not one.keys.isdisjoint(other.keys)
