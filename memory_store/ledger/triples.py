"""What facts say of which things, as rows that can be asked. They are made of the bodies of the entries that count.

A name, of a thing or of a relation, stands once for each owner, in the form in which spellings and scripts compare,
with the text of one of its facts. It comes with the first fact that has it and goes with the last; the index follows.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from assistant.types import Status
from memory_store.language.normalize import form_of
from memory_store.ledger.database.schema import NOBODY, EventKind, NameRole, entries, events, names, triples
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import Row, batches, rows_with

SIDES = ("subject", "relation", "object")
# Built once: building a statement takes longer than running it.
_IDS: sa.BindParameter[Sequence[Any]] = sa.bindparam("ids", expanding=True)
_INSERT_NAMES, _INSERT_TRIPLES = sa.insert(names), sa.insert(triples)
_ID: sa.BindParameter[int] = sa.bindparam("name")
_HAS_NAME = sa.or_(*(triples.c[side] == _ID for side in SIDES))
_A_TRIPLE_WITH = sa.select(triples, entries.c.body).join(entries).where(_HAS_NAME).limit(1)
_TOLD = sa.select(triples, entries.c.body).join(entries).where(triples.c.entry_id.in_(_IDS))
_DELETE_TRIPLES = sa.delete(triples).where(triples.c.entry_id.in_(_IDS))
_DELETE_NAMES = sa.delete(names).where(names.c.id.in_(_IDS))
_DELETE_EVENTS = sa.delete(events).where(events.c.entry_id.in_(_IDS))
_KNOWN = sa.select(names.c.id, names.c.role, names.c.form).where(
    names.c.owner == sa.bindparam("owner"), names.c.form.in_(_IDS)
)
IS_USED = sa.exists().where(sa.or_(*(triples.c[side] == names.c.id for side in SIDES)))
_USE = sa.select(names.c.id, names.c.text, IS_USED.label("used")).where(names.c.id.in_(_IDS))


def role_of(side: str) -> NameRole:
    """What the names on a side of triples are of."""
    return NameRole.RELATION if side == "relation" else NameRole.ENTITY


def told_in(row: Row) -> Sequence[Mapping[str, str]]:
    """The triples of an entry, by its row: of one that counts, and says that they are so."""
    body = row["body"] or {}  # nothing where it is damaged
    counts = row["status"] == Status.ACTIVE and not body.get("denied")
    return body.get("triples", ()) if counts else ()


def named(connection: sa.Connection, ledger: Ledger, rows: Iterable[Row], owner: str) -> list[Row]:
    """What the entries of an owner tell, as rows for `insert_triples`; their names are there from now on."""
    told = [(row["id"], place, triple) for row in rows for place, triple in enumerate(told_in(row))]
    texts: dict[tuple[str, str], str] = {}  # role and form of each name
    if not told:
        return []
    for _, _, triple in told:
        for side in SIDES:
            texts.setdefault(_known_by(side, triple), triple[side])
    ids = _ids(connection, owner, texts)
    new = {name: text for name, text in texts.items() if name not in ids}
    if new:
        numbers = ledger.append_all(connection, EventKind.NAMED, [{"turn_id": None}] * len(new), owner)
        ids |= dict(zip(new, numbers, strict=True))
        same = {"owner": owner}
        rows_of_names = (
            {"id": ids[name], "role": name[0], "form": name[1], "text": text} for name, text in new.items()
        )
        connection.execute(_INSERT_NAMES, [same | row for row in rows_of_names])
    return [
        {"entry_id": entry_id, "position": place, **{side: ids[_known_by(side, triple)] for side in SIDES}}
        for entry_id, place, triple in told
    ]


def insert_triples(connection: sa.Connection, rows: Sequence[Row]) -> None:
    if rows:
        connection.execute(_INSERT_TRIPLES, rows)


def remove_triples(connection: sa.Connection, ledger: Ledger, entry_ids: Collection[str], owner: str = NOBODY) -> None:
    """Take out what these entries tell, and the names that no other has. Events of it name the `owner`."""
    removed: defaultdict[int, set[str | None]] = defaultdict(set)  # id of a name to how they have it
    for some in batches(entry_ids):
        for row in connection.execute(_TOLD, {"ids": some}).all():
            for side in SIDES:
                removed[getattr(row, side)].add(_text_of(row, side))
        connection.execute(_DELETE_TRIPLES, {"ids": some})
    for ids in batches(removed):
        kept = {row.id: row.text for row in connection.execute(_USE, {"ids": ids}).all() if row.used}
        gone = [name for name in ids if name not in kept]
        connection.execute(_DELETE_NAMES, {"ids": gone})
        connection.execute(_DELETE_EVENTS, {"ids": list(map(str, gone))})
        # Nothing stays as only an entry had it that counts no more, and may be erased.
        spelled = {name: _spelled(connection, name) for name, text in kept.items() if {text, None} & removed[name]}
        other = {name: text for name, text in spelled.items() if text not in {None, kept[name]}}
        for name, text in other.items():
            connection.execute(sa.update(names).where(names.c.id == name).values(text=text))
        changed = [{"entry_id": str(name), "turn_id": None} for name in (*gone, *other)]
        ledger.append_all(connection, EventKind.NAMED, changed, owner)


def read_names(connection: sa.Connection, ids: Iterable[int]) -> list[Row]:
    """Those of the names that are there, in no order."""
    return [row._asdict() for row in rows_with(connection, sa.select(names), names.c.id, ids)]


def _ids(connection: sa.Connection, owner: str, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
    forms = batches({form for _, form in wanted})
    found = (row for some in forms for row in connection.execute(_KNOWN, {"owner": owner, "ids": some}))
    return {(row.role, row.form): row.id for row in found if (row.role, row.form) in wanted}


def _known_by(side: str, triple: Mapping[str, str]) -> tuple[str, str]:
    return role_of(side).value, form_of(triple[side])


def _spelled(connection: sa.Connection, name: int) -> str | None:
    """How one of the entries has a name; None where that is damaged."""
    row = connection.execute(_A_TRIPLE_WITH, {"name": name}).one()
    return next(_text_of(row, side) for side in SIDES if getattr(row, side) == name)


def _text_of(row: sa.Row[Any], side: str) -> str | None:
    try:
        return str(row.body["triples"][row.position][side])
    except (TypeError, LookupError):
        return None
