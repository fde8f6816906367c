"""What happens when a person does something in the list of conversations. Plain functions; no Gradio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.conversation_list import LONGEST_TITLE
from assistant.errors import NotedError
from assistant.limits import UNLIMITED
from assistant.text import checked, storable
from ui.handlers import id_in, text_in
from ui.receipt import receipt_sentence

if TYPE_CHECKING:
    from assistant.conversation_list import ConversationSummary
    from assistant.ports import Allowance, Conversations
    from assistant.types import Scope

PAGE_SIZE = 30
_MOST_SHOWN = 100 * PAGE_SIZE
_LONGEST_SEARCH = 500
_LONGEST_SHOWN = 160

Listing = dict[str, Any]


class ConversationListHandlers:
    """One method per event of the list. Each returns what the list then shows.

    Args:
        conversations: what the person talked about.
        allowance: how often each person may name one. To erase is always allowed.
    """

    def __init__(self, conversations: Conversations, allowance: Allowance = UNLIMITED) -> None:
        self._conversations = conversations
        self._allowance = allowance

    def look(self, data: object, scope: Scope) -> Listing:
        """The person's conversations that contain `search`, newest first; the first `shown`, or a page."""
        fields = data if isinstance(data, dict) else {}
        search, shown = fields.get("search"), fields.get("shown")
        search = storable(search)[:_LONGEST_SEARCH] if isinstance(search, str) else ""
        limit = shown if isinstance(shown, int) and 0 < shown <= _MOST_SHOWN else PAGE_SIZE
        try:
            found = self._conversations.conversations(scope, search.strip(), limit + 1, 0)
        except NotedError as error:
            return {"refused": str(error)}
        views = [_view(summary) for summary in found[:limit]]
        return {"conversations": views, "more": len(found) > limit, "search": search}

    def rename(self, data: object, scope: Scope) -> Listing:
        """Give a conversation (`conversation`) another name (`title`), or with an empty one its first question."""
        try:
            title = " ".join(text_in(data, "title").split())
            title = checked(title, LONGEST_TITLE) if title else ""
            self._allowance.save(scope)
            conversation = id_in(data, "conversation")
            self._conversations.rename(conversation, title, scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self.look(data, scope) | {"done": "talk_renamed", "changed": conversation}

    def erase(self, data: object, scope: Scope) -> Listing:
        """Erase a conversation (`conversation`); the listing then holds the `receipt`, in words."""
        try:
            conversation = id_in(data, "conversation")
            receipt = self._conversations.erase(conversation, scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self.look(data, scope) | {
            "done": "talk_erased",
            "changed": conversation,
            "receipt": receipt_sentence(receipt),
        }


def _view(summary: ConversationSummary) -> dict[str, Any]:
    return {
        "id": summary.id,
        "title": _short(summary.title),
        "named": summary.named,
        "when": summary.last.isoformat(),
        "found": _short(summary.found),
    }


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
