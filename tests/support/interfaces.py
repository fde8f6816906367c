"""Interfaces through which a user performs an operation with plain arguments and gets the last plain result."""

import json
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from assistant.errors import NotedError
from assistant.types import Scope
from tests.support.commands import Commands
from tests.support.people.api_client import ApiClient
from tests.support.threads import run_in_thread
from ui.actions.call import Call
from ui.actions.operation import Operation, Role, Who, role_of
from ui.actions.table import FOR_PROGRAMS, OPERATIONS
from ui.server.services import Services

T = TypeVar("T")


class Refused(Exception):
    """An operation failed; the message says why."""


Interface = Callable[..., Any]
"""Performs an operation for a user, by its name with its arguments, and returns its result. Raises Refused."""


@dataclass(frozen=True)
class Access:
    """A user of a running server. Calling it performs an operation in this process."""

    services: Services
    url: str
    home: Path
    settings: Mapping[str, str]
    folder: Path
    """For files of the user."""
    name: str

    def __call__(self, operation: str, **arguments: Any) -> Any:
        *_, result = OPERATIONS[operation].results(Call(self.services, Scope(self.name)), arguments)
        return result

    @cached_property
    def token(self) -> str:
        return self.services.tokens.make(Scope(self.name))[1]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def in_process(access: Access, operation: str, **arguments: Any) -> Any:
    try:
        return access(operation, **arguments)
    except NotedError as error:
        raise Refused(str(error)) from None


def rest(access: Access, operation: str, **arguments: Any) -> Any:
    return _post(access, operation, arguments, "application/json").json()


def sse(access: Access, operation: str, **arguments: Any) -> Any:
    """Return the last result of a stream after checking all."""
    stream = _post(access, operation, arguments, "text/event-stream").text
    *events, (name, last) = [
        (event.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for event, data in (event.split("\n") for event in stream.strip().split("\n\n"))
    ]
    if name == "error":
        raise Refused(last["detail"])
    assert (name, {name for name, _ in events}) == ("end", {"result"})
    for _, result in events:
        OPERATIONS[operation].result.validate_python(result, extra="forbid")
    return events[-1][1]


def _post(access: Access, operation: str, arguments: Mapping[str, Any], accept: str) -> httpx2.Response:
    with ApiClient(access.url, access.token, Accept=accept) as program:
        response = program.post(operation, **arguments)
    if response.status_code != httpx2.codes.OK:
        assert 400 <= response.status_code < 500 or response.status_code == 503
        raise Refused(response.json()["detail"])
    return response


async def with_mcp(access: Access, do: Callable[[McpClient], Awaitable[T]], mode: Any = "auto") -> T:
    """Run `do` with an MCP client."""
    http = httpx2.AsyncClient(headers=access.headers, timeout=60)
    transport = streamable_http_client(f"{access.url}mcp", http_client=http)
    async with http, McpClient(transport, mode=mode) as client:
        return await do(client)


def mcp(access: Access, operation: str, *, mode: Any = "auto", **arguments: Any) -> Any:
    answer = run_in_thread(with_mcp(access, lambda client: client.call_tool(operation, arguments), mode))
    (block,) = answer.content
    assert isinstance(block, TextContent)
    if answer.is_error:
        raise Refused(block.text)
    assert json.loads(block.text) == answer.structured_content
    return answer.structured_content


def command_line(access: Access, operation: str, **arguments: Any) -> Any:
    """Perform `noted NAME …` on the data directory of the server."""
    words = [operation.replace("_", "-"), *_typed(operation, arguments, access.folder), "--json"]
    if OPERATIONS[operation].who is not Who.HOST:
        words += ["--user", access.name]
    if operation in ASK_FIRST:
        words.append("--yes")
    result = Commands(access.home, **access.settings).result(*words)
    if result.exit_code:
        raise Refused("The command was not understood." if result.exit_code == 2 else result.stderr.strip())
    return json.loads(result.stdout)


def _typed(operation: str, arguments: Mapping[str, Any], folder: Path) -> list[str]:
    """Return arguments as typed: options, then required ones and entries in order, then free text."""
    fields = OPERATIONS[operation].arguments.model_fields
    options, words, text = list[str](), list[str](), list[str]()
    for name in [*fields, *(arguments.keys() - fields)]:
        if name not in arguments:
            continue
        value, field, option = arguments[name], fields.get(name), f"--{name.replace('_', '-')}"
        role = role_of(field) if field else None
        if role is Role.FILE:
            file = folder / f"{uuid.uuid4()}.txt"
            file.write_text("\n".join([value] if isinstance(value, str) else value), encoding="utf-8")
            value = file
        if role is Role.WORDS:
            text.append(value)
        elif field and (field.is_required() or role is Role.ENTRY):
            words.append(str(value))
        elif isinstance(value, bool):
            options.append(option if value else option.replace("--", "--no-", 1))
        else:
            options += [option, str(value)]
    return [*options, *words, *text]


ASK_FIRST = {"forget", "forget_everything", "erase_conversation", "forget_practice", "offer", "accept", "decline"}
"""Commands that ask for confirmation."""
PROGRAMS: Mapping[str, Interface] = {"REST": rest, "SSE": sse, "MCP": mcp}
INTERFACES: Mapping[str, Interface] = {"command line": command_line, **PROGRAMS}


def pairs(*who: Who, interfaces: Iterable[str] = INTERFACES) -> pytest.MarkDecorator:
    """Parametrise a test by operation for these users, and by interface."""

    def has(interface: str, operation: Operation[Any, Any]) -> bool:
        is_for_it = interface not in PROGRAMS or operation.name in FOR_PROGRAMS
        return is_for_it and operation.who in (who or Who) and (interface != "SSE" or operation.streams)

    found = [
        pytest.param(one.name, interface, marks=[] if interface in ("command line", "REST") else pytest.mark.slow)
        for interface in interfaces
        for one in OPERATIONS.values()
        if has(interface, one)
    ]
    return pytest.mark.parametrize(("operation", "interface"), found)
