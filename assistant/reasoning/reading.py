"""Reads simple sentences: whichever words hold a sentence together, what it is about stays in its order.

English puts what a sentence is about before its verb; Hindi and Punjabi put the verb last, so there each beginning may
be it. What tells one from another is `data/words.toml`; nothing here is a wording. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning import english, indic
from assistant.reasoning.draft import Draft
from assistant.reasoning.parting import parts_of
from assistant.reasoning.sentence import HAVE, PART, PERSONS, Asks, Link, Sentence, Thing
from assistant.reasoning.words import ENGLISH, Words

_TAIL = 4  # words of "isn't he" and the like
_MOST = 16  # things of a simple sentence
_NAME = "name"


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a sentence. Every text has a reading; one of nothing but small words has no things."""

    words: Words

    def __call__(self, text: str) -> Sentence:
        """What a text says, read as one sentence."""
        clean = self._without_tail(text)
        words = self.words.read(clean)
        is_english = self.words.language(clean) == ENGLISH
        draft = Draft(words, is_punjabi=self.words.is_punjabi(clean))
        language = english if is_english else indic
        start, stop = language.span(words)
        language.read(draft, start, stop)
        asked = "?" in text or bool(draft.asks) or (is_english and english.asks(words, start))
        # In Punjabi one word is "now", and "am" where it stands last.
        draft.ended = draft.negative and any("now" in word.roles for word in words[: None if is_english else -1])
        return _sentence(text, draft, is_english=is_english, asked=asked)

    def statements(self, text: str) -> tuple[Sentence, ...]:
        """What a text tells, as simple sentences: "Rex and Bruno are dogs" are two."""
        whole = self(text)
        if whole.is_question or self.words.language(text) != ENGLISH:
            return (whole,)
        parts = parts_of(self.words.read(text))
        return (whole, *map(self, parts)) if len(parts) > 1 else (whole,)

    def _without_tail(self, text: str) -> str:
        """A text without what only asks back: "…, isn't he?", "…, right?"."""
        head, comma, tail = text.rstrip().rpartition(",")
        words = self.words.read(tail)
        if comma and head and len(words) <= _TAIL and all(word.roles for word in words):
            return head + ("?" if "?" in tail else "")
        return text


def _sentence(text: str, draft: Draft, *, is_english: bool, asked: bool) -> Sentence:
    of_name = _named(draft)
    things = [*draft.things[:_MOST], *([Thing(frozenset({HAVE}))] if draft.has_first else [])]
    if draft.part:
        things.append(Thing(frozenset({PART})))
    if draft.asks is Asks.AMOUNT:
        things += draft.kinds
    asks = draft.asks or (Asks.WHETHER if asked else Asks.NOTHING)
    in_place = any(thing.in_place and at >= max(1, draft.split) for at, thing in enumerate(things))
    link = draft.link or (Link.DOES if is_english or "can" in draft.roles else Link.IS)
    link = Link.PART if draft.part else Link.PLACE if in_place else link
    return Sentence(
        text,
        tuple(word.written for word in draft.words),
        tuple(things),
        asks,
        link,
        _splits(draft, things, link, is_english=is_english),
        draft.negative and asks is not Asks.WHETHER,  # "can't it fly?" asks whether it can
        draft.amount,
        tuple(draft.kinds),
        draft.exists,
        draft.has_article,
        draft.ended,
        draft.renews,
        of_name,
        bool(draft.roles),
    )


def _named(draft: Draft) -> bool:
    """Take "name" out where it is said, or asked, what something is called: my manager's name is Dana, who is she."""
    at = next((at for at, thing in enumerate(draft.things) if _NAME in thing.keys | thing.glosses), 0)
    if not at or (whose := draft.things[at].owner) is None or draft.link is Link.DOES:
        return False
    owners = [whose]
    while (owner := draft.things[owners[-1]].owner) is not None:
        owners.append(owner)
    said = draft.things[at + 1 :] or draft.things[: owners[-1]]
    is_said = bool(said) and not any(thing.is_common and not thing.named for thing in said)
    if draft.things[whose].keys & PERSONS or not (is_said or draft.asks):
        return False
    del draft.things[at]
    later: dict[int | None, int] = {place: place - 1 for place in range(at + 1, len(draft.things) + 1)}
    later[at] = whose
    draft.things = [thing.owned(later.get(thing.owner, thing.owner)) for thing in draft.things]
    draft.split -= draft.split > at
    return True


def _splits(draft: Draft, things: Sequence[Thing], link: Link, *, is_english: bool) -> tuple[int, ...]:
    """How many things may be what a sentence is about, so that nothing is parted from whose it is."""
    if link is Link.IS and (is_english or 0 < draft.split < len(things)):
        return (draft.split,) if 0 < draft.split < len(things) else ()
    whole = len(things) - (link is Link.PART)
    return tuple(
        at
        for at in range(1, whole)
        if all(thing.owner is None or (thing.owner < at) == (place < at) for place, thing in enumerate(things))
    )
