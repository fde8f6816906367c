"""What a simple sentence says of two things, as triples. Pure.

My manager is Dana          I | manager | Dana
Dana works in Pune          Dana | works in | Pune
Dana Pune mein rehti hai    Dana | mein rehna | Pune
Rex is a dog                Rex | is | dog

The relation is in the words of the sentence, in one form: an English verb as "she works", one of Hindi or Punjabi as
it is named, and no article. Who speaks is "I". What was once gives none, but for what says that something changed its
place: that is a newer value of where it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, takewhile

from assistant.kinds import Triple
from assistant.reasoning.answer_kinds import is_property
from assistant.reasoning.reading import Reader
from assistant.reasoning.sentence import HAVE, ME, WE, YOU, Amount, Link, Sentence, Thing
from assistant.reasoning.triples.forms import infinitive, third_person, words_for
from assistant.reasoning.triples.places import AT
from assistant.reasoning.words import ENGLISH, Word, is_known_word, is_verb

SPEAKERS = {ME: "I", WE: "we"}
"""Who speaks, as a triple names them."""
LIVES_IN = "lives in"
"""Where something is that changed its place, of which nothing like that was known."""
_SIGNS = frozenset("<>")
_IS, _HAS = "is", "has"
_MOST, _FEWEST = 5, 2


def triples_in(text: str, reader: Reader) -> tuple[Triple, ...]:
    """The triples of a sentence, in English, Hindi, Punjabi or mixed, in any script.

    None where it asks, denies, or does not simply say something of two things.
    """
    whole, *parts = reader.statements(text)
    if whole.is_question:
        return ()
    told = parts or [whole]
    if not parts and (clause := _first_clause(text, reader)):
        told = [] if _Read(whole, reader).is_unsure else [reader(clause)]
    found = chain.from_iterable(_Read(said, reader).triples() for said in told)
    return tuple(dict.fromkeys(triple for triple in found if _is_of_names(triple, reader)))[:_MOST]


def _first_clause(text: str, reader: Reader) -> str:
    """What stands before a comma, where more stands behind it than a name; who "she" is there, nobody says."""
    clause, comma, rest = text.partition(", ")
    return clause if comma and any(word.roles for word in reader.words.read(rest)) else ""


def _is_of_names(triple: Triple, reader: Reader) -> bool:
    """Whether nothing stands in what it takes for names that says something of them, or of whose they are."""
    names = [reader.words.read(name) for name in (triple.subject, triple.object)]
    held = any(word.roles & {"is", "does"} for name in names for word in name)
    owned = any(word.roles & {"me", "we", "you"} for name in names for word in name[1:])
    return not (held or owned or _SIGNS.intersection(triple.line) or any(map(_has_verb, names)))


def _has_verb(name: Sequence[Word]) -> bool:
    """Whether somebody does something in it: "Dana says Kim"."""
    first, *others = name or (None,)
    is_somebody = first is not None and first.written[:1].isupper() and not (first.owns or first.roles)
    done = (word.written for word in others if word.written.islower() and word.written.endswith("s"))
    return is_somebody and any(map(third_person, done))


def changes_place(text: str, reader: Reader) -> bool:
    """Whether a sentence says that something has come to be somewhere."""
    return _Read(reader(text), reader).change() is not None


def says_now(text: str, reader: Reader) -> bool:
    """Whether a sentence says that something is so now, or has come to be somewhere."""
    read = _Read(reader(text), reader)
    return bool(read.now) or read.change() is not None


class _Read:
    """A sentence whose triples are wanted."""

    def __init__(self, said: Sentence, reader: Reader) -> None:
        language, fold = reader.words.language(said.text), reader.words.languages.fold
        self._said = said
        self._words = reader.words.read(said.text)
        self._is_english = language == ENGLISH
        folded = [fold(word.written.lower()) for word in self._words]
        names = ("moves", "helping", "unsure", "past", "source")
        moves, helping, unsure, past, source = (words_for(name, language, fold) for name in names)
        self._to = words_for("towards", language, fold)
        self._moves = {at for at, word in enumerate(folded) if at and word in moves}
        helps = {at for at, word in enumerate(folded) if word in helping and "is" not in self._words[at].roles}
        self._moves |= helps if self._moves else set()
        self._source = {at for at, word in enumerate(folded) if word in source}
        now = self._words[: None if self._is_english else -1]
        self.now = {at for at, word in enumerate(now) if "now" in word.roles}
        self.is_unsure = not unsure.isdisjoint(folded)
        self._is_possible = any("can" in word.roles for word in self._words)
        self._is_past = not past.isdisjoint(folded) or bool(helps and not self._moves)
        small = {at for at, word in enumerate(self._words) if "beside" in word.roles}
        self._is_beside = bool(small)
        self._things = [thing for thing in said.things if thing.at not in small]

    def triples(self) -> Iterator[Triple]:
        """Those that it tells."""
        if not self._is_plain() or (self._is_past and (self._is_being() or not self._is_english)):
            return
        if changed := self.change():
            yield self._triple(changed[0], LIVES_IN, changed[1])
        elif self._moves:  # "moved by a film", "may have moved"
            return
        elif any(HAVE in thing.keys for thing in self._things):
            yield from self._having()
        elif self._is_being():
            yield from self._being()
        else:
            yield from self._verb() if self._is_english else self._verb_last()

    def change(self) -> tuple[list[Thing], list[Thing]] | None:
        """What has come to be somewhere, and where; None where it says nothing like that."""
        if self._is_possible:
            return None
        rest = [thing for thing in self._things if thing.at >= 0 and thing.at not in self._moves]
        place = self._place(self._towards(rest[1:]))
        before = min(self._moves, default=0) if self._is_english and self._moves else len(self._words)
        subject = [thing for thing in rest if thing.at < before and thing not in place]
        if not (self._is_plain() and subject and place) or subject[-1].at > place[0].at:
            return None
        if self._is_english and not (self._is_somebody(subject) and self._is_name(place[0])):
            return None
        if not self._is_english:
            subject = [thing for thing in subject if thing.at + 1 not in self._source]
            is_name = place[0].named or not (place[0].is_common or any(map(is_known_word, place[0].glosses)))
            if not (_is_one(subject) and (is_name or place[0].in_place)):
                return None
        is_led = not self._is_english or bool(self._words[place[0].at - 1].roles & AT)
        is_there = (
            bool(self.now)
            and any("is" in word.roles for word in self._words)
            and place[-1].in_place
            and len(subject) + len(place) == len(rest)
        )
        behind = [thing for thing in rest if self._moves and max(self._moves) < thing.at < place[0].at]
        moved_itself = self._moves and all(self._side(thing.at) for thing in behind)
        return (subject, place) if is_there or (moved_itself and is_led) else None

    def _towards(self, things: Sequence[Thing]) -> Sequence[Thing]:
        """Those up to where something moved, which English names behind "to"."""
        to = next(
            (at for at, thing in enumerate(things) if self._words[thing.at - 1].written.lower() in self._to), None
        )
        if to is None:
            return things
        ends = (at for at in range(to + 1, len(things)) if things[at].at != things[at - 1].at + 1)
        return things[: next(ends, len(things))]

    def _is_somebody(self, things: Sequence[Thing]) -> bool:
        """Whether they name somebody, or something of somebody's."""
        last = things[-1]
        return last.owner is not None or bool(last.keys & SPEAKERS.keys()) or self._is_name(last)

    def _is_name(self, thing: Thing) -> bool:
        return thing.named or not thing.is_common

    def _is_plain(self) -> bool:
        said, things = self._said, self._things
        says = not (said.negative or said.exists or said.is_question or self.is_unsure) and said.amount is Amount.ANY
        is_told = len(things) >= _FEWEST and YOU not in things[0].keys
        others = {"he", *AT} if self._is_english else {"he"}  # of which one begins: "in summer she lives in Goa"
        return says and is_told and not self._words[0].roles & others

    def _place(self, things: Sequence[Thing]) -> list[Thing]:
        """The last things that stand side by side; of those that begin with a name, the name."""
        run = list(things[-1:])
        for before in reversed(things[:-1]):
            if not self._is_english or before.at != run[0].at - 1:
                break
            run.insert(0, before)
        return [*takewhile(lambda thing: thing.named, run)] or run

    def _having(self) -> Iterator[Triple]:
        place = next(at for at, thing in enumerate(self._things) if HAVE in thing.keys)
        has = next((word.written for word in self._words if _HAS in word.roles), "")
        first, had = self._things[:place], self._things[place + 1 :]
        if not self._is_english:
            first, had = self._things[:1], [thing for thing in self._things[1:] if thing.at >= 0]
        done = self._is_english and any(_was(self._words[thing.at].written) for thing in had[:1])
        if first and had and has and not done:
            yield self._triple(first, _HAS if self._is_english else has, had)

    def _is_being(self) -> bool:
        """Whether it only says what something is, or where."""
        if self._is_english:
            last = self._things[-1].at
            verbs = [word for word in self._words[:last] if not word.roles.isdisjoint({"can", "does"})]
            is_held = any("is" in word.roles for word in self._words[:last])
            return is_held and not verbs and self._said.link in {Link.IS, Link.PLACE}
        behind = self._words[self._things[-1].at + 1 :]
        is_verb_last = any("does" in word.roles for word in behind) or self._ends_with_verb
        is_whole = self._said.link is Link.IS or self._things[-1].in_place
        return is_whole and not is_verb_last and any("is" in word.roles for word in behind) and self._is_parted()

    @property
    def _ends_with_verb(self) -> bool:
        """Whether the last thing of a Hindi or Punjabi sentence is what is done: no name, many of which end alike."""
        last = self._things[-1]
        is_verb_form = not last.named and any(map(is_verb, last.glosses))
        return is_verb_form and bool(infinitive(self._words[last.at].written))

    def _is_parted(self) -> bool:
        """Whether what a Hindi or Punjabi sentence is about, and what it says of that, are all that there is."""
        owned = any(thing.owner is not None for thing in self._things)
        return owned or len(self._things) == _FEWEST

    def _being(self) -> Iterator[Triple]:
        split = self._split()
        first, last = self._things[:split], self._things[split:]
        is_named = last[-1].named or last[-1].counts or not last[-1].is_common or is_property(first[-1])
        counts = any(thing.counts or self._words[thing.at].written[:1].isdigit() for thing in last)  # on the 14th
        is_place = last[-1].in_place and not counts
        is_named = is_named and not (self._said.has_article or is_place)
        for owner, value in ((first, last), (last, first)):
            at = max((at for at, thing in enumerate(owner) if thing.owner is not None), default=0)
            whose, what = owner[:at], owner[at:]
            is_whole = whose and not whose[0].at <= what[0].at <= whose[-1].at
            if is_whole and (is_named or owner is last):
                yield self._triple(whose, self._written(what), value)
                return
        at = next((at for at, thing in enumerate(last) if thing.in_place), 0) if self._is_english else 0
        relation = [self._is_at(last), *([self._written(last[:at]), *self._side(last[at].at)] if at else [])]
        yield self._triple(first, " ".join(relation), last[at:])

    def _split(self) -> int:
        """How many of its things are what it is about."""
        most = len(self._things) - 1
        is_at = next(at for at, word in enumerate(self._words) if "is" in word.roles) if self._is_english else 0
        number = next((at for at, thing in enumerate(self._things) if at and thing.counts and thing.at > is_at), 0)
        if number:
            return number
        if self._is_english and self._said.link is Link.PLACE and not self._is_beside:
            return min(most, max(1, sum(thing.at < is_at for thing in self._things)))
        possible = [split for split in self._said.splits if 0 < split <= most]
        return possible[-1] if possible else most

    def _is_at(self, things: Sequence[Thing]) -> str:
        """What is said of something that is a kind, or in a place."""
        if not self._is_english:
            return " ".join(word.written for word in self._words[things[-1].at + 1 :]) or _IS
        return " ".join([_IS, *self._side(things[0].at)])

    def _side(self, at: int) -> list[str]:
        """The English words before a thing that say at which side of it."""
        before = [*takewhile(lambda word: word.roles & {*AT, "article", "of", "owner"}, reversed(self._words[:at]))]
        return [word.written.lower() for word in reversed(before) if word.roles & {*AT, "of"}]

    def _verb(self) -> Iterator[Triple]:
        """An English sentence with a verb: its objects, each with the word that stands at it."""
        at = self._verb_at()
        verb = third_person(self._words[self._things[at].at].written) if at else ""
        can = [word.written.lower() for word in self._words[: self._things[at].at] if "can" in word.roles]
        if can:
            verb = " ".join([*can, self._words[self._things[at].at].written.lower()]) if at else ""
        if self._has_other_clause(at):
            return
        groups: list[list[Thing]] = []
        for thing in self._things[at + 1 :]:
            if groups and not self._side(thing.at):
                groups[-1].append(thing)
            else:
                groups.append([thing])
        if verb and len(groups) > 1 and len(groups[0]) == 1 and self._is_done(groups[0][0]):
            verb = " ".join([verb, *self._side(groups[0][0].at), self._words[groups.pop(0)[0].at].written.lower()])
        for group in groups if verb else []:
            yield self._triple(self._things[:at], " ".join([verb, *self._side(group[0].at)]), group)

    def _verb_at(self) -> int:
        """The place of the verb among the things: of one that does something, that which agrees; 0 for none."""
        found = [at for at, thing in enumerate(self._things) if at and self._is_verb(thing)]
        ends_in_s = [self._words[thing.at].written.endswith("s") for thing in self._things]
        who = 1 if self._things[1].owner == 0 else 0
        is_one = not (self._is_possible or self._things[who].keys & SPEAKERS.keys() or ends_in_s[who])
        agreeing = [at for at in found if ends_in_s[at]] if is_one else []
        return next(iter(agreeing or found), 0)

    def _has_other_clause(self, verb: int) -> bool:
        """Whether there is a verb of something else beside the one that is meant, by its place among the things."""
        if any(_was(self._words[thing.at].written) and not thing.named for thing in self._things[1:verb]):
            return True
        behind = zip(self._things[verb + 1 :], self._things[verb + 2 :], strict=False)
        return any(
            self._is_verb(thing) and self._words[thing.at].written.endswith("s") and self._is_name(whose)
            for whose, thing in behind
            if thing.at == whose.at + 1
        )

    def _is_done(self, thing: Thing) -> bool:
        """Whether it is what somebody wants, or goes, to do."""
        is_led = bool(self._words[thing.at - 1].roles & {"other"})
        return is_led and self._is_verb(thing) and not self._words[thing.at].written.endswith("s")

    def _is_verb(self, thing: Thing) -> bool:
        written = self._words[thing.at].written
        return thing.owner is None and not thing.named and bool(third_person(written))

    def _verb_last(self) -> Iterator[Triple]:
        """A Hindi or Punjabi sentence: what it is about, a thing or where, and what is done or felt."""
        places = [at for at, thing in enumerate(self._things) if at and thing.in_place]
        at = places[0] if places else len(self._things) - 2
        if (places and self._things[0].in_place) or at < 1:
            return
        behind = self._words[self._things[at].at + 1 :]
        said = [word for word in behind if not word.roles & {"is", "filler"} or "in" in word.roles]
        relation = " ".join(infinitive(word.written) or word.written for word in said)
        first = self._things[:at]
        while len(first) > 1 and not first[-1].named and first[-1].owner is None:
            first = first[:-1]  # an adverb
        if relation and any("is" in word.roles for word in behind):
            yield self._triple(first, relation, [self._things[at]])

    def _triple(self, first: Sequence[Thing], relation: str, last: Sequence[Thing]) -> Triple:
        return Triple(subject=self._name(first), relation=relation.lower(), object=self._name(last))

    def _name(self, things: Sequence[Thing]) -> str:
        """What things are called; without the sign of an owner."""
        if len(things) == 1 and (key := next(iter(things[0].keys & SPEAKERS.keys()), "")):
            return SPEAKERS[key]
        return self._written(things)

    def _written(self, things: Sequence[Thing]) -> str:
        places = [thing.at for thing in things if thing.at >= 0]
        words = self._words[min(places) : max(places) + 1] if places else ()
        text = " ".join(word.written for word in words).replace("’", "'")
        return text.removesuffix("'s").removesuffix("'")


def _is_one(things: Sequence[Thing]) -> bool:
    """Whether they name one: a name, or something of something."""
    return bool(things) and all(
        last.owner is not None or (first.named and last.named and last.at == first.at + 1)
        for first, last in pairwise(things)
    )


def _was(written: str) -> bool:
    """Whether a verb says what was: seen, visited."""
    return is_verb(written) and not third_person(written)
