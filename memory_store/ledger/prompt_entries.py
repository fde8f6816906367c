"""Find the turns whose prompt contained an entry, from the decisions of the turns."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, insert, select

from assistant.types import Action, KeyOrigin, TurnState
from memory_store.ledger.database.schema import SEEN, decisions, turns
from memory_store.ledger.rows import read_rows_with

_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value, SEEN}
# A stopped or truncated answer may have used any of the offered notes.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}
_SEEN_FROM = 1_000_000  # ranks of entries in view are higher than those of all candidates
_COLUMNS = (decisions.c.entry_id, decisions.c.action, turns.c.id, turns.c.owner, turns.c.state, turns.c.used)
_DECIDED = select(*_COLUMNS).join_from(decisions, turns, turns.c.id == decisions.c.turn_id)


def find_prompted_turns(connection: Connection, entry_ids: Collection[str]) -> dict[str, str]:
    """Return ids and owners of all users' turns that were written with one of these entries in the prompt."""
    found = {}
    for row in read_rows_with(connection, _DECIDED, decisions.c.entry_id, entry_ids):
        seen = _IN_THE_PROMPT if row.state == TurnState.ANSWERED.value else _MAY_HAVE_BEEN_SEEN
        if row.action in seen or row.entry_id in (row.used or ()):
            found[row.id] = row.owner
    return found


def record_prompt_entries(connection: Connection, turn_id: str, owner: str, entry_ids: Collection[str]) -> None:
    """Record that these entries were in the prompt of a turn, if no decision says so yet."""
    if not entry_ids:
        return
    recorded = select(decisions.c.entry_id, decisions.c.rank).where(decisions.c.turn_id == turn_id)
    known = {row.entry_id: row.rank for row in connection.execute(recorded.where(decisions.c.action == SEEN))}
    first = 1 + max(known.values(), default=_SEEN_FROM)
    same: dict[str, Any] = {"turn_id": turn_id, "owner": owner, "key_text": "", "key_origin": KeyOrigin.MODEL.value}
    same |= {"scores": {}, "action": SEEN, "probability": 0.0, "reason": ""}
    new = sorted(set(entry_ids) - known.keys())
    if rows := [{**same, "rank": rank, "entry_id": entry_id} for rank, entry_id in enumerate(new, start=first)]:
        connection.execute(insert(decisions), rows)
