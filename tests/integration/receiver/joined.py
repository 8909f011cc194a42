"""Calls that the proxy saw and that telemetry tells of, too: each is one node, known by both."""

import json
import time

from payloads import as_proto, model_span, post, span, PROTO
from wire import ask

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


def run(suite):
    by(suite, "traceparent", lambda n: ({"traceparent": f"00-{TRACE}-{n:016x}-01"}, False))
    by(suite, "response id", lambda n: ({}, True))
