"""Failures of a server as sentences."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import errors
from assistant.models.remote.errors import read_failure


class ProviderError(Exception):
    """An exception with the attributes of litellm's and openai's."""

    def __init__(
        self, text: str = "", status: int | None = None, body: object = None, original: Exception | None = None
    ) -> None:
        super().__init__(text)
        self.status_code, self.body, self.original_exception = status, body, original
        self.litellm_response_headers: dict[str, str] = {}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ProviderError("prompt is too long: 9000 tokens > 8000 maximum", 400), errors.ContextFull),
        (ProviderError("Your credit balance is too low", 400), errors.OutOfCredit),
        (json.JSONDecodeError("no", "{", 1), errors.BadReply),
        (ProviderError("", 429, {"code": "insufficient_quota"}), errors.OutOfCredit),
        (ProviderError("", 400, {"details": [{"reason": "API_KEY_INVALID"}]}), errors.KeyRefused),
        (ProviderError("", 404, {"code": "model_not_found"}), errors.UnknownModel),
        (ProviderError("", 404, "<html><h1>404 Not Found</h1></html>"), errors.WrongAddress),
        (ProviderError("", 503, {"type": "unavailable_error"}), errors.ModelLoading),
    ],
)
def test_exception_is_read(error: Exception, expected: type[errors.ModelError]) -> None:
    failure = read_failure(error, begun=False)
    assert type(failure.error) is expected
    is_retried = issubclass(expected, errors.RateLimited | errors.ModelUnavailable)
    assert (failure.retry_after is not None) is is_retried


@pytest.mark.parametrize(("header", "seconds"), [("0.5", 0.5), ("-1", 0), ("soon", 0), ("nan", 0)])
def test_wrapped_exception_is_read(header: str, seconds: float) -> None:
    limited = ProviderError("", 429)
    limited.litellm_response_headers = {"retry-after": header}
    failure = read_failure(ProviderError("", 500, None, limited), begun=False)
    assert (type(failure.error), failure.retry_after) == (errors.RateLimited, seconds)
    first, second = ProviderError(), ProviderError("insufficient_quota", 429)
    first.__cause__, second.__context__ = second, first
    assert type(read_failure(first, begun=False).error) is errors.OutOfCredit


@given(text=st.text(), status=st.none() | st.integers(100, 599), begun=st.booleans())
def test_any_exception_becomes_a_sentence(text: str, status: int | None, begun: bool) -> None:
    failure = read_failure(ProviderError(text, status), begun)
    assert failure.error.sentence == type(failure.error)().sentence
    assert not (begun and failure.retry_after is not None)
