"""The eight functions of `ui.doors` as what doors need of them: schemas, what was sent checked, and results."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from assistant.errors import InputError
from ui.doors import Doors

NAMES = ("ask", "clarify", "react", "undo", "recall", "remember", "list", "forget")
ONLY_READ = frozenset({"recall", "list"})
"""Those that change nothing."""


@dataclass(frozen=True, slots=True)
class Function:
    """One of them.

    Args:
        name: its name.
        description: what it does.
        arguments: what it takes; anything else that is sent is refused.
        result: what it gives.
        streams: whether results come while it works, each the whole so far; the last one is what counts.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    result: TypeAdapter[Any]
    streams: bool

    def results(self, doors: Doors, sent: object) -> Iterator[dict[str, Any]]:
        """Call it with what a program sent.

        Raises:
            InputError: that is not what the function takes.
            NotedError: whatever the function raises.
        """
        try:
            # Not strict about what is no text: some clients send 50.0 for 50.
            told = self.arguments.model_validate(sent)
        except ValidationError as error:
            raise InputError(_in_words(error)) from None
        result = getattr(doors, self.name)(**dict(told))
        return result if self.streams else iter((result,))


@cache
def functions() -> Mapping[str, Function]:
    """All eight, by name."""
    return MappingProxyType({name: _function(name) for name in NAMES})


def _function(name: str) -> Function:
    method = getattr(Doors, name)
    hints = get_type_hints(method, include_extras=True)
    given = hints.pop("return")
    streams = get_origin(given) is Iterator
    defaults = {parameter.name: parameter.default for parameter in inspect.signature(method).parameters.values()}
    fields: dict[str, Any] = {
        parameter: (hint, ... if defaults[parameter] is inspect.Parameter.empty else defaults[parameter])
        for parameter, hint in hints.items()
    }
    arguments = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    result: TypeAdapter[Any] = TypeAdapter(get_args(given)[0] if streams else given)
    return Function(name, inspect.getdoc(method) or "", arguments, result, streams)


def _in_words(error: ValidationError) -> str:
    """What is wrong first, without what was sent."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"This was not understood ({where}: {first['msg']})." if where else "Please send one JSON object."
