"""Ollama's own API, by the standard library: whole, streamed as lines, and with tools, whose calls have no ids."""

import json
import os
import urllib.request

BASE = os.environ["OLLAMA_HOST"]
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}}
    for name in ("read_file", "get_forecast")
]
RESULTS = {"read_file": "FIRST RESULT", "get_forecast": "SECOND RESULT"}


def ask(path, body):
    request = urllib.request.Request(BASE + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        lines = response.read().decode().splitlines()
    for line in lines:
        print(body["model"], line, flush=True)
    return [json.loads(line) for line in lines if line]


def user(text):
    return {"role": "user", "content": text}


ask("/api/chat", {"model": "ollama-plain", "stream": False, "messages": [user("plain one")]})
ask("/api/chat", {"model": "ollama-stream", "messages": [user("stream one")]})
ask("/api/generate", {"model": "ollama-generate", "stream": False, "prompt": "generate one"})
messages = [user("tools one")]
while True:
    got = ask("/api/chat", {"model": "ollama-tools", "stream": False, "messages": messages, "tools": TOOLS})[-1]["message"]
    messages.append(got)
    if not got.get("tool_calls"):
        break
    for call in got["tool_calls"]:
        name = call["function"]["name"]
        messages.append({"role": "tool", "tool_name": name, "content": RESULTS[name]})
