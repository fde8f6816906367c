"""What functions for programs give: typed, and made of turns and entries. The documentation is made of it."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from assistant.kinds import Reach
from assistant.sentences import Sentence
from assistant.types import Decision, Entry, ReplyStatus, Status, Turn, TurnState
from ui.words.answers import LookedUp, ProposedTriple, looked_up

ReachName = Literal["question", "way", "conversation"]
REACHES = (
    "For which questions it counts: `question`, the one that it is about, in any wording; `way`, those that are "
    "asked in this way; `conversation`, those of this conversation."
)
_CUT = Sentence("model.reply_cut")


class Note(TypedDict):
    """One thing that is remembered."""

    entry: Annotated[str, Field(description="Its id.")]
    kind: Annotated[str, Field(description="`clarification`, `fact`, `step` (one that was blocked), or `example`.")]
    question: Annotated[str, Field(description="The question it was given for.")]
    meant: Annotated[str, Field(description="What is meant by that question, or what is so.")]
    reach: Annotated[ReachName, Field(description=REACHES)]
    paused: Annotated[bool, Field(description="Whether it is not used until `resume`.")]
    shared: Annotated[bool, Field(description="Whether it counts for everyone.")]
    why_both: Annotated[str, Field(description="Why it counts beside one that contradicts it; mostly empty.")]
    since: Annotated[str, Field(description="When it was saved, as ISO 8601.")]


class Meaning(Note):
    """Something else that was said of the same question."""

    counts: Annotated[bool, Field(description="Whether it still counts; else the newer one took its place.")]


class Judged(TypedDict):
    """A note that was found for a question, and what is made of it."""

    note: Note
    decision: Annotated[str, Field(description="`use`, `offer` (the model may choose it), `show` or `skip`.")]
    probability: Annotated[float, Field(description="How probably it says what the question means, from 0 to 1.")]
    reason: Annotated[str, Field(description="Why, in words.")]


class Used(Judged):
    """A note that an answer rests on."""

    use: Annotated[str, Field(description="`spliced`, `chosen` by the person, `followed` by the model, or `shown`.")]


class Answer(TypedDict):
    """How a question was understood and answered, as far as it has come."""

    turn: Annotated[str, Field(description="Id of this answer, for `clarify` and `react`.")]
    conversation: Annotated[str, Field(description="Id of the conversation, to go on with `ask`.")]
    question: str
    understanding: Annotated[str, Field(description="What the assistant took the question to mean.")]
    answer: str
    state: Annotated[str, Field(description="`running`, `answered`, `failed`, `stopped` or `correction`.")]
    error: Annotated[str, Field(description="One sentence, where it failed or may be cut short; else empty.")]
    used: Annotated[list[Used], Field(description="What it rests on from memory, and why.")]
    looked_up: Annotated[list[LookedUp], Field(description="What the model looked up while it answered.")]
    noted: Annotated[Note | None, Field(description="The clarification that was saved just before, if any.")]
    others: Annotated[list[Meaning], Field(description="What else was said of that before; `put` says which counts.")]
    confirmed: Annotated[bool, Field(description="Whether it was said to be right.")]
    asks: Annotated[str, Field(description="What the assistant asks back, one sentence; mostly empty.")]
    proposed: Annotated[list[ProposedTriple], Field(description="What the message says of two things; see `keep`.")]


class Undone(TypedDict):
    """What was taken back."""

    entry: str
    turns: Annotated[list[str], Field(description="Ids of the answers that changed with it.")]


class FoundNotes(TypedDict):
    """What memory holds for a question."""

    found: list[Judged]


class Listed(TypedDict):
    """A page of what is remembered."""

    notes: list[Note]
    more: Annotated[bool, Field(description="Whether there are further ones; ask with a higher `offset`.")]


class Forgotten(TypedDict):
    """A receipt."""

    receipt: Annotated[str, Field(description="Its id.")]
    erased: Annotated[dict[str, int], Field(description="Kind of thing to how many of it.")]
    complete: Annotated[bool, Field(description="Whether the bytes are gone from every file already.")]
    sentence: Annotated[str, Field(description="The same in words.")]


def answer_of(turn: Turn, noted: Sequence[Entry], others: Sequence[Entry], asks: Sentence | None) -> Answer:
    """An answer so far, without what is proposed of it."""
    is_over = turn.state is TurnState.ANSWERED
    return {
        "turn": turn.id,
        "conversation": turn.conversation,
        "question": turn.question,
        "understanding": turn.reply.understanding,
        "answer": turn.reply.answer,
        "state": turn.state.value,
        "error": str(turn.error or (_CUT if turn.reply.status is ReplyStatus.TRUNCATED and is_over else "")),
        "used": [{**judged(decision), "use": str(turn.use_of(decision))} for decision in turn.from_memory],
        "looked_up": looked_up(turn.reply),
        "noted": note_of(noted[-1]) if noted else None,
        "others": [{**note_of(other), "counts": other.status is Status.ACTIVE} for other in others],
        "confirmed": turn.confirmed,
        "asks": str(asks or ""),
        "proposed": [],
    }


def judged(decision: Decision) -> Judged:
    """A note that was found."""
    return {
        "note": note_of(decision.entry),
        "decision": decision.action.value,
        "probability": round(decision.probability, 4),
        "reason": str(decision.reason),
    }


def reach_of(name: ReachName | None) -> Reach | None:
    """The reach of this name."""
    return None if name is None else Reach(name)


def note_of(entry: Entry) -> Note:
    """An entry."""
    return {
        "entry": entry.id,
        "kind": entry.kind.name,
        "question": entry.question,
        "meant": str(entry.sentence),
        "reach": entry.reach.value,
        "paused": entry.resting,
        "shared": entry.shared,
        "why_both": entry.body.why_both,
        "since": entry.created.isoformat(),
    }
