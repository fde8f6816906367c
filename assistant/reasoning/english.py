"""Reads what an English sentence says: what it is about stands before its verb, what a question leaves open first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.reasoning.draft import HELPERS, OPEN, PERSONS, Draft, Hold, hold, thing_of
from assistant.reasoning.sentence import Amount, Asks, Link, Thing
from assistant.reasoning.words import Word, is_noun

_BEFORE = frozenset(["asking", "you", "can", "does", "is", "other", "filler", "me", "article", "not", "who", "what"])
_PREAMBLE = 7  # words before what a sentence says: "would you say that …"
_ASKS_LAST = frozenset({"who", "what", "where"})
_FEWEST = 2


def span(words: Sequence[Word]) -> tuple[int, int]:
    """The places of a sentence without small words at its ends, and without what only says that it is said or asked."""
    start, stop = 0, len(words)
    while start < stop and "filler" in words[start].roles:
        start += 1
    asking = [at for at in range(start, min(stop, start + _PREAMBLE)) if "asking" in words[at].roles]
    if asking and _is_preamble(words[start : asking[-1] + 1]):
        start = asking[-1] + 1
        while start < stop and words[start].roles & {"filler", "joins", "me"} and not _is_subject(words, start):
            start += 1
    while stop > start and "filler" in words[stop - 1].roles:
        stop -= 1
    if stop - start > _FEWEST and words[stop - 1].roles & {"article", "he"} and words[stop - 2].roles & {"in", "other"}:
        stop -= 2  # "has it got sugar in it"
    return start, stop


def asks(words: Sequence[Word], start: int) -> bool:
    """Whether it is a question though no sign says so: it begins with its verb, with what it asks for, or with "if".

    So does one of which only the beginning is asked: "do you think that dogs bark".
    """
    begin = next((at for at in range(start) if "filler" not in words[at].roles), start)
    begins = any(words[at].roles & {*HELPERS, *OPEN} for at in {begin, start} if at < len(words) - 1)
    return begins or (start > 0 and "whether" in words[start - 1].roles)


def read(draft: Draft, start: int, stop: int) -> None:
    """Read these words."""
    words = draft.words
    first, last = (words[start].roles, words[stop - 1].roles) if start < stop else (frozenset(), frozenset())
    if last & _ASKS_LAST and "asking" not in first:  # "a labrador is what?"
        draft.asks = OPEN[next(role for role in OPEN if role in last)]
    begin = start
    is_led = "in" in first and start + 1 < stop and "what" in words[start + 1].roles  # "in which city"
    if is_led or first & OPEN.keys():
        begin = _read_open(draft, start + is_led, stop)
        draft.asks = Asks.WHERE if is_led else draft.asks
    elif "is" in first and start + 1 < stop and "there" in words[start + 1].roles:
        draft.exists = True
    for at in range(begin, stop):
        word = words[at]
        if not word.roles or draft.is_whole(word, at):
            draft.add(word, at)
            continue
        if "not" in word.roles:
            draft.negative = not draft.negative
        hold(draft, word, at, _HOLDS)
    draft.close()


def _is_preamble(words: Sequence[Word]) -> bool:
    """Whether words only say that something is said or asked: "would you say", "is it true that", "tell me"."""
    return all(word.roles & _BEFORE for word in words) and "article" not in words[0].roles


def _is_subject(words: Sequence[Word], at: int) -> bool:
    """Whether a word for a person is what the sentence is about: "tell me", but "I think I can"."""
    roles, behind = words[at].roles, words[at + 1 : at + 2]
    return "me" in roles and "object" not in roles and any(not word.roles or word.roles & {*HELPERS} for word in behind)


def _read_open(draft: Draft, start: int, stop: int) -> int:
    """What a question leaves open, and of what kind it is: "which city", "how many legs"; where the rest begins."""
    words = draft.words
    role = next(role for role in OPEN if role in words[start].roles)
    draft.asks = OPEN[role]
    at = start + 1
    if role == "amount":
        counts = at < stop and "many" in words[at].roles
        draft.asks = Asks.AMOUNT if counts else Asks.HOW
        at += counts
    if "is" in words[start].roles:  # who's
        _verb(draft, "is")
        return at
    kinds: list[tuple[Word, int]] = []
    while role in {"what", "amount"} and at < stop and words[at].roles.isdisjoint(HELPERS):
        if not words[at].roles:
            kinds.append((words[at], at))
        at += 1
    if at == stop:  # "what barks", "how many legs": no verb that would end the kind
        return start + 1 + (draft.asks is Asks.AMOUNT)
    draft.kinds = [thing_of(word, place) for word, place in kinds]
    return at


def _helper(draft: Draft, word: Word, _: int) -> None:
    draft.close()
    draft.in_place = False
    _verb(draft, next(role for role in HELPERS if role in word.roles))


def _verb(draft: Draft, role: str) -> None:
    draft.roles.append(role)
    if role == "has":
        if draft.things or len(draft.roles) == 1:
            draft.have()
        if len(draft.things) == 1 and draft.things[0].at < 0:  # "has my car …": what has stands behind
            draft.things.pop()
            draft.has_first = True
    if draft.link is None:
        draft.link, draft.split = (Link.IS if role == "is" else Link.DOES), len(draft.things)
    elif role != "is":
        draft.link = Link.DOES


def _no(draft: Draft, _word: Word, _: int) -> None:
    draft.negative = True
    draft.amount = draft.amount if draft.things else Amount.NO


def _article(draft: Draft, word: Word, at: int) -> None:
    draft.has_article = draft.has_article or (draft.link is not None and len(word.written) <= len("an"))
    draft.exists = draft.exists or (at == 0 and "there" in word.roles)


def _all(draft: Draft, _word: Word, _: int) -> None:
    if not draft.things:  # "Not all doctors are surgeons" says that some are not.
        draft.amount = Amount.SOME if draft.negative else Amount.ALL


def _some(draft: Draft, _word: Word, _: int) -> None:
    draft.amount = draft.amount if draft.things else Amount.SOME


def _of(draft: Draft, _word: Word, at: int) -> None:
    if draft.is_behind(at) and is_noun(draft.words[at - 1].written):
        draft.owned.append(len(draft.things) - 1)


def _part(draft: Draft, _word: Word, _: int) -> None:
    draft.part = True


def _in(draft: Draft, _word: Word, _: int) -> None:
    draft.close()
    draft.in_place = True


def _beside(draft: Draft, word: Word, at: int) -> None:
    draft.close()
    draft.things.append(Thing(frozenset({word.written.lower()}), at=at, in_place=True))
    draft.in_place = True


def _other(draft: Draft, _word: Word, _: int) -> None:
    draft.close()
    draft.in_place = False


def _person(draft: Draft, word: Word, at: int) -> None:
    key = next(key for role, key in PERSONS.items() if role in word.roles)
    draft.person(key, at, owns="owner" in word.roles)


_HOLDS: Mapping[str, Hold] = {
    "no": _no,
    **dict.fromkeys(HELPERS, _helper),
    "article": _article,
    "all": _all,
    "some": _some,
    "of": _of,
    "part": _part,
    "in": _in,
    "beside": _beside,
    "other": _other,
    **dict.fromkeys(PERSONS, _person),
}
