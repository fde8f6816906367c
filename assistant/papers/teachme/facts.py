"""The dynamic memory (section 3.3 of the paper): facts that users tell, kept with undo and matched by their words.

A message tells a fact by its own words, or the model that answers it reports one. In proofs, a fact overrides the
beliefs of the model (`Assertions`), and a blocked step (section 3.2) is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from assistant.errors import NotedError, NotFound, StoreError
from assistant.events import Answered, Happening
from assistant.feedback.clarifications import remember_anew
from assistant.feedback.corrections import is_dictated
from assistant.feedback.cues import words_of
from assistant.feedback.telling import asks, forgotten_in, speaks_of_words, told_in, without_lead_in
from assistant.kinds import FACT, STEP, Fact, Reach, Step
from assistant.language.languages import Languages
from assistant.limits import DEFAULT_LIMITS
from assistant.ports import Memory, Turns
from assistant.prompt.sections import Asking
from assistant.reasoning.reading import Sentence
from assistant.reasoning.reasoner import Note, Reasoner
from assistant.reply import fields
from assistant.reply.grammar import GRAMMAR, Grammar, Tag
from assistant.reports.listing import EntryFilter
from assistant.text.cleaning import checked, for_prompt
from assistant.types import Action, Draft, Entry, Scope, Status, Turn, TurnState

FACT_TAG = Tag(fields.FACT, repeats=True)
"""An assertion of the message that a reply answers, in the user's own words, to be kept."""
BECAUSE_TAG = Tag(fields.BECAUSE, repeats=True)
"""One of the facts that an answer follows from, in the words in which it was told."""
DISPUTED_TAG = Tag(fields.DISPUTED, repeats=True)
"""One of the facts that an answer says contradict each other."""
TAUGHT = Grammar((*GRAMMAR.tags, BECAUSE_TAG, DISPUTED_TAG, FACT_TAG))
"""The tags of a reply where facts are kept."""
_NOT = "not true: "
_EDGES = " \t\"'“”‘’«»`*.,;:!?…।-–—•"
_AROUND = " \t\n.!…।"
_ACTUALLY = re.compile(r"\W*actually\b", re.IGNORECASE)
_HOME = ("live", "reh")  # in sentences about where somebody lives
_RECENT = 4  # turns in which "forget that" may mean something
_MOST_TOLD = 5  # facts of one message
_MOST_FOUND, _MOST_OF_A_TEXT, _MOST_STEPS = 20, 40, 200  # entries
_FEWEST_LETTERS, _MOST_FORMS = 2, 3  # of a text that is searched for, and of a thing
_TELLS = "The message tells you something: answer that you will remember it."
_ASKS = "If the message only tells you something to remember, add <fact>it, in its own words</fact> after the answer."
_BLOCKED = (
    '"does not follow", "does not matter here" in a note: the person says so of your reasons. Do not reason that way.'
)
_BEARS = '"true" in a note: the person says that it is so. It counts if the answer rests on it.'


def fact(turn: Turn, text: str, *, denied: bool = False, told_at: str = "", only_its_question: bool = False) -> Draft:
    """Return the entry of an assertion that a user made in a turn, or denied.

    Args:
        turn: the turn in which it was told.
        text: the assertion, in the user's words.
        denied: the user said that it is not so.
        told_at: the question that it was told at; empty where it was told out of the blue.
        only_its_question: it counts for that question alone.
    """
    body = Fact(text=text, denied=denied, only_its_question=only_its_question)
    key = FACT.idempotency_key(turn.id or told_at or text, body)
    return Draft(FACT, told_at or text, body, key, turn=turn.id, model=turn.model)


def is_fact(entry: Entry) -> bool:
    """Return True if an entry asserts something."""
    return entry.kind.name == FACT.name


def is_denied(entry: Entry) -> bool:
    """Return True if an entry is a fact that its user said is not so."""
    return isinstance(entry.body, Fact) and entry.body.denied


def is_answer(entry: Entry) -> bool:
    """Return True if the user told the fact as the answer to its question."""
    return is_fact(entry) and entry.reach is Reach.QUESTION


def premise_of(entry: Entry) -> str:
    """Return a fact as the text of a premise."""
    return f"{_NOT}{entry.shown}" if is_denied(entry) else entry.shown


def opposes(entry: Entry, premise: str) -> bool:
    """Return True if a fact says the opposite of a premise that has its words."""
    return same(premise.removeprefix(_NOT), entry.shown) and is_denied(entry) is not premise.startswith(_NOT)


def same(first: str, second: str) -> bool:
    """Return True if two sentences differ in case, space and surrounding signs alone."""
    return _fingerprint(first) == _fingerprint(second)


def starts_from(step: Entry, premises: Iterable[str]) -> bool:
    """Return True if a blocked step has one of these premises."""
    blocked = _premises(step)
    return any(_fingerprint(premise) in blocked for premise in premises)


def told_of(turn: Turn) -> Entry | None:
    """Return the entry with which the question of a turn was answered again; None where there is none."""
    return next((one.entry for one in turn.decisions if one.entry.id == turn.clarified_with), None)


def retold(turn: Turn) -> Entry | None:
    """Return the fact that replaced the one that a turn told, as its user corrected that; None where there is none."""
    told = told_of(turn)
    is_used = told is not None and told.id in turn.entries_to(Action.USE)
    return told if told and is_used and is_fact(told) else None


def facts_told_in(turn: Turn, memory: Memory) -> Sequence[Entry]:
    """Return the active facts that were told in a turn, in their order. Raises StoreError."""
    wanted = EntryFilter(kind=FACT.name, turn=turn.id)
    return memory.find(Scope(turn.person), wanted, _MOST_TOLD).entries[::-1]


@dataclass(frozen=True, slots=True)
class Assertions:
    """The facts and blocked steps of one user, which override the model's beliefs. Raises StoreError."""

    memory: Memory
    scope: Scope
    near: Sequence[Entry] = ()  # entries found for the question, which may be shared ones

    def fact(self, premise: str) -> Entry | None:
        """Return the fact that a premise states or contradicts, the user's own before shared ones.

        Its words alone decide: a model that says "you told me" is not believed. A premise that quotes all of a denied
        fact and says more counts as the denied one.
        """
        plain = premise.removeprefix(_NOT)
        found = self.memory.find(self.scope, EntryFilter(search=plain, kind=FACT.name), _MOST_FOUND).entries
        near = [entry for entry in self.near if is_fact(entry)]
        exact = (entry for entry in (*found, *near) if same(plain, entry.shown))
        quoted = (entry for entry in near if is_denied(entry) and _fingerprint(entry.shown) in _fingerprint(plain))
        return next(exact, None) or next(quoted, None)

    def blocks(self, premises: Sequence[str], conclusion: str, turn: Turn) -> bool:
        """Return True if the user blocked this step, or set one of its premises aside for the question of a turn."""
        for entry in self.memory.find(self.scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries:
            if not entry.counts_in(turn.conversation):
                continue
            if entry.only_in:
                is_meant = same(entry.question, turn.question) and starts_from(entry, premises)
            else:
                is_meant = same(entry.shown, conclusion) and _premises(entry) == set(map(_fingerprint, premises))
            if is_meant:
                return True
        return False


def _premises(step: Entry) -> set[str]:
    return set(map(_fingerprint, step.body.premises)) if isinstance(step.body, Step) else set()


def _fingerprint(text: str) -> str:
    return " ".join(for_prompt(text).casefold().split()).strip(_EDGES)


def facts_about(texts: Sequence[str], memory: Memory, scope: Scope) -> list[Entry]:
    """Return the user's own facts that contain one of these texts, in any script. Raises StoreError."""
    found = (memory.find(scope, EntryFilter(text, FACT.name), limit=_MOST_OF_A_TEXT).entries for text in texts)
    return [*{entry.id: entry for entries in found for entry in entries}.values()]


def texts_about(said: Sentence) -> list[str]:
    """Return the texts to search for to find other facts about the same thing as a sentence, or about its value.

    Of each thing these are the shortest forms, since the others contain those, and its English glosses.
    """
    things = [part for part in said.parts if not part.is_person]
    texts: list[str] = []
    for thing in things[:1] if said.is_question else things[:1] + things[-1:]:
        plain = sorted((_stem(key.rstrip("|-")) for key in thing.word.keys), key=len)
        forms = [key for at, key in enumerate(plain) if not any(short in key for short in plain[:at])]
        long_enough = [form for form in (*forms, *sorted(thing.word.glosses)) if len(form) >= _FEWEST_LETTERS]
        texts += long_enough[:_MOST_FORMS]
    return texts


def _stem(key: str) -> str:
    """Return the part of a word that its plural shares: salar(y, ies), kni(fe, ves)."""
    ending = next((ending for ending in ("fe", "f", "y") if key.endswith(ending)), "")
    return key.removesuffix(ending) if len(key) - len(ending) > _FEWEST_LETTERS else key


def notes_of(entries: Iterable[Entry]) -> list[Note]:
    """Return facts as the reasoner reads them."""
    said = [entry.body for entry in entries]
    return [Note(body.text, body.denied, body.triples) for body in said if isinstance(body, Fact)]


def plainly_told(message: str, reasoner: Reasoner) -> str:
    """Return the simple statement that a message is, readable without a model; else an empty text."""
    text = without_lead_in(message).strip(_AROUND)
    if speaks_of_words(text, reasoner.languages) or asks(message, reasoner.languages):
        return ""  # "I need the meaning of bank" is no fact
    return text if reasoner.tells(text) and reasoner.triples(text) else ""


@dataclass(frozen=True, slots=True)
class KeepFacts:
    """Implements `Learn`: keep the facts that a message tells, by its own words or as the model reports them.

    If the store refuses a fact, the turn shows the error beside its answer.
    """

    memory: Memory
    turn_store: Turns
    languages: Languages
    longest: int = DEFAULT_LIMITS.clarification  # characters of a fact

    def __call__(self, happening: Happening, scope: Scope) -> None:
        match happening:
            case Answered(turn):
                try:
                    self._forget(turn, scope)
                    for text in () if self._is_kept_before(turn, scope) else self.told(turn):
                        said = checked(text, self.longest)
                        draft = replace(fact(turn, said), supersedes=self._replaced(turn, said, scope))
                        remember_anew(draft, self.memory, scope, Status.RETRACTED)
                except NotedError as error:
                    raise StoreError(error.sentence.code, **error.sentence.parameters) from error

    def told(self, turn: Turn) -> list[str]:
        """Return the facts that the message of an answered turn tells."""
        told = told_in(turn.question, self.languages)
        if retold(turn):
            return []
        if told and told.is_certain:
            return [told.fact]
        notes = [note for decision in turn.decisions for note in (decision.entry.shown, decision.entry.question)]
        named = dict.fromkeys(turn.reply.fields.get(FACT_TAG.name, ())[:_MOST_TOLD])
        said = [text for text in named if _is_said(text, turn.question) and not is_dictated(text, turn.question, notes)]
        return said or list(filter(None, [plainly_told(turn.question, Reasoner(self.languages))]))

    def _is_kept_before(self, turn: Turn, scope: Scope) -> bool:
        """Return True if an earlier answer to the same message kept its facts: an undone one must not come back."""
        try:
            earlier = self.turn_store.turn(turn.answers_again, scope) if turn.answers_again else None
        except NotFound:
            return False
        if earlier is None or earlier.question != turn.question:
            return False
        return earlier.state in {TurnState.ANSWERED, TurnState.UNDONE} and bool(self.told(earlier))

    def _replaced(self, turn: Turn, text: str, scope: Scope) -> str | None:
        """Return the id of the fact that a new one replaces, one with triples first; None where both stay.

        Words decide: "my pin is 22 now", "actually, my pin is 22" and "I no longer work in Goa" replace, "my pin is 22"
        does not.
        """
        reasoner = Reasoner(self.languages)
        if not (reasoner.says_now(text) or _ACTUALLY.match(turn.question)):
            return None
        values = {reasoner.slot(one): one.object for one in reasoner.triples(text)}
        home = _HOME if reasoner.changes_place(text) else ()
        replaced: list[Entry] = []
        for entry in facts_about([*texts_about(reasoner.read(text)), *home], self.memory, scope):
            triples = reasoner.triples(entry.shown)
            is_other = any(values.get(reasoner.slot(one), one.object) != one.object for one in triples)
            if is_other or any(reasoner.ends(text, note) for note in notes_of([entry])):
                replaced.append(entry)
        replaced.sort(key=lambda entry: not getattr(entry.body, "triples", ()))
        return replaced[0].id if replaced else None

    def _forget(self, turn: Turn, scope: Scope) -> None:
        """Retract the facts that have all words that a message wants forgotten, or the one that was told last.

        A fact that comes back in the place of a retracted one is retracted too.
        """
        words = forgotten_in(turn.question, self.languages)
        entries = [] if words is None else self._forgettable(words, turn, scope)
        earlier = self.memory.earlier([entry.id for entry in entries], scope)
        for entry in entries:
            for one in (entry, *earlier.get(entry.id, ())):
                self.memory.retract(one.id, scope)

    def _forgettable(self, words: Set[str], turn: Turn, scope: Scope) -> list[Entry]:
        if words:
            found = facts_about(sorted(words), self.memory, scope)
            return [one for one in found if words <= {word.folded for word in self.languages.words(one.shown)}]
        recent = {one.id for one in self.turn_store.turns(turn.conversation, scope, _RECENT)}
        entries = self.memory.find(scope, EntryFilter(kind=FACT.name), 1).entries
        return [entry for entry in entries if entry.turn in recent]


def _is_said(text: str, message: str) -> bool:
    """Return True if a message says a fact: a model may put it in better words, but add nothing to it."""
    said = words_of(text)
    return 2 * len(said & words_of(message)) >= len(said) > 0


@dataclass(frozen=True, slots=True)
class TellingHint:
    """A `Hint` for small models, which else contradict a fact that they are told."""

    languages: Languages

    def __call__(self, asking: Asking) -> list[str]:
        tells = told_in(asking.question, self.languages) or plainly_told(asking.question, Reasoner(self.languages))
        return [_TELLS] if tells else []


@dataclass(frozen=True, slots=True)
class FactHints:
    """A `Hint` about facts, for a prompt that offers some, or a message that may tell one."""

    languages: Languages

    def __call__(self, asking: Asking) -> list[str]:
        kinds = {entry.kind.name for entry in asking.entries(Action.OFFER)}
        applies = {
            _BEARS: FACT.name in kinds,
            _BLOCKED: STEP.name in kinds,
            _ASKS: bool(told_in(asking.question, self.languages)),
        }
        return [hint for hint, is_wanted in applies.items() if is_wanted]
