"""The parts under OpenInference's instrumentations, with its decorators for tools and agents."""

import os

from openinference.instrumentation import TracerProvider
from openinference.instrumentation.anthropic import AnthropicInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

from parts import Parts

provider = TracerProvider()
processor = SimpleSpanProcessor if "AT_ONCE" in os.environ else BatchSpanProcessor
provider.add_span_processor(processor(OTLPSpanExporter()))
OpenAIInstrumentor().instrument(tracer_provider=provider)
AnthropicInstrumentor().instrument(tracer_provider=provider)
tracer = provider.get_tracer("parts")
parts = Parts(tool=lambda name: tracer.tool(name=name), agent=lambda name: tracer.agent(name=name))
parts.openai()
parts.anthropic()
provider.shutdown()
