"""The list of conversations: a column beside the conversation, or a drawer on narrow screens.

Its script dispatches `noted:open` on the window to open a conversation, and listens for `noted:talk`, which names the
open conversation and reports changes.
"""

from typing import Any

from assistant.reports.listing import LONGEST_TITLE, ConversationSummary
from assistant.sentences import Sentence
from assistant.types import Scope
from ui.actions.answering import conversations, erase_conversation, rename
from ui.page.panel import Handlers, Panel, View, convert_refusals, parse_fields, parse_number, parse_search, perform
from ui.words.texts import receipt_sentence

PAGE_SIZE = 30
_MOST_SHOWN = 100 * PAGE_SIZE
_LONGEST_SHOWN = 160


class ConversationListHandlers(Handlers):
    """Event handlers. Each returns `{"conversations": […], "more": bool, "search": text}`.

    After an action also `done`, the name of a string, `changed`, the id of a conversation, and `receipt`, a message.
    """

    def panel(self) -> Panel:
        props = {"step": PAGE_SIZE, "longest": LONGEST_TITLE}
        return Panel("conversations", events=(self.look, self.rename, self.erase), props=props)

    @convert_refusals
    def look(self, data: object, scope: Scope) -> View:
        """Return the user's conversations that contain `search`, newest first: the first `shown`, or a page."""
        search, limit = parse_search(data), parse_number(data, "shown", _MOST_SHOWN, PAGE_SIZE)
        found = conversations(self._call(scope), search, limit + 1)
        views = [_view(summary) for summary in found[:limit]]
        return {"conversations": views, "more": len(found) > limit, "search": search}

    @convert_refusals
    def rename(self, data: object, scope: Scope) -> View:
        """Rename a `conversation` to `title`; an empty one restores its first question."""
        perform(rename, self._call(scope), data)
        return self.look(data, scope) | {"done": "talk_renamed", "changed": parse_fields(data)["conversation"]}

    @convert_refusals
    def erase(self, data: object, scope: Scope) -> View:
        """Erase a `conversation`."""
        receipt = receipt_sentence(perform(erase_conversation, self._call(scope), data))
        changed = parse_fields(data)["conversation"]
        return self.look(data, scope) | {"done": "talk_erased", "changed": changed, "receipt": receipt}


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
