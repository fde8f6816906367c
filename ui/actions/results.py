"""Results of operations: models that read the attributes of the core's values, and give the API its schemas."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from assistant.events import RunState
from assistant.papers.teachme.facts import facts_told_in
from assistant.papers.teachme.teaching import Reasons
from assistant.proposals import State
from assistant.reply.fields import DraftsFields, LookupFields
from assistant.reports.upkeep import Receipt
from assistant.sentences import Sentence
from assistant.types import ReplyStatus, Status, Turn, TurnState
from ui.actions.arguments import REACHES, ReachName
from ui.actions.call import Call
from ui.words.texts import receipt_sentence

_CUT = Sentence("model.reply_cut")

Text = Annotated[str, BeforeValidator(lambda value: str(value or ""))]
"""A text, a message or the name of a state; empty for None."""
Rounded = Annotated[float, AfterValidator(lambda value: round(value, 4))]
ProposalState = Annotated[Text, AfterValidator(lambda state: "discarded" if state == State.DISCARDED else state)]


class View(BaseModel):
    """Base of results. A field reads the attribute of its name, or of its alias."""

    model_config = ConfigDict(
        from_attributes=True, validate_by_name=True, json_schema_serialization_defaults_required=True
    )

    def but(self, **fields: object) -> Self:
        """Return a copy with other fields, validated."""
        return self.model_validate({**dict(self), **fields})


def read(path: str, description: str | None = None, **named: Any) -> Any:
    """Return a field that reads a path of attributes, such as `reply.answer`."""
    return Field(validation_alias=AliasPath(*path.split(".")), description=description, **named)


class EntryView(View):
    """A stored entry."""

    entry: str = read("id", "The entry's id.")
    type: str = read("kind.name", "`clarification`, `example`, `fact`, `step`, `lesson` or `preference`.")
    question: str = Field(description="The question it was saved for.")
    text: Text = read("sentence", "What that question means, or the stated fact.")
    reach: Annotated[ReachName, BeforeValidator(str)] = Field(description=REACHES)
    applies: Annotated[bool, BeforeValidator(lambda status: status in (Status.ACTIVE, True))] = read(
        "status", "Whether it is active; else it was replaced or taken back."
    )
    paused: bool = read("resting", "True if it is not used until `resume`.")
    shared: bool = Field(description="True if it is shared with everyone.")
    why_both: str = read("body.why_both", "Why it applies beside an entry that contradicts it; usually empty.")
    since: datetime = read("created", "When it was saved (ISO 8601).")


class Judged(View):
    """A candidate for a question, and the decision about it."""

    entry: EntryView
    decision: Text = read("action", "`use`, `offer` (the model may choose it), `show` or `skip`.")
    probability: Rounded = Field(description="Probability that it applies to the question, from 0 to 1.")
    scores: dict[str, Rounded] = read("candidate.scores", "The retriever's scores, by name.")
    reason: Text = Field(description="The reason for the decision, in words.")
    use: Text = Field(
        default="", description="How the answer used it: `spliced`, `chosen` by the user, `followed`, or `shown`."
    )


class ProposedTriple(View):
    """A triple proposed from a message."""

    number: int = Field(description="Its number, for `decide`.")
    subject: str = read("said.subject", "The subject; `I` is the user.")
    relation: str = read("said.relation")
    object: str = read("said.object")
    state: ProposalState = Field(description="`proposed`, `kept`, `discarded`, or `gone` (kept once, erased since).")
    entry: Text = read("entry.id", "Id of the entry that holds it, if it was kept; else empty.", default="")


class Answer(View):
    """Understanding and answer of a question, complete or so far."""

    turn: str = read("id", "The answer's id.")
    conversation: str = Field(description="The conversation's id, to continue it with `ask`.")
    question: str
    understanding: str = read("reply.understanding", "How the assistant understood the question.")
    answer: str = read("reply.answer")
    model: str = Field(description="The model that answered.")
    state: Text = Field(description="`running`, `answered`, `failed`, `stopped` or `correction`.")
    doing: Text = Field(
        default="", description="Current step while it runs, such as `looking` or `thinking`; else empty."
    )
    error: Text = Field(description="One sentence if it failed or may be cut short; else empty.")
    used: list[Judged] = read("from_memory", "The entries the answer is based on, and why.")
    skipped: list[Judged] = Field(default=[], description="Entries found but not used so far, and why.")
    looked_up: list[LookupFields] = read(
        "reply.fields.looked", "What the model looked up while it answered.", default=[]
    )
    saved: list[EntryView] = Field(default=[], description="Entries saved from the message.")
    others: list[EntryView] = Field(default=[], description="Earlier entries about the same question; see `relate`.")
    unchanged: bool = Field(default=False, description="True if a correction did not change the answer.")
    confirmed: bool = Field(description="True if the user confirmed the answer.")
    asks: Text = Field(default="", description="A question the assistant asks back; usually empty.")
    proposed: list[ProposedTriple] = Field(default=[], description="Facts found in the message; see `decide`.")


class Draft(View):
    """A draft of an answer."""

    number: int = Field(description="Its number, for `take`.")
    understanding: str = read("fields.understanding", default="")
    answer: str = read("fields.answer", default="")
    scores: dict[str, Rounded] = Field(description="Its score from each scorer, from 0 to 1.")
    shown: bool = Field(description="True if it is the shown answer.")


class Drafts(View):
    """The drafts of an answer."""

    turn: str = Field(description="Id of the answer.")
    drafts: list[Draft]
    error: Text = Field(description="One sentence if there are no drafts; else empty.")


class Reason(View):
    """A reason for an answer."""

    number: int = Field(default=0, description="Its number, for `dispute`.")
    says: Text = read("sentence")
    believed: bool = Field(description="True if the model believes it; false if it only considered it.")
    source: str = Field(description="`yours` (you said it), `shared` (shared with everyone), or `model`.")
    entry: Text = read("entry.id", "Id of the entry that states or denies it; else empty.", default="")
    origin: Text = Field(description="Its source, in words.")


class Why(View):
    """The reasons for an answer."""

    turn: str = Field(default="", description="Id of the answer.")
    question: str = ""
    answer: str = ""
    claim: str = Field(description="The answer as a statement.")
    reasons: list[Reason] = read("premises")
    proves: bool = Field(description="True if the answer follows from the reasons.")
    verdict: Text = Field(description="The same, in words.")


class Entries(View):
    """A page of entries."""

    entries: list[EntryView]
    total: int = Field(description="Number of entries on all pages.")


class Erased(View):
    """Receipt of an erasure."""

    receipt: str = read("id", "The receipt's id.")
    erased: dict[str, int] = Field(description="What was erased, with counts.")
    complete: bool = read("is_complete", "True if the bytes are gone from every file already.")
    sentence: str = Field(default="", description="The same, in words.")


class File(View):
    """The text of a file."""

    file: str
    sentence: str = Field(description="What the file contains.")


def answer_so_far(call: Call, so_far: RunState) -> Answer:
    """Return the answer of a run so far."""
    turn, saved = so_far.turn, [*so_far.noted.values()]
    if turn.state is TurnState.RUNNING:
        return answer_of(turn).but(doing=so_far.phase, saved=saved)
    is_answered = turn.state is TurnState.ANSWERED
    saved += facts_told_in(turn, call.memory) if is_answered else ()
    before = so_far.turns.get(turn.answers_again or "") if turn.clarified_with and is_answered else None
    return answer_of(turn).but(
        saved=saved,
        others=[other for entry in saved for other in call.assistant.others(entry, call.scope)],
        unchanged=before is not None and turn.reply.answer == before.reply.answer,
        asks=call.teaching.asks_back(turn),
        proposed=call.services.triples.of(turn, call.scope),
    )


def answer_of(turn: Turn) -> Answer:
    """Return a turn without proposals and related entries."""
    is_cut = turn.reply.status is ReplyStatus.TRUNCATED and turn.state is TurnState.ANSWERED
    used = {decision.entry.id for decision in turn.from_memory}
    return Answer.model_validate(turn).but(
        error=turn.error or (_CUT if is_cut else ""),
        used=[Judged.model_validate(one).but(use=turn.use_of(one)) for one in turn.from_memory],
        skipped=[one for one in turn.decisions if one.entry.id not in used],
    )


def answers_of(turns: Sequence[Turn]) -> list[Answer]:
    """Return turns without proposals and related entries."""
    return [answer_of(turn) for turn in turns]


def why_so_far(call: Call, so_far: RunState) -> Why:
    """Return the reasons for an answer so far."""
    turn = so_far.turn
    reasons = call.teaching.reasons(turn, call.scope) or Reasons("", (), Sentence("why.nothing"))
    numbered = [Reason.model_validate(one).but(number=number) for number, one in enumerate(reasons.premises, 1)]
    return Why.model_validate(reasons).but(
        turn=turn.id, question=turn.question, answer=turn.reply.answer, reasons=numbered
    )


def drafts_so_far(_call: Call, so_far: RunState) -> Drafts:
    """Return the drafts of an answer so far, in the order of generation; none if it has only one answer."""
    turn = so_far.turn
    kept: DraftsFields = turn.reply.fields.get("drafts") or {"all": (), "best": 0, "shown": 0}
    drafts = [
        Draft.model_validate({**draft, "number": number, "shown": number == kept["shown"] + 1})
        for number, draft in enumerate(kept["all"], 1)
    ]
    return Drafts(turn=turn.id, drafts=drafts, error=str(turn.error or ""))


def erased(receipt: Receipt) -> Erased:
    """Return a receipt with its sentence."""
    return Erased.model_validate(receipt).but(sentence=receipt_sentence(receipt))
