"""
Streams are judged by their bytes, not by the pieces they come in: what was recorded in single bytes, in events or in one
piece is replayed in each of these ways, whole, with an error in the middle and broken off, and the verdict is the same.
"""

import base64
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("record", "validate")]

import sockets
import websocket
from scenes import chat_stream, messages_stream
from wire import Hangup, Upstream, chunk, chunked, cut, head

WANT = {"id": "s1", "text": "Grüße 日本 \U0001f30d", "calls": [("c1", "look", {"where": "日本", "n": 1})]}
ENDS = ("whole", "error", "cut")
PIECES = ("byte", "event", "single")


def sse(value, name=None):
    return (f"event: {name}\n" if name else "").encode() + f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def responses_stream(want):
    for text in websocket.events(text=want["text"], call="c1"):
        event = json.loads(text)
        yield sse(event, event["type"])


def gemini_stream(want):
    for word in want["text"].split():
        yield sse({"responseId": "g1", "modelVersion": "m", "candidates": [{"content": {"role": "model", "parts": [{"text": word}]}}]})
    yield sse({"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]}, "finishReason": "STOP"}],
               "usageMetadata": {"promptTokenCount": 2, "candidatesTokenCount": 1}})


def ollama_stream(want):
    for word in want["text"].split():
        yield json.dumps({"model": "m", "message": {"role": "assistant", "content": word}, "done": False}, ensure_ascii=False).encode() + b"\n"
    yield json.dumps({"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop",
                      "prompt_eval_count": 2, "eval_count": 1}).encode() + b"\n"


FAILURE = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

# The path, the events, the type of the body, and what an error in the middle looks like.
APIS = {
    "completions": ("/chat/completions", chat_stream, "text/event-stream", sse({"error": {"message": "no", "type": "server_error", "code": 500}})),
    "responses": ("/responses", responses_stream, "text/event-stream", sse({"type": "error", "code": "x", "message": "no"}, "error")),
    "messages": ("/v1/messages", messages_stream, "text/event-stream", sse(FAILURE, "error")),
    "gemini": ("/v1beta/models/m:streamGenerateContent?alt=sse", gemini_stream, "text/event-stream",
               sse({"error": {"code": 503, "message": "no", "status": "UNAVAILABLE"}})),
    "ollama": ("/api/chat", ollama_stream, "application/x-ndjson", b'{"error":"no"}\n'),
}


def bytes_of(api, end):
    """The events of an answer: all, half and an error, or half and the half of one more."""
    events = list(APIS[api][1](WANT))
    half = len(events) // 2
    return events if end == "whole" else [*events[:half], APIS[api][3]] if end == "error" else [*events[:half], events[half][:-7]]


def answer(request):
    want = json.loads(request.header("x-want"))
    events = bytes_of(want["api"], want["end"])
    data = b"".join(events)
    pieces = {"byte": cut(data, 1), "event": events, "single": [data]}[want["pieces"]]
    kind = APIS[want["api"]][2]
    if want["end"] == "cut":
        request.conn.sendall(head(headers=[("Content-Type", kind), ("Transfer-Encoding", "chunked")]) + b"".join(map(chunk, pieces)))
        raise Hangup
    return chunked(pieces, kind=kind)


def expected():
    """What the agent has to print."""
    return "".join(f"{api} {end} {pieces} 200 {end != 'cut'} {base64.b64encode(b''.join(bytes_of(api, end))).decode()}\n"
                   for api in APIS for end in ENDS for pieces in PIECES).encode()


HOWS = (["--chunking", "recorded"], ["--chunking", "event"], ["--chunking", "single"], ["--chunking", "bytes:1"], ["--chunking", "bytes:7"],
        ["--timing", "x0.1"], ["--chunking", "bytes:1", "--timing", "x0.01"])


def replays(suite, title, where, command, said, calls):
    for how in HOWS:
        out = os.path.join(suite.directory("said"), "out")
        got = suite.replay(where, command, [*how, "--child-stdout", out])
        suite.same(f"{title} with {' '.join(how)}", got)
        with open(out, "rb") as f:
            suite.one(f"{title} with {' '.join(how)}: the bytes are those that were recorded", f.read() == said, "they are not")
        suite.one(f"{title} with {' '.join(how)}: every request is served", got.document.get("exact") == calls, f"{got.document.get('exact')}")


def run(suite):
    command = [sys.executable, "-B", os.path.join(HERE, "stream_agent.py")]
    with Upstream(answer) as upstream:
        urls = {"openai": f"{upstream.url}/v1", "anthropic": upstream.url, "gemini": upstream.url, "ollama": upstream.url}
        recorded = suite.record(command, urls, ["-q", "--content"])
    if suite.one("streams of all APIs are recorded as they were sent", recorded.out == expected(), f"{recorded.err[-600:]}"):
        replays(suite, "streams of all APIs", recorded.where, command, recorded.out, len(APIS) * len(ENDS) * len(PIECES))
    over_sockets(suite)


def talk(s, _request):
    """A service on a socket: answers, and then as it is asked."""
    try:
        while True:
            text = s.text()
            end = json.loads(text)["input"][0]["content"]
            events = list(websocket.events(text="a word of 日本 and more", call="c1"))
            half = len(events) // 2
            for event in events if end not in ("error", "cut") else events[:half]:
                s.send(event, pieces=3)
            if end == "error":
                s.send(json.dumps({"type": "error", "code": "server_error", "message": "no"}))
            if end == "cut":
                raise sockets.Gone
    except sockets.Gone:
        s.conn.close()


def over_sockets(suite):
    command = [sys.executable, "-B", os.path.join(HERE, "stream_agent.py"), "sockets"]
    with websocket.answering(talk) as upstream:
        recorded = suite.record(command, {"openai": f"{upstream.url}/v1"}, ["-q", "--content"])
    right = recorded.status == 0 and recorded.out.count(b"gone") == 1 and recorded.out.count(b'"type": "error"') == 1
    if suite.one("WebSockets are recorded", right, f"{recorded.status} {recorded.out[-300:]} {recorded.err[-400:]}"):
        replays(suite, "a WebSocket", recorded.where, command, recorded.out, 3 * len(ENDS))  # and the handshakes
