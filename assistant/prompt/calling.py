"""Call a model with a prompt for its whole reply, where nobody reads along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

from assistant.errors import StreamCut
from assistant.model_usage import Count, ignore_usage
from assistant.ports import ChatModel
from assistant.reply.filter import ReplyFilter, visible
from assistant.types import Message

_LONGEST_REPLY = 12_000  # characters; later ones are ignored

IsStopped = Callable[[], bool]  # checked while a model writes; True ends the call


def hear(
    model: ChatModel,
    messages: Sequence[Message],
    count: Count = ignore_usage,
    is_stopped: IsStopped = lambda: False,
    reply_filter: ReplyFilter | None = None,
) -> str:
    """Call a model and return its whole reply, cut at 12,000 characters. Raises ModelError; StreamCut if stopped."""
    reply = ""
    with closing(visible(model.stream(messages, count), reply_filter)) as stream:
        for piece in stream:
            if is_stopped():
                raise StreamCut
            reply += piece
            if len(reply) > _LONGEST_REPLY:
                break
    return reply[:_LONGEST_REPLY]
