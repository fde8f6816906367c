"""Turn state: pure functions for all transitions. No other code changes the state of a turn.

    state                event                              new state    fields that change
    none                 a message is sent                  running
    none                 its question is answered again     running      answers_again, and the fields below
    running              the reply is complete              answered     reply, used
    running              the reader leaves                  stopped      reply so far, used
    running              the model or the memory fails      failed       error
    running              it corrects the turn before        correction
    correction           the correction is saved            correction   corrected_by
    correction           the correction cannot be saved     failed       error
    any but correction   the user clarifies it              unchanged    corrected_by
    any but correction   the user disputes its reasons      unchanged    corrected_by
    any but correction   the user confirms it               unchanged    confirmed
    any                  an entry is retracted:
                           the turn was answered with it    undone       not confirmed
                           the message became it            undone       not confirmed
                           it clarifies the turn            unchanged    corrected_by, as before
                           it is the example of the turn    unchanged    not confirmed
    any                  its content is erased              deleted      all text (by the turn store)

Answering a question again does not change its turn: the new turn names it (`answers_again`), its clarification
(`clarified_with`), and the entries that the user chose or excluded (`chosen`, `left_out`).
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import replace

from assistant.errors import NotFound
from assistant.sentences import Sentence
from assistant.types import Action, Decision, Entry, Reaction, Reply, Scope, Turn, TurnState


def create_turn(question: str, scope: Scope, conversation: str, model: str, *, instead_of: str | None = None) -> Turn:
    """Create a turn; `instead_of` is the id of the turn that it answers again, if any."""
    return Turn(str(uuid.uuid4()), conversation, scope.person, question, model=model, answers_again=instead_of)


def repeat_turn(
    turn: Turn, scope: Scope, model: str, clarified: Entry | None = None, left_out: Collection[str] = ()
) -> Turn:
    """Create a turn that answers the question of another one again, with a clarification and further exclusions."""
    return replace(
        create_turn(turn.question, scope, turn.conversation, model, instead_of=turn.id),
        clarified_with=clarified.id if clarified else None,
        left_out=tuple(dict.fromkeys((*turn.left_out, *left_out))),
        chosen=None if clarified else turn.chosen,
    )


def choose_entry(turn: Turn, entry_id: str, reaction: Reaction, current: str) -> Turn:
    """Exclude an entry from the turn, or use it, to answer it again; `current` is the id of its current version.

    Raises NotFound unless the entry to exclude was used, and the one to use was excluded, or is a note that was found
    and not used.
    """
    notes = {decision.entry.id for decision in turn.decisions if decision.entry.kind.is_note}
    if reaction is Reaction.EXCLUDE and entry_id in turn.used:
        chosen = None if turn.chosen == entry_id else turn.chosen
        return replace(turn, left_out=(*turn.left_out, *dict.fromkeys([entry_id, current])), chosen=chosen)
    if reaction is not Reaction.USE or entry_id not in notes.union(turn.left_out) or entry_id in turn.used:
        raise NotFound
    left_out = tuple(left for left in turn.left_out if left not in {entry_id, current})
    return replace(turn, left_out=left_out, chosen=current if entry_id in notes else turn.chosen)


def skip_entries(turn: Turn, actions: Collection[Action], keep: Collection[str], reason: Sentence) -> Turn:
    """Change the decisions with these actions to `skip`, except for the entries to keep."""
    decisions = tuple(
        replace(decision, action=Action.SKIP, reason=reason)
        if decision.action in actions and decision.entry.id not in keep
        else decision
        for decision in turn.decisions
    )
    return replace(turn, decisions=decisions)


def add_decisions(turn: Turn, further: Sequence[Decision]) -> Turn:
    """Add decisions on entries that were found while the answer was written, except on entries in the prompt."""
    new = {decision.entry.id: decision for decision in further}
    known = [one for one in turn.decisions if one.action is not Action.SKIP or one.entry.id not in new]
    for decision in known:
        new.pop(decision.entry.id, None)
    return replace(turn, decisions=(*known, *new.values()))


def stop_turn(turn: Turn, reply: Reply, named: tuple[str, ...] = ()) -> Turn:
    """Mark the turn as stopped, with the reply so far and the entries that it names."""
    return replace(turn, state=TurnState.STOPPED, reply=reply, used=(*turn.used, *named))


def fail_turn(turn: Turn, error: Sentence) -> Turn:
    return replace(turn, state=TurnState.FAILED, error=error)


def answer_turn(turn: Turn, reply: Reply, used: tuple[str, ...]) -> Turn:
    """Mark the turn as answered, with its reply and the entries that it is based on."""
    return replace(turn, state=TurnState.ANSWERED, reply=reply, used=used)


def mark_correction(turn: Turn, reply: Reply) -> Turn:
    return replace(turn, state=TurnState.CORRECTION, reply=reply, error=None)


def undo_entry(turn: Turn, gone: Collection[str], restored: Entry | None, entry: Entry) -> Turn:
    """Update a turn after `entry` was retracted: `gone` are ids of its versions, `restored` an earlier one, if any."""
    if turn.state is TurnState.DELETED:
        return turn
    if entry.kind.confirms:
        return replace(turn, confirmed=turn.confirmed and turn.id != entry.turn)
    if turn.corrected_by in gone and turn.state is not TurnState.CORRECTION:
        back = restored.id if restored and restored.turn == turn.id else None
        turn = replace(turn, corrected_by=back)
    if turn.clarified_with in gone or turn.corrected_by in gone:
        turn = replace(turn, state=TurnState.UNDONE, confirmed=False)
    return turn
