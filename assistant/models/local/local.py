"""Run a GGUF model in this process with llama.cpp, as a `ChatModel`, with one thread per request."""

from __future__ import annotations

import logging
import mmap
import os
import struct
import tempfile
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import lru_cache, partial
from itertools import takewhile
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from assistant.background import read_pieces
from assistant.errors import ContextFull, EmptyReply, ModelError, ModelUnavailable
from assistant.events import Phase, Sign
from assistant.model_usage import Count, Usage, ignore_usage
from assistant.types import Message

_log = logging.getLogger(__name__)

_DEFAULT_WINDOW = 4096
_BATCH = 128  # tokens of a prompt per batch; a request can be stopped between two batches
_PROMPT_CACHE = 128  # MiB for prompt prefixes, in addition to the last used one
_OVERHEAD = (_PROMPT_CACHE + 128) << 20  # bytes in addition to weights and KV cache: prompt cache and buffers
_CLOSING_SECONDS = 8.0  # process supervisors usually wait ten
_BYTES_PER_TOKEN = 3
# Maximum tokens of a reply: 16 for each token of the last message, but at least 256.
_REPLY_FOR_TOKEN, _SHORTEST_LIMIT = 16, 256
_DRAFT_TEMPERATURE = 0.7
# Numbers of the types of GGUF metadata, with their formats in `struct`.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_CONTROL = 3  # type of a token
_CACHED_BYTES = 2  # per number in the KV cache: float16


class PackageMissing(ModelError):
    code = "local.package_missing"


class FileGone(ModelError):
    code = "local.file_gone"


class FileDamaged(ModelError):
    code = "local.file_damaged"


@dataclass(frozen=True, slots=True)
class Header:
    """Metadata of a GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md)."""

    file_bytes: int
    trained_window: int  # maximum context in tokens that the model was trained for; 0 if unknown
    token_bytes: int  # of the KV cache, per token of the context
    marks: tuple[str, ...]  # control tokens of the chat template, which texts must not contain

    def window(self, wanted: int | None) -> int:
        """Return the context window in tokens: the wanted or the default one, up to the trained one."""
        wanted = wanted or _DEFAULT_WINDOW
        return min(wanted, self.trained_window or wanted)

    def memory(self, wanted: int | None) -> int:
        """Return the maximum memory of the model in bytes with that context window."""
        return self.file_bytes + self.window(wanted) * self.token_bytes + _OVERHEAD


def read_header(path: Path) -> Header:
    """Read the header of a file, cached until the file changes. Raises FileGone and FileDamaged."""
    try:
        return _read_header(path, path.stat().st_mtime_ns)
    except OSError:
        raise FileGone(file=path.name) from None
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError):
        raise FileDamaged(file=path.name) from None


@lru_cache(maxsize=100)  # a vocabulary takes a fifth of a second
def _read_header(path: Path, _changed: int) -> Header:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.read(4) != b"GGUF" or _numbers(content, "I")[0] not in {2, 3}:
            raise ValueError
        _tensors, entries = _numbers(content, "2Q")
        metadata = {_value(content, _STRING).decode(): _value(content, *_numbers(content, "I")) for _ in range(entries)}
        size = len(content)
    own = f"{metadata['general.architecture'].decode()}."
    values = {name.removeprefix(own): value for name, value in metadata.items() if name.startswith(own)}
    layers, width = int(values.get("block_count", 0)), int(values.get("embedding_length", 0))
    heads = values.get("attention.head_count", 0)  # a tuple has one number per layer
    cached, most = values.get("attention.head_count_kv", heads), max(heads) if isinstance(heads, tuple) else heads
    of_head = width // most if most else 0
    length = sum(int(values.get(f"attention.{name}_length", of_head)) for name in ("key", "value"))
    token_bytes = (sum(cached) if isinstance(cached, tuple) else int(cached) * layers) * length * _CACHED_BYTES
    words = zip(metadata["tokenizer.ggml.tokens"], metadata.get("tokenizer.ggml.token_type", ()), strict=False)
    marks = tuple(word.decode("utf-8", "replace") for word, kind in words if kind == _CONTROL and word)
    return Header(size, int(values.get("context_length", 0)), token_bytes, marks)


def _numbers(content: mmap.mmap, kinds: str) -> tuple[Any, ...]:
    """Read numbers. Raises struct.error if the file ends before them."""
    kinds = f"<{kinds}"
    return struct.unpack(kinds, content.read(struct.calcsize(kinds)))


def _value(content: mmap.mmap, kind: int) -> Any:
    """Read a metadata value; texts are bytes."""
    if kind == _STRING:
        return content.read(*_numbers(content, "Q"))
    if kind != _ARRAY:
        return _numbers(content, _NUMBERS[kind])[0]
    kind, length = _numbers(content, "I")[0], _numbers(content, "Q")[0]
    if kind == _STRING:
        return [_value(content, kind) for _ in range(length)]
    return _numbers(content, f"{length}{_NUMBERS[kind]}")


@dataclass(eq=False, slots=True)
class Job:
    request: Mapping[str, Any]
    pieces: SimpleQueue[str | Exception | None] = field(default_factory=SimpleQueue)  # None is the end
    stopped: bool = False  # set by the reader
    usage: Usage | None = None


class Engine:
    """llama.cpp with the model of a GGUF file, loaded at the first request. It runs one request at a time, in order."""

    def __init__(self, path: Path, context: int | None) -> None:
        self._path, self._context = path, context
        self._queue: list[Job] = []  # the first one runs
        self._moved = threading.Condition()  # notified when the queue moves
        self._server: Any = None
        self._marks: Sequence[str] = ()
        self.is_closed = False

    @property
    def is_loaded(self) -> bool:
        return self._server is not None

    @property
    def is_loading(self) -> bool:
        return bool(self._queue) and self._server is None

    def submit(self, request: Mapping[str, Any]) -> Job:
        """Run a request in a thread of its own, once it is its turn; an empty one only loads the model."""
        job = Job(request)
        with self._moved:
            self._queue.append(job)
        threading.Thread(target=self._run, args=(job,), name="local-model", daemon=True).start()
        return job

    def sign(self, job: Job) -> Sign:
        """Return the phase of a job without text yet: loading, queued behind other jobs, or running."""
        if self._server is None:
            return Sign(Phase.LOADING)
        before = takewhile(lambda one: one is not job, [*self._queue])
        ahead = sum(not one.stopped for one in before)
        return Sign(Phase.QUEUED, ahead) if ahead else Sign(Phase.THINKING)

    def close(self) -> None:
        """Stop all requests, and free the model."""
        self.is_closed = True
        with self._moved:
            if self._moved.wait_for(lambda: not self._queue, _CLOSING_SECONDS):
                self._server = None

    def _run(self, job: Job) -> None:
        with self._moved:
            self._moved.wait_for(lambda: self._queue[0] is job)
        try:
            if not (self.is_closed or job.stopped):
                self._server = self._server or self._load()
                if job.request:
                    self._server.handle_chat_completions(self._without_marks(job.request), partial(self._take, job))
            job.pieces.put(ModelUnavailable() if self.is_closed else None)
        except Exception as error:  # any error of llama.cpp; its text may contain the prompt
            _log.warning("%s: %s", self._path.stem, error if isinstance(error, ModelError) else type(error).__name__)
            job.pieces.put(error if isinstance(error, ModelError) else ModelError())
        finally:
            with self._moved:
                self._queue.remove(job)
                self._moved.notify_all()

    def _load(self) -> Any:
        """Load the model. Raises ModelError."""
        began, header = time.monotonic(), read_header(self._path)
        window, needed, free = header.window(self._context), header.memory(self._context), free_memory()
        if free is not None and needed > free:
            sizes = {"needed": gigabytes(needed), "free": gigabytes(free)}
            raise ModelError("local.out_of_memory", name=self._path.stem, **sizes)
        try:
            server = open_server(str(self._path), window)
        except ImportError:
            raise PackageMissing from None
        except RuntimeError:
            raise FileDamaged(file=self._path.name) from None
        self._marks = header.marks
        _log.info("%s: loaded in %.1f s, %d tokens in its window", self._path.stem, time.monotonic() - began, window)
        return server

    def _take(self, job: Job, chunk: Mapping[str, Any]) -> bool:
        """Queue a chunk from llama.cpp. Return True to stop it."""
        if error := chunk.get("error"):
            _log.warning("The model failed: %s (%s)", error.get("type"), error.get("code"))
            job.pieces.put(ContextFull() if error.get("type") == "exceed_context_size_error" else ModelError())
            return True
        if timings := chunk.get("timings"):
            job.usage = Usage(timings["cache_n"] + timings["prompt_n"], timings["predicted_n"], told=True)
        for choice in chunk.get("choices", ()):
            if text := choice["delta"].get("content"):
                job.pieces.put(text)
        return job.stopped or self.is_closed

    def _without_marks(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Break up marks of the model's template in the texts of a request, so that none can begin a message."""
        messages = []
        for message in request["messages"]:
            text = message["content"].encode("utf-8", "replace").decode()
            for mark in self._marks:
                text = text.replace(mark, f"{mark[0]} {mark[1:]}")
            messages.append({**message, "content": text})
        return {**request, "messages": messages}


@dataclass(eq=False, repr=False)
class LocalModel:
    """`ChatModel` by llama.cpp. Requests run one at a time."""

    path: Path
    _: KW_ONLY
    context: int | None = None  # maximum prompt and reply together, in tokens; None: `_DEFAULT_WINDOW`
    reply_tokens: int = 8000  # maximum reply; at most a quarter of the window
    temperature: float = 0.2  # small models digress at llama.cpp's default of 0.8
    is_small: bool = True  # gets the short prompt
    engine: Engine = field(default=None)  # type: ignore[assignment]  # made if not given
    is_here = True
    writes_keys = False  # each call would delay the next question for seconds

    def __post_init__(self) -> None:
        self.engine = self.engine or Engine(self.path, self.context)

    @property
    def name(self) -> str:
        return f"local/{self.path.stem}"

    @property
    def window(self) -> int:
        try:
            return read_header(self.path).window(self.context)
        except ModelError:  # the file may be downloaded later
            return self.context or _DEFAULT_WINDOW

    def start(self) -> None:
        """Load the model in the background, before the first question."""
        self.engine.submit({})

    def close(self) -> None:
        """Stop every request and free the model."""
        self.engine.close()

    def drafting(self, count: int) -> Sequence[LocalModel]:
        """Return one greedy model, and `count` - 1 that sample; they share the engine."""
        return [replace(self, temperature=temperature) for temperature in (0.0, *[_DRAFT_TEMPERATURE] * (count - 1))]

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:
        """Stream the reply, see `ChatModel`. Closing the generator stops the model after the current token."""
        last = messages[-1]
        asked = len(last.content.encode("utf-8", "replace")) // _BYTES_PER_TOKEN
        request = {
            "messages": [{"role": message.role.value, "content": message.content} for message in messages],
            "stream": True,
            "max_tokens": min(max(_SHORTEST_LIMIT, _REPLY_FOR_TOKEN * asked), self.reply_tokens, self.window // 4),
            "cache_prompt": True,
            "return_progress": True,  # allows stopping while the prompt is read
            "timings_per_token": True,
            "chat_template_kwargs": {"enable_thinking": False},
            "temperature": self.temperature,
            **({"grammar": last.grammar} if last.grammar else {}),
        }
        job, begun = self.engine.submit(request), False
        try:
            for piece in read_pieces(job.pieces, partial(self.engine.sign, job)):
                begun = begun or bool(piece.strip())
                if begun or isinstance(piece, Sign):
                    yield piece
            if not begun:
                raise EmptyReply
        finally:
            job.stopped = True
            if job.usage is not None:
                count(job.usage)


def open_server(path: str, window: int) -> Any:
    """Start llama.cpp's server with a model. No other process can reach it, because its socket file is removed at once.

    Raises ImportError if the package is missing, RuntimeError if the model cannot be loaded.
    """
    import xllamacpp

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.n_ctx = window
    parameters.n_parallel = parameters.n_threads_http = 1
    parameters.n_batch = parameters.n_ubatch = _BATCH
    # One thread per physical core, assuming two hardware threads each: with more, threads wait for each other.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = max(1, cores // 2)
    parameters.cache_ram_mib = _PROMPT_CACHE
    parameters.no_extra_bufts = True  # otherwise weights are copied in another order, which doubles the memory
    parameters.verbosity = -1  # its log contains prompts
    parameters.ui = parameters.endpoint_slots = parameters.warmup = False
    # Raw text: `assistant.reply.filter` removes thinking.
    parameters.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    parameters.force_pure_content_parser = True
    with tempfile.TemporaryDirectory() as folder:  # accessible to this account only
        parameters.hostnames = [str(Path(folder) / "llama.sock")]
        return xllamacpp.Server(parameters)


def free_memory() -> int | None:
    """Return the available memory in bytes, None if unknown."""
    known = []
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        known += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # the limit of a container, or `max`
        known.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(known, default=None)


def gigabytes(number: int) -> str:
    """Format a number of bytes as GB or MB."""
    return f"{number / 1e9:.1f} GB" if number >= 1e8 else f"{number / 1e6:.1f} MB"
