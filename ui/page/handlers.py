"""Event handlers of the page's panels: decorators, shared code, and parsers for requests.

Browsers may send any value: operations validate their arguments (`perform`), handlers the rest. Permissions depend on
the scope alone, which comes from the server (`ui.server.identity`).
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from enum import StrEnum
from functools import wraps
from inspect import signature
from typing import Any, ClassVar, ParamSpec, TypeVar, cast

from assistant.errors import HeaderUnclear, InputError, NotedError, TooOften
from assistant.text.cleaning import clean_text
from assistant.turn import TurnParts
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.server.services import Services

View = dict[str, Any]
"""View of a panel, as plain data and messages; `{"refused": message}` if nothing was done.

`{"header": message}` also asks whether a table has a header; the page sends it again with the answer.
"""
Handler = Callable[..., Any]
OwnParts = Callable[[Scope, str], TurnParts]
"""Return the parts for the model that a user connected to a page; empty if there is none."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Kind(StrEnum):
    """How the server runs the handler of an event; see `ui.page.page`."""

    VIEW = "view"  # (data, scope, page): returns a view
    CALLING = "calling"  # (data, scope, page, is_left): asks a model or takes long, with a place as answers have
    STREAM = "stream"  # (data, scope, page): streams views
    UPLOAD = "upload"  # (content, scope): streams views; the body of the request is a file
    FREE = "free"  # (data, scope or None, page): returns a view at once, also without a user


def event(kind: Kind = Kind.VIEW) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Mark a method as the handler of the event of its name. It may leave out arguments of its kind from the end.

    Views and calls return the message of a NotedError as `refused`.
    """

    def mark(handler: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        count = len(signature(handler).parameters)

        @wraps(handler)
        def handled(*sent: Any) -> Any:
            call: Handler = handler
            try:
                return call(*sent[:count])
            except NotedError as error:  # generators raise later
                return refusal_view(error)

        handled.kind = kind  # type: ignore[attr-defined]
        return cast("Callable[_Arguments, _Result]", handled)

    return mark


def refusal_view(error: NotedError) -> View:
    """Return the view of an event that did nothing."""
    return {"header" if isinstance(error, HeaderUnclear) else "refused": error.sentence}


class Handlers:
    """Event handlers of a panel, whose script is `ui/static/ELEMENT/ELEMENT.js`."""

    element: ClassVar[str]  # id of its element in the template
    constants: ClassVar[Mapping[str, object]] = {}  # for the script, in addition to the constants of all panels

    def __init__(self, services: Services, own: OwnParts = lambda _scope, _page: {}) -> None:
        self._services = services
        self._own = own

    def events(self) -> Iterator[tuple[str, Kind, Handler]]:
        """Yield the name, kind and method of each handler that `event` marks."""
        for name in dir(type(self)):
            marked = getattr(type(self), name)
            if isinstance(kind := getattr(marked, "kind", None), Kind):
                yield marked.__name__, kind, getattr(self, name)

    def look(self, data: object, scope: Scope) -> View:  # noqa: ARG002  lists use both
        """Return the view that follows an operation; empty by default."""
        return {}

    def _call(self, scope: Scope, page: str | None = None) -> Call:
        """Return a call of the user; with a page, by the model connected to it. Raises OwnModelGone."""
        return Call(self._services, scope, {} if page is None else self._own(scope, page), is_exact=True)

    async def _stream(
        self, scope: Scope, page: str, views: Callable[[Call], Iterator[View]]
    ) -> AsyncGenerator[View, None]:
        """Stream the views of an operation, which has a place among the answers and stops when the client leaves.

        The last view may have the reason of a refusal, or of a rate limit (`wait`).
        """
        call = None
        try:
            call = self._call(scope, page)
            with call.run() as run:
                async with aclosing(run.batches_in_loop(views(call))) as batches:
                    async for batch in batches:
                        for view in batch:
                            yield view
        except TooOften as error:
            yield {"wait": error.sentence}
        except NotedError as error:
            yield refusal_view(error)
        finally:
            if call:
                call.stop()


def perform(operation: Operation[_Arguments, _Result], call: Call, data: object, **known: object) -> _Result:
    """Perform an operation with the fields of `data` that it takes, and `known` arguments. Raises its errors."""
    names = operation.arguments.model_fields
    sent = {
        name: clean_text(value) if isinstance(value, str) else value  # a text may end in a lone surrogate
        for name, value in parse_fields(data).items()
        if name in names
    }
    return operation.perform(call, sent | known)


def handler_of(
    operation: Operation[..., _Result], done: str = "", told: Callable[[_Result], View] = lambda _result: {}
) -> Handler:
    """Return a handler for the event of the operation's name: it performs that and returns the view of the panel.

    `done` names the string that confirms it; `told` returns further fields of the view from its result.
    """

    def handler(self: Handlers, data: object, scope: Scope) -> View:
        result = perform(operation, self._call(scope), data)
        return self.look(data, scope) | {"done": done} | told(result)

    handler.__name__ = operation.name
    return event()(handler)


def parse_fields(data: object) -> Mapping[str, object]:
    """Return the fields that a browser sent; empty if it sent no object."""
    return data if isinstance(data, dict) else {}


def parse_text(data: object, name: str) -> str:
    """Return a text that a browser sent, unvalidated. Raises InputError if it is not a text."""
    value = parse_fields(data).get(name)
    if not isinstance(value, str):
        raise InputError
    return value


def parse_number(data: object, name: str, most: int, default: int) -> int:
    """Return a number from 1 to `most` that a browser sent, else `default`."""
    value = parse_fields(data).get(name)
    return value if isinstance(value, int) and 0 < value <= most else default
