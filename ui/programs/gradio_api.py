"""The operations as endpoints of the Gradio app, for `gradio_client`."""

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import gradio as gr

from assistant.errors import NotedError
from ui.actions.operation import Operation
from ui.actions.table import FOR_PROGRAMS
from ui.programs.api import stream_results
from ui.server.services import Services


def add_operations(server: gr.Server, services: Services) -> None:
    """Add the operations to a server."""
    for operation in FOR_PROGRAMS.values():
        server.api(_endpoint(services, operation), name=operation.name, concurrency_limit=services.runs.most)


def _endpoint(services: Services, operation: Operation[Any, Any]) -> Callable[..., AsyncIterator[dict[str, Any]]]:
    """Return an operation as a Gradio endpoint, with the request and plain types in its signature."""

    async def endpoint(request: gr.Request, *told: Any) -> AsyncIterator[dict[str, Any]]:
        sent = dict(zip(operation.arguments.model_fields, told, strict=True))
        connection = request.request.scope if request.request else {}
        try:
            async with aclosing(stream_results(services, connection, operation.name, sent)) as results:
                async for result in results:
                    yield result
        except NotedError as error:
            raise gr.Error(str(error), print_exception=False) from None

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("request", kind, annotation=gr.Request)]
    for name, field in operation.arguments.model_fields.items():
        default = inspect.Parameter.empty if field.is_required() else field.default
        parameters.append(inspect.Parameter(name, kind, annotation=field.annotation, default=default))
    endpoint.__signature__ = inspect.Signature(parameters, return_annotation=dict)  # type: ignore[attr-defined]
    endpoint.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {"return": dict}
    endpoint.__doc__ = operation.description
    return endpoint
