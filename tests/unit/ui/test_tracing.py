"""Tracing: which spans a turn has, what they hold, and when there are none."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry.context import attach, detach
from opentelemetry.trace import INVALID_SPAN_CONTEXT, NonRecordingSpan, get_current_span, set_span_in_context

from memory_store.store import Store
from tests.support.memory.loop import ME, RIGHT, Loop, last
from ui.server.tracing import start_tracing, traced

TEXTS = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}


class Span(NonRecordingSpan):
    def __init__(self, name: str, parent: Any) -> None:
        super().__init__(INVALID_SPAN_CONTEXT)
        self.name, self.parent, self.attributes, self.is_over = (
            name,
            getattr(parent, "name", ""),
            dict[str, Any](),
            False,
        )

    def set_attributes(self, attributes: Any) -> None:
        self.attributes |= attributes

    def end(self, end_time: int | None = None) -> None:
        self.is_over = True


class Tracer:
    """Keeps the spans that a real tracer would export."""

    def __init__(self) -> None:
        self.spans = list[Span]()

    def start_span(self, name: str, context: Any = None) -> Span:
        self.spans.append(Span(name, get_current_span(context)))
        return self.spans[-1]

    @contextmanager
    def start_as_current_span(self, name: str) -> Iterator[Span]:
        span = self.start_span(name)
        token = attach(set_span_in_context(span))
        yield span
        detach(token)
        span.end()


@pytest.mark.parametrize("environment", [{}, TEXTS], ids=["numbers", "texts"])
def test_turn_has_spans_of_its_steps(store: Store, environment: dict[str, str]) -> None:
    tracer, assistant = Tracer(), Loop(store, RIGHT).assistant
    runner: Any = traced(assistant.runner, tracer, environment)  # type: ignore[arg-type]
    turn = last(type(assistant)(runner, assistant.memory).ask("What is akin to quick?", ME))
    turn_span, *steps = tracer.spans
    assert [(step.name, step.parent) for step in steps] == [("retrieve", "turn"), ("gate", "turn"), ("model", "turn")]
    assert all(span.is_over for span in tracer.spans)
    assert get_current_span().get_span_context() == INVALID_SPAN_CONTEXT
    assert turn_span.attributes["gen_ai.request.model"] == turn.model
    assert (turn.question in str(turn_span.attributes)) is bool(environment)


@pytest.mark.parametrize("environment", [
    {}, {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
    {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
])  # fmt: skip
def test_nothing_is_traced_unasked(environment: dict[str, str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert start_tracing(environment) is None
    assert caplog.messages == []
