"""Bind Gradio's sessions to users, and reject events with anything that Gradio would fetch.

Gradio streams events to every client that knows a session hash, and clients choose the hash. So each hash is
replaced by an HMAC of hash and user: nobody can read another user's session.
"""

import hmac
import json
import re
import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.types import Scope
from ui.server.identity import PERSON, scope_of_person
from ui.server.request_policy import HttpMiddleware, with_body

STREAM = "/gradio_api/queue/data"
JOIN = "/gradio_api/queue/join"
_NOTHING = 'data: {"msg": "unexpected_error", "message": "", "success": false, "session_not_found": true}\n\n'
_UNREAD_OF_ALL = 2_000
MOST_UNREAD = _UNREAD_OF_ALL // 4  # many users may share an address
_HASH = re.compile(r"[0-9A-Za-z-]{1,64}")


class Unread:
    """Sessions whose results no client reads yet, limited per party: the oldest of a party's is dropped.

    Gradio would drop the oldest of all, so one client could end the sessions of others.
    """

    def __init__(self) -> None:
        self._parties: dict[str, str] = {}  # by session hash, oldest first

    def begin(self, session_hash: str, party: str) -> str | None:
        """Add a session, and return the one dropped for it, if any."""
        self._parties[session_hash] = party
        of_party = [one for one, other in self._parties.items() if other == party]
        if len(of_party) <= MOST_UNREAD and len(self._parties) <= _UNREAD_OF_ALL:
            return None
        first = of_party[0] if len(of_party) > MOST_UNREAD else next(iter(self._parties))
        del self._parties[first]
        return first

    def read(self, session_hash: str) -> None:
        """Remove a session that a client reads."""
        self._parties.pop(session_hash, None)


class SessionsMiddleware(HttpMiddleware):
    """Middleware that replaces session hashes, and passes on only calls of operations by `gradio_client`.

    Gradio searches inputs for files and downloads those given by address before it calls any function of ours, so
    inputs of other types are refused here.
    """

    def __init__(self, app: ASGIApp, is_known: Callable[[Scope], bool] = lambda _scope: True) -> None:
        super().__init__(app)
        self._is_known = is_known
        self._key = secrets.token_bytes(32)
        self._unread = Unread()

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        queue = connection["app"].get_blocks()._queue
        try:
            if connection["path"] == STREAM:
                asked = dict(parse_qsl(connection["query_string"].decode("latin-1")))
                session_hash = self._own(asked.get("session_hash"), connection)
                self._unread.read(session_hash)
                is_awaited = queue.pending_event_ids_session.get(session_hash)
                if not is_awaited or session_hash not in queue.pending_messages_per_session:
                    # Gradio would keep an empty stream open or fail.
                    await Response(_NOTHING, media_type="text/event-stream")(connection, receive, send)
                    return
                connection = {**connection, "query_string": urlencode({"session_hash": session_hash}).encode()}
            elif connection["path"] == JOIN:
                call = _parse_call(await Request(connection, receive).body(), connection)
                call["session_hash"] = self._own(call["session_hash"], connection)
                if given_up := self._unread.begin(call["session_hash"], self._party(connection)):
                    queue.pending_messages_per_session.pop(given_up, None)
                    await queue.clean_events(session_hash=given_up)
                body = json.dumps(call).encode()
                headers = MutableHeaders(raw=[item for item in connection["headers"] if item[0] != b"content-length"])
                headers["content-length"] = str(len(body))
                connection, receive = {**connection, "headers": headers.raw}, with_body(body, receive)
        except (ValueError, RecursionError, ClientDisconnect):
            refusal = JSONResponse({"detail": "This request was not understood."}, 400)
            await refusal(connection, receive, send)
            return
        await self._app(connection, receive, send)

    def _party(self, connection: Connection) -> str:
        if not (person := connection.get(PERSON)):
            return ""
        scope = scope_of_person(person, connection)
        return scope.person if self._is_known(scope) else scope.address

    def _own(self, session_hash: object, connection: Connection) -> str:
        """Return the session hash for this user in Gradio's queue. Raises ValueError if it is not valid."""
        if not isinstance(session_hash, str) or not _HASH.fullmatch(session_hash):
            raise ValueError
        whose = json.dumps([connection.get(PERSON), session_hash]).encode()
        return hmac.digest(self._key, whose, "sha256").hex()


def _parse_call(body: bytes, connection: Connection) -> dict[str, Any]:
    """Parse the call of a program: function, inputs and session. Raises ValueError and RecursionError."""
    told = json.loads(body, parse_constant=int)  # refuses NaN and infinity
    number, data = (told.get("fn_index"), told.get("data")) if isinstance(told, dict) else (None, None)
    function = connection["app"].get_blocks().fns.get(number) if type(number) is int else None
    if function is None or function.fn is None or not isinstance(data, list) or len(data) != len(function.inputs):
        raise ValueError
    if not all(map(_is_plain, data)):
        raise ValueError
    return {"fn_index": number, "data": data, "session_hash": told.get("session_hash")}


def _is_plain(value: object) -> bool:
    """Return True for a JSON scalar or a list of texts; `ui.programs` validates further."""
    texts = value if isinstance(value, list) else [value]
    return isinstance(value, bool | int | float) or all(text is None or isinstance(text, str) for text in texts)
