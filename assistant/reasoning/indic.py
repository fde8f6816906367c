"""Reads what a Hindi or Punjabi sentence says: its verb stands last, and each small word behind what it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.reasoning.draft import OPEN, PERSONS, Draft, Hold, hold, thing_of
from assistant.reasoning.sentence import HAVE, Amount, Asks, Thing
from assistant.reasoning.words import Word

_TELLS = frozenset({Asks.NOTHING, Asks.WHETHER, Asks.AMOUNT})


def span(words: Sequence[Word]) -> tuple[int, int]:
    """The places of a sentence without small words at both ends."""
    start, stop = 0, len(words)
    while start < stop and "filler" in words[start].roles:
        start += 1
    while stop > start and "filler" in words[stop - 1].roles:
        stop -= 1
    return start, stop


def read(draft: Draft, start: int, stop: int) -> None:
    """Read these words."""
    words = draft.words
    for at in range(start, stop):
        word, behind = words[at], words[at + 1].roles if at + 1 < stop else frozenset()
        is_thing = not word.roles or draft.is_whole(word, at)
        if is_thing or ("not" in word.roles and "of" in behind):  # a barber is "nai", and so is "not"
            if draft.opened:
                draft.kinds.append(thing_of(word, at))
            else:
                draft.add(word, at)
            draft.opened = False
        elif "what" in word.roles and "which" not in word.roles and at in {start, stop - 1}:
            draft.asks = draft.asks or Asks.WHETHER
        else:
            hold(draft, word, at, _HOLDS)
    if not (draft.has or draft.part) and (_holds_something(draft.things) or _owns_something(draft)):
        draft.things = _having(draft.things)


def _which(draft: Draft, _word: Word, _: int) -> None:
    draft.asks, draft.opened = Asks.WHAT, True


def _open(draft: Draft, word: Word, _: int) -> None:
    draft.asks = OPEN[next(role for role in OPEN if role in word.roles)]


def _what(draft: Draft, word: Word, at: int) -> None:
    """In Hindi one word is "of" where something stands before it; in Punjabi it is always "what"."""
    if "of" in word.roles and draft.things and not draft.is_punjabi:
        _of(draft, word, at)
    else:
        draft.asks = Asks.WHAT


def _how(draft: Draft, _word: Word, _: int) -> None:
    draft.asks = Asks.HOW


def _not(draft: Draft, _word: Word, _: int) -> None:
    draft.negative = True
    if draft.things:  # a verb that is denied needs no other word behind it
        draft.roles.append("not")


def _all(draft: Draft, _word: Word, _: int) -> None:
    draft.amount = draft.amount if draft.things else Amount.ALL


def _some(draft: Draft, _word: Word, _: int) -> None:
    draft.amount = draft.amount if draft.things else Amount.SOME


def _in(draft: Draft, word: Word, at: int) -> None:
    if draft.opened:  # "on what": no kind is named
        draft.opened = False
        return
    if any(kind.at == at - 1 for kind in draft.kinds):  # "in which city"
        draft.asks = Asks.WHERE
    elif draft.things:
        draft.things[-1] = replace(draft.things[-1], in_place=True)
    elif "me" in word.roles:
        _person(draft, word, at)


def _of(draft: Draft, _word: Word, at: int) -> None:
    is_of_kind = any(kind.at == at - 1 for kind in draft.kinds) or "which" in draft.words[at - 1].roles
    if draft.things and not is_of_kind:
        draft.owner = len(draft.things) - 1


def _part(draft: Draft, _word: Word, _: int) -> None:
    draft.part, draft.owner = True, None


def _has(draft: Draft, _word: Word, _: int) -> None:
    draft.owner = None
    draft.have()


def _article(draft: Draft, _word: Word, _: int) -> None:
    draft.has_article = draft.has_article or bool(draft.things)
    draft.split = draft.split or len(draft.things)


def _verb(draft: Draft, word: Word, _: int) -> None:
    draft.roles.append("is" if "is" in word.roles else "can")


def _person(draft: Draft, word: Word, at: int) -> None:
    draft.split = draft.split or len(draft.things)
    draft.person(next(key for role, key in PERSONS.items() if role in word.roles), at, owns="owner" in word.roles)


_HOLDS: Mapping[str, Hold] = {
    "which": _which,
    **dict.fromkeys((role for role in OPEN if role != "what"), _open),
    "what": _what,
    "how": _how,
    "not": _not,
    "all": _all,
    "some": _some,
    "in": _in,
    "of": _of,
    "part": _part,
    "has": _has,
    "article": _article,
    **dict.fromkeys(("is", "can", "does"), _verb),
    **dict.fromkeys(PERSONS, _person),
}


def _chained(things: Sequence[Thing]) -> bool:
    """Whether each is of the one before it, numbers aside: "Meena's brother's dog"."""
    before = None
    for at, thing in enumerate(things):
        if not thing.counts:
            if thing.owner != before:
                return False
            before = at
    return True


def _owns_something(draft: Draft) -> bool:
    """Whether a sentence only names a thing and whose it is: "elephants of trunk is", which says that they have one."""
    return len(draft.things) > 1 and _chained(draft.things) and draft.asks in _TELLS


def _holds_something(things: Sequence[Thing]) -> bool:
    """Whether it begins with where something is: "in every car an engine is"."""
    place = next((at for at, thing in enumerate(things) if thing.in_place), -1)
    return 0 <= place < len(things) - 1 and _chained(things[: place + 1])


def _having(things: Sequence[Thing]) -> list[Thing]:
    """The same as that a thing has another one."""
    *rest, last = things
    return [*(replace(thing, in_place=False) for thing in rest), last.owned(None), Thing(frozenset({HAVE}))]
