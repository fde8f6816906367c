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
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

from assistant.kinds import Triple
from assistant.language.languages import Languages
from assistant.reasoning.chaining import Chain, Conclusion
from assistant.reasoning.reading import (
    ENGLISH,
    LONGEST,
    OWNS,
    SPEAKERS,
    Part,
    Sentence,
    SentenceWord,
    Words,
    english_forms,
    infinitive,
    parts_of_speech,
    read_sentence,
    runs_of,
    third_person,
)

_CACHED = 4_096
_MOST_PARTS, _MOST_WORDS = 7, 10  # of a plain statement
_COMMA = re.compile(r",(?!\d)")  # no part of a number
_SENTENCE_END = re.compile(
    r"(?<=\w\w)(?<!\b[md]r)(?<!\bms)(?<!\bst)(?<!\bmrs)[.!]\s+(?=[^\W\d_])|।\s*(?=\S)", re.IGNORECASE
)
_PARTS = re.compile(r"[:;?]\s|(?<=[a-z]{4})[.!]\s+\S")  # of a text of several sentences
LIVES_IN = "lives in"  # relation of the new place after a move
_FORMS = {"am": "is", "are": "is", "have": "has"}
_OWNERS = {"I": "my", "we": "our"}
_LINKS = frozenset({"is", "has", "can", "does", "of", "me", "in", "other"})  # roles of words that a relation keeps
_DONE = frozenset({"in", "other", "is", "can", "does", "has"})
"""Roles of words in a relation that is a verb or a position, not a noun ("works in", not "manager")."""
_INFINITIVES = ("na", "ना", "ਨਾ", "ਣਾ")
_LITTLE = frozenset({"a", "an", "the", "of"})
"""Optional words of a name: "France's capital" is "the capital of France"."""
_WRITERS = frozenset({"me", "we"})
_CLAUSAL = frozenset({"is", "does", "has", "can", "me", "we", "you"})  # roles of words that a mere phrase lacks


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

    def triples(self, text: str) -> tuple[Triple, ...]:
        """Extract the triples of a simple statement; none from questions, denials and complex sentences."""
        said = self.read(text)
        if said.is_question or _PARTS.search(text) or "unsure" in said.signs:
            return ()
        return tuple(triple for clause in self._clauses(text) if (triple := triple_of(self.read(clause))))

    def changes_place(self, text: str) -> bool:
        """Return True if a sentence states a change of place."""
        return not _PARTS.search(text) and bool(change_of(self.read(text)))

    def says_now(self, text: str) -> bool:
        """Return True if a sentence states a change."""
        return self.read(text).says_now or self.changes_place(text)

    def wishes(self, text: str) -> bool:
        """Return True if a sentence states a wish or a fantasy of its writer."""
        return any("wishing" in word.signs for word in self.read(text).words)

    def tells(self, text: str) -> bool:
        """Return True if a text is a plain statement."""
        said = self.read(text)
        about_you = any("you" in word.roles for word in said.words)
        if said.is_question or about_you or self.wishes(text) or _COMMA.search(text) or _PARTS.search(text):
            return False
        if not 1 < len(said.parts) <= _MOST_PARTS or len(said.words) > _MOST_WORDS:
            return False
        # Passing moods and wishes of the writer: "I'm fine", "theek aa".
        first, states = said.parts[0], ["passing" in part.word.signs for part in said.parts]
        if any(states) and (first.is_person or states[0]) and not any(part.owned for part in said.parts[:2]):
            return False
        if said.is_english or said.negative:
            return said.split > 0 or (said.negative and not said.is_english)
        last = said.words[-1]
        is_whose = any(part.owned for part in said.parts) or first.is_person or first.word.named
        ends_in_verb = is_whose and len(said.parts) > 2 and last.is_verb
        return bool(last.roles & {"is", "can"} or change_of(said) or ends_in_verb)

    def statements(self, text: str) -> list[str]:
        """Split a text that joins two plain statements into them: "I live in Delhi and my dog is called Bruno"."""
        parts = [part.strip() for part in text.split(" and ")]
        is_each = len(parts) > 1 and all(self.tells(part) and self.triples(part) for part in parts)
        return parts if is_each else [text]

    def slot(self, triple: Triple) -> tuple[str, str]:
        """Return the subject and relation of a triple, normalised: "we" and "I", and "to live" in any language."""
        said = self.words.read(triple.relation)
        is_home = any("stays" in word.signs for word in said)
        is_home |= len(said) > 1 and all(word.roles & {"is", "in"} for word in said)
        subject = "I" if triple.subject in SPEAKERS.values() else triple.subject.casefold()
        return subject, LIVES_IN if is_home else triple.relation

    def chain(self, question: str, notes: Sequence[Note]) -> Chain:
        """Build the chain of a question and the simple sentences of notes."""
        told = ((place, said, note.denied) for place, note in enumerate(notes) for said in self._statements(note))
        return Chain(self.read(question), [*told])

    def outcome(self, question: str, notes: Sequence[Note]) -> Conclusion:
        """Infer the answer to a question, with indices of notes."""
        return self.chain(question, notes).outcome()

    def ends(self, text: str, note: Note) -> bool:
        """Return True if a text states that a note is no longer true: all that it denies is in the note."""
        said = self.read(text)
        for told in () if note.denied else self._statements(note):
            chain = Chain(said, [(0, told, False)])
            known = {*chain.state(told.parts)}
            is_same = chain.start[: said.split] == chain.state(told.subject) and {*chain.start} <= known
            if is_same and said.negative is not told.negative and (said.negative or len(known) == len({*chain.start})):
                return True
        return False

    def asks_the_same(self, first: str, second: str) -> bool:
        """Return True if two questions are equivalent, in any wording, script or order."""
        one, other = self.read(first), self.read(second)
        chain = Chain(one, [(0, other, False)])
        return one.asks is other.asks and sorted(chain.start) == sorted(chain.state(other.parts)) != []

    def _statements(self, note: Note) -> list[Sentence]:
        if note.denied:  # as a whole
            return [self.read(note.text)]
        triples = note.triples or (self.triples(note.text) if self.changes_place(note.text) else ())
        clauses = list[str]()
        for sentence in sentences_in(note.text):
            clauses += self._clauses(self.follow_up(sentence, clauses[0]) if clauses else sentence)
        return [self.read(text) for text in (*clauses, *(text_of(triple, self.words) for triple in triples))]

    def follow_up(self, text: str, before: str, *, within: bool = False) -> str:
        """Replace a pronoun at the start by the subject of the statement before: "she lives in Pune".

        `within` one message, also where there is no subject: "Kim lives in Goa and likes tea".
        """
        said, words = self.read(before), self.words.read(text)
        if not (words and said.subject) or said.is_question:
            return text
        subject = " ".join(word.written for word in said.words[: said.subject[-1].at + 1]).replace(f" {OWNS}", "'s")
        first, *others = text.split()
        rest = self.words.read(" ".join(others))
        is_many = subject.lower().endswith("s") and first.lower().startswith("they")
        # Not "it is raining", nor a plural for one; the user is no "she".
        is_about = is_many or not first.lower().startswith("they")
        is_about &= not any("passing" in word.signs for word in rest) and not all(one.is_person for one in said.subject)
        if "it" in words[0].roles and rest and is_about:
            is_owner = first.lower() == "its" and any("is" in word.roles for word in rest[1:])
            short = re.sub(r"(?i)\A\w+?['’]?(s|re|)\Z", r"\1", first).lower() if said.is_english else ""
            verb = {"s": "'s " if is_owner else " is ", "re": " are "}.get(short, " ")
            return f"{subject}{verb}{' '.join(others)}"
        has_object = bool(rest) and not rest[0].roles.isdisjoint({"it", "he"})
        if has_object and "moves" in words[0].signs:  # "moved it to the hall"
            return f"{subject} {first} {' '.join(others[1:])}"
        if said.is_english and "other" in words[0].roles and not any(word.roles & _CLAUSAL for word in rest):
            # "to nuts too", after "I am allergic to milk"
            at = next((at for at, word in enumerate(said.words) if word.written.lower() == first.lower()), 0)
            return " ".join([*(word.written for word in said.words[:at]), text])
        lacks_subject = within and not has_object and self._lacks_subject(text, is_english=said.is_english)
        return f"{subject} {text}" if lacks_subject else text

    def _lacks_subject(self, text: str, *, is_english: bool) -> bool:
        """Return True for "likes tea" and "meat nahi khata"."""
        first, said = self.words.read(text)[0], self.read(text)
        if is_english:
            is_verb = first.roles & {"is", "has", "can"} or third_person(first.written) == first.written
            return bool(is_verb) and not _has_verb(said)
        return len(said.parts) == 2 and said.parts[1].word.is_verb and not said.parts[0].word.is_name

    def _clauses(self, text: str) -> list[str]:
        """Split a text into simple sentences.

        My sister Kate lives in York    Kate is my sister. Kate lives in York.
        Kim lives in Goa and likes tea  Kim lives in Goa. Kim likes tea.
        """
        for joint in re.finditer(r",? (?:and|but|aur|te|lekin|magar|और|ਤੇ|ਅਤੇ|लेकिन) |, ", text):
            first, rest = text[: joint.start()], text[joint.end() :]
            rest = self.follow_up(rest, first, within=True)
            if all(_has_verb(self.read(each)) for each in (first, rest)):
                return [*self._clauses(first), *self._clauses(rest)]
        clause, comma, rest = text.partition(", ")
        if comma and any(word.roles for word in self.words.read(rest)):
            return self._clauses(clause)
        said = self.read(text)
        if said.is_english and said.split > 2 and said.parts[1].owned and said.parts[2].word.named:
            whose = said.written(said.parts[:2])
            name, *others = text.split()[len(whose.split()) :]
            return [f"{name} is {whose}", " ".join([name, *others])]
        return [text]


def _has_verb(said: Sentence) -> bool:
    """Return True if a text has a subject, a verb and something else."""
    if said.is_english:
        return 0 < said.split < len(said.parts)
    last = said.words[-1] if said.words else None
    return last is not None and len(said.parts) > 1 and bool(last.roles & {"is", "can"} or last.is_verb)


def sentences_in(text: str) -> list[str]:
    """Split a text into its sentences."""
    return _SENTENCE_END.split(text)


def triple_of(said: Sentence) -> Triple | None:
    """Return the triple of a simple statement; None for questions, denials and complex sentences."""
    signs, value = said.signs, said.value
    if not _is_plain(said) or not value:
        return None
    if moved := change_of(said):
        relation = "is in" if said.is_english and not said.subject[-1].word.is_name else LIVES_IN
        relation = "is" if any(part.word.counts for part in moved) else relation
        return _triple(said, said.subject, relation, moved)
    if signs & {"moves", "past"} or (not said.is_english and "helping" in signs):
        return None
    for whose, what in ((said.subject, value), (value, said.subject)):
        owned = [at for at, part in enumerate(whose) if part.owned]
        if owned and said.is_being and len([*whose, *what]) == len(said.parts) and _is_value(said, what):
            return _triple(said, whose[: owned[-1]], said.written(whose[owned[-1] :]), what)
    return _triple(said, said.subject, _relation(said), value)


def change_of(said: Sentence) -> Sequence[Part]:
    """Return the new place in a sentence about a move, "Dana moved from Pune to Delhi", if any."""
    signs = [word.signs for word in said.words]
    found = {sign for some in signs[1:] for sign in some}
    has_moved = "moves" in found and (said.is_english or "helping" in found)
    is_now = not has_moved and said.says_now and said.is_being
    if not _is_plain(said) or "can" in said.verbs or not (has_moved or is_now):
        return ()
    if has_moved and said.is_english:
        is_thing, rest = not said.subject[-1].word.is_name, [one for one in said.rest if not signs[one.at] & {"source"}]
        runs = runs_of([part for part in rest if is_thing or part.word.is_name], said.words)
        return next((run for run in runs if "towards" in signs[run[0].at - 1]), ())
    places = [
        part for part in said.rest
        if not signs[part.at] & {"moves", "helping", "source"} and "source" not in [*signs, set()][part.at + 1]
        and not part.word.counts and (not has_moved or part.word.is_name)
    ]  # fmt: skip
    place = next(iter(runs_of(places, said.words)), [])
    is_place = len(place) == len(places) > 0 and (has_moved or place[-1].in_place)
    return place if is_place and (place[0].word.is_name or not said.is_english) else ()


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

    def keys_of(word: SentenceWord) -> frozenset[str]:
        written = word.written.casefold()
        return word.keys | {written, words.languages.fold(written)}

    named, said = _read(name, words), _read(text, words)
    keys = {key for word in said for key in keys_of(word)}
    writers = {role for word in said for role in word.roles & _WRITERS}
    lacking = [word for word in named if keys.isdisjoint(keys_of(word))]
    may_lack = all(word.roles and (word.written.lower() in _LITTLE or word.roles & writers) for word in lacking)
    return may_lack and not all(word.roles for word in named)


def speaks_of_writer(text: str, words: Words) -> bool:
    """Return True if a text has a word for its writer, or for their group."""
    return any(word.roles & _WRITERS for word in _read(text, words))


def _read(text: str, words: Words) -> list[SentenceWord]:
    """Parse the words of a text of any length."""
    return [word for part in textwrap.wrap(text, LONGEST, break_on_hyphens=False) for word in words.read(part)]
