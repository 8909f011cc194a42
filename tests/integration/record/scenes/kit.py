"""
What the agents of these scenes are made of: conversations over four APIs, and the log of what really happened, which the
agent writes itself. A scene is a function; run as a program, this file plays one: kit.py MODULE SCENE LOG.

What the model answers is said by the agent in the header x-want: the server of ../scenes.py knows nothing else.
"""

import http.client
import importlib
import json
import os
import sys
import threading
import urllib.parse

SCENES = []  # (module, function, title, whether an edge must be found or must not)


def scene(title, must_not=False, exit_code=0):
    def note(function):
        SCENES.append((function.__module__, function.__name__, title, must_not, exit_code))
        return function

    return note


class Truth:
    """Nodes as they really were: names of our own, and parents by name."""

    def __init__(self, path):
        self.file, self.lock = open(path, "a", encoding="utf-8"), threading.Lock()

    def put(self, kind, name, parents, **more):
        with self.lock:
            self.file.write(json.dumps({"kind": kind, "name": name, "parents": list(parents), **more}) + "\n")
            self.file.flush()

    def user(self, name, *parents):
        self.put("user_input", name, parents)

    def model(self, name, *parents, inferred=False):
        self.put("model_call", name, parents, inferred=inferred)

    def tool(self, name, *parents, partial=False):
        self.put("tool_call", name, parents, partial=partial)

    def fan(self, name, *parents, siblings, kind="fan_out"):
        self.put("branch", name, parents, siblings=list(siblings), branch_kind=kind)

    def retry(self, name, parent):
        self.put("retry", name, [parent])


TRUTH = None


def together(*functions):
    threads = [threading.Thread(target=f) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


class Talk:
    """One conversation. `calls` are (id, name, arguments)."""

    variable, path = "OPENAI_BASE_URL", "/chat/completions"

    def __init__(self, system=None, tools=("work",), headers=None, model="m", **more):
        self.system, self.tools, self.headers, self.model, self.more = system, tools, headers or {}, model, more
        self.messages = []

    # ---- what differs from API to API: chat here ----

    def user(self, text):
        self.messages.append({"role": "user", "content": text})
        return self

    def result(self, call, text, name="work"):
        self.messages.append({"role": "tool", "tool_call_id": call, "content": text})
        return self

    def said(self, text, calls=()):
        asked = [{"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a in calls]
        self.messages.append({"role": "assistant", "content": text, **({"tool_calls": asked} if asked else {})})
        return self

    def body(self):
        head = [{"role": "system", "content": self.system}] if self.system else []
        tools = [{"type": "function", "function": {"name": t, "parameters": {}}} for t in self.tools]
        return {"model": self.model, "messages": head + self.messages, **({"tools": tools} if tools else {}), **self.more}

    # ---- the same for all ----

    def fork(self):
        other = type(self)(self.system, self.tools, self.headers, self.model, **self.more)
        other.messages = list(self.messages)
        return other

    def ask(self, name, say=None, calls=(), text="fine", keep=True, **want):
        """Asks, and tells the answer again from then on. `name` is that of the model call in the log."""
        if say:
            self.user(say)
        base = urllib.parse.urlsplit(os.environ[self.variable])
        want = {"id": name, "calls": calls, "text": None if calls else text, **want}
        body = {**self.body(), **({"stream": True} if want.get("stream") else {})}
        headers = {"Content-Type": "application/json", "x-want": json.dumps(want), **self.headers}
        http_client = http.client.HTTPConnection(base.hostname, base.port, timeout=60)
        try:
            http_client.request("POST", base.path.rstrip("/") + self.path, json.dumps(body), headers)
            got = http_client.getresponse()
            got.read()
            status = got.status
        except (OSError, http.client.HTTPException):
            status = 0
        http_client.close()
        if status == 200 and keep and not want.get("torn"):
            self.said(want["text"], calls)
        return self


class Messages(Talk):
    """Anthropic's."""

    variable, path = "ANTHROPIC_BASE_URL", "/v1/messages"

    def result(self, call, text, name="work"):
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        if self.messages[-1]["role"] == "user":
            self.messages[-1]["content"].append(block)
        else:
            self.messages.append({"role": "user", "content": [block]})
        return self

    def said(self, text, calls=()):
        blocks = [{"type": "text", "text": text}] if text else []
        blocks += [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
        self.messages.append({"role": "assistant", "content": blocks})
        return self

    def body(self):
        tools = [{"name": t, "input_schema": {"type": "object"}} for t in self.tools]
        return {"model": self.model, "max_tokens": 9, "messages": self.messages, **({"tools": tools} if tools else {}),
                **({"system": self.system} if self.system else {}), **self.more}


class Responses(Talk):
    """OpenAI's newer API."""

    path = "/responses"

    def result(self, call, text, name="work"):
        self.messages.append({"type": "function_call_output", "call_id": call, "output": text})
        return self

    def said(self, text, calls=()):
        if text:
            self.messages.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
        for i, n, a in calls:
            self.messages.append({"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(a)})
        return self

    def body(self):
        tools = [{"type": "function", "name": t, "parameters": {}} for t in self.tools]
        return {"model": self.model, "input": self.messages, **({"tools": tools} if tools else {}),
                **({"instructions": self.system} if self.system else {}), **self.more}


class Gemini(Talk):
    """Results have names, and ids only where a client makes them up."""

    variable, path = "GOOGLE_GEMINI_BASE_URL", "/v1beta/models/m:generateContent"
    made_up = ""

    def user(self, text):
        self.messages.append({"role": "user", "parts": [{"text": text}]})
        return self

    def result(self, call, text, name="work"):
        made = {"id": self.made_up + call} if self.made_up else {}
        part = {"functionResponse": {**made, "name": name, "response": {"output": text}}}
        if self.messages[-1]["role"] == "user":
            self.messages[-1]["parts"].append(part)
        else:
            self.messages.append({"role": "user", "parts": [part]})
        return self

    def said(self, text, calls=()):
        parts = [{"text": text}] if text else []
        for i, n, a in calls:
            parts.append({"functionCall": {**({"id": self.made_up + i} if self.made_up else {}), "name": n, "args": a}})
        self.messages.append({"role": "model", "parts": parts})
        return self

    def body(self):
        tools = [{"functionDeclarations": [{"name": t} for t in self.tools]}] if self.tools else []
        return {"contents": self.messages, **({"tools": tools} if tools else {}), **self.more,
                **({"systemInstruction": {"parts": [{"text": self.system}]}} if self.system else {})}


if __name__ == "__main__":
    kit = importlib.import_module("kit")  # the scenes' own, and not this __main__
    kit.TRUTH = kit.Truth(sys.argv[3])
    ended = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])(kit.TRUTH)
    sys.exit(ended or 0)
