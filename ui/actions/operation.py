"""An operation: a function with typed arguments, permissions, rate limit and result."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from assistant.errors import InputError, TooLong
from assistant.events import Event, RunState
from ui.actions.call import Call

P = ParamSpec("P")
R = TypeVar("R")


class Who(StrEnum):
    """Callers that an operation allows, by interface."""

    ANYONE = "anyone, about their own memory"
    CURATOR = "curators"
    IN_PERSON = "on the page and at the command line, not by programs"
    HOST = "at the command line only"


class Effect(StrEnum):
    """Effect of an operation on the memory."""

    READS = "reads"
    CHANGES = "changes"
    ERASES = "erases"


class Role(StrEnum):
    """Role of an argument on interfaces for people."""

    ENTRY = "entry"  # id of an entry, or as `Call.entry` takes it
    WORDS = "words"  # free text that needs no quotes
    FILE = "file"  # a text, read from a file


@dataclass(frozen=True, eq=False)
class Operation(Generic[P, R]):
    """An operation. Calling it checks the caller, counts it against the rate limit, and runs its function.

    The docstring of the function is the description. It streams if it returns an iterator. Programs get its result
    converted by `shows`, if given: a type is read from the result; a function is called with it, or, for a stream of
    events, with the call and the state after them.
    """

    function: Callable[Concatenate[Call, P], R]
    shows: Any = None
    who: Who = Who.ANYONE
    effect: Effect = Effect.CHANGES
    name_of_result: str = "result"  # for a result that is not an object
    saves: bool = False  # counts as one change of memory; functions that save through the assistant count themselves

    def __call__(self, call: Call, *args: P.args, **kwargs: P.kwargs) -> R:
        if self.who is Who.CURATOR:
            call.curator  # noqa: B018  raises unless the user is a curator
        if self.saves:
            call.save()
        return self.function(call, *args, **kwargs)

    @property
    def name(self) -> str:
        return self.function.__name__.rstrip("_")

    @property
    def description(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        return self.description.partition("\n")[0]

    @property
    def streams(self) -> bool:
        """Return True if it yields cumulative results while it works; the last one is final."""
        return get_origin(self._hints["return"]) is Iterator

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """Return the pydantic model of the arguments; it forbids others."""
        _, *parameters = inspect.signature(self.function).parameters.values()  # without the call
        fields: dict[str, Any] = {
            one.name: (self._hints[one.name], ... if one.default is inspect.Parameter.empty else one.default)
            for one in parameters
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @cached_property
    def result(self) -> TypeAdapter[Any]:
        """Return the type of the plain result."""
        if self._is_object:
            return TypeAdapter(self.shown)
        named: dict[str, Any] = {self.name_of_result: (self.shown, ...)}
        return TypeAdapter(create_model("Result", **named))

    def perform(self, call: Call, sent: object) -> R:
        """Validate the arguments, call the function and return its result.

        Raises the errors of the function, and InputError if `sent` does not validate.
        """
        try:
            # Lax mode: some clients send 50.0 for 50.
            arguments = dict(self.arguments.model_validate(sent))
        except ValidationError as error:
            raise _refusal(error) from None
        perform: Callable[..., R] = self
        return perform(call, **arguments)

    def results(self, call: Call, sent: object) -> Iterator[Any]:
        """Yield the plain result, or after each step all so far. Raises as `perform`."""
        if not self.streams:
            yield self._plain(self.perform(call, sent))
            return
        so_far = RunState()
        with call.run() as run:
            steps: Any = self.perform(call, sent)
            for batch in run.batches(steps):
                if self._step != Event:
                    yield self._plain(batch[-1])
                    continue
                so_far = so_far.after(batch)
                if so_far.answering:
                    yield self._plain(call, so_far)

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        return get_type_hints(self.function, include_extras=True)

    @property
    def _step(self) -> Any:
        """Return the return type of the function; of each step if it streams."""
        return get_args(self._hints["return"])[0] if self.streams else self._hints["return"]

    @property
    def shown(self) -> Any:
        """Return the type of the result for programs."""
        return get_type_hints(self.shows)["return"] if inspect.isfunction(self.shows) else self.shows or self._step

    @property
    def _is_object(self) -> bool:
        """Return True if a plain result is an object of its own."""
        return is_dataclass(self.shown) or (isinstance(self.shown, type) and issubclass(self.shown, BaseModel))

    def _plain(self, *returned: Any) -> Any:
        value = self.shows(*returned) if inspect.isfunction(self.shows) else returned[0]
        value = value if self._is_object else {self.name_of_result: value}
        return self.result.dump_python(self.result.validate_python(value, from_attributes=True), mode="json")


def operation(*fields: Any, **named: Any) -> Callable[[Callable[Concatenate[Call, P], R]], Operation[P, R]]:
    """Decorate a function as an operation; see the fields of `Operation`."""
    return lambda function: Operation(function, *fields, **named)


def role_of(field: FieldInfo) -> Role | None:
    """Return the role of an argument; None if it has none."""
    return next((mark for mark in field.metadata if isinstance(mark, Role)), None)


def _refusal(error: ValidationError) -> InputError:
    """Return the first validation error, without the input."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "string_too_long":
        return TooLong(len(first["input"]), first["ctx"]["max_length"])
    where = ".".join(map(str, first["loc"]))
    return InputError(
        f"This was not understood ({where}: {first['msg']})." if where else "Please send one JSON object."
    )
