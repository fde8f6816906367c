"""Map a failed call to a remote model to one of our errors: first by the server's code, then by status and text.

The exceptions of litellm and openai are told apart by attributes and class name (so neither is imported here), because
one cause arrives in different classes from different providers, and wrapped once more when the stream has begun. Their
text may hold the prompt, a masked key or a traceback: it is read here and never passed on.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assistant.errors import (
    BadReply,
    ContentRefused,
    ContextFull,
    KeyRefused,
    ModelError,
    ModelLoading,
    ModelMoved,
    ModelTimeout,
    ModelUnavailable,
    NoKey,
    OutOfCredit,
    RateLimited,
    StreamCut,
    UnknownModel,
    WrongAddress,
)
from assistant.models.remote.complaint import Complaint, read_complaint


@dataclass(frozen=True, slots=True)
class Failure:
    """What a failed call means."""

    error: ModelError  # what the person is told
    # seconds after which the same call may succeed, 0 for "any time"; None where it will not
    retry_after: float | None = None
    complaint: Complaint = field(default_factory=Complaint, repr=False)  # may hold the prompt


_BY_CODE: Mapping[type[ModelError], frozenset[str]] = {
    OutOfCredit: frozenset(
        [
            "insufficient_quota",
            "billing_hard_limit_reached",
            "billing_not_active",
            "insufficient_credits",
            "insufficient_balance",
            "insufficient_funds",
            "credit_balance_too_low",
            "billing_error",
            "payment_required",
            "exceeded_current_quota_error",
        ]
    ),
    ContextFull: frozenset(
        [
            "context_length_exceeded",
            "context_window_exceeded",
            "exceed_context_size_error",
            "prompt_too_long",
            "request_too_large",
            "string_above_max_length",
        ]
    ),
    ContentRefused: frozenset(["content_filter", "content_policy_violation", "responsibleaipolicyviolation"]),
    KeyRefused: frozenset(
        [
            "invalid_api_key",
            "api_key_invalid",
            "authentication_error",
            "invalid_authentication",
            "invalid_authentication_error",
            "unauthenticated",
            "unauthorized",
            "permission_error",
            "permission_denied",
            "account_deactivated",
        ]
    ),
    UnknownModel: frozenset(
        [
            "model_not_found",
            "model_not_available",
            "model_not_supported",
            "model_decommissioned",
            "deploymentnotfound",
            "not_found_error",
        ]
    ),
    RateLimited: frozenset(["rate_limit_exceeded", "rate_limit_error", "rate_limited", "too_many_requests"]),
    ModelUnavailable: frozenset(["overloaded_error", "overloaded", "service_unavailable"]),
}

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
    405: WrongAddress,
    408: ModelTimeout,
    413: ContextFull,
    429: RateLimited,
}

# The first pattern that occurs decides. Lower case, as OpenAI, Anthropic, Gemini, vLLM and litellm itself word it.
_TEXTS: Mapping[type[ModelError], str] = {
    NoKey: "api_key client option must be set|missing credentials|api key not set|missing (anthropic )?api key",
    OutOfCredit: "insufficient_quota|credit balance is too low|insufficient (credits|balance)|billing_hard_limit",
    ContextFull: "context_length_exceeded|maximum context length|context window|prompt is too long|input token count"
    "|exceed context limit|exceeds the available context size",
    ContentRefused: "content_policy_violation|content_filter|content (management )?policy|safety system|usage policies",
    KeyRefused: "invalid_api_key|invalid api key|api key not valid|incorrect api key",
    UnknownModel: "model_not_found|llm provider not provided|is not a valid model",
}
_BY_TEXT = {kind: re.compile(pattern) for kind, pattern in _TEXTS.items()}

# No name server knows the host, it does not speak TLS, or the address cannot be read.
_NO_ADDRESS = frozenset(
    [
        "gaierror",
        "ClientConnectorDNSError",
        "SSLError",
        "ClientConnectorSSLError",
        "InvalidURL",
        "InvalidUrlClientError",
        "UnsupportedProtocol",
    ]
)


def read_failure(error: BaseException, begun: bool) -> Failure:
    """Return what an exception means. Once a part of the reply was seen, it is a cut or a stall, and not retried."""
    chain = tuple(_chain(error))
    complaint = read_complaint(chain)
    kind = _kind(chain, complaint)
    if begun:
        return Failure(ModelTimeout() if kind is ModelTimeout else StreamCut(), complaint=complaint)
    again = _retry_after(chain) if kind in {RateLimited, ModelUnavailable, ModelLoading} else None
    return Failure(kind(), again, complaint)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error, what it wraps, and what it was raised while handling; each once, the outermost first."""
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


def _kind(chain: tuple[BaseException, ...], complaint: Complaint) -> type[ModelError]:
    status, names = complaint.status, [type(error).__name__ for error in chain]
    if complaint.says_loading:
        return ModelLoading
    if by_code := next((kind for kind, codes in _BY_CODE.items() if codes & complaint.codes), None):
        return by_code
    if status is not None and status > 500 and status not in _BY_STATUS:
        return ModelUnavailable
    if _NO_ADDRESS.intersection(names) or (status == 404 and not complaint.names_model):
        return WrongAddress
    text = " ".join(str(error) for error in chain).lower()  # never shown or kept: it may hold the prompt
    return (
        next((kind for kind, pattern in _BY_TEXT.items() if pattern.search(text)), None)
        or next((_BY_CLASS[name] for name in names if name in _BY_CLASS), None)
        or _BY_STATUS.get(status or 0)
        or (ModelError if status is not None and status < 500 else ModelUnavailable)
    )


def _retry_after(chain: tuple[BaseException, ...]) -> float:
    for error in chain:
        response = getattr(error, "response", None)
        for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
            value = headers.get("retry-after") if headers else None
            if value is not None:
                return _seconds(value)
    return 0.0


def _seconds(value: str) -> float:
    """Return the seconds from now of a Retry-After header, which holds a number of seconds or a date."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
