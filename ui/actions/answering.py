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

Question = Annotated[
    str, Field(description="A question, or a correction of how the last one was understood."), Role.WORDS
]
Meant = Annotated[str, Field(description="What the question meant, in plain words."), Role.WORDS]
Told = Annotated[str, Field(description="A fact or an answer, in plain words; see `act`."), Role.WORDS]
ToGoOn = Annotated[ConversationId, Field(description="The conversation to continue; empty starts a new one.")]
Seen = Annotated[Id, Field(description="Id of the last answer the user has seen, if there are later ones.")]
Think = Annotated[bool, Field(description="Compare proofs of possible answers; takes up to 38 model calls.")]
ReasonNumber = Annotated[Number, Field(description="The reason's number, from `why`.")]
DraftNumber = Annotated[Number, Field(description="The draft's number; 0 for the one shown first.")]
_REACTIONS = (
    "`confirm`: the answer is right. `exclude`: answer again without an entry. `use`: answer again with an entry that "
    "was skipped. `except`: don't use the entry for questions like this one. `pause`: don't use it at all. `resume`: "
    "use it again."
)
_ACTS = (
    "`wrong`: a reason is false; `text` says what is true. `does-not-matter`: a reason is beside the point. "
    "`does-not-follow`: the answer doesn't follow. `missing`: a fact is missing; `text` states it. `answer`: the right "
    "answer is `text`. `true`: a reason that was not believed is true."
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
    """Say what an earlier question meant. The meaning is saved, and the question is answered again."""
    return call.assistant.clarify(call.correctable(turn), text, call.scope, Reach(reach) if reach else None)


@operation(EntryView)
def save_clarification(call: Call, text: Meant, turn: TurnId = "") -> Entry:
    """Save what an earlier question meant, without answering it again."""
    return call.assistant.save_clarification(call.correctable(turn), text, call.scope).entry


@operation(answer_so_far)
def edit_question(call: Call, question: Question, turn: TurnId = "") -> Iterator[Event]:
    """Replace the question of a turn and answer the new one, as if nothing had been asked since."""
    return call.assistant.edit(call.turn(turn).id, question, call.scope)


@operation(answer_so_far)
def retry(call: Call, turn: TurnId = "", think: Think = False) -> Iterator[Event]:
    """Answer a question again."""
    assistant = call.assistant.with_parts(generator=call.teaching.thinking()) if think else call.assistant
    return assistant.retry(call.turn(turn).id, call.scope)


@operation(answer_so_far)
def react(call: Call, reaction: TheReaction, entry: AnEntry = "", turn: TurnId = "") -> Iterator[Event]:
    """Confirm an answer, answer again with or without an entry, or stop an entry from being used."""
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
    """Show what an answer is based on, who said so, and whether it follows. Takes at most one model call."""
    return call.teaching.why(call.turn(turn).id, call.scope)


@operation(answer_so_far)
def dispute(call: Call, act: TheAct, text: Told = "", number: ReasonNumber = 0, turn: TurnId = "") -> Iterator[Event]:
    """Correct a reason for an answer. The correction is saved as a fact, and the question is answered again."""
    return call.teaching.dispute(call.turn(turn).id, act, call.scope, number, text)


@operation(drafts_so_far)
def drafts(call: Call, turn: TurnId = "") -> Iterator[Event]:
    """Show three drafts of an answer with their scores, writing them first if needed."""
    answered = call.turn(turn)
    if "drafts" in answered.reply.fields:
        return iter([Finished(answered)])
    return draft_again(call.assistant, answered.id, call.scope)


@operation(drafts_so_far)
def take(call: Call, number: DraftNumber, turn: TurnId = "") -> Iterator[Event]:
    """Make another draft the answer. Later drafts are ranked by such choices."""
    return iter([Finished(take_draft(call.assistant, call.turn(turn).id, number or None, call.scope))])


@operation(answers_of, effect=Effect.ERASES, name_of_result="turns")
def undo(call: Call, entry: AnEntry = "") -> Sequence[Turn]:
    """Undo saving an entry, and return the answers that change because of it."""
    chosen = call.memory.entry(call.entry(entry), call.scope)
    if chosen.kind is PREFERENCE:
        return [take_draft(call.assistant, chosen.turn, None, call.scope)]
    return call.teaching.undo(chosen.id, call.scope)


@operation(effect=Effect.READS)
def conversations(
    call: Call, search: Search = "", limit: Limit = 30, offset: Offset = 0
) -> Sequence[ConversationSummary]:
    """List the user's conversations, latest first, except those of practice."""
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
    title: Annotated[str, Field(description="The new name; empty to use its first question."), Role.WORDS] = "",
) -> str:
    """Rename a conversation."""
    title = " ".join(title.split())
    title = check_text(title, LONGEST_TITLE) if title else ""
    call.save()
    call.services.conversations.rename(conversation, title, call.scope)
    return "Renamed."


@operation(erased, effect=Effect.ERASES)
def erase_conversation(call: Call, conversation: ConversationId) -> Receipt:
    """Permanently erase a conversation. Entries saved in it stay."""
    return call.services.conversations.erase(conversation, call.scope)


@operation(effect=Effect.READS)
def insights(call: Call) -> Overview:
    """Count how often entries were used, and how often the answers had to be corrected."""
    return call.services.insights(call.scope)
