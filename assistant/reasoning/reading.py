"""Reads simple sentences: leaves out the small words that hold them together, and keeps the things in their order.

English puts what a sentence is about before its verb, and "in" before a place; Hindi and Punjabi put the verb last, and
"in" behind its place. Which word does what is `data/words.toml`. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.language.lexicon import lexicon
from assistant.reasoning.sentence import Asks, Sentence, Thing
from assistant.reasoning.words import ENGLISH, PERSONS, Word, Words, parts_of_speech, third_person

_OPEN = ("who", "where", "when", "amount", "why", "how", "what")
_HELPERS = ("has", "is", "can", "does")
_MOST = 16  # things
_NEW = frozenset({"new", "current"})
_NAME = "name"
_WORK = frozenset({"work", "job", "living"})
_HAVE = Thing(Word("", keys=frozenset({"#have"})), -1)


def read_sentence(text: str, words: Words) -> Sentence:
    """Return what a text says, read as one sentence. One of small words only has no things."""
    rest = words.lead_in.sub("", text)  # "do you know where"
    said = _Reader(rest, words).read()
    if not said.asks and ("?" in text or rest != text):
        said.asks = Asks.WHETHER
    _take_out_name(said)
    _take_out_work(said)
    del said.things[_MOST:]
    if said.is_english:
        said.split = 0 if _is_command(said) else said.split if said.roles else _verb_at(said)
    if said.things and (said.things[0].word.counts or (said.asks is Asks.AMOUNT and said.is_english)):
        first = said.split if said.is_english else 1  # "how many legs", "do bhai" say a number of what stands behind
        said.things = said.things[first:] + said.things[:first]
    if not said.is_english and len(said.things) > 2 and said.things[-1].word.counts and said.things[-1].at == 1:
        del said.things[-1]  # "my two brothers are Aman and Chirag"
    said.things += [_HAVE] if "has" in said.roles else []
    said.split = said.split if said.split < len(said.things) else 0
    return said


class _Reader:
    """Reads a sentence word by word."""

    def __init__(self, text: str, words: Words) -> None:
        read = words.read(text)
        told = [word for word in read if "filler" not in word.roles]
        self.said = Sentence(told, words.language(text) == ENGLISH)
        self.said.says_now = any("now" in word.roles for word in read[: None if self.said.is_english else -1])
        asks_last = bool(read) and not self.said.is_english and "tell" in read[-1].roles
        self.said.asks = Asks.WHAT if asks_last else Asks.NOTHING
        self.is_punjabi = words.spoken(text) == "pa"
        self.owner: Thing | None = None  # of the next thing
        self.waiting: list[Thing] = []  # things that wait for their owner: the wife of …
        self.in_place = self.is_kind = False  # the next thing says where, or of what kind an answer is

    def read(self) -> Sentence:
        """Read all words."""
        for at, word in enumerate(self.said.words):
            self._read_word(word, at)
        self._close()
        self.said.things += self.waiting
        return self.said

    def _read_word(self, word: Word, at: int) -> None:
        said, roles = self.said, word.roles
        said.negative ^= not roles.isdisjoint(("no", "not"))
        if not roles:
            self._add(word, at)
            return
        if not roles.isdisjoint(_OPEN):
            self._ask(word, at)
        elif not roles.isdisjoint(_HELPERS):
            self._read_verb(word, at)
        elif "owns" in roles:
            self._read_owner()
        elif "in" in roles:
            self._read_in(word, at)
        elif roles & PERSONS.keys():
            self._read_person(word, at)
        elif "article" in roles:
            said.is_a |= "kind" in roles and bool(said.roles if said.is_english else said.things)
            said.split = said.split if said.is_english else said.split or len(said.things)
        elif "some" in roles or ("all" in roles and said.negative):
            said.some |= not said.things
        elif "of" in roles and said.things and "n" in (parts_of_speech(said.things[-1].word.written) or "n"):
            self.waiting.append(said.things.pop())
        elif "other" in roles and said.is_english:
            self._close()
        self.is_kind &= not roles.isdisjoint(_OPEN)

    def _close(self) -> None:
        """End a group of words: what waits for its owner gets it."""
        things = self.said.things
        if self.owner and not self.owner.is_person:  # "the red car is Farida's"
            things.append(self.owner)
        self.owner, self.in_place = None, False
        while self.waiting and things and things[-1].at > self.waiting[-1].at:
            things.append(self.waiting.pop().owned(things.pop()))

    def _add(self, word: Word, at: int) -> None:
        said = self.said
        if self.is_kind:
            said.of_value |= "values" in word.signs
            return
        last = said.things[-1] if said.things and said.things[-1].at == at - 1 else None
        if last and last.owner and not _NEW.isdisjoint(last.word.keys | last.word.glosses):  # mine from now on
            self.owner, said.says_now = said.things.pop().owner, True
        if last and "stays" in word.signs:  # "patiale rehnda hai"
            said.things[-1] = replace(last, in_place=True)
        owner = None if word.counts else self.owner
        said.things.append(Thing(word, at, owner, self.in_place or "beside" in word.signs))
        self.owner = self.owner if word.counts else None

    def _ask(self, word: Word, at: int) -> None:
        """Read a word that asks. In Hindi one for "what" is also "of", or at either end asks whether something is."""
        said = self.said
        if "which" in word.roles:
            said.asks, self.is_kind = Asks.WHERE if self.in_place else Asks.WHAT, True
        elif "owns" in word.roles and said.things and not self.is_punjabi:
            self._read_owner()
        elif "whether" in word.roles and at in {0, len(said.words) - 1}:
            said.asks = said.asks or Asks.WHETHER
        else:
            said.asks = Asks(next(role for role in _OPEN if role in word.roles))
        said.roles += ["is"] if "is" in word.roles else []  # whats

    def _read_owner(self) -> None:
        if self.said.things:
            self.owner = self.said.things.pop()
        elif self.said.is_english:  # who's
            self.said.roles.append("is")

    def _read_verb(self, word: Word, at: int) -> None:
        said = self.said
        said.roles.append(next(role for role in _HELPERS if role in word.roles))
        if said.is_english:
            self._close()
            said.split = said.split or len(said.things)
            said.asks = said.asks or (Asks.NOTHING if at or len(said.words) == 1 else Asks.WHETHER)
        elif "has" in word.roles and self.owner:  # "mere kol"
            said.things, self.owner = [*said.things, self.owner], None

    def _read_in(self, word: Word, at: int) -> None:
        """Read "in", which stands before a place in English, and behind it in other languages."""
        said = self.said
        if said.is_english:
            self._close()
            self.in_place = True
        elif self.is_kind:  # "in which city"
            said.asks = Asks.WHERE
        elif self.owner and not self.owner.is_person:  # "fridge ke andar"
            said.things, self.owner = [*said.things, replace(self.owner, in_place=True)], None
        elif said.things:
            said.things[-1] = replace(said.things[-1], in_place=True)
        elif "me" in word.roles:  # in Hindi "in" and "I" are written alike
            self._read_person(word, at)

    def _read_person(self, word: Word, at: int) -> None:
        said = self.said
        said.split = said.split if said.is_english else said.split or len(said.things)
        if "owner" in word.roles:
            self.owner = Thing(word, at)
        else:
            said.things.append(Thing(word, at))


def _take_out_name(said: Sentence) -> None:
    """Let "my manager's name is Dana" say who the manager is."""
    for at, thing in enumerate(said.things):
        others = said.things[:at] + said.things[at + 1 :]
        is_said = said.asks or (others and all(other.word.is_name for other in others))
        is_of_other = thing.owner and not thing.owner.is_person
        if _NAME in thing.word.keys | thing.word.glosses and thing.owner and is_of_other and is_said:
            said.things[at], said.of_name = thing.owner, True


def _take_out_work(said: Sentence) -> None:
    """Let "what do I do for work" ask what somebody does."""
    if said.asks is Asks.WHAT and "does" in said.roles and len(said.things) == 2:
        said.things = [thing for thing in said.things if _WORK.isdisjoint(thing.word.keys | thing.word.glosses)]


def _is_command(said: Sentence) -> bool:
    """Return True if an English sentence begins with a verb, "find a word", or with no word: "splonk of"."""
    first, behind = (*said.words[:2], *[Word("")] * 2)[:2]
    known = lexicon().find(first.written)
    if known is None:
        return bool(first.keys) and "of" in behind.roles
    is_verb = "v" in known.parts and ("n" not in known.parts or (not said.roles and known.parts[0] == "v"))
    return is_verb and behind.roles.isdisjoint(_HELPERS)


def _verb_at(said: Sentence) -> int:
    """Return the place among the things of the verb of an English sentence, which agrees; 0 where there is none."""
    written = [thing.word.written.lower() for thing in said.things]
    found = [
        at for at, thing in enumerate(said.things)
        if at and not (thing.owner or thing.word.named) and third_person(written[at])
    ]  # fmt: skip
    subject = said.things[found[0] - 1] if found else None
    is_many = subject and (subject.is_person or written[found[0] - 1].endswith("s"))
    return next((at for at in found if is_many or written[at].endswith("s")), 0)
