"""Every rule of OTLP over HTTP, limits and all; protobuf and JSON must give the same nodes, and no content is kept."""

import json
import threading
import time

from harness import SLOWER
from payloads import BEGUN, JSON, PACKED, PROTO, as_json, as_proto, model_span, post, span
from recording import each

TRACE = "0af7651916cd43dd8448eb211c80319c"
MIB = 1 << 20


def some_spans(content=None):
    """An agent with a model call and a tool call."""
    agent = span(TRACE, 1, "invoke_agent a", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}, seconds=4)
    model = model_span(TRACE, 2, "chatcmpl-1", content=content, parent=1)
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read_file", "gen_ai.tool.call.id": "call_1"}
    if content:
        tool |= {"gen_ai.tool.call.arguments": content, "gen_ai.tool.call.result": content, "output.value": content}
    return [agent, model, span(TRACE, 3, "execute_tool read_file", tool, parent=1, begun=BEGUN + 2 * 10**9)]


def rules(suite):
    body, proto = as_json(some_spans()), as_proto(some_spans())
    deep = b'{"resourceSpans":' + b"[" * 100000
    cases = [
        ("JSON", "/v1/traces", body, {}, 200, b"{}", JSON),
        ("JSON with a parameter", "/v1/traces", body, {"media": JSON + "; charset=utf-8"}, 200, b"{}", JSON),
        ("protobuf", "/v1/traces", proto, {"media": PROTO}, 200, b"", PROTO),
        ("an empty request", "/v1/traces", b"", {"media": PROTO}, 200, b"", PROTO),
        ("an empty object", "/v1/logs", b"{}", {}, 200, b"{}", JSON),
        ("no metrics", "/v1/metrics", b"{}", {}, 200, b"{}", JSON),
        ("chunks", "/v1/traces", iter([body[:100], body[100:101], body[101:]]), {"chunked": True}, 200, b"{}", JSON),
        ("GET", "/v1/traces", None, {"method": "GET"}, 405, None, None),
        ("HEAD", "/v1/logs", None, {"method": "HEAD"}, 405, b"", None),
        ("PUT", "/v1/logs", b"{}", {"method": "PUT"}, 405, None, JSON),
        ("no media type", "/v1/traces", body, {"media": None}, 415, None, JSON),
        ("another media type", "/v1/traces", body, {"media": "text/plain"}, 415, None, JSON),
        ("another packing", "/v1/traces", body, {"headers": {"Content-Encoding": "br"}}, 415, None, JSON),
        ("broken JSON", "/v1/traces", body[:-5], {}, 400, None, JSON),
        ("JSON that is no object", "/v1/traces", b"[]", {}, 400, None, JSON),
        ("deep JSON", "/v1/traces", deep, {}, 400, None, JSON),
        ("broken protobuf", "/v1/traces", proto[:-3], {"media": PROTO}, 400, None, PROTO),
        ("JSON called protobuf", "/v1/traces", body, {"media": PROTO}, 400, None, PROTO),
        ("broken gzip", "/v1/traces", body, {"headers": {"Content-Encoding": "gzip"}}, 400, None, JSON),
        ("another path", "/v1/other", body, {}, 404, None, None),
        ("a page", "/v1/traces", body, {"headers": {"Origin": "https://page.example"}}, 403, None, None),
        ("another host", "/v1/traces", body, {"headers": {"Host": "page.example"}}, 403, None, None),
    ]
    for name, pack in PACKED.items():
        packed = pack(body)
        if packed is None:
            suite.skip(name, "zstd is not installed")
            continue
        cases += [(name, "/v1/traces", packed, {"headers": {"Content-Encoding": name}}, 200, b"{}", JSON),
                  (f"{name}, broken off", "/v1/traces", packed[:-9], {"headers": {"Content-Encoding": name}}, 400, None, JSON)]
    members = PACKED["gzip"](proto) + PACKED["gzip"](as_proto([model_span(TRACE, 9, "chatcmpl-2")]))
    cases.append(("gzip in two members", "/v1/traces", members, {"media": PROTO, "headers": {"Content-Encoding": "gzip"}}, 200, b"", PROTO))
    bad = []
    with suite.hold(options=["--otlp"]) as held:
        for name, path, sent, how, status, wants, media in cases:
            got = post(held.urls["bare"], path, sent, **how)
            if got.status != status or (wants is not None and got.body != wants):
                bad.append((name, f"{got.status} {got.body[:200]} and not {status}"))
            if media and not got.headers["Content-Type"].startswith(media):
                bad.append((name, f"answered as {got.headers['Content-Type']}"))
            if status == 400 and media == JSON and not json.loads(got.body).get("message"):
                bad.append((name, f"no Status: {got.body[:100]}"))
            if status == 400 and media == PROTO and not got.body.startswith(b"\x08\x03\x12"):
                bad.append((name, f"no Status: {got.body[:100]}"))
            if status == 405 and got.headers["Allow"] != "POST":
                bad.append((name, "no Allow"))
        done = held.finish()
    suite.check("every request gets the answer of the protocol", bad, len(cases))
    suite.one("the same spans sent often are one call", len(done.trace().models()) == 2, done.trace().kinds())


def limits(suite):
    """64 MiB after unpacking, whole or in chunks; and all of them together."""
    most = 64 * MIB
    fits = b'{"resourceSpans":[]' + b" " * (most - 20) + b"}"
    bad = []
    with suite.hold(options=["--otlp"]) as held:
        url = held.urls["bare"]
        for name, body, how, status in [
            ("64 MiB", fits, {}, 200),
            ("64 MiB in gzip", PACKED["gzip"](fits), {"headers": {"Content-Encoding": "gzip"}}, 200),
            ("a byte more", fits + b" ", {}, 413),
            ("a byte more in gzip", PACKED["gzip"](fits + b" "), {"headers": {"Content-Encoding": "gzip"}}, 413),
            ("a byte more in chunks", iter([fits, b" "]), {"chunked": True}, 413),
            ("a bomb", PACKED["gzip"](b"\0" * (1024 * MIB)), {"headers": {"Content-Encoding": "gzip"}}, 413),
        ]:
            try:
                got = post(url, "/v1/traces", body, **how).status
            except (ConnectionError, BrokenPipeError):
                got = 413  # we do not read to its end what is too large
            if got != status:
                bad.append((name, f"{got} and not {status}"))
        peak = status_of(held.process.pid)
        done = held.finish()
    suite.check("a body has 64 MiB at most, unpacked", bad, 6)
    suite.note(f"most memory: {peak // MIB} MiB")
    suite.one("memory is bounded", peak < 700 * MIB or "Sanitizer" in done.err or SLOWER > 1, f"{peak // MIB} MiB")


def status_of(pid):
    """The most memory that a process ever had."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))


def crowd(suite):
    """More at once than there is room for: some are told to come again, and all are taken in the end."""
    body = b'{"resourceSpans":[]' + b" " * (40 * MIB) + b"}"
    turned, answers = [], []
    with suite.hold(options=["--otlp"]) as held:

        def send(_):
            while True:
                got = post(held.urls["bare"], "/v1/traces", body)
                if got.status != 503:
                    return got.status
                turned.append(got.headers["Retry-After"])
                threading.Event().wait(0.1)

        answers = each(send, list(range(8)), 8)
        held.finish()
    suite.check("all that come again are taken", [(i, a) for i, a in enumerate(answers) if a != 200], len(answers))
    suite.check("who is turned away is told when to come", [(i, t) for i, t in enumerate(turned) if t != "1"], len(turned) + 1)


def encodings(suite):
    """JSON and protobuf of the same spans are the same nodes."""
    found = []
    for media, body in ((JSON, as_json(some_spans())), (PROTO, as_proto(some_spans()))):
        with suite.hold(options=["--otlp"]) as held:
            post(held.urls["bare"], "/v1/traces", body, media)
            done = held.finish()
        ids = {n["node_id"]: i for i, n in enumerate(done.trace().nodes)}
        nodes = [{**n, "node_id": 0, "trace_id": 0, "parent_node_ids": [ids[p] for p in n["parent_node_ids"]]} for n in done.trace().nodes]
        found.append(nodes)
    suite.one("protobuf and JSON give the same nodes", found[0] == found[1] and len(found[0]) >= 2, found)
    known = [n.get("known_by") for n in found[0]]
    suite.one("nodes say that telemetry told of them", all("otlp" in k for k in known), known)


def content(suite):
    canary = "a-canary-7f3e91"
    bad = []
    for options in (["--otlp"], [], ["--otlp", "--content"], ["--content"]):
        for media, make in ((JSON, as_json), (PROTO, as_proto)):
            with suite.hold(options=options) as held:
                got = post(held.urls["bare"], "/v1/traces", make(some_spans(canary), {"service.name": canary, "user.email": canary}), media)
                done = held.finish()
            files = {**done.files(), "standard error": done.err.encode(), "the answer": got.body}
            bad += [(f"{options} {media}", name) for name, text in files.items() if canary.encode() in text]
            if got.status != 200 or len(done.trace().models()) != 1:
                bad.append((f"{options} {media}", f"{got.status}, {done.trace().kinds()}"))
    suite.check("no content of telemetry is kept, also with --content", bad, 8)


def timeless(suite):
    """A span without times, and one whose times are no dates: they are of now."""
    for name, begun, ended in (("no times", 0, 0), ("times beyond all dates", 2**64 - 1, 2**64 - 1)):
        given = {**model_span(TRACE, 1, "chatcmpl-1"), "begun": begun, "ended": ended}
        since = time.time()
        with suite.hold(options=["--otlp"]) as held:
            post(held.urls["bare"], "/v1/traces", as_json([given]))
            done = held.finish()
        times = [n["timestamp_end"] for n in done.trace().models()]
        suite.one(f"a span with {name} was when it was told", len(times) == 1 and since - 1 <= times[0] <= time.time() + 1, times)


def model_paths(suite):
    with suite.hold(options=["--otlp"]) as held:
        got = post(held.urls["bare"], "/openai/v1/chat/completions", b"{}")
        done = held.finish()
    suite.one("with --otlp a model call is a 404 that says why", got.status == 404 and b"telemetry only" in got.body, got.body)
    suite.one("and a run without telemetry is told", "sent no telemetry" in done.err, done.err)


def run(suite):
    rules(suite)
    limits(suite)
    crowd(suite)
    encodings(suite)
    content(suite)
    timeless(suite)
    model_paths(suite)
