"""Fall back to plainer requests if a server refuses one: without optional parameters, then without streaming."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from assistant.errors import ContextFull, ModelError
from assistant.models.remote.errors import Failure

_OPTIONS = frozenset({"max_tokens", "temperature", "stream_options"})
_ROLES = ("system role", "developer instruction", "roles must alternate")  # templates without one fail with a 500
_REPLY = ("in the completion", "output tokens", "max_tokens' or")  # prompt and maximum reply together are too long


class RequestForm(IntEnum):
    """Form of a request, each plainer than the one before."""

    USUAL = 0
    PLAIN = 1  # neither options nor a system role
    WHOLE = 2  # plain, without streaming


def build_arguments(request: Mapping[str, Any], form: RequestForm, *, is_limited: bool) -> Mapping[str, Any]:
    """Return the arguments of a call in a form. `is_limited` keeps the maximum reply, by its newer name."""
    if form is RequestForm.USUAL:
        return request
    plain = {name: value for name, value in request.items() if name not in _OPTIONS}
    plain["messages"] = _without_system(request["messages"])
    if is_limited:
        plain["max_completion_tokens"] = request["max_tokens"]
    if form is RequestForm.WHOLE:
        plain["extra_body"] = {"stream": False}  # hides from litellm that the reply does not stream
    return plain


def find_plainer_form(form: RequestForm, failure: Failure) -> RequestForm | None:
    """Return the next plainer form; None if it would not help."""
    kind, text = type(failure.error), failure.text
    is_unclear = kind is ModelError or (kind is ContextFull and any(words in text for words in _REPLY))
    is_refused = failure.status in {400, 422} and is_unclear
    is_role = failure.status in {500, 501} and any(words in text for words in _ROLES)
    if form is RequestForm.USUAL and (is_refused or is_role):
        return RequestForm.PLAIN
    return RequestForm.WHOLE if form is RequestForm.PLAIN and is_refused and "stream" in text else None


def _without_system(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Merge each system message into the user message after it."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        role, content = "user" if message["role"] == "system" else message["role"], message["content"]
        if merged and merged[-1]["role"] == role:
            merged[-1] = {"role": role, "content": f"{merged[-1]['content']}\n\n{content}"}
        else:
            merged.append({"role": role, "content": content})
    return merged
