"""What programs can do for a person: a few plain functions with typed, documented results, by whatever way they come.

Plain HTTP (`ui.programs.rest`), MCP (`ui.programs.mcp_api`) and Gradio's client (`ui.programs.gradio_api`) offer
exactly these, and make their documentation from the signatures and docstrings here. Who calls is decided before
(`ui.programs.access`).
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import Field
from typing_extensions import TypedDict

from assistant.errors import InputError
from assistant.events import Event, RunSoFar
from assistant.kinds import Place, Reach
from assistant.sentences import Sentence
from assistant.teachme.acts import Act
from assistant.teachme.reasons import Reasons
from assistant.teachme.teaching import Teaching
from assistant.text.cleaning import storable
from assistant.types import Decision, Entry, Reaction, ReplyStatus, Scope, Status, Turn, TurnState
from ui.server.services import Services
from ui.words.keeping import ProposedTriple, ProposedTriples, proposed
from ui.words.lessons import DraftedLessons, drafted
from ui.words.looked import LookedUp, looked_up
from ui.words.texts import receipt_sentence
from ui.words.why import Why
from ui.words.why import why as why_of

_LONGEST_SEARCH = 500
_CUT = Sentence("model.reply_cut")

Shown = TypeVar("Shown")

Id = Annotated[str, Field(pattern=r"^[0-9a-zA-Z-]{0,64}$")]
ReachName = Literal["question", "way", "conversation"]
_REACHES = (
    "For which questions it counts: `question`, the one that it is about, in any wording; `way`, those that are "
    "asked in this way; `conversation`, those of this conversation."
)
Proposed = Annotated[ReachName | None, Field(description=f"{_REACHES} Without it, as is proposed.")]


class Note(TypedDict):
    """One thing that is remembered."""

    entry: Annotated[str, Field(description="Its id.")]
    kind: Annotated[str, Field(description="`clarification`, `fact`, `step` (one that was blocked), or `example`.")]
    question: Annotated[str, Field(description="The question it was given for.")]
    meant: Annotated[str, Field(description="What is meant by that question, or what is so.")]
    reach: Annotated[ReachName, Field(description=_REACHES)]
    paused: Annotated[bool, Field(description="Whether it is not used until `resume`.")]
    shared: Annotated[bool, Field(description="Whether it counts for everyone.")]
    since: Annotated[str, Field(description="When it was saved, as ISO 8601.")]


class Meaning(Note):
    """Something else that was said of the same question."""

    counts: Annotated[bool, Field(description="Whether it still counts; else the newer one took its place.")]


class Judged(TypedDict):
    """A note that was found for a question, and what is made of it."""

    note: Note
    decision: Annotated[str, Field(description="`use`, `offer` (the model may choose it), `show` or `leave`.")]
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


class Api:
    """One call of one person, whom the server names, and never what was sent."""

    def __init__(self, services: Services, scope: Scope) -> None:
        self._assistant = services.assistant
        self._teaching = Teaching(services.assistant)
        self._keeping = services.keeping
        self._lessons = services.lessons
        self._runs = services.runs
        self._scope = scope
        self._call = str(uuid.uuid4())
        self._is_over = False

    def ask(
        self,
        question: Annotated[str, Field(description="The question; or what was meant by the one before.")],
        conversation: Annotated[Id, Field(description="Id of the conversation to go on with; empty begins one.")] = "",
        think: Annotated[
            bool,
            Field(description="Weigh proofs of possible answers, which takes up to some fifty calls."),
        ] = False,
    ) -> Iterator[Answer]:
        """Ask a question. The answer says how it was understood and which remembered notes it used.

        A message that corrects the one before ("no, I meant …") is noted, and that question is answered again.
        """
        thorough = self._assistant.with_parts(respond=self._teaching.thinking()) if think else self._assistant
        yield from self._answers(thorough.ask(question, self._scope, conversation))

    def clarify(
        self,
        turn: Annotated[Id, Field(description="Id of the answer that misunderstood.")],
        meant: Annotated[str, Field(description="What was meant, in plain words.")],
        reach: Proposed = None,
    ) -> Iterator[Answer]:
        """Say what an earlier question meant. It is remembered, and the question is answered again."""
        yield from self._answers(self._assistant.clarify(turn, meant, self._scope, _reach(reach)))

    def react(
        self,
        turn: Annotated[Id, Field(description="Id of the answer.")],
        reaction: Annotated[
            Literal["confirm", "leave out", "not for questions like this", "not at all"],
            Field(
                description="`confirm`: it is right. `leave out`: answer again without one note, this time. The others "
                "keep a note from being used, for questions asked in this way or for all, until `resume`."
            ),
        ],
        entry: Annotated[Id, Field(description="Id of the note, but for `confirm`.")] = "",
    ) -> Iterator[Answer]:
        """Say that an answer is right, have it given again without one of its notes, or keep a note from being used."""
        if reaction != "confirm" and not entry:
            raise InputError("Please name the entry that this is about.")
        yield from self._answers(self._assistant.react(turn, Reaction(reaction), self._scope, entry))

    def why(self, turn: Annotated[Id, Field(description="Id of the answer.")]) -> Iterator[Why]:
        """Say on what an answer rests, who told that, and whether the answer follows. It takes one call at most."""
        yield from self._shown(self._teaching.why(turn, self._scope), self._why)

    def dispute(
        self,
        turn: Annotated[Id, Field(description="Id of the answer.")],
        act: Annotated[
            Literal["wrong", "does not matter", "does not follow", "missing", "answer", "true"],
            Field(
                description="`wrong`: a reason is not so (`words`: what is so instead). `does not matter`: it has "
                "nothing to do with the question. `does not follow`: the answer does not follow from the reasons. "
                "`missing`: a fact is missing, `words`. `answer`: the answer is `words`. `true`: a reason that is "
                "not believed is so."
            ),
        ],
        number: Annotated[int, Field(ge=0, le=99, description="Of the reason that is meant, as `why` has it.")] = 0,
        words: Annotated[str, Field(description="A fact or an answer, in plain words.")] = "",
    ) -> Iterator[Answer]:
        """Put right why an answer was given. It is remembered as a fact, and the question is answered again."""
        yield from self._answers(self._teaching.dispute(turn, Act(act), self._scope, number, words))

    def keep(
        self,
        turn: Annotated[Id, Field(description="Id of the answer to the message.")],
        act: Annotated[
            Literal["look", "keep", "drop", "undo"],
            Field(description="`look`: only show them. `undo`: take back what was said of one."),
        ] = "look",
        number: Annotated[int, Field(ge=0, le=99, description="Of the one that is meant.")] = 0,
        line: Annotated[str, Field(description="For `keep`: `thing | what is said of it | other thing` instead.")] = "",
    ) -> ProposedTriples:
        """Keep what a message says of two things on the person's fact sheet, drop it, or show what is proposed."""
        match act:
            case "keep":
                self._keeping.keep(turn, number, self._scope, line)
            case "drop":
                self._keeping.drop(turn, number, self._scope)
            case "undo":
                self._keeping.undo(turn, number, self._scope)
        proposals = self._keeping.proposals(self._assistant.turn(turn, self._scope), self._scope)
        return {"turn": turn, "proposed": proposed(proposals)}

    def lesson(
        self,
        turn: Annotated[Id, Field(description="Id of the answer it was drafted of; empty for all that wait.")] = "",
        act: Annotated[Literal["look", "keep", "drop", "undo"], Field(description="What becomes of it.")] = "look",
        words: Annotated[str, Field(description="For `keep`: in these words instead.")] = "",
    ) -> DraftedLessons:
        """Show, keep or drop lessons that were drafted of what the person said of answers; a kept one counts."""
        if not turn:
            return drafted(self._lessons.open(self._scope))
        answered = self._assistant.turn(turn, self._scope)
        if act != "look":
            answered = self._lessons.decide(act, turn, self._scope, words)
        return drafted([(answered, self._lessons.draft(answered))])

    def undo(self, entry: Annotated[Id, Field(description="Id of the note.")]) -> Undone:
        """Take a note back: it is used no more, and the answers that were made with it no longer count."""
        changed = self._teaching.undo(entry, self._scope)
        return {"entry": entry, "turns": [turn.id for turn in changed]}

    def reach(
        self,
        entry: Annotated[Id, Field(description="Id of the note.")],
        reach: Annotated[ReachName, Field(description=_REACHES)],
    ) -> Note:
        """Let a note count for other questions."""
        return _note(self._assistant.set_reach(entry, Reach(reach), self._scope))

    def put(
        self,
        entry: Annotated[Id, Field(description="Id of the note.")],
        place: Annotated[
            Literal["instead", "beside", "apart"],
            Field(
                description="`instead`: the earlier one counts no more. `beside`: both count, each in its context. "
                "`apart`: they have nothing to do with each other."
            ),
        ],
        other: Annotated[Id, Field(description="Id of the earlier note.")],
    ) -> Note:
        """Say what a note is to an earlier one of the same question."""
        return _note(self._assistant.put(entry, Place(place), other, self._scope))

    def resume(self, entry: Annotated[Id, Field(description="Id of the note.")]) -> Note:
        """Let a note be used again that was paused, or was not to be used for some questions."""
        return _note(self._assistant.memory.resume(entry, self._scope))

    def recall(self, question: Annotated[str, Field(description="A question; it is not answered.")]) -> FoundNotes:
        """Look up which remembered notes would be used for a question, and why, without asking a model."""
        return {"found": [_judged(decision) for decision in self._assistant.preview(question, self._scope)]}

    def remember(
        self,
        question: Annotated[str, Field(description="The question, or the phrase, that is easily misunderstood.")],
        meant: Annotated[str, Field(description="What is meant by it, in plain words.")],
        reach: Proposed = None,
    ) -> Note:
        """Remember what a question means, before it is misunderstood. Saying the same twice saves it once."""
        return _note(self._assistant.remember(question, meant, self._scope, _reach(reach)))

    def list(
        self,
        search: Annotated[str, Field(description="Only notes that contain this, in any script.")] = "",
        limit: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 50,
        offset: Annotated[int, Field(ge=0, le=10**9, description="How many to pass over.")] = 0,
    ) -> Listed:
        """List what is remembered, newest first."""
        search = storable(search)[:_LONGEST_SEARCH].strip()
        entries = self._assistant.memory.entries(self._scope, search, limit + 1, offset)
        return {"notes": [_note(entry) for entry in entries[:limit]], "more": len(entries) > limit}

    def forget(self, entry: Annotated[Id, Field(description="Id of the note.")]) -> Forgotten:
        """Erase a note and everything that was made of it, for good."""
        receipt = self._assistant.memory.forget(entry, self._scope)
        return {
            "receipt": receipt.id,
            "erased": dict(receipt.erased),
            "complete": receipt.is_complete,
            "sentence": receipt_sentence(receipt),
        }

    def stop(self) -> None:
        """Nobody waits for the answer of this call any more: let the model stop."""
        self._is_over = True
        self._runs.stop(self._scope, self._call)

    def _answers(self, events: Iterator[Event]) -> Iterator[Answer]:
        """The answer as it comes, a few times a second; the last one is complete."""
        yield from self._shown(events, self._answer)

    def _shown(self, events: Iterator[Event], show: Callable[[RunSoFar], Shown]) -> Iterator[Shown]:
        so_far = RunSoFar()
        with self._runs.begin(self._scope, self._call) as run:
            if self._is_over:  # the caller went away before it began
                return
            for batch in run.batches(events):
                so_far = so_far.after(batch)
                if so_far.answering:
                    yield show(so_far)

    def _why(self, so_far: RunSoFar) -> Why:
        reasons = self._teaching.reasons(so_far.turn, self._scope)
        return why_of(so_far.turn, reasons or Reasons("", ()))

    def _answer(self, so_far: RunSoFar) -> Answer:
        noted = list(so_far.noted.values())
        others = self._assistant.others(noted[-1], self._scope) if noted else ()
        turn = so_far.turn
        answer = _answer(turn, noted, others, self._teaching.asks_back(turn))
        return {**answer, "proposed": proposed(self._keeping.proposals(turn, self._scope))}


def _answer(turn: Turn, noted: Sequence[Entry], others: Sequence[Entry], asks: Sentence | None) -> Answer:
    is_over = turn.state is TurnState.ANSWERED
    return {
        "turn": turn.id,
        "conversation": turn.conversation,
        "question": turn.question,
        "understanding": turn.reply.understanding,
        "answer": turn.reply.answer,
        "state": turn.state.value,
        "error": str(turn.error or (_CUT if turn.reply.status is ReplyStatus.TRUNCATED and is_over else "")),
        "used": [{**_judged(decision), "use": str(turn.use_of(decision))} for decision in turn.from_memory],
        "looked_up": looked_up(turn.reply),
        "noted": _note(noted[-1]) if noted else None,
        "others": [{**_note(other), "counts": other.status is Status.ACTIVE} for other in others],
        "confirmed": turn.confirmed,
        "asks": str(asks or ""),
        "proposed": [],
    }


def _judged(decision: Decision) -> Judged:
    return {
        "note": _note(decision.entry),
        "decision": decision.action.value,
        "probability": round(decision.probability, 4),
        "reason": str(decision.reason),
    }


def _reach(name: ReachName | None) -> Reach | None:
    return None if name is None else Reach(name)


def _note(entry: Entry) -> Note:
    return {
        "entry": entry.id,
        "kind": entry.kind.name,
        "question": entry.question,
        "meant": str(entry.sentence),
        "reach": entry.reach.value,
        "paused": entry.resting,
        "shared": entry.shared,
        "since": entry.created.isoformat(),
    }
