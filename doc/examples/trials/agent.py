#!/usr/bin/env python3
"""A small agent for the tasks beside it: it tells a model the instruction, does what the model asks for with files of
the workspace, and ends when the model has nothing more to ask. The standard library is all it needs.

usage: trackway trial run doc/examples/trials/total --agent doc/examples/trials/agent.py --model example-large-1

It speaks OpenAI's chat completions to whatever server OPENAI_BASE_URL names, and knows nothing of Trackway but the two
variables TRACKWAY_INSTRUCTION and TRACKWAY_MODEL.
"""

import json
import os
import sys
import urllib.request

BASE = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MODEL = os.environ.get("TRACKWAY_MODEL", "example-large-1")


def read_file(path):
    with open(path) as f:
        return f.read()


def write_file(path, content):
    with open(path, "w") as f:
        f.write(content)
    return "the file is written"


TOOLS = {"read_file": read_file, "write_file": write_file}


def describe(tool):
    names = tool.__code__.co_varnames[: tool.__code__.co_argcount]
    schema = {"type": "object", "properties": {n: {"type": "string"} for n in names}, "required": list(names)}
    return {"type": "function", "function": {"name": tool.__name__, "parameters": schema}}


def ask(messages):
    body = {"model": MODEL, "messages": messages, "tools": [describe(t) for t in TOOLS.values()]}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '-')}"}
    request = urllib.request.Request(f"{BASE}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["choices"][0]["message"]


def run(call):
    """Runs a tool. A mistake is told to the model, which may know what to do about it."""
    try:
        result = TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
    except (KeyError, TypeError, ValueError, OSError) as e:
        result = f"error: {type(e).__name__}: {e}"
    return {"role": "tool", "tool_call_id": call["id"], "content": result}


def main():
    messages = [{"role": "user", "content": os.environ["TRACKWAY_INSTRUCTION"]}]
    for _ in range(10):
        message = ask(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            print(message["content"])
            return 0
        messages += [run(call) for call in message["tool_calls"]]
    print("no end after ten turns", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
