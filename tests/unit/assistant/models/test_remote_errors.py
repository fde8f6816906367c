import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant import errors
from assistant.models.remote.errors import read_failure


class ProviderError(Exception):
    """An exception with the attributes that litellm's have."""

    def __init__(
        self, text: str = "", status: int | None = None, after: str | None = None, original: Exception | None = None
    ) -> None:
        super().__init__(text)
        self.status_code = status
        self.litellm_response_headers = {"retry-after": after} if after else None
        self.original_exception = original


def named(name: str, *arguments: object) -> Exception:
    kind: type[Exception] = type(name, (ProviderError,), {})
    return kind(*arguments)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (named("BadRequestError", "prompt is too long: 9000 tokens > 8000 maximum", 400), errors.ContextFull),
        (named("BadRequestError", "LLM Provider NOT provided.", 400), errors.UnknownModel),
        (named("InternalServerError", "The api_key client option must be set", 500), errors.NoKey),
        (named("Timeout", "", 408), errors.ModelTimeout),
        (json.JSONDecodeError("no", "{", 1), errors.BadReply),
    ],
)
def test_exception_is_read(error: Exception, expected: type[errors.ModelError]) -> None:
    assert type(read_failure(error, begun=False).error) is expected


def test_wrapped_exception_is_read() -> None:
    wrapper = named("MidStreamFallbackError", "", 500, None, named("RateLimitError", "", 429, "7"))
    failure = read_failure(wrapper, begun=False)
    assert type(failure.error) is errors.RateLimited
    assert failure.retry_after == 7
    first, second = ProviderError(), ProviderError("insufficient_quota", 429)
    first.__cause__, second.__context__ = second, first
    assert type(read_failure(first, begun=False).error) is errors.OutOfCredit


@pytest.mark.parametrize(("header", "seconds"), [("0.5", 0.5), ("-1", 0), ("soon", 0), ("nan", 0)])
def test_retry_after_is_read(header: str, seconds: float) -> None:
    assert read_failure(named("RateLimitError", "", 429, header), begun=False).retry_after == seconds


@given(text=st.text(), status=st.none() | st.integers(100, 599), begun=st.booleans())
def test_any_exception_becomes_a_sentence(text: str, status: int | None, begun: bool) -> None:
    failure = read_failure(ProviderError(text, status), begun)
    assert failure.error.sentence == type(failure.error)().sentence
    assert not (begun and failure.retry_after is not None)


class CodedError(Exception):
    """An exception with the fields that openai's have."""

    def __init__(self, status: int, body: object) -> None:
        super().__init__("Refused.")
        self.status_code, self.body = status, body
        for name in ("code", "param", "type"):
            setattr(self, name, body.get(name) if isinstance(body, dict) else None)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (429, {"code": "insufficient_quota"}, errors.OutOfCredit),
        (403, {"error": {"code": "INSUFFICIENT_CREDITS"}}, errors.OutOfCredit),
        (429, {"code": "rate_limit_exceeded"}, errors.RateLimited),
        (400, {"code": "context_length_exceeded", "param": "messages"}, errors.ContextFull),
        (401, {"code": "invalid_api_key"}, errors.KeyRefused),
        (400, {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}, errors.KeyRefused),
        (404, {"code": "model_not_found"}, errors.UnknownModel),
        (404, {"type": "not_found_error", "message": "File Not Found"}, errors.WrongAddress),
        (404, "<html><h1>404 Not Found</h1></html>", errors.WrongAddress),
        (503, {"type": "unavailable_error"}, errors.ModelLoading),
    ],
)
def test_error_is_read_by_its_fields(status: int, body: object, expected: type[errors.ModelError]) -> None:
    failure = read_failure(CodedError(status, body), begun=False)
    assert type(failure.error) is expected
    is_retried = issubclass(expected, errors.RateLimited | errors.ModelUnavailable)
    assert (failure.retry_after is not None) is is_retried


def test_cause_names_fields_but_no_text() -> None:
    body = {"code": "invalid_value", "param": "messages[0].content", "message": "plover", "type": "sk-abc-123"}
    cause = read_failure(CodedError(400, body), begun=False).cause
    assert cause == "status 400 invalid_value messages[0].content"
