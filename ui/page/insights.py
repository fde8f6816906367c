"""The Insights page: questions where notes were used, what was taught, what was corrected again."""

from contextlib import suppress

from assistant.errors import NotCurator, NotedError
from assistant.reports.insights import Corrected
from assistant.reports.listing import EntryFilter
from assistant.types import Scope
from ui.actions.answering import insights
from ui.actions.call import Call
from ui.page.conversation.views import title_view
from ui.page.panel import Handlers, Panel, View, convert_refusals, parse_fields

LATEST = 5
"""Number of recent entries listed."""


class InsightsHandlers(Handlers):
    """Handlers of the Insights page."""

    def panel(self) -> Panel:
        props = {"keep_days": self._services.keep_turns_days}
        return Panel("insights", events=(self.look,), props=props)

    @convert_refusals
    def look(self, data: object, scope: Scope) -> View:
        """Return the user's own numbers; those of all users if a curator asks for `of: everyone`."""
        call = self._call(scope)
        is_curator = _is_curator(call)
        of_everyone = is_curator and parse_fields(data).get("of") == "everyone"
        overview = insights(call, of_everyone)
        latest = () if of_everyone else call.memory.find(scope, EntryFilter(), LATEST).entries
        return {
            "curator": is_curator,
            "of": "everyone" if of_everyone else "own",
            "people": overview.people,
            "weeks": [{"monday": week.monday.isoformat(), "helped": week.helped} for week in overview.weeks],
            "taught": dict(overview.taught),
            "latest": [title_view(entry) for entry in latest],
            "corrected": [row for one in overview.corrected if (row := _corrected(one, call))],
        }


def _is_curator(call: Call) -> bool:
    """Return True if the user decides about offers and others may make them."""
    with suppress(NotCurator):
        return bool(call.curator) and call.services.may_offer(call.scope)
    return False


def _corrected(one: Corrected, call: Call) -> View | None:
    """Return an entry with its corrections; None if it cannot be read any more."""
    try:
        entry = call.memory.entry(one.entry_id, call.scope)
    except NotedError:
        return None
    return {**title_view(entry), "used": one.used, "corrected": one.corrected}
