"""Panels that list: conversations, the Memory page with offers, Insights, settings and API tokens."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from typing import ClassVar

from assistant.errors import NotAllowed, NotCurator, NotedError, TooOften
from assistant.keys.writer import LONGEST_KEY
from assistant.kinds import KINDS
from assistant.reports.listing import LONGEST_TITLE, EntryFilter
from assistant.sentences import Sentence
from assistant.sharing import LONGEST_REASON
from assistant.text.cleaning import clean_text
from assistant.types import Entry, Question, Scope
from memory_store.ledger.tokens import LONGEST_LABEL
from ui.actions import memory as entries
from ui.actions import upkeep
from ui.actions.answering import conversations, erase_conversation, insights, rename
from ui.actions.arguments import LONGEST_SEARCH
from ui.page.handlers import Handlers, View, event, handler_of, parse_fields, parse_number, perform
from ui.page.teach import ImportHandlers
from ui.page.views import NEAREST_AT_LEAST, entry_view, offered_view, said_view
from ui.server.rate_limit import RateLimit
from ui.server.services import Services

PAGE_SIZE = 50
"""Number of conversations or entries listed at once."""
MOST_OFFERS = 100
SEARCHES_PER_MINUTE = 30
"""Rate limit per user of searches by meaning."""
_MOST_SHOWN = 1_000
_FURTHEST = 10**9
_LONGEST_SHOWN = 160
_LATEST = 5  # entries listed on Insights


class ConversationListHandlers(Handlers):
    """The list of conversations: a column beside the conversation, or a drawer on narrow screens.

    Each handler returns `{"conversations": […], "more": bool}`; after an action also `done`, the name
    of a string, `changed`, the id of a conversation, and `receipt`, a message.
    """

    element = "conversations"
    constants: ClassVar = {"step": PAGE_SIZE, "longest": LONGEST_TITLE}

    @event()
    def look(self, data: object, scope: Scope) -> View:
        """Return the user's conversations that contain `search`, newest first: the first `shown`, or a page."""
        limit = parse_number(data, "shown", 3 * _MOST_SHOWN, PAGE_SIZE)
        found = perform(conversations, self._call(scope), data, limit=limit + 1)
        views = [
            {"id": one.id, "title": _short(one.title) or Sentence("turn.deleted"), "named": one.named}
            | {"when": one.last.isoformat(), "found": _short(one.found)}
            for one in found[:limit]
        ]
        return {"conversations": views, "more": len(found) > limit}

    @event()
    def rename(self, data: object, scope: Scope) -> View:
        """Rename a `conversation` to `title`; an empty one restores its first question."""
        perform(rename, self._call(scope), data)
        return self.look(data, scope) | {"done": "talk_renamed", "changed": parse_fields(data)["conversation"]}

    @event()
    def erase(self, data: object, scope: Scope) -> View:
        receipt = perform(erase_conversation, self._call(scope), data)
        changed = parse_fields(data)["conversation"]
        return self.look(data, scope) | {"done": "talk_erased", "changed": changed, "receipt": receipt}


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


class InsightsHandlers(Handlers):
    """The Insights page: questions where notes were used, what was taught, what was corrected again."""

    element = "insights"

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Return the user's numbers, the entries taught last and those corrected again."""
        call, corrected = self._call(scope), []
        overview = insights(call)
        for one in overview.corrected:
            with suppress(NotedError):  # it cannot be read any more
                entry = call.memory.entry(one.entry_id, scope)
                corrected.append(said_view(entry) | {"used": one.used, "corrected": one.corrected})
        return {
            "weeks": [{"monday": week.monday.isoformat(), "helped": week.helped} for week in overview.weeks],
            "taught": dict(overview.taught),
            "latest": [said_view(entry) for entry in call.memory.find(scope, EntryFilter(), _LATEST).entries],
            "corrected": corrected,
        }


class SettingsHandlers(Handlers):
    """The settings dialog: token usage and duration of recent answers, and retention of conversations."""

    element = "settings"

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Return times in milliseconds, mean tokens and dollars; 0 or None if unknown."""
        overview = insights(self._call(scope))
        return {"times": asdict(overview.times), "taken": {**asdict(overview.taken), "each": overview.taken.each}}


class TokenHandlers(Handlers):
    """API tokens. Each handler returns `{"may_make": bool, "tokens": [{"id", "label", "when"}]}`.

    After an action also `done`, the name of a string, and `secret` of a new token. Listing and revoking need no
    permission.
    """

    element = "tokens"
    constants: ClassVar = {"longest": LONGEST_LABEL}

    def __init__(self, services: Services, may_make: Callable[[Scope], bool]) -> None:
        super().__init__(services)
        self._may_make = may_make

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        kept = upkeep.tokens(self._call(scope))
        views = [{"id": one.id, "label": one.label, "when": one.created.isoformat()} for one in kept]
        return {"may_make": self._may_make(scope), "tokens": views}

    @event()
    def make(self, data: object, scope: Scope) -> View:
        if not self._may_make(scope):
            raise NotAllowed
        made = perform(upkeep.token, self._call(scope), data)
        return self.look(data, scope) | {"done": "token_made", "secret": made.secret}

    revoke = handler_of(upkeep.revoke, "token_revoked")


class MemoryHandlers(Handlers):
    """The list of entries. Each handler returns the view of `search`.

    After an action also `done`, the name of a string, `changed`, the id of the entry, `receipt` of an erasure, and
    `file`, the content of an export. `imports` are stopped and `forgetting` is called before everything is forgotten.
    """

    element = "memory"
    constants: ClassVar = {"step": PAGE_SIZE, "longest_key": LONGEST_KEY, "filters": {"kind": [*KINDS]}}

    def __init__(
        self, services: Services, imports: ImportHandlers, forgetting: Callable[[Scope], None] = lambda _scope: None
    ) -> None:
        super().__init__(services)
        self._memory = services.assistant.memory
        self._imports = imports
        self._forgetting = forgetting
        self._looking = RateLimit(SEARCHES_PER_MINUTE, 0)

    @event()
    def search(self, data: object, scope: Scope) -> View:
        """Return the user's entries that contain `search` and pass the `filters`: `shown` of them after the `first`.

        Those found only `by_meaning` follow the last page.
        """
        fields = parse_fields(data)
        kind = parse_fields(fields.get("filters")).get("kind")
        search = clean_text(str(fields.get("search", "")))[:LONGEST_SEARCH]
        wanted = EntryFilter(search, kind if isinstance(kind, str) and kind in KINDS else None)
        limit, first = parse_number(data, "shown", _MOST_SHOWN, PAGE_SIZE), parse_number(data, "first", _FURTHEST, 0)
        found = self._memory.find(scope, wanted, limit, first)
        if first and not found.entries:  # the last entry of this page was erased
            first = max(0, found.total - 1) // limit * limit
            found = self._memory.find(scope, wanted, limit, first)
        is_last = first + limit >= found.total
        by_meaning = self._by_meaning(wanted, scope) if is_last and wanted.search.strip() else []
        shown = [*found.entries, *by_meaning]
        ids = [entry.id for entry in shown]
        offers, earlier = self._services.sharing.offers_of(ids, scope), self._memory.earlier(ids, scope)
        views = [
            entry_view(entry, offers.get(entry.id), earlier.get(entry.id, ()))
            | {"may_offer": self._services.may_offer(scope, entry), "by_meaning": entry in by_meaning}
            for entry in shown
        ]
        may_offer = self._services.may_offer(scope)
        return {"entries": views, "may_offer": may_offer, "first": first, "total": found.total, "more": not is_last}

    look = search

    def _by_meaning(self, wanted: EntryFilter, scope: Scope) -> list[Entry]:
        """Return entries that the retriever finds for these words but that do not contain them, most probable first."""
        try:
            self._looking.turn(scope)
        except TooOften:  # faster than people type
            return []
        parts = self._services.parts
        decisions = parts.gate(parts.recall(Question(wanted.search), scope), scope)
        likely = {one.entry.id: one.probability for one in decisions if one.probability >= NEAREST_AT_LEAST}
        with_words = replace(wanted, among=frozenset(likely))
        there = self._memory.find(scope, with_words, len(likely)).entries if likely else ()
        others = replace(wanted, search="", among=likely.keys() - {entry.id for entry in there})
        found = self._memory.find(scope, others, len(likely)).entries if others.among else ()
        return sorted(found, key=lambda entry: -likely[entry.id])

    @event()
    def edit(self, data: object, scope: Scope) -> View:
        """Replace the text of an `entry`; that ends its offer to everyone, if it has one."""
        before = str(parse_fields(data).get("entry"))
        offered = self._services.sharing.offers_of([before], scope).get(before)
        entry = perform(entries.change, self._call(scope), data)
        ended = offered is not None and offered.stands and entry.id != before
        return self.search(data, scope) | {"done": "changed_unshared" if ended else "changed", "changed": entry.id}

    @event()
    def weigh(self, data: object, scope: Scope) -> View:
        """Return, as `takes`, the counts of things that would be erased with an `entry`, or with everything."""
        takes = perform(entries.erases, self._call(scope), data)
        return {"takes": dict(takes)}

    @event()
    def forget_all(self, data: object, scope: Scope) -> View:
        """Erase everything about the user; stop imports first."""
        self._forgetting(scope)
        self._imports.stop_all(scope)
        receipt = perform(entries.forget_everything, self._call(scope), data)
        return self.search(data, scope) | {"done": "forgotten_all", "receipt": receipt}

    offer = handler_of(entries.offer, "offer_made", lambda made: {"changed": made.entry_id})
    withdraw = handler_of(entries.withdraw, "offer_withdrawn", lambda made: {"changed": made.entry_id})
    resume = handler_of(entries.resume, "resumed", lambda entry: {"changed": entry.id})
    reach = handler_of(entries.reach, "reach_changed", lambda entry: {"changed": entry.id})
    change_key = handler_of(entries.change_key, "keys_changed", lambda entry: {"changed": entry.id})
    revert = handler_of(entries.revert, "taken_back", lambda entry: {"changed": entry.id})
    forget = handler_of(entries.forget, "forgotten", lambda receipt: {"receipt": receipt})
    export = handler_of(entries.export, "exported", lambda written: {"file": written.file})


class OfferHandlers(Handlers):
    """The offers, for curators. Each handler returns `{"curator": bool, "offers": […], "more": bool}`.

    After an action also `done`, the name of a string, and `changed`, the id of the offer.
    """

    element = "offers"
    constants: ClassVar = {"longest_reason": LONGEST_REASON}

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Return waiting offers and shared entries. On a server for one user, nobody is a curator."""
        try:
            if not self._services.has_several_users:
                raise NotCurator
            found = entries.offers(self._call(scope), MOST_OFFERS + 1)
        except NotCurator:
            return {"curator": False, "offers": [], "more": False}
        shown = [offered_view(offered, scope) for offered in found[:MOST_OFFERS]]
        return {"curator": True, "offers": shown, "more": len(found) > MOST_OFFERS}

    accept = handler_of(entries.accept, "offer_accepted", lambda offer: {"changed": offer.id})
    decline = handler_of(entries.decline, "offer_declined_now", lambda offer: {"changed": offer.id})
