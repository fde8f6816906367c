"""List a user's own entries, filtered by text (in any script), type, visibility and worth."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sqlalchemy import ColumnElement, Connection, exists, func, not_, select

from assistant.reports.listing import EntryFilter, EntryPage, Visibility, Worth
from assistant.sharing import OfferState
from assistant.types import Scope
from memory_store.ledger.access import belongs_to, filter_readable
from memory_store.ledger.database.schema import EventKind, entries, events, offers, searchable
from memory_store.ledger.entries import ACTIVE, TextFilter, add_reactions, load_entries
from memory_store.ledger.rows import read_page

_STATES = {
    Visibility.PRIVATE: (OfferState.OFFERED, OfferState.ACCEPTED),
    Visibility.OFFERED: (OfferState.OFFERED,),
    Visibility.SHARED: (OfferState.ACCEPTED,),
}


def find_entries(connection: Connection, scope: Scope, wanted: EntryFilter, limit: int, offset: int) -> EntryPage:
    """Return a page of the user's own active entries that the filter selects, newest first."""
    conditions = (belongs_to(entries, scope), ACTIVE, *_conditions(wanted))
    query, newest = select(entries).where(*conditions), entries.c.sequence.desc()
    rows, total = read_page(connection, query, newest, limit=limit, offset=offset)
    found = list(filter_readable(load_entries(connection, rows), scope))
    return EntryPage(add_reactions(connection, found, scope), total)


def _conditions(wanted: EntryFilter) -> Iterator[ColumnElement[bool]]:
    if search := wanted.search.strip():
        yield exists().where(searchable.c.entry_id == entries.c.id, TextFilter(search).is_in_row())
    if wanted.kind:
        yield entries.c.kind == wanted.kind
    if wanted.among is not None:
        yield entries.c.id.in_(wanted.among)
    if wanted.start:
        yield entries.c.id.startswith(wanted.start, autoescape=True)
    if wanted.turn:
        yield entries.c.turn_id == wanted.turn
    if wanted.reach:
        stands = exists().where(offers.c.entry_id == entries.c.id, offers.c.state.in_(_STATES[wanted.reach]))
        yield not_(stands) if wanted.reach is Visibility.PRIVATE else stands
    if wanted.worth:
        yield _WORTHS[wanted.worth]


def _count_events(kind: EventKind) -> ColumnElement[int]:
    """Return the number of events of this kind for an entry."""
    counted = (events.c.entry_id == entries.c.id, events.c.kind == kind.value)
    return select(func.count()).where(*counted).correlate(entries).scalar_subquery()


def _last_sequence(kind: EventKind) -> ColumnElement[int]:
    """Return the sequence number of the owner's last such event without a turn; 0 if there is none."""
    of_it = (events.c.entry_id == entries.c.id, events.c.owner == entries.c.owner, events.c.turn_id.is_(None))
    found = select(func.max(events.c.sequence)).where(*of_it, events.c.kind == kind.value)
    return func.coalesce(found.correlate(entries).scalar_subquery(), 0)


_WORTHS: Mapping[Worth, ColumnElement[bool]] = MappingProxyType(
    {
        Worth.NEVER_USED: ~exists().where(events.c.entry_id == entries.c.id, events.c.kind == EventKind.USED.value),
        Worth.HURT: _count_events(EventKind.HURT) > _count_events(EventKind.HELPED),
        Worth.RESTS: _last_sequence(EventKind.PAUSED) > _last_sequence(EventKind.USED_AGAIN),
    }
)
