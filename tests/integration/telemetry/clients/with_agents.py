"""The OpenAI Agents SDK under OpenInference's instrumentation: tools at once, a hand-off, and runs at the same time."""

import asyncio
import time

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, handoff, set_tracing_disabled
from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from parts import CANARY, note, work_async

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
set_tracing_disabled(False)


@function_tool
async def read_file(x: str) -> str:
    return await work_async("read_file")


@function_tool
async def get_forecast(x: str) -> str:
    return await work_async("get_forecast")


def handed(_):
    note("transfer_to_second", time.time_ns(), time.time_ns())


def chat(model):
    return OpenAIChatCompletionsModel(model, AsyncOpenAI(api_key="sk-made-up"))


async def main():
    tools = [read_file, get_forecast]
    await Runner.run(Agent("loop", model="responses-tools", tools=tools), f"tools one {CANARY}")
    await Runner.run(Agent("chat", model=chat("chat-tools"), tools=tools), f"tools two {CANARY}")
    second = handoff(Agent("second", model="responses-tools", tools=tools), on_handoff=handed)
    await Runner.run(Agent("first", model="responses-handoff", handoffs=[second]), f"hand it off {CANARY}")
    streamed = Runner.run_streamed(Agent("streamed", model="responses-stream"), f"stream {CANARY}")
    async for _ in streamed.stream_events():
        pass
    same = [Runner.run(Agent("same", model="responses-same"), f"the same {CANARY}") for _ in range(8)]
    await asyncio.gather(*same)


asyncio.run(main())
provider.shutdown()
