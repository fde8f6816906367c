"""No call is sent on to where a server points: the prompt would go to whoever it names.

LiteLLM makes its HTTP clients itself, and has no setting for this; so what makes them is made to say so.
"""

import importlib
from collections.abc import Callable
from functools import wraps
from typing import Any

_MAKING = (
    ("litellm.llms.custom_httpx.http_handler", "AsyncHTTPHandler", "create_client"),
    ("litellm.llms.custom_httpx.http_handler", "HTTPHandler", "create_client"),
    ("litellm.llms.openai.common_utils", "BaseOpenAILLM", "_get_async_http_client"),
    ("litellm.llms.openai.common_utils", "BaseOpenAILLM", "_get_sync_http_client"),
)


def follow_no_redirects() -> None:
    """From now on; litellm is loaded, and has made no client yet."""
    for module, owner, name in _MAKING:
        makes = getattr(importlib.import_module(module), owner)
        is_static = isinstance(vars(makes)[name], staticmethod)
        staying = _staying(getattr(makes, name))
        setattr(makes, name, staticmethod(staying) if is_static else staying)


def _staying(make: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(make)
    def made(*args: Any, **named: Any) -> Any:
        client = make(*args, **named)
        client.follow_redirects = False
        return client

    return made
