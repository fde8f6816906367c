"""Results of operations as typed plain data, from which the API schemas are generated."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.events import RunState, Saved
from assistant.kinds import Triple
from assistant.papers.teachme.facts import facts_told_in
from assistant.papers.teachme.teaching import Reasons
from assistant.proposals import Proposal, State
from assistant.reply.fields import DraftsFields, LookupFields
from assistant.reports.upkeep import Receipt
from assistant.sentences import Sentence
from assistant.types import Decision, Entry, ReplyStatus, Status, Turn, TurnState
from ui.actions.arguments import REACHES, ReachName
from ui.actions.call import Call
from ui.words.texts import format_count, receipt_sentence

_CUT = Sentence("model.reply_cut")


class EntryView(TypedDict):
    """A stored entry."""

    entry: Annotated[str, Field(description="Its id.")]
    type: Annotated[str, Field(description="`clarification`, `example`, `fact`, `step`, `lesson` or `preference`.")]
    question: Annotated[str, Field(description="The question it was given for.")]
    text: Annotated[str, Field(description="What is meant by that question, or what is so.")]
    reach: Annotated[ReachName, Field(description=REACHES)]
    applies: Annotated[bool, Field(description="Whether it is active; else it was replaced or taken back.")]
    paused: Annotated[bool, Field(description="Whether it is not used until `resume`.")]
    shared: Annotated[bool, Field(description="Whether it applies for everyone.")]
    why_both: Annotated[str, Field(description="Why it applies beside one that contradicts it; mostly empty.")]
    since: Annotated[str, Field(description="When it was saved, as ISO 8601.")]


class Judged(TypedDict):
    """A candidate for a question, and the decision about it."""

    entry: EntryView
    decision: Annotated[str, Field(description="`use`, `offer` (the model may choose it), `show` or `skip`.")]
    probability: Annotated[float, Field(description="How probably it says what the question means, from 0 to 1.")]
    scores: Annotated[dict[str, float], Field(description="What the retriever measured, by name.")]
    reason: Annotated[str, Field(description="Why, in words.")]
    use: Annotated[str, Field(description="In an answer: `spliced`, `chosen` by the user, `followed`, or `shown`.")]


class ProposedTriple(TypedDict):
    """A triple proposed from a message."""

    number: Annotated[int, Field(description="By which `decide` names it.")]
    subject: Annotated[str, Field(description="`I` is the person.")]
    relation: str
    object: str
    state: Annotated[str, Field(description="`proposed`, `kept`, `discarded`, or `gone`: kept once, and no more.")]
    entry: Annotated[str, Field(description="Id of the entry that has it, where it is kept; else empty.")]


class Answer(TypedDict):
    """Understanding and answer of a question, complete or so far."""

    turn: Annotated[str, Field(description="Id of this answer.")]
    conversation: Annotated[str, Field(description="Id of the conversation, to go on with `ask`.")]
    question: str
    understanding: Annotated[str, Field(description="What the assistant took the question to mean.")]
    answer: str
    model: Annotated[str, Field(description="The model that answered.")]
    state: Annotated[str, Field(description="`running`, `answered`, `failed`, `stopped` or `correction`.")]
    doing: Annotated[str, Field(description="What is being done while it runs: `looking`, `thinking` …; else empty.")]
    error: Annotated[str, Field(description="One sentence, where it failed or may be cut short; else empty.")]
    used: Annotated[list[Judged], Field(description="The entries that it is based on, and why.")]
    skipped: Annotated[list[Judged], Field(description="Entries that were found and not used, and why.")]
    looked_up: Annotated[list[LookupFields], Field(description="What the model looked up while it answered.")]
    saved: Annotated[list[EntryView], Field(description="What was saved from the message, if anything.")]
    others: Annotated[list[EntryView], Field(description="What else was said of that before; see `relate`.")]
    unchanged: Annotated[bool, Field(description="Whether a correction left the answer as it was.")]
    confirmed: Annotated[bool, Field(description="Whether it was said to be right.")]
    asks: Annotated[str, Field(description="What the assistant asks back, one sentence; mostly empty.")]
    proposed: Annotated[list[ProposedTriple], Field(description="Facts that the message tells; see `decide`.")]


class Turns(TypedDict):
    """Some turns."""

    turns: list[Answer]


class Draft(TypedDict):
    """A draft of an answer."""

    number: Annotated[int, Field(description="By which it is taken.")]
    understanding: str
    answer: str
    scores: Annotated[dict[str, float], Field(description="What each scorer says of it, from 0 to 1.")]
    shown: Annotated[bool, Field(description="Whether it is the answer.")]


class Drafts(TypedDict):
    """The drafts of an answer."""

    turn: Annotated[str, Field(description="Id of the answer.")]
    drafts: list[Draft]
    error: Annotated[str, Field(description="One sentence, where there are none; else empty.")]


class Reason(TypedDict):
    """A reason for an answer."""

    number: Annotated[int, Field(description="By which `dispute` names it.")]
    says: str
    believed: Annotated[bool, Field(description="Whether the model takes it to be true; else it only considered it.")]
    source: Annotated[str, Field(description="`yours`: you told it. `shared`: somebody did, for all. `model`: it.")]
    entry: Annotated[str, Field(description="Id of the entry that says so, or that it is not so; else empty.")]
    origin: Annotated[str, Field(description="Where it comes from, in words.")]


class Why(TypedDict):
    """The reasons for an answer."""

    turn: Annotated[str, Field(description="Id of the answer.")]
    question: str
    answer: str
    claim: Annotated[str, Field(description="The answer as one statement.")]
    reasons: list[Reason]
    proves: Annotated[bool, Field(description="Whether the answer follows, as far as you and the model say.")]
    verdict: Annotated[str, Field(description="The same in words.")]


class Entries(TypedDict):
    """A page of entries."""

    entries: list[EntryView]
    total: Annotated[int, Field(description="On all pages together.")]


class Found(TypedDict):
    """Candidates for a question."""

    found: list[Judged]


class Erased(TypedDict):
    """Receipt of an erasure."""

    receipt: Annotated[str, Field(description="Its id.")]
    erased: Annotated[dict[str, int], Field(description="Kind of thing to how many of it.")]
    complete: Annotated[bool, Field(description="Whether the bytes are gone from every file already.")]
    sentence: Annotated[str, Field(description="The same in words.")]


class Done(TypedDict):
    """Confirmation in one sentence."""

    sentence: str


class File(TypedDict):
    """The text of a file."""

    file: str
    sentence: Annotated[str, Field(description="What it holds.")]


def answer_so_far(call: Call, so_far: RunState) -> Answer:
    """Return the answer of a run so far."""
    turn, saved = so_far.turn, [*so_far.noted.values()]
    if turn.state is TurnState.RUNNING:
        return {**answer_of(turn), "doing": str(so_far.phase or ""), "saved": [entry_view(entry) for entry in saved]}
    is_answered = turn.state is TurnState.ANSWERED
    saved += facts_told_in(turn, call.memory) if is_answered else ()
    before = so_far.turns.get(turn.answers_again or "") if turn.clarified_with and is_answered else None
    return {
        **answer_of(turn),
        "saved": [entry_view(entry) for entry in saved],
        "others": [entry_view(other) for entry in saved for other in call.assistant.others(entry, call.scope)],
        "unchanged": before is not None and turn.reply.answer == before.reply.answer,
        "asks": str(call.teaching.asks_back(turn) or ""),
        "proposed": proposal_views(call.services.triples.of(turn, call.scope)),
    }


def answer_of(turn: Turn) -> Answer:
    """Return a turn without proposals and related entries."""
    is_cut = turn.reply.status is ReplyStatus.TRUNCATED and turn.state is TurnState.ANSWERED
    is_running = turn.state is TurnState.RUNNING
    used = {decision.entry.id for decision in turn.from_memory}
    return {
        "turn": turn.id,
        "conversation": turn.conversation,
        "question": turn.question,
        "understanding": turn.reply.understanding,
        "answer": turn.reply.answer,
        "model": turn.model,
        "state": turn.state.value,
        "doing": "",
        "error": str(turn.error or (_CUT if is_cut else "")),
        "used": [judged(decision, str(turn.use_of(decision))) for decision in turn.from_memory],
        "skipped": [judged(one) for one in turn.decisions if one.entry.id not in used and not is_running],
        "looked_up": [*turn.reply.fields.get("looked", ())],
        "saved": [],
        "others": [],
        "unchanged": False,
        "confirmed": turn.confirmed,
        "asks": "",
        "proposed": [],
    }


def proposal_views(proposals: Sequence[Proposal[Triple]]) -> list[ProposedTriple]:
    """Return proposals as plain data."""
    return [
        {
            "number": one.number,
            "subject": one.said.subject,
            "relation": one.said.relation,
            "object": one.said.object,
            "state": state_name(one.state),
            "entry": one.entry.id if one.entry else "",
        }
        for one in proposals
    ]


def state_name(state: State) -> str:
    """Return the public name of a proposal's state; stored turns have another one for `discarded`."""
    return "discarded" if state is State.DISCARDED else state.value


def why_so_far(call: Call, so_far: RunState) -> Why:
    """Return the reasons for an answer so far."""
    turn = so_far.turn
    reasons = call.teaching.reasons(turn, call.scope) or Reasons("", (), Sentence("why.nothing"))
    return {
        "turn": turn.id,
        "question": turn.question,
        "answer": turn.reply.answer,
        "claim": reasons.claim,
        "reasons": [
            {
                "number": number,
                "says": str(premise.sentence),
                "believed": premise.believed,
                "source": premise.source,
                "entry": premise.entry.id if premise.entry else "",
                "origin": str(premise.origin),
            }
            for number, premise in enumerate(reasons.premises, 1)
        ],
        "proves": reasons.proves,
        "verdict": str(reasons.verdict),
    }


def drafts_so_far(_call: Call, so_far: RunState) -> Drafts:
    """Return the drafts of an answer so far, in the order of generation; none if it has only one answer."""
    turn = so_far.turn
    kept: DraftsFields = turn.reply.fields.get("drafts") or {"all": (), "best": 0, "shown": 0}
    drafts: list[Draft] = [
        {
            "number": number,
            "understanding": draft["fields"].get("understanding", ""),
            "answer": draft["fields"].get("answer", ""),
            "scores": {name: round(score, 4) for name, score in draft["scores"].items()},
            "shown": number == kept["shown"] + 1,
        }
        for number, draft in enumerate(kept["all"], 1)
    ]
    return {"turn": turn.id, "drafts": drafts, "error": str(turn.error or "")}


def turns_view(turns: Sequence[Turn]) -> Turns:
    return {"turns": [answer_of(turn) for turn in turns]}


def saved_entry(saved: Saved) -> EntryView:
    return entry_view(saved.entry)


def found(decisions: Sequence[Decision]) -> Found:
    return {"found": [judged(decision) for decision in decisions]}


def erased(receipt: Receipt) -> Erased:
    return {
        "receipt": receipt.id,
        "erased": dict(receipt.erased),
        "complete": receipt.is_complete,
        "sentence": receipt_sentence(receipt),
    }


def done(sentence: str) -> Done:
    return {"sentence": sentence}


def file_of(written: tuple[str, str]) -> File:
    """Return the text of a file with its summary."""
    return {"file": written[0], "sentence": written[1]}


def judged(decision: Decision, use: str = "") -> Judged:
    return {
        "entry": entry_view(decision.entry),
        "decision": decision.action.value,
        "probability": round(decision.probability, 4),
        "scores": {name: round(value, 4) for name, value in decision.candidate.scores.items()},
        "reason": str(decision.reason),
        "use": use,
    }


def entry_view(entry: Entry) -> EntryView:
    return {
        "entry": entry.id,
        "type": entry.kind.name,
        "question": entry.question,
        "text": str(entry.sentence),
        "reach": entry.reach.value,
        "applies": entry.status is Status.ACTIVE,
        "paused": entry.resting,
        "shared": entry.shared,
        "why_both": entry.body.why_both,
        "since": entry.created.isoformat(),
    }


def count_all(counts: Mapping[str, int]) -> str:
    """Return the count of each kind, in words."""
    return ", ".join(format_count(name, number) for name, number in counts.items() if number) or "nothing"
