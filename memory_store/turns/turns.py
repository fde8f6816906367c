"""The port `Journal` over the ledger: turns, in the order in which they began."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import BindParameter, Connection, and_, bindparam, delete, insert, or_, select, update

from assistant.errors import NotFound, StoreError
from assistant.types import (
    Action,
    Candidate,
    Decision,
    Entry,
    Key,
    KeyOrigin,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from assistant.usage import Usage
from memory_store.checksum import checksum, is_whole, sealed
from memory_store.entries import read_entries_by_id
from memory_store.erased_rows import delete_turns
from memory_store.kept_text import keepable, kept_row
from memory_store.ledger import Ledger
from memory_store.reactions import erasure_of_turn
from memory_store.salvage import Row, by_sequence, each, read_rows
from memory_store.schema import EventKind, decisions, entries, events, turns
from memory_store.scoping import only_readable_entries, own, own_rows, person_of, readable

_log = logging.getLogger(__name__)

_NOT_SHOWN = "The turn {} is damaged and is not shown."
_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
# Built once: building a statement takes longer than running it.
_DECISIONS = (
    select(decisions)
    .where(decisions.c.turn_id.in_(_IDS), decisions.c.owner == bindparam("person"))
    .order_by(decisions.c.rank)
)
_MARK = update(turns).where(turns.c.id == bindparam("named"))
_OWN_TURN = select(turns).where(turns.c.id == bindparam("named"), turns.c.owner == bindparam("person"))


class LedgerJournal:
    """Turns in the ledger. What a turn says of an entry lies in rows of its own, and goes when the entry is erased."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def record(self, turn: Turn, scope: Scope) -> None:
        """Save a turn, or replace what is known of it, except for what `mark` wrote meanwhile.

        What stays is `corrected_by`, `confirmed`, and the state of a turn that was undone. A turn that was erased while
        it was answered, or whose answer rests on an entry that was, is not written back: it is erased.

        Raises:
            NotFound: the turn is another person's.
            StoreError: it is not saved.
        """
        if turn.person != person_of(scope):
            raise NotFound
        with self._ledger.write() as connection:
            if _is_erased(connection, turn):
                self._erase(connection, turn, scope)
                return
            known = connection.execute(select(turns).where(turns.c.id == turn.id)).mappings().first()
            if known is None:
                row = {**_told(turn), **_marked(turn), "sequence": self._ledger.next_sequence(connection)}
                connection.execute(insert(turns).values(sealed(kept_row(row))))
            elif known["owner"] == scope.person:
                row = {**_told(turn), "sequence": known["sequence"], **(_kept(known) or _marked(turn))}
                connection.execute(update(turns).where(turns.c.id == turn.id).values(sealed(kept_row(row))))
                connection.execute(delete(decisions).where(decisions.c.turn_id == turn.id))
            else:
                raise NotFound
            rows = list(_decision_rows(turn, _known(connection, turn.decisions, scope)))
            if rows:
                connection.execute(insert(decisions), rows)

    def _erase(self, connection: Connection, turn: Turn, scope: Scope) -> None:
        mine = select(turns.c.id).where(own(turns, scope), turns.c.id == turn.id)
        if delete_turns(connection, connection.execute(mine).scalars().all()):
            self._ledger.append_all(connection, EventKind.TURN_ERASED, [{"entry_id": "", "turn_id": turn.id}])

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Save what a person did with a turn, and nothing else: `corrected_by`, `confirmed` and `state`.

        Nobody makes a turn run by marking it: where it was read while it ran, the state stays as it is by now.

        Raises:
            NotFound: the person has no such turn.
            StoreError: it is not saved, or it is damaged, and must not get a checksum that hides this.
        """
        row = _marked(turn) if turn.state is TurnState.RUNNING else {**_marked(turn), "state": turn.state.value}
        with self._ledger.write() as connection:
            mark_turn(connection, turn.id, scope, row)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn of the person.

        Raises:
            NotFound: there is none.
            StoreError: it is damaged.
        """
        with self._ledger.read() as connection:
            rows = connection.execute(_OWN_TURN, {"named": turn_id, "person": person_of(scope)}).mappings().all()
            if not rows:
                raise NotFound
            found = _turns(connection, rows, scope)
        if not found:
            raise StoreError(_NOT_SHOWN.format(turn_id))
        return found[0]

    def turns(self, conversation: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        """The last `limit` turns of a conversation, oldest first. Damaged ones are left out; the log names them."""
        query = (
            select(turns)
            .where(own(turns, scope), turns.c.conversation == conversation)
            .order_by(turns.c.sequence.desc())
        )
        with self._ledger.read() as connection:
            rows = read_rows(connection, query, lambda: by_sequence(connection, turns), limit=limit)
            return _turns(connection, rows[::-1], scope)


def mark_turn(connection: Connection, turn_id: str, scope: Scope, row: Mapping[str, Any]) -> None:
    """Change some columns of a turn, and its checksum with them; `connection` comes from `Ledger.write`.

    Raises:
        NotFound: the person has no such turn.
        StoreError: it is damaged, and must not get a checksum that hides this.
    """
    known = connection.execute(_OWN_TURN, {"named": turn_id, "person": person_of(scope)}).mappings().first()
    if known is None:
        raise NotFound
    if not is_whole(known):
        raise StoreError(_NOT_SHOWN.format(turn_id))
    changed = {**row, "checksum": checksum({**known, **row})}
    connection.execute(_MARK, {"named": turn_id, **changed})


def _is_erased(connection: Connection, turn: Turn) -> bool:
    """Whether the turn was erased, or an entry that its answer rests on."""
    rests_on = [*turn.used, *filter(None, (turn.clarified_with, turn.corrected_by, turn.chosen))]
    entry = (events.c.entry_id.in_(rests_on), events.c.kind == EventKind.ERASED.value)
    return (
        connection.execute(select(events.c.sequence).where(or_(erasure_of_turn(turn.id), and_(*entry)))).first()
        is not None
    )


def _known(connection: Connection, decided: Iterable[Decision], scope: Scope) -> set[str]:
    ids = [decision.entry.id for decision in decided]
    return set(connection.execute(select(entries.c.id).where(readable(scope), entries.c.id.in_(ids))).scalars())


def _marked(turn: Turn) -> dict[str, Any]:
    """What only `mark` changes."""
    return {"corrected_by": turn.corrected_by, "confirmed": turn.confirmed}


def _kept(known: Row) -> dict[str, Any]:
    """What stays of a turn when it is recorded again; nothing of a damaged one."""
    if not is_whole(known):
        return {}
    undone = {"state": known["state"]} if known["state"] == TurnState.UNDONE else {}
    return {"corrected_by": known["corrected_by"], "confirmed": known["confirmed"], **undone}


def _told(turn: Turn) -> dict[str, Any]:
    """All other columns of a turn."""
    return {
        "id": turn.id,
        "owner": turn.person,
        "conversation": turn.conversation,
        "question": turn.question,
        "created": turn.created.isoformat(),
        "model": turn.model,
        "state": turn.state.value,
        "raw": turn.reply.raw,
        "understanding": turn.reply.understanding,
        "answer": turn.reply.answer,
        "reply_status": turn.reply.status.value,
        "notes": list(turn.reply.notes),
        "correction": turn.reply.correction,
        "used": list(turn.used),
        "error": turn.error,
        "answers_again": turn.answers_again,
        "clarified_with": turn.clarified_with,
        "left_out": list(turn.left_out),
        "chosen": turn.chosen,
        "ms": dict(turn.ms),
        "usage": asdict(turn.usage) if turn.usage else None,
    }


def _decision_rows(turn: Turn, known: set[str]) -> Iterable[dict[str, Any]]:
    for rank, decision in enumerate(turn.decisions):
        if decision.entry.id in known:
            row = {
                "turn_id": turn.id,
                "rank": rank,
                "entry_id": decision.entry.id,
                "owner": turn.person,
                "key_text": keepable(decision.candidate.key.text),
                "key_origin": decision.candidate.key.origin.value,
                "scores": dict(decision.candidate.scores),
                "action": decision.action.value,
                "probability": float(decision.probability),
                "reason": decision.reason,
            }
            yield sealed(row)


def _turns(connection: Connection, rows: Sequence[Row], scope: Scope) -> list[Turn]:
    """Turns with their decisions. A decision is left out where its entry is gone, damaged, or no longer readable."""
    ids = [row["id"] for row in rows]
    bound = {"ids": ids, "person": person_of(scope)}
    decision_rows = read_rows(connection, _DECISIONS, each(decisions.c.turn_id, ids), bound)
    found = read_entries_by_id(connection, (row["entry_id"] for row in decision_rows), readable(scope))
    known = {entry.id: entry for entry in only_readable_entries(found, scope)}
    decided: dict[str, list[Decision]] = defaultdict(list)
    for row in decision_rows:
        if row["entry_id"] in known:
            with _damage_left_out(row["turn_id"]):
                decided[row["turn_id"]].append(_decision(row, known[row["entry_id"]]))
    whole: list[Turn] = []
    for row in own_rows(rows, scope):
        with _damage_left_out(row["id"]):
            whole.append(_turn(row, decided[row["id"]]))
    return whole


@contextmanager
def _damage_left_out(turn_id: str) -> Iterator[None]:
    """A row with a value that cannot be is logged, by the id of its turn only, and nothing is made of it."""
    try:
        yield
    except (ValueError, TypeError):
        _log.error("The turn %s is damaged. What cannot be read of it is not shown.", turn_id)


def _require_whole(row: Row) -> None:
    if not is_whole(row):
        raise ValueError("The checksum is wrong.")


def _tuple(values: object) -> tuple[Any, ...]:
    if not isinstance(values, list):
        raise TypeError
    return tuple(values)


def _decision(row: Row, entry: Entry) -> Decision:
    _require_whole(row)
    key = Key(row["key_text"], KeyOrigin(row["key_origin"]))
    candidate = Candidate(entry, key, MappingProxyType(row["scores"]))
    return Decision(candidate, Action(row["action"]), row["probability"], row["reason"])


def _turn(row: Row, decided: Iterable[Decision]) -> Turn:
    _require_whole(row)
    reply = Reply(
        raw=row["raw"],
        understanding=row["understanding"],
        answer=row["answer"],
        status=ReplyStatus(row["reply_status"]),
        notes=_tuple(row["notes"]),
        correction=row["correction"],
    )
    return Turn(
        id=row["id"],
        conversation=row["conversation"],
        person=row["owner"],
        question=row["question"],
        created=datetime.fromisoformat(row["created"]),
        model=row["model"],
        state=TurnState(row["state"]),
        reply=reply,
        decisions=tuple(decided),
        used=_tuple(row["used"]),
        error=row["error"],
        answers_again=row["answers_again"],
        clarified_with=row["clarified_with"],
        left_out=_tuple(row["left_out"]),
        chosen=row["chosen"],
        corrected_by=row["corrected_by"],
        confirmed=row["confirmed"],
        ms=MappingProxyType(row["ms"]),
        usage=Usage(**row["usage"]) if row["usage"] else None,
    )
