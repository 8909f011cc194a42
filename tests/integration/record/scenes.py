"""
Who came from whom, told by the agents themselves: small agents (scenes/) are recorded as users record theirs, each writes
a log of what really happened, and the trace must be that, node by node: kinds, parents, messages of people, what is
marked as inferred. Half of the scenes look like what they are not: there the edge must not be found.
"""

import json
import os
import sys
import time

from recording import each
from wire import Hangup, Upstream, chunked, head, whole

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scenes")
sys.path.append(HERE)

import handoffs  # noqa: E402,F401
import kit  # noqa: E402
import people  # noqa: E402,F401
import repeats  # noqa: E402,F401
import results  # noqa: E402,F401
import subagents  # noqa: E402,F401

USAGE = {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}


# ---- the model ----


def chat(want):
    calls = [{"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a in want["calls"]]
    message = {"role": "assistant", "content": want["text"], **({"tool_calls": calls} if calls else {})}
    return {"id": want["id"], "object": "chat.completion", "model": "m", "usage": USAGE,
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}]}


def chat_stream(want):
    """Names first, then arguments in pieces of five characters."""
    def event(delta, finish=None):
        value = {"id": want["id"], "object": "chat.completion.chunk", "model": "m",
                 "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        return b"data: " + json.dumps(value).encode() + b"\n\n"

    for n, (call, name, args) in enumerate(want["calls"]):
        text = json.dumps(args)
        yield event({"tool_calls": [{"index": n, "id": call, "type": "function", "function": {"name": name, "arguments": ""}}]})
        for at in range(0, len(text), 5):
            yield event({"tool_calls": [{"index": n, "function": {"arguments": text[at:at + 5]}}]})
    if want["text"]:
        yield event({"content": want["text"]})
    yield event({}, "tool_calls" if want["calls"] else "stop")
    yield b"data: [DONE]\n\n"


def messages(want):
    blocks = [{"type": "text", "text": want["text"]}] if want["text"] else []
    blocks += [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in want["calls"]]
    return {"id": want["id"], "type": "message", "role": "assistant", "model": "m", "content": blocks,
            "stop_reason": "tool_use" if want["calls"] else "end_turn", "usage": {"input_tokens": 2, "output_tokens": 1}}


def messages_stream(want):
    def event(kind, **value):
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **value})}\n\n".encode()

    start = messages({**want, "calls": [], "text": None})
    yield event("message_start", message=start)
    for n, (call, name, args) in enumerate(want["calls"]):
        text = json.dumps(args)
        yield event("content_block_start", index=n, content_block={"type": "tool_use", "id": call, "name": name, "input": {}})
        for at in range(0, len(text), 7):
            yield event("content_block_delta", index=n, delta={"type": "input_json_delta", "partial_json": text[at:at + 7]})
        yield event("content_block_stop", index=n)
    yield event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 1})
    yield event("message_stop")


def responses(want):
    items = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": want["text"]}]}] if want["text"] else []
    items += [{"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(a)} for i, n, a in want["calls"]]
    return {"id": want["id"], "object": "response", "status": "completed", "model": "m", "output": items,
            "usage": {"input_tokens": 2, "output_tokens": 1}}


def gemini(want):
    parts = [{"text": want["text"]}] if want["text"] else []
    parts += [{"functionCall": {"name": n, "args": a}} for _, n, a in want["calls"]]
    return {"responseId": want["id"], "modelVersion": "m", "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 2, "candidatesTokenCount": 1}}


SHAPES = {"completions": (chat, chat_stream), "messages": (messages, messages_stream), "responses": (responses, None)}


def answer(request):
    """What the request's own header asks for."""
    want = json.loads(request.header("x-want"))
    shape, streamed = SHAPES.get(request.target.partition("?")[0].rpartition("/")[2], (gemini, None))
    time.sleep(want.get("delay", 0))
    if want.get("cut"):
        raise Hangup
    ident = [("x-request-id", want["id"])]
    if want.get("torn"):
        request.conn.sendall(head(headers=[("Content-Type", "application/json"), ("Content-Length", 999), *ident]) + b'{"id":')
        raise Hangup
    if want.get("status", 200) != 200:
        return whole(b'{"error":{"message":"no","type":"server_error"}}', status=want["status"], headers=ident)
    if want.get("stream"):
        return chunked(streamed(want), headers=ident)
    return whole(json.dumps(shape(want)).encode(), headers=ident)


# ---- what was, and what was seen ----


def names_of(trace):
    """A name for each node of the trace that has one: model calls by the id of their answer, tools by that of the call."""
    named = {}
    for n in trace.nodes:
        if n["kind"] == "model_call":
            named[n["node_id"]] = n["model_call"]["request_id"] or "unanswered"
        elif n["kind"] == "tool_call":
            named[n["node_id"]] = n["tool_call"].get("call_id") or n["tool_call"]["name"]
    return named


def seen(trace):
    """The trace in the words of the log."""
    named = names_of(trace)
    found = []
    for n in trace.nodes:
        node = {"kind": n["kind"], "name": named.get(n["node_id"], n["node_id"]),
                "parents": [named.get(p, p) for p in n["parent_node_ids"]]}
        if n["kind"] == "model_call":
            node["inferred"] = n.get("inferred") is True
        if n["kind"] == "tool_call":
            node["partial"] = n["tool_call"].get("partial", False) or n.get("partial", False)
        if n["kind"] == "branch":
            node.update(siblings=[named.get(s, s) for s in n["branch"]["siblings"]], branch_kind=n["branch"]["branch_kind"])
        found.append(node)
    return found


def canonical(nodes):
    """
    Lines that are equal for equal graphs. What has no name of its own is called by what it does: a message of a user by
    the calls it leads to, a branch by its siblings, a retry by the failure it comes from.
    """
    real = {n["name"] for n in nodes if n["kind"] in ("model_call", "tool_call")}
    labels = {name: name for name in real}
    for n in nodes:
        if n["kind"] == "branch":
            labels[n["name"]] = f"{n['branch_kind']}({' '.join(sorted(n['siblings']))})"
        elif n["kind"] == "retry":
            labels[n["name"]] = f"retry({' '.join(n['parents'])})"
    for n in nodes:
        if n["kind"] == "user_input":
            to = sorted(labels.get(c["name"], "?") for c in nodes if n["name"] in c["parents"])
            labels[n["name"]] = f"user({' '.join(to)})"
    lines = []
    for n in nodes:
        marks = " inferred" if n.get("inferred") else ""
        marks += " partial" if n.get("partial") else ""
        lines.append(f"{n['kind']} {labels.get(n['name'], n['name'])}{marks} <- {' '.join(sorted(labels.get(p, 'unknown') for p in n['parents']))}")
    return sorted(lines)


def play(suite, upstream, module, function, exit_code):
    log = os.path.join(suite.directory("scene"), "truth.jsonl")
    done = suite.record([sys.executable, "-B", os.path.join(HERE, "kit.py"), module, function, log], upstream.url)
    if done.status != exit_code:
        return [("agent", f"exit status {done.status}: {done.err[-600:]}")]
    with open(log, encoding="utf-8") as f:
        want = canonical([json.loads(line) for line in f])
    got = canonical(seen(done.trace()))
    bad = [("validate", f) for f in suite.strict(done.where)]
    bad += [("not seen", line) for line in want if line not in got]
    bad += [("not true", line) for line in got if line not in want]
    if not bad and want != got:
        bad.append(("count", f"{len(got)} nodes and not {len(want)}"))
    return bad


def run(suite):
    with Upstream(answer) as upstream:
        found = each(lambda s: play(suite, upstream, s[0], s[1], s[4]), kit.SCENES, workers=4)
    for (module, function, title, must_not, _), bad in zip(kit.SCENES, found):
        suite.check(f"{'must not: ' if must_not else ''}{title} ({module}.{function})", bad, 1)
