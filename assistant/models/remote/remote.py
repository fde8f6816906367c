"""Call any model that LiteLLM reaches, as a stream, with our own timeouts, retry policy and errors."""

import asyncio
import json
import logging
import os
import random
import threading
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import IntEnum
from functools import cached_property, partial
from typing import Any
from urllib.parse import urlsplit

from assistant import errors
from assistant.errors import ModelError
from assistant.events import Phase, Sign
from assistant.model_usage import Count, ignore_usage
from assistant.models.remote.errors import Failure, read_failure
from assistant.models.remote.library import PROVIDERS, dollars_of, is_this_machine, load_litellm, provider_and_key
from assistant.models.remote.streaming import Bill, EventLoopThread, estimate_tokens, read_deltas, reserve_spending
from assistant.ports import Spending
from assistant.types import Message

_log = logging.getLogger(__name__)

DEFAULT_WINDOW = 8192
_TRIES = 3
_SECONDS = 60.0  # timeout of the first piece, and of each further one
_HERE_SECONDS = 1800.0  # the same for a server of this machine: the user sees its state, and can stop it
_LOADING_SECONDS = 300.0  # timeout of a server that loads a large model
_LONGEST_PAUSE = 10.0  # between two retries while it loads
_LONGEST_RETRY_AFTER = 20.0
_LONGEST_REPLY_BYTES = 1_000_000  # of a server that ignores the maximum number of tokens
_OLLAMA = ("ollama/", "ollama_chat/")
_OLLAMA_ADDRESS = "http://localhost:11434"  # LiteLLM's default
_DRAFT_TEMPERATURE = 0.7
_PICTURE = "x" * 2_000  # stands for a picture in the estimate of tokens
_OPTIONS = frozenset({"max_tokens", "temperature", "stream_options"})
# Parts of refusals: chat templates without a system role fail with a 500; prompt plus maximum reply are too long.
_ROLES = ("system role", "developer instruction", "roles must alternate")
_REPLY = ("in the completion", "output tokens", "max_tokens' or")


class RequestForm(IntEnum):
    """Form of a request, each plainer than the one before."""

    USUAL = 0
    PLAIN = 1  # neither options nor a system role
    WHOLE = 2  # plain, without streaming


@dataclass(eq=False, repr=False)
class RemoteModel:
    """`ChatModel` behind any LiteLLM model string: `openai/gpt-…`, `anthropic/…`, `gemini/…`, `ollama_chat/…`."""

    name: str
    _: KW_ONLY
    # None: the provider's environment variable; with `api_base`, an `openai/…` model never gets OPENAI_API_KEY, because
    # the server may be anyone's.
    api_key: str | None = None
    api_base: str | None = None  # address of the server; for `openai/…` any server with the OpenAI protocol
    # Timeout of the first piece (or reasoning), retries included, and of each further one; None: a minute, and half an
    # hour for a server of this machine.
    first_token_seconds: float | None = None
    read_seconds: float | None = None
    context: int | None = None  # the `window`; None: as in LiteLLM's list, else 8192 tokens
    reply_tokens: int = 8000  # maximum reply, reasoning included, if window and model allow it
    backoff_seconds: float = 0.5  # mean wait before the first retry; twice that before the second
    loop: EventLoopThread = field(default_factory=EventLoopThread)  # runs the calls
    spending: Spending | None = None  # limit of the cost of all calls; None for no limit
    writes_keys: bool = True
    temperature: float | None = None  # None: the provider's default
    images: tuple[str, ...] = ()  # data URLs, sent with the last message of each call
    is_small: bool = False  # gets the short prompt (`assistant.models.choice`)
    accepted: list[RequestForm] = field(default_factory=list)  # by the server; drafts share it

    def __post_init__(self) -> None:
        self._is_ollama = self.name.startswith(_OLLAMA)
        ollama = (os.environ.get("OLLAMA_API_BASE") or _OLLAMA_ADDRESS) if self._is_ollama else ""
        is_public = self.api_base in PROVIDERS.values()
        self._is_at_provider = is_public or self.api_base is None
        self.is_here = not is_public and is_this_machine(urlsplit(self.api_base or ollama).hostname or "")
        usual = _HERE_SECONDS if self.is_here else _SECONDS
        self._first_token_seconds, self._read_seconds = self.first_token_seconds or usual, self.read_seconds or usual

    def start(self) -> None:
        """Load litellm in the background, so that the first call does not take seconds longer."""
        threading.Thread(target=load_litellm, name="load-litellm", daemon=True).start()

    def close(self) -> None:
        """Stop every running call and the event loop."""
        self.loop.close()

    def drafting(self, count: int) -> Sequence["RemoteModel"]:
        """Return one greedy model, and `count` - 1 that sample (Yuan et al., 2023, appendix D)."""
        return [
            replace(self, temperature=0.0),
            *[replace(self, temperature=_DRAFT_TEMPERATURE) for _ in range(count - 1)],
        ]

    @cached_property
    def window(self) -> int:
        return self.context or self._info.get("max_input_tokens") or DEFAULT_WINDOW

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:
        """Stream the reply, see `ChatModel`.

        Retries happen only before the first visible piece: at most two after 429 with a short Retry-After, 5xx and
        connection errors; in a plainer form after a refusal; and while the server loads the model. A missing finish
        reason is not an error: the parser detects a truncated reply by its tags.
        """
        request, texts = self._request(messages), [message.content for message in messages]
        texts += [_PICTURE] * len(self.images)
        price = partial(dollars_of, self.name)
        with reserve_spending(texts, request["max_tokens"], price, self.spending, count) as bill:
            yield from self.loop.stream(self._reply(request, bill))

    def pass_on(self, options: Mapping[str, Any], count: Count = ignore_usage) -> Generator[str, None, None]:
        """Send a request of a program as it is: `messages` and other arguments of the OpenAI protocol.

        Yields empty pieces while the model works, then its completion as JSON. Does not retry. Raises ModelError.
        """
        usual = self._request(())
        del usual["stream_options"]
        most = min(usual["max_tokens"], options.get("max_tokens") or self.reply_tokens)
        request = {**usual, **options, "stream": False, "max_tokens": most}
        texts = [json.dumps(_without_pictures(options))]
        price = partial(dollars_of, self.name)
        with reserve_spending(texts, most, price, self.spending, count) as bill:
            yield from self.loop.stream(self._completion(request, bill))

    async def _completion(self, request: Mapping[str, Any], bill: Bill) -> AsyncGenerator[str, None]:
        """Yield the completion of a request as JSON. Raises ModelError."""
        try:
            async with asyncio.timeout(self._first_token_seconds + self._read_seconds):
                reply = await load_litellm().acompletion(**request)
        except Exception as error:  # litellm passes on any error of its providers
            failure = read_failure(error, begun=False)
        else:
            if reply is None:  # litellm hides a refusal
                raise ModelError
            async for delta in read_deltas(reply):
                bill.take(delta)
            yield reply.model_dump_json(exclude_none=True)
            return
        _log.warning("%s: %s (status %s)", self.name, type(failure.error).__name__, failure.status)
        raise failure.error  # here, it has no reference to one that may contain the prompt

    @cached_property
    def _info(self) -> Mapping[str, Any]:
        """Return LiteLLM's data of the model; none for Ollama, since LiteLLM would call the server."""
        if not self._is_ollama:
            with suppress(Exception):  # litellm raises a bare Exception for a model that is not in its list
                return dict(load_litellm().get_model_info(self.name))
        return {}

    def _request(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the arguments of the call. Raises UnknownModel, NoKey and KeyRefused."""
        litellm = load_litellm()
        provider, key = provider_and_key(self.name, self.api_key, self.api_base)
        room = self.window - estimate_tokens([message.content for message in messages])
        most = self._info.get("max_output_tokens") or self.reply_tokens
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": message.role.value, "content": message.content} for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            # A server may refuse a call whose maximum exceeds its window.
            "max_tokens": max(1, min(self.reply_tokens, self.window // 4, most, room)),
            # Only a backstop: the timeouts here are shorter.
            "timeout": self._first_token_seconds + self._read_seconds,
            "api_key": key,
            "api_base": self.api_base,
            # With a custom address, litellm would hide a refusal (422).
            "drop_params": provider != "openai" or self.api_base is None,
        }
        if self.temperature is not None:
            request["temperature"] = self.temperature
        if provider != "huggingface":  # litellm would send it to that server
            request["max_retries"] = 0
        if self._is_ollama:
            request["num_ctx"] = self.window
            if self.name not in litellm.model_cost:
                # Otherwise litellm requests the model's data at every call, and blocks the event loop meanwhile.
                litellm.register_model({self.name: {"litellm_provider": provider, "mode": "chat"}})
        return request

    async def _reply(self, request: Mapping[str, Any], bill: Bill) -> AsyncGenerator[str, None]:
        """Yield the text of the reply, with retries. Raises ModelError."""
        now = asyncio.get_running_loop().time
        first_by = now() + self._first_token_seconds
        loaded_by = max(first_by, now() + _LOADING_SECONDS)
        form, attempt = self.accepted[-1] if self.accepted else RequestForm.USUAL, 1
        while True:
            begun = False
            try:
                asked = _build_arguments(request, form, is_limited=self.spending is not None)
                asked = _attach_images(asked, self.images)
                async with aclosing(self._call(asked, bill, first_by)) as pieces:
                    async for piece in pieces:
                        if piece and not begun:
                            begun, self.accepted[:] = True, [form]
                        yield piece
                return
            except ModelError:
                raise
            except Exception as error:  # litellm passes on any error of its providers
                failure = read_failure(error, begun)
            # Raised here, our error has no reference to one that may contain the prompt.
            if not begun and _accepts_plainer(form, failure):
                _log.info("%s: refused (status %s), asked in another form", self.name, failure.status)
                form = RequestForm(form + 1)
                continue
            is_loading = isinstance(failure.error, errors.ModelLoading)
            pause = self._pause(failure, attempt)
            if pause is None or now() + pause > (loaded_by if is_loading else first_by):
                _log.warning("%s: %s (status %s)", self.name, type(failure.error).__name__, failure.status)
                # Users cannot correct the address of a provider.
                is_address = isinstance(failure.error, errors.WrongAddress | errors.NothingListens)
                is_offline = is_address and self._is_at_provider
                raise errors.ModelUnavailable if is_offline else failure.error
            if is_loading:
                yield Sign(Phase.LOADING)
                first_by = now() + pause + self._first_token_seconds
            else:
                attempt += 1
            await asyncio.sleep(pause)

    def _pause(self, failure: Failure, attempt: int) -> float | None:
        """Return the seconds until the next try, None for no retry."""
        after = failure.retry_after
        if isinstance(failure.error, errors.ModelLoading):
            return min(max(after or 0.0, 2 * self.backoff_seconds), _LONGEST_PAUSE)
        if attempt == _TRIES or after is None or after > _LONGEST_RETRY_AFTER:
            return None
        jitter: float = random.SystemRandom().uniform(0.5, 1.5)
        return max(after, self.backoff_seconds * 2.0 ** (attempt - 1) * jitter)

    async def _call(self, request: Mapping[str, Any], bill: Bill, first_by: float) -> AsyncGenerator[str, None]:
        """Yield the visible text of one call."""
        now = asyncio.get_running_loop().time
        deadline, begun, finish = first_by, False, ""
        if self.is_here:
            yield Sign(Phase.READING)
        async with asyncio.timeout_at(deadline):
            reply = await load_litellm().acompletion(**request)
        if reply is None:  # litellm hides a refusal
            raise ModelError
        async with aclosing(read_deltas(reply)) as deltas:
            while True:
                async with asyncio.timeout_at(deadline):
                    delta = await anext(deltas, None)
                if delta is None:
                    break
                bill.take(delta)
                finish = delta.finish or finish
                if bill.reply_bytes > _LONGEST_REPLY_BYTES:
                    _log.warning("%s: the reply was broken off, it is longer than what was asked for", self.name)
                    finish = "length"
                    break
                begun = begun or bool(delta.text.strip())
                if begun and delta.text:
                    yield delta.text
                if delta.text or delta.reasoning:
                    deadline = now() + self._read_seconds
                if self.is_here and delta.reasoning and not begun:
                    yield Sign(Phase.THINKING)
        if finish == "content_filter":
            raise errors.ContentRefused
        if not begun:
            raise errors.EmptyReply if finish else errors.BadReply


def _build_arguments(request: Mapping[str, Any], form: RequestForm, *, is_limited: bool) -> Mapping[str, Any]:
    """Return the arguments of a call in a form; if `is_limited`, plainer forms keep the limit of the reply's length."""
    if form is RequestForm.USUAL:
        return request
    merged: list[dict[str, Any]] = []
    for message in request["messages"]:
        role, content = message["role"].replace("system", "user"), message["content"]
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] += f"\n\n{content}"
        else:
            merged.append({"role": role, "content": content})
    plain = {name: value for name, value in request.items() if name not in _OPTIONS}
    most = {"max_completion_tokens": request["max_tokens"]} if is_limited else {}
    return {**plain, **most, "messages": merged, "stream": form is RequestForm.PLAIN}


def _attach_images(request: Mapping[str, Any], images: Sequence[str]) -> Mapping[str, Any]:
    """Return the arguments of a call with images in the last message."""
    if not images:
        return request
    *earlier, last = request["messages"]
    content = [{"type": "text", "text": last["content"]}]
    content += [{"type": "image_url", "image_url": {"url": image}} for image in images]
    return {**request, "messages": [*earlier, {**last, "content": content}]}


def _accepts_plainer(form: RequestForm, failure: Failure) -> bool:
    """Return True if a server may accept a refused request in the next plainer form."""
    kind, text = type(failure.error), failure.text
    is_unclear = kind is ModelError or (kind is errors.ContextFull and any(words in text for words in _REPLY))
    is_refused = failure.status in {400, 422} and is_unclear
    if form is RequestForm.USUAL:
        return is_refused or (failure.status in {500, 501} and any(words in text for words in _ROLES))
    return form is RequestForm.PLAIN and is_refused and "stream" in text


def _without_pictures(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a request with a text of the expected cost in place of each picture."""

    def plain(content: object) -> object:
        parts = content if isinstance(content, list) else [content]
        return [_PICTURE if isinstance(part, Mapping) and "image_url" in part else part for part in parts]

    messages = [{**message, "content": plain(message.get("content"))} for message in options["messages"]]
    return {**options, "messages": messages}
