"""A conversation is the turns that name it, and perhaps a name: the port `Conversations` over the ledger."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, Row, delete, func, insert, select

from assistant.errors import NotFound
from assistant.reports.listing import ConversationSummary
from assistant.reports.upkeep import Receipt
from assistant.text.cleaning import storable
from assistant.types import PRACTISED, Scope
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import titles, turns
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import is_there
from memory_store.ledger.searchable import TextFilter

_ROWS_AT_ONCE = 500


class LedgerConversations:
    """The port `Conversations`; `erase` carries out its method of that name."""

    def __init__(self, ledger: Ledger, erase: Callable[[str, Scope], Receipt]) -> None:
        self._ledger = ledger
        self._erase = erase

    def conversations(
        self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0, *, practised: bool = True
    ) -> Sequence[ConversationSummary]:
        with self._ledger.read() as connection:
            named, spans = _titles(connection, scope), _spans(connection, scope)
            spans = [span for span in spans if practised or not span.conversation.startswith(PRACTISED)]
            found: Mapping[str, str] = {}
            if search.strip():
                found = _found(connection, search, named, scope)
                spans = [span for span in spans if span.conversation in found]
            return _summaries(connection, spans[offset : offset + limit], named, found, scope)

    def rename(self, conversation: str, title: str, scope: Scope) -> None:
        named = (own(titles, scope), titles.c.conversation == conversation)
        with self._ledger.write() as connection:
            if not is_there(connection, turns.c.id, own(turns, scope), turns.c.conversation == conversation):
                raise NotFound
            connection.execute(delete(titles).where(*named))
            if title := storable(title).strip():
                row = {"conversation": conversation, "owner": person_of(scope), "title": title}
                connection.execute(insert(titles), row)

    def erase(self, conversation: str, scope: Scope) -> Receipt:
        return self._erase(conversation, scope)


def _found(connection: Connection, search: str, named: Mapping[str, str], scope: Scope) -> dict[str, str]:
    """Id of each conversation that contains a text to the question of the newest turn that does."""
    found: dict[str, str] = {}
    text_filter = TextFilter(search)
    columns = (turns.c.conversation, turns.c.question, turns.c.understanding, turns.c.answer)
    query = select(*columns).where(own(turns, scope)).order_by(turns.c.sequence.desc())
    for row in connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query):
        texts = (row.question, row.understanding, row.answer)
        if row.conversation not in found and text_filter.is_in(*texts):
            found[row.conversation] = row.question
    by_name = (conversation for conversation, title in named.items() if text_filter.is_in(title))
    return dict.fromkeys(by_name, "") | found


def _spans(connection: Connection, scope: Scope) -> Sequence[Row[str, int, int]]:
    """All conversations of a person with the places of their first and last turns, read from the index alone."""
    last = func.max(turns.c.sequence).label("last")
    columns = (turns.c.conversation, func.min(turns.c.sequence).label("first"), last)
    query = select(*columns).where(own(turns, scope)).group_by(turns.c.conversation).order_by(last.desc())
    return connection.execute(query).all()


def _summaries(
    connection: Connection,
    spans: Sequence[Row[str, int, int]],
    named: Mapping[str, str],
    found: Mapping[str, str],
    scope: Scope,
) -> list[ConversationSummary]:
    places = [place for span in spans for place in (span.first, span.last)]
    columns = (turns.c.sequence, turns.c.question, turns.c.created)
    query = select(*columns).where(own(turns, scope), turns.c.sequence.in_(places))
    at = {row.sequence: row for row in connection.execute(query)}
    blank = [span.conversation for span in spans if not at[span.first].question]
    first = select(turns.c.conversation, turns.c.question).where(own(turns, scope), turns.c.question != "")
    first = first.where(turns.c.conversation.in_(blank)).order_by(turns.c.sequence.desc())
    asked = {row.conversation: row.question for row in connection.execute(first)} if blank else {}
    return [
        ConversationSummary(
            id=span.conversation,
            title=named.get(span.conversation) or at[span.first].question or asked.get(span.conversation, ""),
            named=span.conversation in named,
            last=datetime.fromisoformat(at[span.last].created),
            found=found.get(span.conversation, ""),
        )
        for span in spans
    ]


def _titles(connection: Connection, scope: Scope) -> dict[str, str]:
    """Return the id of each conversation that the person named, with its name."""
    query = select(titles.c.conversation, titles.c.title).where(own(titles, scope))
    return {row.conversation: row.title for row in connection.execute(query)}
