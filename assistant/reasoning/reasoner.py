"""Parse questions and facts from texts, and infer answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from assistant.kinds import Triple
from assistant.language.languages import Languages
from assistant.reasoning.chaining import Chain, Conclusion, Verdict
from assistant.reasoning.reading import Asks, Sentence, read_sentence
from assistant.reasoning.triples import LIVES_IN, change_of, text_of, triple_of
from assistant.reasoning.words import SPEAKERS, Words, third_person

_CACHED = 4_096
_MOST_PARTS, _MOST_WORDS = 7, 10  # of a plain statement
_COMMA = re.compile(r",(?!\d)")  # no part of a number
_SENTENCE_END = re.compile(
    r"(?<=\w\w)(?<!\b[md]r)(?<!\bms)(?<!\bst)(?<!\bmrs)[.!]\s+(?=[^\W\d_])|।\s*(?=\S)", re.IGNORECASE
)
_PARTS = re.compile(r"[:;?]\s|(?<=[a-z]{4})[.!]\s+\S")  # of a text of several sentences


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
        is_home = any("stays" in word.signs for word in self.words.read(triple.relation))
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
        """Return True if a text states that a note is no longer true."""
        said, told = self.read(text), [] if note.denied else self._statements(note)
        asked = Chain(replace(said, asks=Asks.WHETHER), [(0, one, False) for one in told])
        return said.negative and said.says_now and asked.outcome().verdict is Verdict.YES

    def asks_the_same(self, first: str, second: str) -> bool:
        """Return True if two questions are equivalent, in any wording, script or order."""
        one, other = self.read(first), self.read(second)
        chain = Chain(one, [(0, other, False)])
        return one.asks is other.asks and sorted(chain.start) == sorted(chain.state(other.parts)) != []

    def _statements(self, note: Note) -> list[Sentence]:
        if note.denied:  # as a whole
            return [self.read(note.text)]
        triples = note.triples or (self.triples(note.text) if self.changes_place(note.text) else ())
        clauses = (clause for sentence in sentences_in(note.text) for clause in self._clauses(sentence))
        return [self.read(text) for text in (*clauses, *(text_of(triple, self.words) for triple in triples))]

    def _clauses(self, text: str) -> list[str]:
        """Split a text into simple sentences.

        My sister Kate lives in York    Kate is my sister. Kate lives in York.
        Kim lives in Goa and likes tea  Kim lives in Goa. Kim likes tea.
        """
        clause, comma, rest = text.partition(", ")
        if comma and any(word.roles for word in self.words.read(rest)):  # "she" would be ambiguous there
            return self._clauses(clause)
        said = self.read(text)
        if said.is_english and said.split > 2 and said.parts[1].owned and said.parts[2].word.named:
            whose = said.written(said.parts[:2])
            name, *others = text.split()[len(whose.split()) :]
            return [f"{name} is {whose}", " ".join([name, *others])]
        first, _, last = text.partition(" and ")
        one, other = self.read(first), self.read(last)
        verb = next((word for word in other.words if last), None)
        if one.split and verb and (verb.roles & {"is", "has", "can"} or third_person(verb.written) == verb.written):
            return [first, f"{one.written(one.subject)} {last}"]
        return [first, last] if other.split and one.split and one.is_english else [text]


def sentences_in(text: str) -> list[str]:
    """Split a text into its sentences."""
    return _SENTENCE_END.split(text)
