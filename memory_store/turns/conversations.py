"""The port `Conversations` over the ledger: a conversation is the turns that name it, and perhaps a name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select

from assistant.conversation_list import ConversationSummary
from assistant.errors import NotFound
from assistant.receipts import Receipt
from assistant.types import Scope
from memory_store.checksum import is_whole, sealed
from memory_store.erasing import Erasing
from memory_store.kept_text import keepable
from memory_store.ledger import Ledger
from memory_store.schema import titles, turns
from memory_store.scoping import own, person_of
from memory_store.sought import Sought

_log = logging.getLogger(__name__)

_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Span:
    """Places of the first and the last turn of a conversation in the order of all changes."""

    conversation: str
    first: int
    last: int


class LedgerConversations:
    """Lists, names and erases conversations.

    Args:
        ledger: where they are kept.
        fold: makes texts comparable across scripts.
        erasing: what erases.
    """

    def __init__(self, ledger: Ledger, fold: Callable[[str], str], erasing: Erasing) -> None:
        self._ledger = ledger
        self._fold = fold
        self._erasing = erasing

    def conversations(
        self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0
    ) -> Sequence[ConversationSummary]:
        """The person's conversations, the one that was gone on with last first.

        With `search`, those whose name or turns contain it, in any script.

        Raises:
            StoreError: they cannot be read.
        """
        with self._ledger.read() as connection:
            named = _titles(connection, scope)
            found = self._found(connection, search, named, scope) if search.strip() else None
            spans = _spans(connection, scope)
            if found is not None:
                spans = [span for span in spans if span.conversation in found]
            return _summaries(connection, spans[offset : offset + limit], named, found or {}, scope)

    def rename(self, conversation: str, title: str, scope: Scope) -> None:
        """Give a conversation a name; an empty one has it called by its first question again.

        Raises:
            NotFound: the person has no such conversation.
            StoreError: it is not saved.
        """
        named = (own(titles, scope), titles.c.conversation == conversation)
        with self._ledger.write() as connection:
            talked = select(turns.c.id).where(own(turns, scope), turns.c.conversation == conversation).limit(1)
            if connection.execute(talked).first() is None:
                raise NotFound
            connection.execute(delete(titles).where(*named))
            if title:
                row = {"conversation": conversation, "owner": person_of(scope), "title": keepable(title)}
                connection.execute(insert(titles), sealed(row))

    def erase(self, conversation: str, scope: Scope) -> Receipt:
        """Erase a conversation: its turns and its name. What was noted in it stays.

        Raises:
            NotFound: the person has no such conversation.
            StoreError: nothing is erased.
        """
        return self._erasing.forget_conversation(conversation, scope)

    def _found(self, connection: Connection, search: str, named: Mapping[str, str], scope: Scope) -> dict[str, str]:
        """Id of each conversation that contains a text to the question of the newest turn that does."""
        found: dict[str, str] = {}
        sought = Sought(search, self._fold)
        columns = (turns.c.conversation, turns.c.question, turns.c.understanding, turns.c.answer)
        query = select(*columns).where(own(turns, scope)).order_by(turns.c.sequence.desc())
        for row in connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query):
            texts = (row.question, row.understanding, row.answer)
            if row.conversation not in found and sought.is_in(*texts):
                found[row.conversation] = row.question
        by_name = (conversation for conversation, title in named.items() if sought.is_in(title))
        return dict.fromkeys(by_name, "") | found


def _spans(connection: Connection, scope: Scope) -> list[_Span]:
    """All conversations of a person, read from the index alone."""
    last = func.max(turns.c.sequence)
    columns = (turns.c.conversation, func.min(turns.c.sequence), last)
    query = select(*columns).where(own(turns, scope)).group_by(turns.c.conversation).order_by(last.desc())
    return [_Span(*row) for row in connection.execute(query)]


def _summaries(
    connection: Connection, spans: Sequence[_Span], named: Mapping[str, str], found: Mapping[str, str], scope: Scope
) -> list[ConversationSummary]:
    places = [place for span in spans for place in (span.first, span.last)]
    columns = (turns.c.sequence, turns.c.question, turns.c.created)
    query = select(*columns).where(own(turns, scope), turns.c.sequence.in_(places))
    at = {row.sequence: row for row in connection.execute(query)}
    return [
        ConversationSummary(
            id=span.conversation,
            title=named.get(span.conversation) or at[span.first].question,
            named=span.conversation in named,
            last=datetime.fromisoformat(at[span.last].created),
            found=found.get(span.conversation, ""),
        )
        for span in spans
    ]


def _titles(connection: Connection, scope: Scope) -> dict[str, str]:
    """Id of each conversation that the person named to its name. A damaged one is left out; the log says so."""
    named: dict[str, str] = {}
    for row in connection.execute(select(titles).where(own(titles, scope))).mappings():
        if is_whole(row):
            named[row["conversation"]] = row["title"]
        else:
            _log.error("The name of the conversation %s is damaged and is not shown.", row["conversation"])
    return named
