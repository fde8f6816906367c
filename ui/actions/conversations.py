"""Operations on conversations, and insights."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from assistant.errors import NotFound
from assistant.reports.insights import Overview
from assistant.reports.listing import LONGEST_TITLE, ConversationSummary
from assistant.reports.upkeep import Receipt
from assistant.text.cleaning import check_text
from assistant.types import Turn
from ui.actions.arguments import ConversationId, Limit, Offset, Search
from ui.actions.call import Call
from ui.actions.operation import Effect, Role, operation
from ui.actions.results import answers_of, erased


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
def insights(
    call: Call,
    everyone: Annotated[bool, Field(description="Of all users, for curators only.")] = False,
) -> Overview:
    """Count how often entries were used, and how often they had to be corrected."""
    return call.services.insights(call.curator if everyone else call.scope)
