"""What is not up to the gate: what the person just said of this question, chose for it, or had left out of it."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.ports import Memory
from assistant.sentences import Sentence
from assistant.types import Action, Candidate, Decision, Entry, Scope, Turn

JUST_TOLD = Sentence("counts.just_told")
CHOSEN = Sentence("counts.chosen")
LEFT_OUT = Sentence("left_out.by_you")


def just_told(entry: Entry) -> Decision:
    """A clarification that was given for this very question, a moment ago."""
    return Decision(Candidate(entry, entry.keys[0]), Action.USE, 1.0, JUST_TOLD)


def with_told(kept: Sequence[Decision], told: Sequence[Entry]) -> Sequence[Decision]:
    """Return the decisions after those that offer what the user just told of this question, which may be declined."""
    offered = {entry.id: replace(just_told(entry), action=Action.OFFER) for entry in told}
    return (*offered.values(), *(decision for decision in kept if decision.entry.id not in offered))


def with_chosen(kept: Sequence[Decision], turn: Turn, memory: Memory, scope: Scope) -> Sequence[Decision]:
    """The decisions, with the note that the person chose used before all others, as it reads by now."""
    entry = memory.current(turn.chosen, scope) if turn.chosen else None
    if entry is None:
        return kept
    found = {decision.entry.id: decision.candidate for decision in kept}
    chosen = Decision(found.get(entry.id, Candidate(entry, entry.keys[0])), Action.USE, 1.0, CHOSEN)
    return (chosen, *(decision for decision in kept if decision.entry.id != entry.id))


def left_out(turn: Turn, candidates: Sequence[Candidate]) -> list[Decision]:
    """What the person had left out of the turn, of what was found for it."""
    found = (candidate for candidate in candidates if candidate.entry.id in turn.left_out)
    return [Decision(candidate, Action.LEAVE, 0.0, LEFT_OUT) for candidate in found]
