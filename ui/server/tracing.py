"""Tracing of turns by OpenTelemetry: a span for each turn, with spans of retrieval, gate and model in it.

On only where the host names a collector by the usual variables (`OTEL_EXPORTER_OTLP_ENDPOINT`), with the extra `otel`.
Spans hold numbers and the name of the model, no person; texts only if
OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from assistant.events import Event, Retrieved
from assistant.ports import ChatModel
from assistant.turn import TurnParts, TurnRunner
from assistant.types import Action, Candidate, Decision, Question, Scope, Turn

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_ADDRESSES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_TEXTS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_log = logging.getLogger(__name__)


def start_tracing(environment: Mapping[str, str]) -> TracerProvider | None:
    """Return a provider that exports spans until it is shut down; None if the host names no collector."""
    is_off = environment.get("OTEL_SDK_DISABLED") == "true" or environment.get("OTEL_TRACES_EXPORTER") == "none"
    if is_off or not any(map(environment.get, _ADDRESSES)):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        _log.warning("Nothing is traced. Tracing needs: pip install 'noted[otel]'")
        return None
    provider = TracerProvider(resource=Resource.create({"service.name": environment.get("OTEL_SERVICE_NAME", "noted")}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def traced(runner: TurnRunner, tracer: Tracer, environment: Mapping[str, str]) -> TurnRunner:
    """Return a runner that makes spans."""
    parts = {field.name: getattr(runner, field.name) for field in fields(runner)}
    return TracedRunner(**parts, tracer=tracer, has_texts=environment.get(_TEXTS, "").lower() == "true")


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedRunner(TurnRunner):
    """Turn runner with spans; each step of a turn runs within the span of its turn, in whichever thread."""

    tracer: Tracer
    has_texts: bool

    def run(self, turn: Turn, scope: Scope, earlier: Sequence[Turn], **how: Any) -> Generator[Event, None, Turn]:
        from opentelemetry import context, trace  # imported late: most hosts trace nothing

        span, model = self.tracer.start_span("turn"), None
        within = trace.set_span_in_context(span)
        events = TurnRunner.run(replace(self, fit=self._fit), turn, scope, earlier, **how)
        try:
            while True:
                outside = context.attach(within)
                try:
                    event = next(events)
                except StopIteration as end:
                    turn = end.value
                    return turn
                finally:
                    context.detach(outside)
                if isinstance(event, Retrieved):
                    turn, model = event.turn, self.tracer.start_span("model", within)
                yield event
        finally:
            events.close()
            if model:
                model.end()
            span.set_attributes(self._attributes(turn))
            span.end()

    def find(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        with self.tracer.start_as_current_span("retrieve"):
            return TurnRunner.find(self, question, scope)

    def _fit(self, model: ChatModel) -> TurnParts:
        parts = self.fit(model)
        gate = parts.get("gate", self.gate)

        def decide(found: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
            with self.tracer.start_as_current_span("gate"):
                return gate(found, scope)

        return {**parts, "gate": decide}

    def _attributes(self, turn: Turn) -> dict[str, str | int]:
        told: dict[str, str | int] = {"gen_ai.request.model": turn.model, "noted.state": turn.state.value}
        if turn.usage:
            told |= {"gen_ai.usage.input_tokens": turn.usage.prompt, "gen_ai.usage.output_tokens": turn.usage.reply}
        for action in (Action.USE, Action.OFFER, Action.SKIP):
            told[f"noted.{action}"] = sum(decision.action is action for decision in turn.decisions)
        if self.has_texts:
            told |= {"noted.question": turn.question, "noted.understanding": turn.reply.understanding}
            told["noted.answer"] = turn.reply.answer
        return told
