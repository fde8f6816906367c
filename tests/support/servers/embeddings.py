"""The OpenAI embeddings protocol over any embedder, and its faults, as replies for a `ChatServer`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.support.servers.chat_server import Body, Exchange
from tests.support.servers.faults import Fault

Encode = Callable[[Sequence[str]], Any]


def embeddings(encode: Encode, tokens: int = 4) -> Callable[[Body], Fault]:
    """Return a function that replies with vectors of twice the length, and `tokens` tokens per text."""

    def answer(body: Body) -> Fault:
        texts = body["input"]
        vectors = 2.0 * np.asarray(encode(texts), dtype=float)
        return lambda exchange: _send_vectors(exchange, vectors.tolist(), tokens * len(texts))

    return answer


def reply_with_dimension(length: int) -> Fault:
    """Return a reply with vectors of another dimension."""
    return lambda exchange: _send_vectors(exchange, [[1.0] * length for _ in exchange.request.body["input"]], 1)


def _send_vectors(exchange: Exchange, vectors: Sequence[Sequence[float]], tokens: int) -> None:
    rows = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    model = str(exchange.request.body["model"])
    exchange.json(200, {"object": "list", "data": rows, "model": model, "usage": usage})
