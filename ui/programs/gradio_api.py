"""For `gradio_client`: a Gradio app beside the page, of the operations and nothing else."""

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import gradio as gr
from fastapi import FastAPI
from gradio.events import api as add_endpoint
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.errors import NotedError
from ui.actions.operation import Operation
from ui.actions.table import FOR_PROGRAMS
from ui.programs.transport import Threads
from ui.server.identity import scope_of
from ui.server.services import Services
from ui.server.sessions import SessionsMiddleware, is_plain

PREFIX = "/api"


async def make_app(services: Services, threads: Threads) -> ASGIApp:
    """The app, at work. The paths of what comes to it begin with `PREFIX`."""
    most = services.runs.most
    with gr.Blocks(title="Noted", analytics_enabled=False) as blocks:
        for operation in FOR_PROGRAMS.values():
            add_endpoint(_endpoint(threads, operation), api_name=operation.name, concurrency_limit=most)
    blocks.queue(max_size=most)
    blocks.max_threads = most
    app = gr.mount_gradio_app(
        FastAPI(openapi_url=None),
        blocks,
        "/",
        footer_links=[],
        run_history=False,
        show_error=False,
        ssr_mode=False,
        mcp_server=False,
        enable_monitoring=False,
        app_kwargs={"middleware": [Middleware(SessionsMiddleware, fits=is_plain)], "docs_url": None, "redoc_url": None},
    )
    # It works for as long as the process does; what it holds ends with the event loop.
    await app.router.lifespan_context(app).__aenter__()

    async def answer(connection: Connection, receive: Receive, send: Send) -> None:
        await app({**connection, "path": connection["path"].removeprefix(PREFIX)}, receive, send)

    return answer


def _endpoint(threads: Threads, operation: Operation[Any, Any]) -> Callable[..., AsyncIterator[dict[str, Any]]]:
    """An operation as Gradio reads it: the request, of which it tells nobody, and parameters with plain types."""

    async def endpoint(request: gr.Request, *told: Any) -> AsyncIterator[dict[str, Any]]:
        sent = dict(zip(operation.arguments.model_fields, told, strict=True))
        try:
            async with aclosing(threads.results(operation.name, scope_of(request), sent)) as results:
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
