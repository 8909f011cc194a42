"""
An MCP client of the official SDK, version 1 or 2, that calls the tools of server.py one after the other.
usage: client.py old|new URL|PROGRAM [ARGUMENTS...]    new: the revision 2026-07-28
"""

import asyncio
import sys
from contextlib import AsyncExitStack

import anyio
import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

WAIT = 0.25


def result_of(answer):
    content = answer.content[0].text if answer.content else ""
    return f"{'error ' if getattr(answer, 'isError', getattr(answer, 'is_error', False)) else ''}{len(content)}"


async def elicited(*_):
    await asyncio.sleep(WAIT)
    from mcp import types
    return types.ElicitResult(action="accept", content={"word": "CANARY-ANSWER"})


async def progressed(*_):
    pass


async def talk(session):
    print("add", result_of(await session.call_tool("add", {"a": 1, "b": 2, })))
    print("fail", result_of(await session.call_tool("fail", {"why": "CANARY-WHY"})))
    print("slow", result_of(await session.call_tool("slow", {"seconds": 0.2}, progress_callback=progressed)))
    print("much", result_of(await session.call_tool("much", {"size": 3000000})))
    print("ask", result_of(await session.call_tool("ask", {})))
    both = await asyncio.gather(*(session.call_tool("add", {"a": i, "b": 0}) for i in range(3)))
    print("adds", *map(result_of, both))
    with anyio.move_on_after(0.1):
        await session.call_tool("slow", {"seconds": 20})
    print("cancelled")
    print("add", result_of(await session.call_tool("add", {"a": 1, "b": 2})))


async def old(where):
    async with AsyncExitStack() as stack:
        if where[0].startswith("http"):
            from mcp.client.streamable_http import streamablehttp_client
            streams = await stack.enter_async_context(streamablehttp_client(where[0]))
        else:
            import os
            parameters = StdioServerParameters(command=where[0], args=where[1:], env=dict(os.environ))
            streams = await stack.enter_async_context(stdio_client(parameters))
        session = await stack.enter_async_context(ClientSession(streams[0], streams[1], elicitation_callback=elicited))
        await session.initialize()
        await talk(session)


async def new(where):
    import os
    server = where[0] if where[0].startswith("http") else StdioServerParameters(command=where[0], args=where[1:],
                                                                                env=dict(os.environ))
    async with mcp.Client(server, mode="2026-07-28", elicitation_callback=elicited) as client:
        print(client.protocol_version)
        await talk(client)


asyncio.run(new(sys.argv[2:]) if sys.argv[1] == "new" else old(sys.argv[2:]))
