#!/usr/bin/env python3
"""A small agent: it asks a model, runs the tools that the model wants, tells it the results, and asks again until
there is an answer. The standard library is all it needs.

usage: trackway record -- python3 agent.py [QUESTION]

It speaks OpenAI's chat completions, streamed, to whatever server OPENAI_BASE_URL names. It knows nothing of Trackway:
that `trackway record` sets this variable is enough.
"""

import json
import os
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

BASE = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MODEL = os.environ.get("AGENT_MODEL", "example-large-1")

FILES = {  # a made-up disk
    "calendar.txt": "Friday 12:00 lunch for the team, in the garden, 14 people\n",
    "rooms.txt": "Friday: the library is free from 11:00 to 15:00, 20 seats\n",
}


def read_file(name):
    time.sleep(0.05)  # a slow disk
    return FILES[name]


def get_forecast(day):
    time.sleep(0.25)  # a slow service
    return {"day": day, "rain": 0.8, "celsius": 11}


TOOLS = {"read_file": read_file, "get_forecast": get_forecast}


def describe(tool):
    """A tool as the API wants to be told of it: every argument of ours is a text."""
    names = tool.__code__.co_varnames[: tool.__code__.co_argcount]
    schema = {"type": "object", "properties": {n: {"type": "string"} for n in names}, "required": list(names)}
    return {"type": "function", "function": {"name": tool.__name__, "parameters": schema}}


def events(response):
    """The JSON values of a stream of server-sent events."""
    for line in response:
        if line.startswith(b"data: ") and not line.startswith(b"data: [DONE]"):
            yield json.loads(line[6:])


def ask(messages):
    """One call of the model. Its answer comes in pieces, which are put together to one message."""
    body = {"model": MODEL, "messages": messages, "tools": [describe(t) for t in TOOLS.values()], "stream": True,
            "stream_options": {"include_usage": True}}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '-')}"}
    request = urllib.request.Request(f"{BASE}/chat/completions", json.dumps(body).encode(), headers)
    text, calls = "", []
    with urllib.request.urlopen(request, timeout=60) as response:
        for event in events(response):
            for choice in event["choices"]:
                text += choice["delta"].get("content") or ""
                for piece in choice["delta"].get("tool_calls") or []:
                    while len(calls) <= piece["index"]:
                        calls.append({"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
                    call = calls[piece["index"]]
                    call["id"] += piece.get("id") or ""
                    for key, value in piece.get("function", {}).items():
                        call["function"][key] += value or ""
    return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}


def run(call):
    """Runs a tool. A mistake is told to the model, which may know what to do about it."""
    try:
        result = TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
    except (KeyError, TypeError, ValueError) as e:
        result = {"error": f"{type(e).__name__}: {e}"}
    content = result if isinstance(result, str) else json.dumps(result)
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


def main(question):
    messages = [{"role": "user", "content": question}]
    for _ in range(10):
        message = ask(messages)
        messages.append(message)
        if "tool_calls" not in message:
            print(message["content"])
            return 0
        with ThreadPoolExecutor() as pool:  # all that the model asked for, at the same time
            messages += pool.map(run, message["tool_calls"])
    print("no answer after ten turns", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "Can Friday's lunch be in the garden?"))
