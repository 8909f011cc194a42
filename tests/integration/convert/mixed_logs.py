"""A tree of logs of several formats, of any size: the same bytes and times for the same arguments on every machine.

usage: mixed_logs.py DIR MEGABYTES [SEED]

Most files are small, a few hold much of the bytes, as in the directories of agents. There are sessions of Claude Code
with files of sub-agents, sessions of Codex, exchanges with OpenAI's and Anthropic's APIs, OTLP spans, traces (several
runs in a file), compressed files, an archive, and files that are no logs.
"""

import gzip
import io
import json
import os
import random
import sys
import zipfile

WORDS = (
    "the file of a test reads every line and then writes what it found to another place where nobody looks for it "
    "function returns value error path module import class define result compile build check again slowly"
).split()
START = 1_770_000_000  # seconds: the first session


def line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def stamp(seconds):
    days, rest = divmod(int(seconds) - START, 86400)
    return f"2026-02-{2 + days % 26:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.000Z"


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        # Texts are cut from one long one: joining words for every line would take most of the time.
        self.text = " ".join(self.random.choice(WORDS) for _ in range(200_000))
        self.made = 0

    def words(self, size):
        at = self.random.randrange(len(self.text) - size)
        return self.text[at : at + size]

    def id(self, prefix=""):
        return f"{prefix}{self.random.getrandbits(96):024x}"

    def uuid(self):
        h = f"{self.random.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-8{h[17:20]}-{h[20:]}"

    def clock(self):
        self.made += 1
        return START + self.made * 97 % 2_000_000


def claude(m, size, session=None, agent=None):
    session, parent, at, out = session or m.uuid(), None, m.clock(), io.BytesIO()
    while out.tell() < size:
        call, request, message = m.id("toolu_"), m.id("req_"), m.id("msg_")
        content = m.words(m.random.randrange(200, 4000))
        for kind, body in (
            ("user", {"role": "user", "content": m.words(80)}),
            ("assistant", {"id": message, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
                           "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": m.words(40)}}],
                           "usage": {"input_tokens": 400, "cache_creation_input_tokens": 5210,
                                     "cache_read_input_tokens": 12, "output_tokens": 96}}),
            ("user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": content}]}),
        ):
            entry = {"parentUuid": parent, "isSidechain": agent is not None, "cwd": "/srv/tool", "sessionId": session,
                     "version": "2.0.44", "type": kind, "message": body, "uuid": m.uuid(), "timestamp": stamp(at)}
            if agent:
                entry["agentId"] = agent
            if kind == "assistant":
                entry["requestId"] = request
            out.write(line(entry))
            parent, at = entry["uuid"], at + 2
    return session, out.getvalue()


def codex(m, size):
    session, at, out = m.uuid(), m.clock(), io.BytesIO()

    def put(kind, payload):
        out.write(line({"timestamp": stamp(at), "type": kind, "payload": payload}))

    put("session_meta", {"id": session, "timestamp": stamp(at), "cwd": "/w", "originator": "codex_cli_rs",
                         "cli_version": "0.60.1", "source": "cli"})
    put("turn_context", {"cwd": "/w", "model": "gpt-5-codex"})
    while out.tell() < size:
        call = m.id("call_")
        put("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": m.words(60)}]})
        put("response_item", {"type": "function_call", "name": "shell", "call_id": call,
                              "arguments": json.dumps({"command": ["ls", m.words(20)]})})
        put("response_item", {"type": "function_call_output", "call_id": call,
                              "output": m.words(m.random.randrange(100, 3000))})
        put("response_item", {"type": "message", "role": "assistant",
                              "content": [{"type": "output_text", "text": m.words(200)}]})
        at += 5
    return out.getvalue()


def openai(m, size):
    out = io.BytesIO()
    while out.tell() < size:
        messages = [{"role": "user", "content": m.words(m.random.randrange(100, 2000))}]
        out.write(line({
            "request": {"method": "POST", "url": "https://api.openai.com/v1/chat/completions",
                        "body": {"model": "gpt-4o-mini", "messages": messages}},
            "response": {"status": 200, "body": {
                "id": m.id("chatcmpl-"), "object": "chat.completion", "created": m.clock(), "model": "gpt-4o-mini-2024-07-18",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": m.words(300)}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 71, "completion_tokens": 19, "total_tokens": 90}}}}))
    return out.getvalue()


def anthropic(m, size):
    out = io.BytesIO()
    while out.tell() < size:
        messages = [{"role": "user", "content": m.words(m.random.randrange(100, 2000))}]
        out.write(line({
            "request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages",
                        "body": {"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": messages}},
            "response": {"status": 200, "body": {
                "id": m.id("msg_"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
                "content": [{"type": "text", "text": m.words(300)}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 71, "output_tokens": 19}}}}))
    return out.getvalue()


def otlp(m, size):
    """A run of fifty spans after the other."""
    out, count = io.BytesIO(), 0
    while out.tell() < size:
        at = m.clock()
        trace = f"{m.random.getrandbits(128):032x}" if count % 50 == 0 else trace
        count += 1
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o",
                      "gen_ai.response.id": m.id("chatcmpl-"), "note": m.words(m.random.randrange(100, 1500))}
        spans = [{"traceId": trace, "spanId": f"{m.random.getrandbits(64):016x}", "name": "chat gpt-4o", "kind": 3,
                  "startTimeUnixNano": str(at * 10**9), "endTimeUnixNano": str(at * 10**9 + 10**9),
                  "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()]
                  + [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}}]}]
        out.write(line({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}))
    return out.getvalue()


def trace(m, size):
    """Two runs, one after the other."""
    out = io.BytesIO()
    for half in (1, 2):
        run, at = m.uuid(), m.clock()
        while out.tell() < size * half // 2 or out.tell() == 0:
            node = m.uuid()
            out.write(line({
                "schema_version": "agent-trace/v1", "event_type": "node", "trace_id": run, "node_id": node,
                "parent_node_ids": [], "timestamp_start": at, "timestamp_end": at + 1, "kind": "model_call",
                "framework": "raw_openai", "model_call": {
                    "endpoint": "http://localhost:8000/v1", "model": "example-large-1", "input_tokens": 412,
                    "output_tokens": 58, "input_tokens_source": "api", "output_tokens_source": "api",
                    "latency_seconds": 1, "request_id": m.id("req_")}}))
            at += 2
    return out.getvalue()


def packed(m, size):
    return gzip.compress(openai(m, size * 3), 1, mtime=0)


def archive(m, size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name in ("b/second.jsonl", "a/first.jsonl", "../up.jsonl", "/rooted.jsonl"):
            z.writestr(zipfile.ZipInfo(name, (2026, 2, 2, 0, 0, 0)), codex(m, size // 4))
    return out.getvalue()


def other(m, size):
    return json.dumps({"settings": {"theme": m.words(20)}}).encode()


KINDS = (
    ("codex", codex, ".jsonl"),
    ("openai", openai, ".jsonl"),
    ("anthropic", anthropic, ".jsonl"),
    ("spans", otlp, ".jsonl"),
    ("traces", trace, ".jsonl"),
    ("packed", packed, ".jsonl.gz"),
    ("other", other, ".json"),
)


def make(place, megabytes, seed=1):
    """Writes the tree and gives (files, bytes)."""
    m, left, files = Maker(seed), int(megabytes * 1e6), 0
    total = left

    def put(path, data):
        nonlocal left, files
        path = os.path.join(place, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (START + files, START + files))
        left -= len(data)
        files += 1

    put("archives/several.eval", archive(m, 20_000))
    while left > 0:
        # one file in fourteen has 2 % of all bytes
        size = m.random.choice((1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 100_000) * 2 + (total // 50,))
        size = max(500, min(size, left, 40_000_000))
        project, where = m.random.randrange(12), m.random.randrange(len(KINDS) + 2)
        if where < len(KINDS):
            name, function, ending = KINDS[where]
            put(f"{name}/project-{project}/{files:06d}{ending}", function(m, size))
            continue
        session, data = claude(m, size)
        put(f"claude/-srv-project-{project}/{session}.jsonl", data)
        if where == len(KINDS):
            agent = m.id()[:8]
            _, data = claude(m, max(500, size // 4), session, agent)
            put(f"claude/-srv-project-{project}/{session}/subagents/agent-{agent}.jsonl", data)
    return files, total - left


if __name__ == "__main__":
    count, size = make(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    print(f"{count} files, {size} bytes")
