"""The fact sheet of a person as a table, read from what facts say of which things."""

from dataclasses import dataclass

import sqlalchemy as sa

from assistant.kinds import Fact
from assistant.papers.memllm.sheet import Line, Lines, Order, SheetPage
from assistant.types import Scope
from memory_store.language.normalize import fold, form_of
from memory_store.ledger.access import only_readable_entries, own
from memory_store.ledger.database.schema import entries, names, triples
from memory_store.ledger.entries import ACTIVE, read_entries_by_id
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.triples import SIDES

_NAMES = {side: names.alias(side) for side in SIDES}
_MOST_SIGNS = 200  # of a search


@dataclass(frozen=True, slots=True)
class LedgerSheet:
    """Implements `Sheet`."""

    _ledger: Ledger

    def lines(self, scope: Scope, wanted: Lines, limit: int = 50, offset: int = 0) -> SheetPage:
        told = triples.join(entries)
        for side, name in _NAMES.items():
            told = told.join(name, name.c.id == triples.c[side])
        conditions = [own(entries, scope), ACTIVE, *_conditions(wanted)]
        rows = sa.select(triples.c.entry_id, triples.c.position).select_from(told).where(*conditions)
        counting = sa.select(sa.func.count()).select_from(told).where(*conditions)
        with self._ledger.read() as connection:
            total = connection.execute(counting).scalar_one()
            found = connection.execute(rows.order_by(*_order(wanted)).limit(limit).offset(offset)).all()
            read = read_entries_by_id(connection, [*{row.entry_id for row in found}], own(entries, scope))
        known = {entry.id: entry for entry in only_readable_entries(read, scope)}
        lines = ((known[row.entry_id], row.position) for row in found if row.entry_id in known)
        kept = [Line(entry.body.triples[at], entry) for entry, at in lines if isinstance(entry.body, Fact)]
        return SheetPage(kept, total)


def _conditions(wanted: Lines) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if search := wanted.search.strip()[:_MOST_SIGNS]:
        part = fold(search) or search
        conditions.append(sa.or_(*(name.c.form.contains(part, autoescape=True) for name in _NAMES.values())))
    if wanted.of:
        form = form_of(wanted.of)
        conditions.append(sa.or_(*(_NAMES[side].c.form == form for side in ("subject", "object"))))
    return conditions


def _order(wanted: Lines) -> list[sa.ColumnElement[object]]:
    newest_first = [entries.c.sequence.desc(), triples.c.position]
    if wanted.order is Order.SINCE:
        return [entries.c.sequence, triples.c.position] if wanted.backwards else newest_first
    form = _NAMES[wanted.order.value].c.form
    return [form.desc() if wanted.backwards else form.asc(), *newest_first]
