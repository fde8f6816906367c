"""What people tell becomes facts: seen in a message by its words, or by the model that answers it; kept, with undo."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from assistant.errors import NotedError, NotFound, StoreError
from assistant.feedback.clarifications import remember_anew
from assistant.feedback.corrections import is_dictated
from assistant.feedback.cues import words_of
from assistant.feedback.telling import asks, forgotten_in, speaks_of_words, told_in, without_lead_in
from assistant.happenings import Answered, Happening
from assistant.kinds import FACT, STEP, Fact
from assistant.language.languages import Languages
from assistant.limits import DEFAULT_LIMITS
from assistant.papers.teachme.linked_facts import SearchedFacts, notes_of, texts_about
from assistant.papers.teachme.told import retold
from assistant.ports import OwnEntries, Turns
from assistant.prompt.sections import Asking
from assistant.reasoning.reasoner import Reasoner
from assistant.reply import fields
from assistant.reply.grammar import GRAMMAR, Grammar, Tag
from assistant.reports.listing import EntryFilter
from assistant.text.cleaning import checked
from assistant.types import Action, Draft, Entry, Scope, Status, Turn, TurnState

FACT_TAG = Tag(fields.FACT, repeats=True)
"""What a reply would have kept of the message that it answers: an assertion, in the person's own words."""
BECAUSE_TAG = Tag(fields.BECAUSE, repeats=True)
"""One of the facts that an answer follows from, in the words in which it was told."""
DISPUTED_TAG = Tag(fields.DISPUTED, repeats=True)
"""One of the facts that an answer says do not go together."""
TAUGHT = Grammar((*GRAMMAR.tags, BECAUSE_TAG, DISPUTED_TAG, FACT_TAG))
"""What a reply may have where facts are kept."""
_HOME = ("live", "reh")  # in sentences about where somebody lives
_RECENT = 4  # turns in which "forget that" may mean something
_MOST = 5  # facts of one message
_ACTUALLY = re.compile(r"\W*actually\b", re.IGNORECASE)
_AROUND = " \t\n.!…।"
_TELLS = "The message tells you something: answer that you will remember it."
_ASKS = "If the message only tells you something to remember, add <fact>it, in its own words</fact> after the answer."
_BLOCKED = (
    '"does not follow", "does not matter here" in a note: the person says so of your reasons. Do not reason that way.'
)
_BEARS = '"true" in a note: the person says that it is so. It counts if the answer rests on it.'


def fact(turn: Turn, text: str, *, denied: bool = False, told_at: str = "") -> Draft:
    """The entry that an assertion amounts to: what a person said, or denied, in a turn.

    `told_at` is the question that it was told at; empty where it was told out of the blue.
    """
    body = Fact(text=text, denied=denied)
    key = FACT.idempotency_key(turn.id or told_at or text, body)
    return Draft(FACT, told_at or text, body, key, turn=turn.id, model=turn.model)


def facts_told_in(turn: Turn, memory: OwnEntries) -> Sequence[Entry]:
    """The facts that count and were told in a turn, in their order. Raises StoreError."""
    wanted = EntryFilter(kind=FACT.name, turn=turn.id)
    return memory.find(Scope(turn.person), wanted, _MOST).entries[::-1]


def plainly_told(message: str, reasoner: Reasoner) -> str:
    """Return the simple statement that a message is, which needs no model to be read; else nothing."""
    text = without_lead_in(message).strip(_AROUND)
    if speaks_of_words(text, reasoner.languages) or asks(message, reasoner.languages):
        return ""  # "I need the meaning of bank" is no fact
    return text if reasoner.tells(text) and reasoner.triples(text) else ""


@dataclass(frozen=True, slots=True)
class KeepFacts:
    """Implements `Learn`: keeps what a message told, as it says itself, or as the model says that answered it.

    What may not be kept, the turn says in the words of that error: its answer stands.
    """

    memory: OwnEntries
    turn_store: Turns
    languages: Languages
    longest: int = DEFAULT_LIMITS.clarification  # characters of a fact

    def __call__(self, happening: Happening, scope: Scope) -> None:
        match happening:
            case Answered(turn):
                try:
                    self._forget(turn, scope)
                    for text in () if self._is_again(turn, scope) else self.told(turn):
                        said = checked(text, self.longest)
                        draft = replace(fact(turn, said), supersedes=self._ended(turn, said, scope))
                        remember_anew(draft, self.memory, scope, Status.RETRACTED)
                except NotedError as error:
                    raise StoreError(error.sentence.code, **error.sentence.parameters) from error

    def _forget(self, turn: Turn, scope: Scope) -> None:
        """Stop using the told facts that have all words of what a message wants forgotten, or the one told last."""
        words = forgotten_in(turn.question, self.languages)
        entries = [] if words is None else self._meant(words, turn, scope)
        earlier = self.memory.earlier([entry.id for entry in entries], scope)
        for entry in entries:
            for one in (entry, *earlier.get(entry.id, ())):  # what it replaced comes back with it, and goes too
                self.memory.retract(one.id, scope)

    def _meant(self, words: Set[str], turn: Turn, scope: Scope) -> list[Entry]:
        """Return the told facts that have all of these words; with none, the last one that was told just before."""
        if words:
            found = SearchedFacts(self.memory)(sorted(words), scope)
            return [one for one in found if words <= {word.folded for word in self.languages.words(one.shown)}]
        recent = {one.id for one in self.turn_store.turns(turn.conversation, scope, _RECENT)}
        entries = self.memory.find(scope, EntryFilter(kind=FACT.name), 1).entries
        return [entry for entry in entries if entry.turn in recent]

    def _ended(self, turn: Turn, text: str, scope: Scope) -> str | None:
        """Return the id of the fact that is so no longer by this, one with triples first; None where there is none.

        What is said to be so now, or "actually", takes the place of what was told of the same thing and relation.
        """
        reasoner = Reasoner(self.languages)
        said, is_new = reasoner.read(text), reasoner.says_now(text) or bool(_ACTUALLY.match(turn.question))
        if not is_new:
            return None
        home = _HOME if reasoner.changes_place(text) else ()
        known = SearchedFacts(self.memory)([*texts_about(said), *home], scope)
        ended = [entry for entry in known for note in notes_of([entry]) if reasoner.ends(text, note)]
        told = {reasoner.slot(one): one.object for one in reasoner.triples(text)}
        for entry in known:
            triples = reasoner.triples(entry.shown)
            ended += [entry for one in triples if told.get(reasoner.slot(one), one.object) != one.object]
        ended.sort(key=lambda entry: not getattr(entry.body, "triples", ()))
        return ended[0].id if ended else None

    def _is_again(self, turn: Turn, scope: Scope) -> bool:
        """Whether an earlier answer to the same message kept what it told: once is enough, also where it was undone."""
        try:
            earlier = self.turn_store.turn(turn.answers_again, scope) if turn.answers_again else None
        except NotFound:
            return False
        if earlier is None or earlier.question != turn.question:
            return False
        is_answer = earlier.state in {TurnState.ANSWERED, TurnState.UNDONE}
        return (is_answer and bool(self.told(earlier))) or self._is_again(earlier, scope)

    def told(self, turn: Turn) -> list[str]:
        """Return what the message of an answered turn told: by its own words, by the model, or as it can be read."""
        told = told_in(turn.question, self.languages)
        if retold(turn):
            return []
        if told and told.is_certain:
            return [told.fact]
        notes = [note for decision in turn.decisions for note in (decision.entry.shown, decision.entry.question)]
        named = dict.fromkeys(turn.reply.fields.get(FACT_TAG.name, ())[:_MOST])
        said = [text for text in named if _is_said(text, turn.question) and not is_dictated(text, turn.question, notes)]
        return said or list(filter(None, [plainly_told(turn.question, Reasoner(self.languages))]))


def _is_said(fact: str, message: str) -> bool:
    """Whether a message says it: a model may put it in better words, but nothing into the person's mouth."""
    said = words_of(fact)
    return 2 * len(said & words_of(message)) >= len(said) > 0


@dataclass(frozen=True, slots=True)
class TellingHint:
    """A `Hint` for small models, which else contradict what they are told."""

    languages: Languages

    def __call__(self, asking: Asking) -> list[str]:
        tells = told_in(asking.question, self.languages) or plainly_told(asking.question, Reasoner(self.languages))
        return [_TELLS] if tells else []


@dataclass(frozen=True, slots=True)
class FactHints:
    """What a prompt says beside the question about facts: only where it holds some, or the message may tell one."""

    languages: Languages

    def __call__(self, asking: Asking) -> list[str]:
        offered = asking.entries(Action.OFFER)
        bears = any(entry.kind.name == FACT.name for entry in offered)
        blocks = any(entry.kind.name == STEP.name for entry in offered)
        return [
            *([_BEARS] if bears else []),
            *([_BLOCKED] if blocks else []),
            *([_ASKS] if told_in(asking.question, self.languages) else []),
        ]
