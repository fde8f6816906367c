"""Map a failed call of a remote model to one of our errors: by the codes and words of its text, then by its status.

The class of an exception is unreliable: one cause raises different classes, which are wrapped again once the stream has
begun. Its text may contain the prompt, a masked key or a traceback, so it is only searched here, never passed on.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assistant import errors
from assistant.errors import ModelError

_LONGEST = 300  # characters of a text to search; after them, servers may repeat the prompt
_LOADING = re.compile(
    r"\b(re)?loading\b.{0,60}\bmodel|\bmodel\b.{0,80}\b(loading|not (yet )?(loaded|ready)|warming|starting)"
    r"|\bloading model|warming up|still (loading|starting)|unavailable_error|model_(loading|not_ready|not_loaded)"
)
# Searched in order in "STATUS CLASSES | TEXTS" of the exceptions, in lower case; the first match decides. The patterns
# are statuses, and codes, messages and exception names of OpenAI, Anthropic, Gemini, vLLM and litellm.
_CAUSES: Mapping[type[ModelError], str] = {
    errors.OutOfCredit: r"insufficient[_ ](quota|credits|balance|funds)|billing_(hard_limit|not_active|error)|^402 "
    r"|payment_required|credit[_ ]balance[_ ](is )?too[_ ]low|exceeded_current_quota",
    errors.ContextFull: r"context_?(length|window)_?exceeded|maximum context length|context window|input token count"
    r"|exceed[_ ]context[_ ](size|limit)|prompt[_ ](is )?too[_ ]long|exceeds the available context size"
    r"|request_too_large|string_above_max_length|^413 ",
    errors.ContentRefused: r"content_?(filter|policy_?violation)|responsibleaipolicyviolation|safety system"
    r"|content (management )?policy|usage policies",
    errors.NoKey: r"api_key client option must be set|missing (credentials|(anthropic )?api key)|api key not set",
    errors.UnknownModel: r"model_(not_(found|available|supported)|decommissioned)|deploymentnotfound"
    r"|llm provider not provided|is not a valid model|^404 [\s\S]*model",
    errors.KeyRefused: r"(invalid|incorrect)[_ ](api[_ ]key|authentication)|api[_ ]key[_ ](not[_ ]valid|invalid)"
    r"|^40[13] |unauthenticated|authentication_?error|permission_?(denied|error)|account_deactivated",
    errors.RateLimited: r"rate_?limit_?(exceeded|ed|error)|too_many_requests|^429 ",
    errors.ModelMoved: r"^30[12378] ",
    errors.UnknownHost: r"gaierror|clientconnectordnserror",
    errors.NoTls: r"clientconnector(ssl|certificate)error|\bssl(certverification)?error",
    errors.NothingListens: r"^[^|]*connectionrefusederror",
    errors.WrongAddress: r"invalidurl|unsupportedprotocol|^40[45] ",
    errors.ModelUnavailable: r"overloaded_error|'overloaded'|service_unavailable|^5(?!00)\d\d ",
    errors.ModelTimeout: r"^408 |^[^|]*timeout",
    errors.BadReply: r"^[^|]*jsondecodeerror",
}
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _CAUSES.items()}


@dataclass(frozen=True, slots=True)
class Failure:
    error: ModelError  # its sentence is shown to the user
    retry_after: float | None  # seconds until a retry; None for no retry
    status: int | None
    text: str = field(repr=False)  # beginnings of all messages, in lower case; may contain the prompt


def read_failure(error: BaseException, begun: bool) -> Failure:
    """Classify an exception. After the reply has begun, it is a cut or a timeout, and not retried."""
    chain = tuple(chain_of(error))
    statuses = [status for each in chain if isinstance(status := getattr(each, "status_code", None), int)]
    # litellm says 500 if it knows no status; a wrapped error may have it.
    status = next((status for status in statuses if status != 500), 500 if statuses else None)
    said = [text for each in chain for text in (str(each), str(getattr(each, "body", None) or "")) if text]
    start = " ".join(part[:_LONGEST] for part in said).lower()
    whole = f"{status} {' '.join(type(each).__name__ for each in chain)} | {' '.join(said)}".lower()
    unknown = errors.ModelUnavailable if status in {None, 500} else ModelError
    kind = next((kind for kind, pattern in _PATTERNS.items() if pattern.search(whole)), unknown)
    if status in {None, 425, 500, 503} and (_LOADING.search(start) or "unavailable_error" in whole):
        kind = errors.ModelLoading
    if begun:
        kind = errors.ModelTimeout if kind is errors.ModelTimeout else errors.StreamCut
    is_transient = issubclass(kind, errors.RateLimited | errors.ModelUnavailable)
    return Failure(kind(), _retry_after(chain) if is_transient else None, status, start)


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and all errors in its chain (wrapped, cause, context) once, the outermost first."""
    seen: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, BaseException) and each not in seen:
            seen.append(each)
            yield each
            waiting += [getattr(each, "original_exception", None), each.__cause__, each.__context__]


def _retry_after(chain: tuple[BaseException, ...]) -> float:
    """Return the seconds of the first Retry-After header; 0 without one, or with a date."""
    for error in chain:
        response = getattr(error, "response", None)
        for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
            if headers and (value := re.fullmatch(r"\d+(\.\d+)?", headers.get("retry-after") or "")):
                return float(value[0])
    return 0.0
