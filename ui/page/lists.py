"""Panels that mostly list: conversations, Insights, the settings dialog and its API tokens."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from assistant.errors import NotAllowed, NotCurator, NotedError
from assistant.ports import LONGEST_LABEL
from assistant.reports.listing import LONGEST_TITLE, EntryFilter
from assistant.sentences import Sentence
from assistant.types import Scope
from ui.actions import upkeep
from ui.actions.conversations import conversations, erase_conversation, insights, rename
from ui.page.handlers import Handlers, View, event, operation_handler, parse_fields, parse_number, parse_search, perform
from ui.page.views import title_view
from ui.server.services import Services

PAGE_SIZE = 30
"""Number of conversations listed at once."""
_MOST_SHOWN = 100 * PAGE_SIZE
_LONGEST_SHOWN = 160
_LATEST = 5  # entries listed on Insights


class ConversationListHandlers(Handlers):
    """The list of conversations: a column beside the conversation, or a drawer on narrow screens.

    Each handler returns `{"conversations": […], "more": bool, "search": text}`; after an action also `done`, the name
    of a string, `changed`, the id of a conversation, and `receipt`, a message.
    """

    element = "conversations"

    def props(self) -> Mapping[str, object]:
        return {"step": PAGE_SIZE, "longest": LONGEST_TITLE}

    @event()
    def look(self, data: object, scope: Scope) -> View:
        """Return the user's conversations that contain `search`, newest first: the first `shown`, or a page."""
        search, limit = parse_search(data), parse_number(data, "shown", _MOST_SHOWN, PAGE_SIZE)
        found = conversations(self._call(scope), search, limit + 1)
        views = [
            {
                "id": one.id,
                "title": _short(one.title) or Sentence("turn.deleted"),
                "named": one.named,
                "when": one.last.isoformat(),
                "found": _short(one.found),
            }
            for one in found[:limit]
        ]
        return {"conversations": views, "more": len(found) > limit, "search": search}

    @event()
    def rename(self, data: object, scope: Scope) -> View:
        """Rename a `conversation` to `title`; an empty one restores its first question."""
        perform(rename, self._call(scope), data)
        return self.look(data, scope) | {"done": "talk_renamed", "changed": parse_fields(data)["conversation"]}

    @event()
    def erase(self, data: object, scope: Scope) -> View:
        """Erase a `conversation`."""
        receipt = perform(erase_conversation, self._call(scope), data)
        changed = parse_fields(data)["conversation"]
        return self.look(data, scope) | {"done": "talk_erased", "changed": changed, "receipt": receipt}


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


class InsightsHandlers(Handlers):
    """The Insights page: questions where notes were used, what was taught, what was corrected again."""

    element = "insights"

    def props(self) -> Mapping[str, object]:
        return {"keep_days": self._services.keep_turns_days}

    @event()
    def look(self, data: object, scope: Scope) -> View:
        """Return the user's own numbers; those of all users if a curator asks for `of: everyone`."""
        call, is_curator = self._call(scope), False
        with suppress(NotCurator):
            is_curator = bool(call.curator) and self._services.may_offer(scope)
        of_everyone = is_curator and parse_fields(data).get("of") == "everyone"
        overview = insights(call, of_everyone)
        latest = () if of_everyone else call.memory.find(scope, EntryFilter(), _LATEST).entries
        corrected = []
        for one in overview.corrected:
            with suppress(NotedError):  # it cannot be read any more
                entry = call.memory.entry(one.entry_id, scope)
                corrected.append(title_view(entry) | {"used": one.used, "corrected": one.corrected})
        return {
            "curator": is_curator,
            "of": "everyone" if of_everyone else "own",
            "people": overview.people,
            "weeks": [{"monday": week.monday.isoformat(), "helped": week.helped} for week in overview.weeks],
            "taught": dict(overview.taught),
            "latest": [title_view(entry) for entry in latest],
            "corrected": corrected,
        }


class SettingsHandlers(Handlers):
    """The settings dialog: token usage and duration of recent answers, and retention of conversations."""

    element = "settings"

    def props(self) -> Mapping[str, object]:
        return {"keep_days": self._services.keep_turns_days}

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Return times in milliseconds, mean tokens and dollars; 0 or None if unknown."""
        overview = insights(self._call(scope), everyone=False)
        times, taken = overview.times, overview.taken
        return {
            "answers": times.answers,
            "median": times.median,
            "slowest": times.slowest,
            "counted": taken.answers,
            "estimated": taken.answers - taken.told,
            "prompt": taken.prompt,
            "reply": taken.reply,
            "each": taken.each,
            "dollars": taken.dollars,
        }


class TokenHandlers(Handlers):
    """API tokens. Each handler returns `{"may_make": bool, "tokens": [{"id", "label", "when"}]}`.

    After an action also `done`, the name of a string, and `secret` of a new token. Listing and revoking need no
    permission.
    """

    element = "tokens"

    def __init__(self, services: Services, may_make: Callable[[Scope], bool]) -> None:
        super().__init__(services)
        self._may_make = may_make

    def props(self) -> Mapping[str, object]:
        return {"longest": LONGEST_LABEL}

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Return the user's tokens, newest first."""
        kept = upkeep.tokens(self._call(scope))
        views = [{"id": one.id, "label": one.label, "when": one.created.isoformat()} for one in kept]
        return {"may_make": self._may_make(scope), "tokens": views}

    @event()
    def make(self, data: object, scope: Scope) -> View:
        """Make a token with a `label`."""
        if not self._may_make(scope):
            raise NotAllowed
        made = perform(upkeep.token, self._call(scope), data)
        return self.look(data, scope) | {"done": "token_made", "secret": made["secret"]}

    revoke = operation_handler(upkeep.revoke, "token_revoked")
