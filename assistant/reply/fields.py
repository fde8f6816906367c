"""Hold to their types (`assistant.types.Trace`) the fields of a reply that a file or the store says."""

from collections.abc import Mapping
from typing import cast

from pydantic import TypeAdapter, ValidationError

from assistant.types import Trace

_TRACE = TypeAdapter(Trace)


def check(trace: Mapping[str, object]) -> None:
    """Raise ValueError if a field of a trace, as JSON has it, has another form."""
    _TRACE.validate_python(trace)


def readable(trace: Mapping[str, object]) -> Trace:
    """Return the fields of a trace, as JSON has it, with tuples for lists, without those that have another form."""
    try:
        fitting = _TRACE.validate_python(trace)
    except ValidationError as error:
        faulty = {fault["loc"][0] for fault in error.errors()}
        fitting = _TRACE.validate_python({name: value for name, value in trace.items() if name not in faulty})
    return cast("Trace", _with_tuples(fitting))


def _with_tuples(value: object) -> object:
    """Return a value with tuples for lists: those of fields that only an extension or an earlier version knows."""
    if isinstance(value, dict):
        return {name: _with_tuples(part) for name, part in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value
