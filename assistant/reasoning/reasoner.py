"""Parse questions and facts from texts, infer answers, and convert simple sentences to triples and back.

My manager is Dana          I | manager | Dana
Dana works in Pune          Dana | works in | Pune
Dana Pune mein rehti hai    Dana | mein rehna | Pune
Rex is a dog                Rex | is | dog

The relation has the words of the sentence, with an English verb in the third person, and a Hindi or Punjabi one in the
infinitive. Sentences in the past tense have no triple, except about a move, which gives the new place.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise

from assistant.kinds import Triple
from assistant.language.languages import Languages
from assistant.reasoning.chaining import Chain, Conclusion
from assistant.reasoning.reading import OF_CHANGE, Part, Sentence, read_sentence, runs_of
from assistant.reasoning.words import (
    ENGLISH,
    LONGEST,
    OWNS,
    SPEAKERS,
    SentenceWord,
    Words,
    english_forms,
    infinitive,
    is_past,
    parts_of_speech,
    third_person,
)
from assistant.text.sentences import sentences_of

_CACHED = 4_096
_MOST_PARTS, _MOST_WORDS = 7, 10  # of a plain statement
_COMMA = re.compile(r",(?!\d)")  # no part of a number
_PARTS = re.compile(r"[:;?]\s|(?<=[a-z]{4})[.!]\s+\S")  # of a text of several sentences
_JOINT = re.compile(r",? (?:and|but|aur|te|lekin|magar|और|ਤੇ|ਅਤੇ|लेकिन) |, ")
_NEW_STATES = {"moves": "lives in", "joins": "works at"}  # signs of verbs of change, relations after it
_FORMS = {"am": "is", "are": "is", "have": "has"}
_OWNERS = {"I": "my", "we": "our"}
_LINKS = frozenset({"is", "has", "can", "does", "of", "me", "in", "other"})  # roles of words that a relation keeps
_DONE = frozenset({"in", "other", "is", "can", "does", "has"})
"""Roles of words in a relation that is a verb or a position, not a noun ("works in", not "manager")."""
_INFINITIVES = ("na", "ना", "ਨਾ", "ਣਾ")
_LITTLE = frozenset({"a", "an", "the", "of"})
"""Optional words of a name: "France's capital" is "the capital of France"."""
_WRITERS = frozenset({"me", "we"})
_MOST_OF_A_VALUE = 3  # words


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    denied: bool = False  # the user said that it is false
    triples: tuple[Triple, ...] = ()  # that the user kept


class Reasoner:
    """Parser of sentences, and inference over facts. Thread-safe."""

    def __init__(self, languages: Languages) -> None:
        self.languages, self.words = languages, Words(languages)
        self.read = lru_cache(maxsize=_CACHED)(partial(read_sentence, words=self.words))

    def tells(self, text: str) -> bool:
        """Return True if a text is a plain statement: a subject and a verb, no question, guess, wish or mood."""
        said = self.read(text)
        is_about_you = any("you" in word.roles for word in said.words)
        is_of_pronoun = any("it" in word.roles for word in said.words[:1])
        states_nothing = said.is_question or is_about_you or is_of_pronoun or self.is_unsure(text)
        if states_nothing or _COMMA.search(text) or _PARTS.search(text):
            return False
        if not 1 < len(said.parts) <= _MOST_PARTS or len(said.words) > _MOST_WORDS:
            return False
        # Passing moods of the writer: "I'm fine", "theek aa".
        first, states = said.parts[0], ["passing" in part.word.signs for part in said.parts]
        if any(states) and (first.is_person or states[0]) and not any(part.owned for part in said.parts[:2]):
            return False
        is_denial = said.negative and not said.is_english
        return said.has_verb or is_denial or bool(_change_of(said)[0])

    def is_unsure(self, text: str) -> bool:
        """Return True if a sentence states a wish or a guess of its writer, or breaks off: "my passport is in the"."""
        said = self.read(text)
        breaks_off = said.is_english and any(word.roles & {"article", "of"} for word in said.words[-1:])
        return breaks_off or any(word.signs & {"wishing", "doubting"} for word in said.words)

    def says_now(self, text: str) -> bool:
        """Return True if a sentence states a change."""
        said = self.read(text)
        is_change = bool(said.signs & {"leaves", "moves"}) or (not _PARTS.search(text) and bool(_change_of(said)[0]))
        return said.says_now or is_change

    def triples(self, text: str) -> tuple[Triple, ...]:
        """Extract the triples of a simple statement; none from questions, denials and complex sentences."""
        said = self.read(text)
        if said.is_question or _PARTS.search(text) or "unsure" in said.signs:
            return ()
        return tuple(triple for clause in self._clauses(text) if (triple := triple_of(self.read(clause))))

    def statements(self, text: str) -> list[str]:
        """Split a text that joins plain statements: "I live in Delhi and my dog is called Bruno"."""
        parts = self._split(text)
        return parts if all(part in text and self.tells(part) for part in parts) else [text]

    def chain(self, question: str, notes: Sequence[Note]) -> Chain:
        """Build the chain of a question and the simple sentences of notes."""
        told = ((place, said, note.denied) for place, note in enumerate(notes) for said in self._sentences(note))
        return Chain(self.read(question), [*told])

    def outcome(self, question: str, notes: Sequence[Note]) -> Conclusion:
        """Infer the answer to a question, with indices of notes."""
        return self.chain(question, notes).outcome()

    def asks_the_same(self, first: str, second: str) -> bool:
        """Return True if two questions are equivalent, in any wording, script or order."""
        one, other = self.read(first), self.read(second)
        chain = Chain(one, [(0, other, False)])
        return one.asks is other.asks and sorted(chain.start) == sorted(chain.state(other.parts)) != []

    def replaces(self, text: str, note: Note, *, is_change: bool) -> bool:
        """Return True if a statement ends a fact, or gives it another value.

        It ends what it denies, and what its writer left: "I no longer work in Goa", "I left Acme". Another value of the
        same subject, verb and type replaces the fact only if the statement `is_change`: "my manager is Kim now".
        """
        for told in () if note.denied else self._sentences(note):
            for said in self._sentences(Note(text)):
                if _ends(said, told) or (is_change and _has_other_value(said, told)):
                    return True
        return False

    def completed(self, text: str, before: str, *, within: bool = False, corrects: bool = False) -> str:
        """Return the whole statement that a text means after `before`, else the text itself.

            she lives in Pune       after "my boss is Kim": my boss lives in Pune
            now 17, I meant 17      after "the wedding is on 12 May": the wedding is on 17 May

        Args:
            text: the text.
            before: the statement, or question, before it.
            within: both are of one message, which may leave out the subject: "Kim lives in Goa and likes tea".
            corrects: the text corrects `before`, so it may be a bare value.
        """
        said, words = self.read(before), self.words.read(text)
        about = said.parts if said.is_question else said.subject
        if not (words and about):
            return text
        begins = about[0].at if said.is_question else 0
        subject = " ".join(word.written for word in said.words[begins : about[-1].at + 1]).replace(f" {OWNS}", "'s")
        first, _, others = text.partition(" ")
        if "it" in words[0].roles and _may_be_about(first.lower(), self.words.read(others), about):
            is_owner = first.lower() == "its" and any("is" in word.roles for word in words[2:])
            short = re.sub(r"(?i)\A\w+?['’]?(s|re|)\Z", r"\1", first).lower() if said.is_english else ""
            verb = {"s": "'s " if is_owner else " is ", "re": " are "}.get(short, " ")
            if not said.is_english and "owns" in self.words.read(f"a {first[-2:]}")[-1].roles:
                verb = f" {first[-2:]} "  # "uska naam"
            return f"{subject}{verb}{others}"
        value = "" if within or said.is_question else self._new_value(text, said, corrects=corrects)
        if value:
            old = said.written(said.value)
            return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: value, before) if old else text
        return f"{subject} {text}" if within and self._lacks_subject(text, is_english=said.is_english) else text

    def _new_value(self, text: str, before: Sentence, *, corrects: bool) -> str:
        """Return the value if a text gives only that: "now 17", "changed it to 17", "ab Neha hai".

        After "now", only a name or a number is one: "ab barish hai" tells something else.
        """
        said, old = self.read(text), before.value
        topic = replace(before, parts=[part for part in before.subject if part.word.signs.isdisjoint(OF_CHANGE)])
        other, lacking = _parts_beyond(said, topic), _parts_beyond(topic, said)
        is_shared = any(not part.is_person and part not in lacking for part in topic.parts)
        # "The date changed, now 17" shares a thing with "my wedding is on 12 May", and leaves out "my".
        is_partial = is_shared and bool(lacking) and not any(part.in_place for part in old)
        moves = "moves" in said.signs and (is_partial or any("it" in word.roles for word in said.words))
        parts = [
            part for part in (other if is_partial else said.parts)
            if not (moves and part.is_person) and not part.word.signs & {"moves", "helping"}
            and not (is_partial and "values" in part.word.signs)
        ]  # fmt: skip
        is_plain = not (said.is_question or said.negative) and {*said.verbs} <= {"is"}
        is_one = len(runs_of(parts, said.words)) == 1 and len(parts) <= _MOST_OF_A_VALUE
        if not (old and is_plain and is_one) or parts[0].is_person:
            return ""
        if any("it" in word.roles for word in said.words[parts[0].at : parts[-1].at]):
            return ""  # "sold it, now its a grey Skoda" has two clauses
        counts, is_name = (
            [any(getattr(part.word, name) for part in some) for some in (parts, old)] for name in ("counts", "is_name")
        )
        is_now = (said.says_now or moves) and is_name == [True, True]
        are_forms = [any("forms" in part.word.signs for part in some) for some in (parts, old)]
        # Neither "shorter" nor "in Hindi" is another name.
        corrects &= (is_name[0] or not is_name[1]) and are_forms[0] <= are_forms[1]
        return said.written(parts) if counts[0] is counts[1] and (corrects or is_now) else ""

    def _lacks_subject(self, text: str, *, is_english: bool) -> bool:
        """Return True for "likes tea" and "meat nahi khata"."""
        first, said = self.words.read(text)[0], self.read(text)
        if is_english:
            is_verb = first.roles & {"is", "has", "can"} or third_person(first.written) == first.written
            return bool(is_verb) and not said.has_verb
        return len(said.parts) == 2 and said.parts[1].word.is_verb and not said.parts[0].word.is_name

    def _sentences(self, note: Note) -> list[Sentence]:
        """Return the simple sentences of a note and the sentences of its triples."""
        if note.denied:  # as a whole
            return [self.read(note.text)]
        triples = note.triples or (self.triples(note.text) if self.says_now(note.text) else ())
        clauses = list[str]()
        for sentence in sentences_of(note.text):
            clauses += self._clauses(self.completed(sentence, clauses[0]) if clauses else sentence)
        return [self.read(text) for text in (*clauses, *(text_of(triple, self.words) for triple in triples))]

    def _split(self, text: str) -> list[str]:
        """Split a text where a word joins two clauses with a verb each, the second with the subject of the first."""
        for joint in _JOINT.finditer(text):
            first = text[: joint.start()]
            rest = self.completed(text[joint.end() :], first, within=True)
            if self.read(first).has_verb and self.read(rest).has_verb:
                return [*self._split(first), *self._split(rest)]
        return [text]

    def _clauses(self, text: str) -> list[str]:
        """Split a text into simple sentences.

        Kim lives in Goa and likes tea  Kim lives in Goa. Kim likes tea.
        My sister Kate lives in York    Kate is my sister. Kate lives in York.
        """
        found = list[str]()
        for part in self._split(text):
            clause, comma, rest = part.partition(", ")
            clause = clause if comma and any(word.roles for word in self.words.read(rest)) else part
            said = self.read(clause)
            if said.is_english and said.split > 2 and said.parts[1].owned and said.parts[2].word.named:
                whose = said.written(said.parts[:2])
                name, *others = clause.split()[len(whose.split()) :]
                found += [f"{name} is {whose}", " ".join([name, *others])]
            else:
                found.append(clause)
        return found


def _may_be_about(pronoun: str, rest: Sequence[SentenceWord], about: Sequence[Part]) -> bool:
    """Return True if a pronoun may be a subject: not in "it is raining", nor "she" for the user."""
    is_many, is_plural = pronoun.startswith("they"), about[-1].word.written.lower().endswith("s")
    is_passing = any("passing" in word.signs for word in rest)
    return bool(rest) and is_many <= is_plural and not is_passing and not all(part.is_person for part in about)


def _ends(said: Sentence, told: Sentence) -> bool:
    """Return True if a sentence denies all of another one, or states that its subject left the value."""
    chain = Chain(said, [(0, told, False)])
    known = {*chain.state(told.parts)}
    if chain.start[: said.split] != chain.state(told.subject):
        return False
    if "leaves" in said.signs:
        rest = [part for part in said.rest if part.word.signs.isdisjoint({"leaves", "source", "helping"})]
        left = next(iter(runs_of(rest, said.words)), [])
        return bool(left) and chain.state(left) == chain.state(told.value)
    is_denied = said.negative is not told.negative and {*chain.start} <= known
    return is_denied and (said.negative or len(known) == len({*chain.start}))


def _has_other_value(said: Sentence, told: Sentence) -> bool:
    """Return True if two statements differ only in their value, which has the same type.

    One may leave out a person, the other a word like "date": "the wedding date is now 6 May", "my wedding is on 2 May".
    """
    if said.negative or told.negative or not (said.value and told.value):
        return False
    changed, besides = list[list[Part]](), list[list[Part]]()
    for one, other in ((said, told), (told, said)):
        extra = _parts_beyond(one, other)
        changed.append([part for part in extra if part in one.value])
        besides.append([part for part in extra if part not in one.value])
    if not all(changed) or _type_of(said.value) != _type_of(told.value):
        return False
    topic = [part for part in said.parts if part not in said.value and part.word.signs.isdisjoint(OF_CHANGE)]
    is_shared = any(not part.is_person and part not in besides[0] for part in topic)
    is_loose = all(part.is_person or "values" in part.word.signs for part in (*besides[0], *besides[1]))
    is_apart = {part.is_person for part in besides[0]}.isdisjoint(part.is_person for part in besides[1])
    return not any(besides) or (is_shared and is_loose and is_apart)


def _parts_beyond(said: Sentence, other: Sentence) -> list[Part]:
    """Return the parts of a sentence that another one lacks, without words of change."""
    chain = Chain(said, [(0, other, False)])
    known = {*chain.state(other.parts)}
    numbered = zip(chain.start, said.parts, strict=True)
    return [part for number, part in numbered if number not in known and part.word.signs.isdisjoint(OF_CHANGE)]


def _type_of(value: Sequence[Part]) -> tuple[bool, bool]:
    """Return True if a value is a place, and if it is a number, a date or a time."""
    is_placed = value[-1].in_place
    return is_placed, not is_placed and any(part.word.counts for part in value)


def triple_of(said: Sentence) -> Triple | None:
    """Return the triple of a simple statement; None for questions, denials and complex sentences."""
    value = said.value
    if not _is_plain(said) or not value:
        return None
    place, relation = _change_of(said)
    if place:
        return _triple(said, said.subject, relation, place)
    verbs = [part.word.written for part in said.rest[:1] if said.is_english and not said.verbs]
    if said.signs & {"moves", "past"} or any(map(is_past, verbs)) or (not said.is_english and "helping" in said.signs):
        return None
    for whose, what in ((said.subject, value), (value, said.subject)):
        owned = [at for at, part in enumerate(whose) if part.owned]
        if owned and said.is_being and len([*whose, *what]) == len(said.parts) and _is_value(said, what):
            return _triple(said, whose[: owned[-1]], said.written(whose[owned[-1] :]), what)
    return _triple(said, said.subject, _relation(said), value)


def _change_of(said: Sentence) -> tuple[Sequence[Part], str]:
    """Return the new value in a sentence about a change and the relation to it: "Dana moved from Pune to Delhi"."""
    sign = next((name for name in _NEW_STATES if any(name in word.signs for word in said.words[1:])), "")
    is_told = _is_plain(said) and "can" not in said.verbs
    if not (sign and is_told) or not (said.is_english or "helping" in said.signs):
        return (), ""
    signs, is_thing = [word.signs for word in said.words], not said.subject[-1].word.is_name
    is_source = ["source" in each for each in (*signs, frozenset())]
    rest = [
        part for part in (said.rest if said.is_english else said.parts[1:])
        if not signs[part.at] & {"moves", "joins", "helping", "source"}
        and not is_source[part.at + 1 - 2 * said.is_english]
        and (part.word.is_name or (is_thing and said.is_english))
    ]  # fmt: skip
    runs = runs_of(rest, said.words)
    if sign == "moves" and said.is_english:
        runs = [run for run in runs if "towards" in signs[run[0].at - 1]]
    value = runs[0] if len(runs) == 1 else []
    if any(part.word.counts for part in value):
        return value, "is"
    # "My sister moved to Goa" tells where she lives, "I moved my bag to the safe" only where it is.
    is_within = is_thing and said.is_english and not all(part.word.is_name for part in value)
    return value, "is in" if is_within else _NEW_STATES[sign]


def _is_plain(said: Sentence) -> bool:
    """Return True for a statement about a subject, not about "you" or about a thought ("Dana told me Ravi …")."""
    about_you = any("you" in word.roles for word in said.words)
    thinks = any(
        part.is_person or (part.word.named and third_person(verb.word.written) == verb.word.written)
        for verb, part in pairwise(said.subject)
        if not part.owned
    )
    is_told = bool(said.split and said.rest) and not (said.negative or said.is_question or said.some)
    return is_told and not (thinks or about_you)


def _is_value(said: Sentence, value: Sequence[Part]) -> bool:
    """Return True if parts are a value (a name, a number, a colour), not a kind of thing."""
    last = value[-1]
    if said.is_a or last.word.is_verb:
        return False
    of_value = "values" in said.subject[-1].word.signs
    is_name = last.word.named or (last.word.is_name and (said.is_english or said.split <= 2))
    return any(part.word.counts for part in value) or (not last.in_place and (of_value or is_name))


def _relation(said: Sentence) -> str:
    """Return the words outside of subject and value as a relation; empty if they are more than that."""
    inside = {at for some in (said.subject, said.value) for at in range(some[0].at, some[-1].at + 1)}
    rest = [word for at, word in enumerate(said.words) if at not in inside and (word.roles & _LINKS or not word.roles)]
    contents = [word for word in rest if not word.roles]
    is_verb = said.is_english and not {"is", "has"} & {*said.verbs}
    if not rest or len(contents) > 1 + is_verb:
        return ""
    if said.is_english:
        verb, *others = (word.written.lower() for word in rest)
        verb = _FORMS.get(verb, verb) if said.verbs else third_person(verb)
        return " ".join([verb, *others]) if verb else ""
    says_more = any(not word.roles or word.roles & {"has", "does"} for word in rest)
    rest = [word for word in rest if not (says_more and "is" in word.roles)]
    return " ".join(word.written if "is" in word.roles else infinitive(word.written) for word in rest)


def _triple(said: Sentence, subject: Sequence[Part], relation: str, value: Sequence[Part]) -> Triple | None:
    sides = [SPEAKERS.get(min(some[0].word.keys), "") if len(some) == 1 else "" for some in (subject, value)]
    first, last = (side or said.written(some) for side, some in zip(sides, (subject, value), strict=True))
    return Triple(subject=first, relation=relation.lower(), object=last) if relation and first and last else None


def text_of(triple: Triple, words: Words) -> str:
    """Write a triple as a plain sentence."""
    subject, name, value = triple.subject, triple.relation, triple.object
    relation = words.read(name)
    if len(relation) > 1 and "of" in relation[-1].roles:  # Dana | manager of | Kim
        subject, name, value = value, name.rsplit(maxsplit=1)[0], subject
    is_english = words.language(name) == ENGLISH
    verbs = [word.written.lower() for word in relation if not word.roles]
    is_verb = any(one.endswith(_INFINITIVES) or (one.endswith("s") and "v" in parts_of_speech(one)) for one in verbs)
    if is_verb or any(word.roles & _DONE for word in words.read(name)):
        verb, space, rest = name.partition(" ")
        bases = english_forms(verb.lower()) if is_english and subject in SPEAKERS.values() else ()
        base = next((form for form in bases if form != verb and third_person(form) == verb.lower()), verb)
        name = f"{base}{space}{rest}"  # "I live", where she lives
        return f"{subject} {name} {value}" if is_english else f"{subject} {value} {name} hai"
    owner = _OWNERS.get(subject) or subject + ("'s" if is_english else " ka")
    return f"{owner} {name} is {value}" if is_english else f"{owner} {name} {value} hai"


def names_both(text: str, triple: Triple, words: Words) -> bool:
    """Return True if a text names subject and object of a triple."""
    return all(stands_in(name, text, words) for name in (triple.subject, triple.object))


def stands_in(name: str, text: str, words: Words) -> bool:
    """Return True if a text has all words of a name, in any spelling, script or inflection.

    A text about its writer names "I" and "we": "my manager is Dana" names "I" and "Dana".
    """
    name, text = (" ".join(part.split()) for part in (name, text))
    if name in SPEAKERS.values() and speaks_of_writer(text, words):
        return True
    if any(map(str.isalnum, name)) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        return True
    if any(unicodedata.category(sign)[0] == "S" and sign not in text for sign in name):
        return False
    said, named = _read(text, words), _read(name, words)
    keys = {key for word in said for key in (*word.keys, words.languages.fold(word.written.casefold()))}
    writers = {role for word in said for role in word.roles & _WRITERS}
    lacking = [word for word in named if keys.isdisjoint({*word.keys, words.languages.fold(word.written.casefold())})]
    may_lack = all(word.roles and (word.written.lower() in _LITTLE or word.roles & writers) for word in lacking)
    return may_lack and not all(word.roles for word in named)


def speaks_of_writer(text: str, words: Words) -> bool:
    """Return True if a text has a word for its writer, or for their group."""
    return any(word.roles & _WRITERS for word in _read(text, words))


def _read(text: str, words: Words) -> list[SentenceWord]:
    """Parse the words of a text of any length."""
    return [word for part in textwrap.wrap(text, LONGEST, break_on_hyphens=False) for word in words.read(part)]
