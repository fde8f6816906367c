"""Store, replace and forget facts as messages and corrections tell them (section 3.3 of the paper)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.errors import NotFound
from assistant.events import Answered, TurnEvent
from assistant.feedback.clarifications import restore_or_remember
from assistant.feedback.corrections import is_dictated
from assistant.feedback.cues import fold_for_cues, words_of
from assistant.feedback.fact_messages import parse_fact_message, parse_forget_message, tells_password, without_denial
from assistant.kinds import CLARIFICATION, FACT
from assistant.language.languages import Languages
from assistant.limits import DEFAULT_LIMITS
from assistant.papers.teachme.facts import (
    MOST_TOLD,
    build_notes,
    entries_about,
    fact,
    facts_about,
    facts_told_in,
    find_replacing_fact,
    parse_statement,
    texts_about,
    triples_in,
)
from assistant.ports import Memory, TurnStore
from assistant.reasoning.chaining import SINGLE, Verdict
from assistant.reasoning.reasoner import Note, Reasoner, speaks_of_writer
from assistant.reports.listing import EntryFilter
from assistant.settings import EMBEDDED
from assistant.text.cleaning import check_text
from assistant.types import Entry, Scope, Status, Turn, TurnState

_HOME = ("live", "reh")  # words of sentences about a home
_LONGEST_VALUE = 4  # words of a correction that is only a value
_RECENT = 4  # turns that "forget that" may refer to


@dataclass(frozen=True, slots=True)
class KeepFacts:
    """Implements `Listener`: store the facts of a message, by its own words or as the model reports them.

    If the store refuses a fact, the turn shows the error with its answer.
    """

    memory: Memory
    turn_store: TurnStore
    languages: Languages
    longest: int = DEFAULT_LIMITS.clarification  # characters of a fact

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        if isinstance(happening, Answered):
            turn = happening.turn
            self._forget(turn, scope)
            if not self._is_kept_before(turn, scope):
                self._forget_edited(turn, scope)
                for text in self.told(turn):
                    self._keep(turn, text, scope, Status.RETRACTED)

    def keep(self, text: str, scope: Scope) -> Entry:
        """Store a sentence as a fact, outside of a conversation. Raises InputError and StoreError."""
        return self._keep(Turn("", "", scope.person, text), text, scope, Status.SUPERSEDED, Status.RETRACTED)

    def _keep(self, turn: Turn, text: str, scope: Scope, *gone: Status) -> Entry:
        """Store a fact with its triples, as a new one if it was stored before and has one of the states `gone`."""
        said = check_text(text, self.longest)
        draft = fact(turn, said, triples_in(said, Reasoner(self.languages)))
        self._pause_answers(said, scope)
        return restore_or_remember(
            replace(draft, supersedes=self._replaced(turn, said, scope)), self.memory, scope, *gone
        )

    def told(self, turn: Turn) -> list[str]:
        """Return the facts that the message of an answered turn tells.

        At least half of the words of a fact that the model reports must occur in the message.
        """
        told, words = parse_fact_message(turn.question, self.languages), words_of(turn.question)
        if find_replacing_fact(turn) or (turn.model == EMBEDDED and tells_password(turn.question)):
            return []
        if told and told.is_certain:
            return [told.fact]
        notes = [note for decision in turn.decisions for note in (decision.entry.shown, decision.entry.question)]
        reported = {text: words_of(text) for text in turn.reply.fields.get("fact", ())[:MOST_TOLD]}
        said = [text for text, of_it in reported.items() if 2 * len(of_it & words) >= len(of_it) > 0]
        said = [text for text in said if not is_dictated(text, turn.question, notes)]
        return said or list(filter(None, [parse_statement(turn.question, Reasoner(self.languages))]))

    def _is_kept_before(self, turn: Turn, scope: Scope) -> bool:
        """Return True if an earlier answer to the same message stored its facts; an undone fact must not come back."""
        try:
            earlier = self.turn_store.turn(turn.answers_again, scope) if turn.answers_again else None
        except NotFound:
            return False
        if earlier is None or earlier.question != turn.question:
            return False
        return earlier.state in {TurnState.ANSWERED, TurnState.UNDONE} and bool(self.told(earlier))

    def _forget_edited(self, turn: Turn, scope: Scope) -> None:
        """Retract the facts of the message that the user edited to this one."""
        if turn.answers_again:
            with suppress(NotFound):
                edited = self.turn_store.turn(turn.answers_again, scope)
                for entry in facts_told_in(edited, self.memory) if edited.question != turn.question else ():
                    self.memory.retract(entry.id, scope)

    def _pause_answers(self, text: str, scope: Scope) -> None:
        """Pause the corrections that gave another answer to a question which a newer fact answers."""
        reasoner = Reasoner(self.languages)
        note = Note(text, triples=reasoner.triples(text))
        for entry in entries_about(texts_about(reasoner.read(text)), CLARIFICATION, self.memory, scope):
            asked = reasoner.read(entry.question)
            has_one = asked.asks in SINGLE or asked.of_name or any(part.owned for part in asked.parts)
            is_value = has_one and len(words_of(entry.shown)) <= _LONGEST_VALUE and not entry.resting
            if is_value and reasoner.outcome(entry.question, [note]).verdict is Verdict.WORD:
                self.memory.pause(entry.id, scope)

    def _replaced(self, turn: Turn, text: str, scope: Scope) -> str | None:
        """Return the id of the fact that a new one replaces, preferably one with triples; None if both stay.

        "I no longer work in Goa" and "actually, my pin is 22" replace. A newer triple of a relation with one value
        replaces the older one in the store, without such words.
        """
        reasoner = Reasoner(self.languages)
        message = fold_for_cues(turn.question)
        if not (reasoner.says_now(text) or without_denial(message) != message):
            return None
        values = {reasoner.slot(one): one.object for one in reasoner.triples(text)}
        home = _HOME if reasoner.changes_place(text) else ()
        replaced: list[Entry] = []
        for entry in facts_about([*texts_about(reasoner.read(text)), *home], self.memory, scope):
            triples = reasoner.triples(entry.shown)
            is_other = any(values.get(reasoner.slot(one), one.object) != one.object for one in triples)
            if is_other or any(reasoner.ends(text, note) for note in build_notes([entry])):
                replaced.append(entry)
        replaced.sort(key=lambda entry: not getattr(entry.body, "triples", ()))
        return replaced[0].id if replaced else None

    def _forget(self, turn: Turn, scope: Scope) -> None:
        """Retract the facts with all words that a message asks to forget; for "forget that", the newest fact.

        Retracts the earlier versions, too, since retracting a fact restores the one that it replaced, and the
        corrections of the user's questions about it.
        """
        words, reasoner = parse_forget_message(turn.question, self.languages), Reasoner(self.languages)
        if words is None:
            return
        if words:
            corrections = entries_about(sorted(words), CLARIFICATION, self.memory, scope)
            found = [one for one in corrections if speaks_of_writer(one.question, reasoner.words)]
            found += facts_about(sorted(words), self.memory, scope)
            folded = [{word.folded for word in self.languages.words(f"{one.question} {one.shown}")} for one in found]
            entries = [entry for entry, said in zip(found, folded, strict=True) if words <= said]
        else:
            recent = {one.id for one in self.turn_store.turns(turn.conversation, scope, _RECENT)}
            newest = self.memory.find(scope, EntryFilter(kind=FACT.name), 1).entries
            entries = [entry for entry in newest if entry.turn in recent]
        earlier = self.memory.earlier([entry.id for entry in entries], scope)
        for entry in entries:
            for one in (entry, *earlier.get(entry.id, ())):
                self.memory.retract(one.id, scope)
