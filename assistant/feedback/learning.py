"""Save clarifications, propose their reach, and learn from the events of a turn; `app.py` lists the listeners.

The reach of a correction is the set of questions it applies to. If a user corrects "What does light mean?" to *the
opposite*, later questions "what does … mean?" must keep their meaning; but a user who means a synonym by "akin to" will
use these words again.

Reactions are counted: *Right* for all entries that the answer used (the answer also becomes an example), *Use it* for a
skipped note, *Don't use here* against a used note. The counts are features of the gate; only users pause entries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from assistant.errors import NotFound
from assistant.events import Answered, Clarified, Reacted, TurnEvent
from assistant.feedback.corrections import cue_pattern, fold_for_cues, parse_correction, replace_denied_word, words_of
from assistant.feedback.fact_messages import without_denial
from assistant.kinds import CLARIFICATION, EXAMPLE, FACT, Clarification, Example, Fact, Reach, Triple
from assistant.ports import Listener, Memory
from assistant.reports.listing import EntryFilter
from assistant.settings import EMBEDDED
from assistant.types import Action, Entry, Key, NewEntry, Reaction, ReplyStatus, Scope, Status, Turn, TurnState

_CUES_FILE = Path(__file__).with_name("reach_cues.toml")
_ONCE, _ALWAYS = (cue_pattern(_CUES_FILE, name) for name in ("once", "always"))
_COUNTED = {Reaction.CONFIRM: "helped", Reaction.USE: "helped", Reaction.EXCLUDE: "hurt"}

ProposeReach = Callable[[Turn, str, Sequence[Turn]], Reach]
"""Proposes a reach, from the corrected turn, the words of the correction, and the turns of the conversation."""


class QuestionComparer(Protocol):
    """Comparison of the wording of questions."""

    def alike(self, question: str, other: str) -> bool:
        """Return True if the questions differ only in the word they are about, and both words are of the same kind."""

    def is_about_words(self, text: str) -> bool:
        """Return True if a text names a task about words: a synonym, a meaning."""

    def is_common(self, question: str) -> bool:
        """Return True if a question about a word names the task, such as "opposite"."""

    def begins_with(self, question: str, said: str) -> bool:
        """Return True if the statement `said` starts with a term of the question."""


@dataclass(frozen=True, slots=True)
class ProposedReach:
    """Implements `ProposeReach` by rules.

    `follows` returns True if, with the correction, the model recognises a task that it missed in the question.
    """

    ways: QuestionComparer
    follows: Callable[[Turn, str], bool] = lambda _turn, _said: False

    def __call__(self, corrected: Turn, said: str, turns: Sequence[Turn]) -> Reach:
        text, question = fold_for_cues(said), corrected.question
        if _ONCE.search(text):
            return Reach.QUESTION
        if _ALWAYS.search(text):
            return Reach.WAY
        understood = [decision.entry.question for decision in corrected.decisions if decision.entry.kind.confirms]
        for turn in turns:
            if turn.state is TurnState.ANSWERED and not (turn.corrected_by or had_note(turn)):
                understood += [turn.question] if turn.question != question else []
        if any(self.ways.alike(question, other) for other in understood):
            return Reach.QUESTION
        found = parse_correction(said)
        # An explanation of the user's own word starts with it: "the brick is my old phone".
        explains = self.ways.begins_with(question, found.meant if found else said)
        is_about_words = self.ways.is_about_words(text) or self.ways.is_about_words(question)
        is_wide = not self.ways.is_common(question) if is_about_words else explains
        # Called last: it takes longer than the rest of saving.
        return Reach.WAY if is_wide or self.follows(corrected, said) else Reach.QUESTION


def had_note(turn: Turn) -> bool:
    """Return True if the answer is based on a note."""
    notes = (decision for decision in turn.decisions if decision.action is not Action.SHOW)
    return any(decision.entry.id in turn.used for decision in notes)


def build_clarification(
    turn: Turn, words: str, further_keys: tuple[Key, ...] = (), supersedes: str | None = None, **body_fields: object
) -> NewEntry:
    """Build the entry for a user's correction of a turn. A turn without an id has only a question."""
    fields: dict[str, object] = {"text": words, "wrong_understanding": turn.reply.understanding, **body_fields}
    body = Clarification.model_validate(fields)
    key = CLARIFICATION.idempotency_key(turn.id or turn.question, body)
    return NewEntry(CLARIFICATION, turn.question, body, key, turn.id, turn.model, further_keys, supersedes)


def build_corrected_fact(
    corrected: Turn,
    words: str,
    memory: Memory,
    scope: Scope,
    triples_in: Callable[[str], tuple[Triple, ...]],
    completes: Callable[[str, str], str],
) -> NewEntry | None:
    """Build the corrected version of a fact: the fact that a turn saved, or the only entry that its answer used.

    Returns None if the fact or its correction is unclear. The corrected text must share a word with the fact, and be at
    most one word shorter. If the fact comes from an answer, the correction must also change a value in it.

    Args:
        corrected: the turn that the user corrects.
        words: the words of the correction.
        memory: the store of entries.
        scope: the user and conversation.
        triples_in: returns the triples of a sentence.
        completes: applies a short correction to a statement; returns the correction itself if it does not apply.
    """
    if not corrected.id:
        return None
    facts = memory.find(scope, EntryFilter(kind=FACT.name, turn=corrected.id), limit=2).entries
    used = [one.entry for one in corrected.decisions if one.entry.id in corrected.used]
    is_answer = not facts and len(used) == 1
    facts = [one for one in used if one.kind is FACT and not one.shared] if is_answer else facts
    if len(facts) != 1 or getattr(facts[0].body, "denied", False):
        return None
    swapped = replace_denied_word(words, facts[0].shown)
    found, before = parse_correction(words), words_of(facts[0].shown)
    meant = found.meant if found else without_denial(words) if is_answer else words
    text = swapped or completes(meant, facts[0].shown)
    now = words_of(text)
    if is_answer and (text == meant or now <= before):
        return None
    if before.isdisjoint(now) or (not swapped and len(now) + 1 < len(before)):
        return None
    body = Fact(text=text, triples=triples_in(text))
    key = FACT.idempotency_key(corrected.id, body)
    return NewEntry(FACT, body.text, body, key, corrected.id, corrected.model, supersedes=facts[0].id)


def restore_or_remember(draft: NewEntry, memory: Memory, scope: Scope, *gone: Status) -> Entry:
    """Save an entry. If the same entry was saved before, but its status is in `gone`, save a new copy."""
    entry = memory.remember(draft, scope)
    while entry.status in gone:
        draft = replace(draft, idempotency_key=f"{draft.idempotency_key[:64]}:{entry.id}")
        entry = memory.remember(draft, scope)
    return entry


def call_all(*listeners: Listener) -> Listener:
    """Return a listener that calls several in order."""

    def listen(happening: TurnEvent, scope: Scope) -> None:
        for listener in listeners:
            listener(happening, scope)

    return listen


def count_uses(memory: Memory, happening: TurnEvent, scope: Scope) -> None:
    """Count uses of entries, reactions, and declined lessons. A `Listener` once `memory` is bound."""
    turn, counts = happening.turn, dict[str, tuple[str, ...]]()
    match happening:
        case Answered():
            counts["used"] = turn.used
            if turn.model != EMBEDDED:  # the embedded model cannot decline an offer
                offered = [one.entry for one in turn.decisions if one.action is Action.OFFER]
                counts["declined"] = tuple(one.id for one in offered if one.kind.keyed and one.id not in turn.used)
        case Reacted(reaction=reaction, entry_id=entry_id):
            counts[_COUNTED[reaction]] = (entry_id,) if entry_id else turn.used
    for event, entry_ids in counts.items():
        for entry_id in entry_ids:
            with suppress(NotFound):  # deleted while the answer was written
                memory.count(entry_id, event, turn.id, scope)


def keep_example(memory: Memory, happening: TurnEvent, scope: Scope) -> None:
    """Keep a confirmed turn as an example, once, without its clarification. A `Listener` once `memory` is bound."""
    turn, reply = happening.turn, happening.turn.reply
    is_confirmed = isinstance(happening, Reacted) and happening.reaction is Reaction.CONFIRM
    # Truncated and corrected replies do not become examples.
    is_good = turn.state is TurnState.ANSWERED and turn.corrected_by is None
    is_whole = bool(reply.understanding and reply.answer) and reply.status is not ReplyStatus.TRUNCATED
    if is_confirmed and is_good and is_whole:
        body = Example(understanding=reply.understanding, answer=reply.answer)
        key = EXAMPLE.idempotency_key(turn.id, body)
        draft = NewEntry(EXAMPLE, turn.question, body, key, turn=turn.id, model=turn.model)
        restore_or_remember(draft, memory, scope, Status.RETRACTED)


def request_keys(soon: Callable[[str], None], happening: TurnEvent, _scope: Scope) -> None:
    """Request keys for a clarification after its turn, in the background. A `Listener` once `soon` is bound."""
    if isinstance(happening, Clarified):
        soon(happening.entry.id)
