"""Reads simple sentences: whichever words hold a sentence together, what it is about stays in its order.

English puts what a sentence is about before its verb; Hindi and Punjabi put the verb last, so there each beginning may
be it. What tells one from another is `data/words.toml`; nothing here is a wording. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assistant.teachme.reasoning.sentence import (
    HAVE,
    ME,
    PART,
    WE,
    YOU,
    Amount,
    Asks,
    Link,
    Sentence,
    Thing,
)
from assistant.teachme.reasoning.words import ENGLISH, Word, Words, is_known_word, is_noun

_OPEN = {"who": Asks.WHO, "where": Asks.WHERE, "when": Asks.WHEN, "amount": Asks.AMOUNT, "what": Asks.WHAT}
_PERSONS = {"me": ME, "we": WE, "you": YOU, "mine": ME, "ours": WE}
_OWNERS = frozenset({"mine", "ours"})
_HELPERS = frozenset({"is", "does", "can", "has"})
_BEFORE = frozenset("asking you can does is other filler me article not who what".split())
_TAIL = 4  # words of "isn't he" and the like
_MOST = 16  # things of a simple sentence
_PREAMBLE = 7  # words before what a sentence says: "would you say that …"


@dataclass(slots=True)
class _Draft:
    """A sentence that is being read."""

    words: Sequence[Word]
    things: list[Thing] = field(default_factory=list)
    kinds: list[Thing] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)  # what the words that hold it together did
    owner: int | None = None  # whose the next thing is
    owned: list[int] = field(default_factory=list)  # things that wait for their owner: the wife of …
    in_place: bool = False
    negative: bool = False
    amount: Amount = Amount.ANY
    asks: Asks = Asks.NOTHING
    link: Link | None = None
    split: int = 0
    part: bool = False
    exists: bool = False
    has_article: bool = False
    has: bool = False
    is_punjabi: bool = False  # where "ki" is always "what"
    opened: bool = False  # the next word says of what kind an answer is

    def add(self, word: Word, at: int) -> None:
        """One more thing."""
        named = word.written[:1].isupper() and (at > 0 or not is_known_word(word.written))
        owner = None if word.counts else self.owner
        self.things.append(replace(thing_of(word, at), owner=owner, in_place=self.in_place, named=named))
        if word.owns or not word.counts:  # "the spider's eight legs": the legs are its
            self.owner = len(self.things) - 1 if word.owns else None

    def person(self, key: str, at: int, *, owns: bool) -> None:
        """Who speaks, or is spoken to."""
        self.things.append(Thing(frozenset({key}), at=at, owner=self.owner))
        self.owner = len(self.things) - 1 if owns else None

    def have(self) -> None:
        """That something has something, said once."""
        if not self.has:
            self.things.append(Thing(frozenset({HAVE})))
        self.has = True

    def close(self) -> None:
        """A group of words is over: what waits for its owner gets it."""
        last = len(self.things) - 1
        for at in reversed(self.owned):
            if last > at:
                behind = self.things[at + 1 :]
                moved = [
                    each.owned(each.owner - 1 if each.owner and each.owner > at else each.owner) for each in behind
                ]
                self.things[at:] = [*moved, self.things[at].owned(last - 1)]
        self.owned.clear()


def thing_of(word: Word, at: int) -> Thing:
    """What a word names."""
    keys = word.keys or frozenset({word.written.lower()})
    return Thing(keys, word.glosses, at, sound=word.sound, is_latin=word.written.isascii(), counts=word.counts)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a sentence. Every text has a reading; one of nothing but small words has no things."""

    words: Words

    def __call__(self, text: str) -> Sentence:
        """What a text says, read as one sentence."""
        clean = self._without_tail(text)
        words = self.words.read(clean)
        language = self.words.language(clean)
        start, stop = self._span(words) if language == ENGLISH else _indic_span(words)
        draft = _Draft(words, is_punjabi=self.words.languages.language(clean) == "pa")
        asked = "?" in text or "؟" in text
        if language == ENGLISH:
            _read_english(draft, start, stop)
            asked = asked or _asks_in_english(words[start:stop]) or _wonders(words[:start])
        else:
            _read_indic(draft, start, stop)
            asked = asked or bool(draft.asks)
        return _sentence(text, draft, is_english=language == ENGLISH, asked=asked)

    def _without_tail(self, text: str) -> str:
        """A text without what only asks back: "…, isn't he?", "…, right?"."""
        head, comma, tail = text.rstrip().rpartition(",")
        words = self.words.read(tail)
        if comma and head and len(words) <= _TAIL and not any(words):
            return head + ("?" if "?" in tail else "")
        return text

    def _span(self, words: Sequence[Word]) -> tuple[int, int]:
        """Without the small words at both ends, and without what only says that something is said or asked."""
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
        if stop - start > 2 and words[stop - 1].roles & {"article", "he"} and words[stop - 2].roles & {"in", "other"}:
            stop -= 2  # "has it got sugar in it"
        return start, stop


def _is_preamble(words: Sequence[Word]) -> bool:
    """Whether words only say that something is said or asked: "would you say", "is it true that", "tell me"."""
    return all(word.roles & _BEFORE for word in words) and "article" not in words[0].roles


def _is_subject(words: Sequence[Word], at: int) -> bool:
    """Whether a word for a person is what the sentence is about: "tell me", but "I think I can"."""
    return (
        "object" not in words[at].roles
        and "me" in words[at].roles
        and at + 1 < len(words)
        and bool(words[at + 1].roles & _HELPERS or words[at + 1])
    )


def _indic_span(words: Sequence[Word]) -> tuple[int, int]:
    start, stop = 0, len(words)
    while start < stop and "filler" in words[start].roles:
        start += 1
    while stop > start and "filler" in words[stop - 1].roles:
        stop -= 1
    return start, stop


def _asks_in_english(words: Sequence[Word]) -> bool:
    """A question begins with its verb or with what it asks for."""
    first = words[0].roles if words else frozenset()
    return bool(first & {*_HELPERS, *_OPEN} - {"not"}) and len(words) > 1


def _wonders(words: Sequence[Word]) -> bool:
    """Whether what stands before a sentence says that it is asked: "I wonder if"."""
    return bool(words) and words[-1].written.lower() in {"if", "whether"}


def _read_english(draft: _Draft, start: int, stop: int) -> None:
    words, open_at = draft.words, -1
    first = words[start].roles if start < stop else frozenset()
    last = words[stop - 1].roles if start < stop else frozenset()
    if "asking" not in first and last & {"who", "what", "where"}:  # "a labrador is what?"
        draft.asks = _OPEN[next(role for role in _OPEN if role in last)]
    if first & {"who", "what", "where", "when", "amount"}:
        open_at, start = start, _read_open(draft, start, stop)
    for at in range(start, stop):
        word, roles = words[at], words[at].roles
        if not roles or _is_whole(draft, word, at):
            draft.add(word, at)
            continue
        _hold_english(draft, word, at, is_first=at == start and open_at < 0)
    draft.close()


def _read_open(draft: _Draft, start: int, stop: int) -> int:
    """What a question leaves open, and of what kind it is: "which city", "how many legs"; where the rest begins."""
    words = draft.words
    role = next(role for role in _OPEN if role in words[start].roles)
    draft.asks = _OPEN[role]
    at = start + 1
    if role == "amount":
        counts = at < stop and "many" in words[at].roles
        draft.asks = Asks.AMOUNT if counts else Asks.HOW
        at += counts
    if "is" in words[start].roles:  # who's
        _verb(draft, "is")
        return at
    kinds: list[tuple[Word, int]] = []
    while role in {"what", "amount"} and at < stop and not words[at].roles & _HELPERS:
        if words[at]:
            kinds.append((words[at], at))
        at += 1
    if at == stop:  # "what barks", "how many legs": no verb that would end the kind
        return start + 1 + (draft.asks is Asks.AMOUNT)
    draft.kinds = [thing_of(word, place) for word, place in kinds]
    return at


def _hold_english(draft: _Draft, word: Word, at: int, *, is_first: bool) -> None:  # noqa: C901, PLR0912  one per role
    """What a word does that holds an English sentence together."""
    roles = word.roles
    if "not" in roles:
        draft.negative = not draft.negative
    if "no" in roles:
        draft.negative, draft.amount = True, Amount.NO if not draft.things else draft.amount
    if roles & _HELPERS:
        draft.close()
        draft.in_place = False
        _verb(draft, next(role for role in ("is", "can", "does", "has") if role in roles))
        draft.exists = draft.exists or (is_first and "is" in roles and _is_there(draft.words, at + 1))
        return
    if "article" in roles:
        draft.has_article = draft.has_article or (draft.link is not None and len(word.written) <= len("an"))
        draft.exists = draft.exists or (at == 0 and word.written.lower() == "there")
        return
    if "all" in roles or "some" in roles:
        if not draft.things:
            amount = Amount.ALL if "all" in roles else Amount.SOME
            # "Not all doctors are surgeons" says that some are not.
            draft.amount = Amount.SOME if draft.negative and amount is Amount.ALL else amount
        return
    if "of" in roles:
        if draft.things and draft.things[-1].at == at - 1 and is_noun(draft.words[at - 1].written):
            draft.owned.append(len(draft.things) - 1)
    elif "part" in roles:
        draft.part = True
    elif roles & {"in", "beside"}:
        draft.close()
        if "beside" in roles:
            draft.things.append(Thing(frozenset({word.written.lower()}), at=at, in_place=True))
        draft.in_place = True
    elif "other" in roles:
        draft.close()
        draft.in_place = False
    elif person := next((key for role, key in _PERSONS.items() if role in roles), ""):
        draft.person(person, at, owns=bool(roles & _OWNERS) or word.written.lower() == "your")


def _is_there(words: Sequence[Word], at: int) -> bool:
    return at < len(words) and words[at].written.lower() == "there"


def _verb(draft: _Draft, role: str) -> None:
    draft.roles.append(role)
    if role == "has":
        if draft.things or not draft.roles[:-1]:
            draft.have()
        if len(draft.things) == 1:  # "has my car …": what has stands behind
            draft.things.pop()
            draft.roles.append("has first")
    if draft.link is None:
        draft.link, draft.split = (Link.IS if role == "is" else Link.DOES), len(draft.things)
    elif role != "is":
        draft.link = Link.DOES


def _read_indic(draft: _Draft, start: int, stop: int) -> None:
    words = draft.words
    for at in range(start, stop):
        word, roles = words[at], words[at].roles
        is_owner = at + 1 < stop and "of" in words[at + 1].roles
        if (
            not roles or _is_whole(draft, word, at) or ("not" in roles and is_owner)
        ):  # a barber is "nai", and so is "not"
            if draft.opened:
                draft.kinds.append(thing_of(word, at))
            else:
                draft.add(word, at)
            draft.opened = False
            continue
        _hold_indic(draft, word, at, is_end=at in {start, stop - 1})


def _hold_indic(draft: _Draft, word: Word, at: int, *, is_end: bool) -> None:  # noqa: C901, PLR0912  one per role
    """What a word does that holds a Hindi or Punjabi sentence together."""
    roles, things = word.roles, draft.things
    if "which" in roles:
        draft.asks, draft.opened = Asks.WHAT, True
        return
    if "what" in roles and ("of" not in roles or not things or draft.is_punjabi):
        if is_end:
            draft.asks = draft.asks or Asks.WHETHER
        else:
            draft.asks = Asks.WHAT
        return
    if opened := next((role for role in ("who", "where", "when", "amount") if role in roles), ""):
        draft.asks = _OPEN[opened]
    elif "how" in roles:
        draft.asks = Asks.HOW
    elif "not" in roles:
        draft.negative = True
    elif roles & {"all", "some"} and not things:
        draft.amount = Amount.ALL if "all" in roles else Amount.SOME
    elif "in" in roles and things:
        things[-1] = replace(things[-1], in_place=True)
    elif "of" in roles and things and "which" not in draft.words[at - 1].roles and not _is_kind(draft, at - 1):
        draft.owner = len(things) - 1
    elif "part" in roles:
        draft.part, draft.owner = True, None
    elif "has" in roles:
        draft.owner = None
        draft.have()
    elif "article" in roles:
        draft.has_article = draft.has_article or bool(things)
        draft.split = draft.split or len(things)
    elif "is" in roles or "can" in roles or "does" in roles:
        draft.roles.append("is" if "is" in roles else "can")
    elif roles & {"me", "mine", "ours"}:
        key = WE if "ours" in roles else ME
        if "in" in roles and things:
            return
        draft.split = draft.split or len(things)
        draft.person(key, at, owns=bool(roles & _OWNERS))


def _is_whole(draft: _Draft, word: Word, at: int) -> bool:
    """Whether a word for people or things is all that is said of them: "vegan people" are vegans."""
    return "folk" in word.roles and not (draft.things and draft.things[-1].at == at - 1)


def _is_kind(draft: _Draft, at: int) -> bool:
    return any(thing.at == at for thing in draft.kinds)


def _sentence(text: str, draft: _Draft, *, is_english: bool, asked: bool) -> Sentence:
    things = draft.things[:_MOST]
    if "has first" in draft.roles and not draft.has or (is_english and _asks_first_has(draft)):
        things = [*things, Thing(frozenset({HAVE}))]
    if not (is_english or draft.has or draft.part) and (
        _holds_something(things) or _owns_something(things, draft.asks)
    ):
        things = _having(things)
    if draft.part:
        things = [*[thing.owned(None) if thing.at < 0 else thing for thing in things], Thing(frozenset({PART}))]
    things += [] if draft.asks is not Asks.AMOUNT else draft.kinds
    asks = draft.asks or (Asks.WHETHER if asked else Asks.NOTHING)
    place = next((at for at, thing in enumerate(things) if thing.in_place and at >= draft.split), 0)
    link = draft.link or (Link.DOES if is_english or "can" in draft.roles else Link.IS)
    link = Link.PART if draft.part else Link.PLACE if place and link is not Link.PART else link
    return Sentence(
        text,
        tuple(word.written for word in draft.words),
        tuple(things),
        asks,
        link,
        _splits(draft, things, link, is_english=is_english),
        draft.negative and not (asks is Asks.WHETHER),  # "can't it fly?" asks whether it can
        draft.amount,
        tuple(draft.kinds),
        draft.exists,
        draft.has_article,
        bool(draft.roles),
    )


def _asks_first_has(draft: _Draft) -> bool:
    return "has first" in draft.roles


def _chained(things: Sequence[Thing]) -> bool:
    """Whether each is of the one before it: "Meena's brother's dog"."""
    last = len(things) - 1
    before = [next((at for at in range(here - 1, -1, -1) if not things[at].counts), None) for here in range(last + 1)]
    return all(thing.counts or thing.owner == before[at] for at, thing in enumerate(things))


def _owns_something(things: Sequence[Thing], asks: Asks) -> bool:
    """Whether a sentence only names a thing and whose it is: "elephants of trunk is", which says that they have one."""
    return len(things) > 1 and _chained(things) and asks in {Asks.NOTHING, Asks.WHETHER, Asks.AMOUNT}


def _holds_something(things: Sequence[Thing]) -> bool:
    """Whether it begins with where something is: "in every car an engine is"."""
    place = next((at for at, thing in enumerate(things) if thing.in_place), -1)
    return 0 <= place < len(things) - 1 and _chained(things[: place + 1])


def _having(things: Sequence[Thing]) -> list[Thing]:
    """The same as that a thing has another one."""
    *rest, last = things
    return [*(replace(thing, in_place=False) for thing in rest), last.owned(None), Thing(frozenset({HAVE}))]


def _splits(draft: _Draft, things: Sequence[Thing], link: Link, *, is_english: bool) -> tuple[int, ...]:
    """How many things may be what a sentence is about, so that nothing is parted from whose it is."""
    if is_english and link is Link.IS:
        return (draft.split,) if 0 < draft.split < len(things) else ()
    if link is Link.IS and 0 < draft.split < len(things):
        return (draft.split,)
    whole = len(things) - (link is Link.PART)
    return tuple(
        at
        for at in range(1, whole)
        if all(thing.owner is None or (thing.owner < at) == (place < at) for place, thing in enumerate(things))
    )
