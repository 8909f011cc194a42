"""
Model calls with OpenAI's SDK under an instrumentation of others, whose spans go out by the exporter of OpenTelemetry's SDK.
usage: python_sdk.py traceloop|openinference|none    (none: spans made by hand, in the names of the conventions)
"""

import os
import sys

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
which = sys.argv[1]
if which == "traceloop":
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()
elif which == "openinference":
    from openinference.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()


def by_hand():
    tracer = trace.get_tracer("by-hand")
    with tracer.start_as_current_span("invoke_agent helper") as agent:
        agent.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"})
        for i in range(3):
            with tracer.start_as_current_span("chat gpt-x") as span:
                span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
                                     "gen_ai.request.model": "gpt-x", "gen_ai.response.id": f"chatcmpl-{i}",
                                     "gen_ai.usage.input_tokens": 10 + i, "gen_ai.usage.output_tokens": 5,
                                     "gen_ai.input.messages": f'[{{"role":"user","parts":[{{"content":"{os.environ["CANARY"]}"}}]}}]'})
            with tracer.start_as_current_span("execute_tool look") as span:
                span.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look",
                                     "gen_ai.tool.call.id": f"call_{i}", "gen_ai.tool.call.arguments": os.environ["CANARY"]})


def by_sdk():
    import openai

    client = openai.OpenAI(api_key="sk-none", max_retries=0)
    messages = [{"role": "user", "content": os.environ["CANARY"]}]
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]
    for _ in range(3):
        got = client.chat.completions.create(model="gpt-x", messages=messages, tools=tools)
        said = got.choices[0].message
        messages.append(said.model_dump(exclude_none=True))
        messages += [{"role": "tool", "tool_call_id": c.id, "content": "seen"} for c in said.tool_calls or []]
        messages.append({"role": "user", "content": "go on"})
    streamed = client.chat.completions.create(model="gpt-x", messages=messages, stream=True, stream_options={"include_usage": True})
    for _ in streamed:
        pass


by_hand() if which == "none" else by_sdk()
provider.shutdown()
