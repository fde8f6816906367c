"""Parse simple sentences: remove function words, and keep content words in order.

    my manager's wife is Priya      I manager wife | Priya
    the wife of my manager          I manager wife
    mera bhai Pune mein rehta hai   I bhai | Pune rehta

An owner precedes the owned thing. English has the subject before the verb, and "in" before a place; Hindi and Punjabi
have the verb last, and "in" after the place. `data/words.toml` has the roles of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from assistant.language.lexicon import lexicon
from assistant.reasoning.words import ENGLISH, OWNS, PERSONS, SentenceWord, Words, third_person

_OPEN = ("who", "where", "when", "amount", "why", "how", "what")
_VERBS = ("has", "is", "can", "does")
_MOST = 16  # parts
_NAME = "name"


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
    kinds: list[Part] = field(default_factory=list)  # type of the answer: city of "which city"
    asks: Asks = Asks.NOTHING
    verbs: list[str] = field(default_factory=list)  # auxiliary verbs: is, can, has, does
    negative: bool = False
    some: bool = False  # about some of a kind only
    is_a: bool = False  # "is a dog": a kind, and no name
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
        runs = runs_of(self.rest[begins:], self.words) or [[]]
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
    if not said.asks and ("?" in text or rest != text):
        said.asks = Asks.WHETHER
    for at, (before, part) in enumerate(pairwise(said.parts), 1):
        is_told = part.owned and not before.is_person and len(said.parts) > at + 1
        if _NAME in part.word.keys | part.word.glosses and (said.asks or is_told):
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
        self.said.asks = Asks.WHAT if read and not is_english and "tell" in read[-1].roles else Asks.NOTHING
        self.is_punjabi = words.spoken(text) == "pa"
        self.is_owned = self.in_place = self.is_kind = False  # the next part
        self.begin = 0  # start of the current group of parts
        self.waiting: list[Part] = []  # for their owner: the wife of …

    def read(self) -> Sentence:
        said = self.said
        for at, word in enumerate(said.words):
            said.negative ^= not word.roles.isdisjoint(("no", "not"))
            self._read_word(word, at)
            self.is_kind &= not word.roles or not word.roles.isdisjoint(_OPEN)
        self._close()
        if not said.split:
            of_owner = (at for at, part in enumerate(said.parts) if at and not part.owned)
            said.split = _verb_at(said) if said.is_english else next(of_owner, len(said.parts))
        return said

    def _read_word(self, word: SentenceWord, at: int) -> None:
        said, roles = self.said, word.roles
        is_owner = "owns" in roles and bool(said.parts) and not self.is_punjabi  # "ki" may be "what", too
        if not roles and self.is_kind:
            said.kinds.append(Part(word, at))
        elif not roles and self.is_owned and "new" in word.signs:  # mine from now on
            said.says_now = True
        elif not roles:
            said.parts.append(Part(word, at, self.is_owned, self.in_place))
            self.is_owned = False
        elif not roles.isdisjoint(_OPEN) and not is_owner:
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
        elif "in" in roles and (said.parts or said.is_english):
            self._read_in()
        else:
            self._read_function_word(word, at)

    def _read_function_word(self, word: SentenceWord, at: int) -> None:
        said, roles = self.said, word.roles
        if not roles.isdisjoint(PERSONS):
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
    if first and first.parts[:1] == "v" and not said.asks:
        return 0  # a command
    for at, part in enumerate(said.parts):
        verb, subject = part.word.written.lower(), said.parts[at - 1]
        is_verb = at and not (part.owned or part.word.named) and (third_person(verb) or "moves" in part.word.signs)
        is_many = subject.is_person or subject.word.written.lower().endswith("s")
        if is_verb and (is_many or third_person(verb) in {"", verb}):
            return at
    return 0
