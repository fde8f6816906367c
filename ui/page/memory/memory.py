"""The Memory page: read, search, change, export and erase the user's entries."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.errors import NotCurator, TooOften
from assistant.keys.writer import LONGEST_KEY
from assistant.kinds import KINDS, Reach
from assistant.reports.listing import EntryFilter
from assistant.sharing import LONGEST_REASON
from assistant.types import Entry, Question, Scope
from ui.actions import memory as entries
from ui.page.conversation.views import NEAREST_AT_LEAST, entry_view, offered_view
from ui.page.panel import (
    Handlers,
    Panel,
    View,
    convert_refusals,
    operation_handler,
    parse_fields,
    parse_number,
    parse_search,
    perform,
)
from ui.page.teach.importing import ImportHandlers
from ui.server.rate_limit import RateLimit
from ui.server.services import Services

PAGE_SIZE = 50
_MOST_SHOWN, MOST_OFFERS = 1_000, 100
_FURTHEST = 10**9
SEARCHES_PER_MINUTE = 30
"""Rate limit per user of searches by meaning."""


def _changed(entry: Entry) -> View:
    return {"changed": entry.id}


class MemoryHandlers(Handlers):
    """Event handlers of the list of entries. Each returns the view of `search`.

    After an action also `done`, the name of a string, `changed`, the id of the entry, `receipt` of an erasure, and
    `file`, the content of an export.

    Args:
        services: the services of the server.
        imports: running imports, stopped before everything is forgotten.
        forgetting: called before everything of a user is forgotten.
    """

    def __init__(
        self, services: Services, imports: ImportHandlers, forgetting: Callable[[Scope], None] = lambda _scope: None
    ) -> None:
        super().__init__(services)
        self._memory = services.assistant.memory
        self._sharing = services.sharing
        self._imports = imports
        self._forgetting = forgetting
        self._looking = RateLimit(SEARCHES_PER_MINUTE, 0)

    def panel(self) -> Panel:
        events = (
            self.search, self.edit, self.change_key, self.resume, self.reach, self.revert, self.offer, self.withdraw,
            self.weigh, self.forget, self.forget_all, self.export,
        )  # fmt: skip
        props: dict[str, object] = {"step": PAGE_SIZE}
        props |= {"keep_days": self._services.keep_turns_days, "longest_key": LONGEST_KEY}
        props |= {"longest": self._services.assistant.limits.clarification}
        props |= {"filters": {"kind": [*KINDS]}}
        return Panel("memory", events=events, props=props)

    @convert_refusals
    def search(self, data: object, scope: Scope) -> View:
        """Return the user's entries that contain `search` and pass the `filters`: `shown` of them after the `first`.

        Those found only `by_meaning` follow the last page.
        """
        wanted, limit = _parse_filter(data), parse_number(data, "shown", _MOST_SHOWN, PAGE_SIZE)
        first = parse_number(data, "first", _FURTHEST, 0)
        found = self._memory.find(scope, wanted, limit, first)
        if first and not found.entries:  # the last entry of this page was erased
            first = max(0, found.total - 1) // limit * limit
            found = self._memory.find(scope, wanted, limit, first)
        is_last = first + limit >= found.total
        by_meaning = self._by_meaning(wanted, scope) if is_last and wanted.search.strip() else []
        shown = [*found.entries, *by_meaning]
        ids = [entry.id for entry in shown]
        offers, earlier = self._sharing.offers_of(ids, scope), self._memory.earlier(ids, scope)
        return {
            "entries": [
                entry_view(entry, offers.get(entry.id), _otherwise(entry, earlier.get(entry.id, ())))
                | {
                    "may_offer": self._services.may_offer(scope, entry),
                    "by_meaning": entry in by_meaning,
                }
                for entry in shown
            ],
            "may_offer": self._services.may_offer(scope),
            "first": first,
            "total": found.total,
            "more": not is_last,
        }

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

    @convert_refusals
    def edit(self, data: object, scope: Scope) -> View:
        """Replace the text of an `entry`; that ends its offer to everyone, if it has one."""
        before = str(parse_fields(data).get("entry"))
        offered = self._sharing.offers_of([before], scope).get(before)
        entry = perform(entries.change, self._call(scope), data)
        ended = offered is not None and offered.stands and entry.id != before
        return self.search(data, scope) | {"done": "changed_unshared" if ended else "changed", "changed": entry.id}

    @convert_refusals
    def weigh(self, data: object, scope: Scope) -> View:
        """Return the counts of things that erasing an `entry`, or everything, would take along, as `takes`."""
        takes = perform(entries.erases, self._call(scope), data)
        return {"takes": dict(takes)}

    @convert_refusals
    def forget_all(self, data: object, scope: Scope) -> View:
        """Erase everything about the user; stop imports first."""
        self._forgetting(scope)
        self._imports.stop_all(scope)
        receipt = perform(entries.forget_everything, self._call(scope), data)
        return self.search(data, scope) | {"done": "forgotten_all", "receipt": receipt}

    offer = operation_handler(entries.offer, "offer_made", lambda made: {"changed": made.entry_id})
    withdraw = operation_handler(entries.withdraw, "offer_withdrawn", lambda made: {"changed": made.entry_id})
    resume = operation_handler(entries.resume, "resumed", _changed)
    reach = operation_handler(entries.reach, "reach_changed", _changed)
    change_key = operation_handler(entries.change_key, "keys_changed", _changed)
    revert = operation_handler(entries.revert, "taken_back", _changed)
    forget = operation_handler(entries.forget, "forgotten", lambda receipt: {"receipt": receipt})
    export = operation_handler(entries.export, "exported", lambda written: {"file": written.file})


class OfferHandlers(Handlers):
    """Event handlers of the offers, for curators. Each returns `{"curator": bool, "offers": […], "more": bool}`.

    After an action also `done`, the name of a string, and `changed`, the id of the offer.
    """

    def panel(self) -> Panel:
        props = {"longest": self._services.assistant.limits.clarification, "longest_reason": LONGEST_REASON}
        return Panel("offers", events=(self.look, self.accept, self.decline), props=props)

    @convert_refusals
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

    accept = operation_handler(entries.accept, "offer_accepted", lambda offer: {"changed": offer.id})
    decline = operation_handler(entries.decline, "offer_declined_now", lambda offer: {"changed": offer.id})


def _otherwise(entry: Entry, earlier: Sequence[Entry]) -> list[Entry]:
    """Return the earlier versions that differ in words, question or reach."""
    return [one for one, next_one in zip(earlier, [entry, *earlier], strict=False) if _shown(one) != _shown(next_one)]


def _shown(entry: Entry) -> tuple[str, str, Reach]:
    return entry.shown, entry.question, entry.reach


def _parse_filter(data: object) -> EntryFilter:
    """Parse search and type; ignore an invalid type."""
    kind = parse_fields(parse_fields(data).get("filters")).get("kind")
    return EntryFilter(parse_search(data), kind if isinstance(kind, str) and kind in KINDS else None)
