"""List and rename conversations, which are turns with one conversation id: the port `Conversations` over the ledger."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select

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
        # A covering index has the first and last turn of each conversation.
        first, last = func.min(turns.c.sequence).label("first"), func.max(turns.c.sequence).label("last")
        spans = select(turns.c.conversation, first, last).where(belongs_to(turns, scope)).group_by(turns.c.conversation)
        if not practised:
            spans = spans.where(~turns.c.conversation.startswith(PRACTISED))
        named = select(titles.c.conversation, titles.c.title).where(belongs_to(titles, scope))
        with self._ledger.read() as connection:
            title_of: dict[str, str] = dict(connection.execute(named).all())
            found = _search(connection, search, title_of, scope) if search.strip() else None
            rows = connection.execute(spans.order_by(last.desc())).all()
            rows = [row for row in rows if found is None or row.conversation in found][offset : offset + limit]
            places = [place for row in rows for place in (row.first, row.last)]
            columns = (turns.c.sequence, turns.c.question, turns.c.created)
            query = select(*columns).where(belongs_to(turns, scope), turns.c.sequence.in_(places))
            at = {row.sequence: row for row in connection.execute(query)}
            blank = [row.conversation for row in rows if not at[row.first].question]  # the first turn was deleted
            asked = select(turns.c.conversation, turns.c.question).where(
                belongs_to(turns, scope), turns.c.question != ""
            )
            asked = asked.where(turns.c.conversation.in_(blank)).order_by(turns.c.sequence.desc())
            later: dict[str, str] = dict(connection.execute(asked).all()) if blank else {}
        return [
            ConversationSummary(
                id=row.conversation,
                title=title_of.get(row.conversation) or at[row.first].question or later.get(row.conversation, ""),
                named=row.conversation in title_of,
                last=datetime.fromisoformat(at[row.last].created),
                found=(found or {}).get(row.conversation, ""),
            )
            for row in rows
        ]

    def rename(self, conversation: str, title: str, scope: Scope) -> None:
        named = (belongs_to(titles, scope), titles.c.conversation == conversation)
        with self._ledger.write() as connection:
            if not row_exists(connection, turns.c.id, belongs_to(turns, scope), turns.c.conversation == conversation):
                raise NotFound
            connection.execute(delete(titles).where(*named))
            if title := clean_text(title).strip():
                row = {"conversation": conversation, "owner": require_user(scope), "title": title}
                connection.execute(insert(titles), row)


def _search(connection: Connection, search: str, named: Mapping[str, str], scope: Scope) -> dict[str, str]:
    """Return the ids of conversations that contain a text, with the newest question whose turn contains it."""
    text_filter = TextFilter(search)
    found = {conversation: "" for conversation, title in named.items() if text_filter.is_in(title)}
    columns = (turns.c.conversation, turns.c.question, turns.c.understanding, turns.c.answer)
    query = select(*columns).where(belongs_to(turns, scope)).order_by(turns.c.sequence.desc())
    for row in connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query):
        texts = (row.question, row.understanding, row.answer)
        if not found.get(row.conversation) and text_filter.is_in(*texts):
            found[row.conversation] = row.question
    return found
