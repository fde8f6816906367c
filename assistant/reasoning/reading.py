"""Parse simple sentences: remove function words, and keep content words in order.

    my manager's wife is Priya      I manager wife | Priya
    the wife of my manager          I manager wife
    mera bhai Pune mein rehta hai   I bhai | Pune rehta

An owner precedes the owned thing. English has the subject before the verb, and "in" before a place; Hindi and Punjabi
have the verb last, and "in" after the place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from assistant.language.lexicon import lexicon
from assistant.reasoning.words import ENGLISH, OWNS, PERSONS, SentenceWord, Words, is_past, third_person

OF_CHANGE = frozenset({"stays", "moves", "helping"})
"""Signs of words that are neither topic nor value: "lives", "moved"."""
_OPEN = ("who", "where", "when", "amount", "why", "how", "what")
_VERBS = ("has", "is", "can", "does")
_MOST = 16  # parts
_ASKS_BACK = re.compile(r"(?<!\bthe)(?<!\bis) (?:right|yeah|correct|na|naa|ਨਾ|ना|न)\W*\Z")


class Asks(StrEnum):
    NOTHING = ""  # a statement
    WHETHER = "whether"
    WHO = "who"
    WHAT = "what"
    WHERE = "where"
    WHEN = "when"
    AMOUNT = "amount"
    HOW = "how"
    WHY = "why"


@dataclass(frozen=True, slots=True)
class Part:
    """A content word, or a personal pronoun."""

    word: SentenceWord
    at: int  # index among the words
    owned: bool = False  # by the part before it
    in_place: bool = False  # a place: Pune of "in Pune"
    is_person: bool = False  # the speaker, or the addressee


@dataclass(eq=False, slots=True)
class Sentence:
    """A text parsed as one sentence."""

    words: Sequence[SentenceWord]
    is_english: bool
    parts: list[Part] = field(default_factory=list)
    split: int = 0  # number of parts of the subject
    kinds: list[Part] = field(default_factory=list)  # the word "name", which facts may leave out
    asks: Asks = Asks.NOTHING
    verbs: list[str] = field(default_factory=list)  # auxiliary verbs: is, can, has, does
    negative: bool = False
    some: bool = False  # about some of a kind only
    is_a: bool = False  # "is a dog": a kind, not a name
    of_name: bool = False  # states, or asks for, a name
    says_now: bool = False  # true from now on: "is now", "no longer", "my new manager is"

    @property
    def is_question(self) -> bool:
        return self.asks is not Asks.NOTHING

    @property
    def is_being(self) -> bool:
        """Return True if its only auxiliary verb is "is" (in Hindi and Punjabi also if it has none)."""
        return {*self.verbs} <= {"is"} and (bool(self.verbs) or not self.is_english)

    @property
    def has_verb(self) -> bool:
        """Return True if a text has a subject, a verb and something else."""
        if self.is_english:
            return 0 < self.split < len(self.parts)
        words = self.words[:-1] if self.words and "owner" in self.words[-1].roles else self.words  # "18500 aa meri"
        if not words or len(self.parts) < 2 or (self.parts[0].word.counts and not any(p.owned for p in self.parts)):
            return False  # "10 december ko hai" lacks its subject
        return bool(words[-1].roles & {"is", "can"} or words[-1].is_verb or "stays" in words[-1].signs)

    @property
    def subject(self) -> Sequence[Part]:
        return self.parts[: self.split]

    @property
    def rest(self) -> Sequence[Part]:
        return self.parts[self.split :]

    @property
    def signs(self) -> set[str]:
        return {sign for word in self.words for sign in word.signs}

    @property
    def value(self) -> Sequence[Part]:
        """Return the parts of the predicate that are the value, without a verb: Pune of "Pune mein rehta"."""
        begins = int(self.is_english and not self.verbs)  # behind the main verb
        rest = self.rest[begins:]
        if not self.is_english:
            rest = [part for part in rest if part.word.signs.isdisjoint(OF_CHANGE)] or rest
        runs = runs_of(rest, self.words) or [[]]
        if self.is_english:
            return runs[-1]
        value = next((run for run in runs if run and run[-1].in_place), runs[0])
        is_whole = any(part.word.counts or part.in_place or part.is_person for part in value)
        return value if is_whole or any(part.owned for part in self.subject) else value[:1]  # "mujhe chai pasand"

    def written(self, parts: Sequence[Part]) -> str:
        """Return the words from the first of these parts to the last."""
        places = [part.at for part in parts]
        words = self.words[min(places) : max(places) + 1] if places else ()
        return " ".join(word.written for word in words).replace(f" {OWNS}", "'s")


def runs_of(parts: Sequence[Part], words: Sequence[SentenceWord]) -> list[list[Part]]:
    """Group parts that are adjacent, or separated only by an article or a possessive."""
    runs: list[list[Part]] = []
    for part in parts:
        last = runs[-1][-1] if runs else part
        between = words[min(last.at, part.at) + 1 : max(last.at, part.at)]
        if runs and last.in_place is part.in_place and all(word.roles & {"article", "owns", "of"} for word in between):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def read_sentence(text: str, words: Words) -> Sentence:
    """Parse a text as one sentence. One of function words only has no parts."""
    rest = words.lead_in.sub("", text)  # "do you know where"
    said = _Reader(rest, words).read()
    if not said.asks and ("?" in text or rest != text or _ASKS_BACK.search(text)):
        said.asks = Asks.WHETHER
    for at, (before, part) in enumerate(pairwise(said.parts), 1):
        is_told = part.owned and not before.is_person and len(said.parts) > at + 1
        if "name" in part.word.keys | part.word.glosses and (said.asks or is_told):
            # "My manager's name is Dana" is "my manager is Dana".
            said.kinds.append(said.parts.pop(at))
            said.of_name, said.split = True, said.split - (at < said.split)
            break
    del said.parts[_MOST:]
    said.split = min(said.split, len(said.parts))
    return said


class _Reader:
    """Parser of a sentence, word by word."""

    def __init__(self, text: str, words: Words) -> None:
        read, is_english = words.read(text), words.language(text) == ENGLISH
        self.said = Sentence([word for word in read if "filler" not in word.roles], is_english)
        self.said.says_now = any("now" in word.roles for word in read)
        self.said.asks = (
            Asks.WHAT if not is_english and any("tell" in word.roles for word in read[-2:]) else Asks.NOTHING
        )
        self.is_punjabi = words.spoken(text) == "pa"
        self.is_owned = self.in_place = self.is_kind = False  # the next part
        self.begin = 0  # start of the current group of parts
        self.waiting: list[Part] = []  # for their owner: the wife of …

    def read(self) -> Sentence:
        said = self.said
        for at, word in enumerate(said.words):
            is_twice = word.written.lower() == said.words[at - 1].written.lower() and at > 0  # "nahi nahi"
            said.negative ^= not (is_twice or word.roles.isdisjoint(("no", "not")))
            if word.roles:
                self._read_function_word(word, at)
            else:
                self._read_content_word(word, at)
            self.is_kind &= not word.roles or not word.roles.isdisjoint(_OPEN)
        self._close()
        for run in runs_of(said.parts, said.words):
            is_time = any("time" in part.word.signs for part in run) or all(part.word.counts for part in run)
            if is_time:  # "on 4 March" and "at 6" are not places
                said.parts = [replace(part, in_place=part.in_place and part not in run) for part in said.parts]
        if not said.split:
            of_owner = (at for at, part in enumerate(said.parts) if at and not part.owned)
            said.split = _verb_at(said) if said.is_english else next(of_owner, len(said.parts))
        return said

    def _read_content_word(self, word: SentenceWord, at: int) -> None:
        if self.is_kind:  # city of "which city"
            return
        if self.is_owned and "new" in word.signs:  # mine from now on
            self.said.says_now = True
        else:
            self.said.parts.append(Part(word, at, self.is_owned, self.in_place))
            self.is_owned = False

    def _read_function_word(self, word: SentenceWord, at: int) -> None:
        said, roles = self.said, word.roles
        # "ki" is "what" in Punjabi, and before a verb, but not in "9 saal ki hai".
        is_before_verb = any(one.roles & {*_VERBS} for one in said.words[at + 1 : at + 2])
        counts = any(part.word.counts for part in said.parts)
        is_what = "what" in roles and (self.is_punjabi or (is_before_verb and not counts))
        if not roles.isdisjoint(_OPEN) and not ("owns" in roles and said.parts and not is_what):
            # In Hindi, "what" at either end marks a yes-or-no question.
            is_whether = "whether" in roles and at in {0, len(said.words) - 1}
            asks = Asks(next(role for role in _OPEN if role in roles))
            said.asks = (said.asks or Asks.WHETHER) if is_whether else asks
            self.is_kind |= "which" in roles
        elif not roles.isdisjoint(_VERBS):
            said.verbs.append(next(role for role in _VERBS if role in roles))
            if said.is_english:
                self._close()
                said.split = said.split or len(said.parts)
                said.asks = said.asks or (Asks.NOTHING if at or len(said.words) == 1 else Asks.WHETHER)
            self.is_owned = False
        elif "owns" in roles:
            said.verbs += [] if said.parts else ["is"]  # who's
            self.is_owned = bool(said.parts)
        elif ("in" in roles and (said.parts or said.is_english)) or ("towards" in word.signs and self._moves(at)):
            self._read_in()
        elif not roles.isdisjoint(PERSONS):
            self.is_owned = "owner" in roles
            said.parts.append(Part(word, at, is_person=True))
        elif "article" in roles:
            said.is_a |= "kind" in roles and bool(said.verbs if said.is_english else said.parts)
            if said.verbs or not said.is_english:
                said.split = said.split or len(said.parts)
                self.begin = max(self.begin, said.split)
        elif "some" in roles or ("all" in roles and said.negative):
            said.some |= not said.parts
        elif "of" in roles:
            self.waiting, said.parts[self.begin :] = [*said.parts[self.begin :], *self.waiting], []

    def _moves(self, at: int) -> bool:
        """Return True if a word for a move precedes an English "to": "I moved my bag to the safe"."""
        return any("moves" in word.signs for word in self.said.words[:at])

    def _read_in(self) -> None:
        """Parse "in", before a place in English, after it in other languages."""
        if self.said.is_english:
            self._close()
            self.in_place = True
        else:
            first, parts = len(self.said.parts) - 1, self.said.parts
            while first > 1 and parts[first - 1].word.named and parts[first].at == parts[first - 1].at + 1:
                first -= 1  # names of several words
            parts[first:] = [replace(part, in_place=True) for part in parts[first:]]
        self.is_owned = False

    def _close(self) -> None:
        """End a group of parts, and append the parts that wait for their owner."""
        parts = self.said.parts
        if self.waiting and len(parts) > self.begin:
            parts += [replace(part, owned=True) for part in self.waiting]
            self.waiting = []
        self.begin, self.is_owned, self.in_place = len(parts), False, False


def _verb_at(said: Sentence) -> int:
    """Return the index of the verb of an English statement among its parts, by agreement; 0 if there is none."""
    first = lexicon().find(said.words[0].written) if said.words else None
    if first and first.parts[:1] == "v" and not (said.asks or "moves" in said.signs):
        return 0  # a command
    for at, part in enumerate(said.parts):
        verb, subject = part.word.written.lower(), said.parts[at - 1]
        is_verb = at and not (part.owned or part.word.named or subject.word.counts)
        is_many = subject.is_person or subject.word.written.lower().endswith("s")
        agrees = third_person(verb) and (is_many or third_person(verb) == verb)
        if is_verb and (agrees or part.word.signs & {"moves", "leaves"} or is_past(verb)):
            return at
    return 0
