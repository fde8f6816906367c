"""The list of conversations: a column beside the conversation, or a drawer where there is no room for one. No Gradio.

Its script tells the page to open one by the window's event `noted:open`, and hears by `noted:talk` which one is open
and that it has changed.
"""

from typing import Any

from assistant.limits import UNLIMITED
from assistant.ports import Allowance, Conversations
from assistant.reports.listing import LONGEST_TITLE, ConversationSummary
from assistant.sentences import Sentence
from assistant.text.cleaning import checked
from assistant.types import Scope
from ui.page.panel import Panel, View, id_in, number_in, refusing, search_in, text_in
from ui.words.texts import receipt_sentence

PAGE_SIZE = 30
_MOST_SHOWN = 100 * PAGE_SIZE
_LONGEST_SHOWN = 160
_SCRIPTS = ("connection.js", "sending.js", "asking.js", "script.js")


class ConversationListHandlers:
    """One method per event. Each returns `{"conversations": […], "more": bool, "search": text}`.

    With it, `done` is the name of a text, `changed` the id of a conversation, and `receipt` a sentence. To erase is
    always allowed.
    """

    def __init__(self, conversations: Conversations, allowance: Allowance = UNLIMITED) -> None:
        self._conversations = conversations
        self._allowance = allowance

    def panel(self) -> Panel:
        props = {"step": PAGE_SIZE, "longest": LONGEST_TITLE}
        events = (self.look, self.rename, self.erase)
        return Panel("conversations", _SCRIPTS, events, props=props, folder="conversation_list")

    @refusing
    def look(self, data: object, scope: Scope) -> View:
        """The person's conversations that contain `search`, newest first; the first `shown`, or a page."""
        search, limit = search_in(data), number_in(data, "shown", _MOST_SHOWN, PAGE_SIZE)
        found = self._conversations.conversations(scope, search.strip(), limit + 1, practised=False)
        views = [_view(summary) for summary in found[:limit]]
        return {"conversations": views, "more": len(found) > limit, "search": search}

    @refusing
    def rename(self, data: object, scope: Scope) -> View:
        """Give a conversation (`conversation`) another name (`title`), or with an empty one its first question."""
        title = " ".join(text_in(data, "title").split())
        title = checked(title, LONGEST_TITLE) if title else ""
        self._allowance.save(scope)
        conversation = id_in(data, "conversation")
        self._conversations.rename(conversation, title, scope)
        return self.look(data, scope) | {"done": "talk_renamed", "changed": conversation}

    @refusing
    def erase(self, data: object, scope: Scope) -> View:
        """Erase a conversation (`conversation`)."""
        conversation = id_in(data, "conversation")
        receipt = receipt_sentence(self._conversations.erase(conversation, scope))
        return self.look(data, scope) | {"done": "talk_erased", "changed": conversation, "receipt": receipt}


def _view(summary: ConversationSummary) -> dict[str, Any]:
    return {
        "id": summary.id,
        "title": _short(summary.title) or Sentence("turn.deleted"),
        "named": summary.named,
        "when": summary.last.isoformat(),
        "found": _short(summary.found),
    }


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
