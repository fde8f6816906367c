"""What a person says of proposed triples: keep, change, drop; each can be taken back.

What is kept stands on the fact that the message told, or is one of its own. What was said of each proposal stands on
the turn, so that it is as it was whenever the turn is shown again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from assistant.conversation import Assistant
from assistant.errors import InputError, NotedError, NotFound, StoreError
from assistant.feedback.clarifications import remember_anew
from assistant.feedback.telling import told_in
from assistant.happenings import Answered, Happening
from assistant.kinds import Triple
from assistant.language.languages import Languages
from assistant.papers.memllm.editing import SheetEditing, reworded
from assistant.papers.memllm.learning import ReadByModel, Reads
from assistant.papers.memllm.listing import Sheet
from assistant.papers.memllm.proposing import Proposal, Proposing, State, facts_kept_of, triples_of
from assistant.ports import ChatModel, OwnEntries, Turns
from assistant.prompt.prompt import Prompting
from assistant.reasoning.names import names_both
from assistant.reasoning.reasoner import Reasoner
from assistant.reply.fields import SAID
from assistant.teachme.facts import fact
from assistant.text.cleaning import checked
from assistant.text.sentences import sentences_of
from assistant.types import Entry, Scope, Status, Turn


@dataclass(frozen=True, slots=True)
class Keeper:
    """Puts proposed triples on the facts that their messages told. Raises as `OwnEntries` does."""

    proposing: Proposing
    memory: OwnEntries
    turn_store: Turns

    @classmethod
    def of(cls, memory: OwnEntries, sheet: Sheet, turn_store: Turns, languages: Languages) -> Self:
        """One over these."""
        return cls(Proposing(memory, sheet, Reasoner(languages)), memory, turn_store)

    def keep(self, turn: Turn, proposal: Proposal, triple: Triple, scope: Scope) -> Turn:
        """Keep this triple in the place of what was proposed. Returns the turn as it is then."""
        told = proposal.entry or self._fact_of(proposal.said, turn)
        renamed = proposal.said.model_copy(update={"relation": proposal.triple.relation})
        was = proposal.triple if proposal.entry else renamed
        if told is not None:
            rest = [one for one in triples_of(told) if one not in {triple, proposal.triple}]
            text = self.editing.wording([*rest, triple], told.shown, reworded(told.shown, was, triple))
            self.memory.set_triples(told.id, [*rest, triple], scope, text)
        else:
            said = self._sentence_of(proposal.said, turn.question)
            draft = fact(turn, self.editing.wording([triple], said, reworded(said, was, triple)))
            body = draft.body.changed({"triples": [triple.model_dump()]})
            remember_anew(replace(draft, body=body), self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)
        return self._noted(turn, proposal, triple.line, scope)

    def drop(self, turn: Turn, proposal: Proposal, scope: Scope) -> Turn:
        """Propose it no more, and keep it no more."""
        self._unkeep(proposal, scope)
        return self._noted(turn, proposal, "", scope)

    def undo(self, turn: Turn, proposal: Proposal, scope: Scope) -> Turn:
        """Take back what was said of it: it is proposed again, as it was at first; what is gone stays so."""
        self._unkeep(proposal, scope)
        return self._noted(turn, proposal, "" if proposal.state is State.GONE else None, scope)

    def _unkeep(self, proposal: Proposal, scope: Scope) -> None:
        """The fact without the triple; where that was the last change of it, as it was before, with all that went."""
        if (told := proposal.entry) is None:
            return
        rest = tuple(one for one in triples_of(told) if one != proposal.triple)
        earlier = self.memory.earlier([told.id], scope).get(told.id, ())
        if rest == (triples_of(earlier[0]) if earlier and earlier[0].turn == told.turn else ()):
            self.memory.retract(told.id, scope)
            for entry in earlier:
                self._without_dropped(entry, scope)
        else:
            self.memory.set_triples(told.id, rest, scope)

    def _without_dropped(self, entry: Entry, scope: Scope) -> None:
        """What counts again says nothing that its person has dropped since."""
        if not entry.turn or self.memory.entry(entry.id, scope).status is not Status.ACTIVE:
            return
        proposals = self.proposing(self.turn_store.turn(entry.turn, scope), scope)
        dropped = {one.triple for one in proposals if one.state is State.DROPPED}
        rest = [one for one in triples_of(entry) if one not in dropped]
        if len(rest) < len(triples_of(entry)):
            self.memory.set_triples(entry.id, rest, scope)

    @property
    def editing(self) -> SheetEditing:
        """What becomes of the lines of the fact sheet."""
        return SheetEditing(self.memory, self.proposing.reasoner)

    def _fact_of(self, triple: Triple, turn: Turn) -> Entry | None:
        """The fact in whose words the things of a triple stand."""
        return next((one for one in facts_kept_of(turn, self.memory) if self._says(one.shown, triple)), None)

    def _sentence_of(self, triple: Triple, message: str) -> str:
        """What a message says of it: the sentence in which both its things stand, else all."""
        saying = (one for one in sentences_of(message) if self._says(one, triple))
        text = next(saying, message)
        told = told_in(text, self.proposing.reasoner.languages)
        return told.fact if told else text

    def _says(self, text: str, triple: Triple) -> bool:
        return names_both(text, triple, self.proposing.reasoner.words)

    def _noted(self, turn: Turn, proposal: Proposal, line: str | None, scope: Scope) -> Turn:
        said = {**(turn.reply.fields.get(SAID) or {})}
        said.pop(str(proposal.number), None)
        if line is not None:
            said[str(proposal.number)] = line
        turn = replace(turn, reply=turn.reply.with_fields(**{SAID: said or None}))
        self.turn_store.record(turn, scope)
        return turn


@dataclass(frozen=True, slots=True)
class KeepByItself:
    """Implements `Learn`: keeps what is proposed, where the person did not want to be asked.

    What may not be kept, the turn says in the words of that error: its answer stands.
    """

    keeper: Keeper

    def __call__(self, happening: Happening, scope: Scope) -> None:
        match happening:
            case Answered(turn):
                try:
                    for proposal in self.keeper.proposing(turn, scope):
                        if proposal.state is State.PROPOSED:
                            turn = self.keeper.keep(turn, proposal, proposal.triple, scope)
                except NotedError as error:
                    raise StoreError(error.sentence.code, **error.sentence.parameters) from error


@dataclass(frozen=True, slots=True)
class Keeping:
    """The same for every door. Raises, of every method, what those of `Assistant` do."""

    assistant: Assistant
    keeper: Keeper

    @property
    def editing(self) -> SheetEditing:
        """What becomes of the lines of the fact sheet."""
        return self.keeper.editing

    def read_by(self, model: ChatModel, prompting: Prompting) -> Reads:
        """Reads texts by this model."""
        return ReadByModel(model, prompting, self.keeper.proposing, self.assistant.allowance)

    def proposals(self, turn: Turn, scope: Scope) -> Sequence[Proposal]:
        """What is proposed of a turn, and what was said of it."""
        return self.keeper.proposing(turn, scope)

    def keep(self, turn_id: str, number: int, scope: Scope, line: str = "") -> Turn:
        """Keep a proposal; with a line `subject | relation | object`, as it says."""
        turn, proposal = self._found(turn_id, number, scope)
        triple = proposal.triple
        if line.strip():
            changed = Triple.read(checked(line, self.assistant.limits.clarification))
            if changed is None:
                raise InputError("triple.malformed")
            triple = changed
        if proposal.state is State.KEPT and triple == proposal.triple:
            return turn
        self.assistant.allowance.save(scope)
        return self.keeper.keep(turn, proposal, triple, scope)

    def drop(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Propose it no more."""
        turn, proposal = self._found(turn_id, number, scope)
        self.assistant.allowance.save(scope)
        return self.keeper.drop(turn, proposal, scope)

    def undo(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Take back what was said of a proposal."""
        turn, proposal = self._found(turn_id, number, scope)
        self.assistant.allowance.save(scope)
        return self.keeper.undo(turn, proposal, scope)

    def _found(self, turn_id: str, number: int, scope: Scope) -> tuple[Turn, Proposal]:
        turn = self.assistant.turn(turn_id, scope)
        found = (one for one in self.proposals(turn, scope) if one.number == number)
        proposal = next(found, None)
        if proposal is None:
            raise NotFound("triple.unknown")
        return turn, proposal
