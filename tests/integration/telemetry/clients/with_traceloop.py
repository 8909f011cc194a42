"""The parts under Traceloop's SDK, as its users set it up: spans about models by its instrumentations, those about tools
and workflows by its decorators."""

import os

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import tool, workflow

from parts import Parts

at_once = "AT_ONCE" in os.environ
Traceloop.init(app_name="parts", exporter=OTLPSpanExporter(), telemetry_enabled=False, disable_batch=at_once)
parts = Parts(tool=lambda name: tool(name=name), agent=lambda name: workflow(name=name))
parts.openai()
parts.anthropic()
