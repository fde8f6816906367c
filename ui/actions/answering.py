"""Operations on questions, answers and conversations: ask, correct, react, ask why, choose another draft; insights."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from assistant.errors import InputError, NotFound
from assistant.events import Event, Finished
from assistant.kinds import PREFERENCE, Reach
from assistant.papers.selection.drafts import draft_again, take_draft
from assistant.papers.teachme.teaching import Act
from assistant.reports.insights import Overview
from assistant.reports.listing import LONGEST_TITLE, ConversationSummary
from assistant.reports.upkeep import Receipt
from assistant.text.cleaning import check_text
from assistant.types import Entry, Reaction, Turn
from ui.actions.arguments import AnEntry, ConversationId, Id, Limit, Number, Offset, ProposedReach, Search, TurnId
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, operation
from ui.actions.results import EntryView, answer_so_far, answers_of, drafts_so_far, erased, why_so_far

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


@operation(EntryView)
def save_clarification(call: Call, text: Meant, turn: TurnId = "") -> Entry:
    """Save what an earlier question meant, without answering it again."""
    return call.assistant.save_clarification(call.correctable(turn), text, call.scope).entry


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


@operation(answers_of, effect=Effect.ERASES, name_of_result="turns")
def undo(call: Call, entry: AnEntry = "") -> Sequence[Turn]:
    """Take an entry back: it is used no more. Shows the answers that changed with it."""
    chosen = call.memory.entry(call.entry(entry), call.scope)
    if chosen.kind is PREFERENCE:
        return [take_draft(call.assistant, chosen.turn, None, call.scope)]
    return call.teaching.undo(chosen.id, call.scope)


@operation(effect=Effect.READS)
def conversations(
    call: Call, search: Search = "", limit: Limit = 30, offset: Offset = 0
) -> Sequence[ConversationSummary]:
    """List the user's conversations, the latest first, without those of practices."""
    return call.services.conversations.conversations(call.scope, search, limit, offset, practised=False)


@operation(answers_of, effect=Effect.READS, name_of_result="turns")
def conversation(call: Call, conversation: ConversationId) -> Sequence[Turn]:
    """Show the turns of a conversation, oldest first."""
    turns = call.assistant.turns(conversation, call.scope)
    if not turns:
        raise NotFound("conversation.unknown")
    return turns


@operation(name_of_result="sentence")
def rename(
    call: Call,
    conversation: ConversationId,
    title: Annotated[str, Field(description="Its name; empty for its first question."), Role.WORDS] = "",
) -> str:
    """Give a conversation another name."""
    title = " ".join(title.split())
    title = check_text(title, LONGEST_TITLE) if title else ""
    call.save()
    call.services.conversations.rename(conversation, title, call.scope)
    return "Renamed."


@operation(erased, effect=Effect.ERASES)
def erase_conversation(call: Call, conversation: ConversationId) -> Receipt:
    """Erase a conversation for good; what was saved in it stays."""
    return call.services.conversations.erase(conversation, call.scope)


@operation(effect=Effect.READS)
def insights(call: Call) -> Overview:
    """Count how often entries were used, and how often they had to be corrected."""
    return call.services.insights(call.scope)
