"""Complete a change that names only the new value, from the earlier fact.

my landlord is Mr Okafor    landlord changed, its Mrs Bell now    my landlord is Mrs Bell
main chah pinda             hun coffee pinda                      main coffee pinda
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.feedback.corrections import replace_denied_word
from assistant.feedback.cues import fold_for_cues
from assistant.feedback.fact_messages import asks, change_cues, strip_lead_in
from assistant.feedback.values import DENIES, remove_denied
from assistant.language.asked_word import words_in
from assistant.reasoning.reading import Sentence
from assistant.reasoning.reasoner import Reasoner
from assistant.reasoning.words import OWNS, PERSONS, SentenceWord, parts_of_speech

_CLAUSES = re.compile(r"[,.;!।]\s+")
_MOST = 4  # words of a value
_LINKS = frozenset({"in", "of", "other", "owns", "article"})  # roles of words that a value may contain
_AFTER = frozenset({"is", "does", "closing", "in", "other", "owns"})  # roles of words that may follow a value
_PRONOUNS = frozenset({"it", "its", "this", "that", "yeh", "ye", "voh", "woh", "wo", "eh", "oh", OWNS})


def complete_change(message: str, told: str, reasoner: Reasoner) -> str:
    """Return the fact that a message puts in place of an earlier one, else an empty text.

    Args:
        message: the message after the fact.
        told: the fact in the user's words.
        reasoner: parses both.
    """
    text, said = fold_for_cues(message), reasoner.read(strip_lead_in(fold_for_cues(told)).strip(" .!।"))
    all_said, left, known = ({word.casefold() for word in words_in(one)} for one in (text, remove_denied(text), told))
    denied = all_said - left - DENIES  # "the metal, not the planet" may deny nothing of the fact
    is_other = bool(denied) and denied.isdisjoint(known)
    is_question = asks(text, reasoner.languages) or reasoner.read(text).is_question
    if is_other or is_question or not reasoner.tells(told) or not said.value:
        return ""
    if swap := replace_denied_word(text, told):
        return swap
    now, *cues = change_cues()
    is_sure = any(pattern.search(text) for pattern in cues)
    begin, end = said.value[0].at, said.value[-1].at + 1
    for clause in reversed([*filter(None, _CLAUSES.split(text))] if is_sure or now.search(text) else []):
        words = _bare_words(clause, reasoner, is_english=said.is_english)
        names = (said.words[0], said.value[-1].word)
        if words and words[0].is_name and not words[0].roles and _stands_in(words[0], names):
            return ""  # "Dana is in Delhi now" is no change of what Dana likes, or of who the boss is
        speaks = any(word.roles & PERSONS.keys() and "in" not in word.roles for word in words)
        if speaks and not (is_sure and _stands_in(words[1 % len(words)], said.words)):
            return ""  # the clause names its own subject
        if new := _new_value(words, said, is_sure=is_sure):
            parts = (said.words[:begin], new, said.words[end:])
            fact = " ".join(word.written for part in parts for word in part).replace(f" {OWNS}", "'s")
            return fact if reasoner.tells(fact) else ""
    return ""


def _new_value(words: Sequence[SentenceWord], said: Sentence, *, is_sure: bool) -> Sequence[SentenceWord]:
    """Return the words of a clause that are the new value of a fact; none if the clause has more, or less.

    A number replaces a number, and a name a name.
    """
    before, after = said.words[: said.value[0].at], said.words[said.value[-1].at + 1 :]
    first = 0
    while first < len(words) and (_stands_in(words[first], before) or (first and "other" in words[first].roles)):
        first += 1
    shared, new = words[:first], [*words[first:]]
    is_shared = any(not word.roles for word in shared) or any(_stands_in(word, after) for word in new if not word.roles)
    while new and (_stands_in(new[-1], after) or new[-1].roles & _AFTER or "helping" in new[-1].signs):
        new.pop()
    old = [part.word for part in said.value]
    is_plain = 0 < len(new) <= _MOST and all(not word.roles or word.roles & _LINKS for word in new)
    if not is_plain or any(word.counts for word in new) is not any(word.counts for word in old):
        return ()
    content = next((word for word in new if not word.roles), new[0])
    parts, is_sure = parts_of_speech(content.written), is_sure or is_shared
    is_alike = (content.is_name or not old[0].is_name) and parts[:1] != "v"
    is_value = is_sure or content.is_name or (content.is_adjective and "n" in parts)
    return new if is_alike and is_value else ()


def _bare_words(clause: str, reasoner: Reasoner, *, is_english: bool) -> list[SentenceWord]:
    """Return the words of a clause without signs of a change and leading pronouns.

    It is parsed in the language of the fact, and not as the start of a sentence: a capital letter marks a name.
    """
    now, puts_right, changed, _ = change_cues()
    clause = now.sub(" ", changed.sub(" ", clause)).strip()
    while (found := puts_right.match(clause)) and found.end():
        clause = clause[found.end() :].strip(" ,:-")
    words = [*reasoner.words.read(("is " if is_english else "hai ") + clause)[1:]]
    while words and (words[0].roles & {"he", "is", "has"} or words[0].written.lower() in _PRONOUNS):
        del words[0]
    return words


def _stands_in(word: SentenceWord, words: Sequence[SentenceWord]) -> bool:
    return any(
        word.written.casefold() == other.written.casefold() or not word.keys.isdisjoint(other.keys) for other in words
    )
