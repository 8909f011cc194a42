"""
An MCP server of nothing but the standard library, of the world with sessions: tools that answer, tell progress, ask the
client's user and the client's model, and one that waits until it is cancelled.
"""

import json
import sys
import time

asked = 0


def write(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def question(method, params):
    """Asks the client, and waits for its answer."""
    global asked
    asked += 1
    write(id=f"q{asked}", method=method, params=params)
    while True:
        message = read()
        if message.get("id") == f"q{asked}" and "method" not in message:
            return json.dumps(message.get("result", message.get("error")), sort_keys=True)


def call(message):
    name, words = message["params"]["name"], message["params"].get("arguments", {})
    if name == "slow":
        token = message["params"].get("_meta", {}).get("progressToken")
        for i in range(3):
            write(method="notifications/progress", params={"progressToken": token, "progress": i + 1, "total": 3})
    if name == "wait":
        return None
    if name == "ask":
        return question("elicitation/create", {"message": "which word?", "requestedSchema": {"type": "object", "properties": {}}})
    if name == "think":
        return question("sampling/createMessage", {"messages": [{"role": "user", "content": {"type": "text", "text": "hm?"}}], "maxTokens": 9})
    if name == "time":
        return time.strftime(f"it is %H:%M:%S, {time.time_ns()}")
    return f"{name} {json.dumps(words, sort_keys=True)}"


def answer(message):
    method = message["method"]
    if method == "initialize":
        return {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "sums",
                                                            "version": "1"}}
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": {"name": "sums", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("add", "ask", "slow", "think", "wait")]}
    if method == "resources/read":
        return {"contents": [{"uri": message["params"]["uri"], "text": "a resource"}]}
    return {}


while True:
    got = read()
    if "method" not in got or "id" not in got:
        continue
    if got["method"] == "tools/call":
        text = call(got)
        if text is not None:
            write(id=got["id"], result={"content": [{"type": "text", "text": text}]})
    else:
        write(id=got["id"], result=answer(got))
