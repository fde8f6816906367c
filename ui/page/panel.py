"""Panels of the page, and helpers of their handlers.

Browsers may send any value: operations validate their arguments (`perform`), handlers the rest. Permissions depend on
the scope alone, which comes from the server (`ui.server.identity`).
"""

import asyncio
import base64
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from assistant.errors import HeaderUnclear, InputError, NotedError, TooOften
from assistant.text.cleaning import clean_text
from assistant.text.tables import decode
from assistant.turn import TurnParts
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.server.bounds.work import IsLeft
from ui.server.services import Services

View = dict[str, Any]
"""View of a panel, as plain data and messages; `{"refused": message}` if nothing was done.

`{"header": message}` also asks whether a table has a header; the page sends it again with the answer.
"""
Handler = Callable[[object, Scope], View]
PageHandler = Callable[[object, Scope, str], View]
OwnParts = Callable[[Scope, str], TurnParts]
"""Return the parts for the model that a user connected to a page; empty if there is none."""
CallingHandler = Callable[[object, Scope, str, IsLeft], View]
Streaming = Callable[[object, Scope, str], AsyncGenerator[View, None]]
Uploading = Callable[[AsyncIterator[bytes], Scope], AsyncGenerator[View, None]]
Ending = Callable[[object, Scope], None]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_Step = TypeVar("_Step")
Begin = Callable[[Call], tuple[Iterator[_Step], Callable[[_Step], View]]]
"""Begin an operation: return its steps, and a function for the view of a step. Raises NotedError."""
_LONGEST_SEARCH = 500


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel of the page: its module (`ui/static/NAME/NAME.js`) and its event handlers."""

    element: str  # its id, and the name of its module and folder
    events: Sequence[Handler] = ()  # each for the event of its name
    page_events: Sequence[PageHandler] = ()  # handlers that need the page id
    calling: Sequence[CallingHandler] = ()  # handlers that ask a model or take long: they take a place as answers do
    streams: Sequence[Streaming] = ()  # handlers that stream views
    uploads: Sequence[Uploading] = ()  # handlers of a file, the body of the request, that stream views
    ends: Sequence[Ending] = ()  # handlers that stop something at once, without admission control
    props: Mapping[str, object] = field(default_factory=dict)  # constants for its script


def no_own_parts(_scope: Scope, _page: str) -> TurnParts:
    """Return no parts: no model is connected."""
    return {}


class Handlers:
    """Event handlers of a panel.

    Args:
        services: the services of the server.
        own: returns the parts of the model that a user connected to a page.
    """

    def __init__(self, services: Services, own: OwnParts = no_own_parts) -> None:
        self._services = services
        self._own = own

    def _call(self, scope: Scope, page: str | None = None) -> Call:
        """Return a call of the user; with a page, by the model connected to it. Raises OwnModelGone."""
        return Call(self._services, scope, {} if page is None else self._own(scope, page), is_exact=True)

    async def _stream(self, scope: Scope, page: str, begin: Begin[_Step]) -> AsyncGenerator[View, None]:
        """Stream the view of the latest step of an operation, with a place among the answers.

        The operation stops when the client leaves. The last view may have the reason of a refusal (`refused`), or of a
        rate limit (`wait`).
        """
        call = None
        try:
            call = self._call(scope, page)
            steps, view = await asyncio.to_thread(begin, call)
            with call.run() as run:
                async with aclosing(run.batches_in_loop(steps)) as batches:
                    async for batch in batches:
                        yield await asyncio.to_thread(view, batch[-1])
        except HeaderUnclear as unclear:
            yield {"header": unclear.sentence}
        except TooOften as error:
            yield {"wait": error.sentence}
        except NotedError as error:
            yield {"refused": error.sentence}
        finally:
            if call:
                call.stop()

    def look(self, data: object, scope: Scope) -> View:  # noqa: ARG002  lists use both
        """Return the view that follows an operation; empty by default."""
        return {}


def perform(operation: Operation[_Arguments, _Result], call: Call, data: object, **known: object) -> _Result:
    """Perform an operation with the fields of `data` that it takes, and with `known` arguments.

    Raises the errors of the operation, and InputError if the arguments are invalid.
    """
    names = operation.arguments.model_fields
    sent = {name: _storable(value) for name, value in parse_fields(data).items() if name in names}
    return operation.perform(call, sent | known)


def _storable(value: object) -> object:
    return clean_text(value) if isinstance(value, str) else value  # a text may end in a lone surrogate


def convert_refusals(handler: Callable[_Arguments, View]) -> Callable[_Arguments, View]:
    """Wrap a handler: return the message of a NotedError as `refused`."""

    @wraps(handler)
    def handled(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> View:
        try:
            return handler(*args, **kwargs)
        except HeaderUnclear as unclear:
            return {"header": unclear.sentence}
        except NotedError as error:
            return {"refused": error.sentence}

    return handled


def operation_handler(
    operation: Operation[..., _Result], done: str = "", told: Callable[[_Result], View] = lambda _result: {}
) -> Callable[[Any, object, Scope], View]:
    """Return a handler that performs an operation and then returns the view of the panel.

    Args:
        operation: the operation for the event of its name.
        done: name of the string that confirms it.
        told: returns further fields of the view from its result.
    """

    @convert_refusals
    def handler(self: Handlers, data: object, scope: Scope) -> View:
        result = perform(operation, self._call(scope), data)
        return self.look(data, scope) | {"done": done} | told(result)

    handler.__name__ = operation.name
    return handler


def is_never_left() -> bool:
    """Return False: a client waits."""
    return False


def parse_fields(data: object) -> Mapping[str, object]:
    """Return the fields that a browser sent; empty if it sent no object."""
    return data if isinstance(data, dict) else {}


def parse_text(data: object, name: str) -> str:
    """Return a text that a browser sent, unvalidated. Raises InputError: it is none."""
    value = parse_fields(data).get(name)
    if not isinstance(value, str):
        raise InputError
    return value


@convert_refusals
def decode_file(data: object, _scope: Scope) -> View:
    """Decode a file that a user chose (`bytes`, in base64) for a field of a form."""
    return {"file_text": parse_file(data)}


def parse_file(data: object) -> str:
    """Return the text of a file that a browser sent (`bytes`, in base64). Raises InputError: it is none."""
    try:
        content = base64.b64decode(parse_text(data, "bytes"), validate=True)
    except ValueError:
        raise InputError from None
    return decode(content)


def parse_header(data: object) -> bool | None:
    """Return True or False for the user's answer whether a table has a header (`header`); None without one."""
    value = parse_fields(data).get("header")
    return value if isinstance(value, bool) else None


def parse_search(data: object) -> str:
    """Return the search text (`search`); empty if it is no text."""
    search = parse_fields(data).get("search")
    return clean_text(search)[:_LONGEST_SEARCH] if isinstance(search, str) else ""


def parse_number(data: object, name: str, most: int, default: int) -> int:
    """Return a number from 1 to `most` that a browser sent, else `default`."""
    value = parse_fields(data).get(name)
    return value if isinstance(value, int) and 0 < value <= most else default
