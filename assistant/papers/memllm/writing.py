"""Memory writes (MemLLM, section 3.2), by prompts in place of a finetuned model.

A reply to a message that may tell a fact writes `<keep>subject | relation | object</keep>`. The triple is proposed if
the message names both things, in any script, and stored on the fact that the message told (`TripleProposals`). A longer
text is read sentence by sentence, by a call for each (`ReadByModel`) or by rule. The model reads the rest of a sentence
again, since it ends its list too early (late stopping, appendix A). The paper uses token scores; here, an empty result
ends the loop (`read_sentence`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from assistant.errors import EmptyReply, InputError
from assistant.feedback.corrections import words_of
from assistant.feedback.fact_messages import parse_fact_message
from assistant.kinds import Triple
from assistant.language.languages import Languages
from assistant.limits import Allowance
from assistant.papers.memllm.sheet import SheetEditing, sentences_of_triples, triples_of
from assistant.papers.teachme.facts import TAUGHT, facts_told_in, find_replacing_fact, triples_in
from assistant.ports import ChatModel
from assistant.prompt.calling import IsStopped, hear
from assistant.prompt.prompt import PromptBuilder, PromptInput
from assistant.proposals import Proposal, Proposals, State
from assistant.reasoning.reasoner import Reasoner, names_both
from assistant.reasoning.words import Words
from assistant.reply.parser import Grammar, Tag, parse_reply
from assistant.text.sentences import sentences_of
from assistant.types import Entry, Reply, Scope, Turn, TurnState

KEEP_TAG = Tag("keep", repeats=True)
"""A triple of the message that the reply proposes to store."""
PROPOSED = Grammar((*TAUGHT.tags, KEEP_TAG))
"""The tags of a reply that may propose triples."""
_KEEPS = 'Then add <keep>subject | relation | object</keep> for each thing it says; its writer is "I".'
_MOST = 5  # proposals of a message
_MOST_ASKS = 4  # of one sentence

TripleReader = Callable[[str, Scope], Sequence[Triple]]
"""Extracts the triples of a sentence or of its rest. Raises ModelError and TooOften."""


def keep_hint(languages: Languages, asking: PromptInput) -> list[str]:
    """Implement `Hint`: request triples if a message may tell a fact."""
    return [_KEEPS] if parse_fact_message(asking.question, languages) else []


def read_triple(line: str, text: str, words: Words, notes: Sequence[str] = ()) -> Triple | None:
    """Parse the triple in a line of a model, with the writer of the text as "I".

    None if it is not a triple, names a thing that the text does not name, or comes from one of the `notes` in the
    prompt: the note has all its words, and the text has no word of its relation.
    """
    triple = Triple.read(line)
    if triple is None:
        return None
    you = {"you", "user", "the user"}  # a model's words for the writer
    writer = {side: "I" for side in ("subject", "object") if getattr(triple, side).casefold() in you}
    triple = triple.model_copy(update=writer)
    said = words_of(triple.line.replace("|", " "))
    if words_of(triple.relation).isdisjoint(words_of(text)) and any(said <= words_of(note) for note in notes):
        return None
    return triple if names_both(text, triple, words) else None


@dataclass(frozen=True, slots=True)
class TripleProposals(Proposals[Triple]):
    """Triples of a message, stored on the fact that it told, or as a new fact."""

    reasoner: Reasoner = field(kw_only=True)
    told: Callable[[Turn], Sequence[str]] = field(kw_only=True)  # returns the facts that the message of a turn told
    unknown: ClassVar[str] = "triple.unknown"
    reply_field: ClassVar[str] = KEEP_TAG.name

    def of(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Triple]]:  # noqa: ARG002
        lines = turn.reply.fields.get("keep", ())[:_MOST]
        if not lines or turn.state is not TurnState.ANSWERED:
            return ()
        instead, facts = find_replacing_fact(turn), self._facts_of(turn)
        message, told = (instead.shown, [instead.shown]) if instead else (turn.question, self.told(turn))
        notes = [note for decision in turn.decisions for note in (decision.entry.shown, decision.entry.question)]
        decided = turn.reply.fields.get("keep_said", {})
        is_over = bool(told) and not facts  # taken back, denied or replaced
        # Triples that the rules read are stored with the fact already, even if a model words the relation otherwise.
        stored = {_things(triple) for text in told for triple in triples_in(text, self.reasoner)}
        found: dict[Triple, Proposal[Triple]] = {}
        for number, line in enumerate(lines, 1):
            proposed = read_triple(line, message, self.reasoner.words, notes)
            if proposed is None or _things(proposed) in stored:
                continue
            kept = decided.get(str(number))  # the line; empty if discarded
            said = (Triple.read(kept) if kept else None) or proposed
            entry = next((one for one in facts if said in triples_of(one) and kept != ""), None)
            state = State.DISCARDED if kept == "" else State.GONE if kept else State.PROPOSED
            found.setdefault(said, Proposal(number, proposed, said, State.KEPT if entry else state, entry))
        return tuple(one for one in found.values() if not (is_over and one.state is State.PROPOSED))

    def changed(self, said: Triple, words: str) -> Triple:  # noqa: ARG002
        if triple := Triple.read(words):
            return triple
        raise InputError("triple.malformed")

    def store(self, turn: Turn, proposal: Proposal[Triple], said: Triple, scope: Scope) -> None:
        """Add the triple to its fact. If the user changed it, rewrite the text of the fact from its triples."""
        words = self.reasoner.words
        worded = proposal.said if proposal.entry else proposal.proposed
        naming = (one for one in self._facts_of(turn) if names_both(one.shown, worded, words))
        if entry := proposal.entry or next(naming, None):
            triples = [*(one for one in triples_of(entry) if one not in {said, proposal.said}), said]
            text = "" if said == worded else sentences_of_triples(triples, words)
            self.memory.set_triples(entry.id, triples, scope, text)
            return
        text = sentences_of_triples([said], words)
        if said == worded:  # the sentence that names both things, without "remember that"
            text = next((one for one in sentences_of(turn.question) if names_both(one, said, words)), turn.question)
            told = parse_fact_message(text, self.reasoner.languages)
            text = told.fact if told else text
        SheetEditing(self.memory, words).remember(text, [said], scope, turn)

    def take_back(self, turn: Turn, proposal: Proposal[Triple], scope: Scope) -> None:  # noqa: ARG002
        """Remove the triple from its fact: retract to a version without it if there is one, else edit."""
        told = proposal.entry
        if told is None:
            return
        rest = tuple(one for one in triples_of(told) if one != proposal.said)
        earlier = self.memory.earlier([told.id], scope).get(told.id, ())
        versions = [told, *(one for one in earlier if one.turn == told.turn)]
        before = [*map(triples_of, versions[1:])]
        if proposal.said in triples_of(versions[-1]):
            before.append(())  # before the first version, there was no fact
        if rest not in before:
            self.memory.set_triples(told.id, rest, scope)
            return
        for version in versions[: before.index(rest) + 1]:
            self.memory.retract(version.id, scope)

    def decided(self, reply: Reply, number: int, state: State, said: Triple) -> Reply:
        lines = {**reply.fields.get("keep_said", {}), str(number): said.line if state is State.KEPT else ""}
        if state is State.PROPOSED:
            del lines[str(number)]
        return reply.with_fields(keep_said=lines)

    def _facts_of(self, turn: Turn) -> Sequence[Entry]:
        """Return the facts that a turn told, or the one that corrected it."""
        instead = find_replacing_fact(turn)
        now = self.memory.current(instead.id, Scope(turn.person)) if instead else None
        return [now] if now else facts_told_in(turn, self.memory)


def _things(triple: Triple) -> frozenset[str]:
    return frozenset(name.casefold() for name in (triple.subject, triple.object))


def read_sentence(text: str, reads: TripleReader, scope: Scope) -> Sequence[Triple]:
    """Extract the triples of a sentence, reading the rest again until it gives nothing, in at most four calls.

    The rest starts at the first break after the last thing found. Without any triple in the first part there is no
    second call, since the first part may change the meaning of the rest ("unless …").
    """
    found: dict[Triple, None] = {}
    rest = text
    for _ in range(_MOST_ASKS):
        new = [triple for triple in reads(rest, scope) if triple not in found] if rest else []
        if not new:
            break
        found |= dict.fromkeys(new)
        said, names = rest.casefold(), [name for one in new for name in (one.subject, one.object)]
        end = max(said.rfind(name.casefold()) + len(name) for name in names)
        parts = re.split(
            r"[,;:—–।]\s*|(?<!\s)\s+(?:and|aur|te|और|ਤੇ|ਅਤੇ)\s+", rest[end:], maxsplit=1, flags=re.IGNORECASE
        )
        rest = "".join(parts[1:]).strip()
    return tuple(found)


def read_by_rule(reasoner: Reasoner, text: str, _scope: Scope) -> Sequence[Triple]:
    """Implement `TripleReader` for simple sentences, without a language model."""
    return reasoner.triples(text)


@dataclass(frozen=True, slots=True)
class ReadByModel:
    """Implements `TripleReader`: one call of a model per text, which is rate-limited like an answer."""

    model: ChatModel
    prompt_builder: PromptBuilder
    words: Words
    allowance: Allowance
    is_stopped: IsStopped = lambda: False

    def __call__(self, text: str, scope: Scope) -> Sequence[Triple]:
        self.allowance.turn(scope)
        messages = self.prompt_builder.call("memllm/keep", sentence=[{"sentence": text}])
        reply = hear(self.model, messages, is_stopped=self.is_stopped)
        if not reply.strip():
            raise EmptyReply
        lines = parse_reply(reply, Grammar((KEEP_TAG,))).fields.get("keep", ())
        return [triple for line in lines if (triple := read_triple(line, text, self.words))]
