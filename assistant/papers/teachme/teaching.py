"""Interact about an answer (section 3.2 of the paper): ask for its reasons, correct them, get a new answer.

If an answer came without premises, `Teaching.why` asks the model for them, in one call. `Reasons` are computed on each
read, since facts change. Each act of the dialog (figure 3) stores facts or blocked steps, and the question is asked
again with them in its prompt. The model replies in these tags:

    <because>A magnet can attract magnetic metals.</because>
    <doubted>A penny is made of a magnetic metal.</doubted>
    <claim>A magnet can attract a penny.</claim>
    <follows>yes</follows>
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from assistant import turn_changes
from assistant.conversation import Assistant
from assistant.errors import EmptyText, InputError, NotFound
from assistant.events import Event, Finished, Saved, Waiting
from assistant.feedback.learning import restore_or_remember
from assistant.gate.gate import JUST_TOLD
from assistant.kinds import FACT, STEP, Step, texts_in
from assistant.model_usage import Meter
from assistant.papers.calls import Calls
from assistant.papers.teachme.facts import (
    Assertions,
    Premise,
    fact,
    find_stated_entry,
    is_answer,
    is_denied,
    text_of_fact,
)
from assistant.papers.teachme.thinking import LONGEST_TEXT, ThinkThrough, one_line, sentences
from assistant.reply.fields import PremiseFields
from assistant.reply.parser import Grammar, Tag
from assistant.sentences import Sentence
from assistant.text.cleaning import check_text
from assistant.text.content_rules import check_private
from assistant.types import Action, Entry, NewEntry, Scope, Status, Turn, TurnState

_HISTORY = 12  # turns
_WHY = Grammar(
    (
        Tag("because", repeats=True),
        Tag("doubted", repeats=True),
        Tag("claim"),
        Tag("follows", read=lambda text: not text.strip().casefold().startswith("no")),
    )
)


@dataclass(frozen=True, slots=True)
class Reasons:
    """Premises of an answer, with a verdict."""

    claim: str  # the answer as one statement
    premises: tuple[Premise, ...]  # believed ones first; numbered from 1
    verdict: Sentence  # says if the answer follows

    @property
    def proves(self) -> bool:
        """Return True if the premises prove the answer, according to the model and the user."""
        return self.verdict.code == "why.follows"


class Act(StrEnum):
    """A correction of the reasons for an answer."""

    WRONG = "wrong"  # a premise is false; words, if any, are true instead
    DOES_NOT_MATTER = "does-not-matter"  # a premise is irrelevant for the question
    DOES_NOT_FOLLOW = "does-not-follow"  # the answer does not follow from the premises
    MISSING = "missing"  # words are a missing fact
    ANSWER = "answer"  # words are the right answer
    TRUE = "true"  # a premise is true, although the model does not believe it


def _corrections(
    act: Act, turn: Turn, reasons: Reasons | None, number: int, words: str
) -> tuple[list[NewEntry], tuple[str, ...]]:
    """Return the entries that an act stores, and ids of entries that the next answer must not use.

    `number` is the number of a premise, from 1; `words` is a fact or an answer, depending on the act. Raises InputError
    if either is missing or invalid.
    """
    told = partial(fact, turn, told_at=turn.question)
    if act in {Act.MISSING, Act.ANSWER}:
        if not words:
            raise EmptyText
        return [told(words, only_its_question=act is Act.ANSWER)], ()
    if reasons is None or not reasons.premises:
        raise InputError("why.no_reasons")
    if act is Act.DOES_NOT_FOLLOW:
        believed = [premise for premise in reasons.premises if premise.believed]
        return [_step(turn, believed or reasons.premises, reasons.claim)], ()
    if not 1 <= number <= len(reasons.premises):
        raise InputError("why.which_premise", count=len(reasons.premises))
    premise = reasons.premises[number - 1]
    entry = premise.entry
    left_out = (entry.id,) if entry else ()
    if act is Act.DOES_NOT_MATTER:
        return [_step(turn, (premise,), reasons.claim, only_in=turn.conversation)], left_out
    instead = [told(words)] if words and act is Act.WRONG else []
    if entry is None:
        return [told(premise.text, denied=act is Act.WRONG), *instead], ()
    contradicts = premise.opposed is (act is Act.TRUE)  # else it repeats the fact
    correction = told(entry.shown, denied=is_denied(entry) is not contradicts)
    if contradicts and entry.shared:
        return [correction, *instead], left_out
    # Superseding the user's own fact lets an undo restore it.
    return [replace(correction, supersedes=entry.id if contradicts else None), *instead], ()


def _step(turn: Turn, premises: Sequence[Premise], claim: str, only_in: str = "") -> NewEntry:
    """Return the entry of a blocked step, or of a premise excluded in one conversation."""
    texts = tuple(premise.text for premise in premises)
    quoted = tuple(premise.entry.id for premise in premises if premise.entry)
    body = Step(premises=texts, conclusion=claim, only_in=only_in, in_view=quoted)
    return NewEntry(STEP, turn.question, body, STEP.idempotency_key(turn.id, body), turn=turn.id, model=turn.model)


@dataclass(frozen=True, slots=True)
class Teaching:
    """Reasons for answers and their corrections, for every interface.

    Methods raise the errors of `Assistant`; `why` also raises ModelError.
    """

    assistant: Assistant

    def why(self, turn_id: str, scope: Scope) -> Iterator[Event]:
        """Ask the model for the reasons of an answer, unless they are known. The last event has the turn with them."""
        turn = self.assistant.turn(turn_id, scope)
        if turn.state is not TurnState.ANSWERED or not turn.reply.answer:
            raise InputError("why.no_answer")
        if self.reasons(turn, scope):
            yield Finished(turn)
            return
        self.assistant.allowance.turn(scope)
        runner, known, meter = self.assistant.runner, Assertions(self.assistant.memory, scope, turn), Meter()
        calls = Calls(runner.model, meter)
        asked = {"question": turn.question, "understanding": turn.reply.understanding, "answer": turn.reply.answer}
        facts = [one for one in turn.decisions if one.entry.kind is FACT and one.action is not Action.SKIP]
        messages = runner.prompt_builder.call(
            "teachme/why",
            asked=[{name: text[:LONGEST_TEXT] for name, text in asked.items()}],
            facts=[one.entry.prompted for one in facts if one.entry.id in turn.used or one.reason == JUST_TOLD],
        )
        (reply,) = yield from calls.results([partial(calls.ask, messages, _WHY)], Waiting(turn.id))
        said = reply.fields
        believed, doubted = sentences(said.get("because", ())), sentences(said.get("doubted", ()))
        premises = {**dict.fromkeys(doubted, False), **dict.fromkeys(believed, True)}
        turn = self.assistant.turn(turn.id, scope)  # its record may have changed meanwhile
        quoted = (entry.id for text in premises if (entry := known.fact(text)))
        reply = turn.reply.with_fields(
            why={
                "premises": tuple(PremiseFields(text=text, believed=is_so) for text, is_so in premises.items()),
                "claim": one_line(said.get("claim", "")),
                "follows": said.get("follows"),
            },
            in_view=tuple(dict.fromkeys((*turn.reply.in_view, *quoted))),
        )
        usage = turn.usage + meter.sum if turn.usage and meter.sum else turn.usage or meter.sum
        turn = replace(turn, reply=reply, usage=usage)
        runner.turn_store.record(turn, scope)
        yield Finished(turn)

    def reasons(self, turn: Turn, scope: Scope) -> Reasons | None:
        """Return the current reasons for an answer; None before `why`, unless the answer has its own."""
        fields, known = turn.reply.fields, Assertions(self.assistant.memory, scope, turn)
        if "because" in fields:
            claim, follows = fields.get("thought", {}).get("claim", ""), True
            said = [(text, True) for text in fields["because"]]
        elif "why" in fields:
            claim, follows = fields["why"]["claim"], fields["why"]["follows"] is not False
            said = [(one["text"], one["believed"]) for one in fields["why"]["premises"]]
        else:
            return None
        found, claim = [Premise(text, is_so, known.fact(text)) for text, is_so in said], claim or turn.reply.answer
        for at, premise in enumerate(found):
            # A premise about a denied fact that the answer is based on means the denial, in any wording.
            entry = premise.entry if "because" in fields else None
            if entry and is_denied(entry) and entry.id in turn.used:
                found[at] = replace(premise, text=text_of_fact(entry))
        found.sort(key=lambda premise: not premise.believed)
        believed = [premise.text for premise in found if premise.believed]
        verdicts = {
            "why.nothing": not found,
            "why.blocked": bool(believed) and known.blocks(believed, claim),
            "why.disputed": any(text in fields.get("disputed", ()) for text in fields.get("because", ())),
            "why.no_proof": len(believed) < len(found),
            "why.does_not_follow": not follows or any(premise.opposed for premise in found),
            "why.follows": True,
        }
        return Reasons(claim, tuple(found), Sentence(next(code for code, applies in verdicts.items() if applies)))

    def dispute(self, turn_id: str, act: Act, scope: Scope, premise: int = 0, words: str = "") -> Iterator[Event]:
        """Store a correction of the reasons for an answer, and answer its question again.

        `premise` is the number of a premise in `Reasons`; some acts need it, some need `words` (see `Act`).
        """
        words = check_text(words, self.assistant.limits.clarification) if words.strip() else ""
        turn = self.assistant.turn(turn_id, scope)
        if turn.state is TurnState.CORRECTION:
            raise InputError("correction.itself")
        drafts, left_out = _corrections(act, turn, self.reasons(turn, scope), premise, words)
        for text in (text for draft in drafts for text in texts_in(draft.body.stored())):
            check_private(text)  # check everything before storing anything
        self.assistant.allowance.turn(scope)
        self.assistant.allowance.save(scope)
        memory, runner = self.assistant.memory, self.assistant.runner
        told = [restore_or_remember(draft, memory, scope, Status.SUPERSEDED, Status.RETRACTED) for draft in drafts]
        answered = self.assistant.find_answer(turn, told[0], told[-1], scope)
        turn = replace(turn, corrected_by=told[0].id)
        yield from (Saved(entry, turn) for entry in told)
        if answered:
            yield Finished(answered)
            return
        runner.turn_store.mark(turn, scope)
        again = turn_changes.repeat_turn(turn, scope, runner.model.name, told[-1], left_out)
        for earlier in _just_told(turn):  # from earlier acts, in their current version
            current = memory.current(earlier.id, scope)
            if current and current.kind is earlier.kind and current.id not in again.left_out:
                told.append(current)
        if "thought" in turn.reply.fields:
            runner = replace(runner, generator=self.thinking())
        before = runner.turn_store.turns(turn.conversation, scope, _HISTORY, before=turn.id)
        yield from runner.run(again, scope, before, told=told)

    def asks_back(self, turn: Turn) -> Sentence | None:
        """Return the question for the core fact, if the user told only the answer."""
        told = find_stated_entry(turn)
        return Sentence("why.core_fact") if told and is_answer(told) else None

    def undo(self, entry_id: str, scope: Scope) -> tuple[Turn, ...]:
        """Undo an entry as `Assistant.undo` does, with the other entries of the same act.

        Raises InputError if a later act replaced it, since the undo would silently affect that act, too.
        """
        entry = self.assistant.current_entry(entry_id, scope)
        if entry.status is Status.SUPERSEDED:
            raise InputError("undo.said_otherwise")
        turns: Sequence[Turn] = ()
        with suppress(NotFound):
            turns = self.assistant.turns(self.assistant.turn(entry.turn, scope).conversation, scope)
        acts = ([one.id for one in _just_told(turn) if one.turn == turn.answers_again] for turn in turns)
        together = next((act for act in acts if entry_id in act), [entry_id])
        changed = {turn.id: turn for told in together for turn in self.assistant.undo(told, scope)}
        return tuple(changed.values())

    def thinking(self) -> ThinkThrough:
        """Return the `ThinkThrough` generator with the parts of the assistant."""
        runner = self.assistant.runner
        if isinstance(runner.generator, ThinkThrough):
            return runner.generator
        return ThinkThrough(runner.find, self.assistant.memory, runner.generator, self.assistant.allowance)


def _just_told(turn: Turn) -> list[Entry]:
    """Return the entries by which the user corrected the reasons before this turn."""
    return [one.entry for one in turn.decisions if one.reason == JUST_TOLD and one.action is Action.OFFER]
