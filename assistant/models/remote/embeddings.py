"""An embedder behind an API: of any provider, or any server with the OpenAI protocol. Texts leave the machine.

After a failed call, questions are compared by their letters for a while, without waiting for the server.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadReply, ModelUnavailable, NotedError
from assistant.model_usage import Usage, ignore_usage
from assistant.models.remote.errors import read_failure
from assistant.models.remote.library import dollars_of, load_litellm, load_soon, provider_and_key
from assistant.models.remote.streaming import Bill, reserve_spending
from assistant.ports import Spending

_BATCH = 64  # texts in one call
_LONGEST = 2_000  # characters of a text; servers refuse a whole batch with one that is too long


@dataclass(eq=False, repr=False)
class RemoteEmbedder:
    """`Embedder` over litellm's embedding call.

    `dimension` and `fingerprint` need a first call, and raise as `encode`. Later vectors of another length are refused.
    """

    name: str  # LiteLLM name: `openai/text-embedding-3-small`, `ollama/nomic-embed-text`
    _: KW_ONLY
    api_key: str | None = None  # None: the provider's environment variable, but never for a custom address
    api_base: str | None = None  # address of the server; for `openai/…` any server with the OpenAI protocol
    seconds: float = 8.0  # timeout of one batch
    again_seconds: float = 15.0  # pause after a failure
    spending: Spending | None = None  # limit of the cost of all calls
    _dimension: int = field(default=0, init=False)
    _not_before: float = field(default=0.0, init=False)

    def start(self) -> None:
        load_soon()

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self.encode(["ready"])
        return self._dimension

    @property
    def fingerprint(self) -> str:
        made_of = json.dumps([self.name, self.api_base, self.dimension, "normalized", "float32"])
        return hashlib.sha256(made_of.encode()).hexdigest()[:12]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors, see `Embedder`. Raises ModelError, at once for a while after a failure, and StoreError."""
        if time.monotonic() < self._not_before:
            raise ModelUnavailable
        try:
            return np.concatenate([self._call(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)])
        except NotedError as error:
            failure = error
        except Exception as error:  # litellm passes on any error of its providers
            failure = read_failure(error, begun=False).error
        # Raised here, our error has no reference to one that may contain the texts or the key.
        self._not_before = time.monotonic() + self.again_seconds
        raise failure

    def _call(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of one call, of length 1, shape (len(texts), dimension). Raises any error of litellm."""
        _, key = provider_and_key(self.name, self.api_key, self.api_base)
        # Providers refuse empty texts and lone surrogates.
        sent = [text[:_LONGEST].encode("utf-8", "replace").decode() if text.strip() else "?" for text in texts]
        bill, price = Bill(sent, 0), partial(dollars_of, self.name, call_type="embedding")
        with reserve_spending(bill, price, self.spending, ignore_usage):
            answer: Any = load_litellm().embedding(
                self.name,
                input=sent,
                api_key=key,
                api_base=self.api_base,
                timeout=self.seconds,
                max_retries=0,
                drop_params=True,  # parameters that a provider does not support
                encoding_format="float",
            )
            bill.told = Usage(answer.usage.prompt_tokens, 0, told=True) if answer.usage else None
        try:
            rows = sorted(answer.data, key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            raise BadReply from None
        if vectors.ndim != 2 or len(vectors) != len(texts) or self._dimension not in (0, vectors.shape[1]):
            raise BadReply
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (self._dimension or np.isfinite(lengths).all()):
            raise BadReply
        self._dimension = vectors.shape[1]
        return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
