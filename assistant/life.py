"""The life of a turn: what may happen to it, and what it is then. Pure, and the only place that changes a turn's state.

    state                what happens                       state then   what is written down with it
    none                 a message is sent                  running
    none                 its question is answered again     running      answers_again, and how: see below
    running              the reply is whole                 answered     reply, used
    running              whoever reads it leaves            stopped      what has come of the reply, used
    running              the model or the memory fails      failed       error
    running              it puts the turn before right      correction
    correction           that is saved                      correction   corrected_by
    correction           that cannot be saved               failed       error
    any but correction   the person says what they meant    as it was    corrected_by
    any but correction   the person disputes its reasons    as it was    corrected_by
    any but correction   the person says that it is right   as it was    confirmed
    any                  an entry is taken back:
                           it was answered with that        undone       not confirmed
                           this message became that         undone       not confirmed
                           that was given for it            as it was    corrected_by, as before
                           it was kept as that              as it was    not confirmed

A turn stays what it is when its question is answered again: the new one names it (`answers_again`), what was said of it
(`clarified_with`), and which entries the person does or does not want for it (`chosen`, `left_out`).
"""

import uuid
from collections.abc import Collection
from dataclasses import replace

from assistant.errors import NotFound
from assistant.sentences import Sentence
from assistant.types import Action, Entry, Reply, Scope, Turn, TurnState


def asked(question: str, scope: Scope, conversation: str, model: str, *, instead_of: str | None = None) -> Turn:
    """A new turn; `instead_of` is the id of the turn in whose place it stands, if there is one."""
    return Turn(str(uuid.uuid4()), conversation, scope.person, question, model=model, answers_again=instead_of)


def again(turn: Turn, scope: Scope, model: str, clarified: Entry | None = None) -> Turn:
    """A new turn that answers the question of another once more, with what was said about it, if anything was."""
    return replace(
        asked(turn.question, scope, turn.conversation, model, instead_of=turn.id),
        clarified_with=clarified.id if clarified else None,
        left_out=turn.left_out,
        chosen=None if clarified else turn.chosen,
    )


def without(turn: Turn, entry_id: str) -> Turn:
    """The turn, to be answered again with an entry left out that it rested on. Raises NotFound where it did not."""
    if entry_id not in turn.used:
        raise NotFound
    return replace(turn, left_out=(*turn.left_out, entry_id), chosen=None if turn.chosen == entry_id else turn.chosen)


def choosing(turn: Turn, entry_id: str) -> Turn:
    """The turn, to be answered again with what was left out of it, or with a note that was found for it and not used.

    Raises NotFound where it was neither.
    """
    notes = {decision.entry.id for decision in turn.decisions if decision.entry.kind.is_note}
    if entry_id not in notes.union(turn.left_out) or entry_id in turn.used:
        raise NotFound
    left_out = tuple(left for left in turn.left_out if left != entry_id)
    return replace(turn, left_out=left_out, chosen=entry_id if entry_id in notes else turn.chosen)


def disputed(turn: Turn, scope: Scope, model: str, told: Entry, left_out: Collection[str]) -> Turn:
    """A new turn that answers the question of another once more, with what was told of its reasons.

    These entries are left out of it, beside those that were before.
    """
    return replace(again(turn, scope, model, told), left_out=tuple(dict.fromkeys((*turn.left_out, *left_out))))


def leaving(turn: Turn, action: Action, keep: Collection[str], reason: Sentence) -> Turn:
    """The turn, with the decisions of one action turned into `leave`, but for the entries to keep."""
    decisions = tuple(
        replace(decision, action=Action.LEAVE, reason=reason)
        if decision.action is action and decision.entry.id not in keep
        else decision
        for decision in turn.decisions
    )
    return replace(turn, decisions=decisions)


def stopped(turn: Turn, reply: Reply, named: tuple[str, ...] = ()) -> Turn:
    """Whoever read it left; `reply` is what had come, and these are the entries that it names."""
    return replace(turn, state=TurnState.STOPPED, reply=reply, used=(*turn.used, *named))


def failed(turn: Turn, error: Sentence) -> Turn:
    return replace(turn, state=TurnState.FAILED, error=error)


def answered(turn: Turn, reply: Reply, used: tuple[str, ...]) -> Turn:
    """The reply is whole, and rests on these entries."""
    return replace(turn, state=TurnState.ANSWERED, reply=reply, used=used)


def correction(turn: Turn, reply: Reply) -> Turn:
    """The turn is no question, but puts the one before right."""
    return replace(turn, state=TurnState.CORRECTION, reply=reply, error=None)


def clarified(turn: Turn, entry: Entry) -> Turn:
    """The person said what they meant by the turn; or this message was saved as what they said."""
    return replace(turn, corrected_by=entry.id)


def confirmed(turn: Turn) -> Turn:
    return replace(turn, confirmed=True)


def taken_back(turn: Turn, gone: Collection[str], restored: Entry | None, entry: Entry) -> Turn:
    """A turn after an entry was taken back: with it went `gone`, ids; `restored` counts again in its place, if any."""
    if entry.kind.confirms:
        return replace(turn, confirmed=turn.confirmed and turn.id != entry.turn)
    if turn.corrected_by in gone and turn.state is not TurnState.CORRECTION:
        back = restored.id if restored and restored.turn == turn.id else None
        turn = replace(turn, corrected_by=back)
    if turn.clarified_with in gone or turn.corrected_by in gone:
        turn = replace(turn, state=TurnState.UNDONE, confirmed=False)
    return turn
