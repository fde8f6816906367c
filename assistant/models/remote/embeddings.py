"""An embedder behind an API: any provider's, or any server that speaks the OpenAI protocol. Texts leave the machine.

While its calls fail, questions are compared by surface form, and nobody waits for the server.
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
from assistant.model_usage import Usage, not_counted
from assistant.models.remote.bill import Bill, counted
from assistant.models.remote.errors import read_failure
from assistant.models.remote.library import dollars_of, load_litellm, load_soon, provider_and_key
from assistant.ports import Spending

_BATCH = 64  # texts in one call
_LONGEST = 2_000  # characters of a text that are sent: servers refuse what is too long, with all that came along
_PROBE = "ready"  # what is embedded to learn how long vectors are


@dataclass(eq=False, repr=False)
class RemoteEmbedder:
    """The port `Embedder` over litellm's embedding call.

    The first answer of the server tells `dimension` and `fingerprint`, which raise what `encode` raises until then.
    Later vectors of another length are refused.
    """

    name: str  # as LiteLLM has it: `openai/text-embedding-3-small`, `ollama/nomic-embed-text`
    _: KW_ONLY
    api_key: str | None = None  # None: the provider's own environment variable, but never for an address of one's own
    api_base: str | None = None  # address of the server, for `openai/…` any that speaks the OpenAI protocol
    seconds: float = 8.0  # longest wait for one batch
    again_seconds: float = 15.0  # after a failure, until the server is asked again
    spending: Spending | None = None  # what all calls may cost, as with the model that answers
    _dimension: int = field(default=0, init=False)
    _not_before: float = field(default=0.0, init=False)

    def start(self) -> None:
        """Load litellm in the background."""
        load_soon()

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self.encode([_PROBE])
        return self._dimension

    @property
    def fingerprint(self) -> str:
        made_of = json.dumps([self.name, self.api_base, self.dimension, "normalized", "float32"])
        return hashlib.sha256(made_of.encode()).hexdigest()[:12]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the port. Raises ModelError, at once where the server failed a moment ago; and StoreError."""
        if time.monotonic() < self._not_before:
            raise ModelUnavailable
        try:
            return np.concatenate([self._call(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)])
        except NotedError as error:
            failure = error
        except Exception as error:  # litellm passes on whatever its providers raise
            failure = read_failure(error, begun=False).error
        # Raised out here, our error holds no reference to one that may hold the texts or the key.
        self._not_before = time.monotonic() + self.again_seconds
        raise failure

    def _call(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of one call, shape (len(texts), dimension). Raises whatever litellm raises."""
        _, key = provider_and_key(self.name, self.api_key, self.api_base)
        # Providers refuse an empty text, and no server reads a lone surrogate.
        sent = [text[:_LONGEST].encode("utf-8", "replace").decode() if text.strip() else "?" for text in texts]
        bill, price = Bill(sent, 0), partial(dollars_of, self.name, call_type="embedding")
        with counted(bill, price, self.spending, not_counted):
            answer = load_litellm().embedding(
                self.name,
                input=sent,
                api_key=key,
                api_base=self.api_base,
                timeout=self.seconds,
                max_retries=0,
                drop_params=True,  # of what a provider does not take
                encoding_format="float",
            )
            vectors = self._read(answer.data, len(texts))
            bill.told = Usage(answer.usage.prompt_tokens, 0, told=True) if answer.usage else None
        return vectors

    def _read(self, rows: Sequence[Any], texts: int) -> NDArray[np.float32]:
        """Return vectors of length 1, in the order of the texts; NaN stays NaN."""
        try:
            found = sorted(rows, key=lambda row: row["index"])
            vectors = np.array([row["embedding"] for row in found], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            raise BadReply from None
        if vectors.ndim != 2 or len(vectors) != texts or self._dimension not in (0, vectors.shape[1]):
            raise BadReply
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (self._dimension or np.isfinite(lengths).all()):
            raise BadReply
        self._dimension = vectors.shape[1]
        return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
