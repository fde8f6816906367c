"""The port `Journal` over the ledger: turns, in the order in which they began."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

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
from memory_store.entries import read_entries_by_id
from memory_store.kept_text import kept, kept_row
from memory_store.ledger import Ledger
from memory_store.schema import decisions, entries, turns
from memory_store.scoping import only_readable_entries, own, person_of, readable

_log = logging.getLogger(__name__)


class LedgerJournal:
    """Turns in the ledger. What a turn says of an entry lies in rows of its own, and goes when the entry is erased."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def record(self, turn: Turn, scope: Scope) -> None:
        """Save a turn, or replace what is known of it, except for what `mark` wrote meanwhile.

        What stays is `corrected_by`, `confirmed`, and the state of a turn that was undone. Decisions about entries
        that were erased meanwhile are not written back.

        Raises:
            NotFound: the turn is another person's.
            StoreError: it is not saved.
        """
        if turn.person != person_of(scope):
            raise NotFound
        with self._ledger.write() as connection:
            known = connection.execute(select(turns.c.owner, turns.c.state).where(turns.c.id == turn.id)).first()
            if known is None:
                row = {**kept_row(_told(turn)), **_marked(turn), "sequence": self._ledger.next_sequence(connection)}
                connection.execute(insert(turns).values(row))
            elif known.owner == scope.person:
                row = kept_row(_told(turn))
                if known.state == TurnState.UNDONE:
                    row["state"] = known.state
                connection.execute(update(turns).where(turns.c.id == turn.id).values(row))
                connection.execute(delete(decisions).where(decisions.c.turn_id == turn.id))
            else:
                raise NotFound
            rows = list(_decision_rows(turn, _known(connection, turn.decisions, scope)))
            if rows:
                connection.execute(insert(decisions), rows)

    def mark(self, turn: Turn, scope: Scope) -> None:
        """Save what a person did with a turn, and nothing else: `corrected_by`, `confirmed` and `state`.

        Nobody makes a turn run by marking it: where it was read while it ran, the state stays as it is by now.

        Raises:
            NotFound: the person has no such turn.
            StoreError: it is not saved.
        """
        row = _marked(turn) if turn.state is TurnState.RUNNING else {**_marked(turn), "state": turn.state.value}
        with self._ledger.write() as connection:
            marked = connection.execute(update(turns).where(own(turns, scope), turns.c.id == turn.id).values(row))
            if not marked.rowcount:
                raise NotFound

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        """One turn of the person.

        Raises:
            NotFound: there is none.
            StoreError: it is damaged.
        """
        with self._ledger.read() as connection:
            rows = connection.execute(select(turns).where(own(turns, scope), turns.c.id == turn_id)).mappings().all()
            if not rows:
                raise NotFound
            found = _turns(connection, rows, scope)
        if not found:
            raise StoreError(f"The turn {turn_id} is damaged and is not shown.")
        return found[0]

    def turns(self, conversation: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        """The last `limit` turns of a conversation, oldest first. Damaged ones are left out; the log names them."""
        query = (
            select(turns)
            .where(own(turns, scope), turns.c.conversation == conversation)
            .order_by(turns.c.sequence.desc())
            .limit(limit)
        )
        with self._ledger.read() as connection:
            return _turns(connection, connection.execute(query).mappings().all()[::-1], scope)


def _known(connection: Connection, decided: Iterable[Decision], scope: Scope) -> set[str]:
    ids = [decision.entry.id for decision in decided]
    return set(connection.execute(select(entries.c.id).where(readable(scope), entries.c.id.in_(ids))).scalars())


def _marked(turn: Turn) -> dict[str, Any]:
    """What only `mark` changes."""
    return {"corrected_by": turn.corrected_by, "confirmed": turn.confirmed}


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
        "ms": dict(turn.ms),
    }


def _decision_rows(turn: Turn, known: set[str]) -> Iterable[dict[str, Any]]:
    for rank, decision in enumerate(turn.decisions):
        if decision.entry.id in known:
            yield {
                "turn_id": turn.id,
                "rank": rank,
                "entry_id": decision.entry.id,
                "owner": turn.person,
                "key_text": kept(decision.candidate.key.text),
                "key_origin": decision.candidate.key.origin.value,
                "scores": dict(decision.candidate.scores),
                "action": decision.action.value,
                "probability": decision.probability,
                "reason": decision.reason,
            }


def _turns(connection: Connection, rows: Sequence[RowMapping], scope: Scope) -> list[Turn]:
    """Turns with their decisions. A decision is left out where its entry is gone, damaged, or no longer readable."""
    ids = [row["id"] for row in rows]
    query = select(decisions).where(decisions.c.turn_id.in_(ids), own(decisions, scope)).order_by(decisions.c.rank)
    decision_rows = connection.execute(query).mappings().all()
    found = read_entries_by_id(connection, (row["entry_id"] for row in decision_rows), readable(scope))
    known = {entry.id: entry for entry in only_readable_entries(found, scope)}
    decided: dict[str, list[Decision]] = defaultdict(list)
    for row in decision_rows:
        if row["entry_id"] in known:
            with _damage_left_out(row["turn_id"]):
                decided[row["turn_id"]].append(_decision(row, known[row["entry_id"]]))
    whole: list[Turn] = []
    for row in rows:
        if row["owner"] == person_of(scope):
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


def _tuple(values: object) -> tuple[Any, ...]:
    if not isinstance(values, list):
        raise TypeError
    return tuple(values)


def _decision(row: RowMapping, entry: Entry) -> Decision:
    key = Key(row["key_text"], KeyOrigin(row["key_origin"]))
    candidate = Candidate(entry, key, MappingProxyType(row["scores"]))
    return Decision(candidate, Action(row["action"]), row["probability"], row["reason"])


def _turn(row: RowMapping, decided: Iterable[Decision]) -> Turn:
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
        corrected_by=row["corrected_by"],
        confirmed=row["confirmed"],
        ms=MappingProxyType(row["ms"]),
    )
