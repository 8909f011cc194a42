"""Agents of Pydantic AI under its own instrumentation: tools at once, a failure that is tried again, an agent that is a
tool of another, a stream, and several runs at the same time."""

import asyncio
import os
import time

import logfire
from pydantic_ai import Agent

from parts import CANARY, note, work_async

logfire.configure(send_to_logfire=False, console=False)
logfire.instrument_pydantic_ai()
if "TWICE" in os.environ:
    logfire.instrument_openai()
    logfire.instrument_anthropic()


def with_tools(model):
    agent = Agent(model, system_prompt=f"be brief {CANARY}")

    @agent.tool_plain
    async def read_file(x: str) -> str:
        return await work_async("read_file")

    @agent.tool_plain
    async def get_forecast(x: str) -> str:
        return await work_async("get_forecast")

    return agent


def above(model, below):
    agent = Agent(model)

    @agent.tool_plain
    async def ask_other(x: str) -> str:
        begun = time.time_ns()
        got = await below.run(f"inner {x} {CANARY}")
        note("ask_other", begun, time.time_ns())
        return got.output

    return agent


async def main():
    await with_tools("openai-chat:chat-tools").run(f"tools one {CANARY}")
    await with_tools("openai-responses:responses-tools").run(f"tools two {CANARY}")
    await with_tools("anthropic:messages-tools").run(f"tools three {CANARY}")
    await above("openai-chat:chat-above", with_tools("openai-chat:chat-tools")).run(f"above {CANARY}")
    await Agent("openai-chat:chat-retry").run(f"retry one {CANARY}")
    async with Agent("openai-chat:chat-stream").run_stream(f"stream one {CANARY}") as got:
        await got.get_output()
    await asyncio.gather(*(Agent("openai-chat:chat-same").run(f"the same {CANARY}") for _ in range(8)))


asyncio.run(main())
logfire.force_flush()
