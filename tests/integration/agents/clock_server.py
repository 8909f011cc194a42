"""An MCP server on standard input and output whose one tool rests, and notes when it began and ended in a file."""

import json
import sys
import time

TOOL = {"name": "rest", "description": "rests", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}


def answer(message, log):
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "clock", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method != "tools/call":
        return None
    begun = time.time()
    time.sleep(0.2)
    with open(log, "a", encoding="utf-8") as f:
        f.write(f"{params['arguments']['name']} {begun:.6f} {time.time():.6f}\n")
    return {"content": [{"type": "text", "text": "RESTED"}]}


def main(log):
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message, log)
        reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)


main(sys.argv[1])
