"""Any model that LiteLLM reaches: one streaming call, with our own deadlines, retry and errors.

The only file that imports litellm; `assistant.models.remote.embeddings` takes it from here. It is imported late, in the
background where `start` is called, with its network calls at import, its `.env` loading and its logs switched off: they
would hold prompts.
"""

import asyncio
import importlib
import logging
import os
import random
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any
from urllib.parse import urlsplit

from assistant.errors import (
    BadReply,
    ContentRefused,
    EmptyReply,
    KeyRefused,
    ModelError,
    ModelLoading,
    ModelUnavailable,
    OutOfCredit,
    UnknownModel,
    WrongAddress,
)
from assistant.events import BUSY, LOADING, READING, THINKING
from assistant.model_usage import Count, not_counted
from assistant.models.remote.bill import Bill, counted
from assistant.models.remote.credentials import key_for
from assistant.models.remote.deltas import Delta, TokenCounts, deltas_of_chunks, deltas_of_response
from assistant.models.remote.errors import Failure, read_failure
from assistant.models.remote.event_loop import EventLoopThread, LoopClosedError
from assistant.models.remote.forms import Form, Learned, learned
from assistant.models.remote.proxies import is_this_machine, reach_loopback_directly
from assistant.models.remote.redirects import follow_no_redirects
from assistant.ports import Spending
from assistant.settings import clean_address, clean_key, is_local
from assistant.types import Message, Turn

_log = logging.getLogger(__name__)

DEFAULT_WINDOW = 8192
_TRIES = 3
_MOST_FORMS = 6  # in which one call is tried, where the server refuses one after another
_SECONDS = 60.0  # longest wait for the first piece, and for each further one
_HERE_SECONDS = 1800.0  # the same for a server of this machine: the user sees what it does, and can stop it
_LOCAL_LOADING_SECONDS = 300.0  # longest wait for a server of one's own that reads a large model from a disk
_LONGEST_PAUSE = 10.0  # between two questions whether it has loaded, or is free
LONGEST_RETRY_AFTER = 20.0
# A server that does not keep to the tokens that it may write.
_LONGEST_REPLY_BYTES = 1_000_000
_OLLAMA = frozenset({"ollama", "ollama_chat"})
_OLLAMA_ADDRESS = "http://localhost:11434"  # LiteLLM's default
_LOGGERS_WITH_PROMPTS = (
    *("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai"),
    *("httpx", "httpcore", "httpx2", "httpcore2", "hpack", "aiohttp"),
)
# English has about four characters to a token and other scripts fewer, so this is a low estimate.
_CHARACTERS_PER_TOKEN = 4
_DRAWING = 0.7  # temperature


@dataclass(eq=False, repr=False)
class RemoteModel:
    """A `ChatModel` behind any LiteLLM model string: `openai/gpt-…`, `anthropic/…`, `gemini/…`, `ollama_chat/…`."""

    name: str
    _: KW_ONLY
    # None: the provider's own environment variable; with `api_base`, an `openai/…` model never gets OPENAI_API_KEY,
    # because that server may be anybody's
    api_key: str | None = None
    api_base: str | None = None  # address of the server, for `openai/…` any that speaks the OpenAI protocol
    # Longest wait for the first piece (or reasoning), further tries included, and for each further one; None: a minute,
    # and half an hour for a server of this machine.
    first_token_seconds: float | None = None
    read_seconds: float | None = None
    context: int | None = None  # the `window`; None: what LiteLLM knows of the model, else 8192 tokens
    reply_tokens: int = 8000  # longest reply, reasoning included, where window and model allow one
    backoff_seconds: float = 0.5  # mean wait before the second try; twice that before the third
    loop: EventLoopThread = field(default_factory=EventLoopThread)  # where the calls run
    spending: Spending | None = None  # what all calls may cost; None: anything
    writes_keys: bool = True
    temperature: float | None = None  # None: the provider's own
    is_small: bool = False  # whether it gets the short prompt (`assistant.models.measure`)

    def __post_init__(self) -> None:
        self.api_key = clean_key(self.api_key or "") or None
        if self.api_base is not None and (address := clean_address(self.api_base)) is not None:
            self.api_base = address
        usual = _HERE_SECONDS if self.is_here else _SECONDS
        self._first_token_seconds, self._read_seconds = self.first_token_seconds or usual, self.read_seconds or usual

    def start(self) -> None:
        """Load litellm in the background. Without it, the first `stream` or `window` does, and takes seconds longer."""
        threading.Thread(target=load_litellm, name="load-litellm", daemon=True).start()

    def close(self) -> None:
        """End every running call and the event loop."""
        self.loop.close()

    def follows(self, corrected: Turn, said: str) -> bool:  # noqa: ARG002
        """Whether what was said tells what the question alone did not: not known before it writes keys."""
        return False

    def drafting(self, count: int) -> Sequence["RemoteModel"]:
        """One that writes greedily, and others that draw (Yuan et al., 2023, appendix D)."""
        return [replace(self, temperature=0.0), *[replace(self, temperature=_DRAWING) for _ in range(count - 1)]]

    @property
    def window(self) -> int:
        return min(self._set_window, self._learned.form.window or self._set_window)

    @cached_property
    def _set_window(self) -> int:
        return self.context or self._known("max_input_tokens") or DEFAULT_WINDOW

    @property
    def _learned(self) -> Learned:
        return learned(self.name, self.api_base)

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:
        """Stream the reply. The call is retried at most twice, and only before the first visible piece, after 429 with
        a short Retry-After, 5xx and connection errors; after a refusal in the form that the server wants (`forms`); and
        while the server loads the model, or one of this machine is busy, which empty pieces say (`events.Sign`). (Where
        the connection breaks before the answer, litellm repeats each of these calls once itself, but not for servers of
        the OpenAI protocol.) A reply that ends
        without a finish reason is passed through: by the closing tag the parser knows whether it was cut. `count` is
        not called where nothing came: then nobody knows whether the prompt was read.
        """
        litellm = load_litellm()
        request = self._request(litellm, messages)
        bill = Bill.of(messages, request["max_tokens"])
        with counted(bill, partial(self._price, litellm), self.spending, count):
            try:
                yield from self.loop.stream(partial(self._reply, litellm, request, bill), idle="")
            except LoopClosedError:
                raise ModelUnavailable from None

    @cached_property
    def _longest_reply(self) -> int:
        """In tokens. A server may refuse a call that could go beyond what it has."""
        return min(self.reply_tokens, self.window // 4, self._known("max_output_tokens") or self.reply_tokens)

    def _known(self, what: str) -> Any:
        """A number that LiteLLM knows of the model, else None. Ollama's server, which it would ask, goes by ours."""
        known = None
        if not self._is_ollama:
            with suppress(Exception):  # litellm raises a bare Exception for a model that is not in its list
                known = load_litellm().get_model_info(self.name)[what]
        return known

    def _price(self, litellm: Any, tokens: TokenCounts) -> float | None:
        """US dollars; None where it is not known. For Ollama, litellm would ask a server that nobody named."""
        if self._is_ollama:
            return 0.0
        try:
            return float(sum(litellm.cost_per_token(self.name, tokens.prompt, tokens.reply)))
        except Exception:  # litellm raises a bare Exception for a model that is not in its list
            return None

    @property
    def _caches_by_marker(self) -> bool:
        """Whether the provider keeps the beginning of a prompt that is marked, as LiteLLM's price list tells.

        One that takes a price for keeping wants to be told what to keep. A server at an address of the host's own may
        be any.
        """
        return self._is_of_provider and bool(self._known("cache_creation_input_token_cost"))

    @property
    def _is_of_provider(self) -> bool:
        """Whether the server is the provider's own."""
        return self.api_base is None

    @cached_property
    def is_here(self) -> bool:
        """Whether the server is on this machine, by its address."""
        ollama = os.environ.get("OLLAMA_API_BASE") or _OLLAMA_ADDRESS
        address = self.api_base or (ollama if self._is_ollama else "")
        return bool(address) and is_this_machine(urlsplit(address).hostname or "")

    @property
    def _is_ollama(self) -> bool:
        return self.name.split("/", 1)[0] in _OLLAMA

    def _request(self, litellm: Any, messages: Sequence[Message]) -> dict[str, Any]:
        """Arguments of the call. Raises UnknownModel and NoKey."""
        try:
            reach_loopback_directly(self.api_base or "")
            _, provider, _, _ = litellm.get_llm_provider(self.name, api_base=self.api_base)
        except litellm.exceptions.BadRequestError:
            raise UnknownModel from None
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [_sent(message, marked=self._caches_by_marker) for message in messages],
            "stream": True,
            "max_tokens": max(1, min(self._longest_reply, self.window - Bill.of(messages, 0).used().prompt)),
            # Only a backstop: the deadlines here are shorter and count what a person waits for.
            "timeout": self._first_token_seconds + self._read_seconds,
            "api_key": key_for(litellm, self.name, provider, self.api_key, self.api_base),
            "api_base": self.api_base,
            # Of what a provider does not take. At an address of the host's own, litellm would swallow a refusal (422).
            "drop_params": provider != "openai" or self.api_base is None,
        }
        # litellm leaves it out for a provider that does not take it. A server at an address of the host's own may be
        # any, and some refuse it: there it is left to an estimate, unless what it costs has a limit.
        if self._is_of_provider or self.spending is not None or self._is_ollama:
            request["stream_options"] = {"include_usage": True}
        if self.temperature is not None:
            request["temperature"] = self.temperature
        if provider != "huggingface":  # litellm would send it to that server
            request["max_retries"] = 0
        if provider == "openai" and self.api_base is not None:
            # openai's client looks through each message for what to rename, and there is nothing: for milliseconds no
            # other reply is read. `extra_body` is sent as it stands, in the place of what has the same name.
            request["extra_body"] = {"messages": request["messages"]}
            request["messages"] = request["messages"][-1:]
        if self._is_ollama:
            request["num_ctx"] = self.window
            if self.name not in litellm.model_cost:
                # Else litellm asks the server about the model at every call, and blocks the event loop meanwhile.
                litellm.register_model({self.name: {"litellm_provider": provider, "mode": "chat"}})
        return request

    async def _reply(self, litellm: Any, request: dict[str, Any], bill: Bill) -> AsyncGenerator[str, None]:
        """The text of the reply, tried again where that may help. Raises ModelError."""
        now = asyncio.get_running_loop().time
        first_token_by = now() + self._first_token_seconds
        loaded_by = now() + self._loading_seconds
        form, attempt, forms = self._learned.form, 1, 1
        if self.is_here:
            yield READING
        while True:
            begun = False
            try:
                async with aclosing(self._call(litellm, form.apply(request), bill, first_token_by)) as pieces:
                    async for piece in pieces:
                        if piece:
                            begun, self._learned.form = True, form
                        yield piece
                return
            except ModelError:
                raise
            except Exception as error:  # litellm passes on whatever its providers raise; the table reads it
                failure = read_failure(error, begun)
            # Raised out here, our error holds no reference to one that may hold the prompt.
            if not begun and forms < _MOST_FORMS and (other := self._adapted(form, failure, request)) is not None:
                _log.info("%s: refused (%s), asked in another form", self.name, failure.complaint.cause)
                form, forms = other, forms + 1
                continue
            pause = self._pause(failure, attempt)
            loads, busy = isinstance(failure.error, ModelLoading), self.is_here and failure.complaint.says_busy
            if loads or busy:
                yield LOADING if loads else BUSY
                pause, until = self._loading_pause(failure), loaded_by
            else:
                until = first_token_by
            if pause is None or now() + pause > until:
                _log.warning("%s: %s (%s)", self.name, type(failure.error).__name__, failure.complaint.cause)
                raise self._told(failure.error)
            _log.info("%s: try %d failed (%s)", self.name, attempt, type(failure.error).__name__)
            await asyncio.sleep(pause)
            if loads or busy:
                first_token_by = now() + self._first_token_seconds
            else:
                attempt += 1

    def _adapted(self, form: Form, failure: Failure, request: dict[str, Any]) -> Form | None:
        """Return another form that may be taken. Where the spending has a limit, so has the reply."""
        if type(failure.error) in {KeyRefused, OutOfCredit, ContentRefused}:
            return None
        return form.adapted(failure.complaint, request, may_be_endless=self.spending is None)

    def _told(self, error: ModelError) -> ModelError:
        """Return what the person is told: nobody can mend the provider's own address."""
        return ModelUnavailable() if isinstance(error, WrongAddress) and self._is_of_provider else error

    @property
    def _loading_seconds(self) -> float:
        is_own = self.api_base is not None and is_local(self.api_base)
        return max(self._first_token_seconds, _LOCAL_LOADING_SECONDS) if is_own else self._first_token_seconds

    def _loading_pause(self, failure: Failure) -> float:
        return min(max(failure.retry_after or 0.0, self.backoff_seconds * 2), _LONGEST_PAUSE)

    def _pause(self, failure: Failure, attempt: int) -> float | None:
        """Return the seconds to wait before the next try; None where there is none."""
        if failure.complaint.status == 503 and failure.retry_after:
            return failure.retry_after  # it says when it is back: asked until the time for the first word is over
        if attempt == _TRIES or failure.retry_after is None or failure.retry_after > LONGEST_RETRY_AFTER:
            return None
        jitter: float = random.SystemRandom().uniform(0.5, 1.5)
        return max(failure.retry_after, self.backoff_seconds * 2.0 ** (attempt - 1) * jitter)

    async def _call(
        self, litellm: Any, request: dict[str, Any], bill: Bill, first_token_by: float
    ) -> AsyncGenerator[str, None]:
        """One call: the visible text of its stream."""
        now = asyncio.get_running_loop().time
        deadline = first_token_by
        begun = False
        finish = ""
        async with asyncio.timeout_at(deadline):
            chunks = await litellm.acompletion(**request)
        if chunks is None:  # litellm has swallowed a refusal
            raise ModelError
        if self.is_here:
            yield READING  # it has loaded, or has a place
        async with aclosing(_pieces(chunks)) as pieces:
            while True:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(pieces, None)
                if piece is None:
                    break
                self._compare_lengths(request, piece.used)
                bill.take(piece)
                finish = piece.finish or finish
                if bill.reply_bytes > _LONGEST_REPLY_BYTES:
                    _log.warning("%s: the reply was broken off, it is longer than what was asked for", self.name)
                    finish = "length"
                    break
                begun = begun or bool(piece.text.strip())
                if begun and piece.text:
                    yield piece.text
                if piece.text or piece.reasoning:
                    deadline = now() + self._read_seconds
                if self.is_here and piece.reasoning and not begun:
                    yield THINKING
        if finish == "content_filter":
            raise ContentRefused
        if not begun:
            raise EmptyReply if finish else BadReply

    def _compare_lengths(self, request: dict[str, Any], used: TokenCounts | None) -> None:
        """Warn where Ollama has cut the prompt, which it does without an error."""
        if used is None or not self._is_ollama:
            return
        expected = sum(len(message["content"]) for message in request["messages"]) // _CHARACTERS_PER_TOKEN
        if 0 < used.prompt < expected / 2:
            warning = "%s read %d of at least %d prompt tokens: it cut the prompt. Set a longer context window."
            _log.warning(warning, self.name, used.prompt, expected)


def _sent(message: Message, *, marked: bool) -> dict[str, Any]:
    """A message as LiteLLM takes it; `marked` where the prompt's stable part ends with it, for who caches by marker."""
    content: str | list[dict[str, Any]] = message.content
    if marked and message.ends_stable:
        content = [{"type": "text", "text": message.content, "cache_control": {"type": "ephemeral"}}]
    return {"role": message.role.value, "content": content}


def _pieces(chunks: Any) -> AsyncGenerator[Delta, None]:
    """Return what comes of a call: from the wire where openai's client has opened it."""
    openai: Any = importlib.import_module("openai")
    stream = chunks.completion_stream
    if chunks.custom_llm_provider == "openai" and isinstance(stream, openai.AsyncStream):
        return deltas_of_response(stream.response)
    return deltas_of_chunks(chunks)


@cache  # setting the level of a logger makes all loggers forget what is on, which each question would pay for
def load_litellm() -> Any:
    """The library with its network calls, `.env` loading and logs switched off. Loaded once, whoever comes first."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    _silence()
    # By name, so that a type checker need not read all of litellm, which takes it half a minute.
    litellm: Any = importlib.import_module("litellm")
    _silence()  # it and openai set levels of their own when they are imported
    litellm.disable_hf_tokenizer_download = True
    litellm.DEFAULT_MAX_RETRIES = 0  # its embedding call takes a 0 that it is given for nothing given
    litellm.suppress_debug_info = True
    litellm.redact_messages_in_exceptions = True
    litellm.turn_off_message_logging = True
    follow_no_redirects()
    return litellm


def _silence() -> None:
    for name in _LOGGERS_WITH_PROMPTS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
