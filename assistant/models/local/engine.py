"""One model in one thread: loads it with the first request, and answers one request after the other."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from assistant.errors import ContextFull, ModelError, ModelUnavailable
from assistant.model_usage import Usage
from assistant.models.local import llama
from assistant.models.local.errors import FileDamaged, OutOfMemory, PackageMissing, gigabytes
from assistant.models.local.gguf_header import read_header

_log = logging.getLogger(__name__)

BESIDE = (llama.KEPT_PROMPTS + 128) << 20
"""Most bytes beside the file and the cache: beginnings of prompts that are kept, and buffers."""
_TRIAL_SECONDS = 300.0
_CLOSING_SECONDS = 8.0  # supervisors wait ten as a rule


@dataclass(eq=False)
class Job:
    """One request, and what comes of it."""

    request: Mapping[str, Any]
    pieces: SimpleQueue[str | ModelError | None] = field(default_factory=SimpleQueue)  # None is the end
    stopped: bool = False  # set by the reader: nobody waits for the rest
    usage: Usage | None = None

    def take(self, chunk: Mapping[str, Any]) -> bool:
        """Take what llama.cpp tells, between two tokens or batches. Return True to have it stop."""
        if error := chunk.get("error"):
            _log.warning("The model failed: %s (%s)", error.get("type"), error.get("code"))
            self.pieces.put(ContextFull() if error.get("type") == "exceed_context_size_error" else ModelError())
            return True
        if timings := chunk.get("timings"):
            self.usage = Usage(timings["cache_n"] + timings["prompt_n"], timings["predicted_n"], told=True)
        for choice in chunk.get("choices", ()):
            if text := choice["delta"].get("content"):
                self.pieces.put(text)
        return self.stopped


class Engine:
    """Runs the model of a file. What it raises reaches whoever reads the pieces of a job.

    Args:
        path: the GGUF file.
        name: what people call the model.
        window: asked for each time the model is loaded, in tokens.
        free_memory: bytes that a process may still take; None where nobody knows.
    """

    def __init__(self, path: Path, name: str, window: Callable[[], int], free_memory: Callable[[], int | None]) -> None:
        self._path, self._name, self._window, self._free_memory = path, name, window, free_memory
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._trial: subprocess.Popen[str] | None = None
        self._marks: re.Pattern[str] | None = None
        self.is_closed = False
        self.is_loaded = False

    def submit(self, request: Mapping[str, Any]) -> Job:
        """Queue a request; an empty one only loads the model. Raises ModelUnavailable: the engine is closed."""
        job = Job(request)
        with self._lock:
            if self.is_closed:
                raise ModelUnavailable
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="local-model", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        return job

    def close(self) -> None:
        """Stop the running request, end those that wait, and free the model."""
        with self._lock:
            self.is_closed = True
            self._jobs.put(None)
            if self._trial is not None:
                self._trial.kill()
        if self._thread is not None:
            self._thread.join(_CLOSING_SECONDS)

    def _run(self) -> None:
        server = None
        while (job := self._jobs.get()) is not None:
            try:
                if self.is_closed:
                    raise ModelUnavailable
                if not job.stopped:
                    server = server or self._load()
                    self._answer(server, job)
            except ModelError as error:
                if not self.is_closed:
                    _log.warning("%s: %s", self._name, error)
                job.pieces.put(error)
            except Exception as error:  # whatever llama.cpp raises; its text may hold the prompt
                _log.warning("%s failed (%s)", self._name, type(error).__name__)
                job.pieces.put(ModelError())
            job.pieces.put(None)
        self.is_loaded = False

    def _answer(self, server: Any, job: Job) -> None:
        self.is_loaded = True
        if job.request:
            messages = [{**each, "content": self._without_marks(each["content"])} for each in job.request["messages"]]
            request = {**job.request, "messages": messages}
            server.handle_chat_completions(request, lambda chunk: job.take(chunk) or self.is_closed)
        if self.is_closed:
            raise ModelUnavailable

    def _without_marks(self, text: str) -> str:
        """Return a text whose marks of the model's template are broken, so that it cannot begin another message."""
        text = text.encode("utf-8", "replace").decode()
        return self._marks.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text) if self._marks else text

    def _load(self) -> Any:
        """Load the model. Raises PackageMissing, FileGone, FileDamaged and OutOfMemory."""
        began = time.monotonic()
        try:
            import xllamacpp  # noqa: F401
        except ImportError:
            raise PackageMissing from None
        header, window = read_header(self._path), self._window()
        self._marks = re.compile(f"{'|'.join(map(re.escape, header.marks))}") if header.marks else None
        needed, free = header.memory(window, BESIDE), self._free_memory()
        if free is not None and needed > free:
            raise OutOfMemory(self._name, needed, free)
        threads = self._threads()
        try:
            server = llama.open_server(str(self._path), window, threads)
        except RuntimeError:
            raise FileDamaged(self._path.name) from None
        told = "%s: loaded in %.1f s, %d threads, a window of %d tokens, up to %s of memory"
        _log.info(told, self._name, time.monotonic() - began, threads, window, gigabytes(needed))
        return server

    def _threads(self) -> int:
        """Return the number of threads, measured once and remembered beside the file for this file and machine."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        status = self._path.stat()
        measured = f"{cores} {status.st_size} {status.st_mtime_ns} "
        memo = memo_of(self._path)
        with suppress(OSError, ValueError):
            if (text := memo.read_text(encoding="ascii")).startswith(measured):
                return int(text.removeprefix(measured))
        threads = self._try_threads(cores)
        with suppress(OSError):
            memo.write_text(f"{measured}{threads}", encoding="ascii")
        return threads

    def _try_threads(self, cores: int) -> int:
        """Try the model in a process of its own. Raises FileDamaged: it cannot be loaded, or crashes llama.cpp."""
        command = [sys.executable, "-P", llama.__file__, str(self._path), str(cores)]
        with self._lock:
            if self.is_closed:
                raise ModelUnavailable
            self._trial = subprocess.Popen(  # noqa: S603  our own file
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C is for the question alone
            )
        with self._trial as trial:
            try:
                told, _ = trial.communicate(timeout=_TRIAL_SECONDS)
            except subprocess.TimeoutExpired:
                trial.kill()
                return 1
        self._trial = None
        if self.is_closed:
            raise ModelUnavailable
        if trial.returncode:
            raise FileDamaged(self._path.name)
        return int(told)


def memo_of(path: Path) -> Path:
    """Return the file that remembers the number of threads for a model's file."""
    return path.with_name(f"{path.name}.threads")


def free_memory() -> int | None:
    """Return the bytes of memory that a process may still take; None where the system does not tell."""
    known = []
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        known += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # the limit of a container, or `max`
        known.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(known, default=None)
