"""
An MCP server of the official SDK, version 1 or 2, with tools that fail, wait, tell progress and ask a person. It writes
when each tool began and ended to the file MCP_LOG.
usage: server.py [PORT]    standard streams, or streamable HTTP on this port
"""

import asyncio
import json
import os
import sys
import time
from typing import Annotated

from pydantic import BaseModel

try:
    from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve

    NEW = True
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP as MCPServer

    NEW = False

PORT = int(sys.argv[1]) if len(sys.argv) > 1 else 0
server = MCPServer("truth") if NEW or not PORT else MCPServer("truth", host="127.0.0.1", port=PORT)


class Logged:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.begun = time.time_ns()

    def __exit__(self, *_):
        with open(os.environ["MCP_LOG"], "a", encoding="utf-8") as f:
            f.write(json.dumps({"tool": self.name, "begun": self.begun, "ended": time.time_ns()}) + "\n")


class Answer(BaseModel):
    word: str


@server.tool()
async def add(a: int, b: int) -> str:
    """Adds two numbers."""
    with Logged("add"):
        await asyncio.sleep(0.05)
        return f"CANARY-RESULT {a + b}"


@server.tool()
async def fail(why: str) -> str:
    """Fails."""
    with Logged("fail"):
        raise ValueError(why)


@server.tool()
async def slow(seconds: float, ctx: Context) -> str:
    """Tells of its progress."""
    with Logged("slow"):
        for i in range(4):
            await asyncio.sleep(seconds / 4)
            await ctx.report_progress(i + 1, 4)
        return "at last"


@server.tool()
async def much(size: int) -> str:
    """A large result."""
    with Logged("much"):
        return "x" * size


if NEW:
    async def question() -> Elicit[Answer]:
        return Elicit("CANARY-QUESTION which word?", Answer)

    @server.tool()
    async def ask(word: Annotated[Answer, Resolve(question)]) -> str:
        """Asks a person for a word."""
        with Logged("ask"):
            await asyncio.sleep(0.05)
            return "said " + word.word
else:
    @server.tool()
    async def ask(ctx: Context) -> str:
        """Asks a person for a word."""
        with Logged("ask"):
            await asyncio.sleep(0.03)
            answer = await ctx.elicit("CANARY-QUESTION which word?", Answer)
            await asyncio.sleep(0.02)
            return "said " + answer.data.word


if not PORT:
    server.run()
elif NEW:
    server.run("streamable-http", host="127.0.0.1", port=PORT)
else:
    server.run("streamable-http")
