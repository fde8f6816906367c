"""Turns in the ledger, ordered by when they began, and their conversations."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, delete, func, insert, select, update

from assistant.errors import DamagedLedger, NotFound
from assistant.model_usage import Usage
from assistant.reply.fields import parse_trace as readable_fields
from assistant.reports.listing import ConversationSummary
from assistant.reports.upkeep import Receipt
from assistant.sentences import Sentence
from assistant.text.cleaning import clean_text
from assistant.types import (
    PRACTISED,
    Action,
    Candidate,
    Decision,
    Key,
    KeyOrigin,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from memory_store.ledger.access import belongs_to, filter_own, is_readable, require_user
from memory_store.ledger.database.schema import SEEN, Condition, decisions, entries, titles, turns
from memory_store.ledger.entries import TextFilter, read_entries_by_id, show_to
from memory_store.ledger.erased_rows import blank_turns, find_erased, record_prompt_entries
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import IDS, make_storable, read_rows, row_exists

# Columns named like the field of the turn or reply that they hold.
_OF_REPLY = ("understanding", "answer", "correction")
_OF_TURN = (
    *("id", "conversation", "question", "model", "corrected_by", "confirmed"),
    *("answers_again", "clarified_with", "chosen"),
)
_LISTS = ("used", "left_out")
_ROWS_AT_ONCE = 500
_DECIDED = select(decisions).where(decisions.c.owner == bindparam("owner"), decisions.c.action != SEEN)
_DECIDED = _DECIDED.where(decisions.c.turn_id.in_(IDS)).order_by(decisions.c.rank)


class LedgerTurnStore:
    """Implements `TurnStore`. Decisions about entries are rows of their own, erased together with the entry."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def record(self, turn: Turn, scope: Scope) -> None:
        if turn.person != require_user(scope):
            raise NotFound
        seen, of_turn = set(turn.reply.in_view), turns.c.id == turn.id
        with self._ledger.write() as connection:
            known = connection.execute(select(turns).where(of_turn)).first()
            if known is not None and known.owner != scope.person:
                raise NotFound
            rests_on = [*turn.used, *seen, *filter(None, (turn.clarified_with, turn.corrected_by, turn.chosen))]
            if find_erased(connection, [turn.id, *turn.history, *rests_on]):  # do not write erased text again
                blank_turns(connection, [turn.id] if known else [])
                return
            row = make_storable(_row(turn))
            if known is None:
                row["sequence"] = self._ledger.next_sequences(connection, 1)[0]
                connection.execute(insert(turns), row)
            else:
                row |= {"corrected_by": known.corrected_by, "confirmed": known.confirmed}  # `mark` wrote these
                if known.state == TurnState.UNDONE:
                    row["state"] = known.state
                connection.execute(update(turns).where(of_turn), row)
                decided = (decisions.c.turn_id == turn.id, decisions.c.action != SEEN)
                connection.execute(delete(decisions).where(*decided))
            self._decide(connection, turn, seen, scope)

    def _decide(self, connection: Connection, turn: Turn, seen: set[str], scope: Scope) -> None:
        """Write the decisions of a turn on entries that the user may read, and the other entries in its prompt."""
        decided = {decision.entry.id for decision in turn.decisions}
        may_read = select(entries.c.id).where(is_readable(scope), entries.c.id.in_(IDS))
        known = {row.id for row in read_rows(connection, may_read, decided.union(turn.used, seen))}
        if rows := _decision_rows(turn, known):
            connection.execute(insert(decisions), rows)
        record_prompt_entries(connection, turn.id, turn.person, known - (decided - seen))

    def mark(self, turn: Turn, scope: Scope) -> None:
        row: dict[str, Any] = {"corrected_by": turn.corrected_by, "confirmed": turn.confirmed}
        if turn.state is not TurnState.RUNNING:  # a running state was read earlier and may be outdated
            row["state"] = turn.state.value
        with self._ledger.write() as connection:
            mark_turn(connection, turn.id, scope, row)

    def turn(self, turn_id: str, scope: Scope) -> Turn:
        found = self._read(scope, turns.c.id == turn_id)
        if not found:
            raise NotFound
        if found[0].state is TurnState.DELETED:
            raise NotFound("turn.deleted")
        return found[0]

    def turns(self, conversation: str, scope: Scope, limit: int = 50, before: str = "") -> Sequence[Turn]:
        conditions = [turns.c.conversation == conversation]
        if before:
            place = select(turns.c.sequence).where(turns.c.id == before)
            conditions.append(turns.c.sequence < place.scalar_subquery())
        return self._read(scope, *conditions, limit=limit)[::-1]

    def having(self, field: str, scope: Scope, limit: int = 50) -> Sequence[Turn]:
        has_field = func.coalesce(turns.c.trace[field].as_string(), "") != ""
        return self._read(scope, turns.c.state == TurnState.ANSWERED.value, has_field, limit=limit)

    def _read(self, scope: Scope, *conditions: Condition, limit: int | None = None) -> list[Turn]:
        """Return the newest turns of the user that meet all conditions."""
        query = select(turns).where(belongs_to(turns, scope), *conditions).order_by(turns.c.sequence.desc())
        with self._ledger.read() as connection:
            return _turns(connection, connection.execute(query.limit(limit)).all(), scope)


def mark_turn(connection: Connection, turn_id: str, scope: Scope, row: Mapping[str, Any]) -> None:
    """Change columns of the user's turn; `connection` comes from `Ledger.write`. Raises NotFound."""
    named = (belongs_to(turns, scope), turns.c.id == turn_id, turns.c.state != TurnState.DELETED.value)
    if not connection.execute(update(turns).where(*named).values(row)).rowcount:
        raise NotFound


def _row(turn: Turn) -> dict[str, Any]:
    return {
        **{name: getattr(turn, name) for name in (*_OF_TURN, *_LISTS)},
        **{name: getattr(turn.reply, name) for name in _OF_REPLY},
        "error": turn.error.as_json() if turn.error else "",
        "raw": turn.reply.raw,
        "owner": turn.person,
        "created": turn.created.isoformat(),
        "state": turn.state.value,
        "reply_status": turn.reply.status.value,
        "notes": turn.reply.fields.get("notes", ()),
        "trace": turn.reply.trace or None,
        "history": turn.history,
        "ms": turn.ms,
        "usage": asdict(turn.usage) if turn.usage else None,
    }


def _decision_rows(turn: Turn, known: set[str]) -> list[dict[str, Any]]:
    return [
        {
            "turn_id": turn.id,
            "rank": rank,
            "entry_id": decision.entry.id,
            "owner": turn.person,
            "key_text": clean_text(decision.candidate.key.text),
            "key_origin": decision.candidate.key.origin.value,
            "scores": dict(decision.candidate.scores),
            "action": decision.action.value,
            "probability": float(decision.probability),
            "reason": decision.reason.as_json(),
        }
        for rank, decision in enumerate(turn.decisions)
        if decision.entry.id in known
    ]


def _turns(connection: Connection, rows: Sequence[Row[Any]], scope: Scope) -> list[Turn]:
    """Return turns with their decisions on entries that still exist, are intact and readable.

    Raises DamagedLedger for invalid values.
    """
    decision_rows = list(read_rows(connection, _DECIDED, [row.id for row in rows], owner=require_user(scope)))
    found = read_entries_by_id(connection, (row.entry_id for row in decision_rows), is_readable(scope))
    known = {entry.id: entry for entry in show_to(scope, connection, found)}
    decided: dict[str, list[Decision]] = defaultdict(list)
    try:
        for row in filter_own(decision_rows, scope):
            if row.entry_id in known:
                key = Key(row.key_text, KeyOrigin(row.key_origin))
                candidate = Candidate(known[row.entry_id], key, MappingProxyType(row.scores))
                decision = Decision(candidate, Action(row.action), row.probability, Sentence.read(row.reason))
                decided[row.turn_id].append(decision)
        return [_turn(row, decided[row.id]) for row in filter_own(rows, scope)]
    except (ValueError, TypeError, LookupError) as error:
        raise DamagedLedger from error


def _turn(row: Row[Any], decided: Iterable[Decision]) -> Turn:
    reply = Reply(row.raw, ReplyStatus(row.reply_status)).with_fields(**readable_fields(row.trace or {}))
    said = {name: getattr(row, name) for name in _OF_REPLY}
    lists: dict[str, Any] = {name: tuple(getattr(row, name)) for name in _LISTS}
    return Turn(
        **{name: getattr(row, name) for name in _OF_TURN},
        **lists,
        history=tuple(row.history or ()),
        error=Sentence.read(row.error) if row.error else None,
        person=row.owner,
        created=datetime.fromisoformat(row.created),
        state=TurnState(row.state),
        reply=reply.with_fields(**said, notes=tuple(row.notes)),
        decisions=tuple(decided),
        ms=MappingProxyType(row.ms),
        usage=Usage(**row.usage) if row.usage else None,
    )


class LedgerConversations:
    """Store of conversations and their titles. Each user sees only their own.

    `erase` deletes the turns and the title of a conversation, but not its entries. Like `rename`, it raises NotFound.
    """

    def __init__(self, ledger: Ledger, erase: Callable[[str, Scope], Receipt]) -> None:
        self._ledger = ledger
        self.erase = erase

    def conversations(
        self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0, *, practised: bool = True
    ) -> Sequence[ConversationSummary]:
        """List conversations, latest first; `search` is a substring; `practised` includes practices."""
        last, created = func.max(turns.c.sequence).label("last"), func.max(turns.c.created).label("created")
        talks = select(turns.c.conversation, last, created).where(belongs_to(turns, scope))
        talks = talks.group_by(turns.c.conversation).order_by(last.desc()).limit(limit).offset(offset)
        if not practised:
            talks = talks.where(~turns.c.conversation.startswith(PRACTISED))
        with self._ledger.read() as connection:
            found = _search(connection, search, scope) if search.strip() else None
            if found is not None:
                talks = talks.where(turns.c.conversation.in_(found))
            page = talks.subquery()
            asked = (belongs_to(turns, scope), turns.c.conversation == page.c.conversation, turns.c.question != "")
            first = select(turns.c.question).where(*asked).order_by(turns.c.sequence).limit(1).scalar_subquery()
            named = and_(belongs_to(titles, scope), titles.c.conversation == page.c.conversation)
            query = select(page, titles.c.title, first.label("question")).outerjoin(titles, named)
            rows = connection.execute(query.order_by(page.c.last.desc())).all()
        return [
            ConversationSummary(
                id=row.conversation,
                title=row.title or row.question or "",
                named=row.title is not None,
                last=datetime.fromisoformat(row.created),
                found=(found or {}).get(row.conversation, ""),
            )
            for row in rows
        ]

    def rename(self, conversation: str, title: str, scope: Scope) -> None:
        """Set the title of a conversation; an empty one restores its first question."""
        with self._ledger.write() as connection:
            if not row_exists(connection, turns.c.id, belongs_to(turns, scope), turns.c.conversation == conversation):
                raise NotFound
            connection.execute(delete(titles).where(belongs_to(titles, scope), titles.c.conversation == conversation))
            if title := clean_text(title).strip():
                row = {"conversation": conversation, "owner": require_user(scope), "title": title}
                connection.execute(insert(titles), row)


def _search(connection: Connection, search: str, scope: Scope) -> dict[str, str]:
    """Return the ids of conversations that contain a text, with the newest question whose turn contains it."""
    text_filter = TextFilter(search)
    named = connection.execute(select(titles).where(belongs_to(titles, scope)))
    found = {row.conversation: "" for row in named if text_filter.is_in(row.title)}
    columns = (turns.c.conversation, turns.c.question, turns.c.understanding, turns.c.answer)
    query = select(*columns).where(belongs_to(turns, scope)).order_by(turns.c.sequence.desc())
    for conversation, *texts in connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query):
        if not found.get(conversation) and text_filter.is_in(*texts):
            found[conversation] = texts[0]
    return found
