"""List and rename conversations, which are turns with one conversation id: the port `Conversations` over the ledger."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, insert, select

from assistant.errors import NotFound
from assistant.reports.listing import ConversationSummary
from assistant.reports.upkeep import Receipt
from assistant.text.cleaning import clean_text
from assistant.types import PRACTISED, Scope
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import titles, turns
from memory_store.ledger.entries import TextFilter
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import row_exists

_ROWS_AT_ONCE = 500


class LedgerConversations:
    """Implements `Conversations`; `erase` is its method of that name."""

    def __init__(self, ledger: Ledger, erase: Callable[[str, Scope], Receipt]) -> None:
        self._ledger = ledger
        self.erase = erase

    def conversations(
        self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0, *, practised: bool = True
    ) -> Sequence[ConversationSummary]:
        mine, last = belongs_to(turns, scope), func.max(turns.c.sequence).label("last")
        talks = select(turns.c.conversation, last).where(mine).group_by(turns.c.conversation).order_by(last.desc())
        if not practised:
            talks = talks.where(~turns.c.conversation.startswith(PRACTISED))
        with self._ledger.read() as connection:
            found = _search(connection, search, scope) if search.strip() else None
            if found is not None:
                talks = talks.where(turns.c.conversation.in_(found))
            page = talks.limit(limit).offset(offset).subquery()
            newest, asked = turns.alias(), turns.alias()
            same = (asked.c.owner == scope.person, asked.c.conversation == page.c.conversation)
            first = select(asked.c.question).where(*same, asked.c.question != "").order_by(asked.c.sequence).limit(1)
            named = and_(belongs_to(titles, scope), titles.c.conversation == page.c.conversation)
            columns = (page.c.conversation, newest.c.created, titles.c.title, first.scalar_subquery().label("question"))
            query = select(*columns).join(newest, newest.c.sequence == page.c.last).outerjoin(titles, named)
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
