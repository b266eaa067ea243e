"""Spans of OpenTelemetry, one a call, under the span of the caller. Needs the extra ``otel``.

Without the setting nothing here is imported, and no call is touched.
"""

from __future__ import annotations

from typing import Any, Final, Self

import grpc

import laizi
from laizi_service.settings import Settings, SettingsError

__all__ = ["Tracing"]

_TRACE_CONTEXT: Final = ("traceparent", "tracestate")


class Tracing:
    """What makes spans and sends them on."""

    def __init__(self, provider: Any) -> None:
        """Make spans by a tracer provider of OpenTelemetry's SDK."""
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer("laizi", laizi.__version__)
        self._propagator = TraceContextTextMapPropagator()
        self._server = trace.SpanKind.SERVER
        self._error = trace.Status(trace.StatusCode.ERROR)

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Return what the settings want: None, or spans sent over OTLP, as the variables ``OTEL_…`` say.

        Raises SettingsError where the extra is missing.
        """
        if settings.tracing == "off":
            return None
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError:
            raise SettingsError("tracing=on needs OpenTelemetry: pip install 'laizi[otel]'") from None
        # Variables go before the names given here.
        provider = TracerProvider(resource=Resource.create({"service.name": "laizi"}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        return cls(provider)

    def close(self) -> None:
        """Send what is not sent yet."""
        self._provider.shutdown()

    def traced(self, function: Any, service: str, method: str) -> Any:
        """Return a unary handler that works within a span."""
        name = f"{service}/{method}"
        attributes = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": method}

        def within(request: Any, context: Any) -> Any:
            carrier = {key: value for key, value in context.invocation_metadata() if key in _TRACE_CONTEXT}
            with self._tracer.start_as_current_span(
                name,
                self._propagator.extract(carrier),
                self._server,
                attributes,
                record_exception=False,
                set_status_on_exception=False,
            ) as span:
                try:
                    return function(request, context)
                finally:
                    code = context.code() or grpc.StatusCode.OK
                    span.set_attribute("rpc.grpc.status_code", code.value[0])
                    if code is not grpc.StatusCode.OK:
                        span.set_status(self._error)

        return within
