"""Read the fields of a server's error: status, codes, the parameter it names, and the beginning of its message.

Servers lay them out differently: OpenAI's `error`, Gemini's `details`, FastAPI's `detail` with `loc`, Hugging Face's
plain text. openai keeps them in `.code`, `.param` and `.body`; for other providers litellm keeps the JSON in its text.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_CODES = frozenset({"code", "type", "status", "reason", "error_type"})
_TEXTS = frozenset({"message", "msg", "detail", "error"})
_ECHOES = frozenset({"input", "body", "request"})  # where servers repeat what they were sent
_DEEPEST = 6
_LONGEST = 300
_NAME = re.compile(r"[A-Za-z][A-Za-z_]{2,59}")  # of a code or parameter: a key or a prompt is none
_LOADING = re.compile(
    r"\b(re)?loading\b.{0,60}\bmodel|\bmodel\b.{0,80}\b(loading|not (yet )?(loaded|ready)|warming|starting)"
    r"|^\W*loading\b|warming up|still (loading|starting)"
)
_BUSY = re.compile(r"\bbusy\b|\bover(loaded|capacity)\b|no (free )?slots?\b|queue (is )?full|pending requests")
_LOADING_CODES = frozenset({"unavailable_error", "model_loading", "model_not_ready", "loading", "model_not_loaded"})


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server says of a call that it refuses. May hold the prompt; `cause` does not."""

    status: int | None = None
    codes: frozenset[str] = frozenset()  # in lower case
    params: tuple[str, ...] = ()  # as `max_tokens`, `messages[0].role`
    text: str = ""  # beginning of the message, in lower case, up to where the request may be repeated
    most: int | None = None  # highest value that a parameter may have, where a field of its own says so

    @property
    def says_loading(self) -> bool:
        """Return True if the server is still loading the model, and will answer the same call later."""
        if self.status not in {None, 425, 500, 503}:
            return False
        return bool(self.codes & _LOADING_CODES) or bool(_LOADING.search(self.text))

    @property
    def says_busy(self) -> bool:
        """Return True if the server answers others first, and will answer the same call later."""
        return self.status in {429, 503} and bool(_BUSY.search(self.text))

    @property
    def names_model(self) -> bool:
        """Return True if a 404 is about a model, and not about a path that the server does not have."""
        return "model" in self.text or any("model" in name for name in (*self.codes, *self.params))

    @property
    def cause(self) -> str:
        """Return status, codes and parameters for the log, without a word of what was asked."""
        names = [name for name in (*sorted(self.codes), *self.params) if _NAME.fullmatch(re.split(r"[\[.]", name)[0])]
        return " ".join([f"status {self.status}"] * (self.status is not None) + names[:6])


def read_complaint(chain: tuple[BaseException, ...]) -> Complaint:
    """Return the fields of all exceptions of a chain together, the outermost first."""
    codes, params, texts = set[str](), dict[str, None](), list[str]()
    most = None
    for error in chain:
        for body in (_of_attributes(error), getattr(error, "body", None), _sent(error), _json_in(str(error))):
            for name, value in _fields(body):
                if name in _CODES and isinstance(value, str):
                    codes.add(value.lower())
                elif name == "estimated_time":
                    codes.add("model_loading")
                elif name == "param" and isinstance(value, str):
                    params[value] = None
                elif name == "loc" and isinstance(value, list):
                    params[".".join(str(part) for part in value if part != "body")] = None
                elif name in {"le", "lt"} and isinstance(value, int):
                    most = value
                elif name in _TEXTS and isinstance(value, str):
                    texts.append(value)
    text = " ".join(dict.fromkeys(map(_own_words, texts or [str(chain[0])])))
    return Complaint(_status(chain), frozenset(codes), tuple(params), text, most)


def _of_attributes(error: BaseException) -> dict[str, Any]:
    return {name: value for name in ("code", "type", "param") if (value := getattr(error, name, None)) is not None}


def _sent(error: BaseException) -> Any:
    """Return the JSON of the response, of which openai's `.body` holds a part; None where it was not read."""
    try:
        return getattr(error, "response", None).json()  # type: ignore[union-attr]
    except Exception:  # whatever a client's own response raises
        return None


def _json_in(text: str) -> Any:
    """Return the JSON object that a message holds, as litellm's do for many providers; None without one."""
    start = text.find("{")
    try:
        return json.JSONDecoder().raw_decode(text[start:])[0] if start >= 0 else None
    except ValueError:
        return None


def _fields(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, str) and depth == 0:
        yield "message", value
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, inner in value.items():
            yield str(name), inner
            if name not in _ECHOES:
                yield from _fields(inner, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for inner in value[:20]:
            yield from _fields(inner, depth + 1)


def _own_words(message: str) -> str:
    return re.split(r"[\[{]\s*['\"{]", message, maxsplit=1)[0][:_LONGEST].lower()


def _status(chain: tuple[BaseException, ...]) -> int | None:
    statuses = [status for error in chain if isinstance(status := getattr(error, "status_code", None), int)]
    # litellm says 500 where it knows no status; what it wraps may know better.
    return next((status for status in statuses if status != 500), 500 if statuses else None)
