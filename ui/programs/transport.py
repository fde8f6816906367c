"""What the ways in for programs share: schemas of the functions, what was sent checked, waiting for results."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import anyio
from anyio.to_thread import run_sync
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model
from starlette.types import Receive

from assistant.errors import InputError
from assistant.types import Scope
from ui.programs.api import Api
from ui.server.services import Services

NAMES = (
    "ask", "clarify", "react", "why", "dispute", "keep", "lesson", "undo", "reach", "put", "resume", "recall",
    "remember", "list", "forget", "questions",
)  # fmt: skip

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Function:
    """One of them."""

    name: str
    description: str
    arguments: type[BaseModel]  # anything else that is sent is refused
    result: TypeAdapter[Any]
    streams: bool  # whether results come while it works, each the whole so far; the last one is what counts

    def results(self, api: Api, sent: object) -> Iterator[dict[str, Any]]:
        """Call it with what a program sent. Raises what it raises, or InputError: that is not what it takes."""
        try:
            # Not strict about what is no text: some clients send 50.0 for 50.
            told = self.arguments.model_validate(sent)
        except ValidationError as error:
            raise InputError(_in_words(error)) from None
        result = getattr(api, self.name)(**dict(told))
        return result if self.streams else iter((result,))


@cache
def functions() -> Mapping[str, Function]:
    """All of them, by name."""
    return MappingProxyType({name: _function(name) for name in NAMES})


def _function(name: str) -> Function:
    method = getattr(Api, name)
    hints = get_type_hints(method, include_extras=True)
    given = hints.pop("return")
    streams = get_origin(given) is Iterator
    parameters = inspect.signature(method).parameters
    fields: dict[str, Any] = {
        name: (hint, ... if parameters[name].default is inspect.Parameter.empty else parameters[name].default)
        for name, hint in hints.items()
    }
    arguments = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    result: TypeAdapter[Any] = TypeAdapter(get_args(given)[0] if streams else given)
    return Function(name, inspect.getdoc(method) or "", arguments, result, streams)


def _in_words(error: ValidationError) -> str:
    """What is wrong first, without what was sent."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"This was not understood ({where}: {first['msg']})." if where else "Please send one JSON object."


class Threads:
    """Threads of their own, so many at most, so that waiting for answers never keeps the page waiting."""

    def __init__(self, services: Services, most: int) -> None:
        self._services = services
        self._limiter = anyio.CapacityLimiter(most)

    async def run(self, function: Callable[[], Result]) -> Result:
        return await run_sync(function, limiter=self._limiter)

    async def results(self, function: Function, scope: Scope, sent: object) -> AsyncGenerator[dict[str, Any], None]:
        """Call a function for a person: what it returns, or yields while it works. Raises what it raises.

        Each call is counted. One that streams takes a place of the answers, and stops where the caller goes away; any
        other waits for its turn (`Work`).
        """
        api, work = Api(self._services, scope), self._services.work
        if not function.streams:
            yield await work.do(lambda _is_left: next(function.results(api, sent)), scope)
            return
        work.count(scope)
        results = function.results(api, sent)
        try:
            while result := await run_sync(next, results, None, abandon_on_cancel=True, limiter=self._limiter):
                yield result
        finally:
            api.stop()

    async def last(self, function: Function, scope: Scope, sent: object) -> dict[str, Any]:
        """The last of the `results`, of one at least."""
        return [result async for result in self.results(function, scope, sent)][-1]


@contextmanager
def while_somebody_waits(receive: Receive) -> Iterator[None]:
    """Work for a request, of which the body has been read; it is cancelled where the caller goes away."""
    with anyio.CancelScope() as work:
        watching = asyncio.ensure_future(_cancel_when_gone(work, receive))
        try:
            yield
        finally:
            watching.cancel()


async def _cancel_when_gone(work: anyio.CancelScope, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    work.cancel()
