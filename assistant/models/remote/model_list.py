"""Ask a server for the list of its models, in the OpenAI protocol.

Any program may listen at an address: its answer is bounded, and only names in plain characters are taken from it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST_BYTES = 2_000_000
_NAME = re.compile(r"[A-Za-z0-9/][\w./:@+-]{0,119}", re.ASCII)
# Embedding models, and models that Ollama runs on a remote server.
_NO_CHAT = re.compile(r"embed|bert|rerank|minilm|paraphrase|\bbge\b|[-:]cloud$", re.IGNORECASE)


def list_client(**options: Any) -> Any:
    """Return an HTTP client that follows no redirect and unpacks nothing; the caller limits the time."""
    import httpx2  # late: whoever starts Noted asks no server

    return httpx2.AsyncClient(timeout=None, headers={"Accept-Encoding": "identity"}, **options)


async def ask_for_models(
    client: Any, url: str, headers: Mapping[str, str] | None = None
) -> tuple[int, Sequence[str] | None]:
    """Return the status of the answer and the names of the chat models; None where it holds no list of models.

    Raises whatever a foreign program brings about.
    """
    async with client.stream("GET", url, headers=headers) as response:
        body = b""
        async for piece in response.aiter_raw():
            body += piece
            if response.status_code != 200 or len(body) > _LONGEST_BYTES:
                return response.status_code, None
    return response.status_code, _names(body) if response.status_code == 200 else None


def _names(body: bytes) -> Sequence[str] | None:
    """Return the names of the chat models that a list holds; None where it is no list of models."""
    try:
        listed = [str(model["id"]) for model in json.loads(body)["data"] if model.get("object", "model") == "model"]
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
        return None
    names = dict.fromkeys(name.removeprefix("models/") for name in listed)  # Gemini names them so
    return [name for name in names if _NAME.fullmatch(name) and not _NO_CHAT.search(name)]
