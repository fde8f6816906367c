"""The OpenAI protocol, `/v1/models` and `/v1/chat/completions`: Noted in any chat client, with Noted's memory.

The last message of a chat becomes an operation on a turn of the token's user: `ask`; `edit_question` in the place of an
earlier message, or `retry` for another answer. The understanding comes as `reasoning_content`, or, with the model
`noted-visible`, in the first line. Requests with tools or a response format, and those that a client makes for itself
(for titles, tags, suggestions), go to the connected model as they are, and leave nothing.
"""

import json
import re
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, closing, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from assistant.clients.chats import ShownTurns, find_chat, record_exchanges
from assistant.errors import ContextFull, InputError, ModelError, NotedError, RateLimited, TooOften
from assistant.models.remote.remote import RemoteModel
from assistant.ports import ChatModel
from assistant.reply.filter import visible
from assistant.sentences import find_sentence
from assistant.settings import EMBEDDED
from assistant.turn import TurnParts
from assistant.types import Message, MessageRole, TurnState
from ui.actions.answering import ask, edit_question, retry, undo
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.programs.api import KEPT_NOWHERE, cancel_on_disconnect, refuse, status_of, stream_call
from ui.programs.openai_request import NAMES, ROLES, VISIBLE, ChatRequest
from ui.server.identity import scope_of
from ui.server.request_policy import CHAT
from ui.server.services import Services

_CONVERSATION = ("x-noted-conversation", "x-openwebui-chat-id", "x-librechat-conversation-id", "x-conversation-id")
_ID = re.compile(r"[0-9a-zA-Z-]{1,64}")
_MOST_TURNS = 200  # of a conversation that are compared with a chat
_MOST_ALIKE = 12  # chats with the same first message that are kept apart
_MOST_NAMED = 8  # entries in a header
_STATUS = {InputError: 400, ContextFull: 400, RateLimited: 429}
_CODES = {ContextFull: "context_length_exceeded", RateLimited: "rate_limit_exceeded", TooOften: "rate_limit_exceeded"}
_WITHOUT_EFFECT = frozenset({"tools", "top_p", "seed", "presence_penalty", "frequency_penalty"})
_OF_CONNECTED = frozenset({"temperature", "max_tokens", "max_completion_tokens"})

Plain = dict[str, Any]


def openai_routes(services: Services) -> Sequence[Route]:
    """Return the routes of the protocol."""
    return (
        Route("/v1/models", list_models),
        Route("/v1/models/{model:path}", list_models),
        Route(CHAT, partial(complete, services), methods=["POST"]),
    )


def list_models(request: Request) -> Response:
    """Respond with the models, or one of them."""
    models = [{"id": name, "object": "model", "created": 0, "owned_by": "noted"} for name in NAMES]
    if "model" not in request.path_params:
        return JSONResponse({"object": "list", "data": models})
    found = next((one for one in models if one["id"] == request.path_params["model"]), None)
    return JSONResponse(found) if found else _no_model(request)


async def complete(services: Services, request: Request) -> Response:
    """Respond to a request for a completion, streamed or whole."""
    try:
        asked = await run_in_threadpool(ChatRequest.model_validate_json, await request.body())
    except ClientDisconnect:
        return Response()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return refuse(
            request.scope, 400, ": ".join(filter(None, (".".join(map(str, first["loc"])), f"{first['msg']}.")))
        )
    if asked.model not in {*NAMES, services.assistant.runner.model.name}:
        return _no_model(request)
    call = Call(services, scope_of(request.scope), is_exact=True)
    results = pass_on(call, asked) if asked.is_passed_on else answer(call, asked, request.headers)
    with cancel_on_disconnect(request.receive):
        try:
            return await _respond(services, asked, stream_call(call, results), request)
        except NotedError as error:
            return _failed(request, error)
    return Response()  # nobody waits


async def _respond(
    services: Services, asked: ChatRequest, coming: AsyncGenerator[Plain, None], request: Request
) -> Response:
    """Respond once the first words are there, or the whole answer. Raises NotedError."""
    reply, last = Reply(asked), Plain()
    async for last in coming:
        if asked.stream and (last.get("understanding") or last.get("answer")):
            break
    if last.get("state") == "failed" and not last["answer"]:
        return _failed(request, _error_of(last))
    headers = {**KEPT_NOWHERE, **_headers(last), **_ignored(services.assistant.runner.model, asked)}
    if asked.stream:
        return StreamingResponse(reply.events(last, coming), media_type="text/event-stream", headers=headers)
    return JSONResponse(reply.whole(last), headers=headers)


def answer(call: Call, asked: ChatRequest, headers: Headers) -> Iterator[Plain]:
    """Answer the last message of a chat as a turn; yield the results of the operation, then with the usage."""
    if asked.messages[-1].role != "user":
        raise InputError("The last message must be one of the user.")
    scope, runner = call.scope, call.assistant.runner
    store, exchanges = runner.turn_store, asked.exchanges()
    named = _conversations(headers, exchanges[0].message if exchanges else asked.question)
    place, chat = find_chat((store.turns(one, scope, _MOST_TURNS) for one in named), exchanges, asked.question)
    conversation = named[place]
    pending = list[Callable[[], object]]()
    call.parts = {**_parts(call, asked), "turn_store": ShownTurns(store, chat.hidden, pending)}
    operation: Operation[..., Any] = ask
    sent = {"question": asked.question, "conversation": conversation}
    if chat.repeated:
        operation, sent = retry, {"turn": chat.repeated.id}
    elif chat.replaced and chat.replaced.state is TurnState.CORRECTION and chat.replaced.corrected_by:
        pending.append(partial(undo, call, chat.replaced.corrected_by))
    elif chat.replaced:
        operation, sent = edit_question, {"turn": chat.replaced.id, "question": asked.question}

    def record() -> None:
        with suppress(NotedError):  # a memory that cannot be written, such as on a full disk
            record_exchanges(chat.unknown, store, conversation, scope, runner.limits)

    pending.append(record)
    last = Plain()
    for last in operation.results(call, sent):
        yield last
    with suppress(NotedError, KeyError):
        used = store.turn(last["turn"], scope).usage
        yield {**last, "usage": _usage(used.prompt if used else 0, used.reply if used else 0)}


def pass_on(call: Call, asked: ChatRequest) -> Iterator[Plain]:
    """Send a request to the connected model as it is; yield its completion. Counts as an answer."""
    model = call.assistant.runner.model
    is_remote, needs_remote = isinstance(model, RemoteModel), asked.tools or asked.response_format
    if model.name == EMBEDDED or (needs_remote and not is_remote):
        raise InputError("This needs a connected language model; the model in use has no tools, titles or formats.")
    call.assistant.allowance.turn(call.scope)
    told = [Message(ROLES.get(one.role, MessageRole.USER), one.text) for one in asked.messages]
    pieces = model.pass_on(asked.options) if isinstance(model, RemoteModel) else visible(model.stream(told))
    with call.run() as run, closing(pieces):
        text = "".join(piece for batch in run.batches(pieces) for piece in batch)
    if run.stopped and not text:
        return
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    yield {"completion": json.loads(text) if is_remote else {"choices": [choice], "usage": _usage(0, 0)}}


def _parts(call: Call, asked: ChatRequest) -> TurnParts:
    """Return the parts for an answer with the options and instructions of a request."""
    runner, parts = call.assistant.runner, TurnParts()
    if isinstance(runner.model, RemoteModel):
        most = min(runner.model.reply_tokens, asked.most_tokens or runner.model.reply_tokens)
        parts["model"] = replace(runner.model, temperature=asked.temperature, reply_tokens=most, images=asked.images)
    elif asked.images:
        raise InputError("The model in use cannot see pictures. Connect one that can.")
    if asked.instructions and runner.model.name != EMBEDDED:

        def instruct(changed: TurnParts) -> TurnParts:
            builder = changed.get("prompt_builder")
            told = asked.instructions, asked.documents
            return {**changed, "prompt_builder": builder.with_instructions(*told)} if builder else changed

        parts |= instruct({"prompt_builder": runner.prompt_builder})
        parts["fit"] = lambda model: instruct(runner.fit(model))
    return parts


def _conversations(headers: Headers, first: str) -> Sequence[str]:
    """Return the client's id of the conversation, else the ids of all possible chats with this first message."""
    named = next((headers[name] for name in _CONVERSATION if headers.get(name)), "")
    if _ID.fullmatch(named):
        return (named,)
    count = 1 if named else _MOST_ALIKE
    return [str(uuid.uuid5(uuid.NAMESPACE_OID, (named or first) + "\n" * number)) for number in range(count)]


def _headers(answered: Plain) -> dict[str, str]:
    """Return the headers of an answer: its turn, conversation, and entries."""
    if "turn" not in answered:
        return {}
    entries = {
        "used": answered["used"],
        "offered": [one for one in answered["skipped"] if one["decision"] == "offer"],
        "skipped": [one for one in answered["skipped"] if one["decision"] == "skip"],
    }
    named = {name: [one["entry"]["entry"] for one in some[:_MOST_NAMED]] for name, some in entries.items()}
    memory = "; ".join(f"{name}={','.join(ids)}" for name, ids in named.items())
    turn, conversation = answered["turn"], answered["conversation"]
    return {"x-noted-turn": turn, "x-noted-conversation": conversation, "x-noted-memory": memory}


def _ignored(model: ChatModel, asked: ChatRequest) -> dict[str, str]:
    """Return the header that names options without effect on the model in use."""
    without = _WITHOUT_EFFECT | (frozenset() if isinstance(model, RemoteModel) else _OF_CONNECTED)
    names = set() if asked.is_passed_on else without & asked.model_fields_set
    names |= {"system"} if asked.instructions and model.name == EMBEDDED else set()
    return {"x-noted-ignored": ", ".join(sorted(names))} if names else {}


def _usage(prompt: int, reply: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


class Reply:
    """A reply in the protocol, made from the results of an operation so far, which are cumulative."""

    def __init__(self, asked: ChatRequest) -> None:
        self._asked = asked
        self._id, self._created = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())
        self._stop = [asked.stop] if isinstance(asked.stop, str) else asked.stop or []
        self._turn, self._lead, self._sent = "", "", ("", "")

    def whole(self, last: Plain) -> Plain:
        """Return the completion."""
        if "completion" in last:
            return {"id": self._id, **last["completion"], "model": self._asked.model}
        reasoning, content = self._texts(last)
        message = {"role": "assistant", "content": content, **({"reasoning_content": reasoning} if reasoning else {})}
        choice = {"index": 0, "message": message, "finish_reason": _finish(last)}
        return self._envelope("chat.completion", [choice]) | {"usage": last.get("usage")}

    async def events(self, first: Plain, rest: AsyncGenerator[Plain, None]) -> AsyncGenerator[str, None]:
        """Yield the completion as server-sent events."""
        yield self._chunk({"role": "assistant", "content": ""})
        last = first
        try:
            async with aclosing(rest):
                for delta in self._deltas(first):
                    yield self._chunk(delta)
                async for last in rest:
                    for delta in self._deltas(last):
                        yield self._chunk(delta)
        except NotedError as error:
            last = {**last, "state": "failed", "error": str(error)}
        if last.get("state") == "failed":
            yield _event(
                {"error": {"message": str(_error_of(last)), "type": "server_error", "param": None, "code": None}}
            )
            return
        yield self._chunk({}, _finish(last))
        if (self._asked.stream_options or {}).get("include_usage"):
            usage = last.get("usage") or last.get("completion", {}).get("usage")
            yield _event(self._envelope("chat.completion.chunk", []) | {"usage": usage})
        yield "data: [DONE]\n\n"

    def _deltas(self, answered: Plain) -> list[Plain]:
        """Return the new part of a cumulative result, reasoning first."""
        if "completion" in answered:
            message = answered["completion"]["choices"][0]["message"]
            calls = [{"index": at, **call} for at, call in enumerate(message.get("tool_calls") or ())]
            return [{"content": message.get("content"), **({"tool_calls": calls} if calls else {})}]
        texts, sent, self._sent = self._texts(answered), self._sent, self._texts(answered)
        new = [_new(now, before) for now, before in zip(texts, sent, strict=True)]
        return [{name: text} for name, text in zip(("reasoning_content", "content"), new, strict=True) if text]

    def _texts(self, answered: Plain) -> tuple[str, str]:
        """Return the reasoning and the content so far."""
        understanding, said, is_running = answered["understanding"], answered["answer"], answered["state"] == "running"
        if answered["turn"] != self._turn and (understanding or said):
            self._turn, self._lead = answered["turn"], "".join(f"{line}\n" for line in _memory_lines(answered))
        ends = [at for stop in self._stop if stop and (at := said.find(stop)) >= 0]
        held = max(map(len, self._stop), default=1) - 1 if is_running else 0  # a stop may have begun
        said = said[: min(ends)] if ends else said[: len(said) - held]
        if self._asked.model != VISIBLE:
            return (f"{self._lead}{understanding}" if understanding or said else ""), said
        if is_running and not said:
            return "", f"*{understanding}" if understanding else ""
        under = "" if is_running else "".join(f"\n\n*{line}*" for line in _memory_lines(answered))
        return "", (f"*{understanding}*\n\n{said}" if understanding else said) + under

    def _chunk(self, delta: Plain, finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event(self._envelope("chat.completion.chunk", [choice]))

    def _envelope(self, kind: str, choices: Sequence[Plain]) -> Plain:
        model, created = self._asked.model, self._created
        return {"id": self._id, "object": kind, "created": created, "model": model, "choices": choices}


def _memory_lines(answered: Plain) -> list[str]:
    """Return lines on what a message saved and what its answer used."""
    saved = {entry["entry"]: entry["text"] for entry in answered["saved"]}
    used = [one["entry"]["text"] for one in answered["used"] if one["entry"]["entry"] not in saved]
    named = [("Saved", text) for text in saved.values()] + [("From memory", text) for text in used]
    return [f"{name}: {' '.join(text.split())}" for name, text in named]


def _new(now: str, before: str) -> str:
    return now.removeprefix(before) if now.startswith(before) else f"\n\n{now}"


def _finish(last: Mapping[str, Any]) -> str:
    if "completion" in last:
        return str(last["completion"]["choices"][0].get("finish_reason") or "stop")
    return "length" if last["error"] else "stop"


def _event(value: Plain) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def _error_of(answered: Plain) -> NotedError:
    """Return the error of a failed turn; its message says so if a correction was saved."""
    code = find_sentence(answered["error"]).code
    kind = next((kind for kind in (ContextFull, RateLimited) if kind.code == code), ModelError)
    return kind(f"Saved. {answered['error']}" if answered["saved"] else answered["error"])


def _failed(request: Request, error: NotedError) -> Response:
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), status_of(error))
    return refuse(request.scope, status, str(error), _CODES.get(type(error)))


def _no_model(request: Request) -> Response:
    return refuse(request.scope, 404, f"There is no such model here, only {', '.join(NAMES)}.", "model_not_found")
