"""Operations on questions and answers: ask, correct, react, ask why, choose another draft."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from assistant.errors import InputError
from assistant.events import Event, Finished, Saved
from assistant.kinds import PREFERENCE, Reach
from assistant.papers.selection.drafts import draft_again, take_draft
from assistant.papers.teachme.teaching import Act
from assistant.types import Reaction, Turn
from ui.actions.arguments import AnEntry, ConversationId, Id, Number, ProposedReach, TurnId
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, operation
from ui.actions.results import answer_so_far, drafts_so_far, saved_entry, turns_view, why_so_far

Question = Annotated[str, Field(description="The question; or what was meant by the one before."), Role.WORDS]
Meant = Annotated[str, Field(description="What was meant, in plain words."), Role.WORDS]
Told = Annotated[str, Field(description="A fact or an answer, in plain words."), Role.WORDS]
ToGoOn = Annotated[ConversationId, Field(description="The one to go on with; empty begins one.")]
Seen = Annotated[Id, Field(description="Id of the last answer that the user sees, where later ones came.")]
Think = Annotated[bool, Field(description="Weigh proofs of possible answers, in up to some fifty calls of the model.")]
ReasonNumber = Annotated[Number, Field(description="Of the reason that is meant, as `why` has it.")]
DraftNumber = Annotated[Number, Field(description="Of the draft; 0 for the one that was shown at first.")]
_REACTIONS = (
    "`confirm`: the answer is right. `exclude`: answer again without an entry, `use`: with one that was not used. "
    "`except`: do not use it for questions asked like this one, `pause`: for none; `resume`: use it again."
)
_ACTS = (
    "`wrong`: a reason is not so (`text`: what is so). `does-not-matter`: it has nothing to do with the question. "
    "`does-not-follow`: the answer does not follow. `missing`: a fact is missing, `text`. `answer`: the answer is "
    "`text`. `true`: a reason that is not believed is so."
)
TheReaction = Annotated[Reaction, Field(description=_REACTIONS)]
TheAct = Annotated[Act, Field(description=_ACTS)]


@operation(answer_so_far)
def ask(
    call: Call, question: Question, conversation: ToGoOn = "", think: Think = False, seen: Seen = ""
) -> Iterator[Event]:
    """Ask a question. The answer says how it was understood and which entries it used.

    A message that corrects the one before ("no, I meant …") is saved, and that question is answered again.
    """
    assistant = call.assistant.with_parts(generator=call.teaching.thinking()) if think else call.assistant
    return assistant.ask(question, call.scope, conversation or call.conversation, seen=seen)


@operation(answer_so_far)
def clarify(call: Call, text: Meant, turn: TurnId = "", reach: ProposedReach = None) -> Iterator[Event]:
    """Say what an earlier question meant. That is saved, and the question is answered again."""
    return call.assistant.clarify(call.correctable(turn), text, call.scope, Reach(reach) if reach else None)


@operation(saved_entry)
def save_clarification(call: Call, text: Meant, turn: TurnId = "") -> Saved:
    """Save what an earlier question meant, without answering it again."""
    return call.assistant.save_clarification(call.correctable(turn), text, call.scope)


@operation(answer_so_far)
def edit_question(call: Call, question: Question, turn: TurnId = "") -> Iterator[Event]:
    """Answer another question in the place of that of a turn, as if nothing had been asked since."""
    return call.assistant.edit(call.turn(turn).id, question, call.scope)


@operation(answer_so_far)
def retry(call: Call, turn: TurnId = "", think: Think = False) -> Iterator[Event]:
    """Answer a question once more."""
    assistant = call.assistant.with_parts(generator=call.teaching.thinking()) if think else call.assistant
    return assistant.retry(call.turn(turn).id, call.scope)


@operation(answer_so_far)
def react(call: Call, reaction: TheReaction, entry: AnEntry = "", turn: TurnId = "") -> Iterator[Event]:
    """Say that an answer is right, have it given again without or with an entry, or keep an entry from being used."""
    answered = call.turn(turn)
    named = "" if reaction is Reaction.CONFIRM else entry and call.entry(entry)
    if not named and reaction is not Reaction.CONFIRM:
        known = {decision.entry.id for decision in answered.from_memory} | {*answered.left_out}
        if len(known) != 1:
            raise InputError("entry.which")
        (named,) = known
    return call.assistant.react(answered.id, reaction, call.scope, named)


@operation(why_so_far)
def why(call: Call, turn: TurnId = "") -> Iterator[Event]:
    """Say what an answer is based on, who told that, and whether the answer follows. It takes one call at most."""
    return call.teaching.why(call.turn(turn).id, call.scope)


@operation(answer_so_far)
def dispute(call: Call, act: TheAct, text: Told = "", number: ReasonNumber = 0, turn: TurnId = "") -> Iterator[Event]:
    """Correct a reason for an answer. It is saved as a fact, and the question is answered again."""
    return call.teaching.dispute(call.turn(turn).id, act, call.scope, number, text)


@operation(drafts_so_far)
def drafts(call: Call, turn: TurnId = "") -> Iterator[Event]:
    """Answer a question in three ways, unless it is already, and show them with their scores."""
    answered = call.turn(turn)
    if "drafts" in answered.reply.fields:
        return iter([Finished(answered)])
    return draft_again(call.assistant, answered.id, call.scope)


@operation(drafts_so_far)
def take(call: Call, number: DraftNumber, turn: TurnId = "") -> Iterator[Event]:
    """Make another draft the answer; the choice counts for which draft is shown later."""
    return iter([Finished(take_draft(call.assistant, call.turn(turn).id, number or None, call.scope))])


@operation(turns_view, effect=Effect.ERASES)
def undo(call: Call, entry: AnEntry = "") -> Sequence[Turn]:
    """Take an entry back: it is used no more. Shows the answers that changed with it."""
    chosen = call.memory.entry(call.entry(entry), call.scope)
    if chosen.kind is PREFERENCE:
        return [take_draft(call.assistant, chosen.turn, None, call.scope)]
    return call.teaching.undo(chosen.id, call.scope)
