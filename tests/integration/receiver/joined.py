"""Calls that the proxy saw and that telemetry tells of, too: each is one node, known by both."""

import http.client
import json
import threading
import time
import urllib.parse

from payloads import as_proto, model_span, post, PROTO
from wire import Upstream, ask

TRACE = "0af7651916cd43dd8448eb211c80319c"


def call(held, number, headers=None):
    """A model call through the proxy; its response id, its begin and its seconds."""
    begun = time.time_ns()
    body = {"model": "gpt-x", "messages": [{"role": "user", "content": f"question {number}"}]}
    got = ask(held.urls["openai"], "POST", "/chat/completions", json.dumps(body).encode(),
              {"Content-Type": "application/json", **(headers or {})})
    return json.loads(got.body)["id"], begun, (time.time_ns() - begun) / 1e9


def by(suite, name, how):
    """how(number) gives headers of the call, and the span's id and whether it tells the response id."""
    with suite.mock() as mock, suite.hold(mock.url) as held:
        spans = []
        for number in range(1, 11):
            headers, tells = how(number)
            response, begun, seconds = call(held, number, headers)
            spans.append(model_span(TRACE, number, response if tells else "", begun=begun, seconds=seconds))
            if not tells:
                del spans[-1]["attributes"]["gen_ai.response.id"]
        status = post(held.urls["bare"], "/v1/traces", as_proto(spans), PROTO).status
        done = held.finish()
    models = done.trace().models()
    known = [n.get("known_by") for n in models]
    suite.one(f"joined by {name}: every call once, known by both", status == 200 and known == [["proxy", "otlp"]] * 10,
              (status, len(models), known[:3]))
    suite.check(f"joined by {name}: the trace is valid", [("trace", f) for f in suite.strict(done.where)], 1)


def early(suite, name, headers, tells):
    """A client that has read [DONE] exports its span at once; the last chunk of the stream comes after that."""
    told = threading.Event()
    piece = {"id": "chatcmpl-early", "object": "chat.completion.chunk", "model": "gpt-x",
             "choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}

    def answer(request):
        said = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n".encode()
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        yield f"{len(said):x}\r\n".encode() + said + b"\r\n"
        told.wait(20)
        yield b"0\r\n\r\n"

    with Upstream(answer) as upstream, suite.hold(upstream.url) as held:
        at, begun = urllib.parse.urlsplit(held.urls["openai"]), time.time_ns()
        conn = http.client.HTTPConnection(at.hostname, at.port, timeout=60)
        body = json.dumps({"model": "gpt-x", "stream": True, "messages": [{"role": "user", "content": "question"}]})
        conn.request("POST", f"{at.path}/chat/completions", body, {"Content-Type": "application/json", **headers})
        got = conn.getresponse()
        while b"[DONE]" not in got.readline():
            pass
        seconds = (time.time_ns() - begun) / 1e9
        given = model_span(TRACE, 1, "chatcmpl-early", begun=begun, seconds=seconds)
        for key in [k for k in given["attributes"] if "usage" in k or (k == "gen_ai.response.id" and not tells)]:
            del given["attributes"][key]
        status = post(held.urls["bare"], "/v1/traces", as_proto([given]), PROTO).status
        told.set()
        got.read()
        conn.close()
        done = held.finish()
    known = [n.get("known_by") for n in done.trace().models()]
    suite.one(f"joined by {name} before its stream ends: once, known by both", status == 200 and known == [["proxy", "otlp"]], known)


def run(suite):
    early(suite, "traceparent", {"traceparent": f"00-{TRACE}-{1:016x}-01"}, False)
    early(suite, "response id", {}, True)
    early(suite, "time", {}, False)
    by(suite, "traceparent", lambda n: ({"traceparent": f"00-{TRACE}-{n:016x}-01"}, False))
    by(suite, "response id", lambda n: ({}, True))
