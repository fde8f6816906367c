"""An operation: a function with typed arguments, who may call it, what it costs, and its result for programs."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo
from typing_extensions import is_typeddict

from assistant.errors import InputError, TooLong
from assistant.events import Event, RunSoFar
from ui.actions.call import Call

P = ParamSpec("P")
R = TypeVar("R")


class Who(StrEnum):
    """Who may call an operation, and by which interface."""

    ANYONE = "anyone, about their own memory"
    CURATOR = "curators"
    IN_PERSON = "on the page and at the command line, not by programs"
    HOST = "at the command line only"


class Effect(StrEnum):
    """What an operation does with the memory."""

    READS = "reads"
    CHANGES = "changes"
    ERASES = "erases"


class Role(StrEnum):
    """What an argument means to an interface for people."""

    TURN = "turn"  # id of an answer; empty for the last
    ENTRY = "entry"  # id of an entry, or as `Call.entry` takes it
    WORDS = "words"  # free text, which may be typed without quotes
    FILE = "file"  # a text, read from a file


@dataclass(frozen=True, eq=False)
class Operation(Generic[P, R]):
    """One operation. Calling it checks who calls, counts what it costs, and does it.

    Args:
        function: does it for a caller; its docstring is the description. One that returns an iterator streams.
        shows: makes typed plain data of its result or of each step, or of the caller and the fold of events. None: it
            is plain enough.
        who: who may call it.
        effect: what it does with the memory.
        saves: whether it counts as one change of memory; functions that save through the assistant count by themselves.
    """

    function: Callable[Concatenate[Call, P], R]
    shows: Callable[..., Any] | None = None
    who: Who = Who.ANYONE
    effect: Effect = Effect.CHANGES
    saves: bool = field(default=False, kw_only=True)

    def __call__(self, call: Call, *args: P.args, **kwargs: P.kwargs) -> R:
        if self.who is Who.CURATOR:
            call.curator  # noqa: B018  raises where the user is none
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
    def streams(self) -> bool:
        """Return True if it yields results while it works, each the whole so far; the last one is what counts."""
        return get_origin(self._hints["return"]) is Iterator

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model of the arguments; anything else that is sent is refused."""
        _, *parameters = inspect.signature(self.function).parameters.values()  # without the call
        fields: dict[str, Any] = {
            one.name: (self._hints[one.name], ... if one.default is inspect.Parameter.empty else one.default)
            for one in parameters
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @cached_property
    def result(self) -> TypeAdapter[Any]:
        """The type of the plain data of a result, which is an object: anything else is its `result`."""
        kind = get_type_hints(self.shows, include_extras=True)["return"] if self.shows else self._step
        return TypeAdapter(kind if _is_object(kind) else create_model("Result", result=(kind, ...)))

    def perform(self, call: Call, sent: object) -> R:
        """Do it with what was sent, and return what the function returns.

        Raises what the function raises, and InputError where `sent` is not what it takes.
        """
        try:
            # Not strict about what is no text: some clients send 50.0 for 50.
            arguments = dict(self.arguments.model_validate(sent))
        except ValidationError as error:
            raise _refusal(error) from None
        perform: Callable[..., R] = self
        return perform(call, **arguments)

    def results(self, call: Call, sent: object) -> Iterator[Any]:
        """Yield plain data of the result, or of each step with all before it. Raises as `perform`."""
        if not self.streams:
            yield self._plain(self.perform(call, sent))
            return
        so_far = RunSoFar()
        with call.run() as run:
            steps: Any = self.perform(call, sent)
            for batch in run.batches(steps):
                if self._step != Event:
                    yield self._plain(batch[-1])
                    continue
                so_far = so_far.after(batch)
                if so_far.answering and self.shows:
                    yield self.shows(call, so_far)

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        return get_type_hints(self.function, include_extras=True)

    @property
    def _step(self) -> Any:
        """Return the type of what the function returns; of each step, where it streams."""
        return get_args(self._hints["return"])[0] if self.streams else self._hints["return"]

    def _plain(self, value: Any) -> Any:
        if self.shows:
            return self.result.dump_python(self.shows(value), mode="json")
        plain = TypeAdapter(self._step).dump_python(value, mode="json")
        return plain if _is_object(self._step) else {"result": plain}


def operation(
    shows: Callable[..., Any] | None = None,
    who: Who = Who.ANYONE,
    effect: Effect = Effect.CHANGES,
    *,
    saves: bool = False,
) -> Callable[[Callable[Concatenate[Call, P], R]], Operation[P, R]]:
    """Decorate a function as an operation; see `Operation`."""
    return lambda function: Operation(function, shows, who, effect, saves=saves)


def _is_object(kind: Any) -> bool:
    """Return True if plain data of this type is an object."""
    return is_typeddict(kind) or is_dataclass(kind)


def role_of(field: FieldInfo) -> Role | None:
    """Return the role of an argument, if it has one."""
    return next((mark for mark in field.metadata if isinstance(mark, Role)), None)


def _refusal(error: ValidationError) -> InputError:
    """Return the first thing that is wrong, in words without what was sent."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "string_too_long":
        return TooLong(len(first["input"]), first["ctx"]["max_length"])
    where = ".".join(map(str, first["loc"]))
    return InputError(
        f"This was not understood ({where}: {first['msg']})." if where else "Please send one JSON object."
    )
