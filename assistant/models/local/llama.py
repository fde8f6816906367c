"""The calls of xllamacpp. As a script: try a model with several numbers of threads, and print the best number.

It runs by itself, so that a file which crashes llama.cpp ends that process only; nothing of Noted is imported here.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

KEPT_PROMPTS = 128
"""Most MiB for the beginnings of prompts, beside the one that was used last."""
BATCH = 128
"""Tokens of a prompt that are evaluated at once; a request can be stopped between two batches."""
_WORDS = "one two three four five six seven eight "
_TRIAL_WINDOW = 256
_WORTH = 0.9  # of the time before: else fewer threads are kept, which leave more to others


def open_server(path: str, window: int, threads: int) -> Any:
    """Return llama.cpp's server with a model. Nobody can reach it from outside: its socket is removed at once.

    Raises ImportError: the package is missing; RuntimeError: the model cannot be loaded.
    """
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.n_ctx = window
    parameters.n_parallel = parameters.n_threads_http = 1
    parameters.n_batch = parameters.n_ubatch = BATCH
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.cache_ram_mib = KEPT_PROMPTS
    parameters.no_extra_bufts = True  # else weights are copied into another order, and take their memory twice
    parameters.verbosity = -1  # its log holds prompts
    parameters.ui = parameters.endpoint_slots = parameters.warmup = False
    # The text as it comes: `assistant.reply.filter` takes thinking out.
    parameters.reasoning_format = xllamacpp.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    parameters.force_pure_content_parser = True
    with tempfile.TemporaryDirectory() as folder:  # open to this account only
        parameters.hostnames = [str(Path(folder) / "llama.sock")]
        return xllamacpp.Server(parameters)


def best_threads(path: str, cores: int) -> int:
    """Return the number of threads that is fastest: 1, 2, 4 …, up to the first that is not worth it."""
    best, best_ms = 1, float("inf")
    tried = 1
    while tried <= cores:
        server = open_server(path, _TRIAL_WINDOW, tried)
        _trial_ms(server, 1)  # reads the file from the disk
        ms = _trial_ms(server, 4)
        del server
        if ms > best_ms * _WORTH:
            break
        best, best_ms = tried, ms
        tried *= 2
    return best


def _trial_ms(server: Any, size: int) -> float:
    messages = [{"role": "user", "content": _WORDS * size}]
    request = {"messages": messages, "max_tokens": size, "cache_prompt": False}
    timings = server.handle_chat_completions(request)["timings"]
    return float(timings["prompt_ms"] + timings["predicted_ms"])


if __name__ == "__main__":
    sys.stdout.write(str(best_threads(sys.argv[1], int(sys.argv[2]))))
