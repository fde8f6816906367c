"""What a part of the page consists of, and what its handlers share.

A value that comes from a browser may be anything: operations check what they take (`perform`), handlers the rest. Who
may do what is decided by the scope alone, which comes from the server (`ui.server.identity`).
"""

import base64
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from assistant.errors import HeaderUnclear, InputError, NotedError, NotFound, TooOften
from assistant.text.cleaning import storable
from assistant.text.decoding import decode
from assistant.turn import TurnParts
from assistant.types import Scope
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.server.bounds.work import IsLeft
from ui.server.services import Services

View = dict[str, Any]
"""What a part of the page then shows, as plain data and sentences; `{"refused": sentence}` where nothing was done.

`{"header": sentence}` is the same, and asks whether a table has one; the page sends it again with the answer.
"""
Handler = Callable[[object, Scope], View]
PageHandler = Callable[[object, Scope, str], View]
OwnParts = Callable[[Scope, str], TurnParts]
"""What takes the place of parts of the loop in a page to which a person brought a model; empty where nothing does."""
CallingHandler = Callable[[object, Scope, str, IsLeft], View]
Streaming = Callable[[object, Scope, str], AsyncGenerator[View, None]]
Ending = Callable[[object, Scope], None]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_Step = TypeVar("_Step")
_SECONDS = 1.0  # after which a request is answered, with one more step at least
_LONGEST_SEARCH = 500
_ID = re.compile(r"[0-9a-zA-Z-]{1,64}")


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the page: its module (`ui/static/NAME/NAME.js`), and what answers its events."""

    element: str  # its id, the name of its module and of its folder
    events: Sequence[Handler] = ()  # each answers the event of its name
    page_events: Sequence[PageHandler] = ()  # the same, for those who must know which of a person's pages it is
    calling: Sequence[CallingHandler] = ()  # those that ask a model or take long: they take a place as answers do
    streams: Sequence[Streaming] = ()  # answered by a stream of views
    ends: Sequence[Ending] = ()  # they end something at once, without waiting for a turn
    props: Mapping[str, object] = field(default_factory=dict)  # what the scripts are told for good


def no_own_parts(_scope: Scope, _page: str) -> TurnParts:
    """Nobody brought a model."""
    return {}


class Handlers:
    """Handlers of the events of a panel, which perform operations for the user that an event is from.

    Args:
        services: the parts of the app.
        own: the model that a user brought to a page.
    """

    def __init__(self, services: Services, own: OwnParts = no_own_parts) -> None:
        self._services = services
        self._own = own

    def _call(self, scope: Scope, page: str | None = None) -> Call:
        """Return a call of a user; with a page, by the model that they brought to it. Raises OwnModelGone."""
        return Call(self._services, scope, {} if page is None else self._own(scope, page), is_exact=True)

    def look(self, data: object, scope: Scope) -> View:  # noqa: ARG002  panels that list something use both
        """Return what the panel shows beside the result of an operation; by itself nothing."""
        return {}


def perform(operation: Operation[_Arguments, _Result], call: Call, data: object, **known: object) -> _Result:
    """Perform an operation with the fields that it takes of what a browser sent, and what is `known` besides.

    Raises what the operation raises, and InputError where these are not what it takes.
    """
    names = operation.arguments.model_fields
    sent = {name: _storable(value) for name, value in fields_of(data).items() if name in names}
    return operation.perform(call, sent | known)


def _storable(value: object) -> object:
    return storable(value) if isinstance(value, str) else value  # a text may end in half a character


def refusing(handler: Callable[_Arguments, View]) -> Callable[_Arguments, View]:
    """A handler that says in one plain sentence, as `refused`, why nothing was done."""

    @wraps(handler)
    def handled(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> View:
        try:
            return handler(*args, **kwargs)
        except HeaderUnclear as unclear:
            return {"header": unclear.sentence}
        except NotedError as error:
            return {"refused": error.sentence}

    return handled


def performing(
    operation: Operation[..., _Result], done: str = "", told: Callable[[_Result], View] = lambda _result: {}
) -> Callable[[Any, object, Scope], View]:
    """Return a method of handlers that performs an operation, and then returns what the panel shows.

    Args:
        operation: what the event of its name does.
        done: the name of the text that says so.
        told: returns what is shown of its result besides.
    """

    @refusing
    def handler(self: Handlers, data: object, scope: Scope) -> View:
        result = perform(operation, self._call(scope), data)
        return self.look(data, scope) | {"done": done} | told(result)

    handler.__name__ = operation.name
    return handler


def for_a_while(
    steps: Iterable[_Step], is_fresh: Callable[[_Step], object], is_last: Callable[[_Step], object]
) -> tuple[list[_Step], View]:
    """The steps that were done for some time, a fresh one at least, and why there are no more where it failed."""
    done, began = list[_Step](), monotonic()
    try:
        for step in steps:
            done.append(step)
            if is_last(step) or (is_fresh(step) and monotonic() - began > _SECONDS):
                break
    except TooOften as error:
        return done, {"wait": error.sentence}
    except NotedError as error:
        return done, {"why": error.sentence}
    return done, {}


def nobody_left() -> bool:
    """Somebody waits."""
    return False


def fields_of(data: object) -> Mapping[str, object]:
    """What a browser sent by name; nothing where it sent no such thing."""
    return data if isinstance(data, dict) else {}


def id_in(data: object, name: str) -> str:
    """An id that a browser sent. Raises NotFound: it is none."""
    value = fields_of(data).get(name)
    if not is_id(value):
        raise NotFound
    return str(value)


def is_id(value: object) -> bool:
    """Whether it can be an id of anything."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def text_in(data: object, name: str) -> str:
    """A text that a browser sent, of any length and with anything in it. Raises InputError: it is none."""
    value = fields_of(data).get(name)
    if not isinstance(value, str):
        raise InputError
    return value


@refusing
def decode_file(data: object, _scope: Scope) -> View:
    """Decode a file that a person chose (`bytes`, in base64), for the field of a form."""
    return {"file_text": file_in(data)}


def file_in(data: object) -> str:
    """Return the text of a file that a browser sent (`bytes`, in base64). Raises InputError: it is none."""
    try:
        content = base64.b64decode(text_in(data, "bytes"), validate=True)
    except ValueError:
        raise InputError from None
    return decode(content)


def header_in(data: object) -> bool | None:
    """Return whether a browser said that the first row of a table is its header (`header`), if it did."""
    value = fields_of(data).get("header")
    return value if isinstance(value, bool) else None


def search_in(data: object) -> str:
    """What a person searches for (`search`); nothing where that is no text."""
    search = fields_of(data).get("search")
    return storable(search)[:_LONGEST_SEARCH] if isinstance(search, str) else ""


def number_in(data: object, name: str, most: int, default: int) -> int:
    """A number from 1 to `most` that a browser sent, else `default`."""
    value = fields_of(data).get(name)
    return value if isinstance(value, int) and 0 < value <= most else default
