"""
A client of the official SDK for servers of others: prints the tools, then calls those of standard input, a line of JSON
each: [name, arguments].
usage: everything.py PROGRAM [ARGUMENTS...]
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command):
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        print(len((await session.list_tools()).tools) > 0)
        for line in sys.stdin:
            name, arguments = json.loads(line)
            result = await session.call_tool(name, arguments)
            print(name, "failed" if result.isError else "done")


asyncio.run(main(sys.argv[1:]))
