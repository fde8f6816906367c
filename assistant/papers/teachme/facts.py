"""The dynamic memory (section 3.3 of the paper): facts that users tell, which override the beliefs of the model.

    a list of assertions           `fact`
    collected through interaction  `keep_facts.py`, from the words of a message or as the model reports them;
                                   others come from corrections (`teaching.py`)
    additions and overrides        `Premise`, a sentence of the model with the fact that states or contradicts it;
                                   `Assertions` finds that fact, and blocked steps (section 3.2)
    retrieved for a question       `link_facts`, in several hops, and `find_steps`; similarity search finds the others

The paper searches by the words of the question. "Can Rex bark?" finds "Rex is a dog", but "dogs can bark" only through
that fact. So the search is repeated in a few hops, each with the question as restated by the facts found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.errors import NotFound
from assistant.feedback.fact_messages import asks, parse_fact_message, speaks_of_words, strip_lead_in
from assistant.gate.gate import OfferRule
from assistant.kinds import FACT, STEP, Fact, Kind, Reach, Step, Triple
from assistant.language.languages import Languages
from assistant.ports import Memory
from assistant.prompt.sections import PromptInput
from assistant.reasoning.chaining import MOST_FACTS
from assistant.reasoning.reading import Sentence as Read
from assistant.reasoning.reasoner import Note, Reasoner, names_both
from assistant.reply.fields import FactPremise, TextPremise
from assistant.reply.grammar import GRAMMAR, Grammar, Tag
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence, plain
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Candidate, Decision, Entry, NewEntry, Question, Scope, Turn, day_of

FACT_TAG = Tag("fact", repeats=True)
"""An assertion to store, in the words of the message that the reply answers."""
TAUGHT = Grammar((*GRAMMAR.tags, Tag("because", repeats=True), Tag("disputed", repeats=True), FACT_TAG))
"""The tags of a reply with facts: to store, that the answer follows from, and that contradict each other."""

_NOT = "not true: "
MOST_TOLD = 5  # facts of one message
_EDGES = " \t\"'“”‘’«»`*.,;:!?…।-–—•"
_MOST_FOUND, _MOST_OF_A_TEXT, _MOST_STEPS = 20, 40, 200  # entries
_FEWEST_LETTERS, _MOST_FORMS = 2, 3  # of a search text, and of a thing
_ENDING = re.compile(r"(?<=...)(?:fe?|y)\Z")  # differs in the plural: kni(fe, ves), salar(y, ies)
_HOPS, _MOST_SEARCHED, _MOST_ADDED = 4, 16, 20
_SURE, _PERHAPS = 1.0, 0.5

_TELLS = "The message tells you something: answer that you will remember it."
_ASKS = "If the message only tells you something to remember, add <fact>it, in its own words</fact> after the answer."
_BLOCKED = (
    '"does not follow", "does not matter here" in a note: the person says so of your reasons. Do not reason that way.'
)
_BEARS = '"true" in a note: the person says that it is so. It counts if the answer rests on it.'


def fact(
    turn: Turn,
    text: str,
    triples: Sequence[Triple] = (),
    *,
    denied: bool = False,
    told_at: str = "",
    only_its_question: bool = False,
) -> NewEntry:
    """Return the entry of an assertion that a user made in a turn, or `denied`, in their words.

    `told_at` is the question that prompted it, to which `only_its_question` limits it; empty for an unprompted one.
    """
    body = Fact(text=text, denied=denied, triples=tuple(triples), only_its_question=only_its_question)
    key = FACT.idempotency_key(turn.id or told_at or text, body)
    return NewEntry(FACT, told_at or text, body, key, turn=turn.id, model=turn.model)


def is_denied(entry: Entry) -> bool:
    """Return True if an entry is a fact that the user denied."""
    return isinstance(entry.body, Fact) and entry.body.denied


def is_answer(entry: Entry) -> bool:
    """Return True if the user told the fact as the answer to its question."""
    return entry.kind is FACT and entry.reach is Reach.QUESTION


def find_stated_entry(turn: Turn) -> Entry | None:
    """Return the entry that caused a turn to answer its question again, or None."""
    return next((one.entry for one in turn.decisions if one.entry.id == turn.clarified_with), None)


def find_replacing_fact(turn: Turn) -> Entry | None:
    """Return the corrected version of the fact that a turn told, or None."""
    told = find_stated_entry(turn)
    is_used = told is not None and told.id in turn.entries_to(Action.USE)
    return told if told and is_used and told.kind is FACT else None


def facts_told_in(turn: Turn, memory: Memory) -> Sequence[Entry]:
    """Return the active facts that were told in a turn, in order. Raises StoreError."""
    wanted = EntryFilter(kind=FACT.name, turn=turn.id)
    return memory.find(Scope(turn.person), wanted, MOST_TOLD).entries[::-1]


def is_same_sentence(first: str, second: str) -> bool:
    """Return True if two sentences are equal up to case, white space and surrounding punctuation."""
    return _folded(first) == _folded(second)


def _folded(text: str) -> str:
    return " ".join(clean_for_prompt(text).casefold().split()).strip(_EDGES)


def text_of_fact(entry: Entry) -> str:
    """Return a fact as the text of a premise."""
    return f"{_NOT}{entry.shown}" if is_denied(entry) else entry.shown


@dataclass(frozen=True, slots=True)
class Premise:
    """A sentence that an answer, or a possible one, is based on."""

    text: str
    believed: bool = True  # by the model
    entry: Entry | None = None  # the fact that states it, or contradicts it

    @property
    def source(self) -> str:
        """Return its source: `yours`, `shared` or `model`."""
        if self.entry is None:
            return "model"
        return "shared" if self.entry.shared else "yours"

    @property
    def opposed(self) -> bool:
        """Return True if the fact contradicts it."""
        if self.entry is None or not is_same_sentence(self.text.removeprefix(_NOT), self.entry.shown):
            return False
        return is_denied(self.entry) is not self.text.startswith(_NOT)

    @property
    def sentence(self) -> Sentence:
        return self.entry.sentence if self.entry and not self.opposed else plain(self.text)

    @property
    def origin(self) -> Sentence:
        """Return the message about its source, and whether the model believes it."""
        if self.entry is None:
            return Sentence("why.model_believes" if self.believed else "why.model_doubts")
        day = {"day": day_of(self.entry.created).isoformat()}
        if self.opposed:
            return Sentence("why.shared_otherwise" if self.entry.shared else "why.told_otherwise", day)
        return Sentence("why.shared" if self.entry.shared else "why.told", day)

    def stored(self) -> FactPremise | TextPremise:
        """Convert it for the fields of a reply, a fact to its id; `Assertions.premises` is the inverse."""
        if self.entry:
            return FactPremise(entry=self.entry.id, opposed=self.opposed, believed=self.believed)
        return TextPremise(text=self.text, believed=self.believed)


@dataclass(frozen=True, slots=True)
class Assertions:
    """Facts and blocked steps of one user, which override the model's beliefs in a turn. Raises StoreError."""

    memory: Memory
    scope: Scope
    turn: Turn
    facts: Sequence[Entry] = ()  # in addition to those of the turn; shared ones, too

    def fact(self, premise: str) -> Entry | None:
        """Return the fact that a premise states or contradicts, the user's own before shared ones.

        Only its words decide: "you told me" in a premise has no effect. A premise that contains a denied fact counts as
        that fact.
        """
        said = premise.removeprefix(_NOT)
        found = self.memory.find(self.scope, EntryFilter(search=said, kind=FACT.name), _MOST_FOUND).entries
        near = [one.entry for one in self.turn.decisions if one.entry.kind is FACT] + [*self.facts]
        exact = (entry for entry in (*found, *near) if is_same_sentence(said, entry.shown))
        quoted = (entry for entry in near if is_denied(entry) and _folded(entry.shown) in _folded(said))
        return next(exact, None) or next(quoted, None)

    def blocks(self, premises: Sequence[str], conclusion: str) -> bool:
        """Return True if the user blocked this step, or excluded one of its premises for the question."""
        used = set(map(_folded, premises))
        for entry in _steps(self.memory, self.scope):
            blocked = _premises(entry)
            if not entry.counts_in(self.turn.conversation):
                continue
            if entry.only_in and is_same_sentence(entry.question, self.turn.question) and blocked & used:
                return True
            if not entry.only_in and is_same_sentence(entry.shown, conclusion) and blocked == used:
                return True
        return False

    def premises(self, stored: Iterable[FactPremise | TextPremise]) -> Iterator[Premise]:
        """Yield stored premises, except those whose fact was forgotten."""
        for said in stored:
            if "entry" not in said:
                yield Premise(said["text"], said["believed"])
                continue
            with suppress(NotFound):
                entry = self.memory.entry(said["entry"], self.scope)
                is_as_told = not (said["opposed"] and is_denied(entry))
                yield Premise(text_of_fact(entry) if is_as_told else entry.shown, said["believed"], entry)


def _steps(memory: Memory, scope: Scope) -> Sequence[Entry]:
    return memory.find(scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries


def _premises(step: Entry) -> set[str]:
    return set(map(_folded, step.body.premises)) if isinstance(step.body, Step) else set()


def facts_about(texts: Iterable[str], memory: Memory, scope: Scope) -> list[Entry]:
    """Return the user's own facts that contain one of these texts, in any script. Raises StoreError."""
    return entries_about(texts, FACT, memory, scope)


def entries_about(texts: Iterable[str], kind: Kind, memory: Memory, scope: Scope) -> list[Entry]:
    found = (memory.find(scope, EntryFilter(text, kind.name), limit=_MOST_OF_A_TEXT).entries for text in texts)
    return [*{entry.id: entry for entries in found for entry in entries}.values()]


def texts_about(said: Read) -> list[str]:
    """Return search texts that find other facts about the subject of a sentence, or about its value.

    Per thing: its shortest forms, which longer ones contain, and its English glosses.
    """
    things = [part for part in said.parts if not part.is_person]
    texts: list[str] = []
    for thing in things[:1] if said.is_question else things[:1] + things[-1:]:
        known = sorted((_ENDING.sub("", key.rstrip("|-")) for key in thing.word.keys), key=len)
        forms = [key for at, key in enumerate(known) if not any(short in key for short in known[:at])]
        long_enough = [form for form in (*forms, *sorted(thing.word.glosses)) if len(form) >= _FEWEST_LETTERS]
        texts += long_enough[:_MOST_FORMS]
    return texts


def build_notes(entries: Iterable[Entry]) -> list[Note]:
    """Convert facts to the form that the reasoner reads."""
    said = [entry.body for entry in entries]
    return [Note(body.text, body.denied, body.triples) for body in said if isinstance(body, Fact)]


def triples_in(text: str, reasoner: Reasoner) -> tuple[Triple, ...]:
    """Return the triples that the rules read in a sentence, which are stored with its fact without asking."""
    return tuple(one for one in reasoner.triples(text) if names_both(text, one, reasoner.words))


def parse_statement(message: str, reasoner: Reasoner) -> str:
    """Return the statement of a message if the rules can read it without a model, else an empty text."""
    text = strip_lead_in(message).strip(" \t\n.!…।")
    if speaks_of_words(text, reasoner.languages) or asks(message, reasoner.languages):
        return ""  # "I need the meaning of bank" is no fact
    return text if reasoner.tells(text) and reasoner.triples(text) else ""


def telling_hint(languages: Languages, asking: PromptInput) -> list[str]:
    """Implement `Hint` for small models, which tend to contradict a new fact."""
    tells = parse_fact_message(asking.question, languages) or parse_statement(asking.question, Reasoner(languages))
    return [_TELLS] if tells else []


def fact_hints(languages: Languages, asking: PromptInput) -> list[str]:
    """Implement `Hint` for offered facts, blocked steps, and messages that may tell a fact."""
    kinds = {entry.kind for entry in asking.entries(Action.OFFER)}
    applies = {
        _BEARS: FACT in kinds,
        _BLOCKED: STEP in kinds,
        _ASKS: bool(parse_fact_message(asking.question, languages)),
    }
    return [hint for hint, is_wanted in applies.items() if is_wanted]


def link_facts(
    memory: Memory, reasoner: Reasoner, question: Question, scope: Scope, found: Sequence[Candidate]
) -> Sequence[Candidate]:
    """Implement `Retriever`: add the facts that lead from the question to its answer."""
    asked = reasoner.read(question.text)
    if not (asked.is_question and asked.parts):
        return found
    reached = {candidate.entry.id: candidate.entry for candidate in found if candidate.entry.kind is FACT}
    if not (reached or memory.find(scope, EntryFilter(kind=FACT.name), 1).entries):
        return found
    searched: set[str] = set()
    sentences = [asked]
    for _ in range(_HOPS):
        new = dict.fromkeys(text for said in sentences for text in texts_about(said) if text not in searched)
        texts = [*new][: _MOST_SEARCHED - len(searched)]
        if not texts:
            break
        searched.update(texts)
        others = facts_about(texts, memory, scope)
        reached |= {one.id: one for one in others if not one.resting and one.reach is not Reach.QUESTION}
        sentences = reasoner.chain(question.text, build_notes(reached.values())).reached()
    facts = [*reached.values()][:MOST_FACTS]
    outcome = reasoner.outcome(question.text, build_notes(facts))
    linked = {facts[place].id: _PERHAPS for place in outcome.about}
    linked |= {facts[place].id: _SURE for place in outcome.rests_on}
    known = {candidate.entry.id for candidate in found}
    added = [Candidate(entry, entry.keys[0]) for entry in facts if entry.id in linked and entry.id not in known]
    return [
        replace(one, scores={**one.scores, LINKED.feature: linked[one.entry.id]}) if one.entry.id in linked else one
        for one in (*found, *added[:_MOST_ADDED])
    ]


def find_steps(memory: Memory, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
    """Implement `Retriever`: add the steps that the user blocked for all conversations."""
    # Retrieval always finds the nearest fact or step; if there is none, the user has none.
    if not any(candidate.entry.kind in {FACT, STEP} for candidate in found):
        return found
    blocked: dict[str, Candidate] = {}
    for entry in _steps(memory, scope):
        if not (entry.only_in or entry.resting):
            near = _SURE if is_same_sentence(entry.question, question.text) else _PERHAPS
            blocked[entry.id] = Candidate(entry, entry.keys[0], {BLOCKED.feature: near})
    return [*(one for one in found if one.entry.id not in blocked), *blocked.values()]


def _bears(step: Candidate, decisions: Sequence[Decision]) -> bool:
    """Return True if a step was blocked for this question, or starts from a fact in the prompt."""
    shown = [one.entry for one in decisions if one.action in {Action.USE, Action.OFFER} and one.entry.kind is FACT]
    starts = not _premises(step.entry).isdisjoint(_folded(text_of_fact(entry)) for entry in shown)
    return starts or step.scores[BLOCKED.feature] == _SURE


LINKED = OfferRule("linked", Sentence("found.linked_fact"), 12)
"""Mark of a fact linked to the question: 1 if the answer rests on it, 0.5 if it may."""
BLOCKED = OfferRule("blocked", Sentence("found.blocked_step"), 5, _bears)
"""Mark of a blocked step: 1 if it was blocked for the same question, else 0.5."""
