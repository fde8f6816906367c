"""What a failed call to a remote model means: one table from litellm's exceptions to ours.

Its exceptions are told apart by class name, HTTP status and text (so litellm is not imported here), because one cause
arrives in different classes from different providers, and wrapped once more when the stream has begun. Their text may
hold the prompt, a masked key or a traceback: it is read here and never passed on.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assistant.errors import (
    BadReply,
    ContentRefused,
    ContextFull,
    KeyRefused,
    ModelError,
    ModelMoved,
    ModelTimeout,
    ModelUnavailable,
    NoKey,
    OutOfCredit,
    RateLimited,
    StreamCut,
    UnknownModel,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """What a failed call means."""

    error: ModelError  # what the person is told
    # seconds after which the same call may succeed, 0 for "any time"; None where it will not
    retry_after: float | None = None


_BY_CLASS: Mapping[str, type[ModelError]] = {
    "ContextWindowExceededError": ContextFull,
    "ContentPolicyViolationError": ContentRefused,
    "AuthenticationError": KeyRefused,
    "PermissionDeniedError": KeyRefused,
    "NotFoundError": UnknownModel,
    "RateLimitError": RateLimited,
    "Timeout": ModelTimeout,
    "ReadTimeout": ModelTimeout,
    "ConnectTimeout": ModelTimeout,
    "TimeoutError": ModelTimeout,
    "JSONDecodeError": BadReply,
}

_BY_STATUS: Mapping[int, type[ModelError]] = {
    **dict.fromkeys((301, 302, 303, 307, 308), ModelMoved),
    401: KeyRefused,
    402: OutOfCredit,
    403: KeyRefused,
    404: UnknownModel,
    408: ModelTimeout,
    413: ContextFull,
    429: RateLimited,
}

# The first pattern that occurs decides. Lower case, as OpenAI, Anthropic, Gemini, vLLM and litellm itself word it.
_TEXTS: Mapping[type[ModelError], str] = {
    NoKey: "api_key client option must be set|missing credentials|api key not set|missing (anthropic )?api key",
    OutOfCredit: "insufficient_quota|credit balance is too low|insufficient (credits|balance)|billing_hard_limit",
    ContextFull: "context_length_exceeded|maximum context length|context window|prompt is too long|input token count"
    "|exceed context limit",
    ContentRefused: "content_policy_violation|content_filter|content (management )?policy|safety system|usage policies",
    KeyRefused: "invalid_api_key|invalid api key|api key not valid|incorrect api key",
    UnknownModel: "model_not_found|llm provider not provided|is not a valid model",
}
_BY_TEXT = {kind: re.compile(pattern) for kind, pattern in _TEXTS.items()}


def read_failure(error: BaseException, begun: bool) -> Failure:
    """What an exception means. Once a part of the reply was seen, it is a cut or a stall, and not tried again."""
    chain = tuple(_chain(error))
    kind = _kind(chain)
    if begun:
        return Failure(ModelTimeout() if kind is ModelTimeout else StreamCut())
    return Failure(kind(), _retry_after(chain) if kind in {RateLimited, ModelUnavailable} else None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what it wraps, and what it was raised while handling; each once, the outermost first."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        error = waiting.pop(0)
        if error is None or error in seen:
            continue
        seen.append(error)
        yield error
        original = getattr(error, "original_exception", None)
        waiting += [original if isinstance(original, BaseException) else None, error.__cause__, error.__context__]


def _kind(chain: tuple[BaseException, ...]) -> type[ModelError]:
    status = _status(chain)
    if status is not None and status > 500:
        return ModelUnavailable
    text = " ".join(str(error) for error in chain).lower()  # never shown or kept: it may hold the prompt
    return (
        next((kind for kind, pattern in _BY_TEXT.items() if pattern.search(text)), None)
        or next((_BY_CLASS[name] for error in chain if (name := type(error).__name__) in _BY_CLASS), None)
        or _BY_STATUS.get(status or 0)
        or (ModelError if status is not None and status < 500 else ModelUnavailable)
    )


def _status(chain: tuple[BaseException, ...]) -> int | None:
    statuses = [status for error in chain if isinstance(status := getattr(error, "status_code", None), int)]
    # litellm says 500 where it knows no status; what it wraps may know better.
    return next((status for status in statuses if status != 500), 500 if statuses else None)


def _retry_after(chain: tuple[BaseException, ...]) -> float:
    for error in chain:
        response = getattr(error, "response", None)
        for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
            value = headers.get("retry-after") if headers else None
            if value is not None:
                return _seconds(value)
    return 0.0


def _seconds(value: str) -> float:
    """The value of a Retry-After header, a number of seconds or a date, in seconds from now."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
