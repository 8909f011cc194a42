"""
An agent: asks the model (OPENAI_BASE_URL) with the tools of an MCP server, calls what the model asks for, and sends the
results back, until the model asks for nothing.
usage: agent.py PREFIX URL|PROGRAM [ARGUMENTS...]    PREFIX: what it puts before the names of tools
"""

import asyncio
import json
import os
import sys
import urllib.request

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


def ask(messages, tools):
    body = json.dumps({"model": "gpt-4o", "messages": messages, "tools": tools}).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body,
                                     {"Content-Type": "application/json", "Authorization": "Bearer made-up"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]


async def work(session, prefix):
    await session.initialize()
    listed = await session.list_tools()
    tools = [{"type": "function", "function": {"name": prefix + t.name, "parameters": t.inputSchema}} for t in listed.tools]
    messages = [{"role": "user", "content": "CANARY-PROMPT add them"}]
    for _ in range(int(os.environ.get("ROUNDS", "8"))):
        answer = ask(messages, tools)
        messages.append(answer)
        if not answer.get("tool_calls"):
            print(answer["content"])
            return

        async def call(one):
            function = one["function"]
            result = await session.call_tool(function["name"].removeprefix(prefix), json.loads(function["arguments"]))
            return {"role": "tool", "tool_call_id": one["id"], "content": result.content[0].text}

        messages += await asyncio.gather(*map(call, answer["tool_calls"]))


async def main(prefix, where):
    url = where[0].startswith("http")
    parameters = None if url else StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ))
    async with (streamablehttp_client(where[0]) if url else stdio_client(parameters)) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await work(session, prefix)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
