"""The dynamic memory (section 3.3 of the paper): facts that users tell, which override the beliefs of the model.

They are collected from the words of a message, or as the model reports them (`KeepFacts`); others come from corrections
(`teaching.py`). A fact overrides the sentence of the model that it states or contradicts (`Premise`, `Assertions`).

The paper searches by the words of the question. "Can Rex bark?" finds "Rex is a dog", but "dogs can bark" only through
that fact. So `link_facts` repeats the search in a few hops, each with the question as restated by the facts found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.errors import InputError, NotFound
from assistant.events import Answered, TurnEvent
from assistant.feedback import fact_messages
from assistant.feedback.corrections import fold_for_cues, words_of
from assistant.feedback.learning import restore_or_remember
from assistant.gate.gate import OfferRule
from assistant.kinds import CLARIFICATION, FACT, STEP, Fact, Kind, Reach, Step, Triple
from assistant.language.languages import Languages
from assistant.limits import DEFAULT_LIMITS
from assistant.ports import Memory, TurnStore
from assistant.prompt.prompt import PromptInput
from assistant.reasoning.chaining import MOST_FACTS, SINGLE, Verdict
from assistant.reasoning.reading import Sentence as Read
from assistant.reasoning.reasoner import Note, Reasoner, names_both, speaks_of_writer
from assistant.reasoning.words import SYNONYMS
from assistant.reply.parser import GRAMMAR, Grammar, Tag
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence, plain
from assistant.settings import EMBEDDED
from assistant.text.cleaning import check_text, clean_for_prompt
from assistant.types import (
    Action,
    Candidate,
    Decision,
    Entry,
    NewEntry,
    Question,
    Scope,
    Status,
    Turn,
    TurnState,
    day_of,
)

TAUGHT = Grammar(
    (*GRAMMAR.tags, Tag("because", repeats=True), Tag("disputed", repeats=True), Tag("fact", repeats=True))
)
"""The tags of a reply with facts: that the answer follows from, that contradict each other, and to store."""
_NOT = "not true: "
_MOST_TOLD = 5  # facts of one message
_MOST_FOUND, _MOST_OF_A_TEXT, _MOST_STEPS = 20, 40, 200  # entries
_HOPS, _MOST_SEARCHED, _MOST_ADDED = 4, 16, 20
_SURE, _PERHAPS = 1.0, 0.5
_LONGEST_VALUE = 4  # words of a correction that is only a value
_RECENT = 4  # turns that "forget that" may refer to

_TELLS = "The message tells you something: answer that you will remember it."
_ASKS = "If the message only tells you something to remember, add <fact>it, in its own words</fact> after the answer."
_BLOCKED = (
    '"does not follow", "does not matter here" in a note: the person says so of your reasons. Do not reason that way.'
)
_BEARS = '"true" in a note: the person says that it is so. It counts if the answer rests on it.'


def fact(turn: Turn, text: str, told_at: str = "", **fields: object) -> NewEntry:
    """Return the entry of a fact that a user told in a turn, in their words, with further `fields` of `Fact`.

    `told_at` is the question that prompted it; empty for an unprompted one.
    """
    body = Fact.model_validate({"text": text, **fields})
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
    return told if told and told.kind is FACT and told.id in turn.entries_to(Action.USE) else None


def facts_told_in(turn: Turn, memory: Memory) -> Sequence[Entry]:
    """Return the active facts that were told in a turn, in order. Raises StoreError."""
    return memory.find(Scope(turn.person), EntryFilter(kind=FACT.name, turn=turn.id), _MOST_TOLD).entries[::-1]


def fold_sentence(text: str) -> str:
    """Normalise a sentence for comparison: case, white space, and punctuation around it."""
    return " ".join(clean_for_prompt(text).casefold().split()).strip(" \t\"'“”‘’«»`*.,;:!?…।-–—•")


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
        return "model" if self.entry is None else "shared" if self.entry.shared else "yours"

    @property
    def opposed(self) -> bool:
        """Return True if the fact contradicts it."""
        is_same = self.entry and fold_sentence(self.text.removeprefix(_NOT)) == fold_sentence(self.entry.shown)
        return bool(self.entry and is_same and is_denied(self.entry) is not self.text.startswith(_NOT))

    @property
    def sentence(self) -> Sentence:
        return self.entry.sentence if self.entry and not self.opposed else plain(self.text)

    @property
    def origin(self) -> Sentence:
        """Return the message about its source, and whether the model believes it."""
        if self.entry is None:
            return Sentence("why.model_believes" if self.believed else "why.model_doubts")
        told = "why.told_otherwise" if self.opposed else "why.told"
        shared = "why.shared_otherwise" if self.opposed else "why.shared"
        return Sentence(shared if self.entry.shared else told, {"day": day_of(self.entry.created).isoformat()})


@dataclass(frozen=True, slots=True)
class Assertions:
    """Facts and blocked steps of one user, which override the model's beliefs in a turn. Raises StoreError."""

    memory: Memory
    scope: Scope
    turn: Turn
    facts: Sequence[Entry] = ()  # in addition to the facts of the turn; includes shared facts

    def fact(self, premise: str) -> Entry | None:
        """Return the fact that a premise states or contradicts, the user's own before shared ones.

        Only its words decide: "you told me" in a premise has no effect.
        """
        said = premise.removeprefix(_NOT)
        found = self.memory.find(self.scope, EntryFilter(search=said, kind=FACT.name), _MOST_FOUND).entries
        near = [one.entry for one in self.turn.decisions if one.entry.kind is FACT]
        same = (one for one in (*found, *near, *self.facts) if fold_sentence(one.shown) == fold_sentence(said))
        return next(same, None)

    def blocks(self, premises: Sequence[str], conclusion: str) -> bool:
        """Return True if the user blocked this step, or excluded one of its premises for the question."""
        used, question = set(map(fold_sentence, premises)), fold_sentence(self.turn.question)
        for entry in self.memory.find(self.scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries:
            blocked = _premises(entry)
            if entry.only_in:
                applies = fold_sentence(entry.question) == question and not blocked.isdisjoint(used)
            else:
                applies = fold_sentence(entry.shown) == fold_sentence(conclusion) and blocked == used
            if applies and entry.counts_in(self.turn.conversation):
                return True
        return False


def _premises(step: Entry) -> set[str]:
    return set(map(fold_sentence, step.body.premises)) if isinstance(step.body, Step) else set()


def triples_in(text: str, reasoner: Reasoner) -> tuple[Triple, ...]:
    """Return the triples that the rules read in a sentence, which are stored with its fact without asking."""
    return tuple(one for one in reasoner.triples(text) if names_both(text, one, reasoner.words))


def parse_statement(message: str, reasoner: Reasoner) -> str:
    """Return the statement of a message if the rules can read it without a model, else an empty text."""
    text = fact_messages.strip_lead_in(message).strip(" \t\n.!…।")
    is_asking = fact_messages.speaks_of_words(text, reasoner.languages) or fact_messages.asks(
        message, reasoner.languages
    )
    if is_asking or fact_messages.is_joke(message):
        return ""  # "I need the meaning of bank" is not a fact
    return text if reasoner.tells(text) and reasoner.triples(text) else ""


def telling_hint(languages: Languages, asking: PromptInput) -> list[str]:
    """Implement `Hint` for small models, which tend to contradict a new fact."""
    question = asking.question
    tells = fact_messages.parse_fact_message(question, languages) or parse_statement(question, Reasoner(languages))
    return [_TELLS] if tells else []


def fact_hints(languages: Languages, asking: PromptInput) -> list[str]:
    """Implement `Hint` for offered facts, blocked steps, and messages that may tell a fact."""
    kinds = {entry.kind for entry in asking.entries(Action.OFFER)}
    tells = bool(fact_messages.parse_fact_message(asking.question, languages))
    applies = {_BEARS: FACT in kinds, _BLOCKED: STEP in kinds, _ASKS: tells}
    return [hint for hint, is_wanted in applies.items() if is_wanted]


@dataclass(frozen=True, slots=True)
class KeepFacts:
    """Implements `Listener`: store the facts of a message, by its own words or as the model reports them.

    If the store refuses a fact, the turn shows the error with its answer.
    """

    memory: Memory
    turn_store: TurnStore
    reasoner: Reasoner
    longest: int = DEFAULT_LIMITS.clarification  # characters of a fact

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        if not isinstance(happening, Answered):
            return
        turn, before = happening.turn, None
        words = fact_messages.parse_forget_message(turn.question, self.reasoner.languages)
        if words is not None:
            self._forget(words, turn, scope)
        with suppress(NotFound):
            before = self.turn_store.turn(turn.answers_again, scope) if turn.answers_again else None
        if before and before.question != turn.question:  # the user edited the message
            for entry in facts_told_in(before, self.memory):
                self.memory.retract(entry.id, scope)
        elif before and before.state in {TurnState.ANSWERED, TurnState.UNDONE} and self.told(before):
            return  # stored before; an undone fact must not come back
        for text in self.told(turn):
            self.keep(text, scope, turn)

    def keep(self, text: str, scope: Scope, turn: Turn | None = None) -> Entry:
        """Store a sentence as a fact, told in a turn or outside of a conversation. Raises InputError and StoreError.

        Pauses corrections that it contradicts, and replaces the fact that it changes.
        """
        said, reasoner = check_text(text, self.longest), self.reasoner
        if turn is None and (reasoner.read(said).is_question or reasoner.is_unsure(said)):
            raise InputError("fact.no_statement")
        texts, note = texts_about(reasoner.read(said)), Note(said, triples=reasoner.triples(said))
        for entry in entries_about(texts, CLARIFICATION, self.memory, scope):
            asked = reasoner.read(entry.question)
            has_one = asked.asks in SINGLE or asked.of_name or any(part.owned for part in asked.parts)
            is_value = has_one and len(words_of(entry.shown)) <= _LONGEST_VALUE and not entry.resting
            if is_value and reasoner.outcome(entry.question, [note]).verdict is Verdict.WORD:
                self.memory.pause(entry.id, scope)
        gone = [Status.RETRACTED] if turn else [Status.SUPERSEDED, Status.RETRACTED]
        turn = turn or Turn("", "", scope.person, text)
        draft = fact(turn, said, triples=triples_in(said, reasoner))
        message, others = fold_for_cues(turn.question), []
        plain = fact_messages.strip_lead_in(message)
        is_change = any(map(reasoner.says_now, (said, message))) or fact_messages.without_denial(plain) != plain
        if is_change or said not in message:  # else it was completed by the message before
            others = entries_about(texts, FACT, self.memory, scope)
        replaced = (
            one.id
            for one, note in zip(others, build_notes(others), strict=True)
            if reasoner.replaces(said, note, is_change=is_change)
        )
        entry = restore_or_remember(replace(draft, supersedes=next(replaced, None)), self.memory, scope, *gone)
        return self.memory.resume(entry.id, scope) if entry.resting else entry

    def told(self, turn: Turn) -> list[str]:
        """Return the facts that the message of an answered turn tells.

        At least half of the words of a fact that the model reports must occur in the message.
        """
        told, words = fact_messages.parse_fact_message(turn.question, self.reasoner.languages), words_of(turn.question)
        if find_replacing_fact(turn) or (turn.model == EMBEDDED and fact_messages.tells_password(turn.question)):
            return []
        if told and told.is_certain:
            return [told.fact]
        reported = {text: words_of(text) for text in turn.reply.fields.get("fact", ())[:_MOST_TOLD]}
        if turn.model == EMBEDDED:  # it quotes, or completes by the message before
            return [*reported]
        said = [text for text, of_it in reported.items() if 2 * len(of_it & words) >= len(of_it) > 0]
        return said or list(filter(None, [parse_statement(turn.question, self.reasoner)]))

    def _forget(self, words: Set[str], turn: Turn, scope: Scope) -> None:
        """Pause the facts with all words that a message asks to forget; for "forget that", the newest fact.

        Pauses the corrections of the user's questions about it, too. All stay in the memory, where the user sees them
        and can delete them for good, with the conversations that repeat them.
        """
        if words:
            found = entries_about(sorted(words), CLARIFICATION, self.memory, scope)
            found = [one for one in found if speaks_of_writer(one.question, self.reasoner.words)]
            found += entries_about(sorted(words), FACT, self.memory, scope)
            in_words = self.reasoner.languages.words
            entries = [
                one for one in found if words <= {word.folded for word in in_words(f"{one.question} {one.shown}")}
            ]
        else:
            recent = {one.id for one in self.turn_store.turns(turn.conversation, scope, _RECENT)}
            newest = self.memory.find(scope, EntryFilter(kind=FACT.name), 1).entries
            entries = [entry for entry in newest if entry.turn in recent]
        for entry in entries:
            self.memory.pause(entry.id, scope)


def entries_about(texts: Iterable[str], kind: Kind, memory: Memory, scope: Scope) -> list[Entry]:
    """Return the user's own entries of a kind that contain one of these texts, in any script. Raises StoreError."""
    found = (memory.find(scope, EntryFilter(text, kind.name), limit=_MOST_OF_A_TEXT).entries for text in texts)
    return [*{entry.id: entry for entries in found for entry in entries}.values()]


def texts_about(said: Read) -> list[str]:
    """Return search texts that find other facts about the things of a statement, or the subject of a question.

    Per thing: its shortest forms, which longer ones contain, and its English glosses.
    """
    things = [part for part in said.parts if not part.is_person]
    texts: list[str] = []
    for thing in things[:1] if said.is_question else things:
        # The ending differs in the plural: kni(fe, ves), salar(y, ies).
        keys = {form for key in thing.word.keys for form in key.split(SYNONYMS)}
        known = sorted((re.sub(r"(?<=...)(?:fe?|y)\Z", "", key.rstrip("|-")) for key in keys), key=len)
        forms = [key for at, key in enumerate(known) if not any(short in key for short in known[:at])]
        texts += [form for form in (*forms, *sorted(thing.word.glosses)) if len(form) > 1][:3]
    return texts


def build_notes(entries: Iterable[Entry]) -> list[Note]:
    """Convert facts to the form that the reasoner reads."""
    said = [entry.body for entry in entries]
    return [Note(body.text, body.denied, body.triples) for body in said if isinstance(body, Fact)]


def link_facts(
    memory: Memory, reasoner: Reasoner, question: Question, scope: Scope, found: Sequence[Candidate]
) -> Sequence[Candidate]:
    """Implement `Retriever`: add the facts that lead from the question to its answer."""
    asked = reasoner.read(question.text)
    reached = {candidate.entry.id: candidate.entry for candidate in found if candidate.entry.kind is FACT}
    has_facts = reached or memory.find(scope, EntryFilter(kind=FACT.name), 1).entries
    if not (asked.is_question and asked.parts and has_facts):
        return found
    searched: set[str] = set()
    sentences = [asked]
    for _ in range(_HOPS):
        new = dict.fromkeys(text for said in sentences for text in texts_about(said) if text not in searched)
        texts = [*new][: _MOST_SEARCHED - len(searched)]
        if not texts:
            break
        searched.update(texts)
        others = entries_about(texts, FACT, memory, scope)
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
    blocked: dict[str, Candidate] = {}
    for entry in memory.find(scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries:
        if not (entry.only_in or entry.resting):
            near = _SURE if fold_sentence(entry.question) == fold_sentence(question.text) else _PERHAPS
            blocked[entry.id] = Candidate(entry, entry.keys[0], {BLOCKED.feature: near})
    return [*(one for one in found if one.entry.id not in blocked), *blocked.values()]


def _bears(step: Candidate, decisions: Sequence[Decision]) -> bool:
    """Return True if a step was blocked for this question, or starts from a fact in the prompt."""
    shown = [one.entry for one in decisions if one.action in {Action.USE, Action.OFFER} and one.entry.kind is FACT]
    starts = not _premises(step.entry).isdisjoint(fold_sentence(text_of_fact(entry)) for entry in shown)
    return starts or step.scores[BLOCKED.feature] == _SURE


LINKED = OfferRule("linked", Sentence("found.linked_fact"), 12)
"""Mark of a fact linked to the question: 1 if the answer rests on it, 0.5 if it may."""
BLOCKED = OfferRule("blocked", Sentence("found.blocked_step"), 5, _bears)
"""Mark of a blocked step: 1 if it was blocked for the same question, else 0.5."""
